#!/bin/sh
# Leaving the UI while the run goes on: as text, with Ctrl-C as ever; and the
# real program at the end of a run.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/tmux.sh"

terminal 80 24
keys "'$AGENTRUN' demo --speed 2; echo status \$?" Enter
shows "the demo runs" "agents  3 running"
keys q
shows "q asks" "[d]etach"
keys c
shows "c goes on" "Tab: select"
keys q d
shows "d goes on as text" "[main] agent start explore#1"
becomes "on the primary screen" alternate_on 0
shows "to the end" "status 0"
shows "with the end line" "[end] finished"

clear_screen
keys "'$AGENTRUN' demo --speed 2; echo status \$?" Enter
shows "the demo runs again" "running"
keys C-c
shows "Ctrl-C interrupts it" "status 130"
shows "and says so" "[end] interrupted"
is "on the primary screen again" "$(flag alternate_on)" 0

clear_screen
keys "'$AGENTRUN' demo --speed 50 --stay; echo status \$?" Enter
shows "--stay waits" "done, q leaves"
keys 3
shows "a past subagent opens" "explore#3  claude-haiku"
keys q q
shows "q q leaves" "status 0"
clear_screen
keys "'$AGENTRUN' demo --speed 50 --headless; echo status \$?" Enter
shows "--headless has no UI" "status 0"
is "and never had" "$(flag alternate_on)" 0
done_testing
