#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw run --record, jbw replay, jbw inspect, and jbw render of their files.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

hash_of() { awk '$1 == "hash" {print $2}' out; }

# a run that is recorded in two parts, then replayed
expect 0 run scent --steps 20000 --seed 5 --record a.jbwr --save a.jbw
says out 'recorded       a.jbwr'
expect 0 run --load a.jbw --steps 15000 --record a.jbwr --save a.jbw
hash=$(hash_of)
expect 0 replay a.jbwr --verify
is_empty err
says out 'time 0 to 35000, 35000 operations'
says out 'verified       35000 operations'
check "hash $(hash_of), expected $hash" [ "$(hash_of)" = "$hash" ]
expect 0 replay a.jbwr
check "hash $(hash_of), expected $hash" [ "$(hash_of)" = "$hash" ]

# recording changes nothing
expect 0 run scent --steps 35000 --seed 5
check "hash $(hash_of), expected $hash" [ "$(hash_of)" = "$hash" ]

# to a given time, with a picture, then resumed from there
expect 0 replay a.jbwr --to 12345 --save at.jbw --map at.png
says out 'time           12345'
check 'no picture' [ -s at.png ]
part=$(hash_of)
expect 0 replay a.jbwr --to 12345 --verify
check 'different hash' [ "$(hash_of)" = "$part" ]
expect 0 run --load at.jbw --steps 10
says out 'greedy in scent, seed 5'
expect 2 replay a.jbwr --to 12345 --save at.jbw
says err '--force replaces it'
expect 0 replay a.jbwr --to 12345 --save at.jbw --force
expect 2 replay a.jbwr --to 35001
says err 'covers times 0 to 35000, not 35001'
expect 2 replay a.jbwr --to 35001 --verify
says err 'covers times 0 to 35000, not 35001'
expect 2 replay missing.jbwr
expect 2 replay a.jbw
says err 'is not a recording'
expect 2 replay

# descriptions of files
expect 0 inspect a.jbwr
says out 'a.jbwr: recording'
says out 'torn_bytes     0'
says out 'run.reward     Collect[JellyBean]'
expect 0 inspect a.jbw
says out 'a.jbw: snapshot'
says out "hash           $hash"
says out 'time           35000'
says out 'agent 1'
expect 0 inspect walk
says out 'world file'
expect 2 inspect nowhere
for file in a.jbwr a.jbw walk; do
    expect 0 inspect "$file" --json
    check 'not JSON' python3 -m json.tool out json
done
says out '"kind": "world file"'

# pictures of saved worlds: drawn as they are, and the same from both files
expect 0 render a.jbw --region 0,0,200,100 --scale 1 --out a.png
expect 0 render a.jbwr --region 0,0,200,100 --scale 1 --out b.png
check 'different pictures' cmp -s a.png b.png
expect 0 render a.jbw --generate --region 0,0,2000,100 --scale 1 --out b.png
expect 2 render a.jbw --seed 3 --region 0,0,200,100 --out b.png
says err '--seed and --set are for world files'

# nothing is overwritten without --force, and one process at a time records into a file
expect 2 run scent --steps 10 --record a.jbwr
says err 'a.jbwr already exists; --force replaces it'
expect 2 run --load at.jbw --steps 10 --record a.jbwr
says err 'ends at time 35000, but the world is at time 12345'
expect 2 run scent --steps 10 --record x --save x
expect 2 run --load a.jbw --record a.jbw
expect 1 run scent --steps 10 --record missing/a.jbwr
expect 0 run scent --steps 10 --record a.jbwr --force
expect 0 replay a.jbwr --verify
says out 'time 0 to 10'
"$jbw" run walk --agent random --steps 1000000000000 --record busy.jbwr >out2 2>err2 </dev/null &
pid=$!
for _ in $(seq 100); do
    [ -e busy.jbwr ] && break
    sleep 0.1
done
expect 1 run walk --steps 10 --record busy.jbwr --force
says err 'is being written by another recorder'
kill -INT "$pid"
wait "$pid"
expect 0 replay busy.jbwr --verify

# after a kill, everything up to then can be replayed
for delay in 0.2 0.4 0.6; do
    rm -f k.jbwr k.jbw
    "$jbw" run walk --agent random --steps 1000000000000 --record k.jbwr --save k.jbw \
        --save-every 1000 >out 2>err </dev/null &
    pid=$!
    for _ in $(seq 100); do
        [ -e k.jbw ] && break
        sleep 0.1
    done
    sleep "$delay"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    expect 0 replay k.jbwr --verify
    expect 0 run --load k.jbw --steps 10
done

# an incomplete end is dropped, damage is found
expect 0 run scent --steps 30000 --record t.jbwr
hash=$(hash_of)
head -c $(($(stat -c %s t.jbwr) - 7)) t.jbwr >torn.jbwr
expect 0 replay torn.jbwr --verify
says out 'are incomplete'
expect 0 inspect torn.jbwr
check 'no bytes are torn' [ "$(awk '$1 == "torn_bytes" {print $2}' out)" -gt 0 ]
cp t.jbwr bad.jbwr
printf 'rubbish' | dd of=bad.jbwr bs=1 seek=30 conv=notrunc 2>/dev/null
expect 2 replay bad.jbwr
says err 'contains no complete snapshot'
size=$(stat -c %s t.jbwr)
cp t.jbwr bad.jbwr
printf 'rubbish' | dd of=bad.jbwr bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
"$jbw" replay bad.jbwr --verify >out 2>err
case_name='a damaged log'
check 'goes unnoticed' [ "$(hash_of)" != "$hash" ]

# a full disk: recording stops, and the run reports it and continues
case_name='a full disk'
(
    ulimit -f 4
    exec "$jbw" run walk --agent random --steps 100000 --record full.jbwr >out 2>err
)
check 'exit code' [ $? = 1 ]
says err 'recording stopped before time'
says err 'full.jbwr: cannot be written: File too large'
says out 'steps          100000'
says out 'recorded       full.jbwr, incomplete'
expect 0 replay full.jbwr --verify
says out 'verified'

finish
