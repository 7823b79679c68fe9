#!/bin/sh
# Every signal has an answer: tests/signals.py sends each to everything that
# agentrun can be, and looks at what is left.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3 ps

python3 -B "$top_srcdir/tests/signals.py" "$AGENTRUN" >signals.out 2>&1
while read -r word rest; do
  case $word in
    ok) pass "$rest" ;;
    not) fail "${rest#ok }" ;;
    *) diag "$word $rest" ;;
  esac
done <signals.out
ok 'every signal was sent' grep -qx '# all sent' signals.out
done_testing
