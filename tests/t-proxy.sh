#!/bin/sh
# The proxy, in a private network.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need python3 unshare
unshare -Urnm true 2>/dev/null || skip_all "no user namespaces"
unshare -Urnm python3 "$top_srcdir/tests/proxy.py" "$top_builddir/tests/proxyd" "$work"
