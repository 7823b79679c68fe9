#!/bin/sh
# fuzz.sh DIR run SECONDS RUNS [TARGET...]
# fuzz.sh DIR merge [TARGET...]
#
# run: each target (all, if none is named) so long or so often, whichever comes
# first; both empty: 30 s. New inputs that reach new code go to
# DIR/corpus/TARGET. The first inputs are those of tests/corpus, and what the
# target names below tests/. An input that breaks a rule ends the run and stays
# in DIR as TARGET-crash-*.
#
# merge: chooses the fewest of all these inputs that reach as much, and writes
# them into tests/corpus/TARGET in place of those that were chosen before. What
# has a name of its own there stays.
set -e
dir=$1 what=$2
shift 2
if [ "$what" = run ]; then
  seconds=$1 runs=$2
  [ "$seconds$runs" ] || seconds=30
  shift 2
fi
tests=$(cd "$(dirname "$0")" && pwd)
# Some targets write files each time.
[ "$TMPDIR" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
export TMPDIR="${TMPDIR:-/tmp}"
merge_max=1024 # bytes

# first WHERE: the first inputs of $target.
first() {
  mkdir -p "$1"
  for file in "$tests/corpus/$target"/* ${seeds:+"$tests"/$seeds}; do
    [ ! -f "$file" ] || cp "$file" "$1/$(echo "${file#"$tests/"}" | tr / -)"
  done
}

run() {
  found=$dir/corpus/$target
  mkdir -p "$found"
  first "$dir/seeds/$target"
  "$dir/tests/fuzz" "$target" -max_total_time="${seconds:-0}" \
    -runs="${runs:--1}" -max_len="$max" -timeout=20 -artifact_prefix="$dir/$target-" \
    -print_final_stats=1 -verbosity=0 "$found" "$dir/seeds/$target"
}

# Names that libFuzzer gives are 40 digits.
merge() {
  all=$dir/merge/all chosen=$dir/merge/$target
  rm -rf "$all" "$chosen"
  first "$all"
  mkdir -p "$chosen"
  find "$all" -type f ! -name '*-????????????????????????????????????????' \
    -exec mv {} "$chosen" \;
  "$dir/tests/fuzz" "$target" -set_cover_merge=1 -use_counters=0 \
    -max_len="$merge_max" "$chosen" "$all" "$dir/corpus/$target" 2>&1 |
    grep 'MERGE-OUTER: .* new files'
  mkdir -p "$tests/corpus/$target"
  find "$tests/corpus/$target" -type f -name \
    '????????????????????????????????????????' -exec rm {} +
  find "$chosen" -type f -name '????????????????????????????????????????' \
    -exec mv {} "$tests/corpus/$target" \;
}

"$dir/tests/fuzz" list | while read -r target max seeds; do
  case " $* " in
    '  ' | *" $target "*) ;;
    *) continue ;;
  esac
  echo "== $target"
  "$what"
done
