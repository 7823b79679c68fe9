#!/bin/sh
# The checked-in inputs of every fuzz target, the recorded runs, and some
# mutations of both, always the same: the rules of tests/fuzz.h hold.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
replay=$top_builddir/tests/fuzz-replay

"$replay" list >targets
while read -r target _ seeds; do
  set --
  for file in "$top_srcdir/tests/corpus/$target"/* \
    ${seeds:+"$top_srcdir/tests"/$seeds}; do
    [ ! -f "$file" ] || set -- "$@" "$file"
  done
  if "$replay" "$target" -m 300 "$@" >out 2>&1; then
    pass "$target: $# inputs"
  else
    fail "$target: $# inputs"
    diag <out
  fi
done <targets
done_testing
