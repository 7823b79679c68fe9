#!/bin/sh
# --session-dir saves the session of a run, --resume goes on with it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

# Stand-ins: each leaves a session as its runtime does, and keeps what it was
# started with.
mkdir bin repo
cat >bin/common <<'EOF'
if [ "$1" = --version ]; then echo 1.99.0; exit 0; fi
printf '%s\n' "$@" >args
prompt=$(cat)
# after WORD: the argument behind WORD
after() {
  word=$1
  while read -r a; do
    [ "$found" ] && { echo "$a"; return; }
    [ "$a" = "$word" ] && found=1
  done <args
}
[ ! -f "$HOME/status" ] || exit "$(cat "$HOME/status")"
EOF
cat >bin/codex <<'EOF'
#!/bin/sh
. "${0%/*}/common"
id=$(after resume)
: "${id:=01a2-codex}"
file=$(find "$CODEX_HOME/sessions" -name "rollout-*-$id.jsonl" 2>/dev/null)
if [ ! "$file" ]; then
  mkdir -p "$CODEX_HOME/sessions/2026/12/01"
  file=$CODEX_HOME/sessions/2026/12/01/rollout-2026-12-01T01-02-03-$id.jsonl
fi
n=$(grep -c thread_token_usage "$file" 2>/dev/null)
n=$((${n:-0} + 1))
echo "{\"prompt\":\"$prompt\"}" >>"$file"
echo "{\"type\":\"token_usage_record\",\"payload\":{\"thread_token_usage\":{\"input_tokens\":$((n * 100)),\"cached_input_tokens\":$((n * 40)),\"cache_write_input_tokens\":$((n * 10)),\"output_tokens\":$((n * 7))}}}" >>"$file"
echo "{\"type\":\"thread.started\",\"thread_id\":\"$id\"}"
echo '{"type":"turn.started"}'
echo "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":$((n * 100)),\"cached_input_tokens\":$((n * 40)),\"cache_write_input_tokens\":$((n * 10)),\"output_tokens\":$((n * 7))}}"
EOF
cat >bin/pi <<'EOF'
#!/bin/sh
. "${0%/*}/common"
file=$(after --session)
if [ ! "$file" ]; then
  dir=$(after --session-dir)
  mkdir -p "$dir"
  file=$dir/2026-12-01T01-02-03-004Z_01a2-pi.jsonl
  echo "{\"type\":\"session\",\"version\":3,\"id\":\"01a2-pi\",\"cwd\":\"$PWD\"}" >"$file"
fi
echo "{\"prompt\":\"$prompt\"}" >>"$file"
head -n 1 "$file"
echo '{"type":"agent_start"}'
echo '{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"ok"}],"model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"total":0}},"stopReason":"stop"}}'
EOF
cat >bin/dsh <<'EOF'
#!/bin/sh
. "${0%/*}/common"
id=$(after --session-id)
: "${id:=session-01a2}"
dir=$DSH_HOME/sessions/-$(echo "$PWD" | tr / -)--/$id
mkdir -p "$dir/sub"
echo "$prompt" >>"$dir/session.jsonl.zstd"
echo more >"$dir/sub/more"
echo "{\"type\":\"session\",\"sessionId\":\"$id\",\"cwd\":\"$PWD\"}"
echo '{"type":"status","phase":"turn_start","turn":1}'
echo '{"type":"status","phase":"turn_end","turn":1,"reason":{"kind":"completed"}}'
echo '{"type":"final","text":"ok"}'
EOF
cat >bin/claude <<'EOF'
#!/bin/sh
. "${0%/*}/common"
id=$(after --resume)
: "${id:=01a2b3c4-0000-4000-8000-000000000000}"
slug=$(echo "$PWD" | tr -c 'a-zA-Z0-9\n' -)
mkdir -p "$CLAUDE_CONFIG_DIR/projects/$slug"
echo "{\"prompt\":1}" >>"$CLAUDE_CONFIG_DIR/projects/$slug/$id.jsonl"
echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$id\",\"cwd\":\"$PWD\",\"model\":\"m\"}"
echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\",\"session_id\":\"$id\"}"
EOF
chmod +x bin/claude bin/codex bin/pi bin/dsh

# go RUNTIME OPTION...: a run in $cwd; its end event to $end.
cwd=$work/repo
box=off
go() {
  rt=$1
  shift
  run "$AGENTRUN" "$rt" --sandbox "$box" --format jsonl --path "$work/bin" \
    --cwd "$cwd" --prompt hello "$@"
  end=$(tail -n 1 out)
}
session_id() {
  printf '%s\n' "$end" | sed -n 's/.*"session_id":"\([^"]*\)".*/\1/p'
}
detail() {
  printf '%s\n' "$end" | sed -n 's/.*"detail":"\(.*\)","duration_ms.*/\1/p'
}
warnings() {
  printf '%s\n' "$end" | sed -n 's/.*"warnings":\[\(.*\)\]}.*/\1/p'
}
# files: how many regular files session $1 has.
files() {
  find "$1" -type f | wc -l | tr -d ' '
}

for rt in claude-code codex pi dsh; do
  go $rt --session-dir "$work/s-$rt"
  id=$(session_id)
  eval "id_$(echo $rt | tr -d -)=\$id"
  is "$rt: the run is finished" "$status" 0
  ok "$rt: the session is saved under its id" test -s "s-$rt/$id/meta.json"
  like "$rt: meta.json" "$(cat "s-$rt/$id/meta.json")" \
    "{\"schema\":1,\"runtime\":\"$rt\",\"id\":\"$id\",\"cwd\":\"$cwd\",\"time\":\"20*Z\",\"model\":null}"
  is "$rt: nothing else in the directory" "$(ls -A "s-$rt")" "$id"
  before=$(find "s-$rt/$id" -type f ! -name meta.json -exec cat {} + | wc -l)

  go $rt --session-dir "$work/s-$rt" --resume "$id"
  is "$rt: resumed" "$status $(session_id)" "0 $id"
  after=$(find "s-$rt/$id" -type f ! -name meta.json -exec cat {} + | wc -l)
  ok "$rt: the saved session has grown" test "$after" -gt "$before"
  ok "$rt: it is there once" test "$(find "s-$rt" -name meta.json | wc -l)" -eq 1

  # Elsewhere: another HOME, the directory copied.
  mkdir -p "home-$rt" && cp -R "s-$rt" "copy-$rt"
  old_home=$HOME
  HOME=$work/home-$rt
  go $rt --session-dir "$work/copy-$rt" --resume "$id"
  is "$rt: resumed from a copy with another HOME" "$status $(session_id)" "0 $id"
  HOME=$old_home

  ok "$rt: no state folder is left" \
    test -z "$(find "$HOME/.local/state" "home-$rt" -name 'run-*')"

  # What cannot be resumed.
  go $rt --session-dir "$work/s-$rt" --resume nosuch
  is "$rt: unknown id" "$status" 2
  like "$rt: unknown id is told" "$(detail)" "there is no session 'nosuch' in *"
  for bad in ../x . .. a/b '' .hidden -x; do
    go $rt --session-dir "$work/s-$rt" "--resume=$bad"
    is "$rt: id '$bad' is rejected" "$status" 2
  done
  cp -R "s-$rt" "damaged-$rt"
  for text in '' '{' '[]' '{"schema":1}' '{"schema":1,"runtime":5,"cwd":"/"}' \
    '{"schema":1,"runtime":"pi","cwd":"x"}'; do
    printf %s "$text" >"damaged-$rt/$id/meta.json"
    go $rt --session-dir "$work/damaged-$rt" --resume "$id"
    like "$rt: meta.json is '$text'" "$status $(detail)" "2 *is damaged: its meta.json*"
  done
  rm "damaged-$rt/$id/meta.json"
  ln -s "$work/s-$rt/$id/meta.json" "damaged-$rt/$id/meta.json"
  go $rt --session-dir "$work/damaged-$rt" --resume "$id"
  like "$rt: meta.json is a link" "$status $(detail)" "2 *is damaged*"
  mv "damaged-$rt/$id" real && ln -s ../real "damaged-$rt/$id"
  go $rt --session-dir "$work/damaged-$rt" --resume "$id"
  is "$rt: a session that is a link is rejected" "$status" 2
  rm -rf real
  cp -R "s-$rt" "linked-$rt"
  find "linked-$rt" -name '*.jsonl*' | while read -r f; do
    mv "$f" "$work/$rt-moved" && ln -s "$work/$rt-moved" "$f"
  done
  if [ $rt != dsh ]; then
    go $rt --session-dir "$work/linked-$rt" --resume "$id"
    is "$rt: a file of it that is a link is rejected" "$status" 2
  fi
  cp -R "s-$rt" "empty-$rt"
  find "empty-$rt" -type f ! -name meta.json -exec rm {} +
  rm -rf "empty-$rt/$id/sessions" "empty-$rt/$id/projects"
  go $rt --session-dir "$work/empty-$rt" --resume "$id"
  like "$rt: the files are gone" "$status $(detail)" "2 *is damaged: the files of $rt are missing*"
done

# The id of another runtime.
go codex --session-dir "$work/s-pi" --resume "$id_pi"
like "the session of another runtime" "$status $(detail)" \
  "2 *is one of pi, not of codex. Resume it with: agentrun pi*"

# Another working directory.
mkdir other
cwd=$work/other
for rt in claude-code codex pi; do
  eval "id=\$id_$(echo $rt | tr -d -)"
  go $rt --session-dir "$work/s-$rt" --resume "$id"
  is "$rt: resumed in another directory" "$status $(session_id)" "0 $id"
done
like "pi: the file names the new directory" \
  "$(head -n 1 s-pi/"$id_pi"/sessions/*.jsonl)" "*\"cwd\":\"$work/other\"*"
go dsh --session-dir "$work/s-dsh" --resume "$id_dsh"
like "dsh: not in another directory" "$status $(detail)" \
  "2 *dsh recorded this session in '$work/repo'*not in '$work/other'*"
cp -r s-dsh hostile
sed 's|"cwd":"[^"]*"|"cwd":"/a\\u001b]0;x\\u0007\\nb\\u009b1m"|' \
  "s-dsh/$id_dsh/meta.json" >"hostile/$id_dsh/meta.json"
go dsh --session-dir "$work/hostile" --resume "$id_dsh"
is "dsh: nothing in what it recorded acts on a terminal" \
  "$(tr -d '[:print:]\357\277\275' <err | od -An -tx1) $(wc -l <err)" " 0a 1"
cwd=$work/repo

# codex counts for the whole thread; the run gets the difference.
go codex --session-dir "$work/s-codex2"
go codex --session-dir "$work/s-codex2" --resume 01a2-codex
like "codex: usage of this run only" "$(grep '"type":"usage"' out)" \
  '*"input_tokens":50,"output_tokens":7,"cache_read_tokens":40,"cache_write_tokens":10,*'
like "codex: resume stands before the prompt" "$(tr '\n' ' ' <repo/args)" \
  'exec --json -s danger-full-access *resume 01a2-codex - '

# The same inside the sandbox, where the user's own state cannot be written.
box=on
mkdir -p "$HOME/.codex" "$HOME/.pi/agent" "$HOME/.dsh" "$HOME/.claude"
go pi
if [ "$status" -ne 0 ]; then
  skip "sessions in the sandbox" "no sandbox here: $(detail | cut -c 1-60)"
else
  for rt in claude-code codex pi dsh; do
    go $rt --session-dir "$work/b-$rt"
    id=$(session_id)
    ok "$rt: saved out of the sandbox" test -s "b-$rt/$id/meta.json"
    go $rt --session-dir "$work/b-$rt" --resume "$id"
    is "$rt: resumed in the sandbox" "$status $(session_id)" "0 $id"
    ok "$rt: nothing but the session is left" \
      test -z "$(find "$HOME" -name 'run-*')$(find "$HOME" -name '*.jsonl*')"
  done
  go codex --session-dir "$work/repo/inside"
  like "a directory inside the working directory is noted" "$(head -n 1 out)" \
    "*--session-dir $work/repo/inside is inside the working directory.*"
  is "and used all the same" "$(session_id)" 01a2-codex
fi
box=off

# A failed run is saved, too; one without a record is not.
echo 1 >"$HOME/status"
go codex --session-dir "$work/s-fail"
is "no record, no session" "$status $(session_id)" "1 "
is "a failed run without a record lost nothing" "$(warnings)" ""
is "nothing was written for it" "$(ls -A s-fail)" ""
rm "$HOME/status"
sed 's/turn.completed/turn.failed/' bin/codex >bin/codex2
mv bin/codex2 bin/codex && chmod +x bin/codex
go codex --session-dir "$work/s-fail"
is "a failed run is saved" "$status $(session_id)" "1 01a2-codex"

# An id that the runtime made up must not leave the directory.
sed -i 's/01a2-codex/..\\\/..\\\/evil/g' bin/codex
go codex --session-dir "$work/s-evil"
is "a bad id of the runtime is not saved" "$(session_id)$(ls -A s-evil)" ""
like "a bad id is told on stderr" "$(cat err)" "*is no session id*"
is "a failed run whose session is not saved" "$(warnings)" \
  '"session_not_saved"'

# Links that the runtime leaves in its state are not followed.
cat >bin/codex <<'EOF'
#!/bin/sh
. "${0%/*}/common"
mkdir -p "$CODEX_HOME/sessions/2026"
ln -s "$HOME/secret" "$CODEX_HOME/sessions/2026/rollout-1-linked.jsonl"
mkfifo "$CODEX_HOME/sessions/2026/rollout-2-linked.jsonl"
echo '{"type":"thread.started","thread_id":"linked"}'
echo '{"type":"turn.completed","usage":{}}'
EOF
echo secret >"$HOME/secret"
go codex --session-dir "$work/s-link"
is "links and FIFOs are no record" "$status $(session_id)$(ls -A s-link)" "0 "
is "a good run without a record says so" "$(warnings)" \
  '"empty_run","session_not_saved"'
go codex
is "nobody asked for a session" "$(warnings)" '"empty_run"'

# Ended by agentrun: saved all the same.
cat >bin/codex <<'EOF'
#!/bin/sh
. "${0%/*}/common"
mkdir -p "$CODEX_HOME/sessions/2026"
echo x >"$CODEX_HOME/sessions/2026/rollout-1-late.jsonl"
echo '{"type":"thread.started","thread_id":"late"}'
echo '{"type":"turn.started"}'
: >started
exec sleep 60
EOF
go codex --session-dir "$work/s-time" --timeout 0.5
is "after a timeout" "$status $(session_id) $(ls s-time)" "3 late late"
rm repo/started
"$AGENTRUN" codex --sandbox off --format jsonl --path "$work/bin" --cwd "$cwd" \
  --prompt hello --session-dir "$work/s-int" >int.jsonl 2>/dev/null </dev/null &
pid=$!
wait_until 20 test -e repo/started
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
end=$(tail -n 1 int.jsonl)
is "after SIGTERM" "$status $(session_id) $(ls s-int)" "143 late late"

# Killed in the middle of a save: there is the old session or the new one, whole.
cat >bin/codex <<'EOF'
#!/bin/sh
. "${0%/*}/common"
mkdir -p "$CODEX_HOME/sessions/2026"
file=$CODEX_HOME/sessions/2026/rollout-1-big.jsonl
head -c 60000000 /dev/zero | tr '\0' "$(cat "$HOME/letter")" >"$file"
echo end >>"$file"
echo '{"type":"thread.started","thread_id":"big"}'
echo '{"type":"turn.completed","usage":{}}'
EOF
echo a >"$HOME/letter"
go codex --session-dir "$work/s-big"
is "the first save" "$(session_id)" big
echo b >"$HOME/letter"
"$AGENTRUN" codex --sandbox off --format jsonl --path "$work/bin" --cwd "$cwd" \
  --prompt hello --session-dir "$work/s-big" >/dev/null 2>&1 </dev/null &
pid=$!
temporary() {
  set -- s-big/.tmp-*
  [ -e "$1" ] || ! kill -0 "$pid"
}
wait_until 20 temporary
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
file=s-big/big/sessions/2026/rollout-1-big.jsonl
is "killed in a save: the session is whole" "$(tail -c 4 $file) $(wc -c <$file)" \
  "end 60000004"
ok "killed in a save: its meta.json is whole" grep -q '^{"schema":1,.*}$' s-big/big/meta.json
go codex --session-dir "$work/s-big"
is "the next save leaves only the session" "$(session_id) $(ls -A s-big)" "big big"

# A dry run changes nothing.
run "$AGENTRUN" codex --dry-run --sandbox off --path "$work/bin" --cwd repo \
  --prompt x --session-dir "$work/s-dry"
is "--dry-run with a new directory" "$status" 0
ok "it is not made" not test -e s-dry

# What is in the way.
: >plain
go codex --session-dir "$work/plain"
is "--session-dir names a file" "$status" 2
go codex --resume x
is "--resume alone is rejected" "$status" 2

done_testing
