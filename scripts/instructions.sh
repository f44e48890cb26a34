#!/usr/bin/env bash
# Counts the instructions of the solver stack's families with callgrind, in the format of Go's
# benchmarks: FAMILIES="name/size ..." picks others. What starting the program takes is subtracted.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind is not installed: apt-get install valgrind" >&2; exit 1; }
families=${FAMILIES:-copy/50 megabyte/100 machine/1000 crc/4 sorting/6 multiply/7 popcount/64 parser/20 histogram/8 list/8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go test -c -o "$work/solve.test" ./verifier/solve
count() { # instructions of the benchmarks that match
  GOMAXPROCS=1 GODEBUG=asyncpreemptoff=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/solve.test" \
    -test.run '^$' -test.bench "$1" -test.benchtime 1x >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
  ! grep -q -- '--- FAIL' "$work/out" || { cat "$work/out" >&2; exit 1; }
  sed -n 's/.*Collected : //p' "$work/out"
}
start=$(count '^none$')
for f in $families; do
  n=$(count "^BenchmarkFamilies\$/^${f%/*}\$/^${f#*/}\$")
  echo "BenchmarkInstructions/$f 1 $((n - start)) instructions/op"
done
