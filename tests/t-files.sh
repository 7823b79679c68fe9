#!/bin/sh
# Files as people have them: with a byte order mark, in UTF-16, compressed, or
# not what they were called.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need jq iconv
. "$top_srcdir/tests/fakes.sh"

bom() {
  printf '\357\273\277'
}
# with_bom FILE: the same with one, as FILE.bom; with_crlf: also CR LF
with_bom() {
  { bom && cat "$1"; } >"$1.bom"
  { bom && sed "s/\$/$(printf '\r')/" "$1"; } >"$1.crlf"
}
view() {
  timeout 60 "$AGENTRUN" view --headless "$@"
}

# --- event streams ---

"$AGENTRUN" demo --speed 0 --format jsonl --raw raw >run.jsonl
view --format text run.jsonl >want.text
with_bom run.jsonl
for file in run.jsonl.bom run.jsonl.crlf; do
  run view --format text $file
  is "$file: whole" "$status $(cat err)" '0 '
  same "$file: the same events" out want.text
  status=0
  view --format text - <$file >out 2>err || status=$?
  is "$file: on stdin" "$status $(cat err)" '0 '
  same "$file: the same events on stdin" out want.text
  run view --follow --format text $file
  same "$file: followed" out want.text
done
run view run.jsonl.bom
same 'the mark is no part of the events' out run.jsonl
mkfifo fifo
{
  printf '\357'
  sleep 0.1
  printf '\273'
  sleep 0.1
  printf '\277{"sche'
  sleep 0.1
  tail -c +7 run.jsonl
} >fifo &
run view --format text fifo
same 'a mark that comes byte by byte' out want.text
cat run.jsonl.bom run.jsonl.bom >two
run view --format text two
cat want.text want.text >two.text
is 'files put behind one another' "$status $(cat err)" '0 '
same 'files put behind one another: both' out two.text
run view run.jsonl.bom run.jsonl.crlf
is 'two files' "$status $(grep -c . out)" "0 $((2 * $(grep -c . run.jsonl)))"
bom >only
run view only
is 'nothing but a mark: as an empty file' "$status $(cat err)" \
  '1 agentrun: only: no end event'
sed "3s/^/$(bom)/" run.jsonl >middle
run view middle
same 'a mark before a line within' out run.jsonl
sed "3s/{/{$(bom)/" run.jsonl >inside
run view inside
like 'a mark within an object is none' "$status $(cat err)" \
  '1 agentrun: inside: line 3 is no event: not a JSON object'
run "$AGENTRUN" export --to md run.jsonl.bom
is 'export: whole' "$status $(cat err)" '0 '
cp out want.md
run "$AGENTRUN" export --to md run.jsonl
diff out want.md | grep -v run.jsonl | grep '^[<>]' >differs
is 'export: the same document' "$(cat differs)" ''

# --- raw output ---

with_bom raw
view --from claude-code raw | sed 's/"time":"[^"]*",//; s/"duration_ms":[0-9]*,//' >want
for file in raw.bom raw.crlf; do
  run view --from claude-code $file
  is "$file: whole" "$status $(cat err)" '0 '
  sed 's/"time":"[^"]*",//; s/"duration_ms":[0-9]*,//' out >got
  same "$file: the same events" got want
done

# --- other encodings ---

# says DESCRIPTION FILE MESSAGE: by every way in; MESSAGE stands behind the name.
says() {
  run view "$2"
  is "$1: view" "$status $(cat out err)" "2 agentrun: '$2' $3"
  status=0
  view - <"$2" >out 2>err || status=$?
  is "$1: view -" "$status $(cat out err)" "2 agentrun: 'stdin' $3"
  run view --from codex "$2"
  is "$1: view --from" "$status $(cat out err)" "2 agentrun: '$2' $3"
  # A file of two bytes may still become anything.
  if [ "$(wc -c <"$2")" -ge 4 ]; then
    run view --follow "$2"
    is "$1: view --follow" "$status $(cat out err)" "2 agentrun: '$2' $3"
  fi
  run "$AGENTRUN" export --to md -o doc "$2"
  is "$1: export" "$status $(cat out err; ls doc 2>/dev/null)" "2 agentrun: '$2' $3"
  cat "$2" >fifo &
  run view fifo
  is "$1: a FIFO" "$status $(cat out err)" "2 agentrun: 'fifo' $3"
  cat "$2" | "$AGENTRUN" export --to md - >out 2>err
  is "$1: export -" "$(cat out err)" "agentrun: 'stdin' $3"
  for option in --prompt-file --env-file; do
    run agent good -p x $option "$2"
    [ $option = --env-file ] || run agent good $option "$2"
    is "$1: $option" "$status $(end .status .detail)" "2 end rejected $option: '$2' $3"
  done
  status=0
  agent good <"$2" >out 2>err || status=$?
  is "$1: the prompt on stdin" "$status $(end .detail)" "2 end 'stdin' $3"
}
fake good <<'END'
cat >prompt
env >env
init; text 1; result
END
for encoding in UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
  needs="is $encoding text, but UTF-8 is needed; convert it first, with 'iconv -f $encoding -t UTF-8'"
  iconv -f UTF-8 -t $encoding run.jsonl >plain
  iconv -f UTF-8 -t $encoding run.jsonl.bom >marked
  says "$encoding with a mark" marked "$needs"
  says "$encoding without" plain "$needs"
  iconv -f $encoding -t UTF-8 marked >back
  run view --format text back
  same "$encoding: as it was told" out want.text
  bom | iconv -f UTF-8 -t $encoding >only
  says "$encoding: only the mark" only "$needs"
done
printf 'x\n' | iconv -f UTF-8 -t UTF-16LE >short
says 'UTF-16LE: one letter' short \
  "is UTF-16LE text, but UTF-8 is needed; convert it first, with 'iconv -f UTF-16LE -t UTF-8'"
{
  printf '\377'
  sleep 0.1
  printf '\376{'
  sleep 0.1
  printf '\000\n\000'
} >fifo &
run view fifo
like 'UTF-16 that comes byte by byte' "$status $(cat out err)" \
  "2 agentrun: 'fifo' is UTF-16LE text, *"
gzip -c run.jsonl >run.gz
says 'gzip' run.gz "is compressed with gzip; unpack it first, with 'gzip -dc'"
for tool in xz zstd bzip2 lz4; do
  if $tool -c <run.jsonl >run.$tool 2>/dev/null; then
    run view run.$tool
    is "$tool" "$status $(cat out err)" \
      "2 agentrun: 'run.$tool' is compressed with $tool; unpack it first, with '$tool -dc'"
  else
    skip $tool "no $tool"
  fi
done
printf 'caf\351\n' >latin1
run agent good --prompt-file latin1
like 'what nobody can tell' "$status $(end .detail)" '2 end the prompt is not valid UTF-8; *'
run view .
is 'a directory' "$status $(cat err)" "2 agentrun: cannot open '.': Is a directory"

# --- prompt and environment ---

prompt_of() {
  jq -r '.message.content | if type == "array" then .[0].text else . end' prompt
}
printf 'first line\nsecond\n' >task
with_bom task
run agent good --prompt-file task.bom
is 'a prompt file with a mark' "$status $(prompt_of)" \
  "0 first line
second"
status=0
agent good <task.bom >out 2>err || status=$?
is 'a prompt on stdin with a mark' "$status $(prompt_of)" \
  "0 first line
second"
run agent good -p "$(cat task.bom)"
is 'a --prompt with a mark' "$status $(prompt_of)" \
  "0 first line
second"
bom >empty
run agent good --prompt-file empty
like 'a prompt that is a mark' "$status $(end .detail)" '2 end the prompt is empty; *'

cat >vars <<'EOF2'
# of a shell
A=1
export B=2
	export	C=a b
export D="x y"
export E='$HOME "q"'
export F="a\"b\\c\$d\e"
export G="a" "b"
export H=
export=3
exported=4
export I="
export J=''
EOF2
printf 'export K=v  \n L="kept" \n' >>vars
with_bom vars
want='A=1|B=2|C=a b|D=x y|E=$HOME "q"|F=a"b\c$d\e|G="a" "b"|H=|I="|J=|K=v|L="kept" |export=3|exported=4|'
for file in vars vars.bom vars.crlf; do
  run agent good -p x --env-file $file
  is "$file" "$status $(grep -E '^([A-L]|export|exported)=' env | LC_ALL=C sort | tr '\n' '|')" "0 $want"
done
is 'start.env has the names without export' "$(head -n 1 out | jq -r '.env | join(" ")')" \
  'A B C D E F G H export exported I J K L'
for line in export 'export A' 'export ' 'export =1' 'export export A=1' 'exportA' \
  'export # x' 'export A B=1'; do
  printf 'Z=1\n%s\n' "$line" >bad
  run agent good -p x --env-file bad
  like "'$line' is no variable" "$status $(end .detail)" \
    "2 end 'bad' line 2 is not KEY=VALUE; *"
done
bom >empty
run agent good -p x --env-file empty
is 'an env file that is a mark' "$status" 0

# --- settings ---

mkdir -p "$HOME/.codex"
{
  bom
  echo 'base_url = "http://127.0.0.1:7/v1"'
} >"$HOME/.codex/config.toml"
mkdir codex
printf '#!/bin/sh\necho codex 1.0.0\n' >codex/codex
chmod +x codex/codex
PATH=$work/codex:$PATH "$AGENTRUN" doctor codex >out
like 'config.toml with a mark' "$(grep network out)" '*127.0.0.1:7*'

# --- not what it was called ---

raw_of() {
  case $1 in
    claude-code) echo 02-bash-ok ;;
    codex) echo 02-shell-ok ;;
    pi) echo 02-tool-ok ;;
    dsh) ls "$top_srcdir/tests/golden/dsh" | sed -n 2p ;;
  esac
}
for is in claude-code codex pi dsh; do
  cp "$top_srcdir/tests/golden/$is/$(raw_of $is)/in.jsonl" this
  lines=$(grep -c . this)
  for as in claude-code codex pi dsh; do
    run view --from $as this
    if [ $as = $is ]; then
      is "$is as $as" "$status $(cat err)" '0 '
    else
      is "$is as $as" "$status $(cat out err)" \
        "1 agentrun: no line of this is $as output ($lines lines)
agentrun: this looks like the raw output of $is: give --from $is"
    fi
  done
  run view this
  is "$is without --from" "$status $(cat out err)" \
    "1 agentrun: this looks like the raw output of $is: give --from $is"
  status=0
  view - <this >out 2>err || status=$?
  is "$is on stdin without --from" "$status $(cat out err)" \
    "1 agentrun: stdin looks like the raw output of $is: give --from $is"
  run "$AGENTRUN" export --to md -o doc this
  is "$is: export" "$status $(cat out err; ls doc 2>/dev/null)" \
    "1 agentrun: this looks like the raw output of $is: make events of it with 'agentrun view --headless --format jsonl --from $is'"
  with_bom this
  run view this.bom
  is "$is with a mark" "$status $(cat out err)" \
    "1 agentrun: this.bom looks like the raw output of $is: give --from $is"
  { echo 'npm warn x' && cat this; } >noisy
  run view noisy
  is "$is behind other lines" "$status $(cat out err)" \
    "1 agentrun: noisy: line 1 is no event: not a JSON object
agentrun: noisy looks like the raw output of $is: give --from $is"
  run view --from $as run.jsonl
  is "events as $as" "$status $(cat out err)" \
    "1 agentrun: no line of run.jsonl is $as output ($(grep -c . run.jsonl) lines)
agentrun: run.jsonl holds events: leave --from away"
  : >empty
  run view --from $is empty
  is "nothing as $is" "$status $(cat out err)" \
    "1 agentrun: no line of empty is $is output (0 lines)"
  printf 'sh: claude: not found' >words
  run view --from $is words
  is "words as $is" "$status $(cat out err)" \
    "1 agentrun: no line of words is $is output (1 line)"
  printf '{"a":1}\n[1]\n\n{"type":7}\n{"type":"other","cwd":"/x"}\n' >other
  run view --from $is other
  is "other JSON as $is" "$status $(cat out err)" \
    "1 agentrun: no line of other is $is output (5 lines)"
  run view --from $is --format text other
  is "other JSON as $is as text" "$status $(cat out)" "1 "
done
# What two of them say belongs to the one that was named.
echo '{"type":"error","message":"no session"}' >error
for as in codex dsh; do
  run view --from $as error
  is "an error as $as" "$status $(end .status)" '0 end failed'
done
run view --from pi error
is 'an error as pi' "$status $(cat out err)" \
  '1 agentrun: no line of error is pi output (1 line)'
run view --from dsh this error
is 'a good file and another' "$status" 0
run view --from dsh this other
is 'a good file and one that is not' \
  "$status $(grep -c '"type":"end"' out) $(cat err)" \
  '1 1 agentrun: no line of other is dsh output (5 lines)'
# A stream of events in which raw lines stand has just bad lines.
{ cat run.jsonl && head -n 1 this; } >mixed
run view mixed
like 'raw lines behind events' "$status $(cat err)" '1 agentrun: mixed: line *'

done_testing
