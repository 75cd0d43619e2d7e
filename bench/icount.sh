#!/bin/sh
# Counts instructions and writes the record: bench/icount.sh > bench/record/icount.txt
# Needs valgrind and `cargo install --locked --version 0.16.1 iai-callgrind-runner`. Counts repeat exactly on one compiler
# and C library; the record names the compiler.
set -eu
cd "$(dirname "$0")/.."
out=$(cargo bench -p seidel-bench --bench icount)
printf '# %s\n' "$(rustc --version)"
printf '# name constraints colors lanes threads hash; then: benchmark instructions\n'
printf '%s\n' "$out" | awk '
    NF == 6 && length($6) == 16 && $5 == 1 { print }
    /^icount::/ { name = $1 " " $2; sub(/^.*::/, "", name); sub(/:.*$/, "", name) }
    $1 == "Instructions:" { split($2, count, "|"); print name, count[1] }'
