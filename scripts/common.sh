# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# What the scripts share; sourced, never run. Leaves the shell in the root of the repository.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
if [[ -z ${CMAKE_GENERATOR:-} ]] && command -v ninja >/dev/null; then
    export CMAKE_GENERATOR=Ninja
fi

# quietly PROGRAM...: what it had to say is shown only if it failed
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [[ $status == 0 ]] || cat "$log"
    rm -f "$log"
    return "$status"
}

# stage NAME COMMAND...: says what happens and how long it took. The first failure ends all.
stage_table=
stage() {
    local begin=$SECONDS
    stage_name=$1
    shift
    echo "== $stage_name"
    "$@"
    stage_table+=$(printf '%-40s %6d s' "$stage_name" $((SECONDS - begin)))$'\n'
    stage_name=
}

# the last words, whatever happened
finish() {
    local status=$?
    printf '\n%s%-40s %6d s\n' "$stage_table" total "$SECONDS"
    if [[ $status != 0 ]]; then
        echo "FAILED: ${stage_name:-$0}"
    fi
    [[ $(type -t last_line) != function ]] || last_line
}
trap finish EXIT
