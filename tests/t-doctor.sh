#!/bin/sh
# agentrun doctor: what it finds and how it says it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

# A server that only accepts: the network check of all four runtimes.
cat >listen.py <<'EOF'
import socket, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(16)
print(s.getsockname()[1], flush=True)
held = []
while True:
    held.append(s.accept())
EOF
python3 listen.py >port &
at_exit "kill $!"
wait_until 10 test -s port
url=http://127.0.0.1:$(cat port)
ANTHROPIC_BASE_URL=$url OPENAI_BASE_URL=$url DEEPSEEK_BASE_URL=$url/v1
export ANTHROPIC_BASE_URL OPENAI_BASE_URL DEEPSEEK_BASE_URL
unset ANTHROPIC_API_KEY OPENAI_API_KEY DEEPSEEK_API_KEY

mkdir bin
fake() {
  printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}
fake codex 'case $1 in --version) echo codex-cli 0.171.0;; login) echo "Logged in using ChatGPT" >&2;; esac'
fake claude '[ "$1" = --version ] && echo "2.1.332 (Claude Code)"'
fake pi 'echo 1.6.0'
fake dsh 'echo dsh v0.2.1-rc.2'
PATH=$work/bin:$PATH

# line RUNTIME CHECK: "RESULT DETAIL" of that line of the report
line() {
  sed -n "s/^$1  *$2  *\\(ok\\|fail\\|skip\\)  */\\1 /p" out
}

run "$AGENTRUN" doctor codex
is "codex: executable" "$(line codex executable)" "ok $work/bin/codex 0.171.0"
is "codex: login by its own command" "$(line codex login)" "ok codex login status"
is "codex: network" "$(line codex network)" "ok 127.0.0.1:$(cat port)"
like "codex: the sandbox was tried" "$(line codex sandbox)" "[of][ka]*"
is "one line for each check" "$(wc -l <out | tr -d ' ')" 4
is "the columns are aligned" \
  "$(grep -cE '^.{11}  .{10}  (ok  |fail|skip)  [^ ]' out)" 4

mkdir "$HOME/.codex"
fake codex 'case $1 in --version) echo codex-cli 0.171.0;; login) echo "Not logged in" >&2; exit 1;; esac'
run "$AGENTRUN" doctor codex
like "codex: not logged in" "$(line codex login)" "fail *"
CODEX_API_KEY=k "$AGENTRUN" doctor codex >out
is "codex: its own variable" "$(line codex login)" 'ok $CODEX_API_KEY'
echo 'env_key = "MY_KEY"' >"$HOME/.codex/config.toml"
MY_KEY=k "$AGENTRUN" doctor codex >out
is "codex: a variable that the settings name" "$(line codex login)" 'ok $MY_KEY'
rm -r "$HOME/.codex"

run "$AGENTRUN" doctor dsh
is "dsh: a version with a pre-release" "$(line dsh executable)" \
  "ok $work/bin/dsh 0.2.1-rc.2 (>= 0.1.6)"
like "dsh: not logged in" "$(line dsh login)" "fail not logged in. Mend it: set DEEPSEEK_API_KEY*"
is "a failed check: exit 1" "$status" 1
DEEPSEEK_API_KEY=secret-key "$AGENTRUN" doctor dsh >out
is "dsh: the key is set" "$(line dsh login)" 'ok $DEEPSEEK_API_KEY'
ok "its value is not shown" not grep -q secret-key out

for v in 0.1.5 0.1.6-rc.1 0.1.0-rc.8 0.0.9; do
  fake dsh "echo $v"
  run "$AGENTRUN" doctor dsh
  like "dsh $v is too old" "$(line dsh executable)" \
    "fail *is version $v, but 0.1.6 or newer is needed. Get it with: npm *"
done
run "$AGENTRUN" dsh --sandbox off --format jsonl --prompt x
is "a run with it is rejected" "$status $(wc -l <out | tr -d ' ')" "2 1"
like "with the version found and the one needed" "$(cat out)" \
  '*"detail":"*is dsh 0.0.9, but version 0.1.6 or newer is needed*'
for v in 0.1.6 0.1.7-rc.2 0.10.0 1.0; do
  fake dsh "echo $v"
  run "$AGENTRUN" doctor dsh
  like "dsh $v will do" "$(line dsh executable)" "ok *"
done

mkdir -p "$HOME/.pi/agent"
run "$AGENTRUN" doctor pi
like "pi: no login" "$(line pi login)" "fail *"
auth=$HOME/.pi/agent/auth.json
echo '{"anthropic":{"type":"api_key","key":"sk-1"}}' >"$auth"
run "$AGENTRUN" doctor pi
is "pi: a login file" "$(line pi login)" "ok $auth"

# What the files of a login hold.
fake claude 'case $1 in --version) echo "2.1.332 (Claude Code)";; *) exit 1;; esac'
mkdir -p "$HOME/.codex" "$HOME/.claude" "$HOME/.dsh"
file_of() {
  case $1 in
    claude-code) auth=$HOME/.claude/.credentials.json ;;
    codex) auth=$HOME/.codex/auth.json ;;
    pi) auth=$HOME/.pi/agent/auth.json ;;
    dsh) auth=$HOME/.dsh/auth.json ;;
  esac
}
# holds RUNTIME RESULT TEXT: the report, when TEXT is in the file.
holds() {
  file_of "$1"
  printf "$3" >"$auth"
  run "$AGENTRUN" doctor "$1"
  like "$1: $3" "$(line "$1" login)" "$2"
  case $2 in
    ok*) ;;
    *) is "$1: exit 1" "$status" 1 ;;
  esac
}
past=1700000000
for rt in claude-code codex pi dsh; do
  file_of $rt
  good="ok $auth"
  none="fail not logged in: '$auth' holds no login. Mend it: *"
  bad="fail not logged in: '$auth' is not JSON. Mend it: *"
  holds $rt "$none" '{}'
  holds $rt "$none" '[]'
  holds $rt "$none" 'null'
  holds $rt "$none" '"sk-123"'
  holds $rt "$none" '{"tokens":null,"OPENAI_API_KEY":null,"last_refresh":"2026-12-01"}'
  holds $rt "$none" '{"OPENAI_API_KEY":"","tokens":{"access_token":" ","refresh_token":""}}'
  holds $rt "$none" '{"claudeAiOauth":{"accessToken":null,"expiresAt":1,"scopes":["a"]}}'
  holds $rt "$none" '{"anthropic":{"type":"api_key"},"openai":{"type":"oauth","expires":0}}'
  holds $rt "fail not logged in: '$auth' is empty. Mend it: *" ''
  holds $rt "fail not logged in: '$auth' is empty. Mend it: *" ' \n'
  holds $rt "$bad" '{"tokens":{"access_token":"x"'
  holds $rt "$bad" 'sk-123'
  holds $rt "fail not logged in: '$auth' begins with a byte order mark, which $rt *" \
    '\357\273\277{"claudeAiOauth":{"accessToken":"x"},"tokens":{"access_token":"x"}}'
  holds $rt "$good" '{"claudeAiOauth":{"accessToken":"x"},"tokens":{"access_token":"x"}}'
  rm "$auth"
  mkdir "$auth"
  run "$AGENTRUN" doctor $rt
  like "$rt: a directory" "$(line $rt login)" \
    "fail not logged in: '$auth' is no regular file. *"
  rmdir "$auth"
  mkfifo "$auth"
  run "$AGENTRUN" doctor $rt
  like "$rt: a FIFO" "$(line $rt login)" \
    "fail not logged in: '$auth' is no regular file. *"
  rm "$auth"
  ln -s nowhere "$auth"
  run "$AGENTRUN" doctor $rt
  like "$rt: a link to nothing" "$(line $rt login)" "fail not logged in. Mend it: *"
  rm "$auth"
done
file_of claude-code
holds claude-code "ok $auth" \
  '{"claudeAiOauth":{"accessToken":"a","refreshToken":"r","expiresAt":1700000000000}}'
holds claude-code "fail not logged in: the login in '$auth' has expired. Mend it: *" \
  '{"claudeAiOauth":{"accessToken":"a","refreshToken":"","expiresAt":1700000000000}}'
holds claude-code "ok $auth" \
  '{"claudeAiOauth":{"accessToken":"a","expiresAt":99000000000000}}'
holds claude-code "fail not logged in: '$auth' holds no login. Mend it: *" \
  '{"mcpOAuth":{"server":{"accessToken":"a"}}}'
file_of codex
holds codex "ok $auth" '{"OPENAI_API_KEY":"sk-1"}'
holds codex "ok $auth" '{"OPENAI_API_KEY":null,"tokens":{"id_token":"i","access_token":"a","refresh_token":"r"}}'
file_of pi
holds pi "ok $auth" '{"x":{"type":"oauth","access":"a","refresh":"r","expires":'$past'000}}'
holds pi "fail *'$auth' has expired. *" '{"x":{"type":"oauth","access":"a","expires":'$past'000}}'
holds pi "fail *'$auth' has expired. *" '{"x":{"type":"oauth","access":"a","expires":'$past'}}'
holds pi "ok $auth" '{"x":{"type":"oauth","access":"a","expires":'$past'},"y":{"key":"k"}}'
echo '{"providers":{"local":{"apiKey":"none","models":[]}}}' >"$HOME/.pi/agent/models.json"
holds pi "ok $HOME/.pi/agent/models.json" '{}'
echo '{"providers":{"local":{"models":[]}}}' >"$HOME/.pi/agent/models.json"
holds pi "fail *'$auth' holds no login. *" '{}'
ok "no secret is shown" not grep -q 'sk-1' out
head -c 2000000 /dev/zero >"$auth"
run "$AGENTRUN" doctor pi
like "a huge file" "$(line pi login)" "fail not logged in: cannot read '$auth': *"
# deep: what json_parse refuses must not be walked
{
  head -c 100000 /dev/zero | tr '\0' '['
} >"$auth"
run "$AGENTRUN" doctor pi
like "a deep file" "$(line pi login)" "fail not logged in: '$auth' is not JSON. *"

rm bin/claude
run "$AGENTRUN" doctor claude-code
like "claude-code: not installed" "$(line claude-code executable)" \
  "fail 'claude' is not in PATH. Get it with: npm *"
like "claude-code: login waits for it" "$(line claude-code login)" "skip *"
is "exit 1" "$status" 1

run "$AGENTRUN" doctor --json codex dsh
ok "--json is JSON" python3 -c '
import json
d = json.load(open("out"))
assert d["schema"] == 1 and d["ok"] is False, d
assert [(c["runtime"], c["check"]) for c in d["checks"]] == [
    (r, c) for r in ("codex", "dsh")
    for c in ("executable", "login", "sandbox", "network")], d
assert all(c["result"] in ("ok", "fail", "skip") for c in d["checks"])
assert open("out").read().count("\n") == 1'

run "$AGENTRUN" doctor nosuch
is "an unknown runtime" "$status" 2

run "$AGENTRUN" doctor
is "without names: all of them" "$(cut -d ' ' -f 1 out | sort -u | tr '\n' ' ')" \
  "claude-code codex dsh pi "

# What fails: nothing listens there, and a proxy that refuses.
OPENAI_BASE_URL=http://127.0.0.1:1
run "$AGENTRUN" doctor codex
like "nothing listens" "$(line codex network)" "fail cannot reach 127.0.0.1:1: Connection refused.*"
fake codex 'exit 3'
run "$AGENTRUN" doctor codex
like "no version" "$(line codex executable)" "fail *did not tell its version*"

# A proxy that connects, and then waits to be spoken to; one that refuses.
cat >connect.py <<'END'
import socket, sys
s = socket.create_server(("127.0.0.1", 0))
open("port2", "w").write(str(s.getsockname()[1]) + "\n")
kept = []
while True:
    c, _ = s.accept()
    head = c.recv(4096)
    c.sendall(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n" if b" [2001:db8::7]:443 "
              in head else b"HTTP/1.1 200\x1b[31m no\r\n\r\n")
    kept.append(c)
END
python3 -B connect.py &
at_exit "kill $! 2>/dev/null"
wait_until 10 test -s port2
HTTPS_PROXY=http://127.0.0.1:$(cat port2)
export HTTPS_PROXY
OPENAI_BASE_URL='https://[2001:DB8::7]/v1'
run timeout 9 "$AGENTRUN" doctor codex
is "a proxy that stays silent behind its answer" "$(line codex network)" \
  "ok [2001:db8::7]:443 (127.0.0.1:$(cat port2))"
OPENAI_BASE_URL=https://example.com
run timeout 9 "$AGENTRUN" doctor codex
like "a proxy that refuses" "$(line codex network)" \
  "fail cannot reach *: the proxy answers 'HTTP/1.1 200 no'*"

done_testing
