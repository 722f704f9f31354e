// SPDX-License-Identifier: MIT
// Rows of DS opcodes.

#include <string>

#include "control.h"
#include "lds.h"
#include "lds_special.h"
#include "memory_kernels.h"
#include "memory_ops.h"
#include "rows.h"

namespace ptxshim::vgpu {
namespace {

struct LdsRow {
  const char* name;
  Handler run;
  MemoryTraits traits;
  uint32_t immediate;
};

constexpr MemoryTraits load_traits(unsigned bytes, bool sign, Half half) {
  return {MemoryKind::Load, static_cast<uint8_t>(bytes), sign, half, AtomicOp::Add};
}
constexpr MemoryTraits store_traits(unsigned bytes, Half half) {
  return {MemoryKind::Store, static_cast<uint8_t>(bytes), false, half, AtomicOp::Add};
}
constexpr MemoryTraits atomic_traits(AtomicOp op, unsigned bytes) {
  return {MemoryKind::Atomic, static_cast<uint8_t>(bytes), false, Half::None, op};
}
constexpr uint32_t kStride64 = 2; // two-address forms: offsets count 64 elements

// clang-format off
constexpr LdsRow kRows[] = {
#define LDS_LOAD(name, bytes, sign, half) {#name, run_lds_load, load_traits(bytes, sign, Half::half), 0},
#define LDS_STORE(name, bytes, half) {#name, run_lds_store, store_traits(bytes, Half::half), 0},
#define LDS_TWO(name, handler, bytes, immediate) {#name, handler, load_traits(bytes, false, Half::None), immediate},
#define LDS_ATOMIC(name, op, bytes, comparand_first) {#name, run_lds_atomic, atomic_traits(AtomicOp::op, bytes), comparand_first},
#define LDS_ATOMIC2(name, op, bytes) {#name, run_lds_two_cells, atomic_traits(AtomicOp::op, bytes), 0},
#define GWS(name, op) {#name, run_gws, {}, static_cast<uint32_t>(GwsOp::op)},
#define DIRECT(name) {#name, run_lds_direct, {}, 0},
#define LDS_OTHER(name, handler, immediate) {#name, handler, load_traits(4, false, Half::None), immediate},
#include "ds.def"
};
// clang-format on

// The handler of the usual cases, where there is one.
Handler handler_of(const BindContext& context, const Row& row) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(row.table);
  if (row.run == run_lds_atomic) {
    const Handler handler = atomic_handlers(context.wave_size == 64, traits.atomic).lds[traits.bytes == 8];
    return handler ? handler : row.run;
  }
  if (row.run == run_lds_bpermute) return permute_handler(context.wave_size == 64);
  const bool stores = row.run == run_lds_store || row.run == run_lds_store2, two = row.run == run_lds_load2 || row.run == run_lds_store2;
  if (!two && row.run != run_lds_load && row.run != run_lds_store) return row.run;
  const RowHandlers& handlers = row_handlers(context.wave_size == 64, stores);
  const Handler handler = (two ? handlers.lds2 : handlers.lds)[static_cast<unsigned>(shape_of(traits.bytes, traits.sign))];
  return handler ? handler : row.run;
}

bool is_two_address(Handler run) { return run == run_lds_load2 || run == run_lds_store2 || run == run_lds_exchange2; }

bool bind_lds(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  unsigned vectors = 0;
  const bool no_address = row.run == run_lds_append || row.run == run_lds_addtid;
  if (no_address) vectors = 1; // data, if any, is the first that is listed
  op.immediate = row.immediate;
  op.run = handler_of(context, row);
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_definition) {
      op.dst = operand.index;
      op.returns = true;
    } else if (operand.kind == OperandKind::Vector && operand.tied_to < 0) {
      if (vectors < 3 && !bind_source(operand, op.src[vectors++])) return false;
    }
  }
  if (text_has(in, "gds") || vectors == 0) return false;
  if (is_two_address(row.run)) {
    const MemoryTraits& traits = *static_cast<const MemoryTraits*>(row.table);
    const int64_t unit = traits.bytes * (row.immediate == kStride64 ? 64 : 1);
    int64_t first = 0, second = 0;
    text_number(in, "offset0:", first);
    text_number(in, "offset1:", second);
    op.offset = first * unit;
    op.immediate = static_cast<uint32_t>(second * unit);
    if (first == second) op.run = row.run;
    return true;
  }
  if (row.run == run_lds_swizzle) { // the printer shows patterns in words: take the operand
    if (in.count < 3 || in.operands[2].kind != OperandKind::Immediate) return false;
    op.offset = in.operands[2].value & 0xffff;
    return true;
  }
  text_number(in, "offset:", op.offset);
  return true;
}

// No address: at most the value.
bool bind_gws(const BindContext&, const Instruction& in, const Row& row, Op& op) {
  const bool takes_value = row.immediate == static_cast<uint32_t>(GwsOp::Init) ||
                           row.immediate == static_cast<uint32_t>(GwsOp::SemaBr) ||
                           row.immediate == static_cast<uint32_t>(GwsOp::Barrier);
  if (takes_value && (in.count == 0 || in.operands[0].kind != OperandKind::Vector || !bind_source(in.operands[0], op.src[0])))
    return false;
  op.immediate = row.immediate;
  text_number(in, "offset:", op.offset);
  return true;
}

bool bind_direct(const BindContext&, const Instruction& in, const Row&, Op& op) {
  if (in.count == 0 || in.operands[0].kind != OperandKind::Vector) return false;
  op.dst = in.operands[0].index;
  return true;
}

Binder binder_of(Handler run) { return run == run_gws ? bind_gws : run == run_lds_direct ? bind_direct : bind_lds; }

} // namespace

void add_lds_rows(RowSink sink, void* context) {
  for (const LdsRow& row : kRows) {
    const char* const error = atomic_error(row.traits.atomic, row.name);
    const Fidelity fidelity = error ? Fidelity::Approximate : Fidelity::Exact;
    sink(context, row.name,
         Row(row.name, fidelity, binder_of(row.run), row.run, &row.traits, row.immediate, error ? error : ""));
  }
}

} // namespace ptxshim::vgpu
