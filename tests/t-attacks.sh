#!/bin/sh
# Ways out of the sandbox, as an ordinary user and as root, each also tried
# without a sandbox (tests/attacks/README).
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need bwrap python3 git unshare
bwrap --unshare-all --ro-bind / / true 2>/dev/null ||
  skip_all "bubblewrap does not work here"

# The build may lie where an ordinary user cannot look.
mkdir "$work/attacks"
cp "$top_srcdir"/tests/attacks/* "$work/attacks"
cp "$AGENTRUN" "$work/agentrun"
chmod -R a+rX "$work"
AGENTRUN=$work/agentrun
export AGENTRUN

# begin WHO COMMAND...: runs it in a folder of WHO, in the background.
begin() {
  who=$1
  shift
  mkdir "$work/$who" "$work/$who/tmp"
  [ "$who" != user ] || [ "$(id -u)" != 0 ] ||
    chown -R 65534:65534 "$work/$who"
  root=$work/$who TMPDIR=$work/$who/tmp "$@" >"$work/$who.out" \
    2>"$work/$who.err" &
}

# count WHO: counts what it said.
count() {
  while read -r line; do
    case $line in
      'ok '*) pass "$1: ${line#ok }" ;;
      'not ok '*) fail "$1: ${line#not ok }" ;;
      *) echo "$line" ;;
    esac
  done <"$work/$1.out"
  diag <"$work/$1.err"
  ok "$1: there were attempts" test -s "$work/$1.out"
}

nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
files='files.sh processes.sh sockets.sh'
if [ "$(id -u)" != 0 ]; then
  groups=user
  begin user sh "$work/attacks/run.sh" $files
else
  groups=root
  begin root sh "$work/attacks/run.sh" $files
  if $nobody test -r "$work/attacks/run.sh" && $nobody "$AGENTRUN" --version \
    >/dev/null 2>&1; then
    groups='root user'
    begin user $nobody sh "$work/attacks/run.sh" $files
  else
    skip "user" "an ordinary user cannot look into $work"
  fi
fi
if unshare -Urnm true 2>/dev/null; then
  groups="$groups network"
  begin network unshare -Urnm python3 "$work/attacks/internet.py" "$work" \
    sh "$work/attacks/run.sh" network.sh mounts.sh
fi
wait
for group in $groups; do
  count "$group"
done
done_testing
