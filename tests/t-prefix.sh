#!/bin/sh
# A runtime can be killed after any byte: recorded output, cut everywhere, gives
# one end and both events of each call and subagent (prefix.c).
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

cd "$top_srcdir/tests/golden" || exit 99
for runtime in *; do
  run "$top_builddir/tests/prefix" "$runtime" "$runtime"/*/in.jsonl
  is "$runtime: cut at $(tail -n 1 "$work/out") places" "$status" 0
  [ "$status" -eq 0 ] || head -n 40 "$work/out" "$work/err" | diag
done
done_testing
