#!/bin/sh
# fuzz.sh DIR SECONDS RUNS [TARGET...]: runs each target (all, if none is named)
# so long or so often, whichever comes first; what it finds of new inputs goes to
# DIR/corpus/TARGET. The first inputs are those of tests/corpus and what the
# target names below tests/. An input that breaks a rule ends the run and stays
# in DIR.
set -e
dir=$1 seconds=$2 runs=$3
shift 3
tests=$(cd "$(dirname "$0")" && pwd)
# Some targets write files each time.
[ "$TMPDIR" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
export TMPDIR=${TMPDIR:-/tmp}
[ "$runs" = -1 ] || [ "$seconds" != 30 ] || seconds=0

"$dir/tests/fuzz" list | while read -r target max seeds; do
  case " $* " in
    '  ' | *" $target "*) ;;
    *) continue ;;
  esac
  echo "== $target"
  found=$dir/corpus/$target first=$dir/seeds/$target
  mkdir -p "$found" "$first"
  for file in "$tests/corpus/$target"/* ${seeds:+"$tests"/$seeds}; do
    [ ! -f "$file" ] ||
      cp "$file" "$first/$(echo "${file#"$tests/"}" | tr / -)"
  done
  "$dir/tests/fuzz" "$target" -max_total_time="$seconds" -runs="$runs" \
    -max_len="$max" -timeout=20 -artifact_prefix="$dir/$target-" \
    -print_final_stats=1 -verbosity=0 "$found" "$first"
done
