#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw render: pictures and errors.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

# the size of a picture, from its header
size_of() {
    od -An -tu1 -j16 -N8 "$1" | awk '{print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4,
                                            $5 * 16777216 + $6 * 65536 + $7 * 256 + $8}'
}

expect 0 render scent --region -40,-40,90,80 --out a.png --seed 7 --scale 2
is_empty out
is_empty err
check "size is $(size_of a.png)" [ "$(size_of a.png)" = '180 160' ]
expect 0 render scent --region=-40,-40,90,80 --out=b.png --seed=7 --scale=2
check 'not reproducible' cmp -s a.png b.png
expect 0 render scent --region -40,-40,90,80 --out b.png --seed 8 --scale 2
check 'same picture for another seed' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render scent --region -40,-40,90,80 --out b.png --seed 7 --scale 2 --grid
check 'the grid is missing' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render scent --region -40,-40,90,80 --out b.png --seed 7 --scale 2 --no-generate
check 'patches were generated' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render scent --region 0,0,10,10 --out c.png
check "size is $(size_of c.png)" [ "$(size_of c.png)" = '240 240' ] # with icons, as there is room
expect 0 render scent --region 0,0,10,10 --legend --out b.png
check "size is $(size_of b.png)" [ "$(size_of b.png | cut -d' ' -f1)" = 240 ]
check 'the legend is missing' [ "$(size_of b.png | cut -d' ' -f2)" -gt 255 ]

# what the agent of a snapshot or a recording sees, and a time in a recording
expect 0 run paper-code --steps 300 --record r.jbwr --save s.jbw
expect 0 render r.jbwr --out b.png
check "size is $(size_of b.png)" [ "$(size_of b.png | cut -d' ' -f1)" -gt 1200 ]
expect 0 render s.jbw --out a.png
check 'the reward is missing' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render r.jbwr --time 100 --out a.png
check 'the time changes nothing' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render r.jbwr --plain --out a.png
check "size is $(size_of a.png)" [ "$(size_of a.png)" = '943 713' ]
expect 0 render r.jbwr --plain --region 0,0,10,10 --scale 3 --out a.png
check "size is $(size_of a.png)" [ "$(size_of a.png)" = '30 30' ]
expect 2 render r.jbwr --agent 2 --out a.png
says err '--agent 2: there are 1 agents'
expect 2 render r.jbwr --time 301 --out a.png
expect 2 render r.jbwr --reward 'Collect[Nothing]' --out a.png
says err 'reward:1:9: '
expect 2 render s.jbw --time 100 --out a.png
says err 'time 100 has passed: the world is at 300'
expect 2 render s.jbw --reward 'Collect[Onion]' --out a.png
says err '--reward is for recordings'
expect 2 render scent --region 0,0,9,9 --agent 1 --out a.png
says err '--agent: expected a snapshot or a recording'
rm -f r.jbwr s.jbw

# seasons: a year later all is as before, half a year later it is not, for worlds and for snapshots
map=(--region -20,-20,40,40 --scale 3)
expect 0 render seasons "${map[@]}" --out a.png
expect 0 render seasons "${map[@]}" --time 20000 --out b.png
check 'not as a year ago' cmp -s a.png b.png
expect 0 render seasons "${map[@]}" --time 10000 --out b.png
check 'no other season' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render seasons "${map[@]}" --time 12000 --generation invariant --out a.png
expect 0 run seasons --agent random --steps 10 --generation invariant --save s.jbw
expect 0 render s.jbw "${map[@]}" --plain --time 12000 --out b.png
expect 0 render s.jbw "${map[@]}" --plain --time 52000 --out c.png
check 'not as two years before' cmp -s b.png c.png
rm -f s.jbw

# what was collected is back later
grow=(--set 'items.JellyBean.regrows=Constant[300]' --generation invariant)
expect 0 run paper-code --steps 400 "${grow[@]}" --save s.jbw
expect 0 render s.jbw --plain --region -60,-60,120,120 --scale 2 --out a.png
expect 0 render s.jbw --plain --region -60,-60,120,120 --scale 2 --time 700 --out b.png
check 'nothing grew back' [ "$(cksum <a.png)" != "$(cksum <b.png)" ]
expect 0 render s.jbw --plain --region -60,-60,120,120 --scale 2 --time 9000 --out c.png
check 'not everything was back' cmp -s b.png c.png
rm -f s.jbw

# with several threads
for threads in 0 2; do
    expect 0 render scent --generation invariant --region -99,0,300,300 --scale 1 \
        --generation-threads "$threads" --out "$threads.png"
done
check 'the result depends on threads' cmp -s 0.png 2.png
rm -f 0.png 2.png

# at the edge of the world
expect 0 render walk --region 1152921504606846900,-5,20,20 --out far.png
rm -f a.png b.png c.png far.png

expect 2 render scent --region 0,0,0,5 --out d.png
says err 'the region is 0 x 5 cells'
expect 2 render scent --region 0,0,100000,100000 --out d.png
says err 'is too large'
expect 2 render scent --region 0,0,10,10 --scale 0 --out d.png
says err 'the scale is 0, expected at least 1'
expect 2 render scent --region 1152921504606846970,0,10,10 --out d.png
says err 'too far from the origin'
expect 2 render nowhere.yaml --region 0,0,5,5 --out d.png
says err 'nowhere.yaml: error: no such file'
expect 2 render scent --set patch_size=zero --region 0,0,5,5 --out d.png
says err '--set patch_size: error:'
expect 1 render scent --region 0,0,5,5 --out missing/d.png
says err 'missing or not writable'
expect 1 render scent --region 0,0,5,5 --out /dev/full
says err 'No space left on device'

# this needs 7 GiB
case_name='too little memory'
if (ulimit -v 4000000 && exec "$jbw" --help >out 2>err); then
    (
        ulimit -v 4000000
        exec "$jbw" render scent --set patch_size=3 --set agent.vision_range=0 --set items={} \
            --region 0,0,16000,16000 --scale 1 --out d.png >out 2>err
    )
    check 'exit code' [ $? = 1 ]
    says err 'a region of 16000 x 16000 cells does not fit into memory'
else
    echo "$case_name: skipped, the address sanitizer does not run within a limit of memory"
fi

rm -f out err
check 'files are left over' [ -z "$(ls -A)" ]
finish
