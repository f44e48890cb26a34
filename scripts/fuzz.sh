#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME each (default 10s), one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${FUZZTIME:-10s}
status=0
while IFS=: read -r file name; do
  pkg=./$(dirname "$file")
  echo "fuzz: $pkg $name for $time"
  go test "$pkg" -run '^$' -fuzz "^$name\$" -fuzztime "$time" -parallel "${FUZZJOBS:-2}" || status=1
done < <(git ls-files -co --exclude-standard '*_test.go' | sort | xargs grep -oE '^func Fuzz[A-Za-z0-9_]+' | sed 's/:func /:/')
exit $status
