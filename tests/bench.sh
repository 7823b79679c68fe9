#!/bin/sh
# bench: how fast agentrun takes a runtime's output, how late an event comes and
# how much memory that takes. Not a test: numbers depend on the machine, so the
# goals are ratios to other programs in the same run. Run it by `make bench`.
#
#   BENCH_SIZE   bytes of input for each row (default 48 MiB); also K, M, G
#   BENCH_ROUNDS how often each program runs, the best counts (default 5)
#   BENCH_ONLY   throughput, run, latency, memory or view: only this part
#   BENCH_EVENTS length of the stream that is viewed (default 1000000)
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3

if [ "${BENCH_ONLY:-}" != view ]; then
  python3 -B "$top_srcdir/tests/bench.py" "$AGENTRUN" \
    "$top_builddir/tests" "$top_srcdir/tests/bench-lines.py" "$work" || exit
fi
case ${BENCH_ONLY:-view} in
  view)
    python3 -B "$top_srcdir/tests/bench-view.py" "$AGENTRUN" "$work"
    for program in bench-ui bench-inspect; do
      program=$top_builddir/tests/$program
      [ ! -x "$program" ] || "$program"
    done
    ;;
esac
