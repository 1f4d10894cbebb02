#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# jbw bench --csv and --compare, with a benchmark that takes milliseconds. No test looks at a time.
# shellcheck source=common.sh
source "$(dirname "$0")/common.sh"

walk=(bench memory --world walk --steps 200)

# a row per figure, and facts about the run
expect 0 "${walk[@]}" --csv a.csv
is_empty err
check 'no header' [ "$(head -n 1 a.csv)" = 'bench,world,setup,figure,value' ]
for fact in version compiler cpu cores date seed repeats steps; do
    check "no $fact" grep -q "^run,,,$fact,." a.csv
done
for figure in seconds patches bytes_per_patch scratch_bytes peak_process_bytes; do
    check "no $figure" grep -Eq "^memory,walk,steps=200,$figure,[0-9.e+-]+\$" a.csv
done
check 'missing or extra rows' [ "$(wc -l <a.csv)" = 14 ]

# the same work again: figures that do not depend on time are equal
expect 0 "${walk[@]}" --compare a.csv --csv b.csv
is_empty err
says out 'compared with a.csv'
check 'patches differ' grep -Eq '^    patches .* 1\.000$' out
check 'no summary' grep -Eq '^5 figures compared, [0-9] changed by more than 10 %$' out
check 'unmatched figures' [ "$(grep -c '^only in' out)" = 0 ]
check 'no figures in b.csv' grep -q '^memory,walk,steps=200,patches,' b.csv

# changes beyond the noise are marked
patches=$(awk -F, '$4 == "patches" {print $5}' a.csv)
awk -F, -v OFS=, '$4 == "patches" {$5 *= 2} {print}' a.csv >double.csv
expect 0 "${walk[@]}" --compare double.csv
check 'not marked' grep -Eq "^    patches +$((2 * patches)) -> $patches +0\\.500 \\*\$" out
expect 0 "${walk[@]}" --compare double.csv --noise 100
check 'marked' grep -Eq '^    patches .* 0\.500$' out
says out 'changed by more than 100 %'
awk -F, -v OFS=, '$4 == "patches" {$5 = 0} {print}' a.csv >zero.csv
expect 0 "${walk[@]}" --compare zero.csv
check 'not marked' grep -Eq "^    patches +0 -> $patches +- \\*\$" out

# figures in percent are compared by their difference
expect 0 bench save --world scent --repeats 1 --csv save.csv
awk -F, -v OFS=, '$4 == "clone_percent" {$5 -= 50} {print}' save.csv >percent.csv
expect 0 bench save --world scent --repeats 1 --compare percent.csv
check 'no difference in points' grep -Eq '^    clone_percent .* \+50\.0 points \*$' out

# figures that one side lacks are listed; benchmarks and worlds that were not run are not
grep -v ',patches,' a.csv >less.csv
printf 'memory,walk,steps=200,no_such_figure,1\nmemory,paper-code,steps=200,patches,1\n' >>less.csv
printf 'lifetime,walk,,ns,1\nmemory,walk,steps=300,patches,"1"\n' >>less.csv
expect 0 "${walk[@]}" --compare less.csv
says out 'only in the file:'
says out '    memory, walk, steps=200: no_such_figure'
says out '    memory, walk, steps=300: patches'
says out 'only in this run:'
says out '    memory, walk, steps=200: patches'
check 'another world is listed' [ "$(grep -c paper-code out)" = 0 ]
check 'another benchmark is listed' [ "$(grep -c lifetime out)" = 0 ]

# other settings are shown
expect 0 "${walk[@]}" --seed 2 --compare a.csv
says out '    seed: 1, now 2'

# JSON
expect 0 "${walk[@]}" --json --compare less.csv
check 'not JSON' python3 -c 'import json, sys
rows = [json.loads(line) for line in open("out")]
assert rows[0]["bench"] == "memory" and rows[0]["patches"] > 0
figures = {(row["setup"], row["figure"]): row for row in rows[1:]}
assert figures["steps=200", "scratch_bytes"]["ratio"] == 1
assert not figures["steps=200", "scratch_bytes"]["is_changed"]
assert "new" not in figures["steps=200", "no_such_figure"]
assert "old" not in figures["steps=200", "patches"]
assert len(figures) == 7'

# a file of --json serves as well; figures are told apart by their names, wherever they stand
expect 0 "${walk[@]}" --json
cp out a.json
python3 -c 'import json
row = json.load(open("a.json"))
assert row["setup"] == "steps=200" and row["steps"] == 200
json.dump(dict(reversed(row.items())), open("turned.json", "w"))'
for file in a.json turned.json; do
    expect 0 "${walk[@]}" --compare $file
    says out "compared with $file"
    check 'no summary' grep -Eq '^5 figures compared, [0-9] changed by more than 10 %$' out
    check 'no ratio' grep -Eq '^    scratch_bytes .* 1\.000$' out
    check 'a figure has no partner' [ "$(grep -c 'only in' out)" = 0 ]
    check 'facts that nobody knows' [ "$(grep -c ', now ' out)" = 0 ]
done
expect 0 "${walk[@]}" --json --compare a.json
cp out both.json
expect 0 "${walk[@]}" --compare both.json
check 'comparisons are taken for figures' grep -q '^5 figures compared' out

# bad files are found before anything is measured
rejects() { # FILE TEXT
    expect 2 "${walk[@]}" --compare "$1" --csv never.csv
    says err "$2"
    is_empty out
    check 'written all the same' [ ! -e never.csv ]
}
rejects missing.csv 'missing.csv: cannot be opened'
rejects . 'cannot be read'
rejects "$source_dir/worlds/walk.yaml" 'walk.yaml:1: error: not a file of jbw bench --csv or --json'
: >bad.csv
rejects bad.csv 'bad.csv:1: error: not a file of jbw bench --csv or --json'
head -n 1 a.csv >bad.csv
rejects bad.csv 'the file has no figures'
head -c -3 a.csv >bad.csv
rejects bad.csv 'bad.csv:14: error: expected the end of the row'
{ cat a.csv; echo 'memory,walk,more'; } >bad.csv
rejects bad.csv 'bad.csv:15: error: expected 5 columns'
{ cat a.csv; echo 'memory,walk,,more,1,2'; } >bad.csv
rejects bad.csv 'bad.csv:15: error: expected the end of the row'
{ cat a.csv; echo 'memory,walk,,more,much'; } >bad.csv
rejects bad.csv 'bad.csv:15: error: expected a number'
{ cat a.csv; tail -n 1 a.csv; } >bad.csv
rejects bad.csv 'bad.csv:15: error: the figure is repeated'
{ cat a.csv; echo 'memory,"walk'; } >bad.csv
rejects bad.csv 'bad.csv:15: error: a quote is not closed'
{ cat a.csv; printf 'memory,%0999d,,more,1\n' 0; } >bad.csv
rejects bad.csv 'bad.csv:15: error: a field is too long'
{ cat a.csv; printf 'memory,\0,,more,1\n'; } >bad.csv
rejects bad.csv 'contains a zero byte'
rejects_json() { # LINE TEXT
    printf '%s\n' "$1" >bad.json
    rejects bad.json "$2"
}
rejects_json '{"bench": "memory", "world": "walk", "patches": 1}' \
    'bad.json:1: error: expected a setup, which older versions do not write'
rejects_json '{"bench": "memory", "setup": "", "patches": 1}' 'expected an object of jbw bench'
rejects_json '{"bench": "memory", "world": "walk", "setup": "", "patches": "many"}' \
    'expected a number as value of a figure'
rejects_json '{"bench": "memory", "world": "walk", "setup": "", "patches": 1' 'the end of the object'
rejects_json '{"bench": "memory, "world": "walk"}' 'expected a comma or the end of the object'
rejects_json '{"bench": "memory' 'a text is not closed'
rejects_json '{"bench": "me\nmory"}' 'an escape that jbw bench does not write'
rejects_json '{"bench" "memory"}' 'expected a colon'
rejects_json '{"bench": }' 'expected a value'
rejects_json '{}' 'expected a text in quotes'
rejects_json '{"bench": "memory", "world": "walk", "setup": ""}' 'the file has no figures'
rejects_json '{"bench": "memory", "world": "walk", "setup": "", "p": 1} x' 'the end of the line'
rejects_json "{\"bench\": \"$(printf '%0999d' 0)\"}" 'a text is too long'
{ cat a.json; echo '[1]'; } >bad.json
rejects bad.json 'bad.json:2: error: expected an object'
cat a.json a.json >bad.json
rejects bad.json 'bad.json:2: error: the figure is repeated'
expect 2 bench nothing
says err "unknown benchmark 'nothing'"
expect 2 "${walk[@]}" --noise -1
expect 2 "${walk[@]}" --repeats 0

# files that cannot be written; what was there before stays
expect 1 "${walk[@]}" --csv no/such/folder/a.csv
is_empty out
expect 1 "${walk[@]}" --csv /dev/full
says err 'No space left on device'
cp a.csv before.csv
case_name='a full disk'
(
    trap '' XFSZ
    ulimit -f 0
    exec "$jbw" "${walk[@]}" --csv a.csv >/dev/null 2>/dev/full
)
check 'exit code' [ $? = 1 ]
check 'the old file is gone' cmp -s a.csv before.csv
check 'a temporary file is left' [ -z "$(find . -name '*.part')" ]

finish
