#!/bin/sh
# Recorded output of the real runtimes gives the events that stand beside it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

python3 -B "$top_srcdir/tests/golden.py" "$AGENTRUN" \
  "$top_srcdir/tests/golden" "$top_srcdir/tests/fake-runtime"
