#!/bin/sh
# How a run ends: limits, signals, outputs that fail, readers that stop; and
# what is left behind: nothing.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
. "$top_srcdir/tests/fakes.sh"
need jq

fake good <<'END'
cat >/dev/null
init; text 1; result
END

# What needs its time goes first, beside everything else.

fake stubborn <<'END'
cat >/dev/null
trap '' INT TERM HUP
init; text 1
(trap '' INT TERM HUP; echo $$ >pid; while :; do sleep 0.05; done) &
while :; do sleep 0.05; done
END
fake lingering <<'END'
cat >/dev/null
init; text 1; result
trap 'echo "$(date +%s)" >stopped; exit 0' INT
date +%s >given
while :; do sleep 0.05; done
END
mkdir grace linger
(cd grace && agent_exec ../stubborn -p x --timeout 0.2 >out 2>err </dev/null) &
grace_pid=$!
(cd linger && agent_exec ../lingering -p x >out 2>err </dev/null) &
linger_pid=$!
at_exit 'kill -9 $grace_pid $linger_pid 2>/dev/null'

# --- limits ---

fake steady <<'END'
cat >/dev/null
trap '' INT
init; text 1; result
END
fake turns <<'END'
cat >/dev/null
trap 'exit 130' INT
init; text 1; text 2; text 3; text 4
while :; do sleep 0.05; done
END
run agent turns -p x --max-turns 3
is '--max-turns' "$(end .status .detail) $status" \
  'end limit --max-turns 3 reached: 4 4'
run agent turns -p x --max-tokens 40
is '--max-tokens' "$(end .status .detail) $status" \
  'end limit --max-tokens 40 reached: 45 4'
run agent steady -p x --max-usd 0.50
is '--max-usd, by the last line' "$(end .status .detail .exit_code) $status" \
  'end limit --max-usd 0.50 reached: 0.7500 0 4'
run agent good -p x --max-usd 0.76 --max-turns 1 --max-tokens 16
is 'limits that are not reached' "$(end .status) $status" 'end finished 0'
run agent turns -p x --timeout 0.30
is '--timeout' "$(end .status .detail .exit_code) $status" \
  'end timeout --timeout 0.30 reached 130 3'

# --- signals ---

fake polite <<'END'
cat >/dev/null
trap 'text 2; result; exit 0' INT
trap 'exit 5' TERM HUP
init; text 1
echo $$ >pid
while :; do sleep 0.05; done
END
for sig in INT:130 TERM:143 HUP:143; do
  begin polite -p x
  kill -"${sig%:*}" $run_pid
  finish
  is "SIG${sig%:*}: the clean stop signal, the output still counts" \
    "$(end .status .exit_code .result .usage.cost_usd) $status" \
    "end interrupted 0 text 2 0.75 ${sig#*:}"
  ok "SIG${sig%:*}: the runtime is gone" gone "$(cat pid)"
done
begin stubborn -p x --debug
kill -INT $run_pid
wait_until 5 grep -q 'signal 2 to end' err
kill -TERM $run_pid
wait_until 3 gone $run_pid
finish
is 'a second signal kills at once; the first one decides' \
  "$(end .status .exit_code) $status" 'end interrupted null 130'
ok 'long before the grace time is over' \
  test "$(tail -n 1 out | jq .duration_ms)" -lt 4500
ok 'and everything is gone' gone "$(cat pid)"
begin stubborn -p x --timeout 0.2 --debug
wait_until 5 grep -q 'stopping' err
kill -TERM $run_pid
wait_until 5 grep -q 'signal 15 to end' err
kill -TERM $run_pid
finish
is 'a signal in the grace time of a timeout' "$(end .status) $status" \
  'end interrupted 143'

# Waiting for the prompt is interrupted, too.
mkfifo prompt
rm -f err
agent_exec good --debug >out 2>err <prompt &
run_pid=$!
exec 9>prompt
printf 'half a prompt' >&9
wait_until 10 grep -q 'reading the prompt' err
kill -INT $run_pid
finish
exec 9>&-
is 'a signal before the start' "$(end .status .exit_code) $status" \
  'end interrupted null 130'

# --- processes ---

fake daemons <<'END'
cat >/dev/null
init; text 1
setsid sh -c 'echo $$ >pid1; exec sleep 300' &
setsid sh -c '(setsid sh -c "echo \$\$ >pid2; exec sleep 301" &)' >/dev/null 2>&1 &
while ! [ -s pid1 ] || ! [ -s pid2 ]; do sleep 0.02; done
result
END
run agent daemons -p x
is 'background children do not hold the run up' "$(end .status) $status" \
  'end finished 0'
ok 'a child with a session of its own is gone' gone "$(cat pid1)"
ok 'a daemon is gone' gone "$(cat pid2)"

# --- outputs that fail ---

fake chatty <<'END'
cat >/dev/null
trap 'exit 0' INT
echo $$ >pid
init
i=0
while :; do text $i; i=$((i + 1)); sleep 0.01; done
END
rm -f pid
{
  status=0
  agent chatty -p x 2>err </dev/null || status=$?
  echo "$status" >status
} | head -n 2 >out
is 'the reader goes away: status 141' "$(cat status) $(wc -c <err)" '141 0'
ok 'the reader goes away: the runtime is gone' gone "$(cat pid)"
fake quiet <<'END'
cat >/dev/null
trap 'exit 0' INT
echo $$ >pid
init
while :; do sleep 0.05; done
END
rm -f pid
{
  status=0
  agent quiet -p x 2>err </dev/null || status=$?
  echo "$status" >status
} | head -n 1 >out
is 'the reader goes away and nothing is said any more' "$(cat status)" 141
if [ -c /dev/full ]; then
  status=0
  agent chatty -p x >/dev/full 2>err </dev/null || status=$?
  is 'stdout on a full disk' "$status $(cat err)" \
    "1 agentrun: cannot write 'stdout': No space left on device"
  run agent chatty -p x --raw /dev/full
  is '--raw on a full disk' "$(end .status .detail) $status" \
    "end failed cannot write '/dev/full': No space left on device 1"
  run agent chatty -p x --save /dev/full
  is '--save on a full disk' "$(end .status .detail) $status" \
    "end failed cannot write '/dev/full': No space left on device 1"
else
  skip 'a full disk' 'no /dev/full'
fi
status=0
agent good -p x >&- 2>err </dev/null || status=$?
is 'stdout closed' "$status $(cat err)" \
  "1 agentrun: cannot write 'stdout': Bad file descriptor"
status=0
agent good -p x <&- >out 2>err || status=$?
is 'stdin closed, prompt given' "$(end .status) $status" 'end finished 0'

# A FIFO as --save: gets everything when its reader comes, also late.
mkfifo save
agent_exec good -p x --debug --save save >out 2>err </dev/null &
run_pid=$!
wait_until 10 grep -q '"type":"end"' out
cat save >saved
finish
same '--save into a FIFO that is read late' saved out

# A reader that has stopped does not stop the clock.
mkfifo slow
fake flood <<'END'
trap 'exit 0' INT
echo $$ >pid
init
i=0
while [ $i -lt 4000 ]; do text $i; i=$((i + 1)); done
while :; do sleep 0.05; done
END
fake deluge <<'END'
trap '' INT
echo $$ >pid
init
i=0
while [ $i -lt 2000 ]; do text $i; i=$((i + 1)); done
result
END
rm -f pid err
agent_exec flood -p x --timeout 1 >slow 2>err </dev/null &
run_pid=$!
exec 8<slow
wait_until 10 test -s pid
ok 'a stopped reader: --timeout ends the runtime' \
  wait_until 10 gone "$(cat pid)"
cat <&8 >out
exec 8<&-
finish
is 'a stopped reader: all is there when it reads on' \
  "$(end .status .detail) $status" 'end timeout --timeout 1 reached 3'
rm -f pid err
agent_exec deluge -p x --debug >slow 2>err </dev/null &
run_pid=$!
exec 8<slow
wait_until 10 test -s pid
kill -INT $run_pid
wait_until 10 gone "$(cat pid)"
wait_until 10 grep -q 'waiting for' err
kill -INT $run_pid
finish
exec 8<&-
is 'a stopped reader and two signals' "$status" 130

# The same with a reader of stderr.
mkfifo slow2
fake grumbler <<'END'
cat >/dev/null
init; text 1
echo $$ >pid
i=0
while [ $i -lt 9000 ]; do echo "line $i of the words on stderr" >&2; i=$((i + 1)); done
result
END
rm -f pid
agent_exec grumbler -p x >out 2>slow2 </dev/null &
run_pid=$!
exec 7<slow2
wait_until 10 test -s pid
wait_until 1 false
cat <&7 >err
exec 7<&-
finish
is 'a slow reader of stderr gets all of it' "$(wc -l <err) $(end .status) $status" \
  '9000 end finished 0'
fake nagger <<'END'
cat >/dev/null
trap 'exit 0' INT
init; text 1
echo $$ >pid
i=0
while [ $i -lt 4000 ]; do echo "line $i of the words on stderr" >&2; i=$((i + 1)); done
while :; do sleep 0.05; done
END
rm -f pid
agent_exec nagger -p x --timeout 0.5 >out 2>slow2 </dev/null &
run_pid=$!
exec 7<slow2
wait_until 10 test -s pid
wait_until 10 gone "$(cat pid)"
kill -TERM $run_pid
wait_until 1 false
kill -TERM $run_pid
wait_until 5 gone $run_pid
finish
exec 7<&-
is 'a stopped reader of stderr, and signals after the limit' "$status" 3

# --- what took its time ---

status=0
wait $grace_pid || status=$?
cp grace/out out
is 'a runtime that ignores its signal: SIGKILL' \
  "$(end .status .exit_code) $status" 'end timeout null 3'
ok 'after 5 s' test "$(tail -n 1 out | jq .duration_ms)" -ge 5000
ok 'and not later than 8 s' test "$(tail -n 1 out | jq .duration_ms)" -lt 8000
ok 'and everything is gone' gone "$(cat grace/pid)"
status=0
wait $linger_pid || status=$?
cp linger/out out
is 'a runtime that stays after its result is stopped and judged by it' \
  "$(end .status .exit_code '(.warnings | join(","))') $status" \
  'end finished 0 stopped_after_result 0'
ok 'after 10 s' test $(($(cat linger/stopped) - $(cat linger/given))) -ge 9

is 'no temporary folder is left' "$(ls "$TMPDIR" | grep agentrun)" ''

done_testing
