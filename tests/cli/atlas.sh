#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw atlas build, info, verify and prune, and --atlas of other verbs.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"
unset JBW_ATLAS

# help, and bad usage
expect 0 atlas --help
says out 'jbw atlas build WORLD'
expect 0 atlas build --help
says out '--seeds'
expect 2 atlas
expect 2 atlas sing
expect 2 atlas info
says err 'Name it with --atlas DIR, or set JBW_ATLAS'
expect 2 atlas build scent --atlas a
says err '--region'
for seeds in x 3-2 -1 1- '' 18446744073709551616; do
    expect 2 atlas build scent --region 0,0,9,9 --seeds "$seeds" --atlas a
    says err '--seeds'
done
expect 2 atlas build scent --region 0,0,9,9 --threads 0 --atlas a
expect 2 atlas build scent --region 0,0,9000000000000000000,9 --atlas a
expect 1 atlas build scent --region 0,0,9,9 --atlas none/below
says err 'none/below'
expect 1 atlas info --atlas none

# build: what is there is not made again
build=(atlas build scent --seeds 1-2 --region -100,-40,200,80 --atlas a)
expect 0 "${build[@]}" --threads 2
says out '64 patches: 64 made, 0 found'
expect 0 "${build[@]}"
says out '64 patches: 0 made, 64 found'
expect 0 atlas info --atlas a
says out 'items        JellyBean, Banana, Onion'
says out 'seeds        2, from 1 to 2'
says out 'patches      64, '
JBW_ATLAS=a expect 0 atlas verify --sample 3
says out '64 patches can be read'
says out '3 were made again: 0 are wrong'

# a run, with and without: the same, and the atlas grows
run=(run scent --generation invariant --seed 1 --steps 300)
hash_of() { grep -o 'hash .*' out; }
expect 0 "${run[@]}"
without=$(hash_of)
expect 0 "${run[@]}" --atlas b
check 'another hash with an empty atlas' [ "$(hash_of)" = "$without" ]
expect 0 "${run[@]}" --atlas b --atlas-read-only
check 'another hash with a full atlas' [ "$(hash_of)" = "$without" ]
JBW_ATLAS=b expect 0 "${run[@]}" --generation-threads 2
check 'another hash with the variable' [ "$(hash_of)" = "$without" ]
expect 0 atlas info --atlas b
says out '1 worlds'
expect 0 "${run[@]}" --atlas b --save s.jbw
expect 0 run --load s.jbw --steps 10 --atlas b
if "$jbw" render --help | grep -q PNG; then
    expect 0 render scent --generation invariant --seed 1 --region -90,-30,100,60 --out with.png --atlas a
    expect 0 render scent --generation invariant --seed 1 --region -90,-30,100,60 --out without.png
    check 'another picture' cmp -s with.png without.png
fi

# only invariant worlds; the variable is for those that can
expect 2 run scent --steps 10 --atlas b
says err 'generation: invariant'
JBW_ATLAS=b expect 0 run scent --steps 10
touch file
expect 1 "${run[@]}" --atlas file
says err 'not a folder'

# the walk of the benchmark, twice
expect 0 bench straight --world scent --steps 400 --atlas c
check 'patches missing the second time' grep -Eq '^ +second_walk_patches_added +0$' out

# damage is noticed, and does no harm
expect 0 atlas prune --limit 1 --atlas a
says out 'dropped 0 files'
tile=$(find a -name '*.tile' | head -n 1)
printf 'x' | dd of="$tile" bs=1 seek=2200 conv=notrunc status=none
expect 0 atlas verify --sample 2 --atlas a
expect 0 atlas info --atlas a
printf 'x' | dd of="$tile" bs=1 seek=3 conv=notrunc status=none
expect 0 atlas info --atlas a
says out 'damaged: 1'
expect 0 atlas verify --sample 2 --atlas a
says out '1 files are damaged'
expect 0 atlas prune --limit 0 --atlas a
says out '0 files, 0.0 MB are left'

# an interrupted build goes on where it was
"$jbw" atlas build nonstationary --region 0,0,4000,4000 --atlas d >out 2>err &
builder=$!
sleep 1
kill -INT "$builder"
wait "$builder"
check 'not interrupted' [ $? = 1 ]
case_name='interrupted build'
says err 'run it again to go on'

finish
