# fakes.sh: runtimes made of a few lines of shell. Sourced behind lib.sh.

# fake NAME: a claude made of the shell lines on stdin; `said` and `result` and
# `text N` print raw lines.
fake() {
  mkdir "$1"
  {
    printf '#!/bin/sh\n'
    cat <<'END'
said() { printf '%s\n' "$1"; }
init() { said '{"type":"system","subtype":"init","cwd":"/x","session_id":"s"}'; }
text() { said '{"type":"assistant","message":{"id":"m'$1'","model":"m","usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":0,"cache_creation_input_tokens":0},"content":[{"type":"text","text":"text '$1'"}]},"parent_tool_use_id":null}'; }
result() { said '{"type":"result","subtype":"success","is_error":false,"result":"r","modelUsage":{"m":{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.75}}}'; }
END
    cat
  } >"$1/claude"
  chmod +x "$1/claude"
}
mkdir "$work/kept"

# agent NAME OPTION...: runs the fake of that name. agent_exec takes the place
# of the shell, so that $! is agentrun itself.
agent_exec() {
  agent_dir=$1
  shift
  # --debug keeps its folder
  case " $* " in *' --debug '*) TMPDIR=$work/kept ;; esac
  # Jobs in the background of a script ignore SIGINT, and so would agentrun.
  exec env --default-signal=INT "$AGENTRUN" claude-code --path "$agent_dir" --sandbox off \
    --format jsonl "$@"
}
agent() {
  (agent_exec "$@")
}
# end FIELD...: of the end event in out.
end() {
  tail -n 1 out | jq -r "[.type, $(
    IFS=,
    echo "$*"
  )] | map(tostring) | join(\" \")"
}
gone() {
  ! kill -0 "$1" 2>/dev/null
}

# begin NAME OPTION...: in the background, until the runtime runs.
begin() {
  rm -f pid out err
  agent_exec "$@" >out 2>err </dev/null &
  run_pid=$!
  wait_until 10 test -s pid || diag "no pid file: $(cat err)"
  wait_until 10 grep -q '"text 1"' out
}
run_pid=
at_exit 'test -z "$run_pid" || kill -9 $run_pid 2>/dev/null'
finish() {
  status=0
  wait "$run_pid" || status=$?
  run_pid=
}
