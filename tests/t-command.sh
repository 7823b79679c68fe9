#!/bin/sh
# How codex, pi and dsh are started: arguments, stdin, environment, patch file.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

mkdir bin repo
cat >bin/fake <<'EOF'
#!/bin/sh
if [ "$1" = --version ]; then echo 1.99.0; exit 0; fi
cat >stdin
env | sort >env
for a; do
  case $a in *.yml) cp "$a" patch.yml ;; esac
done
echo '{"type":"turn.completed","usage":{}}'
EOF
chmod +x bin/fake
for p in codex pi dsh; do ln -s fake bin/$p; done

box=off
go() {
  rt=$1
  shift
  run "$AGENTRUN" "$rt" --sandbox "$box" --format jsonl --path "$work/bin" \
    --cwd repo --prompt 'do it' "$@"
  argv=$(sed -n 's/.*"type":"start".*"argv":\[\(.*\)\],"env".*/\1/p' out |
    sed "s|$work/||g; s|\"[^\"]*/agentrun-[A-Za-z0-9]*/|\"TMP/|g; s/\"//g; s/,/ /g")
}
var() {
  sed -n "s/^$1=//p" repo/env
}

go codex
is "codex" "$argv" \
  "bin/codex exec --json -s danger-full-access --skip-git-repo-check --disable unbounded_connection_retries -"
is "codex: the prompt on stdin, nothing added" "$(od -c repo/stdin | head -n 1 | tr -d ' ')" "0000000doit"
go codex --model a/b --effort high --no-subagents -- --enable x -c 'y="z"'
is "codex: model, effort, no subagents, more arguments" "$argv" \
  "bin/codex exec --json -m a/b -c model_reasoning_effort=high -s danger-full-access --skip-git-repo-check --disable unbounded_connection_retries -c agents.enabled=false --enable x -c y=\\z\\ -"
box=native
go codex
is "codex: its own sandbox" "$argv" \
  "bin/codex exec --json -s workspace-write --skip-git-repo-check --disable unbounded_connection_retries -"
like "codex: start.sandbox" "$(head -n 1 out)" '*"sandbox":"codex","network":{"mode":"none","allow":\[],"enforced":true}*'
go codex --network full
is "codex: its own sandbox with network" "$argv" \
  "bin/codex exec --json -s workspace-write -c sandbox_workspace_write.network_access=true --skip-git-repo-check --disable unbounded_connection_retries -"
go codex --allow-host example.org
is "codex: its own sandbox filters no hosts" "$status" 2
box=off

go pi
is "pi" "$argv" "bin/pi --mode json -p --no-session"
is "pi: the prompt on stdin" "$(cat repo/stdin)" "do it"
is "pi: environment" "$(var PI_OFFLINE) $(var PI_TELEMETRY)" "1 0"
go pi --model mock/x:high --effort low --no-subagents -- --no-mcp
is "pi: model, effort, more arguments" "$argv" \
  "bin/pi --mode json -p --no-session --model mock/x:high --thinking low --no-mcp"
go pi --session-dir "$work/sessions"
like "pi: a session is kept in the private folder" "$argv" \
  "bin/pi --mode json -p --session-dir home/.local/state/agentrun/run-*/sessions"

go dsh
is "dsh" "$argv" "bin/dsh --profile headless --patch TMP/dsh.patch.yml --json -"
is "dsh: the prompt on stdin, nothing added" "$(od -c repo/stdin | head -n 1 | tr -d ' ')" "0000000doit"
is "dsh: environment" "$(var DSH_PERMISSION_MODE) $(var DSH_TELEMETRY_DISABLED)" \
  "danger-full-access 1"
is "dsh: the patch" "$(cat repo/patch.yml)" "- id: session-title-llm
  disabled: true"
go dsh --model 'a"b\c: #d' --no-subagents -- --verbose
is "dsh: more arguments" "$argv" "bin/dsh --profile headless --patch TMP/dsh.patch.yml --json --verbose -"
is "dsh: model and no subagents" "$(cat repo/patch.yml)" '- id: session-title-llm
  disabled: true
- id: agent-default-model
  config:
    provider: deepseek-official
    model: "a\"b\\c: #d"
- id: tool-subagent
  disabled: true
- id: tool-subagent-fork
  disabled: true
- id: tool-subagent-control
  disabled: true
- id: tool-subagent-list-agents
  disabled: true
- id: tool-subagent-report
  disabled: true
- id: tool-workflow
  disabled: true
- id: tool-ralph
  disabled: true'
go dsh --effort high
like "dsh: no --effort" "$status $(cat out)" '2 *"detail":"dsh has no --effort*'
for rt in codex dsh; do
  go $rt --max-usd 1
  like "$rt: no --max-usd" "$status $(cat out)" "2 *\"detail\":\"$rt reports no cost*"
done

# What of the caller's environment they get.
OPENAI_API_KEY=o CODEX_X=c PI_X=p ANTHROPIC_API_KEY=a DSH_X=d DEEPSEEK_API_KEY=k SECRET=s
export OPENAI_API_KEY CODEX_X PI_X ANTHROPIC_API_KEY DSH_X DEEPSEEK_API_KEY SECRET
seen() {
  go "$1"
  is "$1: variables" "$(grep -cE '^(OPENAI_API_KEY|CODEX_X|PI_X|ANTHROPIC_API_KEY|DSH_X|DEEPSEEK_API_KEY|SECRET)=' repo/env) $(grep -oE '^(CODEX_X|PI_X|DSH_X|SECRET)' repo/env | tr '\n' ' ')" "$2"
}
seen codex "2 CODEX_X "
seen pi "4 PI_X "
seen dsh "2 DSH_X "

mkdir "$HOME/.codex"
echo 'env_key = "SECRET"' >"$HOME/.codex/config.toml"
seen codex "3 CODEX_X SECRET "
mkdir -p "$HOME/.pi/agent"
echo '{"providers":{"x":{"apiKey":"SECRET"},"y":{"apiKey":"sk-literal"}}}' >"$HOME/.pi/agent/models.json"
seen pi "5 PI_X SECRET "

# node's warning about proxies is silenced for who is started by node; not where
# a node in PATH would refuse to start for it, and what the user gives stays.
silent=--disable-warning=UNDICI-EHPA
ln -s fake bin/claude
mkdir new-node old-node
head -c 300000 /dev/zero >new-node/node
cp new-node/node old-node/node
echo $silent >>new-node/node
chmod +x new-node/node old-node/node
# Nothing of the machine's own may be in PATH.
mkdir tools
for tool in sh cat env sort cp sed head; do
  ln -s "$(command -v $tool)" tools/$tool
done
on_node() {
  rm -f repo/env
  given=$1
  rt=$2
  shift 2
  run env PATH="$given$work/tools" "$AGENTRUN" "$rt" --sandbox off \
    --format jsonl --path "$work/bin" --cwd repo --prompt x "$@"
  got=$(var NODE_OPTIONS)
}
for rt in codex pi dsh; do
  on_node "$work/new-node:" $rt
  is "$rt: the warning of node is silenced" "$got" "$silent"
  on_node "$work/old-node:" $rt
  is "$rt: not with a node that does not know it" "$got" ""
done
on_node "$work/new-node:" claude-code
is "claude-code: is not started by node" "$got" ""
on_node "" codex
is "no node in PATH" "$got" "$silent"
on_node "$work/new-node:$work/old-node:" codex
is "one of two nodes is old" "$got" ""
on_node "$work/new-node:" codex --env NODE_OPTIONS=--max-old-space-size=99
is "it stands beside the user's own" "$got" "--max-old-space-size=99 $silent"
on_node "$work/new-node:" codex --env NODE_OPTIONS=
is "empty options stay empty" "$got" ""
on_node "$work/new-node:" codex --env "NODE_OPTIONS=$silent --no-deprecation"
is "it stands there once" "$got" "$silent --no-deprecation"
NODE_OPTIONS=--no-deprecation
export NODE_OPTIONS
on_node "$work/new-node:" codex --inherit-env
is "beside the caller's" "$got" "--no-deprecation $silent"
on_node "$work/new-node:" codex
is "which are not passed on unasked" "$got" "$silent"
unset NODE_OPTIONS
rm old-node/node
mkfifo old-node/node
chmod +x old-node/node
on_node "$work/old-node:" codex
is "a FIFO is no node" "$got" "$silent"
if command -v node >/dev/null; then
  ok "the node here starts with what is set" \
    env "$("$AGENTRUN" codex --sandbox off --path "$work/bin" --prompt x \
      --dry-run | grep -q 'set:.* NODE_OPTIONS' && echo NODE_OPTIONS=$silent ||
      echo A=b)" node -e 0
else
  skip "the node here starts with what is set" "no node"
fi

done_testing
