// SPDX-License-Identifier: MIT
// Functions and their attributes. Function bodies see one f32 mode (design: one mode a kernel): functions
// that refer to each other, directly or through others, form a group; the group flushes subnormals when every
// one of its instructions that could be written with .ftz is. So an inlined or called function never meets a
// kernel of the other mode.
#include "lower/module.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "lower/emitter.h"
#include "lower/function.h"
#include "syntax/op_forms.h"

namespace ptxshim::ptx {

using llvm::Type;

llvm::Type* llvm_type(llvm::LLVMContext& context, ScalarType type) {
  switch (type) {
  case ScalarType::None:
    return Type::getVoidTy(context);
  case ScalarType::F16:
    return Type::getHalfTy(context);
  case ScalarType::BF16:
    return Type::getBFloatTy(context);
  case ScalarType::F32:
    return Type::getFloatTy(context);
  case ScalarType::F64:
    return Type::getDoubleTy(context);
  case ScalarType::F16x2:
    return llvm::FixedVectorType::get(Type::getHalfTy(context), 2);
  case ScalarType::BF16x2:
    return llvm::FixedVectorType::get(Type::getBFloatTy(context), 2);
  case ScalarType::F32x2:
    return llvm::FixedVectorType::get(Type::getFloatTy(context), 2);
  case ScalarType::U16x2:
  case ScalarType::S16x2:
    return llvm::FixedVectorType::get(Type::getInt16Ty(context), 2);
  case ScalarType::Pred:
    return Type::getInt1Ty(context);
  case ScalarType::B8:
  case ScalarType::B16:
  case ScalarType::B32:
  case ScalarType::B64:
  case ScalarType::B128:
  case ScalarType::U8:
  case ScalarType::U16:
  case ScalarType::U32:
  case ScalarType::U64:
  case ScalarType::S8:
  case ScalarType::S16:
  case ScalarType::S32:
  case ScalarType::S64:
  case ScalarType::TF32:
  case ScalarType::TexRef:
  case ScalarType::SamplerRef:
  case ScalarType::SurfRef:
    return Type::getIntNTy(context, bits_of(type));
  }
  return Type::getVoidTy(context);
}

llvm::Type* ModuleLowering::llvm_type(ScalarType type) const {
  return ptx::llvm_type(llvm_->getContext(), type);
}

ModuleLowering::ModuleLowering(const Module& s, const LoweringOptions& o, llvm::LLVMContext& context)
    : source(s), options(o), llvm_(std::make_unique<llvm::Module>(s.file_name, context)),
      debug_info_(s, *llvm_, o.text_lines), flushes_(s.functions.size(), false) {}

llvm::Constant* ModuleLowering::variable(SymbolId id) const { return variables_.lookup(id); }

llvm::Function* ModuleLowering::function(SymbolId id) const {
  while (source.symbols[id].kind == SymbolKind::Alias && source.symbols[id].aliasee != kNone)
    id = source.symbols[id].aliasee;
  return functions_.lookup(id);
}

// Whether the instruction computes in f32 and, as its form shows, could be written with .ftz.
static bool knows_ftz(const Module& module, const Instruction& i) {
  const std::span<const Form> forms = i.op < Op::kLabel ? forms_of(i.op) : std::span<const Form>{};
  if (i.form >= forms.size()) return false;
  const Form& form = forms[i.form];
  const auto shows_ftz = [](std::string_view text) { return text.find(".ftz") != std::string_view::npos; };
  if (!shows_ftz(form.slots) && !shows_ftz(form.syntax)) return false;
  // Some give the same in either mode: rounding to the nearest or next smaller integer makes zero of
  // subnormals anyway, and beside a half format they lie below all that counts, or are converted in integers.
  if (module.has(i, Mod::rni) || module.has(i, Mod::rzi)) return false;
  bool in_f32 = false;
  for (Mod modifier : module.modifiers_of(i)) {
    const ScalarType type = type_of(modifier);
    if (type == ScalarType::F16 || type == ScalarType::BF16) return false;
    in_f32 |= type == ScalarType::F32;
  }
  return in_f32;
}

template <class Refer> void ModuleLowering::for_each_reference(uint32_t index, Refer refer) const {
  const Function& function = source.functions[index];
  const auto symbol = [&](SymbolId id) {
    const Symbol* found = &source.symbols[id];
    while (found->kind == SymbolKind::Alias && found->aliasee != kNone)
      found = &source.symbols[found->aliasee];
    if (found->kind == SymbolKind::Function && found->function < source.functions.size())
      refer(found->function);
  };
  for (const Instruction& i : function.body)
    for (const Operand& operand : source.operands_of(i))
      if (operand.kind == OperandKind::Symbol) symbol(operand.index);
  for (const Table& table : function.tables)
    if (table.kind == Table::Kind::CallTargets)
      for (uint32_t id : table.entries)
        symbol(id);
}

void ModuleLowering::only(const std::vector<std::string>& kernels) {
  if (kernels.empty()) return;
  needed_.assign(source.functions.size(), false);
  std::vector<uint32_t> pending;
  const auto need = [&](uint32_t index) {
    if (needed_[index]) return;
    needed_[index] = true;
    pending.push_back(index);
  };
  for (uint32_t index = 0; index < source.functions.size(); ++index) {
    const Function& function = source.functions[index];
    const std::string_view name = source.name_of(function.symbol);
    if (function.is_entry && std::find(kernels.begin(), kernels.end(), name) != kernels.end()) need(index);
  }
  for (const Symbol& symbol : source.symbols) // tables of functions may be reached through any variable
    for (const Initializer& each : symbol.initializers)
      if (each.symbol != kNone && source.symbols[each.symbol].function < source.functions.size() &&
          source.symbols[each.symbol].kind == SymbolKind::Function)
        need(source.symbols[each.symbol].function);
  while (!pending.empty()) {
    const uint32_t index = pending.back();
    pending.pop_back();
    for_each_reference(index, need);
  }
}

// A call through a pointer may reach every function whose address stands in a variable.
void ModuleLowering::join_indirect_calls(llvm::EquivalenceClasses<uint32_t>& groups) const {
  uint32_t first = kNone;
  const auto join = [&](uint32_t index) {
    if (first == kNone) first = index;
    groups.unionSets(first, index);
  };
  for (const Symbol& symbol : source.symbols)
    for (const Initializer& each : symbol.initializers)
      if (each.symbol != kNone && source.symbols[each.symbol].kind == SymbolKind::Function &&
          source.symbols[each.symbol].function < source.functions.size())
        join(source.symbols[each.symbol].function);
  if (first == kNone) return;
  for (uint32_t index = 0; index < source.functions.size(); ++index)
    for (const Instruction& i : source.functions[index].body) {
      if (i.op != Op::call) continue;
      const std::span<const Operand> operands = source.operands_of(i);
      if (std::any_of(operands.begin(), operands.end(),
                      [](const Operand& o) { return o.kind == OperandKind::Register; }))
        join(index);
    }
}

void ModuleLowering::choose_modes() {
  llvm::EquivalenceClasses<uint32_t> groups;
  const uint32_t count = static_cast<uint32_t>(source.functions.size());
  std::vector<bool> keeps(count, false);
  std::vector<bool> uses_ftz(count, false);
  for (uint32_t index = 0; index < count; ++index) {
    groups.insert(index);
    if (!is_needed(index)) continue;
    for (const Instruction& i : source.functions[index].body)
      if (knows_ftz(source, i)) (source.has(i, Mod::ftz) ? uses_ftz : keeps)[index] = true;
    for_each_reference(index, [&](uint32_t other) { groups.unionSets(index, other); });
  }
  join_indirect_calls(groups);
  llvm::DenseMap<uint32_t, std::pair<bool, bool>> of_group; // keeps, uses
  for (uint32_t index = 0; index < count; ++index) {
    auto& [keep, use] = of_group[groups.getLeaderValue(index)];
    keep = keep || keeps[index];
    use = use || uses_ftz[index];
  }
  for (uint32_t index = 0; index < count; ++index) {
    const auto [keep, use] = of_group[groups.getLeaderValue(index)];
    flushes_[index] = use && !keep && !keep_subnormals_;
  }
}

// The most threads that a block of the kernel has.
static uint32_t block_threads(const Function& function) {
  constexpr uint64_t kMost = 1024;
  for (const auto* limits : {&function.required_threads, &function.max_threads}) {
    if (!(*limits)[0]) continue;
    uint64_t threads = 1;
    for (uint32_t each : *limits)
      threads = llvm::SaturatingMultiply<uint64_t>(threads, each ? each : 1);
    if (threads <= kMost) return static_cast<uint32_t>(threads);
  }
  return kMost;
}

// As ptxas has it: less than 24 is taken as 24, and more than a thread of NVIDIA's can have is no limit.
static void limit_registers(uint32_t limit, llvm::Function* target) {
  constexpr uint32_t kFewest = 24, kMost = 255;
  if (limit && limit <= kMost) target->addFnAttr("amdgpu-num-vgpr", std::to_string(std::max(limit, kFewest)));
}

// .minnctapersm: so many blocks on one compute unit, which has four SIMDs up to GCN and CDNA and two in RDNA. (Two with 1024
// registers for each of 32 lanes are what NVIDIA's multiprocessors have: the limit on registers comes out the same.) What the
// target cannot do LLVM ignores.
static uint64_t waves_per_simd(const Function& function, const LoweringOptions& options) {
  const uint64_t simds = options.gfx_major >= 10 ? 2 : 4;
  return llvm::divideCeil(function.min_blocks * llvm::divideCeil(block_threads(function), options.target->wave_size), simds);
}

void ModuleLowering::set_common_attributes(uint32_t index, llvm::Function* target) {
  target->addFnAttr("target-cpu", options.target->name);
  target->addFnAttr("target-features", options.target->wave_size == 64 ? "+wavefrontsize64,-wavefrontsize32"
                                                                       : "+wavefrontsize32,-wavefrontsize64");
  target->addFnAttr("amdgpu-ieee", "false");
  target->addFnAttr("denormal-fp-math", "ieee,ieee");
  target->addFnAttr("denormal-fp-math-f32", flushes_[index] ? "preserve-sign,preserve-sign" : "ieee,ieee");
  target->addFnAttr("uniform-work-group-size", "true");
  // What our code never asks for. LLVM cannot see it through an indirect call, and HIP then sets up a service
  // for each of them.
  for (const char* unused :
       {"amdgpu-no-hostcall-ptr", "amdgpu-no-default-queue", "amdgpu-no-completion-action",
        "amdgpu-no-multigrid-sync-arg", "amdgpu-no-heap-ptr"})
    target->addFnAttr(unused);
  limit_registers(options.max_registers, target);
  target->addFnAttr(llvm::Attribute::NoUnwind);
  target->addFnAttr(llvm::Attribute::Convergent);
}

void ModuleLowering::set_kernel_attributes(const Function& function, llvm::Function* target) {
  target->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
  target->addFnAttr("amdgpu-flat-work-group-size", "1," + std::to_string(block_threads(function)));
  if (function.min_blocks) target->addFnAttr("amdgpu-waves-per-eu", std::to_string(waves_per_simd(function, options)));
  limit_registers(function.max_registers, target); // of the kernel itself, not of functions that are really called
  for (unsigned n = 0; n < function.parameters.size(); ++n) {
    const Symbol& parameter = source.symbols[function.parameters[n]];
    if (!target->getArg(n)->getType()->isPointerTy()) continue;
    llvm::AttrBuilder attributes(context());
    attributes.addByRefAttr(llvm::ArrayType::get(Type::getInt8Ty(context()), parameter.size));
    attributes.addAlignmentAttr(llvm::Align(std::max<uint32_t>(parameter.alignment, 1)));
    target->addParamAttrs(n, attributes);
  }
}

// The parameters of a kernel give its argument segment PTX's layout, and its metadata the offsets and sizes:
// integers where a value of their size and alignment is one, else byte arrays in place. The code reads the
// segment itself (FunctionLowering).
static Type* kernel_argument(llvm::LLVMContext& context, const Symbol& parameter) {
  const bool scalar =
      parameter.dimensions.empty() && parameter.vector == 1 && parameter.alignment == parameter.size;
  if (scalar && (parameter.size == 1 || parameter.size == 2 || parameter.size == 4 || parameter.size == 8))
    return Type::getIntNTy(context, static_cast<unsigned>(parameter.size * 8));
  return llvm::PointerType::get(context, kConstant);
}

void ModuleLowering::declare_function(uint32_t index) {
  const Function& function = source.functions[index];
  const Symbol& symbol = source.symbols[function.symbol];
  llvm::FunctionType* type = nullptr;
  if (function.is_entry) {
    llvm::SmallVector<Type*> arguments;
    for (SymbolId id : function.parameters)
      arguments.push_back(kernel_argument(context(), source.symbols[id]));
    type = llvm::FunctionType::get(Type::getVoidTy(context()), arguments, false);
  } else {
    const Signature signature = signature_of(source, function);
    type = function_type(context(), signature.returns, signature.parameters);
  }
  const std::string name(source.name_of(function.symbol));
  llvm::Function* target = llvm_->getFunction(name);
  if (target && (target->getFunctionType() != type || !target->isDeclaration())) target = nullptr;
  if (!target) target = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, *llvm_);
  functions_[function.symbol] = target;
  if (!function.has_body || !is_needed(index)) return;
  if (symbol.linkage == Linkage::Weak)
    target->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
  else if (symbol.linkage == Linkage::Internal && !function.is_entry)
    target->setLinkage(llvm::GlobalValue::InternalLinkage);
  set_common_attributes(index, target);
  if (function.is_entry) set_kernel_attributes(function, target);
}

void ModuleLowering::declare_functions() {
  // Definitions last: a prototype that comes before its body shares the body's LLVM function.
  for (uint32_t index = 0; index < source.functions.size(); ++index)
    declare_function(index);
}

// For other modules: here, function() finds what an alias stands for.
void ModuleLowering::define_aliases() {
  for (const Symbol& symbol : source.symbols) {
    if (symbol.kind != SymbolKind::Alias || symbol.linkage == Linkage::Internal) continue;
    llvm::Function* const declared = functions_.lookup(source.functions[symbol.function].symbol);
    llvm::Function* const target = function(symbol.aliasee);
    if (!declared || !target || declared == target || target->isDeclaration()) continue;
    auto* made = llvm::GlobalAlias::create(target->getValueType(), 0, llvm::GlobalValue::ExternalLinkage, "", target, llvm_.get());
    made->takeName(declared);
    declared->replaceAllUsesWith(made);
    declared->eraseFromParent();
    functions_.erase(source.functions[symbol.function].symbol);
  }
}

// The body that a function gets which could not be translated: nothing that reaches it is ever launched.
static void replace_by_error(llvm::Function* target, const Error& error) {
  target->deleteBody();
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(target->getContext(), "failed", target));
  ir.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  ir.CreateUnreachable();
  target->addFnAttr(kErrorAttribute, error.message);
  target->addFnAttr(kErrorCodeAttribute, std::to_string(error.code));
}

Result<void> ModuleLowering::run() {
  choose_modes();
  declare_functions();
  if (Result<void> done = declare_variables(); !done) return done;
  for (uint32_t index = 0; index < source.functions.size(); ++index) {
    const Function& function = source.functions[index];
    if (!function.has_body || !is_needed(index)) continue;
    llvm::Function* target = functions_[function.symbol];
    const llvm::GlobalValue::LinkageTypes linkage = target->getLinkage();
    Error failure;
    if (!function.error.empty()) {
      failure = {CUDA_ERROR_NOT_SUPPORTED, function.error};
    } else {
      FunctionLowering lowering(*this, function, target);
      lowering.flushes = flushes_[index];
      if (Result<void> done = lowering.run(); !done) failure = std::move(done).error();
      std::string text;
      llvm::raw_string_ostream stream(text);
      if (failure.message.empty() && llvm::verifyFunction(*target, &stream))
        failure = {CUDA_ERROR_INVALID_PTX, "internal error: the IR of " +
                                               std::string(lowering.pretty_name()) +
                                               " is not valid: " + text};
    }
    if (!failure.message.empty()) {
      replace_by_error(target, failure);
      target->setLinkage(linkage);
    }
  }
  define_aliases();
  debug_info_.finish();
  return {};
}

} // namespace ptxshim::ptx
