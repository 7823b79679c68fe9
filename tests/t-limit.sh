#!/bin/sh
# What runs the tests: they depend on nothing of the caller, and one that hangs
# fails alone and leaves nothing behind.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

limit=$top_builddir/tests/limit
gone() {
  ! kill -0 "$1" 2>/dev/null
}

cat >signals <<'END'
for sig in HUP INT QUIT PIPE USR1; do
  sh -c "kill -$sig \$\$; echo $sig is ignored"
done 2>/dev/null
END
(
  trap '' HUP INT QUIT PIPE USR1
  "$limit" sh ./signals >out 2>&1
)
is 'no signal is ignored, whatever the caller does' "$(cat out)" ''
cat >by-hand <<'END'
. "$top_srcdir/tests/lib.sh"
sh -c 'kill -INT $$; echo INT is ignored' 2>/dev/null
END
(
  trap '' INT
  unset TEST_LIMITED
  export top_srcdir top_builddir
  sh ./by-hand >out 2>&1
)
is 'nor in a test that is started by hand' "$(cat out)" ''
echo words >words
"$limit" cat <words >out 2>&1
is 'there is no input' "$(cat out)" ''
run "$limit" sh -c 'exit 7'
is 'the status is the one of the test' "$status" 7
run "$limit" sh -c 'kill -KILL $$'
is 'or 128+N' "$status" 137

# A hung test with a daemon, both deaf.
cat >hung <<'END'
trap '' INT TERM HUP
echo $$ >pid
echo 'ok 1 - before'
(setsid sh -c 'trap "" INT TERM HUP; echo $$ >daemon; while :; do sleep 1; done' &)
while :; do sleep 1; done
END
run env TEST_SECONDS=1 "$limit" sh hung
is 'a test that hangs is named' "$status $(tail -n 1 out)" \
  '124 Bail out! hung: no end after 1 s'
ok 'and gone' gone "$(cat pid)"
ok 'and so is what it started' gone "$(cat daemon)"

cat >left <<'END'
(setsid sh -c 'echo $$ >daemon; exec sleep 300' &)
until [ -s daemon ]; do sleep 0.02; done
END
rm -f daemon
run "$limit" sh left
is 'a daemon of a test that ends' "$status" 0
ok 'ends, too' gone "$(cat daemon)"

rm -f pid
sh -c 'trap "" INT; exec "$0" sh hung' "$limit" >out 2>&1 &
limit_pid=$!
wait_until 10 test -s pid
kill -TERM $limit_pid
status=0
wait $limit_pid || status=$?
is 'a signal to it ends the test' "$status" 143
ok 'at once or by force' gone "$(cat pid)"

done_testing
