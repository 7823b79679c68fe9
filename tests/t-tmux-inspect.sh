#!/bin/sh
# The details of what is selected, on a terminal: of a live run, of saved ones,
# and given to other programs.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/tmux.sh"
. "$top_srcdir/tests/fakes.sh"

# A call that fails, then a text every 10 ms until `stop` is there.
fake live <<'EOF'
init
said '{"type":"assistant","message":{"id":"c","model":"m","usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":0,"cache_creation_input_tokens":0},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make check"}}]},"parent_tool_use_id":null}'
said '{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"Exit code 2\n\u001b[31mthe cause\u001b[0m of it","is_error":true}]},"parent_tool_use_id":null}'
n=100
while [ ! -e "$STOP" ]; do
  text $n
  n=$((n + 1))
  sleep 0.01
done
result
EOF
run_live() {
  rm -f stop
  command_line "'$AGENTRUN' claude-code --path live --sandbox off \
--env STOP='$work/stop' -p x --stay $*"
}
command_line() {
  clear_screen
  keys "$1; echo status \$?" Enter
}
lacks() {
  ! screen_has "$1"
}

terminal 80 24
run_live --save live.jsonl
shows 'it is live' 'text 12'
keys e Enter
shows 'two keys show why a call failed' 'the cause of it'
shows 'and what was called' '$ make check'
shows 'with its state' 'tool call Bash  error'

# Another program has the terminal: the run goes on.
keys '|' 'cat >given; echo here' Enter
shows 'a command gets it' 'here'
shows 'and its output can be read' 'Enter goes back'
before=$(wc -l <live.jsonl)
ok 'the run goes on meanwhile' wait_until 30 sh -c \
  "[ \"\$(wc -l <live.jsonl)\" -gt $((before + 20)) ]"
keys Enter
shows 'Enter: back' 'tool call Bash  error'
is 'it got all of it' "$(cat -v given)" 'make check
Exit code 2
^[[31mthe cause^[[0m of it'
keys '|' 'sleep 1000' Enter
ok 'a command that stays' wait_until 30 lacks 'tool call Bash'
keys C-c
shows 'Ctrl-C ends the command alone' 'Enter goes back'
keys Enter
shows 'and not the run' 'tool call Bash  error'
keys w "$work/written" Enter
shows 'w: written to a file' 'written to'
ok 'the same' cmp given "$work/written"
keys w "$work/written" Enter
shows 'never over another file' 'is there already'
keys Tab '}' w "$work/part" Enter
shows 'in the details: the part under the cursor' 'written to'
is 'only that' "$(cat -v "$work/part")" 'Exit code 2
^[[31mthe cause^[[0m of it'
keys Escape
ok 'Escape closes them' wait_until 30 lacks 'tool call Bash'
keys G
touch stop
shows 'the run ends' '[end]'
keys Enter
shows 'the end: its verdict' 'verdict  finished'
shows 'and where the raw output is' 'not saved (--raw FILE)'
keys q q
shows 'q leaves' 'status 0'

# What is kept, and what is not.
run_live --keep-detail 0
shows 'another run' 'text 11'
keys e Enter
shows '--keep-detail 0: nothing is kept, and that is said' 'not kept'
touch stop
shows 'its end' '[end]'
keys q G q
shows 'left' 'status 0'
run_live --raw raw.out
shows 'and one with --raw' 'text 11'
keys e Enter
shows '--raw: details come from that file' 'the cause of it'
touch stop
shows 'its end, too' '[end]'
keys q G Enter
shows 'the end names the file' 'raw output  raw.out'
keys q q
shows 'left again' 'status 0'

# An end from outside while another program has the terminal.
run_live --save killed.jsonl
shows 'one more' 'text 11'
keys e '|' 'sleep 1000' Enter
ok 'a command that stays, again' wait_until 30 lacks 'tool call Bash'
pid=$(pgrep -f 'claude-code --path live' | head -n 1)
kill "$pid"
shows 'SIGTERM ends the run all the same' 'status 143'
ok 'the shell has its terminal' wait_until 30 at_prompt
ok 'the end is written' wait_until 30 grep -q '"type":"end"' killed.jsonl

# Saved runs.
cp "$top_srcdir/tests/golden/claude-code/40-edits/in.jsonl" run.raw.jsonl
"$AGENTRUN" view --from claude-code --format jsonl run.raw.jsonl >run.jsonl
cat >edit.sh <<'EOF'
#!/bin/sh
cp "$1" seen; ls -l "$1" | cut -c1-10 >mode; echo EDITED; read -r x
EOF
chmod +x edit.sh
command_line "VISUAL=\"'$work/edit.sh'\" '$AGENTRUN' view run.jsonl"
shows 'a saved run' '[end] finished'
keys g '}' '}' '}' '}' '}' Enter
shows 'its raw output lies beside it: a change' '+    return a - b'
keys R
shows 'R: the raw lines' '"type": "assistant"'
keys R
shows 'and back' '-    return a * b'
keys v
shows 'v: an editor' 'EDITED'
ok 'it has the details' grep -q '^+    return a - b' seen
is 'in a private file' "$(cat mode)" -rw-------
keys Enter
shows 'the editor is left' 'tool call Edit'
is 'and the file is gone' "$(ls "$TMPDIR" | grep -c detail)" 0
keys z
shows 'z: on the whole screen' 'tool call Edit'
ok 'alone' wait_until 30 lacks 'text Step 2'
keys q
shows 'q: closed' 'text Step 2'
keys q
shows 'q: left' 'status 0'

mv run.raw.jsonl elsewhere
command_line "'$AGENTRUN' view run.jsonl"
shows 'without raw output' '[end] finished'
keys e Enter
shows 'what the event says is there' 'outcome  error'
shows 'and why there is no more' 'no raw output:'
keys R
shows 'R: the event itself' '"type": "tool_start"'
keys q q
shows 'left without' 'status 0'
cp "$top_srcdir/tests/golden/claude-code/06-nested/in.jsonl" run.raw.jsonl
command_line "'$AGENTRUN' view run.jsonl"
shows 'with that of another run' '[end] finished'
keys e Enter
shows 'it does not belong to it, and that is said' 'does not belong to'
keys q q
shows 'left with another' 'status 0'
command_line "cat run.jsonl | '$AGENTRUN' view --raw elsewhere -"
shows 'from a pipe, with --raw' '[end] finished'
keys g '}' '}' '}' '}' '}' Enter
shows 'the change again' '+    return a - b'
keys q q
shows 'left the pipe' 'status 0'
command_line "cat elsewhere | '$AGENTRUN' view --from claude-code -"
shows 'raw output from a pipe' '[end] finished'
keys g '}' '}' '}' '}' '}' Enter
shows 'the change from there' '+    return a - b'
keys q q
shows 'left that' 'status 0'
done_testing
