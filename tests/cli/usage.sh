#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# Help, versions, and wrong command lines.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

expect 0 --help
says out 'usage: jbw VERB'
says out 'render'
is_empty err
expect 0 help
expect 0 --version
says out "jbw $(sed -n 's/.*VERSION_MAJOR //p' "$source_dir/include/jbw/base.h")."
# every verb that the help lists
"$jbw" --help >"$folder/help"
for verb in $(sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$folder/help"); do
    expect 0 "$verb" --help
    says out "usage: jbw $verb"
    is_empty err
done

expect 2
says err 'usage: jbw VERB'
is_empty out
expect 2 rendr
says err "unknown verb 'rendr', did you mean 'render'?"
expect 2 fly
says err "unknown verb 'fly'"

expect 2 play
says err 'jbw play: it is part of the Python package'

expect 2 check
says err 'jbw check: expected WORLD'
expect 2 check paper scent
says err "unexpected argument 'scent'"
expect 2 check paper --sett a=b
says err "unknown option '--sett', did you mean '--set'?; see jbw check --help"
expect 2 check paper --set
says err '--set needs a value'
expect 2 check paper --set agent
says err "--set: found 'agent', expected KEY=VALUE"
expect 2 check -- --set
says err '--set: error: no such file'

expect 2 render paper
says err 'expected --region X,Y,W,H'
expect 2 render paper --region 0,0,5,5
says err 'expected --out F.png'
expect 2 render paper --region 0,0,5 --out x.png
says err "--region: found '0,0,5', expected four integers X,Y,W,H"
expect 2 render paper --region 0,0,5,5,5 --out x.png
expect 2 render paper --region 0,0,5,a --out x.png
expect 2 render paper --region 0,0,5,5 --out x.png --seed -1
says err "--seed: found '-1', expected an integer from 0 to 2^64 - 1"
expect 2 render paper --region 0,0,5,5 --out x.png --seed 18446744073709551616
expect 2 render paper --region 0,0,5,5 --out x.png --scale=big
says err "--scale: found 'big', expected an integer"
expect 2 render paper --region 0,0,5,5 --out x.png --grid=yes
says err '--grid takes no value'

expect 0 worlds
says out 'paper-code'
expect 0 worlds walk
check 'differs from the file' cmp -s out "$source_dir/worlds/walk.yaml"
expect 2 worlds nowhere
says err "no shipped world 'nowhere'"

# output that cannot be written is a failure
case_name='jbw worlds >/dev/full'
"$jbw" worlds >/dev/full 2>err
check 'should exit with 1' [ $? = 1 ]
says err 'cannot be written'

finish
