#!/bin/sh
# Counts instructions.
#   bench/icount.sh > bench/record/icount.txt    makes the record
#   bench/icount.sh check                        fails where a count is more than 3 % above the record, or not in it
# Needs valgrind and `cargo install --locked --version 0.16.1 iai-callgrind-runner`. Counts repeat exactly on one compiler
# and C library; the record names the compiler, and counts of another are shown and not judged.
set -eu
cd "$(dirname "$0")/.."
record=bench/record/icount.txt

count() {
    out=$(cargo bench -p seidel-bench --locked --bench icount)
    printf '# %s\n' "$(rustc --version)"
    printf '# name constraints colors lanes threads hash; then: benchmark instructions\n'
    printf '%s\n' "$out" | awk '
        NF == 6 && length($6) == 16 && $5 == 1 { print }
        /^icount::/ { name = $1 " " $2; sub(/^.*::/, "", name); sub(/:.*$/, "", name) }
        $1 == "Instructions:" { split($2, count, "|"); print name, count[1] }'
}

[ "${1:-}" = check ] || { count; exit; }
now=$(mktemp)
trap 'rm -f "$now"' EXIT
count > "$now"
awk '
    FNR == 1 { same = NR == 1 || $0 == compiler; compiler = $0; next }
    NF != 3 || $3 !~ /^[0-9]+$/ { next }
    NR == FNR { recorded[$1 " " $2] = $3; next }
    {
        name = $1 " " $2
        if (!(name in recorded)) { print name ": " $3 " instructions, and nothing recorded"; bad += 1; next }
        grown = 100 * ($3 / recorded[name] - 1)
        printf "%-24s %10d instructions, recorded %10d: %+.2f %%\n", name, $3, recorded[name], grown
        if (grown > 3) bad += 1
        seen += 1
    }
    END {
        if (seen == 0 && bad == 0) { print "nothing was counted"; exit 1 }
        if (!same) { print "recorded with another compiler: not judged"; exit 0 }
        if (bad > 0) {
            print bad " counts have grown by more than 3 % or are not recorded: find out why, or record them again in the same commit:"
            print "    bench/icount.sh > bench/record/icount.txt"
            exit 1
        }
    }' "$record" "$now"
