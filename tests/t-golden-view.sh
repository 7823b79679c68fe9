#!/bin/sh
# Recorded output read by `view --from` gives what a run of it gives.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

python3 -B "$top_srcdir/tests/golden.py" --view "$AGENTRUN" \
  "$top_srcdir/tests/golden" "$top_srcdir/tests/fake-runtime"
