// SPDX-License-Identifier: MIT
// Special registers, by row of special_registers.def.
//
// Sizes come from the dispatch packet (code object version 4) or from the hidden kernel arguments (version
// 5). A launch has whole blocks only, so the grid is a multiple of the block. There are no clusters: each
// block is a cluster of one. Clocks: %clock counts shader cycles where the hardware has a counter of more
// than 20 bits, else the constant 100 MHz one; %globaltimer is the latter in nanoseconds. A block's
// multiprocessor is not told by all targets: %smid is 0 and %nsmid 1.
#include "lower/special_registers.h"

#include "lower/function.h"
#include "lower/warp.h"

namespace ptxshim::ptx {

namespace Intrinsic = llvm::Intrinsic;

namespace special {

enum class Row : uint32_t {
#define ROW(name, spelling, type, components, status) name,
#include "special_registers.def"
  kCount
};

static bool has_hidden_sizes(Emitter& e) { return e.function.owner.options.code_object_version >= 5; }

// A field of the implicit argument area (version 5) or of the dispatch packet; both never change while a
// kernel runs.
static Value* field(Emitter& e, ID base, llvm::Type* type, uint64_t offset) {
  Value* pointer = e.ir.CreatePtrAdd(e.intrinsic(base, {}, {}), e.ir.getInt64(offset));
  llvm::LoadInst* load = e.ir.CreateAlignedLoad(type, pointer, llvm::Align(type->getIntegerBitWidth() / 8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(e.ir.getContext(), {}));
  return load;
}

static Value* block_size(Emitter& e, unsigned axis) {
  const uint32_t required = e.function.source.required_threads[axis];
  if (e.function.source.is_entry && required) return e.ir.getInt32(required);
  Value* size = has_hidden_sizes(e)
                    ? field(e, Intrinsic::amdgcn_implicitarg_ptr, e.ir.getInt16Ty(), 12 + 2 * axis)
                    : field(e, Intrinsic::amdgcn_dispatch_ptr, e.ir.getInt16Ty(), 4 + 2 * axis);
  return e.ir.CreateZExt(size, e.ir.getInt32Ty());
}

static Value* grid_blocks(Emitter& e, unsigned axis) {
  if (has_hidden_sizes(e)) return field(e, Intrinsic::amdgcn_implicitarg_ptr, e.ir.getInt32Ty(), 4 * axis);
  Value* threads = field(e, Intrinsic::amdgcn_dispatch_ptr, e.ir.getInt32Ty(), 12 + 4 * axis);
  return e.ir.CreateUDiv(threads, block_size(e, axis));
}

static Value* thread_index(Emitter& e, unsigned axis) {
  static constexpr ID kIds[] = {Intrinsic::amdgcn_workitem_id_x, Intrinsic::amdgcn_workitem_id_y,
                                Intrinsic::amdgcn_workitem_id_z};
  return e.intrinsic(kIds[axis], {}, {});
}

static Value* block_index(Emitter& e, unsigned axis) {
  static constexpr ID kIds[] = {Intrinsic::amdgcn_workgroup_id_x, Intrinsic::amdgcn_workgroup_id_y,
                                Intrinsic::amdgcn_workgroup_id_z};
  return e.intrinsic(kIds[axis], {}, {});
}

static Value* flat_thread(Emitter& e) {
  Value* row = e.ir.CreateAdd(thread_index(e, 1), e.ir.CreateMul(thread_index(e, 2), block_size(e, 1)));
  return e.ir.CreateAdd(thread_index(e, 0), e.ir.CreateMul(row, block_size(e, 0)));
}

static Value* cycles(Emitter& e) {
  const bool narrow = e.gfx_major() == 11;
  return e.intrinsic(narrow ? Intrinsic::readsteadycounter : Intrinsic::readcyclecounter, {}, {});
}
static Value* nanoseconds(Emitter& e) {
  return e.ir.CreateMul(e.intrinsic(Intrinsic::readsteadycounter, {}, {}), e.ir.getInt64(10));
}
static Value* low(Emitter& e, Value* wide) { return e.ir.CreateTrunc(wide, e.ir.getInt32Ty()); }
static Value* high(Emitter& e, Value* wide) { return low(e, e.ir.CreateLShr(wide, 32)); }

// %envreg2 and %envreg1 are the halves of the address of a grid's workspace, in whose second word cooperative
// groups count the blocks that reached a grid-wide barrier; the count returns to its rest position by itself.
// One workspace a module is enough while cooperative kernels of one module do not run at the same time. It is
// there in ordinary launches too, where the program could not use it.
static Value* grid_workspace(Emitter& e) {
  static constexpr char kName[] = "__ptxshim_grid_workspace";
  llvm::Module& module = *e.ir.GetInsertBlock()->getModule();
  llvm::GlobalVariable* workspace = module.getNamedGlobal(kName);
  if (!workspace) {
    llvm::Type* words = llvm::ArrayType::get(e.ir.getInt32Ty(), 16);
    workspace = new llvm::GlobalVariable(module, words, false, llvm::GlobalValue::InternalLinkage,
                                         llvm::Constant::getNullValue(words), kName, nullptr,
                                         llvm::GlobalValue::NotThreadLocal, 1);
    workspace->setAlignment(llvm::Align(64));
  }
  return e.ir.CreatePtrToInt(workspace, e.ir.getInt64Ty());
}

static Value* shared_bytes(Emitter& e) {
  return field(e, Intrinsic::amdgcn_dispatch_ptr, e.ir.getInt32Ty(), 28);
}

// 2 << lane would be out of range for lane 31, so the masks are made from 1 << lane.
static Value* lane_bit(Emitter& e) { return e.ir.CreateShl(e.ir.getInt32(1), warp_lane(e)); }
static Value* below(Emitter& e) { return e.ir.CreateSub(lane_bit(e), e.ir.getInt32(1)); }

static Value* size_or_index(Emitter& e, Row row, unsigned axis) {
  if (axis > 2) return e.ir.getInt32(row == Row::tid || row == Row::ctaid || row == Row::clusterid ? 0 : 1);
  if (row == Row::tid) return thread_index(e, axis);
  if (row == Row::ntid) return block_size(e, axis);
  if (row == Row::ctaid || row == Row::clusterid) return block_index(e, axis);
  return grid_blocks(e, axis);
}

static Value* value_of(Emitter& e, Row row, unsigned axis) {
  switch (row) {
  case Row::tid:
  case Row::ntid:
  case Row::ctaid:
  case Row::nctaid:
  case Row::clusterid:
  case Row::nclusterid:
    return size_or_index(e, row, axis);
  case Row::cluster_ctaid:
  case Row::cluster_ctarank:
    return e.ir.getInt32(0);
  case Row::cluster_nctaid:
  case Row::cluster_nctarank:
    return e.ir.getInt32(1);
  case Row::is_explicit_cluster:
    return e.ir.getFalse();
  case Row::laneid:
    return warp_lane(e);
  case Row::warpid:
    return e.ir.CreateLShr(flat_thread(e), 5);
  case Row::nwarpid:
    return e.ir.getInt32(32);
  case Row::smid:
    return e.ir.getInt32(0);
  case Row::nsmid:
    return e.ir.getInt32(1);
  case Row::gridid:
    return e.ir.getInt64(1);
  case Row::lanemask_eq:
    return lane_bit(e);
  case Row::lanemask_lt:
    return below(e);
  case Row::lanemask_le:
    return e.ir.CreateOr(below(e), lane_bit(e));
  case Row::lanemask_ge:
    return e.ir.CreateNot(below(e));
  case Row::lanemask_gt:
    return e.ir.CreateNot(e.ir.CreateOr(below(e), lane_bit(e)));
  case Row::clock:
    return low(e, cycles(e));
  case Row::clock_hi:
    return high(e, cycles(e));
  case Row::clock64:
    return cycles(e);
  case Row::globaltimer:
    return nanoseconds(e);
  case Row::globaltimer_lo:
    return low(e, nanoseconds(e));
  case Row::globaltimer_hi:
    return high(e, nanoseconds(e));
  case Row::total_smem_size:
  case Row::aggr_smem_size:
    return shared_bytes(e);
  case Row::dynamic_smem_size:
    return e.ir.CreateSub(shared_bytes(e), e.intrinsic(Intrinsic::amdgcn_groupstaticsize, {}, {}));
  case Row::reserved_smem_offset_begin:
  case Row::reserved_smem_offset_end:
  case Row::reserved_smem_offset_cap:
  case Row::reserved_smem_offset_0:
  case Row::reserved_smem_offset_1:
    return e.ir.getInt32(0);
  case Row::current_graph_exec:
    return e.ir.getInt64(0);
  case Row::envreg1:
    return high(e, grid_workspace(e));
  case Row::envreg2:
    return low(e, grid_workspace(e));
  case Row::envreg0:
  case Row::envreg3:
  case Row::envreg4:
  case Row::envreg5:
  case Row::envreg6:
  case Row::envreg7:
  case Row::envreg8:
  case Row::envreg9:
  case Row::envreg10:
  case Row::envreg11:
  case Row::envreg12:
  case Row::envreg13:
  case Row::envreg14:
  case Row::envreg15:
  case Row::envreg16:
  case Row::envreg17:
  case Row::envreg18:
  case Row::envreg19:
  case Row::envreg20:
  case Row::envreg21:
  case Row::envreg22:
  case Row::envreg23:
  case Row::envreg24:
  case Row::envreg25:
  case Row::envreg26:
  case Row::envreg27:
  case Row::envreg28:
  case Row::envreg29:
  case Row::envreg30:
  case Row::envreg31:
    return e.ir.getInt32(0);
  case Row::pm0:
  case Row::pm1:
  case Row::pm2:
  case Row::pm3:
  case Row::pm4:
  case Row::pm5:
  case Row::pm6:
  case Row::pm7:
  case Row::pm0_64:
  case Row::pm1_64:
  case Row::pm2_64:
  case Row::pm3_64:
  case Row::pm4_64:
  case Row::pm5_64:
  case Row::pm6_64:
  case Row::pm7_64:
    return nullptr; // Later rows
  case Row::perctamemoryoffset:
  case Row::perctamemorysize:
  case Row::kCount:
    return nullptr;
  }
  return nullptr;
}

} // namespace special

Value* read_special_register(Emitter& e, uint32_t index, unsigned component) {
  using special::Row;
  const unsigned axis = component == kNoComponent ? 0 : component;
  return special::value_of(e, static_cast<Row>(index), axis);
}

} // namespace ptxshim::ptx
