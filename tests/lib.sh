# lib.sh: what every shell test stands on. POSIX sh; source it first:
#
#   . "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
#
# It pins the environment, gives the test a directory of its own and prints TAP.
# Variables it sets:
#   AGENTRUN       the program under test
#   top_srcdir     the source tree     top_builddir   the build tree
#   work           an empty private directory, also the current one
#   HOME, TMPDIR   directories below $work

# A shell cannot undo what signals its caller ignores, nor end itself when it
# hangs: limit.c does, for a test that is started by hand, too.
lib_limit=${top_builddir:-.}/tests/limit
if [ -z "${TEST_LIMITED-}" ] && [ -x "$lib_limit" ]; then
  exec "$lib_limit" sh "$0" "$@"
fi

top_srcdir=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd) || exit 99
top_builddir=$(cd "${top_builddir:-.}" && pwd) || exit 99
: "${AGENTRUN:=$top_builddir/agentrun}"

# Nothing of the caller's shell may change a result.
unset LANG LANGUAGE LC_CTYPE LC_NUMERIC LC_MESSAGES LC_COLLATE LC_TIME \
  NO_COLOR COLUMNS LINES TERMINFO TERM_PROGRAM COLORTERM TMUX STY CDPATH ENV \
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR \
  http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY \
  NO_PROXY PYTHONPATH NODE_OPTIONS POSIXLY_CORRECT MAKEFLAGS MFLAGS MAKELEVEL
for lib_name in $(env | sed -n 's/^\(AGENTRUN_[A-Z_]*\)=.*/\1/p') \
  $(env | sed -n 's/^\(ANTHROPIC_[A-Z_]*\)=.*/\1/p') \
  $(env | sed -n 's/^\(OPENAI_[A-Z_]*\)=.*/\1/p') \
  $(env | sed -n 's/^\(CLAUDE_[A-Z_]*\)=.*/\1/p') \
  $(env | sed -n 's/^\(CODEX_[A-Z_]*\)=.*/\1/p'); do
  unset "$lib_name"
done
LC_ALL=C.UTF-8 TZ=UTC TERM=dumb
export LC_ALL TZ TERM
umask 022

work=$(mktemp -d "${TMPDIR:-/tmp}/agentrun-test-XXXXXX") || exit 99
work=$(cd "$work" && pwd -P)
# Tests put the program into command lines: a clone may lie in a folder whose
# name has a blank.
case $AGENTRUN in
  *[!A-Za-z0-9/._+-]*)
    ln -s "$AGENTRUN" "$work/.agentrun"
    AGENTRUN=$work/.agentrun
    ;;
esac
HOME=$work/home TMPDIR=$work/tmp
mkdir "$HOME" "$TMPDIR"
export HOME TMPDIR
cd "$work" || exit 99

# at_exit COMMAND: runs when the test ends, last one first.
lib_at_exit=:
at_exit() {
  lib_at_exit="$*; $lib_at_exit"
}
lib_end() {
  lib_status=$?
  trap - EXIT
  eval "$lib_at_exit"
  cd / && chmod -R u+rwX "$work" 2>/dev/null
  rm -rf "$work"
  exit "$lib_status"
}
trap lib_end EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

lib_count=0
lib_failed=0

# pass DESCRIPTION, fail DESCRIPTION
pass() {
  lib_count=$((lib_count + 1))
  echo "ok $lib_count - $*"
}
fail() {
  lib_count=$((lib_count + 1))
  lib_failed=$((lib_failed + 1))
  echo "not ok $lib_count - $*"
}

# diag TEXT: lines that explain, read from stdin without arguments.
diag() {
  if [ $# -gt 0 ]; then printf '%s\n' "$*"; else cat; fi | sed 's/^/# /'
}

# ok DESCRIPTION COMMAND...: the command must succeed.
ok() {
  lib_what=$1
  shift
  if "$@" >"$TMPDIR/ok.out" 2>&1; then
    pass "$lib_what"
  else
    fail "$lib_what"
    diag "command: $*"
    diag <"$TMPDIR/ok.out"
  fi
}

# not COMMAND...: succeeds when the command fails; for ok.
not() {
  ! "$@"
}

# is DESCRIPTION GOT WANT: two strings must be equal.
is() {
  if [ "$2" = "$3" ]; then
    pass "$1"
  else
    fail "$1"
    diag "got:  $2"
    diag "want: $3"
  fi
}

# like DESCRIPTION GOT PATTERN: GOT must match a shell pattern.
like() {
  # shellcheck disable=SC2254
  case $2 in
    $3) pass "$1" ;;
    *)
      fail "$1"
      diag "got:     $2"
      diag "pattern: $3"
      ;;
  esac
}

# same DESCRIPTION GOT_FILE WANT_FILE: two files must be equal.
same() {
  if diff -u "$3" "$2" >"$TMPDIR/same.out" 2>&1; then
    pass "$1"
  else
    fail "$1"
    diag <"$TMPDIR/same.out"
  fi
}

# skip DESCRIPTION REASON: a case that cannot run here.
skip() {
  lib_count=$((lib_count + 1))
  echo "ok $lib_count - $1 # SKIP $2"
}

# skip_all REASON: the whole test cannot run here; ends it.
skip_all() {
  echo "1..0 # SKIP $*"
  exit 0
}

# need PROGRAM...: skips the whole test without one of them.
need() {
  for lib_name in "$@"; do
    command -v "$lib_name" >/dev/null 2>&1 || skip_all "no $lib_name"
  done
}

# run COMMAND...: stdout to the file out, stderr to err, the exit status to
# $status. Never fails itself.
run() {
  status=0
  "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# wait_until SECONDS COMMAND...: until the command succeeds; fails when that
# takes longer. The only way to wait in a test.
wait_until() {
  lib_turns=$(($1 * 20))
  shift
  while ! "$@" >/dev/null 2>&1; do
    lib_turns=$((lib_turns - 1))
    [ "$lib_turns" -gt 0 ] || return 1
    sleep 0.05
  done
}

# done_testing: the plan; the last line of every test. Failures are in the TAP;
# a bad status would count as one more.
done_testing() {
  echo "1..$lib_count"
  [ "$lib_failed" -eq 0 ] || diag "$lib_failed of $lib_count failed"
  exit 0
}
