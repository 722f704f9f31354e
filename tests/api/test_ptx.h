// SPDX-License-Identifier: MIT
// The PTX that tests of modules and launches load; written by hand.
#pragma once

// scale(u32* values, u32 factor, u32 count), counter: a variable of 4 bytes that starts as 5, table: constant memory
inline constexpr char kScalePtx[] = R"(
.version 7.5
.target sm_80
.address_size 64

.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};

.visible .entry scale(.param .u64 values, .param .u32 factor, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [values];
  ld.param.u32 %r1, [factor];
  ld.param.u32 %r2, [count];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p, %r6, %r2;
  @%p bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r6, 4;
  add.s64 %rd3, %rd2, %rd3;
  ld.global.u32 %r7, [%rd3];
  mul.lo.u32 %r7, %r7, %r1;
  st.global.u32 [%rd3], %r7;
DONE:
  ret;
}

.visible .entry count_up()
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
}
)";

// reverse(u32* values): one block reverses its values through dynamic shared memory; fixed(u32*) must be launched with 64 threads
inline constexpr char kSharedPtx[] = R"(
.version 7.5
.target sm_80
.address_size 64

.extern .shared .align 4 .b8 dynamic[];

.visible .entry reverse(.param .u64 values)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [values];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  mov.u32 %r4, dynamic;
  sub.u32 %r5, %r2, %r1;
  sub.u32 %r5, %r5, 1;
  mad.lo.u32 %r6, %r5, 4, %r4;
  st.shared.u32 [%r6], %r3;
  bar.sync 0;
  mad.lo.u32 %r6, %r1, 4, %r4;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd4], %r7;
  ret;
}

.visible .entry fixed(.param .u64 values) .reqntid 64, 1, 1
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [values];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd3, %rd2, %rd3;
  st.global.u32 [%rd3], %r1;
  ret;
}

.visible .entry wild(.param .u64 address)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [address];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, 1;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

// meet(u32* arrived, u32* seen): every block arrives before any leaves; seen[block] is how many there were then.
inline constexpr char kMeetPtx[] = R"(
.version 7.5
.target sm_80
.address_size 64

.visible .entry meet(.param .u64 arrived, .param .u64 seen)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [arrived];
  ld.param.u64 %rd2, [seen];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, %tid.x;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra TOGETHER;
  atom.global.add.u32 %r4, [%rd1], 1;
AGAIN:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r2;
  @%p2 bra AGAIN;
TOGETHER:
  bar.sync 0;
  ld.volatile.global.u32 %r5, [%rd1];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd3, %rd2, %rd3;
  st.global.u32 [%rd3], %r5;
  ret;
}
)";
