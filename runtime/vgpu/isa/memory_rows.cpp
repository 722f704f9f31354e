// SPDX-License-Identifier: MIT
// Rows of FLAT, GLOBAL, SCRATCH, MUBUF and SMEM. An operation has one row in memory.def and exists in several segments:
// `load_dword` is flat_load_dword, global_load_dword, scratch_load_dword and buffer_load_dword.

#include <deque>
#include <string>

#include "control.h"
#include "memory_bind.h"
#include "memory_kernels.h"
#include "rows.h"
#include "staged_memory.h"

namespace ptxshim::vgpu {
namespace {

struct NamedTraits {
  const char* name;
  MemoryTraits traits;
};

constexpr MemoryTraits load(unsigned bytes, bool sign, Half half) {
  return {MemoryKind::Load, static_cast<uint8_t>(bytes), sign, half, AtomicOp::Add};
}
constexpr MemoryTraits store(unsigned bytes, Half half) {
  return {MemoryKind::Store, static_cast<uint8_t>(bytes), false, half, AtomicOp::Add};
}
constexpr MemoryTraits atomic(AtomicOp op, unsigned bytes) {
  return {MemoryKind::Atomic, static_cast<uint8_t>(bytes), false, Half::None, op};
}

// clang-format off
constexpr NamedTraits kOperations[] = {
#define LOAD(name, bytes, sign, half) {#name, load(bytes, sign, Half::half)},
#define STORE(name, bytes, half) {#name, store(bytes, Half::half)},
#define ATOMIC(name, op, bytes) {#name, atomic(AtomicOp::op, bytes)},
#include "memory.def"
};
struct SegmentRow {
  const char* name;
  Segment segment;
  MemoryTraits traits;
};
constexpr SegmentRow kOneSegment[] = {
#define ONE_SEGMENT(name, segment, kind, bytes, sign) \
  {#name, Segment::segment, {MemoryKind::kind, bytes, sign, Half::None, AtomicOp::Add}},
#include "memory.def"
};
constexpr NamedTraits kScalarAtomics[] = {
#define SCALAR_ATOMIC(name, op, bytes) {#name, atomic(AtomicOp::op, bytes)},
#include "smem.def"
};
constexpr NamedTraits kScalarLoads[] = {
#define SCALAR_LOAD(name, bytes, sign) {#name, load(bytes, sign, Half::None)},
#include "smem.def"
};
constexpr const char* kNoEffect[] = { // caches do not exist here
#define CACHE(name) #name,
#include "memory.def"
#define CACHE(name) #name,
#include "smem.def"
};
// clang-format on

bool name_has(const Instruction& instruction, std::string_view part) {
  return instruction.name.find(part) != std::string_view::npos;
}

bool touches_lds(const Instruction& instruction) { return name_has(instruction, "_LDS"); }

// The handler of the usual cases, where there is one.
void choose_handler(const BindContext& context, const MemoryTraits& traits, Segment segment, Op& op) {
  if (traits.kind == MemoryKind::Atomic) {
    const Handler handler = atomic_handlers(context.wave_size == 64, traits.atomic).flat[traits.bytes == 8];
    if (handler && (segment == Segment::Flat || segment == Segment::Global)) op.run = handler;
    return;
  }
  const RowHandlers& handlers = row_handlers(context.wave_size == 64, traits.kind == MemoryKind::Store);
  const Handler* const of = segment == Segment::Buffer ? handlers.buffer : segment == Segment::Scratch ? handlers.scratch : handlers.flat;
  if (const Handler handler = of[static_cast<unsigned>(shape_of(traits.bytes, traits.sign))]) op.run = handler;
}

bool bind_nothing(const BindContext&, const Instruction&, const Row&, Op& op) {
  op.run = run_nothing;
  return true;
}

// Registers in the order: results, then as the address, the data and the scalar part come; told apart by kind and width.
bool bind_flat(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(row.table);
  const Segment segment = static_cast<Segment>(row.immediate);
  const bool scalar_address = name_has(in, "_SADDR") || name_has(in, "_SVS");
  const bool own_address = name_has(in, "_ADDTID");
  bool have_address = (segment == Segment::Scratch && (name_has(in, "_SADDR") || name_has(in, "_ST_"))) || own_address;
  bool have_data = traits.kind == MemoryKind::Load;
  // Scratch stores name the data first.
  bool data_first = segment == Segment::Scratch && traits.kind == MemoryKind::Store;
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_definition) {
      if (operand.kind != OperandKind::Vector) return false;
      op.dst = operand.index;
      op.returns = traits.kind == MemoryKind::Atomic;
    } else if (operand.kind == OperandKind::Vector) {
      if (data_first || (have_address && !have_data)) {
        bind_source(operand, op.src[2]);
        have_data = true;
        data_first = false;
      } else if (!have_address) {
        bind_source(operand, op.src[0]);
        have_address = true;
      }
    } else if (operand.kind == OperandKind::Scalar || operand.kind == OperandKind::Null) {
      bind_source(operand, op.src[1]);
    }
  }
  if (!have_address || !have_data || (scalar_address && op.src[1].kind == SourceKind::None)) return false;
  text_number(in, "offset:", op.offset);
  op.immediate = pack_memory(segment, 0);
  if (own_address) {
    op.src[0].kind = SourceKind::Vector;
    op.src[0].index = kLaneOffsets;
    if (op.src[1].kind == SourceKind::None) bind_source({.kind = OperandKind::Null}, op.src[1]);
  }
  if (touches_lds(in)) op.dst = kStagedData;
  if (op.run == flat_handler(traits.kind) && (segment == Segment::Scratch || op.src[0].kind == SourceKind::Vector))
    choose_handler(context, traits, segment, op);
  return true;
}

bool bind_buffer(const BindContext& context, const Instruction& in, const Row& row, Op& op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(row.table);
  const bool both = name_has(in, "_BOTHEN");
  const unsigned form = (both || name_has(in, "_IDXEN") ? kIndexed : 0U) | (both || name_has(in, "_OFFEN") ? kOffset : 0U);
  if (name_has(in, "_ADDR64") || text_has(in, "tfe")) return false;
  bool have_data = traits.kind == MemoryKind::Load || touches_lds(in), have_descriptor = false, have_offset = false;
  bool have_address = form == 0;
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    if (operand.is_definition) {
      op.dst = operand.index;
      op.returns = traits.kind == MemoryKind::Atomic;
    } else if (operand.kind == OperandKind::Vector) {
      if (!have_data) {
        bind_source(operand, op.src[2]);
        have_data = true;
      } else if (!have_address) {
        bind_source(operand, op.src[0]);
        have_address = true;
      }
    } else if (operand.kind == OperandKind::Scalar && operand.words == 4) {
      bind_source(operand, op.src[3]);
      have_descriptor = true;
    } else if (have_descriptor && !have_offset) {
      bind_source(operand, op.src[1]);
      have_offset = true;
    }
  }
  if (!have_data || !have_descriptor || !have_address) return false;
  if (touches_lds(in) && traits.kind == MemoryKind::Load) op.dst = kStagedData;
  if (touches_lds(in) && traits.kind == MemoryKind::Store) {
    op.src[2].kind = SourceKind::Vector;
    op.src[2].index = kStagedData;
  }
  text_number(in, "offset:", op.offset);
  op.immediate = pack_memory(Segment::Buffer, form);
  if (!(form & kIndexed)) choose_handler(context, traits, Segment::Buffer, op);
  return true;
}

bool is_scalar(const Operand& operand) { return operand.kind == OperandKind::Scalar || operand.kind == OperandKind::Null; }

// Results (an atomic's are its data), data, base, scalar offset, immediate offset, cache policy, each where it exists.
bool bind_scalar_memory(const BindContext&, const Instruction& in, const Row& row, Op& op) {
  const MemoryTraits& traits = *static_cast<const MemoryTraits*>(row.table);
  unsigned at = 0;
  if (at < in.count && in.operands[at].is_definition) {
    if (!is_scalar(in.operands[at])) return false;
    op.returns = traits.kind == MemoryKind::Atomic;
    op.dst = destination_slot(in.operands[at++]);
  }
  if (traits.kind != MemoryKind::Load) {
    if (at >= in.count || !bind_source(in.operands[at++], op.src[2]) || op.src[2].kind != SourceKind::Scalar) return false;
  }
  if (at >= in.count || !bind_source(in.operands[at++], op.src[0]) || op.src[0].kind != SourceKind::Scalar) return false;
  if (at < in.count && is_scalar(in.operands[at])) bind_source(in.operands[at++], op.src[1]);
  // The immediate offset, where there is one before the cache policy: SGPR forms without it have the policy alone.
  const bool has_immediate = name_has(in, "_IMM");
  if (has_immediate && at < in.count && in.operands[at].kind == OperandKind::Immediate) op.offset = in.operands[at].value;
  return op.offset >= 0 || in.mnemonic.substr(0, 9) != "s_buffer_"; // which is a violation
}

template <class Traits> const Traits* keep(const Traits& traits) {
  static std::deque<Traits>* const kept = new std::deque<Traits>; // rows point to them for good
  kept->push_back(traits);
  return &kept->back();
}
const char* keep_name(std::string name) {
  static std::deque<std::string>* const kept = new std::deque<std::string>;
  kept->push_back(std::move(name));
  return kept->back().c_str();
}

void add_scalar_memory(RowSink sink, void* context) {
  auto put = [&](const char* prefix, const char* name, Handler run, const MemoryTraits* traits) {
    const char* const whole = keep_name(std::string(prefix) + name);
    sink(context, whole, Row(whole, Fidelity::Exact, bind_scalar_memory, run, traits, 0, ""));
  };
  for (const NamedTraits& operation : kScalarLoads) {
    put("s_load_", operation.name, run_scalar_load, &operation.traits);
    put("s_buffer_load_", operation.name, run_scalar_buffer_load, &operation.traits);
    if (std::string_view(operation.name).find("dword") != 0 || operation.traits.bytes > 16) continue;
    const MemoryTraits* const stored = keep(store(operation.traits.bytes, Half::None));
    put("s_store_", operation.name, run_scalar_store, stored);
    put("s_buffer_store_", operation.name, run_scalar_buffer_store, stored);
    put("s_scratch_load_", operation.name, run_scalar_scratch_load, &operation.traits);
    put("s_scratch_store_", operation.name, run_scalar_scratch_store, stored);
  }
  for (const NamedTraits& operation : kScalarAtomics) {
    put("s_atomic_", operation.name, run_scalar_atomic, &operation.traits);
    put("s_buffer_atomic_", operation.name, run_scalar_buffer_atomic, &operation.traits);
  }
}

} // namespace

void add_memory_rows(RowSink sink, void* context) {
  struct Prefix {
    const char* text;
    Segment segment;
  };
  for (const NamedTraits& operation : kOperations) {
    const MemoryTraits* const traits = keep(operation.traits);
    for (const Prefix& prefix : {Prefix{"flat_", Segment::Flat}, Prefix{"global_", Segment::Global},
                                 Prefix{"scratch_", Segment::Scratch}, Prefix{"buffer_", Segment::Buffer}}) {
      const char* const name = keep_name(std::string(prefix.text) + operation.name);
      const bool buffer = prefix.segment == Segment::Buffer;
      const char* const error = atomic_error(traits->atomic, name);
      sink(context, name,
           Row(name, error ? Fidelity::Approximate : Fidelity::Exact, buffer ? bind_buffer : bind_flat, buffer ? run_buffer : flat_handler(traits->kind),
               traits, static_cast<uint32_t>(prefix.segment), error ? error : ""));
    }
  }
  for (const SegmentRow& row : kOneSegment) {
    const bool block = std::string_view(row.name).find("_block") != std::string_view::npos;
    const bool buffer = row.segment == Segment::Buffer;
    sink(context, row.name,
         Row(row.name, Fidelity::Exact, buffer ? bind_buffer : bind_flat,
             block ? run_block : buffer ? run_buffer : flat_handler(row.traits.kind), &row.traits,
             static_cast<uint32_t>(row.segment), ""));
  }
  add_scalar_memory(sink, context);
  for (const char* name : kNoEffect)
    sink(context, name, Row(name, Fidelity::Exact, bind_nothing, run_nothing, nullptr, 0, ""));
}

} // namespace ptxshim::vgpu
