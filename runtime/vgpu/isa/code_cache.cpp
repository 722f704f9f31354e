// SPDX-License-Identifier: MIT
#include "code_cache.h"

#include <cstdio>
#include <mutex>

#include "control.h"
#include "gpr_index.h"
#include "rows.h"

namespace ptxshim::vgpu {
namespace {

constexpr size_t kLongestRun = 2048;     // operations
constexpr uint64_t kLongestInstruction = 24; // bytes

bool ends_run(const Op& op) {
  return op.run == run_branch || op.run == run_setpc || op.run == run_swappc || op.run == run_call || op.run == run_end ||
         op.run == run_unsupported || op.run == run_undecodable;
}

Op jump_to(uint64_t address) {
  Op op;
  op.run = run_branch;
  op.pc = address;
  op.size = 0;
  op.offset = static_cast<int64_t>(address);
  return op;
}

// Outside trap handlers the trap registers read as zero before gfx12, and writes of them and of SCC with them are void
// (RDNA3 ISA 3.3.1.4). False: the instruction writes one, or reads a descriptor there.
bool hide_trap_registers(Instruction& instruction, unsigned generation) {
  for (uint32_t i = 0; i < instruction.count; ++i) {
    Operand& operand = instruction.operands[i];
    if (operand.kind != OperandKind::Scalar || operand.index < kTtmp0 || operand.index >= kTtmp0 + 16) continue;
    if (operand.is_definition || operand.words > 2) return false;
    if (generation < 12) operand.kind = OperandKind::Null;
  }
  return true;
}

// The index mode knows other roles for the operands of these (CDNA3 ISA 6.6.2), which no compiler uses there: old values of
// the result belong to it, and the last operand of v_madmk is its third.
bool has_own_roles(const Instruction& instruction) {
  if (instruction.mnemonic == "v_writelane_b32") return false; // keeps the other lanes
  if (instruction.flags & (flag::kSdwa | flag::kDpp)) return true;
  for (const char* const part : {"madmk", "fmamk"})
    if (instruction.mnemonic.find(part) != std::string_view::npos) return true;
  for (uint32_t i = 0; i < instruction.count; ++i)
    if (instruction.operands[i].tied_to >= 0) return true;
  return false;
}

} // namespace

const ConstantRow* ConstantRows::keep(const ConstantRow& row) {
  const auto [begin, end] = rows_.equal_range(row.constant);
  for (auto at = begin; at != end; ++at)
    if (at->second == row) return &at->second;
  return &rows_.emplace(row.constant, row)->second;
}

const Op* CodeCache::find(uint64_t address, MemoryView& memory, std::string& why) {
  {
    const std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto found = starts_.find(address);
    if (found != starts_.end()) return found->second;
  }
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const auto found = starts_.find(address);
  if (found != starts_.end()) return found->second;
  return decode_run(address, memory, why);
}

const Op* CodeCache::decode_run(uint64_t address, MemoryView& memory, std::string& why) {
  std::vector<Op> run;
  const BindContext context{target_, wave_size_, extras_, constants_};
  uint64_t pc = address;
  bool indexed = false;
  while (run.size() < kLongestRun) {
    if (pc != address && !indexed && starts_.count(pc)) break; // joins code that is there already
    const uint64_t available = memory.available(pc);
    if (available < 4) {
      if (pc == address) {
        char text[80];
        std::snprintf(text, sizeof text, "no code is mapped at 0x%llx", static_cast<unsigned long long>(pc));
        why = text;
        return nullptr;
      }
      break; // a jump to that address, which faults when executed
    }
    const uint64_t size = available < kLongestInstruction ? available : kLongestInstruction;
    const std::byte* const bytes = memory.translate(pc, size, false);
    Instruction instruction;
    if (!decoder_.decode(std::span<const std::byte>(bytes, size), pc, instruction)) {
      Op op;
      op.run = run_undecodable;
      op.pc = pc;
      run.push_back(op);
      break;
    }
    const size_t before = run.size();
    const bool may_run = hide_trap_registers(instruction, target_.generation);
    bind_instruction(context, instruction, run);
    for (size_t i = before; i < run.size() && !may_run; ++i) run[i].run = run_unsupported;
    if (instruction.mnemonic == "s_set_gpr_idx_on") indexed = true;
    if (instruction.mnemonic == "s_set_gpr_idx_off") indexed = false;
    if (indexed && (instruction.flags & flag::kValu))
      for (size_t i = before; i < run.size(); ++i) {
        if (has_own_roles(instruction)) run[i].run = run_unsupported;
        else make_indexed(run[i], originals_);
      }
    pc += instruction.size;
    if (!run.empty() && ends_run(run.back()) && run.back().pc + run.back().size == pc) break;
  }
  if (run.empty() || !ends_run(run.back())) run.push_back(jump_to(pc));
  if (indexed && run.back().run != run_end) run.back().run = run_unsupported; // what is there would be decoded without indices
  runs_.push_back(std::move(run));
  const std::vector<Op>& stored = runs_.back();
  starts_.emplace(address, stored.data());
  for (const Op& op : stored)
    if (op.size) starts_.emplace(op.pc, &op);
  return stored.data();
}

} // namespace ptxshim::vgpu
