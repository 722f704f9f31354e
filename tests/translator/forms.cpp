// SPDX-License-Identifier: MIT
// A handful of forms, so that the parser's tests need no lowering.
#include "syntax/op_forms.h"

namespace ptxshim::ptx {
namespace {

constexpr Form kAdd[] = {{"add<t> d, a, b", "t=.u16|.u32|.u64|.s16|.s32|.s64", "", 10, 10},
                         {"add{rnd}{ftz}{sat}.f32 d, a, b", "rnd?=.rn|.rz|.rm|.rp; ftz?=.ftz; sat?=.sat", "", 10, 10},
                         {"add<t> d, a, b", "t=.u16x2|.s16x2", "", 80, 90}};
constexpr Form kMov[] = {{"mov<t> d, a", "t=.pred|.b16|.b32|.b64|.u16|.u32|.u64|.s32|.s64|.f32|.f64"},
                         {"mov<t> d, {a..}", "t=.b32|.b64", "d:t"},
                         {"mov<t> {d..}, a", "t=.b32|.b64", "a:t"}};
constexpr Form kMul[] = {{"mul.wide<t> d, a, b", "t=.u16|.u32|.s16|.s32", "d:t:wide a:t b:t"},
                         {"mul<m><t> d, a, b", "m=.hi|.lo; t=.u32|.s32|.u64|.s64"}};
constexpr Form kLd[] = {{"ld{ss}{vec}<t> {d..}, [addr]", "ss?=.global|.shared|.param|.const|.local; vec?=.v2|.v4; t=.b8|.u8|.u16|.b32|.u32|.f32|.u64|.b64|.f64", "d:t"}};
constexpr Form kSt[] = {{"st{ss}{vec}<t> [addr], {a..}", "ss?=.global|.shared|.param|.local; vec?=.v2|.v4; t=.u8|.b32|.u32|.f32|.b64|.u64", "a:t"}};
constexpr Form kCvt[] = {{"cvt<dt><at> d, a", "dt=.u8|.u16|.u32|.u64|.s32|.s64; at=.u8|.u16|.u32|.u64|.s32|.s64", "d:dt a:at"}};
constexpr Form kSetp[] = {{"setp<c><t> p, a, b", "c=.eq|.ne|.lt; t=.u32|.s32|.b32"}, {"setp<c><t> p|q, a, b", "c=.eq|.ne|.lt; t=.u32|.s32|.b32"}};
constexpr Form kSelp[] = {{"selp<t> d, a, b, c0", "t=.b32|.u32|.f32"}};
constexpr Form kBra[] = {{"bra{u} label", "u?=.uni"}};
constexpr Form kBrx[] = {{"brx.idx{u} a, label", "u?=.uni", "a:u32", 60, 30}};
constexpr Form kCall[] = {{"call{u} label", "u?=.uni"},
                          {"call{u} label, (list)", "u?=.uni"},
                          {"call{u} (list), label", "u?=.uni"},
                          {"call{u} (list), label, (list)", "u?=.uni"},
                          {"call{u} a, (list), label", "u?=.uni", "a:u64"},
                          {"call{u} (list), a, (list), label", "u?=.uni", "a:u64"}};
constexpr Form kRet[] = {{"ret{u}", "u?=.uni"}};
constexpr Form kMin[] = {{"min{x}.f32 d, a, b", "x?=.xorsign.abs"}};

} // namespace

std::span<const Form> forms_of(Op op) {
  if (op == Op::add) return kAdd;
  if (op == Op::mov) return kMov;
  if (op == Op::mul) return kMul;
  if (op == Op::ld) return kLd;
  if (op == Op::st) return kSt;
  if (op == Op::cvt) return kCvt;
  if (op == Op::setp) return kSetp;
  if (op == Op::selp) return kSelp;
  if (op == Op::bra) return kBra;
  if (op == Op::brx) return kBrx;
  if (op == Op::call) return kCall;
  if (op == Op::ret) return kRet;
  if (op == Op::min) return kMin;
  return {};
}

} // namespace ptxshim::ptx
