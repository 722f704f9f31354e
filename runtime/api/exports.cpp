// SPDX-License-Identifier: MIT
// The exported functions, made from the rows: each enters the harness with its body. Nothing but these names leaves the library.
#include "bodies.h"
#include "exports.h"

#define PTXSHIM_EXPORT extern "C" __attribute__((visibility("default")))

// Names and passes on up to twelve parameters: (int*, unsigned) -> (int* a0, unsigned a1) and , a0, a1
#define PTXSHIM_COUNT(...) PTXSHIM_COUNT_(__VA_ARGS__ __VA_OPT__(, ) 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define PTXSHIM_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count
#define PTXSHIM_CAT(a, b) PTXSHIM_CAT_(a, b)
#define PTXSHIM_CAT_(a, b) a##b
#define PTXSHIM_NAMED(...) PTXSHIM_CAT(PTXSHIM_NAMED_, PTXSHIM_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define PTXSHIM_PASSED(...) PTXSHIM_CAT(PTXSHIM_PASSED_, PTXSHIM_COUNT(__VA_ARGS__))
// clang-format off
#define PTXSHIM_NAMED_0()
#define PTXSHIM_NAMED_1(a) a a0
#define PTXSHIM_NAMED_2(a, b) a a0, b a1
#define PTXSHIM_NAMED_3(a, b, c) a a0, b a1, c a2
#define PTXSHIM_NAMED_4(a, b, c, d) a a0, b a1, c a2, d a3
#define PTXSHIM_NAMED_5(a, b, c, d, e) a a0, b a1, c a2, d a3, e a4
#define PTXSHIM_NAMED_6(a, b, c, d, e, f) a a0, b a1, c a2, d a3, e a4, f a5
#define PTXSHIM_NAMED_7(a, b, c, d, e, f, g) a a0, b a1, c a2, d a3, e a4, f a5, g a6
#define PTXSHIM_NAMED_8(a, b, c, d, e, f, g, h) a a0, b a1, c a2, d a3, e a4, f a5, g a6, h a7
#define PTXSHIM_NAMED_9(a, b, c, d, e, f, g, h, i) a a0, b a1, c a2, d a3, e a4, f a5, g a6, h a7, i a8
#define PTXSHIM_NAMED_10(a, b, c, d, e, f, g, h, i, j) a a0, b a1, c a2, d a3, e a4, f a5, g a6, h a7, i a8, j a9
#define PTXSHIM_NAMED_11(a, b, c, d, e, f, g, h, i, j, k) a a0, b a1, c a2, d a3, e a4, f a5, g a6, h a7, i a8, j a9, k a10
#define PTXSHIM_PASSED_0
#define PTXSHIM_PASSED_1 , a0
#define PTXSHIM_PASSED_2 , a0, a1
#define PTXSHIM_PASSED_3 , a0, a1, a2
#define PTXSHIM_PASSED_4 , a0, a1, a2, a3
#define PTXSHIM_PASSED_5 , a0, a1, a2, a3, a4
#define PTXSHIM_PASSED_6 , a0, a1, a2, a3, a4, a5
#define PTXSHIM_PASSED_7 , a0, a1, a2, a3, a4, a5, a6
#define PTXSHIM_PASSED_8 , a0, a1, a2, a3, a4, a5, a6, a7
#define PTXSHIM_PASSED_9 , a0, a1, a2, a3, a4, a5, a6, a7, a8
#define PTXSHIM_PASSED_10 , a0, a1, a2, a3, a4, a5, a6, a7, a8, a9
#define PTXSHIM_PASSED_11 , a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10
// clang-format on

#define PTXSHIM_ENTRY(symbol, body, need, per_thread, parameters)                                                      \
  PTXSHIM_EXPORT CUresult symbol(PTXSHIM_NAMED parameters) noexcept {                                                         \
    return ::ptxshim::api::enter<&::ptxshim::api::body, ::ptxshim::api::Need::need, per_thread>(                       \
        #symbol PTXSHIM_PASSED parameters);                                                                            \
  }

#define PTXSHIM_ENTRIES_none(name, needs, parameters) PTXSHIM_ENTRY(name, name, needs, false, parameters)
#define PTXSHIM_ENTRIES_ptsz(name, needs, parameters)                                                                  \
  PTXSHIM_ENTRY(name, name, needs, false, parameters) PTXSHIM_ENTRY(name##_ptsz, name, needs, true, parameters)
#define PTXSHIM_ENTRIES_ptds(name, needs, parameters)                                                                  \
  PTXSHIM_ENTRY(name, name, needs, false, parameters) PTXSHIM_ENTRY(name##_ptds, name, needs, true, parameters)

// A missing function looks at none of its arguments, so that one signature serves.
#define PTXSHIM_MISSING(symbol, name)                                                                                  \
  PTXSHIM_EXPORT CUresult symbol() noexcept { return ::ptxshim::api::unsupported(::ptxshim::api::Row::name, #symbol); }
#define PTXSHIM_MISSING_none(name) PTXSHIM_MISSING(name, name)
#define PTXSHIM_MISSING_ptsz(name) PTXSHIM_MISSING(name, name) PTXSHIM_MISSING(name##_ptsz, name)
#define PTXSHIM_MISSING_ptds(name) PTXSHIM_MISSING(name, name) PTXSHIM_MISSING(name##_ptds, name)

#define API(name, since, variant, needs, parameters) PTXSHIM_ENTRIES_##variant(name, needs, parameters)
#define SAME(name, since, variant, target)
#define STUB(name, since, variant) PTXSHIM_MISSING_##variant(name)
#include "driver_api.def"

// The second names, as aliases of the symbol; their type is that of the target, whatever stands here.
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif
#define API(name, since, variant, needs, parameters)
#define SAME(name, since, variant, target) PTXSHIM_EXPORT CUresult name() noexcept __attribute__((alias(#target)));
#define STUB(name, since, variant)
#include "driver_api.def"
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

namespace ptxshim::api {

// The look-up table of cuGetProcAddress (lookup.cpp), in the order of the rows.
#define PTXSHIM_SECOND_none(name) nullptr
#define PTXSHIM_SECOND_ptsz(name) reinterpret_cast<void*>(&::name##_ptsz)
#define PTXSHIM_SECOND_ptds(name) reinterpret_cast<void*>(&::name##_ptds)
#define API(name, since, variant, needs, parameters)                                                                   \
  {#name, since, reinterpret_cast<void*>(&::name), PTXSHIM_SECOND_##variant(name)},
#define SAME(name, since, variant, target) API(name, since, variant, , )
#define STUB(name, since, variant) API(name, since, variant, , )
const ExportedRow exported_rows[kExportedRows] = {
#include "driver_api.def"
};

} // namespace ptxshim::api
