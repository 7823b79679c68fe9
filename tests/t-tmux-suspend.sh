#!/bin/sh
# Ctrl-Z and fg: the shell has a whole terminal meanwhile, and what changed in
# between does not confuse the UI.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/tmux.sh"

terminal 80 24
keys "stty -a | sed 's,rows.*;,,' >before; '$drive' -l -s 1 -d 30 '$top_srcdir/tests/screens/run.jsonl'" Enter
shows "the UI is there" "[main] tool Read: src/parse.c"
becomes "on the alternate screen" alternate_on 1
becomes "without a cursor" cursor_flag 0

keys C-z
shows "Ctrl-Z gives the shell back" "Stopped"
becomes "on the primary screen" alternate_on 0
becomes "with a cursor" cursor_flag 1
keys "stty -a | sed 's,rows.*;,,' >during; echo in 'between'" Enter
shows "the shell works" "in between"
ok "stty is what it was" diff before during

tmux -L t resize-window -x 100 -y 30
keys fg Enter
shows "fg comes back in the new size" "$(printf '%100s' '' | sed 's/ /─/g')"
shows "the run went on" "done, q leaves"
becomes "on the alternate screen again" alternate_on 1
keys g
shows "keys work" ">[main] prompt"

keys C-z
wait_until 30 at_prompt
keys fg Enter
shows "a second time, too" ">[main] prompt"
keys q
shows "and out" "[end] finished"
wait_until 30 at_prompt
keys "stty -a | sed 's,rows.*;,,' >a; mv a after" Enter
wait_until 30 test -s after
ok "stty is what it was at the end" diff before after
becomes "on the primary screen at the end" alternate_on 0
becomes "with a cursor at the end" cursor_flag 1

# In the background the run goes on; its view comes back with fg.
clear_screen
keys "'$drive' -l -s 1 -d 30 '$top_srcdir/tests/screens/run.jsonl'" Enter
shows "the UI is there again" "[main] tool Read: src/parse.c"
keys C-z
shows "Ctrl-Z" "Stopped"
keys bg Enter
shows "bg goes on" "[1]+ '$drive'"
keys "echo in 'the' shell" Enter
shows "the shell has the keys" "in the shell"
is "and its screen" "$(flag alternate_on)" 0
keys fg Enter
shows "fg shows what was done meanwhile" "done, q leaves"
becomes "on the alternate screen" alternate_on 1
keys C-z
wait_until 30 at_prompt
clear_screen
keys 'kill %1' Enter
shows "a job that is stopped can be ended" "[end] finished"
becomes "on the primary screen, still" alternate_on 0
keys "stty -a | sed 's,rows.*;,,' >a; mv a last" Enter
wait_until 30 test -s last
ok "stty is what it was" diff before last
done_testing
