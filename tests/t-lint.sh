# t-lint: rules of the source tree that a program can check (HACKING.md).
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"

cd "$top_srcdir" || exit 99
lint=$TMPDIR/lint
mkdir "$lint"

find src -name '*.[ch]' | LC_ALL=C sort >"$lint/files"
find src tests -name '*.[ch]' | LC_ALL=C sort >"$lint/all-files"

# The sources without comments and string contents, line numbers kept:
# FILE:LINE:CODE.
strip() {
  xargs awk '
    FNR == 1 { comment = 0 }
    {
      line = $0
      code = ""
      while (line != "") {
        if (comment) {
          at = index(line, "*/")
          if (!at) break
          line = substr(line, at + 2)
          comment = 0
        } else if (match(line, /"([^"\\]|\\.)*"|\/\*|'\''([^'\''\\]|\\.)'\''/)) {
          code = code substr(line, 1, RSTART - 1)
          hit = substr(line, RSTART, RLENGTH)
          line = substr(line, RSTART + RLENGTH)
          if (hit == "/*") comment = 1
          else if (code ~ /#[[:space:]]*include/) code = code hit
          else code = code "\"\""
        } else {
          code = code line
          line = ""
        }
      }
      if (code !~ /^[[:space:]]*$/) print FILENAME ":" FNR ":" code
    }'
}
strip <"$lint/files" >"$lint/code"
strip <"$lint/all-files" >"$lint/all-code"

# none DESCRIPTION: the file found must be empty; what it holds is shown.
found=$lint/found
none() {
  if [ -s "$found" ]; then
    fail "$1"
    diag <"$found"
  else
    pass "$1"
  fi
}

# Who may include what (A: what A may include, itself aside). The files of
# src/ itself may include everything.
cat >"$lint/rules" <<'RULES'
base
event base
sandbox base
runtime event base
output event base
ui output event base
view runtime output event base
run runtime sandbox output event base
RULES
sed -n 's/^src\/\([a-z]*\)\/[^:]*:[0-9]*:#[[:space:]]*include "\([^"]*\)".*/\1 \2 &/p' \
  "$lint/code" | while read -r from header line; do
  to=${header%%/*}
  [ "$header" != config.h ] || continue
  [ "$to" != "$from" ] || continue
  grep -q "^$from .*\b$to\b" "$lint/rules" && [ "$to" != "$header" ] ||
    printf '%s\n' "${line}"
done >"$found"
none 'folders include only what they may know'

grep -E ':#[[:space:]]*include <(curses|ncurses|term|panel|ncursesw/.*)\.h>' \
  "$lint/code" | grep -v '^src/ui/' >"$found"
none 'curses stays in src/ui'
grep -E ':#[[:space:]]*include <(term|ncursesw/term)\.h>' "$lint/code" |
  grep -v '^src/ui/term\.c:' >"$found"
none 'term.h stays in src/ui/term.c'

for file in $(grep '\.c$' "$lint/all-files" | grep -v '^tests/bench-'); do
  grep -m 1 "^$file:[0-9]*:#[[:space:]]*include" "$lint/all-code" |
    grep -v '"config.h"' || :
done >"$found"
none 'config.h comes first'
grep '\.h:[0-9]*:#[[:space:]]*include "config\.h"' "$lint/all-code" >"$found"
none 'no header includes config.h'
for file in $(grep '\.h$' "$lint/all-files"); do
  guard=AGENTRUN_$(echo "${file#src/}" | tr 'a-z/.-' 'A-Z___')
  grep -qx "#ifndef $guard" "$file" || echo "$file: no guard $guard"
done >"$found"
none 'headers have their guards'

banned='malloc|calloc|realloc|strdup|strndup|asprintf|vasprintf|strcpy|stpcpy'
banned="$banned|strcat|strncat|sprintf|vsprintf|strtok|strtok_r|atoi|atol|atof"
banned="$banned|gets|alloca|yajl_tree_[a-z_]*|assert|system|popen|tmpnam|mktemp"
grep -E "(^|[^a-zA-Z0-9_.>])($banned)[[:space:]]*\(" "$lint/code" |
  grep -v '^src/base/xalloc\.c:' >"$found"
none 'no banned call'
# The forked child of bwrap.c speaks into the pipe that bwrap gets as stderr.
prints='stderr|perror|(write|writev|io_write_all|dprintf)\((STDERR_FILENO|2)'
grep -E "(^|[^a-zA-Z0-9_])($prints)([^a-zA-Z0-9_]|\$)" "$lint/code" |
  grep -Ev '^src/(main|base/log|sandbox/bwrap)\.c:' >"$found"
none 'only main.c and base/log.c print to stderr'
grep -E '(^|[^a-zA-Z0-9_])(exit|quick_exit|atexit)[[:space:]]*\(' "$lint/code" |
  grep -v '^src/main\.c:' >"$found"
none 'only main.c calls exit'
grep -E '(^|[^:])//' "$lint/all-code" >"$found"
none 'no comment with //'

xargs wc -l <"$lint/files" | awk '$2 != "total" && $1 > 700' >"$found"
none 'no file is longer than 700 lines'

find src tests man completions po data bootstrap configure.ac Makefile.am \
  ./*.md .ci -type f ! -path '*/golden/*' ! -path '*/corpus/*' ! -name t-lint.sh ! -name '*.gmo' \
  ! -name '*.jsonl' ! -name Makefile.in\* 2>/dev/null >"$lint/texts"
xargs grep -nIwE 'TODO|FIXME|XXX|HACK' <"$lint/texts" >"$found"
none 'nothing is marked as undone'
xargs grep -nIE '[[:space:]]+$' <"$lint/texts" |
  grep -vE '^po/[^:]*\.(pot|header|sin|sed)|^po/(Rules|Makevars\.t|Makefile)' |
  grep -vE '^tests/(screens|markdown|corpus)/' >"$found"
none 'no blanks at the end of a line'

# Every source and test is built.
for file in $(cat "$lint/files"); do
  grep -qE "(^|[^a-z/-])$file( |\$)" Makefile.am || echo "$file"
done >"$found"
none 'Makefile.am has every source'
for file in tests/check-*.c tests/t-*.sh; do
  grep -qE "^[[:space:]]*${file%.c}( |\$)" Makefile.am || echo "$file"
done >"$found"
none 'Makefile.am has every test'
for file in tests/t-*.sh; do
  sed -n '1,6p' "$file" | grep -q 'tests/lib\.sh"' || echo "$file"
done >"$found"
none 'every shell test pins its environment'

# Translation.
grep -E '(^|[^a-zA-Z0-9_])(_|N_|gettext|ngettext|err_set)\(' "$lint/code" |
  grep -vE '^src/base/(err\.[ch]|i18n\.h):' | cut -d: -f1 |
  sort -u >"$lint/marked"
grep -v '^#' po/POTFILES.in | sed '/^$/d' | sort >"$lint/potfiles"
same 'POTFILES.in lists what has messages' "$lint/potfiles" "$lint/marked"
if command -v msgfmt >/dev/null 2>&1; then
  for po in po/*.po; do
    ok "$po is well formed" msgfmt --check --output-file=/dev/null "$po"
    grep -n '^#, .*fuzzy' "$po" >"$found"
none "$po has no fuzzy entry"
  done
else
  skip 'catalogues are well formed' 'no msgfmt'
fi
if command -v xgettext >/dev/null 2>&1; then
  # shellcheck disable=SC2046
  xgettext --keyword=_ --keyword=N_ --keyword=err_set:3 --from-code=UTF-8 \
    --output="$lint/agentrun.pot" $(cat "$lint/potfiles")
  for po in po/*.po; do
    msgmerge --quiet --no-fuzzy-matching "$po" "$lint/agentrun.pot" |
      msgattrib --untranslated --no-obsolete |
      sed -n '/^msgid ""$/,/^$/d; /^msgid /p' >"$found"
    none "$po has every message"
  done
else
  skip 'catalogues have every message' 'no xgettext'
fi

# Formatting, by one pinned version.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  xargs clang-format --dry-run <"$lint/all-files" 2>&1 |
    grep 'clang-format-violations' >"$found"
  none 'clang-format 14 agrees'
else
  skip 'clang-format 14 agrees' 'no clang-format 14'
fi

# Documents and completions know every option and every command.
for command in '' run view export doctor demo; do
  case $command in
    run) "$AGENTRUN" claude-code --help ;;
    *) "$AGENTRUN" $command --help ;;
  esac
done 2>&1 | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' |
  sort -u >"$lint/options"
ok 'the program lists its options' grep -qx -e --session-dir "$lint/options"
while read -r option; do
  end='\([^a-z-]\|$\)'
  grep -q -e "^\.It .*Fl -${option#--}$end" man/agentrun.1 ||
    echo "man: $option"
  grep -q -e "$option$end" completions/agentrun || echo "bash: $option"
  grep -q -e "$option$end" completions/_agentrun || echo "zsh: $option"
done <"$lint/options" >"$found"
none 'every option is documented and completed'
{
  grep -oE 'Fl -[a-z][a-z-]*' man/agentrun.1 | sed 's/Fl -/--/'
  grep -ohE '(^|[^a-z-])--[a-z][a-z-]+' completions/agentrun \
    completions/_agentrun | sed 's/^[^-]*//'
} | sort -u | grep -vxFf "$lint/options" >"$found"
none 'no option that the program does not know'
# The keys of the view, as the manual names them: ^X is Ctrl-X, S-Tab Shift-Tab.
sed -n '/define UI_KEYS(/,/[^\\]$/p' src/ui/keys.h |
  sed -n 's/^[[:space:]]*X([A-Z_]*, [A-Z]*, "\([^"]*\)".*/\1/p' |
  tr ' ' '\n' | grep -v '^[2-8]$' |
  sed 's/\\\\/\\/; s/^S-Tab$/Shift-Tab/; s/^^\(.\)$/Ctrl-\1/' >"$lint/keys"
sed -n '/^\.Sh KEYS/,/^\.Sh EVENTS/s/^\.It //p' man/agentrun.1 |
  sed 's/\\&//g; s/\\e/\\/g' | tr ' ' '\n' >"$lint/man-keys"
ok 'the view has keys' grep -qx F1 "$lint/keys"
grep -vxFf "$lint/man-keys" "$lint/keys" >"$found"
none 'every key is in the manual'
if command -v mandoc >/dev/null 2>&1; then
  mandoc -Tlint -W warning man/agentrun.1 >"$found" 2>&1
none 'mandoc likes the page'
else
  skip 'mandoc likes the page' 'no mandoc'
fi
ok 'the bash completion is bash' bash -n completions/agentrun

done_testing
