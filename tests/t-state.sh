#!/bin/sh
# The private state folder: what is copied into it, what comes back, and that
# nothing of it is left.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

mkdir bin repo
cat >bin/codex <<'EOF'
#!/bin/sh
if [ "$1" = --version ]; then echo 1.99.0; exit 0; fi
cat >/dev/null
(cd "$CODEX_HOME" && find . | sort && stat -c '%a %n' . auth.json) >listing
echo "$CODEX_HOME" >where
. ./act
echo '{"type":"turn.completed","usage":{}}'
EOF
chmod +x bin/codex
ln -s codex bin/pi

# go ACT...: a run whose runtime does ACT in its folder.
rt=codex
go() {
  echo "$1" >repo/act
  shift
  run "$AGENTRUN" $rt --sandbox off --format jsonl --path "$work/bin" --cwd repo \
    --prompt x --session-dir "$work/sessions" "$@"
}
own=$HOME/.codex
fresh() {
  chmod -R u+rwx "$own" 2>/dev/null
  rm -rf "$own"
  mkdir -p "$own/skills/one" "$own/sessions/2026" "$own/log"
  echo '{"tokens":{"access":"old"}}' >"$own/auth.json"
  echo 'model = "x"' >"$own/config.toml"
  echo skill >"$own/skills/one/SKILL.md"
  echo old >"$own/sessions/2026/rollout-1-x.jsonl"
  echo history >"$own/history.jsonl"
}
left() {
  find "$HOME/.local" "$TMPDIR" -name 'run-*' -o -name 'agentrun-*'
}

fresh
mkdir "$work/dotfiles" && echo prompt >"$work/dotfiles/p.md"
ln -s "$work/dotfiles" "$own/prompts"
go :
is "settings and credentials are there, nothing else" "$(grep '^\.' repo/listing | tr '\n' ' ')" \
  ". ./auth.json ./config.toml ./prompts ./prompts/p.md ./skills ./skills/one ./skills/one/SKILL.md "
like "the folder is private" "$(grep '^[0-9]' repo/listing | tr '\n' ' ')" "700 . 600 auth.json "
like "it lies below the state folder of the user" "$(cat repo/where)" \
  "$HOME/.local/state/agentrun/run-*"
is "nothing of it is left" "$(left)" ""
is "the own folder is as it was" "$(cat "$own/auth.json" "$own/history.jsonl" | tr '\n' ' ')" \
  '{"tokens":{"access":"old"}} history '

# What comes back.
new='{"tokens":{"access":"new"},"last_refresh":"2026"}'
back() {
  what=$1 act=$2 want=$3
  fresh
  go "$act"
  is "$what" "$(cat "$own/auth.json")" "$want"
}
old='{"tokens":{"access":"old"}}'
write() {
  echo "echo '$1' >\"\$CODEX_HOME/auth.json\""
}
back "a renewed token comes back" "$(write "$new")" "$new"
is "as a private file" "$(stat -c %a "$own/auth.json")" 600
back "also when it was renamed into place" \
  "echo '$new' >\"\$CODEX_HOME/a\"; mv \"\$CODEX_HOME/a\" \"\$CODEX_HOME/auth.json\"" "$new"
back "what is no JSON does not" "$(write '{"tokens":')" "$old"
like "and stderr says so" "$(cat err)" "agentrun: *auth.json' was not renewed: *JSON"
back "a removed file does not" 'rm "$CODEX_HOME/auth.json"' "$old"
back "a link does not" \
  "rm \"\$CODEX_HOME/auth.json\"; echo '$new' >\"\$HOME/x.json\"; ln -s \"\$HOME/x.json\" \"\$CODEX_HOME/auth.json\"" "$old"
back "a FIFO does not" 'rm "$CODEX_HOME/auth.json"; mkfifo "$CODEX_HOME/auth.json"' "$old"
back "a directory does not" 'rm "$CODEX_HOME/auth.json"; mkdir "$CODEX_HOME/auth.json"' "$old"
back "a huge file does not" \
  '(echo "{\"a\":\""; head -c 2000000 /dev/zero | tr "\0" x; echo "\"}") >"$CODEX_HOME/auth.json"' "$old"
back "a command that pi would run does not" "$(write '{"anthropic":{"key":" !touch /tmp/x"}}')" "$old"
like "and stderr says so" "$(cat err)" "*was not renewed: *command"
meanwhile='{"tokens":{"access":"meanwhile"}}'
back "not over what somebody else has changed" \
  "$(write "$new"); echo '$meanwhile' >\"\$HOME/.codex/auth.json\"" "$meanwhile"
like "and stderr says so" "$(cat err)" "*was not renewed: it has changed meanwhile"
fresh
go 'echo evil >"$CODEX_HOME/config.toml"; echo evil >"$CODEX_HOME/skills/one/SKILL.md"; echo evil >"$CODEX_HOME/hooks.json"'
is "settings never come back" "$(cat "$own/config.toml" "$own/skills/one/SKILL.md"; ls "$own" | tr '\n' ' ')" \
  'model = "x"
skill
auth.json config.toml history.jsonl log sessions skills '
fresh && rm "$own/auth.json"
go "$(write "$new")"
ok "a login that was not there before does not come back" not test -e "$own/auth.json"
fresh && mv "$own/auth.json" dotfiles/auth.json && ln -s "$work/dotfiles/auth.json" "$own/auth.json"
go "$(write "$new")"
is "a link of the user stays one" "$(readlink "$own/auth.json") $(cat dotfiles/auth.json)" \
  "$work/dotfiles/auth.json $new"

# CODEX_HOME of the caller is the one that is copied.
fresh && mv "$own" elsewhere
CODEX_HOME=$work/elsewhere
export CODEX_HOME
go "$(write "$new")"
ok "the folder that the variable names is copied" grep -q config.toml repo/listing
is "and gets the token back" "$(cat elsewhere/auth.json)" "$new"
unset CODEX_HOME

# No settings at all, no HOME that can be written, XDG_STATE_HOME.
rm -rf "$own"
go :
is "no settings: an empty folder" "$(grep '^\.' repo/listing)" .
XDG_STATE_HOME=$work/xdg
export XDG_STATE_HOME
go :
like "XDG_STATE_HOME is used" "$(cat repo/where)" "$work/xdg/agentrun/run-*"
: >file
XDG_STATE_HOME=$work/file/x
go :
like "one that cannot be made is passed over" "$(cat repo/where)" "$HOME/.local/state/agentrun/run-*"
mkdir loose && chmod 777 loose && mkdir -m 777 loose/agentrun
XDG_STATE_HOME=$work/loose
go :
like "one that others can write is passed over" "$(cat repo/where)" "$HOME/.local/state/agentrun/run-*"
unset XDG_STATE_HOME
rm -rf "$HOME/.local" && : >"$HOME/.local"
go :
like "at last the temporary folder" "$(cat repo/where)" "$TMPDIR/agentrun-*"
is "nothing is left there" "$(ls -A "$TMPDIR" | grep -v '\.out$')" ""
rm "$HOME/.local"

# Every kind of end.
fresh
go 'exit 3'
is "failed: nothing is left" "$status$(left)" 1
go 'kill -9 $$'
is "killed: nothing is left" "$status$(left)" 1
go 'sleep 30' --timeout 0.3
is "timeout: nothing is left" "$status$(left)" 3
go : --image nosuch
is "rejected: nothing is left" "$status$(left)" 2
go : --resume nosuch
is "rejected session: nothing is left" "$status$(left)" 2

# agentrun itself killed: the next run removes what it left, not what is in use.
echo 'echo ready >ready; exec sleep 60' >repo/act
"$AGENTRUN" codex --sandbox off --format jsonl --path "$work/bin" --cwd repo \
  --prompt x --session-dir "$work/sessions" >/dev/null 2>&1 </dev/null &
pid=$!
wait_until 10 test -e repo/ready
live=$(cat repo/where)
mkdir other && cp repo/act other/ && rm repo/ready
go :
ok "the folder of a live run stays" test -s "$live/config.toml"
kill -9 $pid
wait $pid 2>/dev/null
go :
ok "that of a killed one is removed by the next run" not test -e "$live"
is "no state folder is left at all" "$(find "$HOME" -name 'run-*')" ""

done_testing
