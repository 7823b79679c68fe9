#!/bin/sh
# No input costs more than linear time: eight times as much of anything takes
# less than twelve times the instructions. valgrind counts them, so the machine
# and what else runs on it do not matter. The shapes stand in linear.c.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need valgrind

linear=$top_builddir/tests/linear
most=12

# count SHAPE N: a file of that name with the instructions that it takes.
cat >count <<'EOF'
valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
  "$linear" "$1" "$2" 2>&1 >/dev/null |
  sed -n 's/.*I *refs: *//p' | tr -d , >"$1 $2"
EOF
export linear
"$linear" >shapes
{
  echo none 0
  while read -r shape n; do
    echo "$shape $n $shape $((n * 8))"
  done <shapes
} | xargs -n 2 -P "$(getconf _NPROCESSORS_ONLN)" sh count
[ -s 'none 0' ] || skip_all "valgrind does not work here"
read -r base <'none 0'
while read -r shape n; do
  read -r once <"$shape $n"
  read -r eight <"$shape $((n * 8))"
  got=$(awk "BEGIN { printf \"%.1f\", ($eight - $base) / ($once - $base) }")
  ok "$shape: 8 times as much costs $got times" \
    awk "BEGIN { exit !($got < $most) }"
done <shapes
done_testing
