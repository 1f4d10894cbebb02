#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# Shared by the tests of the tool. They are called as `NAME.sh PATH_OF_JBW` and run in a temporary folder.
set -uo pipefail

jbw=$(realpath "$1")
source_dir=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

# expect CODE ARGUMENTS...: runs the tool; leaves its output in the files `out` and `err`
expect() {
    local code=$1 found
    shift
    "$jbw" "$@" >out 2>err </dev/null
    found=$?
    case_name="jbw $*"
    if [ "$found" != "$code" ]; then
        echo "$case_name: exit code $found, expected $code"
        cat out err
        failures=$((failures + 1))
    fi
}

# says FILE TEXT: the file contains the text
says() {
    if ! grep -qF -- "$2" "$1"; then
        echo "$case_name: std$1 does not say: $2"
        cat "$1"
        failures=$((failures + 1))
    fi
}

# is_empty FILE
is_empty() {
    if [ -s "$1" ]; then
        echo "$case_name: std$1 should be empty"
        cat "$1"
        failures=$((failures + 1))
    fi
}

# check NAME COMMAND...: the command succeeds
check() {
    local name=$1
    shift
    if ! "$@"; then
        echo "$case_name: $name"
        failures=$((failures + 1))
    fi
}

finish() {
    [ "$failures" = 0 ] || echo "$failures failures"
    exit $((failures > 0))
}
