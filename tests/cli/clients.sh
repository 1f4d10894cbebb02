#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# The example clients in C and JavaScript, connected to a server: clients.sh JBW CLIENT SCRIPT
set -euo pipefail
jbw=$1
client=$2
script=$3

folder=$(mktemp -d)
server=
stop() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap stop EXIT

secret=a-secret-for-the-examples
echo "example $secret act 4" >"$folder/tokens"
chmod 600 "$folder/tokens"
"$jbw" serve scent --seed 7 --listen 127.0.0.1:0 --tokens "$folder/tokens" >"$folder/out" &
server=$!
for _ in {1..300}; do
    grep -q '127.0.0.1:' "$folder/out" && break
    sleep 0.1
done
address=$(grep -o '127\.0\.0\.1:[0-9]*' "$folder/out" | head -n 1)

expect() { # TEXT COMMAND...: the output of the command contains the text
    local text=$1 output
    shift
    output=$("$@" 2>&1) || { echo "$* failed: $output"; exit 1; }
    [[ $output == *"$text"* ]] || { echo "$*: expected '$text' in: $output"; exit 1; }
}

expect 'time 300' "$client" "ws://$address" "$secret" 300
if "$client" "ws://$address" a-wrong-secret-indeed 1 2>/dev/null; then
    echo "a wrong token was accepted"
    exit 1
fi

# Node has WebSocket since version 22, and behind a flag since 20.10
flag=
if ! command -v node >/dev/null; then
    echo "the JavaScript client was skipped: Node is missing"
elif ! node -e 'process.exit(typeof WebSocket === "function" ? 0 : 1)' &&
    ! { flag=--experimental-websocket && node $flag -e 0 2>/dev/null; }; then
    echo "the JavaScript client was skipped: this Node has no WebSocket"
else
    expect 'after 100 steps' node $flag "$script" "ws://$address" "$secret" 100
    # the C client counts the steps of both
    expect 'time 450' "$client" "ws://$address" "$secret" 50
fi

kill "$server"
wait "$server"
server=
echo "the clients work"
