#!/bin/sh
# --image: what is taken, what is refused, and how each runtime gets it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

mkdir bin repo
cat >bin/fake <<'EOF'
#!/bin/sh
if [ "$1" = --version ]; then echo 1.99.0; exit 0; fi
printf '%s\n' "$@" >"$HOME/args"
cat >"$HOME/stdin"
for a; do
  case $a in
    --image=*) cp "${a#--image=}" "$HOME/copies" ;;
    @*) cp "${a#@}" "$HOME/copies" ;;
  esac
done
exit 1
EOF
chmod +x bin/fake
for p in claude codex pi dsh; do ln -s fake bin/$p; done
mkdir "$HOME/copies"

printf '\211PNG\r\n\032\n....' >'a,b.png'
printf '\377\330\377\340....' >photo
printf 'GIF89a....' >'x y.gif'
printf 'RIFF\001\002\003\004WEBPVP8 ' >w.webp

go() {
  rt=$1
  shift
  run "$AGENTRUN" "$rt" --sandbox off --format jsonl --path "$work/bin" \
    --cwd repo --prompt look "$@"
  detail=$(sed -n 's/.*"type":"end".*"detail":"\(.*\)","duration_ms.*/\1/p' out)
}
images() {
  sed -n 's/.*"type":"prompt".*"images":\(\[.*\]\)}$/\1/p' out
}

go codex --image a,b.png --image photo --image "x y.gif" --image "$work/w.webp"
is "the run was started" "$status" 1
is "prompt.images: as given, in order" "$(images)" \
  "[\"a,b.png\",\"photo\",\"x y.gif\",\"$work/w.webp\"]"
is "codex: plain names with the right endings" \
  "$(sed -n 's/^--image=.*\///p' "$HOME/args" | tr '\n' ' ')" \
  "1.png 2.jpg 3.gif 4.webp "
same "the copy is the file" "$HOME/copies/1.png" a,b.png
same "the last copy, too" "$HOME/copies/4.webp" w.webp
ok "no copy is left" test -z "$(ls -A "$TMPDIR" | grep agentrun)"

rm "$HOME"/copies/*
go pi --image photo --image a,b.png
is "pi: as @PATH" "$(sed -n 's/^@.*\///p' "$HOME/args" | tr '\n' ' ')" "1.jpg 2.png "
same "pi: the copy is the file" "$HOME/copies/1.jpg" photo

go dsh --image photo
like "dsh: named in the prompt" "$(cat "$HOME/stdin")" "look*/1.jpg"
is "dsh: not in the prompt event" \
  "$(sed -n 's/.*"type":"prompt".*"text":"\([^"]*\)".*/\1/p' out)" look

go claude-code --image photo
like "claude-code: in the message" "$(cat "$HOME/stdin")" \
  '*"media_type":"image/jpeg"*"data":"/9j/4C4uLi4="*'

# Refused before anything is started.
refused() {
  what=$1
  pattern=$2
  shift 2
  rm -f "$HOME/args"
  go codex "$@"
  is "$what: rejected" "$status $(wc -l <out | tr -d ' ')" "2 1"
  like "$what: the reason" "$detail" "$pattern"
  ok "$what: nothing was started" not test -e "$HOME/args"
}
echo text >text.png
: >empty.png
mkdir dir.png
mkfifo fifo.png
printf '\211PNG' >short.png
refused missing "cannot read the image 'nosuch.png': No such file or directory*" --image nosuch.png
refused "a text" "'text.png' is no PNG, JPEG, GIF or WebP image*" --image text.png
refused "an empty file" "'empty.png' is no PNG*" --image empty.png
refused "a cut PNG" "'short.png' is no PNG*" --image short.png
refused "a directory" "the image 'dir.png' is not a regular file*" --image dir.png
refused "a FIFO" "the image 'fifo.png' is not a regular file*" --image fifo.png
refused "the second of two" "'text.png' is no*" --image photo --image text.png
printf '\211PNG\r\n\032\n' >big.png
truncate -s $((20 * 1024 * 1024)) big.png
go codex --image big.png
is "20 MiB are allowed" "$status" 1
truncate -s $((20 * 1024 * 1024 + 1)) big.png
refused "one byte more" "the image 'big.png' has 20971521 bytes*20 MiB*" --image big.png
if [ "$(id -u)" -ne 0 ]; then
  cp photo secret.jpg && chmod 0 secret.jpg
  refused "a file that cannot be read" "cannot read the image 'secret.jpg': Permission denied*" --image secret.jpg
fi

done_testing
