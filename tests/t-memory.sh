#!/bin/sh
# Long streams do not need more memory than short ones: here with the memory
# that a program may have at most (setrlimit).
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

limit=32768 # KiB
# A sanitizer maps far more than that; so does any build that cannot start.
(ulimit -d $limit && "$AGENTRUN" --version) >/dev/null 2>&1 ||
  skip_all "no limit on memory, or a sanitizer"

# convert FORMAT: the stream on stdin, within the limit.
convert() {
  (ulimit -d $limit
  "$AGENTRUN" view --from claude-code --headless --format "$1" -) >out 2>err
}

# check KIND FORMAT: more input than the limit.
check() {
  python3 -B "$top_srcdir/tests/bench-lines.py" "$1" 40000000 | convert "$2"
  is "40 MB of $1 lines within 32 MiB, $2" "$?" 0
  diag <err
}

check prose text
check mixed jsonl
check big jsonl
is 'every call is there' "$(grep -c '"type":"tool"' out)" \
  "$(grep -c '"type":"tool_start"' out)"
done_testing
