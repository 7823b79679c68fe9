#!/bin/sh
# What is refused before anything is started: in both formats exactly one `end`
# on stdout, one line on stderr, exit status 2.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need jq

mkdir bin dir readonly
printf '#!/bin/sh\necho started >>"%s/started"\n' "$work" >bin/claude
cp bin/claude bin/codex
cp bin/claude bin/pi
chmod +x bin/claude bin/codex bin/pi
printf 'prompt \377\n' >latin1
printf '  \n\t\n' >blank
printf 'A=1\n\n# comment\nB 2\n' >bad.env
printf 'no picture' >text.png
: >unreadable
chmod 0 unreadable
chmod 555 readonly

# refused DESCRIPTION PATTERN COMMAND...: PATTERN is for the detail. The
# standard input is what $input names.
input=/dev/null
refused() {
  cli_what=$1
  cli_pattern=$2
  shift 2
  status=0
  "$@" --format jsonl <"$input" >out 2>err || status=$?
  jq -r '.detail, ([.schema, .type, .status, .exit_code | values] | join(" "))' out >got
  detail= end_event= more=
  { read -r detail && read -r end_event && ! read -r more; } <got
  like "$cli_what" "$detail" "$cli_pattern"
  is "$cli_what: one end event, status 2" "$end_event$more $status" \
    '1 end rejected 2'
  is "$cli_what: stderr says the same" "$(cat err)" "agentrun: $detail"
  status=0
  "$@" --format=text <"$input" >out2 2>err || status=$?
  is "$cli_what: as text" "$(cat out2) $status" "[end] rejected $detail 2"
}
run_it="$AGENTRUN claude-code --path bin --sandbox off"

refused 'an empty stdin' 'the prompt is empty; *' $run_it
input=blank
refused 'a blank stdin' 'the prompt is empty; *' $run_it
input=latin1
refused 'a stdin that is not UTF-8' 'the prompt is not valid UTF-8*' $run_it
input=dir
refused 'a directory as stdin' "cannot read 'stdin': Is a directory; *" \
  $run_it
input=/dev/null
refused 'an empty --prompt' 'the prompt is empty*' $run_it --prompt ''
refused 'both prompt options' '*exclude each other*' \
  $run_it -p x --prompt-file blank
refused 'a --prompt-file that is missing' \
  "--prompt-file: cannot read 'none': No such file*" \
  $run_it --prompt-file none
refused 'a --prompt-file that is a directory' '--prompt-file: *Is a directory; *' \
  $run_it --prompt-file dir
refused 'a --prompt-file that is not UTF-8' '*not valid UTF-8*' \
  $run_it --prompt-file latin1
refused 'an unknown option' "unknown option '--bogus'*" $run_it --bogus
refused 'an unknown runtime' "unknown runtime 'claude'; *" $AGENTRUN claude
refused 'no runtime' 'which runtime? *' $AGENTRUN
refused 'a runtime that is not installed' "'dsh' is not in PATH; *" \
  $AGENTRUN dsh --sandbox off -p x
refused 'a missing --env-file' "--env-file: cannot read 'none': No such *" \
  $run_it -p x --env-file none
refused 'a directory as --env-file' '--env-file: *: Is a directory; *' \
  $run_it -p x --env-file dir
refused 'a bad line in --env-file' "'bad.env' line 4 is not KEY=VALUE; *" \
  $run_it -p x --env-file bad.env
refused '--env of an unset variable' '--env NOT_SET: the variable is not *' \
  $run_it -p x --env NOT_SET
refused 'a missing --cwd' "cannot work in 'none': No such file*" \
  $run_it -p x --cwd none
refused 'a file as --cwd' "cannot work in 'blank': not a directory*" \
  $run_it -p x --cwd blank
refused 'a missing --path' "--path 'none': No such file*" \
  $run_it -p x --path none
refused '--raw in a missing directory' "cannot write 'none/x': No such *" \
  $run_it -p x --raw none/x
refused '--save in a missing directory' "cannot write 'none/x': No such *" \
  $run_it -p x --save none/x
refused 'a directory as --raw' "cannot write 'dir': Is a directory*" \
  $run_it -p x --raw dir
refused '--raw and --save as one file' '--raw and --save are the same*' \
  $run_it -p x --raw same --save ./same
echo old >old
refused '--raw and --save as one file that exists' \
  '--raw and --save are the same*' $run_it -p x --raw old --save ./old
refused '--resume of what is not there' "*'none'*" \
  $run_it -p x --raw old --session-dir none --resume 1
is 'a refused run leaves an old --raw alone' "$(cat old)" old

# --save holds what became of this run, and of no earlier one.
saved() {
  saved_what=$1
  shift
  echo old >saved
  run "$@" --format jsonl
  is "$saved_what: status" "$status" 2
  same "$saved_what: --save has the end" saved out
}
saved 'no prompt' $run_it --save saved
saved 'a bad value' $run_it -p x --save saved --max-turns 0
saved 'an unknown option' $run_it -p x --save saved --nonsense
saved 'options that exclude each other' $run_it --save saved -p x --prompt-file text.png
saved 'a missing --cwd' $run_it -p x --save saved --cwd none
saved 'a missing --env-file' $run_it -p x --save saved --env-file none
saved 'no such session' $run_it -p x --save saved --session-dir none --resume 1
saved 'no program' "$AGENTRUN" claude-code --path dir -p x --save saved --env PATH=/none
saved 'a bad --raw' $run_it -p x --save saved --raw none/x
saved 'the demo' "$AGENTRUN" demo --save saved --raw none/x
rm saved
run $run_it --save saved --format text
is '--save is jsonl in any format' "$(jq -r .status saved)" rejected
run $run_it --save saved --save other
is 'the last --save' "$(jq -r .status other)" rejected
mkfifo pipe
cat pipe >piped &
run $run_it --save pipe --format jsonl
wait $!
same '--save into a FIFO' piped out
# Where it cannot go.
for to in dir none/x; do
  run $run_it --save $to -p x
  like "--save $to: it says so" "$(cat err)" "agentrun: cannot write '$to': *"
  is "--save $to: one line, one end" "$(wc -l <err) $(wc -l <out)" "1 1"
  run $run_it --save $to -p x --nonsense
  is "--save $to: both are told" "$(grep -c . err) $(wc -l <out) $status" "2 1 2"
done
echo old >saved
run $run_it --save saved --dry-run
is 'a dry run writes nothing' "$status $(cat saved)" '2 old'
run $run_it --save saved --raw ./saved -p x --max-turns 0
is 'nothing goes into --raw' "$status $(cat saved)" '2 old'
mkdir repo
ln -s ../saved repo/link
run "$AGENTRUN" claude-code --path bin --cwd repo --save repo/link -p x
is 'nothing goes through a link of an agent' "$status $(cat saved)" '2 old'
run "$AGENTRUN" claude-code --path bin --cwd repo --save repo/link -p x --nonsense
is 'nor for another reason' "$status $(cat saved)" '2 old'
refused 'a missing --image' "*'none.png'*No such file*" \
  $run_it -p x --image none.png
refused 'a text as --image' '*text.png*' $run_it -p x --image text.png
refused '--max-usd where no cost is reported' 'codex reports no cost*' \
  $AGENTRUN codex --path bin --sandbox off -p x --max-usd 1
refused '--sandbox native without one' 'claude-code has no sandbox of its own*' \
  $AGENTRUN claude-code --path bin --sandbox native -p x
refused 'native with hosts' '--sandbox native cannot filter hosts*' \
  $AGENTRUN codex --path bin --sandbox native -p x --allow-host a.example
refused 'a URL as --allow-host' "*'http://a.example'*" \
  $run_it -p x --allow-host http://a.example
refused '--resume alone' '--resume needs --session-dir*' \
  $run_it -p x --resume 1

# Root may write anywhere: the same as an ordinary user.
as_user=
if [ "$(id -u)" = 0 ]; then
  as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
  chmod 755 "$work" "$HOME"
  chmod 1777 "$TMPDIR"
fi
if [ -n "$as_user" ] && ! $as_user "$AGENTRUN" --version >/dev/null 2>&1; then
  skip 'no right to write' 'cannot become an ordinary user here'
else
  refused 'no right to write' "cannot write 'readonly/x': Permission denied*" \
    $as_user $run_it -p x --raw readonly/x
  refused 'no right to read' "*cannot read 'unreadable': Permission denied; *" \
    $as_user $run_it --prompt-file unreadable
fi

# A prompt that only a terminal could give.
if command -v script >/dev/null 2>&1; then
  run script -qec "$run_it --format jsonl 2>err2" /dev/null
  like 'stdin is a terminal' "$(cat err2)" 'agentrun: no prompt: give --prompt*'
  is 'stdin is a terminal: status' "$status" 2
else
  skip 'stdin is a terminal' 'no script(1)'
fi

is 'nothing was started' "$(ls started 2>/dev/null)" ''

# The fix is said in the reader's language, the event stays English.
run env LANGUAGE=zh_CN $run_it --format jsonl
like 'end.detail is English in any locale' "$(jq -r .detail out)" \
  'the prompt is empty*'

# --dry-run starts nothing, shows no prompt and no value.
run env SECRET_TOKEN=s3cret $run_it --dry-run --prompt 'my words' \
  --env MINE=hidden --raw dry.raw
is '--dry-run: status' "$status" 0
like '--dry-run: the command' "$(grep ^command: out)" \
  "command: $work/bin/claude -p *"
is '--dry-run: the prompt as its size' "$(grep ^prompt: out)" \
  'prompt: 8 bytes on stdin'
like '--dry-run: PATH' "$(grep ^PATH: out)" "PATH: $work/bin:*"
like '--dry-run: names set' "$(grep '^variables set:' out)" '*MINE*'
like '--dry-run: names removed' "$(grep '^variables removed:' out)" \
  '*SECRET_TOKEN*'
is '--dry-run: no prompt, no values' \
  "$(grep -c -e 'my words' -e s3cret -e hidden out)" 0
is '--dry-run: nothing started, nothing written' \
  "$(ls started dry.raw 2>/dev/null)" ''
is '--dry-run: no folder left behind' "$(ls "$TMPDIR" | grep agentrun)" ''

# Help and version.
run "$AGENTRUN" --version
like '--version' "$(cat out) $status" 'agentrun [0-9]* 0'
run "$AGENTRUN" claude-code --help
like '--help of a run' "$(head -1 out) $status" 'Usage: agentrun RUNTIME * 0'
run sh -c "$AGENTRUN --help >/dev/full"
like '--help into a full disk' "$(cat err) $status" \
  'agentrun: cannot write to stdout: No space left on device 1'

done_testing
