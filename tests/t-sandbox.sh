#!/bin/sh
# Runs in the sandbox: what start says, what works inside, how a run ends, what
# is said when there can be no sandbox. As an ordinary user and, when there is
# one, as root.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/fakes.sh"
need bwrap python3 git unshare jq
bwrap --unshare-all --ro-bind / / true 2>/dev/null ||
  skip_all "bubblewrap does not work here"
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)

# Root runs everything once more as an ordinary user, from a copy that he can
# read.
if [ "$(id -u)" = 0 ] && [ -z "$AS_USER" ]; then
  mkdir -p "$work/copy/tests" "$work/user"
  cp "$top_srcdir/tests/lib.sh" "$top_srcdir/tests/fakes.sh" \
    "$top_srcdir/tests/t-sandbox.sh" "$top_srcdir/tests/seccomp.py" \
    "$work/copy/tests"
  cp "$AGENTRUN" "$top_builddir/tests/proxyd" "$work/copy"
  cp "$top_builddir/tests/proxyd" "$work/copy/tests"
  chmod -R a+rX "$work/copy" "$work"
  chown 65534:65534 "$work/user"
  nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
  if $nobody "$work/copy/agentrun" --version >/dev/null 2>&1; then
    AS_USER=1 AGENTRUN=$work/copy/agentrun top_srcdir=$work/copy \
      top_builddir=$work/copy TMPDIR=$work/user $nobody \
      sh "$work/copy/tests/t-sandbox.sh" >"$work/user.out" \
      2>"$work/user.err" &
    user_pid=$!
  else
    skip "user" "an ordinary user cannot look into $work"
  fi
fi

# Runtimes lie in $work, results in the current folder.
make_fake() {
  (cd "$work" && fake "$1")
}
run() {
  status=0
  "$@" >out 2>err </dev/null || status=$?
}

# box NAME OPTION...: the fake of that name, in the sandbox.
box_exec() {
  fake_dir=$work/$1
  shift
  exec "$AGENTRUN" claude-code -p x --path "$fake_dir" --format jsonl "$@"
}
box() {
  (box_exec "$@")
}
# start FIELD...: of the start event in out.
start() {
  head -n 1 out | jq -r "[.type, $(
    IFS=,
    echo "$*"
  )] | map(tostring) | join(\" \")"
}

make_fake good <<'END'
cat >/dev/null
init; result
END
make_fake line <<'END'
cat >/dev/null
init
(eval "$INSIDE") >inside 2>&1
echo "$?" >>inside
result
END
# inside SHELL OPTION...: what the shell lines printed inside, and their status.
inside() {
  INSIDE=$1
  export INSIDE
  shift
  rm -f inside
  run box line --env INSIDE "$@"
  cat inside
}
mkdir repo
cd repo || exit 99
repo=$PWD

# --- what takes long goes first ---
make_fake stubborn <<'END'
cat >/dev/null
trap '' INT TERM HUP
init; text 1
(setsid sh -c 'trap "" INT TERM HUP; while :; do echo >beat; sleep 0.05; done' &)
while :; do sleep 0.05; done
END
mkdir stubborn-run
(cd stubborn-run && box_exec stubborn --timeout 0.5 >out 2>err </dev/null) &
stubborn_pid=$!
at_exit 'kill -9 $stubborn_pid 2>/dev/null'

# --- start ---
mkdir "$HOME/.ssh"
run box good --deny-read x
is 'start says bubblewrap' "$(start .sandbox .network.mode .network.enforced)" \
  'start bubblewrap none true'
is 'what is denied: the list first, --deny-read last' \
  "$(start '.deny_read[0]' '.deny_read[-1]' .notes)" \
  "start $HOME/.ssh $repo/x []"
like 'the command is that of the runtime' "$(start '.argv[0]')" \
  "start $work/good/claude"
is 'it ends well' "$(end .status .exit_code) $status" 'end finished 0 0'
run box good --sandbox off
is 'without a sandbox it says so' \
  "$(start .sandbox .network.enforced .deny_read '.notes[0]')" \
  'start none false [] sandbox not running (--sandbox off). agentrun does not restrict what the agent writes or which hosts it reaches'
run box good --allow-host example.com --allow-host '*.b:8080'
is 'allowed hosts are told as given' "$(start .network.mode .network.allow)" \
  'start custom ["example.com","*.b:8080"]'
run box good --allow-host http://example.com
is 'a bad host is rejected' "$(wc -l <out) $(end .status) $status" \
  '1 end rejected 2'

# --- inside ---
is 'the home folder is not writable' \
  "$(inside 'echo x 2>&- >"$HOME/x" || echo no')" 'no
0'
like 'the state folder is' \
  "$(inside 'echo x >"$CLAUDE_CONFIG_DIR/x" && echo yes')" 'yes*'
is 'the temporary folder is private' \
  "$(inside 'echo x >/tmp/x && ls -a /tmp | wc -l; ls /run | wc -l')" \
  "$(printf '4\n0\n0')"
is 'capabilities' "$(inside 'grep -c "^Cap.*	0000000000000000$" /proc/self/status')" \
  '5
0'
is 'no new privileges' \
  "$(inside 'grep -E "^(NoNewPrivs|Seccomp):" /proc/self/status')" \
  'NoNewPrivs:	1
Seccomp:	2
0'
is 'only three descriptors' "$(inside 'ls /proc/self/fd | tr "\n" " "')" '0 1 2 3 0'
is 'no terminal' "$(inside '(: >/dev/tty) 2>/dev/null || echo none')" 'none
0'
is 'its loopback works' "$(inside "$python -c '
import socket
s = socket.create_server((\"127.0.0.1\", 0))
c = socket.create_connection(s.getsockname())
print(\"yes\")'")" 'yes
0'
many=
i=0
while [ $i -lt 200 ]; do
  i=$((i + 1))
  mkdir -p "$HOME/d/$i"
  many="$many --deny-read $HOME/d/$i"
done
is 'hundreds of denied folders' \
  "$(inside 'ls $HOME/d/7 2>&- || ls $HOME/d/200 2>&- || echo no' $many)" 'no
0'

# --- paths ---
mkdir -p "$HOME/deep/project/sub" && echo s >"$HOME/deep/secret"
inside 'ls .. 2>&-; cat ../secret 2>&- || echo no; echo w >w && cat w' \
  -C "$HOME/deep/project" --deny-read "$HOME/deep" >/dev/null 2>&1
is 'a project below a denied folder' "$(cat "$HOME/deep/project/inside")" 'no
w
0'
rm -f "$HOME/deep/project/inside"
run box good --deny-read .
like 'the working directory cannot be denied' "$(end .status .detail)" \
  "end rejected sandbox: the denied path '$repo' contains '$repo'*"
run box good --deny-read "$work/good"
like 'nor the runtime' "$(end .status .detail) $status" \
  "end rejected sandbox: the denied path '$work/good' contains '$work/good/claude'*2"
run box good -C /
like 'nor all given away' "$(end .status .detail)" "end rejected sandbox: *'/'*"
mkdir -p "$HOME/.aws" && echo a >"$HOME/.aws/credentials"
is 'what --allow-read drops' \
  "$(inside 'cat $HOME/.aws/credentials' --allow-read '~/.aws')" 'a
0'
is 'another HOME does not open the own one' \
  "$(inside "cat $HOME/.aws/credentials 2>&- || echo no" --env HOME=/none)" 'no
0'
run env -u HOME "$AGENTRUN" claude-code -p x --path "$work/good" --format jsonl
is 'without HOME the system says where it is' "$(start '.deny_read[0]')" \
  "start $(getent passwd "$(id -u)" | cut -d: -f6)/.ssh"
echo n >"$HOME/.netrc"
mv "$HOME/.netrc" "$HOME/real" && ln -s real "$HOME/.netrc"
is 'a denied link hides what it leads to' \
  "$(inside 'cat $HOME/.netrc $HOME/real 2>&- || echo no')" 'no
0'

# --- known limits: they are in the manual ---
echo h >"$HOME/.pypirc" && ln "$HOME/.pypirc" hard
is 'limit: a hard link in the working directory shows a denied file' \
  "$(inside 'cat hard')" 'h
0'
make_fake waiting <<'END'
cat >/dev/null
init; text 1
until test -e go; do sleep 0.05; done
cat $HOME/.pgpass $HOME/.npmrc >inside 2>/dev/null
result
END
echo old >"$HOME/.npmrc"
box_exec waiting >out 2>err </dev/null &
wait_until 10 grep -q '"text 1"' out
echo created >"$HOME/.pgpass"
echo new >"$HOME/.npmrc.new" && mv "$HOME/.npmrc.new" "$HOME/.npmrc"
: >go
wait $!
is 'limit: denied paths that come or are replaced during the run' \
  "$(cat inside)" 'created
new'
rm -f "$HOME/.pgpass" hard go

# --- git ---
git init -q . && git config user.email a@b.c && git config user.name n
echo 1 >file && git add file && git commit -q -m one
is 'git works' "$(inside 'echo 2 >file && git commit -qam two &&
  git checkout -q -b x && git tag t && echo 3 >file && git stash -q &&
  git gc -q && git log --format=%s | tr "\n" " "')" 'two one 0'
like 'but not its configuration' "$(inside 'git config a.b c')" \
  '*could not write config file*'
git worktree add -q ../wt -b wt
is 'a work tree reaches its repository' \
  "$(inside 'echo 4 >file && git commit -qam four && git log --format=%s -1' \
    -C ../wt >/dev/null 2>&1; cat ../wt/inside)" 'four
0'
inside 'echo ../evil >.git/commondir' >/dev/null
ok 'a commondir file is taken away' not test -e .git/commondir
like 'and that is said' "$(cat err)" '*.git/commondir*'
cd "$work" && mkdir plain && cd plain || exit 99

# --- network ---
cat >server.py <<'END'
import http.server, socket, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"model")
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
with open("port.tmp", "w") as f: f.write(str(s.server_port))
import os; os.rename("port.tmp", "port")
s.serve_forever()
END
"$python" server.py &
at_exit "kill $! 2>/dev/null"
wait_until 10 test -s port
port=$(cat port)
get="$python -c '
import sys, urllib.request as u
print(u.urlopen(sys.argv[1], timeout=5).read().decode())' "
is 'a model server on the loopback of the host' \
  "$(inside "$get http://127.0.0.1:$port/" --env \
    ANTHROPIC_BASE_URL=http://127.0.0.1:"$port"/v1)" 'model
0'
is 'it is told' "$(jq -r 'select(.type == "network") | [.host, .port, .allowed,
  .reason] | map(tostring) | join(" ")' out)" "127.0.0.1 $port true null"
is 'by the name localhost' "$(inside "$get http://localhost:$port/" \
  --allow-host localhost:"$port")" 'model
0'
is 'a port below 1024 is shown inside, too' "$(inside "$python -c '
import socket
socket.create_connection((\"127.0.0.1\", 81), 5)
print(\"there\")'" --allow-host 127.0.0.1:81)" 'there
0'
like 'no other port' "$(inside "$get http://127.0.0.1:$port/")" '*refused*'
like 'no other host, and it is told' "$(inside "$get http://evil.test:81/")" \
  '*HTTP Error 403*'
is 'the event' "$(jq -r 'select(.type == "network") | [.host, .port, .allowed,
  .reason] | map(tostring) | join(" ")' out)" 'evil.test 81 false not_allowed'
INSIDE="$get http://evil.test:81/"
run "$AGENTRUN" claude-code -p x --path "$work/line" --format text --env INSIDE
like 'in text' "$(cat out)" '*[[]main] net denied evil.test:81 (not_allowed)*'
is 'without a sandbox the proxy is there, too' \
  "$(inside "$get http://evil.test:81/ 2>&1 | tail -n 1" --sandbox off)" \
  'urllib.error.HTTPError: HTTP Error 403: Forbidden
0'
is 'and told' "$(jq -r 'select(.type == "network") | .host' out)" evil.test
like 'ssh has a way when port 22 is allowed' \
  "$(inside 'echo $GIT_SSH_COMMAND' --allow-host git.test:22)" \
  "ssh -o ProxyCommand='* --sandbox-connect %h %p'*"
is 'and none else' "$(inside 'echo $GIT_SSH_COMMAND' --allow-host git.test)" '
0'
mkfifo hold
"$top_builddir/tests/proxyd" 127.0.0.1:"$port" <hold >proxyd.out &
exec 8>hold
wait_until 10 grep -q port proxyd.out
is 'its helper' "$(printf 'GET / HTTP/1.0\r\n\r\n' | HTTPS_PROXY=http://127.0.0.1:$(
  sed -n 's/^port //p' proxyd.out) "$AGENTRUN" --sandbox-connect 127.0.0.1 \
  "$port" | tail -n 1)" model
exec 8>&-

# --- mounts that come later ---
make_fake mounts <<'END'
cat >/dev/null
init; text 1
until test -e go; do sleep 0.05; done
{ ls "$MOUNTED"; echo evil >"$MOUNTED/evil"; } >inside 2>/dev/null
result
END
mkdir mounted
unshare -Urm sh -c 'mount --make-rshared /
  "$0" claude-code -p x --path "$1" --format jsonl --env MOUNTED="$2" \
    >out 2>err </dev/null &
  i=0
  until grep -q "text 1" out || [ $i -gt 200 ]; do
    i=$((i + 1))
    sleep 0.05
  done
  mount -t tmpfs none "$2"
  echo >"$2/secret"
  echo >go
  wait
  ls "$2" >mounted.ls' "$AGENTRUN" "$work/mounts" "$PWD/mounted"
is 'a mount of the host does not come in' \
  "$(end .status) $(cat inside mounted.ls)" 'end finished secret'
rm -f go

# --- ending ---
make_fake exits <<'END'
cat >/dev/null
init; result; exit 143
END
run box exits
is 'exit status 143' "$(end .status .exit_code)" 'end failed 143'
make_fake dies <<'END'
cat >/dev/null
init; result; kill -TERM $$
END
run box dies
is 'death by SIGTERM' "$(end .status .exit_code .detail)" \
  'end failed null claude-code was killed by SIGTERM'
make_fake ints <<'END'
cat >/dev/null
init; kill -INT $$; result
END
(
  trap '' INT
  box ints >out 2>err </dev/null
)
is 'SIGINT works inside when it is ignored outside' "$(end .exit_code .detail)" \
  'end null claude-code was killed by SIGINT'
make_fake lives <<'END'
cat >/dev/null
init; text 1
(setsid sh -c 'while :; do echo >beat; sleep 0.05; done' &)
while :; do sleep 0.05; done
END
still() {
  rm -f "$1" && ! wait_until 1 test -e "$1"
}
box_exec lives >out 2>err </dev/null &
pid=$!
wait_until 10 test -e beat
kill -9 $pid
wait $pid 2>/dev/null
ok 'SIGKILL to agentrun ends everything' still beat
box_exec lives >out 2>err </dev/null &
pid=$!
wait_until 10 test -e beat
kill -TERM $pid
status=0
wait $pid || status=$?
is 'SIGTERM to agentrun' "$(end .status) $status" 'end interrupted 143'
ok 'and everything is gone' still beat

# --- no sandbox ---
mkdir tools
for tool in sh cat sleep setsid env; do
  ln -s "$(command -v $tool)" tools/$tool
done
bare() {
  (PATH=$work/plain/tools box "$@")
}
run bare good
like 'no bubblewrap' "$(end .status .detail) $status" \
  'end rejected sandbox: bubblewrap is not installed. *apt install bubblewrap*. Or run without a sandbox: --sandbox off 2'
is 'one event only' "$(wc -l <out | tr -d ' ')" 1
like 'a person reads it' "$(cat err)" 'agentrun: sandbox: bubblewrap *'
run bare good --sandbox relax
is 'relax goes on' "$(start .sandbox .deny_read) $(end .status) $status" \
  'start none [] end finished 0'
like 'and says why' "$(start '.notes[0]')" \
  'start sandbox not running (sandbox: bubblewrap is not installed.*'
run env AGENTRUN_SANDBOX=off "$AGENTRUN" claude-code -p x --path "$work/good" \
  --format text
like 'off by the environment: the note is the first line' "$(head -n 1 out)" \
  '[[]note] sandbox not running (--sandbox off).*'

# limited NAMESPACE: no more of them here.
limited() {
  unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_'"$1"'_namespaces
    exec "$0" claude-code -p x --path "$1" --format jsonl' "$AGENTRUN" \
    "$work/good"
}
for kind in user pid net; do
  limited $kind >out 2>err </dev/null
  like "no more $kind namespaces" "$(end .status .detail)" \
    'end rejected sandbox: the limit of namespaces is 0 or used up*. *max_user_namespaces*. Or run without a sandbox: --sandbox off'
done
filtered() {
  "$python" "$top_srcdir/tests/seccomp.py" "$1" "$AGENTRUN" claude-code -p x \
    --path "$work/good" --format jsonl
}
filtered namespaces >out 2>err </dev/null
like 'namespaces are forbidden' "$(end .status .detail)" \
  'end rejected sandbox: user namespaces are not allowed here. *seccomp=unconfined*'
filtered mount >out 2>err </dev/null
like 'mount is forbidden' "$(end .status .detail)" \
  'end rejected sandbox: mount() is not allowed here.*'
unshare -Urm sh -c 'for p in $(awk "/ - proc / { print \$5 }" \
      /proc/self/mountinfo); do mount --bind /dev/null "$p/uptime"; done
  exec "$0" claude-code -p x --path "$1" --format jsonl' "$AGENTRUN" \
  "$work/good" >out 2>err </dev/null
like 'a container that hides parts of /proc' "$(end .status .detail)" \
  'end rejected sandbox: the container hides parts of /proc.*'

# old bubblewraps
mkdir old older
cat >old/bwrap <<END
#!/bin/sh
case " \$* " in *' --disable-userns '*)
  echo 'bwrap: Unknown option --disable-userns' >&2
  exit 1 ;;
esac
exec $(command -v bwrap) "\$@"
END
cat >older/bwrap <<'END'
#!/bin/sh
echo 'bwrap: Unknown option --perms' >&2
exit 1
END
cat >older/liar <<'END'
#!/bin/sh
echo 'bwrap: something nobody thought of' >&2
exit 1
END
chmod +x old/bwrap older/bwrap older/liar
(PATH=$PWD/old:$PATH box good --cwd "$work" >out 2>err </dev/null)
like 'a bubblewrap in the working directory is not trusted' \
  "$(start .sandbox)" 'start bubblewrap'
cp -r old older "$work/copy-of-bin" 2>/dev/null || {
  mkdir "$work/copy-of-bin" && cp -r old older "$work/copy-of-bin"
}
(PATH=$work/copy-of-bin/old:$PATH && box good >out 2>err </dev/null)
is 'an older bubblewrap does' "$(start .sandbox) $(end .status)" \
  'start bubblewrap end finished'
(PATH=$work/copy-of-bin/older:$PATH && box good >out 2>err </dev/null)
like 'one that is too old' "$(end .status .detail)" \
  'end rejected sandbox: bubblewrap is too old. Install 0.6 or newer. Or *'
mv "$work/copy-of-bin/older/liar" "$work/copy-of-bin/older/bwrap"
(PATH=$work/copy-of-bin/older:$PATH && box good >out 2>err </dev/null)
is 'any other complaint as it is' "$(end .status .detail)" \
  'end rejected sandbox: something nobody thought of. Or run without a sandbox: --sandbox off'

# A socket that goes away just before it is covered ends no run.
mkdir "$work/copy-of-bin/late"
cat >"$work/copy-of-bin/late/bwrap" <<END
#!/bin/sh
if [ "\$1" = --args ] && [ ! -e $work/second ]; then
  : >$work/second
  echo "bwrap: Can't create file at /x/sock: Read-only file system" >&2
  exit 1
fi
exec $(command -v bwrap) "\$@"
END
chmod +x "$work/copy-of-bin/late/bwrap"
(PATH=$work/copy-of-bin/late:$PATH && box good >out 2>err </dev/null)
is 'a socket that vanished in between' \
  "$(start .sandbox) $(end .status) $(ls "$work/second")" \
  "start bubblewrap end finished $work/second"

# --- what an earlier run left ---
mkdir "$HOME/own" saved && echo mine >"$HOME/own/file"
ln -s "$HOME/own" away && ln -s "$HOME/own/file" file && ln -s saved near &&
  ln -s "$HOME/own/new" new
for option in '--save file' '--raw new' '--save away/x' '--session-dir away' \
  '--session-dir away/x'; do
  run box good $option
  like "a link out of the folder: $option" "$(end .status .detail)" \
    'end rejected *leads out of the working directory*'
done
run box good --save near/run.jsonl --raw "$HOME/own/raw" --session-dir new-one
is 'a link inside it, and a path outside' \
  "$(end .status) $(cat "$HOME/own/file") $(ls "$HOME/own")" \
  'end finished mine file
raw'
run box good --save "$PWD/../$(basename "$PWD")/near/../run.jsonl"
is 'a way round' "$(end .status .detail)" 'end finished '

# --- the runtime itself ---
mkdir "$work/broken"
printf '#!/nonexistent/sh\n' >"$work/broken/claude"
chmod +x "$work/broken/claude"
run box broken
like 'a runtime that cannot be executed' "$(wc -l <out) $(end .status .detail)" \
  "1 end rejected *claude*No such file or directory*"
run box good --sandbox native
is 'native is for who has one' "$(end .status) $status" 'end rejected 2'

# --- what took long ---
wait $stubborn_pid
cd "$repo/stubborn-run" || exit 99
is 'a runtime that ignores every plea' "$(end .status .detail .exit_code)" \
  'end timeout --timeout 0.5 reached null'
ok 'and its daemon are gone' still beat
cd "$work" || exit 99
if [ -n "$user_pid" ]; then
  wait "$user_pid"
  while read -r word rest; do
    case $word in
      ok) pass "user: ${rest#* - }" ;;
      not) fail "user: ${rest#* - }" ;;
      '#') diag "$rest" ;;
    esac
  done <user.out
  diag <user.err
  ok 'user: to the end' grep -q '^1\.\.' user.out
fi
done_testing
