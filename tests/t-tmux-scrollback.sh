#!/bin/sh
# After the UI the scrollback holds every line of the text format, in order,
# between what stood there before and the next prompt.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/tmux.sh"

awk 'BEGIN {
  for (i = 0; i < 3000; i++) {
    printf "{\"schema\":1,\"type\":\"tool\",\"id\":\"t%d\",\"parent\":null," \
      "\"name\":\"Bash\",\"summary\":\"Bash: step %d 步骤, long enough that" \
      " it does not fit into one row of this terminal\",\"denied\":false," \
      "\"error\":%s}\n", i, i, i % 7 ? "false" : "true"
    if (i % 50 == 0)
      printf "{\"schema\":1,\"type\":\"text\",\"parent\":null,\"text\":" \
        "\"Text %d\\n\\nsecond\\tline\\nthird\\nfourth\\nfifth\"}\n", i
  }
  print "{\"schema\":1,\"type\":\"end\",\"status\":\"failed\",\"exit_code\":1," \
    "\"detail\":\"why\\nso\",\"duration_ms\":3000,\"usage\":{\"input_tokens\":" \
    "1,\"output_tokens\":2,\"cache_read_tokens\":null,\"cache_write_tokens\":" \
    "null,\"cost_usd\":null,\"by_model\":{}},\"result\":\"R1\\n\\nR2\\nR3" \
    "\\nR4\",\"session_id\":null,\"warnings\":[]}"
}' >big.jsonl
sed 's/^{"schema":1,/&"time":"2026-10-04T13:00:00.000Z",/' big.jsonl >timed.jsonl

terminal 80 24
keys "echo before it; '$drive' -l -n 50 -d 1 timed.jsonl" Enter
shows "the run ends" "[end] failed 3.0s"
wait_until 30 at_prompt
tmux -L t capture-pane -p -J -S - |
  sed -n '/^before it/,/^ready/{/^before it/d;/^ready/d;p;}' |
  sed 's/ *$//' >got
run "$AGENTRUN" view --headless --format text timed.jsonl
# A terminal shows a tab as blanks up to the next eighth column.
expand "$work/out" | sed 's/ *$//' >want
ok "there is much to see" test "$(wc -l <want)" -gt 3000
same "the scrollback holds the text format" got want

# The same with diagnostics: they stand at their place.
{
  sed -n 1,2p timed.jsonl
  echo 'warning: unused variable'
  sed -n 3,4p timed.jsonl
  sed -n '$p' timed.jsonl
} >mixed.jsonl
clear_screen
tmux -L t clear-history
keys "echo before it; '$drive' -l -e -d 1 mixed.jsonl 2>&1" Enter
shows "the second run ends" "[end] failed 3.0s"
wait_until 30 at_prompt
tmux -L t capture-pane -p -J | sed -n '/^before it/,/^ready/p' >got
is "stderr is at its place" \
  "$(grep -n '^warning: unused' got | cut -d: -f1)" \
  "$(($(grep -n 'step 1 ' got | cut -d: -f1) - 1))"
done_testing
