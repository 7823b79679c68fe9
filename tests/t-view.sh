#!/bin/sh
# `agentrun view --headless`: what comes out of files, pipes and files that
# change under its hands.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

# A guard only: nothing here takes a second.
view() {
  timeout 60 "$AGENTRUN" view "$@"
}

# event TYPE TIME REST: one line; TIME is the last part of the hour.
event() {
  printf '{"schema":1,"type":"%s","time":"2026-10-04T13:%sZ",%s}\n' "$@"
}
usage='"usage":{"input_tokens":1,"output_tokens":2,"cache_read_tokens":3'
usage="$usage"',"cache_write_tokens":4,"cost_usd":null,"by_model":{}}'
start() { # TIME
  event start "$1" '"runtime":"pi","sandbox":"none","network":{"mode":"full","allow":[],"enforced":false},"deny_read":[],"model":null,"cwd":"/w","argv":[],"env":[]'
}
text() { # TIME TEXT
  event text "$1" '"parent":null,"text":"'"$2"'"'
}
end() { # TIME RESULT
  event end "$1" '"status":"finished","exit_code":0,"detail":"","duration_ms":1000,'"$usage"',"result":"'"$2"'","session_id":null,"warnings":[]'
}

{
  start 00:00.000
  text 00:00.200 one
  text 00:00.400 two
  end 00:00.500 two
} >whole.jsonl
sed '$d' whole.jsonl >cut.jsonl
cat >whole.text <<'EOF'
[note] sandbox not running (--sandbox off). agentrun does not restrict what the agent writes or which hosts it reaches
[main] text one
[main] text two
[end] finished 1.0s  in 8  out 2  cached 38%
EOF

# One whole stream, by every way in.
run view --headless --format text whole.jsonl
is 'a whole stream: status 0, nothing on stderr' "$status $(cat err)" '0 '
same 'a whole stream as text' out whole.text
run view --headless --format jsonl whole.jsonl
same 'a saved stream goes through unchanged' out whole.jsonl
run view whole.jsonl
same 'jsonl is the default for a pipe' out whole.jsonl
status=0
view --headless --format text - <whole.jsonl >out 2>err || status=$?
same '- is stdin' out whole.text
cat whole.jsonl | view --format=text >out 2>err
same 'no FILE is stdin, too, when it is no terminal' out whole.text
mkfifo fifo
view --headless --format text fifo >out 2>err &
pid=$!
cat whole.jsonl >fifo
wait "$pid"
is 'a FIFO is read to its end' "$?" 0
same 'a FIFO as text' out whole.text
{ printf '{"schema" : 1, "type":"later","time":"x","a":[1,2]}\n'
  sed 's/}$/ ,"more":{"x":1}}/' whole.jsonl; } >later.jsonl
run view --headless --format jsonl later.jsonl
same 'unknown types and fields go through unchanged' out later.jsonl
run view --headless --format text later.jsonl
same 'unknown types are not shown' out whole.text
printf '%s' "$(cat whole.jsonl)" >open.jsonl
run view --headless --format jsonl open.jsonl
same 'a last line without its line end counts' out whole.jsonl
sed 's/$/\r/' whole.jsonl >crlf.jsonl
run view --headless --format text crlf.jsonl
same 'lines may end in CR LF' out whole.text

# What is not whole.
run view --headless --format text cut.jsonl
is 'without end: status 1, and said' "$status $(cat err)" \
  '1 agentrun: cut.jsonl: no end event'
is 'without end: no verdict is invented' "$(grep -c '^\[end\]' out)" 0
: >empty.jsonl
run view --headless empty.jsonl
is 'an empty file has no end either' "$status $(cat err)" \
  '1 agentrun: empty.jsonl: no end event'
{ echo nonsense; sed 2q whole.jsonl; echo; sed 1,2d whole.jsonl; } >bad.jsonl
run view --headless --format jsonl bad.jsonl
is 'bad lines: status 1' "$status" 1
same 'bad lines: the others go through' out whole.jsonl
is 'bad lines: each is named by its number' \
  "$(sed -n 's/.*: line \([0-9]*\) is no event: .*/\1/p' err | tr '\n' ' ')" \
  '1 4 '
awk 'BEGIN{for(i=0;i<5000;i++)print "x"}' >flood.jsonl
run view --headless flood.jsonl
is 'a flood of bad lines is told in few words' \
  "$(($(wc -l <err) < 30)) $(grep -c 'lines 21-5000 are no events' err)" '1 1'
sed 's/"schema":1/"schema":2/' whole.jsonl >schema.jsonl
run view --headless --format text schema.jsonl
is 'another schema: status 1' "$status" 1
like 'another schema: said clearly' "$(cat err)" \
  '*schema.jsonl: line 1 *schema 2 *only*schema 1*'
is 'another schema: nothing is shown' "$(cat out)" ''
cat cut.jsonl whole.jsonl >two.jsonl
run view --headless --format jsonl two.jsonl
is 'streams behind one another: one without end is noticed' \
  "$status $(cmp two.jsonl out && echo same)" '1 same'
cat whole.jsonl whole.jsonl >two.jsonl
run view --headless --format text two.jsonl
cat whole.text whole.text >want
is 'two whole streams behind one another' "$status" 0
same 'each stands for itself' out want
run view --headless none.jsonl
is 'a missing file: status 2' "$status $(cat err)" \
  "2 agentrun: cannot open 'none.jsonl': No such file or directory"
mkdir dir
run view --headless dir
like 'a directory: status 2' "$status $(cat err)" "2 *'dir': Is a directory"

# Several files.
sed 's/one/uno/' whole.jsonl >dir/b.jsonl
cp whole.jsonl dir/a.jsonl
echo junk >dir/.hidden.jsonl
echo junk >dir/notes.txt
echo junk >dir/a.raw.jsonl
cat dir/a.jsonl dir/b.jsonl >want
run view --headless dir/a.jsonl dir/b.jsonl
same 'files come one after another' out want
run view --headless --dir dir
is '--dir: status 0' "$status $(cat err)" '0 '
same '--dir: every *.jsonl, by name' out want
run view --headless dir/a.jsonl none.jsonl dir/b.jsonl
is 'one unreadable file: status 2' "$status" 2
same 'the others are shown all the same' out want
run view --headless --dir none
like '--dir of nothing: status 2' "$status $(cat err)" \
  "2 *directory 'none': No such file*"
if [ -c /dev/full ]; then
  status=0
  view --headless whole.jsonl >/dev/full 2>err || status=$?
  is 'a full disk: status 1' "$status $(wc -l <err | tr -d ' ')" '1 1'
fi
awk 'BEGIN{for(i=0;i<20000;i++)print "{\"schema\":1,\"type\":\"t\",\"n\":" i "}"}' \
  >many.jsonl
{
  status=0
  view --headless many.jsonl 2>err || status=$?
  echo "$status" >code
} | head -n 1 >/dev/null
is 'a reader that leaves: status 141' "$(cat code) $(cat err)" '141 '

# Files that grow, are truncated, are replaced.
follow() { # FORMAT: starts following grow.jsonl
  view --headless --follow --format "$1" grow.jsonl >out 2>err &
  pid=$!
}
lines_are() { [ "$(wc -l <out | tr -d ' ')" -eq "$1" ]; }

sed 2q whole.jsonl >grow.jsonl
follow jsonl
ok 'following: what is there comes at once' wait_until 20 lines_are 2
sed -n 3p whole.jsonl | cut -c 1-30 | tr -d '\n' >>grow.jsonl
sed -n 3p whole.jsonl | cut -c 31- >>grow.jsonl
ok 'following: what is added comes, whole lines only' wait_until 20 lines_are 3
sed -n 4p whole.jsonl >>grow.jsonl
wait "$pid"
is 'following ends with the end event' "$?" 0
same 'following: all of it, once' out whole.jsonl

sed 3q whole.jsonl >grow.jsonl
follow jsonl
wait_until 20 lines_are 3
: >grow.jsonl
start 30:00.000 >>grow.jsonl
ok 'truncated: read from the beginning' wait_until 20 lines_are 4
end 30:01.000 x >>grow.jsonl
wait "$pid"
is 'truncated: the first stream had no end' "$?" 1
like 'truncated: said' "$(cat err)" '*grow.jsonl: truncated*'

sed 3q whole.jsonl >grow.jsonl
follow text
wait_until 20 lines_are 3
{ start 40:00.000; text 40:00.000 'a text that makes it longer than before'
  text 40:00.100 'and another one'; text 40:00.200 x; end 40:01.000 x; } >new
cat new >grow.jsonl
wait "$pid"
is 'rewritten and longer than before: noticed' \
  "$(grep -c 'longer than before' out) $(grep -c '^\[end\]' out)" '1 1'

sed 3q whole.jsonl >grow.jsonl
follow jsonl
wait_until 20 lines_are 3
mv new grow.jsonl
wait "$pid"
sed 3q whole.jsonl | cat - grow.jsonl >want
same 'replaced: the new file is read from its beginning' out want
like 'replaced: said' "$(cat err)" '*grow.jsonl: replaced*'

# Replay.
slow() { view --headless --speed "$1" --format jsonl whole.jsonl >out 2>err; }
before=$(date +%s%N)
slow 1
after=$(date +%s%N)
same 'a replay gives every event' out whole.jsonl
is 'a replay takes the time of the run' \
  "$(((after - before) / 1000000 >= 500))" 1
before=$(date +%s%N)
view --headless --speed 1000 whole.jsonl >out 2>err
after=$(date +%s%N)
is 'a fast one does not' "$(((after - before) / 1000000 < 20000))" 1

# Raw output.
printf '%s\n' 'not json' '{"type":"thread.started","thread_id":"t"}' \
  '{"type":"turn.started"}' \
  '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"hi"}}' \
  '{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":1,"output_tokens":2}}' \
  >raw.jsonl
run view --headless --from codex --format jsonl raw.jsonl
is 'raw output: lines of other programs are passed over' "$status $(cat err)" \
  '0 '
is 'raw output: a start of what is known' \
  "$(sed -n '1s/"time":"[^"]*",//p' out)" \
  "$(start '' | sed 's/"time":"[^"]*",//; s/pi/codex/; s#/w#'"$work"'#; s/}$//'
  ),\"notes\":[\"sandbox not running (--sandbox off). agentrun does not restrict what the agent writes or which hosts it reaches\"]}"
like 'raw output: the verdict of the stream, no exit code' "$(tail -n 1 out)" \
  '*"status":"finished","exit_code":null,"detail":""*"result":"hi"*'
sed '$d' raw.jsonl >raw-cut.jsonl
run view --headless --from codex --format text raw-cut.jsonl
like 'raw output that stops: failed' "$(tail -n 1 out)" \
  '?end? failed *codex ended without a result; 1 line of its output is not JSON: not json'
run view --headless --from none whole.jsonl
is 'an unknown runtime: status 2' "$status $(wc -l <err | tr -d ' ')" '2 1'

# The events of every recorded run, behind a start: whole, unchanged, and as
# text what the run itself printed.
tried=0
texts=0
wrong=
for case in "$top_srcdir"/tests/golden/*/*; do
  { start 00:00.000; cat "$case/out.jsonl"; } >saved.jsonl
  view --headless --format jsonl saved.jsonl >out 2>err && [ ! -s err ] &&
    cmp -s saved.jsonl out || wrong="$wrong $case"
  tried=$((tried + 1))
  [ -f "$case/out.text" ] || continue
  view --headless --format text saved.jsonl >out 2>err &&
    cmp -s "$case/out.text" out || wrong="$wrong $case(text)"
  texts=$((texts + 1))
done
is "$tried recorded runs, $texts of them as text" "$wrong" ''
ok 'so many were there' test "$tried" -gt 150 -a "$texts" -gt 5

done_testing
