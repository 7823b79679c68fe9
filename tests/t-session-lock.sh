#!/bin/sh
# One run at a time has a session: the second is told who has it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

# A codex that adds one line to its thread a turn. $HOME/hold: it says that it
# runs and waits for $HOME/go. $HOME/id: the id of a new thread. $HOME/do: what
# it does to the session directory meanwhile.
mkdir bin repo
cat >bin/codex <<'EOF2'
#!/bin/sh
if [ "$1" = --version ]; then echo 1.99.0; exit 0; fi
cat >/dev/null
id=
for arg; do
  [ "$before" != resume ] || id=$arg
  before=$arg
done
[ "$id" ] || { id=$(cat "$HOME/id" 2>/dev/null) && echo new >>"$HOME/news"; } || id=t-1
mkdir -p "$CODEX_HOME/sessions/2026"
file=$CODEX_HOME/sessions/2026/rollout-1-$id.jsonl
echo "{\"type\":\"thread.started\",\"thread_id\":\"$id\"}"
echo '{"type":"turn.started"}'
if [ -e "$HOME/hold" ]; then
  : >"$HOME/runs"
  [ ! -e "$HOME/do" ] || sh "$HOME/do"
  while [ ! -e "$HOME/go" ]; do sleep 0.05; done
fi
echo '{"type":"turn"}' >>"$file"
echo '{"type":"turn.completed","usage":{}}'
EOF2
chmod +x bin/codex
host=$(uname -n)
dir=$work/s

agent() {
  exec "$AGENTRUN" codex --sandbox off --format jsonl --path "$work/bin" \
    --cwd "$work/repo" --prompt hello --session-dir "$dir" "$@"
}
go() {
  run agent "$@"
}
# `run` calls a function: exec would end the test.
run() {
  status=0
  ("$@") >"$work/out" 2>"$work/err" </dev/null || status=$?
}
# begin FILE OPTION...: a run that holds its session, its output to FILE.
begin() {
  rm -f "$HOME/go" "$HOME/runs"
  : >"$HOME/hold"
  begin_out=$1
  shift
  agent "$@" >"$begin_out" 2>"$begin_out.err" </dev/null &
  holder=$!
  wait_until 20 test -e "$HOME/runs" || diag "it does not run"
  rm -f "$HOME/hold"
}
holder=
at_exit 'test -z "$holder" || kill -9 $holder 2>/dev/null'
finish() {
  : >"$HOME/go"
  status=0
  wait "$holder" || status=$?
  holder=
}
turns() {
  grep -c turn "$dir/t-1/sessions/2026/rollout-1-t-1.jsonl"
}
detail() {
  tail -n 1 "${1:-out}" |
    sed -n 's/.*"status":"\([a-z]*\)".*"detail":"\(.*\)","duration_ms.*/\1 \2/p'
}

go
is "a session" "$status $(turns) $(ls -A "$dir")" "0 1 t-1"

# Two that go on with it.
begin first --resume t-1
go --resume t-1
is "the second of two is rejected" "$status" 2
is "with who has the session" "$(detail)" \
  "rejected the session 't-1' in '$dir' is in use by process $holder on $host. Wait for the end of that run, or end it with 'kill $holder' there"
is "one event" "$(grep -c . out)" 1
like "on stderr, too" "$(cat err)" "agentrun: the session 't-1'*process $holder on $host.*"
go --resume t-1 --dry-run
is "a dry run says so, too" "$status" 2
go --resume t-2
like "another session is not in the way" "$status $(detail)" "2 rejected there is no session*"
is "nothing is left for it" "$(cd "$dir" && echo .[a-z]*)" ".lock-t-1"
ok "the holder's turn is not over" test "$(turns)" -eq 1
finish
is "the first is finished" "$status $(turns)" "0 2"
is "its lock is gone" "$(ls -A "$dir")" t-1
go --resume t-1
is "then the second may" "$status $(turns)" "0 3"

# Through another name of the directory.
ln -s s other-name
begin first --resume t-1
real=$dir
dir=$work/other-name
go --resume t-1
dir=$real
like "the directory by another name" "$status $(detail)" "2 *in use by process $holder on *"
finish

# Many at once: each turn that was finished is there.
before=$(turns)
for i in 1 2 3 4 5 6 7 8; do
  (
    agent --resume t-1 >many.$i 2>/dev/null </dev/null
  ) &
  eval "many_$i=$!"
done
won=0
odd=
for i in 1 2 3 4 5 6 7 8; do
  eval "pid=\$many_$i"
  status=0
  wait "$pid" || status=$?
  case $status in
    0) won=$((won + 1)) ;;
    2) case $(detail many.$i) in *"in use by "*) ;; *) odd="$odd $(detail many.$i)" ;; esac ;;
    *) odd="$odd $status" ;;
  esac
done
ok "of many at once some win" test "$won" -ge 1
is "the others are told why" "$odd" ""
is "no turn is lost" "$(turns)" "$((before + won))"
is "nothing is left of them" "$(ls -A "$dir")" t-1

# A killed run, and what it leaves.
begin first --resume t-1
kill -9 "$holder"
wait "$holder" 2>/dev/null
: >"$HOME/go"
ok "its lock file is still there" test -s "$dir/.lock-t-1"
before=$(turns)
go --resume t-1
is "a killed run holds nothing" "$status $(turns)" "0 $((before + 1))"
is "its lock file is taken over" "$(ls -A "$dir")" t-1
echo "$$ $host" >"$dir/.lock-t-1"
echo "1 elsewhere" >"$dir/.lock-t-9"
mkdir "$dir/.tmp-t-9" "$dir/.tmp-123-0"
: >"$dir/.tmp-t-9/meta.json"
go --resume t-1
is "what a lock file says refuses nobody" "$status" 0
is "what killed runs left is removed" "$(ls -A "$dir")" t-1
mv "$dir/t-1" "$dir/.old-t-1"
go --resume t-1
is "a session that was put aside gets its name back" "$status $(ls -A "$dir")" "0 t-1"
mkdir "$dir/.old-t-1"
go --resume t-1
is "an old one is removed" "$status $(ls -A "$dir")" "0 t-1"

# What an agent may have put in the lock's place.
echo precious >"$work/precious"
for what in 'ln -s ../precious' 'ln -s nowhere' 'ln ../precious' mkfifo mkdir; do
  (cd "$dir" && $what .lock-t-1)
  go --resume t-1
  is "$what: in the lock's place" "$status $(ls -A "$dir")" "0 t-1"
done
is "nothing was written through it" "$(cat "$work/precious")" precious
ok "nothing was made through it" not test -e "$dir/nowhere"
begin first --resume t-1
for text in '' x "$(printf '12 a\033b')" '-5 host' '99999999999999999999999' '7' \
  "$(head -c 5000 /dev/zero | tr '\0' 9)"; do
  printf %s "$text" >"$dir/.lock-t-1"
  go --resume t-1
  like "the lock file says '$(printf %.9s "$text")'" "$status $(detail)" \
    "2 rejected the session 't-1' in '$dir' is in use by another process.*"
done
finish
is "and it is finished all the same" "$status" 0

# Two new sessions with one id: the second is ended as soon as that is known.
echo same >"$HOME/id"
begin first
: >"$HOME/hold"
go
is "the second of two new ones fails" "$status" 1
like "it is not saved" "$(tail -n 1 out)" '*"session_id":null,"warnings":\["session_not_saved"\]}'
like "with who has the session" "$(detail)" \
  "failed the session 'same' in '$dir' is in use by process $holder on $host.*"
go --resume same
like "nobody goes on with it before it is saved" "$status $(detail)" \
  "2 *in use by process $holder on $host.*"
finish
is "the first is saved" "$status $(ls -A "$dir" | tr '\n' ' ')" "0 same t-1 "
is "once" "$(grep -c turn "$dir/same/sessions/2026/rollout-1-same.jsonl")" 1

# The directory is the one of the start, whatever becomes of its name.
rm -f "$HOME/id" "$HOME/hold"
dir=$work/repo/inside
go
cat >"$HOME/do" <<EOF2
mv "$dir" "$dir-moved"
mkdir "$work/trap"
ln -s "$work/trap" "$dir"
EOF2
begin first --resume t-1
finish
is "a directory that was moved meanwhile" "$status $(ls -A "$dir-moved")" "0 t-1"
is "nothing went where its name leads now" "$(ls -A trap)" ""
is "the turn is in it" \
  "$(grep -c turn "$dir-moved/t-1/sessions/2026/rollout-1-t-1.jsonl")" 2
rm "$HOME/do"

done_testing
