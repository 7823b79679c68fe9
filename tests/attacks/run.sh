#!/bin/sh
# run.sh FILE...: tries what the files list; run by t-attacks.sh as the user in
# question. Needs AGENTRUN, root (an empty folder of that user), port. Prints
# "ok TEXT" and "not ok TEXT".
here=$(cd "$(dirname "$0")" && pwd)
# One that every user can run, if there is one.
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3)
listen="$python $here/listen.py $root/pids"
bin=$root/bin
mkdir "$bin"
cp "$here/call.py" "$root/call.py"
echo leaked >"$root/leak"

# The agent: does what $INSIDE says.
cat >"$bin/pi" <<'END'
#!/bin/sh
case " $* " in *" --version "*) echo 1.6.0; exit ;; esac
cat >/dev/null
echo '{"type":"agent_start"}'
echo >.ran
(eval "$INSIDE") >inside.out 2>&1
echo '{"type":"message_end","message":{"role":"assistant","content":[],"model":"m","stopReason":"stop"}}'
echo '{"type":"agent_settled"}'
END
chmod +x "$bin/pi"
PATH=$bin:$PATH
export PATH python

HIDDEN=treasure sleep 98765 &
pid=$!
HIDDEN=treasure
: "${port:=0}"
export HIDDEN pid port
n=0

# one MODE: prepares, runs, and says whether the attempt succeeded.
one() {
  dir=$root/$n-$1
  HOME=$dir/home out=$dir/out
  export HOME out
  mkdir -p "$HOME" "$out" "$dir/work"
  cd "$dir/work" || return 2
  eval "$prepare" >"$dir/prepare.out" 2>&1
  INSIDE=$inside
  export INSIDE
  eval "set -- --sandbox $1 $options"
  "$AGENTRUN" pi -p x --headless --format jsonl "$@" \
    --env INSIDE --env out --env python --env pid --env port \
    >"$dir/events" 2>"$dir/stderr" 9<"$root/leak" </dev/null
  if [ ! -e .ran ]; then
    sed 's/^/# /' "$dir/stderr" "$dir/events"
    return 2
  fi
  (eval "$proof") >"$dir/proof.out" 2>&1 || return 1
}

try() {
  n=$((n + 1))
  case $bare-$(id -u) in
    yes-* | root-0)
      one off
      case $? in
        0) echo "ok $name: works without a sandbox" ;;
        *)
          echo "not ok $name: works without a sandbox"
          sed 's/^/# /' "$dir/prepare.out" inside.out
          ;;
      esac
      ;;
  esac
  one on
  case $? in
    1) echo "ok $name: not in the sandbox" ;;
    0)
      echo "not ok $name: not in the sandbox"
      sed 's/^/# /' "$dir/prepare.out" inside.out
      ;;
    *) echo "not ok $name: it did not run" ;;
  esac
  defaults
}

defaults() {
  bare=yes options='' prepare=:
}

defaults
for file in "$@"; do
  . "$here/$file"
done
cd /
kill "$pid" $(cat "$root/pids" 2>/dev/null) 2>/dev/null
:
