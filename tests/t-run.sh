#!/bin/sh
# A run from start to end with fake runtimes: what they are fed, what is done
# with their output, what environment they get.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/fakes.sh"
need jq

fake good <<'END'
cat >seen
init; text 1; result
END
run agent good -p 'hello there' --raw raw --save saved
is 'a good run' "$(end .status .exit_code .result) $status" \
  'end finished 0 text 1 0'
is 'start first, end last, one each' \
  "$(jq -r .type out | tr '\n' ' ')" 'start text usage end '
is 'the prompt arrives' "$(jq -r .message.content seen)" 'hello there'
same '--save is the stream' saved out
run good/claude
same '--raw is what the runtime printed' raw out
is 'an end without a newline in its detail' "$(wc -c <err)" 0

run agent good -p 'my own words' --debug --env MINE=hidden
is '--debug: lines on stderr, no prompt, no values' \
  "$(grep -c -v '^\[debug\] ' err) $(grep -c -e 'own words' -e hidden err)" '0 0'
like '--debug: the command' "$(grep ' command: ' err)" \
  "\[debug\] command: $work/good/claude -p *"
ok '--debug: keeps the temporary folder' \
  test -d "$(sed -n 's/^\[debug\] kept: //p' err)"

# --- input ---

fake sum <<'END'
cksum >&2; init; text 1; result
END
head -c 10485760 /dev/zero | tr '\0' 'p' >big
run agent sum --prompt-file big
printf '%s\n' "$(printf '{"type":"user","message":{"role":"user","content":"%s"},"parent_tool_use_id":null,"session_id":""}\n' "$(cat big)")" |
  cksum >want
same 'a prompt of 10 MB' err want
fake deaf <<'END'
exec <&-
init; text 1; result
END
run agent deaf --prompt-file big
is 'a runtime that does not read its input' "$(end .status) $status" \
  'end finished 0'
fake talker <<'END'
init
i=0
while [ $i -lt 3000 ]; do text $i; i=$((i + 1)); done
cat >/dev/null
result
END
run agent talker --prompt-file big
is 'one that speaks before it listens' "$(end .status) $(wc -l <out)" \
  'end finished 6002'

# --- hostile output ---

fake hostile <<'END'
cat >/dev/null
init
head -c 100000 /dev/urandom | tr '\n' ' '; echo
head -c 3000 /dev/zero | tr '\0' '['; echo
printf '{"a":'; head -c 600 /dev/zero | tr '\0' '['; head -c 600 /dev/zero | tr '\0' ']'; echo '}'
printf '\0\0\0\n\n\r\n[]\n"x"\n1e999999\n{"type":1}\n{"type":null}\n{}\n'
said '{"type":"assistant","message":7}'
said '{"type":"assistant","message":{"content":{"type":"text"}}}'
printf '{"type":"assistant","message":{"id":"h","content":[{"type":"text","text":"bad \377 byte"}]},"parent_tool_use_id":null}\n'
printf '{"type":"assistant","message":{"id":"i","content":[{"type":"text","text":"'
head -c 20000000 /dev/zero | tr '\0' 'y'
printf '"}]},"parent_tool_use_id":null}\n'
text 9
result | tr -d '\n'
END
run agent hostile -p x --raw raw
is 'hostile output: the run is judged' "$(end .status .result) $status" \
  'end finished text 9 0'
is 'hostile output: texts' \
  "$(jq -r 'select(.type == "text").text | .[0:10] + (length | tostring)' out |
    tr '\n' ' ')" 'bad � byte10 yyyyyyyyyy20000000 text 96 '
is 'hostile output: every line is JSON' "$(jq -c .type out | wc -l)" \
  "$(wc -l <out)"

# --- stderr ---

fake noisy <<'END'
cat >/dev/null
printf 'one\ntwo\rthree\033[1m\377unfinished' >&2
init; text 1; result
END
run agent noisy -p x
printf 'one\ntwo\rthree\033[1m\377unfinished' >want
same 'stderr goes through unchanged' err want
fake broken <<'END'
cat >/dev/null
i=0
while [ $i -lt 300 ]; do printf 'é%03d ' $i >&2; i=$((i + 1)); done
exit 7
END
run agent broken -p x
is 'detail: the last 500 characters of stderr' \
  "$(end .status .exit_code) $(tail -n 1 out |
    jq -r '.detail | (length | tostring) + .[0:5] + .[-5:]') $status" \
  'end failed 7 500é200 é299  1'
fake warns <<'END'
cat >/dev/null
printf 'Error: the first\n  of two\nError: no key\n' >&2
printf '(node:7) [UNDICI-EHPA] Warning: EnvHttpProxyAgent is experimental\n' >&2
printf '(Use `node --trace-warnings ...` to show where)\n\n' >&2
exit 7
END
run agent warns -p x
is 'detail: the last lines that are no warnings' \
  "$(tail -n 1 out | jq .detail)" '"Error: the first\n  of two\nError: no key\n"'
fake only_warns <<'END'
cat >/dev/null
printf 'warning: x\n' >&2
exit 7
END
run agent only_warns -p x
is 'detail: a warning is no cause' "$(end .detail)" \
  'end claude-code exited with code 7'
fake long <<'END'
cat >/dev/null
head -c 100000 /dev/zero | tr '\0' y >&2
i=0
while [ $i -lt 5000 ]; do echo "line $i"; i=$((i + 1)); done >&2
exit 7
END
run agent long -p x
is 'detail: it begins with a whole line' "$(tail -n 1 out |
  jq -c '.detail | [length <= 500, .[0:5], .[-10:]]')" '[true,"line ","line 4999\n"]'
fake dies <<'END'
cat >/dev/null
init; text 1; kill -9 $$
END
run agent dies -p x
is 'killed by a signal' "$(end .status .exit_code .detail) $status" \
  'end failed null claude-code was killed by SIGKILL 1'
fake late <<'END'
cat >/dev/null
init; text 1; result; exit 3
END
run agent late -p x
is 'a bad exit code after a good result' \
  "$(end .status .exit_code '(.warnings | join(","))') $status" \
  'end failed 3 exit_after_result:3 1'
fake silent <<'END'
cat >/dev/null
END
run agent silent -p x
is 'no output at all' "$(end .status .exit_code .detail)" \
  'end failed 0 claude-code ended without a result'

# --- environment ---

fake env <<'END'
cat >/dev/null
env | sort >&2
init; text 1; result
END
printf '# comment\n\n  FROM_FILE=a b=c \nWIN=x\r\nQ="q"\n' >env-file
run env -i HOME="$HOME" PATH="$PATH" LC_ALL=C.UTF-8 SECRET=1 GITHUB_TOKEN=2 \
  ANTHROPIC_API_KEY=key TMPDIR="$TMPDIR" GIT_AUTHOR_NAME=me "$AGENTRUN" \
  claude-code --path env --sandbox off --format jsonl -p x \
  --env GITHUB_TOKEN --env SET=1=2 --env-file env-file --env SET=3
is 'what is passed' \
  "$(grep -v -e ^PATH= -e ^PWD= -e '^[A-Za-z]*_*[Pp][Rr][Oo][Xx][Yy]=' \
    -e ^NODE_USE -e ^_= -e ^SHLVL -e ^OLDPWD err | tr '\n' '|')" \
  "ANTHROPIC_API_KEY=key|FROM_FILE=a b=c |GITHUB_TOKEN=2|GIT_AUTHOR_NAME=me|HOME=$HOME|LC_ALL=C.UTF-8|Q=\"q\"|SET=3|TMPDIR=/tmp|WIN=x|"
like 'PATH begins with --path' "$(grep ^PATH= err)" "PATH=$work/env:*"
is 'start.env has the names' "$(head -n 1 out | jq -r '.env | join(" ")')" \
  'GITHUB_TOKEN SET FROM_FILE WIN Q'
run env SECRET=1 "$AGENTRUN" claude-code --path env --sandbox off \
  --format jsonl -p x --inherit-env
is '--inherit-env' "$(grep ^SECRET= err)" 'SECRET=1'

# --- a sandbox that cannot start ---

mkdir "$HOME/bin" # not below the working directory, where none is taken from
cat >"$HOME/bin/bwrap" <<'END'
#!/bin/sh
echo 'bwrap: No permissions to create new namespace' >&2
exit 1
END
chmod +x "$HOME/bin/bwrap"
mkdir inner
cp -R good inner
cd inner || exit 1
run env PATH="$HOME/bin:$PATH" "$AGENTRUN" claude-code --path good \
  --format jsonl -p x
is 'on: no sandbox, no run' "$(jq -r .type ../out) $(
  jq -r .status ../out) $status" 'end rejected 2'
like 'on: the reason and the fix' "$(cat ../err)" \
  'agentrun: sandbox: user namespaces are not allowed here*--sandbox *'
is 'on: nothing was started' "$(ls seen 2>&1 | grep -c '^seen$')" 0
run env PATH="$HOME/bin:$PATH" "$AGENTRUN" claude-code --path good \
  --format jsonl -p x --sandbox relax --deny-read /nowhere
like 'relax: goes on, and says why' \
  "$(head -n 1 ../out | jq -r '[.sandbox, (.deny_read | length),
    .network.enforced, .notes[0]] | map(tostring) | join(" ")')" \
  'none 0 false sandbox not running (sandbox: user namespaces are not *'
is 'relax: the command is the one for no sandbox' \
  "$(head -n 1 ../out | jq -r '.argv | join(" ")' | grep -c bypass)" 0
is 'relax: the run is good' "$(tail -n 1 ../out | jq -r .status) $status" \
  'finished 0'
AGENTRUN_SANDBOX=relax PATH="$HOME/bin:$PATH" "$AGENTRUN" claude-code \
  --path good --format text -p x >../out 2>../err
like 'relax, from the environment, as text' "$(head -n 1 ../out)" \
  '\[note\] sandbox not running (sandbox: *). agentrun does not restrict *'
# A socket that was to be masked has gone: nothing is wrong, start again.
if command -v bwrap >/dev/null 2>&1; then
  real_bwrap=$(command -v bwrap)
  cat >"$HOME/bin/bwrap" <<END
#!/bin/sh
case \$* in *--version*) exec $real_bwrap "\$@" ;; esac
n=\$(cat "$HOME/tries" 2>/dev/null || echo 0)
echo \$((n + 1)) >"$HOME/tries"
[ "\$n" -ge "\$(cat "$HOME/fail")" ] && exec $real_bwrap "\$@"
echo "bwrap: Can't create file at /x/y.sock: Read-only file system" >&2
exit 1
END
  echo 2 >"$HOME/fail"
  run env PATH="$HOME/bin:$PATH" "$AGENTRUN" claude-code --path good \
    --format jsonl -p x
  if grep -q 'namespaces\|mount()' ../err; then
    skip 'a sandbox that can start at the third try' 'no sandbox here'
  else
    is 'a sandbox that can start at the third try' "$(head -n 1 ../out |
      jq -r .sandbox) $(tail -n 1 ../out | jq -r .status) $(
        cat "$HOME/tries") $status" 'bubblewrap finished 3 0'
  fi
  echo 0 >"$HOME/tries"
  echo 99 >"$HOME/fail"
  run env PATH="$HOME/bin:$PATH" "$AGENTRUN" claude-code --path good \
    --format jsonl -p x
  is 'one that never can is refused' \
    "$(jq -r .status ../out) $status $(cat "$HOME/tries")" 'rejected 2 8'
else
  skip 'a sandbox that can start later' 'no bwrap'
fi
cd ..

# --- the demo ---

run "$AGENTRUN" demo --speed 0 --format jsonl --raw raw --save saved
is 'demo: a run like any other' "$(end .status .exit_code) $status" \
  'end finished 0 0'
same 'demo: --save' saved out
is 'demo: --raw' "$(jq -r .type raw | tail -n 1)" result
rm -f out
env --default-signal=INT "$AGENTRUN" demo --format jsonl >out 2>err &
run_pid=$!
wait_until 10 grep -q '"type":"start"' out
kill -INT $run_pid
finish
is 'demo: Ctrl-C' "$(end .status) $status" 'end interrupted 130'
run "$AGENTRUN" demo --speed 0 --max-turns 2 --format text
like 'demo: a limit' "$(tail -n 1 out) $status" \
  '\[end\] limit *--max-turns 2 reached: 3 4'

is 'no temporary folder is left' "$(ls "$TMPDIR" | grep agentrun)" ''

done_testing
