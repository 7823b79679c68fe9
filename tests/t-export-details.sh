#!/bin/sh
# `agentrun export --details`: inputs and results of calls, from raw output.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

cp "$top_srcdir/tests/golden/claude-code/40-edits/in.jsonl" run.raw.jsonl
"$AGENTRUN" view --from claude-code --format jsonl run.raw.jsonl >run.jsonl

run "$AGENTRUN" export --to html --details run.jsonl
is 'HTML: status 0, nothing on stderr' "$status $(cat err)" '0 '
cp out run.html
run "$AGENTRUN" export --to md --details run.jsonl
is 'Markdown: status 0, nothing on stderr' "$status $(cat err)" '0 '
cp out run.md
run "$AGENTRUN" export --to md run.jsonl
is 'without --details there are none' "$status $(grep -c 'return a' out)" '0 0'
mv run.raw.jsonl elsewhere
status=0
"$AGENTRUN" export --to md --details --raw elsewhere - <run.jsonl >out ||
  status=$?
is '--raw names the file, also for stdin' "$status $(cmp out run.md)" '0 '
run "$AGENTRUN" export --to md --details run.jsonl
like 'no raw output: status 1, said' "$status $(cat err)" \
  "1 agentrun: no raw output: 'run.raw.jsonl' is not there; *"
ok 'no raw output: the document is there' grep -q 'Edit&#58;' out
run "$AGENTRUN" export --to md --details run.jsonl \
  --raw "$top_srcdir/tests/golden/claude-code/06-nested/in.jsonl"
like 'raw output of another run: status 1, said' "$status $(cat err)" \
  "1 agentrun: '*/in.jsonl' does not belong to 'run.jsonl': *"

cat >look.py <<'EOF'
import html.parser, re
data = open("run.html", encoding="utf-8").read()
md = open("run.md", encoding="utf-8").read()
class Look(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.stack, self.wrong, self.text, self.spans = [], [], "", []
        self.count = {}
    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag != "meta": self.stack.append((tag, dict(attrs).get("class")))
    def handle_endtag(self, tag):
        if self.stack.pop()[0] != tag: self.wrong.append(tag)
    def handle_data(self, data):
        self.text += data
        if self.stack and self.stack[-1][0] == "span":
            self.spans.append((self.stack[-1][1], data))
look = Look()
look.feed(data)
look.close()
def say(good, what): print("ok" if good else "not ok", what)
say(not look.wrong and not look.stack, "HTML: all tags nest and close")
say(look.count["details"] == 20, "HTML: each call is folded, and the agent")
say(("del", "-    return a * b") in look.spans and
    ("add", "+    return a - b") in look.spans, "HTML: a diff is coloured")
say(("f1", "red") in look.spans and ("s1 f4", "src") in look.spans,
    "HTML: colours of a command's output are kept")
say("title" not in re.sub("<title>.*?</title>", "", data.split("</style>")[1])
    .split("red</span>")[1].split("</pre>")[0],
    "HTML: other escape sequences are not")
say("image/png" in look.text and "67 bytes, 1 \u00d7 1" in look.text,
    "HTML: an image by its kind and size")
say("It has two functions." in look.text, "HTML: a subagent's answer, rendered")
say("\x1b" not in data and "\x07" not in data, "HTML: no control characters")
say("```diff\n@@ -3,4 +3,4 @@\n" in md and "\n-    return a * b\n" in md,
    "Markdown: a diff")
say("```text\nred plain\nbell" in md, "Markdown: output without colours")
say("\x1b" not in md and "\x07" not in md, "Markdown: no control characters")
say(md.count("<details>") == 20 == md.count("</details>"),
    "Markdown: each call is folded, and the agent")
say("- result file `src/long.txt` from line 10:" in md, "Markdown: part of a file")
EOF
python3 -B look.py >look.out 2>&1
while read -r word rest; do
  case $word in
  ok) ok "$rest" true ;;
  *) ok "$word $rest" false ;;
  esac
done <look.out
is 'all of that was looked at' "$(wc -l <look.out | tr -d ' ')" 13

# Nothing of theirs acts.
cat >hostile.py <<'EOF'
import json
bad = "</pre></details>\n<script>x()</script>\n```\n````\n</summary># h\n" \
      "[l](http://x/)\x1b[31m<b>\x1b]8;;http://x/\x07\u202e\x9b0m\r\n~~~\n<!--\n"
def item(t, **i): print(json.dumps({"type": t, "item": i}))
print(json.dumps({"type": "thread.started", "thread_id": "t"}))
for n, (kind, start, end) in enumerate((
    ("command_execution", {"command": bad}, {"aggregated_output": bad, "exit_code": 0}),
    ("file_change", {"changes": []}, {"changes": [
        {"path": bad, "kind": bad, "diff": "+" + bad}, {"path": bad, "kind": "add", "content": bad}]}),
    ("mcp_tool_call", {"server": bad, "tool": bad, "arguments": {bad: bad, "a": [bad]}},
     {"result": {"content": [{"type": "text", "text": bad}, {"type": "image", "data": "AAAA", "mimeType": bad},
      {"type": bad}], "structured_content": {bad: bad}}, "error": {"message": bad}}))):
    item("item.started", id=f"i{n}", type=kind, status="in_progress", **start)
    item("item.completed", id=f"i{n}", type=kind, status="completed", **{**start, **end})
print(json.dumps({"type": "item.completed", "item": {"id": "big", "type": "command_execution",
    "command": "seq", "aggregated_output": "line\n" * 40000, "exit_code": 0, "status": "completed"}}))
print(json.dumps({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}))
EOF
python3 -B hostile.py >bad.raw.jsonl
"$AGENTRUN" view --from codex --format jsonl bad.raw.jsonl >bad.jsonl
run "$AGENTRUN" export --to html --details bad.jsonl
is 'hostile: HTML: status 0' "$status $(cat err)" '0 '
sed 's/.*<\/style>//' out | tr '<' '\n' | sed -n 's/[ >].*//p' | sort -u |
  tr '\n' ' ' >tags
is 'hostile: HTML: only tags of ours' "$(grep -c 'script\|!--' tags)" 0
ok 'hostile: HTML: they are text' grep -q '&lt;script&gt;x()&lt;/script&gt;' out
ok 'hostile: HTML: long output is cut, and that is said' \
  grep -q '134465 more bytes are left out' out
ok 'hostile: HTML: no control character and no bidi control' python3 -c '
import re
t = open("out", encoding="utf-8").read()
raise SystemExit(bool(re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]", t)))'
run "$AGENTRUN" export --to md --details bad.jsonl
is 'hostile: Markdown: status 0' "$status $(cat err)" '0 '
cat >outside.py <<'EOF'
# What is left of a CommonMark text without fenced blocks and code spans.
import re, sys
left, fence = [], None
for line in open(sys.argv[1], encoding="utf-8").read().split("\n"):
    mark = re.fullmatch(r"(`{3,})(text|diff|json|sh)?", line)
    if fence and mark and not mark[2] and len(mark[1]) >= len(fence):
        fence = None
    elif not fence and mark and mark[2]:
        fence = mark[1]
    elif not fence:
        left.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "CODE", line))
print("\n".join(left), "UNCLOSED" if fence else "")
EOF
python3 -B outside.py out >outside
is 'hostile: Markdown: nothing of theirs stands outside of code' \
  "$(grep -c 'script>\|<!--\|\[l\]\|UNCLOSED\|^~~~\|^# h\|`' outside)" 0
is 'hostile: Markdown: only tags of ours' \
  "$(grep -o '<[^>]*>' outside | sort -u | tr -d '\n')" \
  '</details></summary><details><summary>'

# Raw output that was cut belongs to it as far as it goes.
head -n 60 elsewhere >run.raw.jsonl
run "$AGENTRUN" export --to md --details run.jsonl
is 'cut raw output: what there is, and a word about the rest' \
  "$status $(cat err)$(grep -c 'return a \* b' out) $(
    grep -c 'no line of the raw output tells of it' out | sed 's/^[1-9].*/N/')" \
  '0 2 N'
run "$AGENTRUN" view --raw x --from pi y
like '--raw and --from: a usage error' "$status $(cat err)" \
  '2 agentrun: --raw and --from contradict each other*'
run "$AGENTRUN" view --raw x y z
like '--raw and two files: a usage error' "$status $(cat err)" \
  '2 agentrun: --raw belongs to one FILE*'
for size in x 1T -1 1KB 99999999999G; do
  run "$AGENTRUN" view --keep-detail $size run.jsonl
  like "--keep-detail $size: a usage error" "$status $(cat err)" \
    '2 agentrun: --keep-detail must be a number of bytes*'
done
for size in 0 1 64K 1M 2G; do
  run "$AGENTRUN" view --keep-detail $size --headless run.jsonl
  is "--keep-detail $size is a size" "$status" 0
done
# What is too long is cut at a character.
python3 -B - <<'END'
import json
out = "a" + "\u00e9" * 70000
with open("long.raw.jsonl", "w") as f:
    for kind, more in (("started", {}), ("completed", {"exit_code": 0})):
        f.write(json.dumps({"type": "item." + kind, "item": {"id": "i",
            "type": "command_execution", "command": "x", **more,
            "aggregated_output": out if more else ""}}) + "\n")
END
"$AGENTRUN" view --from codex --format jsonl long.raw.jsonl >long.jsonl
for to in html md; do
  run "$AGENTRUN" export --to $to --details long.jsonl
  ok "$to: a long part is valid UTF-8" \
    python3 -B -c 'import sys; sys.exit("bytes are left out" not in open("out", encoding="utf-8").read())'
done

done_testing
