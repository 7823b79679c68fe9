#!/bin/sh
# Streams made to do harm; tests/view-hostile.py makes them and looks.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

python3 -B "$top_srcdir/tests/view-hostile.py" "$AGENTRUN" >hostile.out 2>&1
while read -r word rest; do
  case $word in
    ok) pass "$rest" ;;
    not) fail "${rest#ok }" ;;
    *) diag "$word $rest" ;;
  esac
done <hostile.out
ok 'the hostile streams were all tried' grep -qx '# all tried' hostile.out
done_testing
