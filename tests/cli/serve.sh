#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw serve: starts, answers, saves on exit, and resumes.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

expect 0 serve --help
says out 'usage: jbw serve'
expect 2 serve
expect 2 serve paper-code --listen here:there
says err 'expected HOST:PORT'
expect 2 serve paper-code --listen 127.0.0.1:0 --reward 'Collect['
says err 'reward:1:9: '
expect 2 serve paper-code --rate fast
expect 2 serve paper-code --deactivate
expect 2 serve paper-code --cert somewhere
expect 2 serve paper-code --every 5
expect 2 serve nowhere.yaml
printf 'ann short all\n' >tokens
expect 2 serve paper-code --tokens tokens
says err 'tokens:1: error:'

# serve_until_ready ARGUMENTS...: serves in the background; sets `server` and `port`
serve_until_ready() {
    rm -f ready # of the previous server
    "$jbw" serve "$@" --listen 127.0.0.1:0 --json >ready 2>serve_err &
    server=$!
    for _ in $(seq 300); do
        [[ -s ready ]] && break
        sleep 0.1
    done
    port=$(sed -n 's/.*"port": \([0-9]*\).*/\1/p' ready)
    [[ -n $port ]] || { cat serve_err; exit 1; }
}

# answers PATH TEXT: the answer of the server contains the text
answers() {
    case_name="GET $1"
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "$1" >&3
    cat <&3 >page
    exec 3>&-
    says page "$2"
}

# ends SIGNAL: the server exits with 0 after the signal
ends() {
    case_name="SIG$1"
    kill "-$1" "$server"
    check 'exit code' wait "$server"
}

printf 'ann a-long-secret all 3\n' >tokens
serve_until_ready walk --tokens tokens --autosave saved --seed 5
answers /healthz '"status": "ok"'
answers /metrics 'jbw_agents 0'
answers / '<html'
ends TERM
check 'saved' test -s saved
expect 0 inspect saved

serve_until_ready walk --autosave saved --resume --record recorded
answers /healthz '"time": 0'
ends INT
expect 0 replay recorded

# a port in use is a failure, not bad input
serve_until_ready walk
expect 1 serve walk --listen "127.0.0.1:$port"
says err 'cannot listen'
ends TERM
finish
