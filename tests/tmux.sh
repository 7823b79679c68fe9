# tmux.sh: a terminal with a shell in it, for the tests of job control and of
# the scrollback. Source it after lib.sh.
# shellcheck shell=sh

need tmux bash
[ -x "$top_builddir/tests/ui-drive" ] || skip_all "built without the UI"
# A short name: what is typed must not fill a row of the terminal exactly, or
# the next line counts as its rest, wherever the build folder lies.
ln -s "$top_builddir/tests/ui-drive" "$work/ui-drive"
drive=./ui-drive

TMUX_TMPDIR=$TMPDIR
export TMUX_TMPDIR
TERM=xterm-256color
at_exit "tmux -L t kill-server 2>/dev/null"

# terminal COLS ROWS: starts it; its prompt is "ready$ ".
terminal() {
  printf 'set -g history-limit 50000\nset -g default-terminal screen-256color\n' \
    >"$work/tmux.conf"
  tmux -L t -f "$work/tmux.conf" new-session -d -x "$1" -y "$2" \
    "PS1='ready\$ ' exec bash --norc --noprofile"
  wait_until 10 screen_has 'ready$ '
}

# keys KEY...: as if they were typed.
keys() {
  tmux -L t send-keys "$@"
}

screen() {
  tmux -L t capture-pane -p
}

screen_has() {
  screen | grep -F -- "$1" >/dev/null
}

# the last line that is not empty is the shell's prompt
at_prompt() {
  [ "$(screen | sed '/^$/d' | tail -n 1)" = 'ready$' ]
}

is_clear() {
  [ "$(screen | sed '/^$/d')" = 'ready$' ]
}

# clear_screen: nothing but the prompt, so that what is looked for is new.
clear_screen() {
  keys clear Enter
  wait_until 30 is_clear
}

# flag NAME: a format of tmux, as alternate_on.
flag() {
  tmux -L t display-message -p "#{$1}"
}

flag_is() {
  [ "$(flag "$1")" = "$2" ]
}

# becomes DESCRIPTION NAME VALUE: waits until the flag has the value.
becomes() {
  ok "$1" wait_until 30 flag_is "$2" "$3"
}

# shows DESCRIPTION TEXT: waits until the screen shows it. That may be a frame
# of which only a part is there: look for each thing with a shows of its own.
shows() {
  if wait_until 30 screen_has "$2"; then
    pass "$1"
  else
    fail "$1"
    screen | diag
  fi
}
