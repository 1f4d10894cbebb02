#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw run --save and --load: a saved run resumes as if it had never stopped.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

hash_of() { awk '$1 == "hash" {print $2}' out; }

# in one part and in two parts: the same world, the same rows
for case in 'scent greedy Collect[JellyBean]' 'walk random Action[-0.1]' \
    'paper-code greedy Cyclical[(Collect[JellyBean],300),(Collect[Onion],300)]'; do
    read -r world agent reward <<<"$case"
    options=(--agent "$agent" --reward "$reward" --window 300 --every 7)
    expect 0 run "$world" "${options[@]}" --steps 2000 --seed 3 --csv whole.csv
    hash=$(hash_of)
    rm -f parts.csv
    expect 0 run "$world" "${options[@]}" --steps 777 --seed 3 --csv parts.csv --save run.jbw --force
    says out 'saved          run.jbw'
    expect 0 run --load run.jbw --steps 1223 --csv parts.csv --save run.jbw --plot plot.png \
        --map map.png
    is_empty err
    says out "$agent in $world, seed 3"
    says out 'time           2000'
    check "hash $(hash_of), expected $hash" [ "$(hash_of)" = "$hash" ]
    check 'different rows' cmp -s whole.csv parts.csv
done

# the world may be named again, but must be the same
expect 0 run paper-code --load run.jbw --steps 10
expect 2 run paper-code --load run.jbw --steps 10 --set agent.vision_range=5
says err 'holds a different world than paper-code'
expect 2 run scent --load run.jbw --steps 10
expect 2 run --load run.jbw --seed 4
says err 'run.jbw has seed 3'
expect 2 run --load run.jbw --window 5
says err 'has a window of 300 steps'
expect 0 run --load run.jbw --steps 0 --memory-budget 9
expect 2 run --load run.jbw --steps 0 --memory-budget 0
says err "jbw run: --memory-budget: found '0', expected 1 to 1048576 megabytes"
expect 0 render run.jbw --memory-budget 9 --region 0,0,9,9 --out drawn.png
rm -f drawn.png
expect 2 run --load run.jbw --set patch_size=32
says err '--set and --generation need a WORLD'

# the same world with another agent and another reward
expect 0 run --load run.jbw --agent random --reward 'Collect[Onion]' --steps 10
says out 'random in paper-code'
says out 'Collect[Onion]'
says out 'time           2010'

# rows after the save are written again, not twice
expect 0 run scent --steps 100 --window 10 --csv rows.csv --save rows.jbw
cp rows.csv first.csv
expect 0 run --load rows.jbw --steps 50 --csv rows.csv
expect 0 run --load rows.jbw --steps 50 --csv rows.csv
check 'missing or repeated rows' [ "$(cut -d, -f1 rows.csv | sort -n | uniq | wc -l)" = 151 ]
check 'missing or repeated rows' [ "$(wc -l <rows.csv)" = 151 ]
check 'the first rows have changed' cmp -s first.csv <(head -n 101 rows.csv)
echo 'something else' >other.csv
expect 1 run --load rows.jbw --steps 50 --csv other.csv
check 'the file was overwritten' [ "$(cat other.csv)" = 'something else' ]

# nothing is overwritten without --force
expect 2 run scent --steps 10 --save run.jbw
says err 'run.jbw already exists; --force replaces it'
expect 0 run scent --steps 10 --save run.jbw --force
expect 0 run --load run.jbw --steps 10 --save run.jbw
expect 2 run --load run.jbw --steps 10 --save rows.jbw

# bad usage, bad files
expect 2 run
says err 'expected WORLD, or --load FILE'
expect 2 run scent --save-every 10
says err '--save-every needs --save'
expect 2 run --load missing.jbw
says err 'missing.jbw: cannot be opened'
head -c 200 run.jbw >cut.jbw
expect 2 run --load cut.jbw
expect 2 run --load rows.csv
says err 'not a snapshot'
expect 1 run scent --steps 10 --save missing/run.jbw
says err 'not saved at time 10'

# at intervals, and at an interrupt
rm -f run.jbw
"$jbw" run walk --agent random --steps 1000000000000 --save run.jbw --save-every 200 \
    >out 2>err </dev/null &
pid=$!
for _ in $(seq 100); do
    [ -e run.jbw ] && break
    sleep 0.1
done
case_name='an interrupted run'
check 'was not saved while running' [ -e run.jbw ]
kill -INT "$pid"
wait "$pid"
check 'exit code' [ $? = 0 ]
says out 'saved          run.jbw'
hash=$(hash_of)
expect 0 run --load run.jbw --steps 0
check 'different hash' [ "$(hash_of)" = "$hash" ]

# a full disk: the file saved before remains, and the run reports the error
expect 0 run scent --steps 1000 --save full.jbw
cp full.jbw before.jbw
case_name='a full disk'
(
    ulimit -f 1
    exec "$jbw" run --load full.jbw --steps 20000 --save full.jbw --save-every 10000 >out 2>err
)
check 'exit code' [ $? = 1 ]
says err 'not saved at time 11000'
says err 'File too large'
says out 'time           21000'
check 'the old file is gone' cmp -s full.jbw before.jbw

# no more memory than was allowed
for verb in inspect 'run --steps 1 --load' 'render --region 0,0,9,9 --out a.png'; do
    # shellcheck disable=SC2086
    expect 1 $verb full.jbw --memory-limit 1
    says err 'more memory than the limit of'
    says err 'choose a larger memory limit (--memory-limit, memory_limit)'
    # shellcheck disable=SC2086
    expect 0 $verb full.jbw --memory-limit 200
done
expect 2 inspect full.jbw --memory-limit 0
says err "--memory-limit: found '0', expected megabytes, from 1 to 2^40"

finish
