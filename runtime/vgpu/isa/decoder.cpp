// SPDX-License-Identifier: MIT
// Decoding by LLVM's AMDGPU disassembler: one table for all generations, maintained by others. LLVM's generated
// enumerators are not installed, so an opcode is known by its mnemonic (which is AMD's own name in that generation)
// and operands by their position. Registers are recognised by name once per process.

#include <cstring>
#include <mutex>
#include <vector>

#include "code_cache.h"
#include "instruction.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace ptxshim::vgpu {
namespace {

constexpr const char* kTriple = "amdgcn-amd-amdhsa";
constexpr uint8_t kInputModifiers = 54; // AMDGPU::OPERAND_INPUT_MODS in LLVM 19; recognised by position as well

struct RegisterMeaning {
  OperandKind kind = OperandKind::None;
  uint8_t words = 1;
  uint16_t index = 0;
};

struct NamedSlot {
  const char* name;
  unsigned slot;
  uint8_t words;
};

// clang-format off
constexpr NamedSlot kNamedSlots[] = {
    {"VCC", kVcc, 2}, {"VCC_LO", kVcc, 1}, {"VCC_HI", kVcc + 1, 1},
    {"EXEC", kExec, 2}, {"EXEC_LO", kExec, 1}, {"EXEC_HI", kExec + 1, 1},
    {"M0", kM0, 1}, {"SCC", kScc, 1}, {"SRC_SCC", kScc, 1}, {"SRC_VCCZ", kVccz, 1}, {"SRC_EXECZ", kExecz, 1},
    {"SRC_SHARED_BASE", kSharedBase, 2}, {"SRC_SHARED_BASE_LO", kSharedBase, 1}, {"SRC_SHARED_BASE_HI", kSharedBase + 1, 1},
    {"SRC_SHARED_LIMIT", kSharedLimit, 2}, {"SRC_SHARED_LIMIT_LO", kSharedLimit, 1}, {"SRC_SHARED_LIMIT_HI", kSharedLimit + 1, 1},
    {"SRC_PRIVATE_BASE", kPrivateBase, 2}, {"SRC_PRIVATE_BASE_LO", kPrivateBase, 1}, {"SRC_PRIVATE_BASE_HI", kPrivateBase + 1, 1},
    {"SRC_PRIVATE_LIMIT", kPrivateLimit, 2}, {"SRC_PRIVATE_LIMIT_LO", kPrivateLimit, 1}, {"SRC_PRIVATE_LIMIT_HI", kPrivateLimit + 1, 1},
    {"FLAT_SCR", 102, 2}, {"FLAT_SCR_LO", 102, 1}, {"FLAT_SCR_HI", 103, 1},
    {"XNACK_MASK", 104, 2}, {"XNACK_MASK_LO", 104, 1}, {"XNACK_MASK_HI", 105, 1},
};
// clang-format on

std::string_view strip_generation(std::string_view name) {
  for (std::string_view suffix : {"_vi", "_ci", "_gfx9plus", "_gfxpre11", "_gfx11plus"})
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      return name.substr(0, name.size() - suffix.size());
  return name;
}

RegisterMeaning read_register(const llvm::MCRegisterInfo& info, unsigned number) {
  RegisterMeaning meaning;
  const std::string_view full = info.getName(number);
  const std::string_view name = strip_generation(full);
  const unsigned encoding = info.getEncodingValue(number) & 0xffU;
  if (name.substr(0, 9) == "SGPR_NULL") {
    meaning.kind = OperandKind::Null;
    meaning.words = name == "SGPR_NULL64" ? 2 : 1;
    return meaning;
  }
  uint8_t parts = 1; // "VGPR4_VGPR5": one part per register
  for (size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1))
    if (name.substr(at + 1, 4) == name.substr(0, 4)) ++parts;
  if (name.find("GPR") == 1 || name.substr(0, 4) == "TTMP") {
    if (name.find("HI16") != std::string_view::npos) return meaning; // no real true16 code: fail closed
    meaning.kind = name[0] == 'V' || name[0] == 'A' ? OperandKind::Vector : OperandKind::Scalar;
    meaning.index = static_cast<uint16_t>(encoding + (name[0] == 'A' ? kAccumulatorBase : 0U));
    meaning.words = parts;
    return meaning;
  }
  for (const NamedSlot& named : kNamedSlots)
    if (name == named.name) {
      meaning.kind = OperandKind::Scalar;
      meaning.index = static_cast<uint16_t>(named.slot);
      meaning.words = named.words;
    }
  return meaning;
}

// What does not depend on the target: LLVM's tables, the names of registers and opcodes.
struct Tables {
  const llvm::Target* target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembler;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::vector<RegisterMeaning> meanings;
};

Tables* make_tables() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  Tables* tables = new Tables;
  std::string error;
  tables->target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (!tables->target) return tables;
  tables->registers.reset(tables->target->createMCRegInfo(kTriple));
  llvm::MCTargetOptions options;
  tables->assembler.reset(tables->target->createMCAsmInfo(*tables->registers, kTriple, options));
  tables->instructions.reset(tables->target->createMCInstrInfo());
  tables->printer.reset(tables->target->createMCInstPrinter(llvm::Triple(kTriple), 0, *tables->assembler,
                                                            *tables->instructions, *tables->registers));
  tables->meanings.resize(tables->registers->getNumRegs());
  for (unsigned i = 1; i < tables->registers->getNumRegs(); ++i)
    tables->meanings[i] = read_register(*tables->registers, i);
  return tables;
}

// Leaked on purpose: kernels may run while static objects are destroyed.
const Tables& tables() {
  static const Tables* const kTables = make_tables();
  return *kTables;
}

std::string_view plain_mnemonic(const char* text) {
  if (!text) return {};
  std::string_view name(text);
  name = name.substr(0, name.find(' '));
  for (std::string_view suffix : {"_sdwa", "_dpp8", "_dpp", "_e32", "_e64"}) // in the order of "_e64_dpp" from its end
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      name = name.substr(0, name.size() - suffix.size());
  return name;
}

// SDWA selections are the last immediates: [result, unused bits,] first source, second source. LLVM decodes values that
// do not exist and its printer must not see them.
bool has_sdwa_selections(const Instruction& in) {
  unsigned sources = 0, trailing = 0;
  for (unsigned i = 0; i < in.count; ++i) {
    const Operand& operand = in.operands[i];
    sources += operand.is_modifiers ? 1U : 0U;
    trailing = operand.kind == OperandKind::Immediate && !operand.is_modifiers ? trailing + 1 : 0;
  }
  if (trailing < sources) return false;
  for (unsigned i = in.count - sources; i < in.count; ++i)
    if (in.operands[i].value > 6) return false;
  if (trailing < sources + 3) return true; // a comparison: no result to select
  return in.operands[in.count - sources - 1].value <= 2 && in.operands[in.count - sources - 2].value <= 6;
}

// gfx11 and later choose a half of v_alignbit's third source by op_sel, which LLVM 19 drops: what it shows is another instruction.
bool loses_op_sel(std::span<const std::byte> bytes, const Instruction& in) {
  uint32_t word = 0;
  if (bytes.size() < sizeof word || !in.mnemonic.starts_with("v_align")) return false;
  std::memcpy(&word, bytes.data(), sizeof word);
  return (word >> 11 & 0xfU) != 0;
}

class LlvmDecoder final : public Decoder {
public:
  bool init(const std::string& gfx, unsigned wave_size) {
    const Tables& t = tables();
    if (!t.target) return false;
    selects_halves_ = Target::from(gfx).generation >= 11;
    std::string features;
    if (gfx.size() > 6) features = wave_size == 32 ? "+wavefrontsize32,-wavefrontsize64" : "-wavefrontsize32,+wavefrontsize64";
    subtarget_.reset(t.target->createMCSubtargetInfo(kTriple, gfx, features));
    if (!subtarget_ || !subtarget_->isCPUStringValid(gfx)) return false;
    context_ = std::make_unique<llvm::MCContext>(llvm::Triple(kTriple), t.assembler.get(), t.registers.get(), subtarget_.get());
    disassembler_.reset(t.target->createMCDisassembler(*subtarget_, *context_));
    return disassembler_ != nullptr;
  }

  bool decode(std::span<const std::byte> bytes, uint64_t pc, Instruction& out) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    llvm::MCInst inst;
    if (!disassemble(bytes, pc, out, inst)) return false;
    out.text.clear();
    llvm::raw_string_ostream stream(out.text);
    tables().printer->printInst(&inst, pc, "", *subtarget_, stream);
    return true;
  }

  bool recognise(std::span<const std::byte> bytes, Instruction& out) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    llvm::MCInst inst;
    return disassemble(bytes, 0, out, inst);
  }

private:
  // Everything but the text.
  bool disassemble(std::span<const std::byte> bytes, uint64_t pc, Instruction& out, llvm::MCInst& inst) {
    uint64_t size = 0;
    const llvm::ArrayRef<uint8_t> array(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    const llvm::MCDisassembler::DecodeStatus status =
        disassembler_->getInstruction(inst, size, array, pc, llvm::nulls());
    if (status == llvm::MCDisassembler::Fail || size == 0 || size > bytes.size()) return false;
    const Tables& t = tables();
    const llvm::MCInstrDesc& description = t.instructions->get(inst.getOpcode());
    out.pc = pc;
    out.size = static_cast<uint32_t>(size);
    out.flags = description.TSFlags;
    out.name = std::string_view(t.instructions->getName(inst.getOpcode()));
    out.mnemonic = plain_mnemonic(t.printer->getMnemonic(&inst).first);
    // LLVM takes some words for instructions whose operands it then cannot print: check before it is asked to.
    out.count = 0;
    if (inst.getNumOperands() > std::size(out.operands)) return false;
    for (unsigned i = 0; i < inst.getNumOperands(); ++i)
      if (!convert(inst, description, i, out.operands[out.count++])) return false;
    if (selects_halves_ && loses_op_sel(bytes, out)) return false;
    return !(out.flags & flag::kSdwa) || has_sdwa_selections(out);
  }

  bool convert(const llvm::MCInst& inst, const llvm::MCInstrDesc& description, unsigned i, Operand& out) const {
    const Tables& t = tables();
    out = Operand{};
    const llvm::MCOperand& operand = inst.getOperand(i);
    if (i < description.getNumOperands()) {
      out.type = description.operands()[i].OperandType;
      out.is_definition = i < description.getNumDefs();
      out.is_modifiers = out.type == kInputModifiers;
      const int tied = description.getOperandConstraint(i, llvm::MCOI::TIED_TO);
      out.tied_to = static_cast<int8_t>(tied);
    }
    if (operand.isReg()) {
      if (operand.getReg() == 0) return true; // an absent optional operand
      if (operand.getReg() >= t.meanings.size()) return false;
      const RegisterMeaning& meaning = t.meanings[operand.getReg()];
      out.kind = meaning.kind == OperandKind::None ? OperandKind::Other : meaning.kind;
      out.words = meaning.words;
      out.index = meaning.index;
      return true;
    }
    out.kind = OperandKind::Immediate;
    if (operand.isExpr()) return operand.getExpr()->evaluateAsAbsolute(out.value);
    out.value = operand.isImm() ? operand.getImm() : 0;
    return operand.isImm();
  }

  std::mutex mutex_;
  bool selects_halves_ = false;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
};

} // namespace

std::unique_ptr<Decoder> Decoder::create(const std::string& gfx, unsigned wave_size) {
  if (gfx.compare(0, 3, "gfx") != 0) return nullptr;
  std::unique_ptr<LlvmDecoder> decoder = std::make_unique<LlvmDecoder>();
  if (!decoder->init(gfx, wave_size)) return nullptr;
  return decoder;
}

void for_each_mnemonic(void (*visit)(void* context, std::string_view mnemonic, std::string_view name, uint64_t flags),
                       void* context) {
  const Tables& t = tables();
  if (!t.target) return;
  for (unsigned i = 0; i < t.instructions->getNumOpcodes(); ++i) {
    llvm::MCInst inst;
    inst.setOpcode(i);
    visit(context, plain_mnemonic(t.printer->getMnemonic(&inst).first), std::string_view(t.instructions->getName(i)),
          t.instructions->get(i).TSFlags);
  }
}

} // namespace ptxshim::vgpu
