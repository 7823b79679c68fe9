#!/bin/sh
# `agentrun export`: a stream as one document.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

ok 'the demo is recorded' "$AGENTRUN" demo --headless --speed 1000 \
  --format jsonl --save demo.jsonl
run "$AGENTRUN" export --to html demo.jsonl
is 'HTML: status 0, nothing on stderr' "$status $(cat err)" '0 '
cp out demo.html
run "$AGENTRUN" export --to html -o other.html demo.jsonl
is '-o writes the same into a file' "$status $(cmp demo.html other.html)$(
  cat out)" '0 '
run "$AGENTRUN" export --to md demo.jsonl
is 'Markdown: status 0, nothing on stderr' "$status $(cat err)" '0 '
cp out demo.md
status=0
"$AGENTRUN" export --to md - <demo.jsonl >out || status=$?
is '- is stdin' "$status" 0

cat >look.py <<'EOF'
import html.parser, re, sys
data = open("demo.html", encoding="utf-8").read()
md = open("demo.md", encoding="utf-8").read()
class Look(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.stack, self.seen, self.text, self.ids, self.refs = [], {}, "", [], []
        self.wrong = []
    def handle_starttag(self, tag, attrs):
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag != "meta":
            self.stack.append(tag)
        for k, v in attrs:
            if k == "id": self.ids.append(v)
            if k == "href" and v[0] == "#": self.refs.append(v[1:])
    def handle_endtag(self, tag):
        if self.stack.pop() != tag: self.wrong.append(tag)
    def handle_data(self, data): self.text += data
look = Look()
look.feed(data)
look.close()
def say(good, what): print("ok" if good else "not ok", what)
say(not look.wrong and not look.stack, "HTML: all tags nest and close")
say(look.seen["details"] == 3 == look.seen["summary"], "HTML: three folded sections")
say("open" not in re.findall(r"<details[^>]*>", data)[0], "HTML: they are closed at first")
say(sorted(look.ids) == sorted(look.refs), "HTML: the list links to each of them")
say("script" not in look.seen and "default-src 'none'" in data, "HTML: no script, and none allowed")
say(not re.search(r'src=|(?<!noreferrer" )href=(?!"#)|url\(|@import', data), "HTML: nothing is loaded")
say("prefers-color-scheme:dark" in data and "@media print" in data, "HTML: dark, light and print")
for word in ("denied", "error", "claude-haiku-5-5", "$0.2534", "247,920",
             "tinyini loses the last line", "Fixed. `reader_next()`"):
    say(word.replace("`", "") in look.text, "HTML: shows " + word)
    say(word.replace("-", "&#45;") in md or word in md, "Markdown: shows " + word)
say(md.count("<details>") == 3 == md.count("</details>"), "Markdown: three folded sections")
say("**denied**" in md and "**error**" in md, "Markdown: marks")
EOF
python3 -B look.py >look.out 2>&1
while read -r word rest; do
  case $word in
    ok) pass "$rest" ;;
    not) fail "${rest#ok }" ;;
    *) diag "$word $rest" ;;
  esac
done <look.out

# Nothing from outside acts as markup.
evil='</code><script>alert(1)</script><!--\u0022`\u0027&amp; | x\n```\n# h\n~~~\n<b>*b*</b> [l](http://x) \u001b[31m\u202e'
cat >evil.jsonl <<EOF
{"schema":1,"type":"prompt","time":"2026-10-04T13:00:00Z","text":"$evil","images":["$evil"]}
{"schema":1,"type":"subagent_start","time":"2026-10-04T13:00:00Z","id":"a","parent":null,"number":1,"kind":"$evil","model":"$evil","description":"$evil"}
{"schema":1,"type":"tool_start","time":"2026-10-04T13:00:00Z","id":"t","parent":"a","name":"$evil","summary":"$evil"}
{"schema":1,"type":"text","time":"2026-10-04T13:00:00Z","parent":"a","text":"$evil"}
{"schema":1,"type":"end","time":"2026-10-04T13:00:00Z","status":"failed","exit_code":1,"detail":"$evil","duration_ms":1,"usage":{"input_tokens":1,"output_tokens":1,"cache_read_tokens":1,"cache_write_tokens":1,"cost_usd":1,"by_model":{"$evil":{"input_tokens":1,"output_tokens":1,"cache_read_tokens":1,"cache_write_tokens":1,"cost_usd":1}}},"result":"$evil","session_id":"$evil","warnings":["$evil"]}
EOF
run "$AGENTRUN" export --to html evil.jsonl
is 'hostile strings: status 0' "$status" 0
is 'HTML: no tag and no comment of theirs' \
  "$(grep -c '<script\|<!--\|<b>\*' out)" 0
is 'HTML: no control of theirs' "$(tr -d '\n\t' <out | LC_ALL=C tr -cd \
  '\000-\037\177' | wc -c | tr -d ' ') $(grep -c "$(printf '\342\200\256')" out)" \
  '0 0'
cat >links.jsonl <<'EOF'
{"schema":1,"type":"prompt","time":"2026-10-04T13:00:00Z","text":"[a](https://x.y/?a=1&b=\"2) [b](javascript:alert(1)) [c](data:text/html,x) [d](mailto:q@r.s) ![e](https://x.y/p.png) ![f](file:///etc/passwd) [g](JaVaScRiPt:x) <https://auto.link> [![h](https://i.j)](https://k.l)","images":[]}
{"schema":1,"type":"text","time":"2026-10-04T13:00:00Z","parent":null,"text":"# Head\n\n- [x] done\n  1. one\n\n|a|b|\n|---|--:|\n|1|2|\n\n> quote\n\n```diff\n-old\n+new\n```\n\n---\n**bold** *em* ~~del~~ `code`"}
EOF
cat >rendered <<'EOF'
<h3>Head</h3><ul><li>[x] done<ol start="1"><li>one</li></ol></li></ul>
<div class="scroll"><table><thead><tr><th scope="col">a</th><th scope="col" class="right">b</th></tr></thead><tbody><tr><td>1</td><td class="right">2</td></tr></tbody></table></div>
<blockquote><p>quote</p></blockquote>
<pre><code><span class="del">-old</span>
<p><strong>bold</strong> <em>em</em> <del>del</del> <code>code</code></p>
EOF
run "$AGENTRUN" export --to html links.jsonl
is 'HTML: links lead to http, https and mailto alone' \
  "$(grep -o 'href="[^#"]*"' out | tr '\n' ' ')" \
  'href="https://x.y/?a=1&amp;b=&quot;2" href="mailto:q@r.s" href="https://x.y/p.png" href="https://auto.link" href="https://k.l" '
like 'HTML: other targets are shown' "$(cat out)" \
  '*b (javascript:alert(1)) c (data:text/html,x) *f (file:///etc/passwd) *'
is 'HTML: no image is loaded' "$(grep -c '<img' out)" 0
while read -r words; do
  ok "HTML: rendered: $(expr "$words" : '\(.\{1,20\}\)')" grep -qF "$words" out
done <rendered
run "$AGENTRUN" export --to html evil.jsonl
like 'HTML: they are shown' "$(cat out)" '*&lt;script&gt;alert(1)&lt;/script&gt;*'
run "$AGENTRUN" export --to md evil.jsonl
cat >outside.py <<'EOF'
# What is left of a CommonMark text without fenced blocks and code spans.
import re, sys
left, fence = [], None
for line in open(sys.argv[1], encoding="utf-8").read().split("\n"):
    mark = re.fullmatch(r"(`{3,})(text)?", line)
    if fence and mark and not mark[2] and len(mark[1]) >= len(fence):
        fence = None
    elif not fence and mark and mark[2]:
        fence = mark[1]
    elif not fence:
        left.append(re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "CODE", line))
print("\n".join(left), "UNCLOSED" if fence else "")
EOF
python3 -B outside.py out >outside
is 'Markdown: nothing of theirs stands outside of fences and code spans' \
  "$(grep -c 'script>\|<!--\|\[l\]\|UNCLOSED\|^~~~\|^# h\|`' outside)" 0
is 'Markdown: only tags of ours' \
  "$(grep -o '<[^>]*>' outside | sort -u | tr -d '\n')" \
  '</b></details></summary><b><details><summary>'

# What is not whole.
sed '$d' demo.jsonl >cut.jsonl
run "$AGENTRUN" export --to html cut.jsonl
is 'no end: status 1, said' "$status $(cat err)" \
  '1 agentrun: cut.jsonl: no end event'
ok 'no end: the document says so, too' grep -q 'no end event' out
sed 's/^/x/;2,$s/^x//' demo.jsonl >bad.jsonl
run "$AGENTRUN" export --to md bad.jsonl
like 'a bad line: status 1, said' "$status $(cat err)" \
  '1 agentrun: bad.jsonl: line 1 is no event: *'
run "$AGENTRUN" export --to html none.jsonl
is 'a missing file: status 2' "$status" 2
run "$AGENTRUN" export --to pdf demo.jsonl
is 'another kind: status 2' "$status" 2
run "$AGENTRUN" export --to html -o none/x.html demo.jsonl
is 'a file that cannot be written: status 1' \
  "$status $(wc -l <err | tr -d ' ')" '1 1'
cat demo.jsonl demo.jsonl >two.jsonl
run "$AGENTRUN" export --to html two.jsonl
is 'two streams are two articles' \
  "$status $(grep -c '<article>' out) $(grep -c 'id="run2-agent3"' out)" '0 2 1'
done_testing
