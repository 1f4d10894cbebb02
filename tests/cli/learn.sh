#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw run --agent ppo: settings, saving, resuming, recording, learning again.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

weights_of() { awk '$1 == "weights" {sub(",", "", $2); print $2}' out; }

small=(--agent ppo --agent-set lstm=16 --agent-set rows=16 --agent-set epochs=2)

# a life in one piece, and the same with a stop in the middle of a rollout, recorded
expect 0 run paper-code "${small[@]}" --steps 120 --seed 3 --csv whole.csv --window 20 --every 5
says out 'after 7 updates, learner version 1'
weights=$(weights_of)
expect 0 run paper-code "${small[@]}" --steps 55 --seed 3 --csv parts.csv --window 20 --every 5 \
    --save life.jbw --record life.jbwr
expect 0 run --load life.jbw --steps 65 --csv parts.csv --save life.jbw --record life.jbwr
check "weights $(weights_of), expected $weights" [ "$(weights_of)" = "$weights" ]
check 'rows differ' cmp whole.csv parts.csv

# on several threads: the same life, and the same file
expect 0 run paper-code "${small[@]}" --steps 55 --seed 3 --window 20 --every 5 --save one.jbw
expect 0 run paper-code "${small[@]}" --agent-set threads=2 --steps 55 --seed 3 --window 20 --every 5 --save two.jbw
check 'saved lives differ' cmp one.jbw two.jbw
expect 0 run --load two.jbw --agent-set threads=3 --steps 65
check "weights $(weights_of), expected $weights" [ "$(weights_of)" = "$weights" ]
expect 0 inspect two.jbw
check 'threads are saved' [ "$(grep -c threads out)" = 0 ]

# learnt again
expect 0 replay life.jbwr --verify
expect 0 replay life.jbwr --relearn
says out '120 are those recorded'
says out '2 recorded hashes of weights agree'
check "weights $(weights_of), expected $weights" [ "$(weights_of)" = "$weights" ]
expect 0 replay life.jbwr --relearn --to 50
says out '50 are those recorded'
expect 2 replay life.jbwr --relearn --verify

# a recording that begins in the middle of a life holds what was learnt before
expect 0 run --load life.jbw --steps 40 --record late.jbwr
weights=$(weights_of)
expect 0 replay late.jbwr --relearn
check "weights $(weights_of), expected $weights" [ "$(weights_of)" = "$weights" ]

# somebody else's actions are found out
expect 0 run --load life.jbw --agent random --steps 40 --record life.jbwr
expect 1 replay life.jbwr --relearn
says err 'the policy takes action'

# a snapshot of the recording has the settings of the life
expect 0 replay late.jbwr --to 130 --save then.jbw
expect 0 run --load then.jbw --steps 1
says out 'ppo in paper-code'
expect 0 inspect then.jbw
says out 'lstm=16'
expect 0 run --load then.jbw --agent-set threads=2 --steps 1 --save then.jbw
expect 0 inspect then.jbw
says out 'lstm=16'

# mistakes
expect 2 run paper-code --agent ppo --agent-set learning_rat=1
says err "unknown setting 'learning_rat', did you mean 'learning_rate'?"
expect 2 run paper-code --agent ppo --agent-set lstm=17
says err "lstm: found '17', expected a multiple of 16 from 16 to 4096"
expect 2 run paper-code --agent ppo --agent-set lstm
expect 2 run paper-code --agent-set lstm=16
says err "the policy 'greedy' has no settings"
expect 2 run paper-code --agent ppo --agent-set threads=0
says err "threads: found '0', expected an integer from 1 to 64"
expect 2 run --load life.jbw --agent-set threads=0
says err "threads: found '0', expected an integer from 1 to 64"
expect 2 run --load life.jbw --agent-set threads=2 --agent-set lstm=16
says err 'holds an agent with settings of its own'
expect 2 run --load life.jbw --agent-set lstm=16
says err 'holds an agent with settings of its own'
expect 2 run paper-code --set agent.vision_range=1 --agent ppo
says err 'needs a vision_range of at least 2, or senses=scent'
