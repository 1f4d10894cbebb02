#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw view and jbw movie: output and errors.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

expect 0 run scent --steps 300 --seed 5 --record a.jbwr --save a.jbw

for verb in view movie; do
    expect 0 "$verb" --help
    says out "usage: jbw $verb"
done

# recordings and snapshots are shown until an interrupt
for file in a.jbwr a.jbw; do
    rm -f out # of the previous file
    "$jbw" view "$file" --listen 127.0.0.1:0 --json >out 2>err &
    pid=$!
    for _ in $(seq 200); do
        grep -qs port out && break
        sleep 0.1
    done
    case_name="jbw view $file"
    says out '"port": '
    kill -INT "$pid"
    wait "$pid"
    code=$?
    check "exit code $code" [ "$code" = 0 ]
done

expect 2 view paper
says err 'expected a recording or a snapshot'
expect 2 view a.jbw --listen 127.0.0.1:a
says err '--listen: expected HOST:PORT'
expect 2 view a.jbw --rate -3
says err '--rate: expected'
for file in a.jbw a.jbwr; do
    expect 2 view "$file" --listen 127.0.0.1:0 --reward 'Collect[Nothing]'
    says err 'reward:1:9: '
done
head -c 100 a.jbw >torn.jbw
expect 2 view torn.jbw --listen 127.0.0.1:0

expect 2 movie a.jbwr
says err 'expected --out F.mp4 or F.gif'
expect 2 movie a.jbwr --out a.avi
says err 'ends in .mp4 or .gif'
expect 2 movie a.jbw --out a.mp4
says err 'a.jbw is no recording: expected --region X,Y,W,H'
expect 2 movie a.jbwr --seed 7 --out a.mp4
says err '--seed and --set are for worlds'
expect 2 movie walk --region 0,0,9,9 --out a.mp4
says err 'walk has no seasons: expected --to T'
expect 2 movie seasons --region 0,0,9,9 --from 9 --to 3 --out a.mp4
says err '--to: expected a time after --from'
expect 2 movie a.jbw --region 0,0,9,9 --from 3 --to 400 --out a.mp4
says err 'time 3 has passed: the world is at 300'
expect 2 movie a.jbwr --out a.mp4 --from 301
says err 'the film begins at time 301, but ends at 300'
expect 2 movie a.jbwr --out a.mp4 --scale 0
says err 'the scale is 0'
PATH=/nowhere "$jbw" movie a.jbwr --out a.mp4 >out 2>err
code=$?
case_name='jbw movie without ffmpeg'
check "exit code $code" [ "$code" = 1 ]
says err 'ffmpeg not found'
if command -v ffmpeg >/dev/null; then
    expect 0 movie a.jbwr --out a.gif --every 50 --width 20 --height 10 --scale 3
    check 'no video' [ "$(head -c 6 a.gif)" = GIF89a ]
    expect 0 movie a.jbwr --out a.mp4 --every 50 --region 0,0,21,11 --scale 3
    check 'no video' [ -s a.mp4 ]
    expect 0 movie a.jbwr --out a.gif --every 50 --plain --trail 0 --scale 3
    expect 0 movie seasons --region -10,-10,20,20 --every 4000 --scale 3 --out year.gif
    expect 0 movie a.jbw --region 0,0,20,20 --to 310 --scale 3 --plain --out a.gif
    expect 2 movie a.jbwr --out b.gif --reward 'Collect[Nothing]'
    says err 'reward:1:9: '
    expect 2 movie a.jbwr --out b.gif --trail -1
    says err '--trail: expected 0 or more'
    expect 1 movie a.jbwr --out /nowhere/a.gif --every 100 --width 20 --height 10
    says err 'ffmpeg'
fi

finish
