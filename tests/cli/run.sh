#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw run: agents, rewards, output files and errors.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

expect 0 run scent --steps 3000 --window 500 --csv a.csv --plot a.png --map map.png
is_empty err
says out 'greedy in scent, seed 0'
says out 'Collect[JellyBean]'
says out 'steps          3000'
says out 'over the last 500 steps'
check 'no header' [ "$(head -n 1 a.csv)" = 'time,reward_rate,total_reward' ]
check 'rows are missing' [ "$(wc -l <a.csv)" = 3001 ]
check 'the last row is not the last step' [ "$(tail -n 1 a.csv | cut -d, -f1)" = 3000 ]
check 'no plot' [ -s a.png ]
check 'no map' [ -s map.png ]

# runs are reproducible, and depend on the seed
hash_of() { awk '$1 == "hash" {print $2}' out; }
first=$(hash_of)
expect 0 run scent --steps 3000 --window 500 --csv b.csv
check 'different hash' [ "$(hash_of)" = "$first" ]
check 'different curve' cmp -s a.csv b.csv
expect 0 run scent --steps 3000 --seed 1
check 'same hash for another seed' [ "$(hash_of)" != "$first" ]

# generation threads change no result, and worlds that cannot use them run without
expect 0 run scent --generation invariant --steps 3000 --generation-threads 0
first=$(hash_of)
for threads in 1 3; do
    expect 0 run scent --generation invariant --steps 3000 --generation-threads "$threads"
    check 'different hash' [ "$(hash_of)" = "$first" ]
done
expect 0 run scent --generation invariant --steps 3000
check 'different hash' [ "$(hash_of)" = "$first" ]
expect 0 run walk --steps 10 --generation-threads 2
expect 2 run scent --generation-threads 65
says err "--generation-threads: found '65', expected an integer from 0 to 64"
expect 2 run scent --generation-threads -1

# a total that is easy to compute: every action costs 0.1
expect 0 run walk --agent forward --reward 'Action[-0.1]' --steps 200
says out 'total reward   -20, -0.1 per step'
expect 0 run walk --agent random --reward 'Cyclical[(Action, 10), (Action[3], 10)]' --steps 100
says out 'total reward   200, 2 per step'

# bad usage
expect 2 run
expect 2 run no-such-world
expect 2 run scent --agent gredy
says err 'greedy'
expect 2 run scent --reward 'Collect[JelyBean]'
says err "--reward:1:9: error:"
says err "did you mean 'JellyBean'?"
expect 2 run scent --steps many
expect 2 run scent --window 1000000000

# files that cannot be written
expect 1 run scent --steps 10 --csv no/such/folder/a.csv
expect 1 run scent --steps 10 --plot no/such/folder/a.png
says out 'steps          10'

# an interrupt ends the run early, with a summary
"$jbw" run walk --agent random --steps 1000000000000 >out 2>err </dev/null &
pid=$!
sleep 0.5
kill -INT "$pid"
wait "$pid"
case_name='an interrupted run'
check 'exit code' [ $? = 0 ]
says out 'seed 0, interrupted'
says out 'total reward'

finish
