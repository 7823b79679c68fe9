#!/bin/sh
# Every stream obeys docs/events.schema.json: all recorded runs, the demo, and a
# run that was rejected. A stream that does not is found.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3
python3 -c 'import jsonschema' 2>/dev/null || skip_all 'no python3-jsonschema'

mkdir streams
for case in "$top_srcdir"/tests/golden/*/*/; do
  case=${case%/}
  name=${case##*/}
  runtime=${case%/*}
  runtime=${runtime##*/}
  "$AGENTRUN" view --from "$runtime" --headless --format jsonl \
    "$case/in.jsonl" >"streams/$runtime-$name" 2>err || :
  # Runtimes that do not start print no line of their own.
  ! grep -q '^agentrun: no line of' err || rm "streams/$runtime-$name"
done
"$AGENTRUN" demo --speed 1000 --format jsonl >streams/demo 2>/dev/null || :
"$AGENTRUN" codex -p x --cwd /nowhere --format jsonl >streams/rejected \
  2>/dev/null || :
# What is no event, or not quite one, must not pass; nor a field too many.
mkdir bad
good='{"schema":1,"type":"text","time":"2026-01-01T00:00:00.000Z","parent":null'
echo "$good,\"text\":1}" >bad/type
echo "$good}" >bad/missing
echo "$good,\"text\":\"x\",\"more\":1}" >bad/more
echo '{"schema":1,"type":"text","time":"1","parent":null,"text":""}' >bad/time

check() {
  python3 -B "$top_srcdir/tests/schema.py" \
    "$top_srcdir/docs/events.schema.json" "$@"
}
check bad/* >out
is 'bad events are found' "$(grep -c '^not ok' out)" 4
check streams/* >out
is 'all streams were checked' "$(grep -c '^[on].* - ' out)" \
  "$(find streams -type f | wc -l | tr -d ' ')"
is 'every stream obeys the schema' \
  "$(grep -A1 '^not ok' out | tr '\n' ' ')" ''
done_testing
