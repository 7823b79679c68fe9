#!/bin/sh
# t-hardened: what the compiler can do against mistakes is in the program, by
# default.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib.sh"
need readelf

binary=$(readlink -f "$AGENTRUN")
flags=$(sed -n 's/^HARDEN_[A-Z]* = //p' "$top_builddir/Makefile" | tr '\n' ' ')
case $flags in
  *-fsanitize=*) skip_all 'built with sanitizers' ;;
esac
readelf -hldW "$binary" >elf 2>/dev/null || skip_all 'no ELF here'
readelf --dyn-syms -W "$binary" >symbols

like 'it is loaded at an address that nobody knows' \
  "$(grep 'Type:' elf)" '*DYN*'
ok 'relocated once, then read-only' grep -q GNU_RELRO elf
ok 'all of it at the start' grep -Eq 'FLAGS.* NOW|BIND_NOW' elf
is 'no memory is both written and executed' \
  "$(grep -cE '^ +(LOAD|GNU_STACK) .* (RWE|WE) ' elf)" 0
ok 'nor the stack' grep -q GNU_STACK elf
is 'the code is relocated nowhere' "$(grep -c TEXTREL elf)" 0
is 'libraries are looked for where the system has them' \
  "$(grep -cE 'R(UN)?PATH' elf)" 0
ok 'stacks are guarded' grep -q __stack_chk_fail symbols
case $flags in
  *-D_FORTIFY_SOURCE=*)
    ok 'sizes are checked' grep -Eq '__(memcpy|snprintf|read)_chk' symbols
    ;;
  *) skip 'sizes are checked' 'built without optimisation' ;;
esac
case $flags in
  *-fcf-protection*)
    like 'jumps go to where they may' \
      "$(readelf -nW "$top_builddir/src/main.o" | grep 'x86 feature')" \
      '*IBT*SHSTK*'
    ;;
  *) skip 'jumps go to where they may' 'not of this processor' ;;
esac
case $(uname -m) in
  x86_64 | aarch64)
    like 'big frames touch every page' "$flags" '*-fstack-clash-protection*'
    ;;
  *) skip 'big frames touch every page' 'not of this processor' ;;
esac
done_testing
