#!/bin/sh
# SPDX-License-Identifier: MIT
# Handlers go on to the next operation with a jump (next() in wave.h): a call would let the stack grow with every operation
# of a run. Usage: jumps.sh OBJDUMP LIBRARY. The general handlers of memory may call, since they return to the loop.
set -eu
listing=$("$1" --disassemble --demangle --no-show-raw-insn "$2" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $0; handler = name ~ /ptxshim::vgpu::Wave&, ptxshim::vgpu::Op const\*\)/ && name !~ /run_(flat|lds|buffer)|Wave&, ptxshim::vgpu::Op const\*\)[#,]/ }
  handler && /jmp +\*%/ { ++jumps }
  handler && /call +\*/ { print "calls: " name }
  END { print jumps + 0 " jumps" }')
echo "$listing" | tail -20
count=$(echo "$listing" | sed -n 's/ jumps$//p')
[ "$count" -gt 1000 ] && ! echo "$listing" | grep -q '^calls:'
