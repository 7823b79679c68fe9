#!/bin/sh
# `agentrun view` in a terminal: a saved run looks as it did live and every
# subagent can be reached; pipes, folders and replays take keys, too.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/tmux.sh"

terminal 90 30
# command TEXT: typed at an empty screen.
command_line() {
  clear_screen
  keys "$1; echo status \$?" Enter
}
# The screen without its bottom bar: live, it says that the run is over.
top_rows() {
  screen | sed '$d'
}

command_line "'$AGENTRUN' demo --speed 50 --stay --save x.jsonl"
shows 'the demo, live' 'done, q leaves'
top_rows >live
keys q
shows 'and left' 'status 0'
command_line "'$AGENTRUN' view x.jsonl"
shows 'the saved run' '[end] finished'
it_is_live() { top_rows | cmp -s - live; }
ok 'it looks as it did live' wait_until 30 it_is_live
it_is_live || top_rows | diff live - | diag

keys 1
shows '1: the first subagent' 'explore#1  claude-haiku'
shows 'with its lines' 'tool Read: src/include.c'
keys ']'
shows ']: the second' 'general-purpose#2  claude-sonnet'
keys ']'
shows ']: the third' 'explore#3  claude-haiku'
keys '['
shows '[: back to the second' 'general-purpose#2  claude-sonnet'
keys 0
shows '0: all of them' 'agents  0 running  3 done'
keys q
shows 'q leaves: status 0' 'status 0'

command_line "cat x.jsonl | '$AGENTRUN' view -"
shows 'stdin is the stream' '[end] finished'
keys 3
shows 'the keys come from the terminal' 'explore#3  claude-haiku'
keys Escape
keys q
shows 'and q leaves' 'status 0'

sed 20q x.jsonl >part.jsonl
command_line "'$AGENTRUN' view part.jsonl"
shows 'without its end: said on the screen' 'no end event'
ok 'nothing turns any more' wait_until 30 screen_has '> 1   explore#1'
keys p
shows 'a replay key says why it does nothing' 'nothing more will come'
keys q
shows 'without its end: status 1' 'status 1'

mkdir runs
cp x.jsonl runs/a.jsonl
sed 20q x.jsonl >runs/live.jsonl
command_line "'$AGENTRUN' view --dir runs"
shows '--dir: a list' '2 runs'
shows '--dir: one is under way' '1 running'
cp x.jsonl runs/new.jsonl.part
mv runs/new.jsonl.part runs/new.jsonl
shows '--dir: a new file appears' '3 runs'
sed 1,20d x.jsonl >>runs/live.jsonl
shows '--dir: the one under way is followed to its end' '0 running'
keys Enter
shows '--dir: Enter opens one' '[end] finished'
keys Escape
shows '--dir: Esc goes back' '3 runs'
keys q
shows '--dir: q leaves' 'status 0'

cat part.jsonl x.jsonl >two.jsonl
command_line "'$AGENTRUN' view two.jsonl x.jsonl"
shows 'streams behind one another are runs of their own' '3 runs'
shows 'the first of them has no end' 'no end'
shows 'nothing runs any more' '0 running'
keys q
shows 'and left' 'status 1'

echo nonsense >bad.jsonl
command_line "'$AGENTRUN' view no-such x.jsonl bad.jsonl"
shows 'one of several cannot be read' 'unreadable'
keys G Enter
shows 'what is wrong stands in the run it is about' 'bad.jsonl: line 1 is no'
keys q q
shows 'and left, with status 2' 'status 2'
shows 'the reasons are not lost' "cannot open 'no-such'"

command_line "'$AGENTRUN' view --speed 0.02 x.jsonl"
shows 'a slow replay begins' '[main] prompt'
keys p
shows 'p: it is paused' 'paused'
keys . . . . . . . .
shows '.: event by event' 'agent start explore#1'
keys '>'
shows '>: says the speed' ' speed 0.04'
keys p
lacks_pause() { ! screen_has paused; }
ok 'p: it goes on' wait_until 30 lacks_pause
keys '>' '>' '>' '>' '>' '>' '>' '>' '>' '>' '>' '>' '>' '>' '>' '>'
shows '>: as fast as one likes' '[end] finished'
keys w
shows 'w: a document' 'x.html'
keys q
shows 'the replay is left' 'status 0'
ok 'the document is whole' grep -q '</html>' x.html

command_line "'$AGENTRUN' view x.jsonl"
shows 'once more' '[end] finished'
keys C-c
shows 'Ctrl-C leaves: status 130' 'status 130'
is 'on the primary screen' "$(flag alternate_on)" 0
command_line "'$AGENTRUN' view"
shows 'no FILE, and stdin is the terminal: status 2' 'status 2'
command_line "'$AGENTRUN' view --no-stay x.jsonl"
shows '--no-stay leaves at the end of the stream' 'status 0'
done_testing
