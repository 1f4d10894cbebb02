#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw check: summaries of valid worlds, every problem of faulty ones.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

for world in biomes nonstationary orchard paper paper-code scent seasons village walk workshop; do
    expect 0 check "$world"
    says out "$world is a valid world."
    is_empty err
    expect 0 check "$source_dir/worlds/$world.yaml"
done

expect 0 check paper
says out '64 x 64 cells, 10000 proposals each'
says out '0 MoveForward, 1 TurnLeft, 2 TurnRight'
says out 'Wall, blocks movement'
check 'reach of a cross' grep -q 'Wall  *Cross\[20, 40, 8, -1000, -1000, -1\]  *reach 40' out
check 'reach of a box' grep -q 'JellyBean  *PiecewiseBox\[10, 100, 0, -6\]  *reach 9' out

expect 0 check paper --set agent.field_of_view=90 --set=items.Onion.intensity=Constant[-3] \
    --set 'agent.color=[0,0,1]'
says out 'field of view 90 degrees'
says out 'Constant[-3]'

expect 0 check paper --set 'items.Onion.season={period: 100000, from: 50000, to: 1000}'
says out 'Onion is in season from step 50,000 to 1,000 of every 100,000'

expect 0 check paper --set \
    'items.Onion.intensity=Constant[-3] + Noise[200, 2, -1.5, 3]+Biome[300,0,(0.25,never), (0.75, -2)]'
says out 'noise about 200 cells wide, layer 2: from -1.5 to 3'
says out 'biomes about 300 cells wide, layer 0: 25 % never, 75 % -2'

expect 0 check paper --set 'items.JellyBean.regrows=Uniform[100, 9000]' \
    --set 'items.Banana.regrows=Geometric[500]' --set 'items.Onion.regrows=Constant[1]'
says out 'JellyBean grows back after 100 to 9,000 steps'
says out 'Banana grows back after a random number of steps, on average 500'
says out 'Onion grows back after 1 step'

# bodies and tools
expect 0 check paper --set 'bodies={Snail: {vision_range: 1, visual_occlusion: true, actions: [TurnLeft]}}' \
    --set 'agent.tools={Banana: {vision_range: 14, field_of_view: 40}, Onion: {visual_occlusion: false}}'
says out 'who carries Banana: sees 14 cells far, field of view 40 degrees'
says out 'who carries Onion: occlusion off'
says out 'Snail, a body'
says out 'sees 1 cell far, occlusion on'
says out 'cannot       0 MoveForward, 2 TurnRight'

expect 0 check seasons --reward 'Collect[JellyBean, Square[4e5, 1, -1]] & Avoid[Onion, 0.5] &
    Collect[Banana, Wave[1e5, 0, 2]] & Collect[Tree, Steps[(0, 1), (7000, 2)]] & Explore'
says out 'JellyBean is in season from step 0 to 8,000 of every 20,000'
says out 'collecting JellyBean pays 1, from step 200,000 -1, from step 400,000 1, from step 600,000 -1, and so on'
says out 'collecting Onion always pays -0.5'
says out 'collecting Banana pays between 0 and 2, changing all the time'
says out 'collecting Tree pays 1, from step 7,000 2'
check 'a wall pays nothing' [ "$(grep -c 'collecting' out)" = 4 ]
expect 2 check paper --reward 'Collect[Onion, 1'
says err '--reward:1:'

expect 0 check paper --set 'agent.voice={symbols: 4, range: 6}' --set items.Onion.text=true
says out '  voice          4 symbols, heard up to 6 cells away'
says out '  Onion, may carry a text'
expect 2 check paper --set 'agent.voice={symbols: 4, range: 65}'
says err 'found 65, expected 1 to 64: a voice reaches at most as far as a patch'

expect 2 check paper --set agent.field_of_view=900
says err '--set agent.field_of_view: error: found 900, expected an angle'
is_empty out
expect 2 check paper --set items.Onion.intensity=Constant[x]
says err "--set items.Onion.intensity:1:10: error: found 'x', expected a number"
expect 2 check papper
says err "papper: error: no such file or shipped world, did you mean 'paper'?"
expect 2 check .
says err '.: error: cannot be read: Is a directory'

# exactly the messages listed beside each faulty file
cp "$source_dir"/tests/faulty/*.{yaml,json} .
for file in *.yaml *.json; do
    expect 2 check "$file"
    is_empty out
    check 'different messages' cmp err "$source_dir/tests/faulty/${file%.*}.txt"
done

# a folder with the name of a shipped world does not hide it; a path is always a path
mkdir paper
expect 0 check paper
expect 2 check ./paper
finish
