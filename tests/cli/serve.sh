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

# lives STEPS ARGUMENTS...: serves until so many steps were taken; leaves what was said in `out`, and sets `time`
# and `hash` to those of the end
lives() {
    local steps=$1
    shift
    case_name="jbw serve $*"
    : >out
    "$jbw" serve "$@" --listen 127.0.0.1:0 >out 2>serve_err &
    server=$!
    for _ in $(seq 600); do
        port=$(sed -n 's/^ready: .*:\([0-9]*\)\/.*/\1/p' out)
        if [[ -n $port ]]; then
            answers /metrics 'jbw_steps_total'
            (($(sed -n 's/^jbw_steps_total \([0-9]*\).*/\1/p' page) < steps)) || break
        fi
        sleep 0.1
    done
    ends TERM
    time=$(sed -n 's/^stopped at time \([0-9]*\),.*/\1/p' out)
    hash=$(sed -n 's/^stopped .* hash \(.*\)/\1/p' out)
    check "$time steps" [ "$time" -ge "$steps" ]
}

# hash_of ARGUMENTS...: that of a run
hash_of() { "$jbw" run "$@" | awk '$1 == "hash" {print $2}'; }

# how to bring an agent
lives 0 scent
says out 'the world waits for agents: --agent greedy puts one in'
lives 0 scent --tokens tokens
says out 'a program with a token brings one'

# an agent of the server lives as that of `jbw run`, also after a stop, and its life can be replayed
lives 100 scent --agent greedy --rate max --autosave life --record life.rec
says out 'agents: greedy; as fast as they can'
check "hash $hash" [ "$hash" = "$(hash_of scent --agent greedy --steps "$time")" ]
expect 0 replay life.rec --verify
before=$time
lives 100 scent --agent greedy --rate max --autosave life --resume
check "resumed at $before, stopped at $time" [ "$time" -ge $((before + 100)) ]
check "hash $hash" [ "$hash" = "$(hash_of scent --agent greedy --steps "$time")" ]

# a learner, which also needs its rewards
small=(--agent-set lstm=16 --agent-set rows=16 --agent-set epochs=2 --reward 'Explore[1]')
lives 40 scent --agent ppo "${small[@]}" --rate max --autosave learner
check "hash $hash" [ "$hash" = "$(hash_of scent --agent ppo "${small[@]}" --steps "$time")" ]
lives 40 learner --rate max
check "hash $hash" [ "$hash" = "$(hash_of scent --agent ppo "${small[@]}" --steps "$time")" ]

# the agent of a saved run goes on, and others join it
expect 0 run scent --agent greedy --steps 70 --save run.jbw
lives 100 run.jbw --agent greedy --rate max
check "hash $hash" [ "$hash" = "$(hash_of scent --agent greedy --steps "$time")" ]
lives 5 life --agent greedy --agent random --autosave both
says out 'agents: greedy, random; at most 20 steps per second'
lives 0 both
says out 'agents: greedy, random;'
expect 2 serve both --agent random
says err 'the world has the agents greedy, random already'

expect 2 serve scent --agent gredy
says err "unknown policy 'gredy', did you mean 'greedy'?"
expect 2 serve scent --agent greedy --agent ppo --agent-set lstn=3
says err "no new agent has a setting 'lstn'"
expect 2 serve scent --agent ppo --agent-set lstm=none
expect 2 serve scent --agent-set lstm=3
expect 2 serve scent --agent greedy --reward 'Collect[Bean]'
says err '--reward:1:'

# a port in use is a failure, not bad input
serve_until_ready walk
expect 1 serve walk --listen "127.0.0.1:$port"
says err 'cannot listen'
ends TERM
finish
