// SPDX-License-Identifier: MIT
// From PTX texts to a code object. What concerns a single kernel never fails the module: a function that
// cannot be lowered is noted on its LLVM function, kernels that reach it are taken out with the reason, and
// what the code generator refuses (too much LDS, say) is taken out by running again without that kernel.
#include <chrono>
#include <optional>
#include <set>

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "amdgpu/backend.h"
#include "lower/exits.h"
#include "lower/finish.h"
#include "lower/module.h"
#include "lower/progress.h"
#include "lower/symbols.h"
#include "lower/thread_variables.h"
#include "lower/translator.h"
#include "syntax/parse.h"

namespace ptxshim::ptx {

namespace {

struct BackendDiagnostics : llvm::DiagnosticHandler {
  explicit BackendDiagnostics(KernelErrors& e, std::string& r) : errors(e), rest(r) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    const llvm::Function* function = nullptr;
    if (const auto* located = llvm::dyn_cast<llvm::DiagnosticInfoResourceLimit>(&info))
      function = &located->getFunction();
    else if (const auto* unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      function = &unsupported->getFunction();
    if (function && function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL)
      errors[function->getName().str()] = {CUDA_ERROR_INVALID_PTX, text};
    else
      rest += text + "\n";
    return true;
  }
  KernelErrors& errors;
  std::string& rest;
};

class Translation {
public:
  explicit Translation(const TranslateRequest& request) : request_(request) {}

  Result<CodeObject> run(Emit emit, std::string& text);

private:
  Result<void> choose_target();
  Result<void> parse();
  Result<std::unique_ptr<llvm::Module>> lower(llvm::LLVMContext& context, llvm::TargetMachine& machine);
  // False: `excluded_` has grown, try again.
  Result<bool> attempt(Emit emit, std::string& text, llvm::TargetMachine& machine);
  Result<void> collect_kernels(const llvm::Module& module);
  void collect_variables(const llvm::Module& module);
  Result<void> read_facts();
  void write_log();

  const TranslateRequest& request_;
  Target target_ = {}; // with the wave size that is wanted
  std::vector<Module> modules_;
  KernelErrors excluded_;
  CodeObject result_;
};

std::string module_name(const TranslateRequest& request, size_t index) {
  if (index < request.names.size() && !request.names[index].empty()) return request.names[index];
  std::string name = request.name.empty() ? "<ptx>" : request.name;
  if (request.modules.size() > 1) name += "#" + std::to_string(index + 1);
  return name;
}

Result<void> Translation::parse() {
  Error failure;
  for (size_t n = 0; n < request_.modules.size(); ++n) {
    std::vector<Diagnostic> warnings;
    Result<Module> module = parse_module(request_.modules[n], module_name(request_, n), &warnings);
    if (!module) {
      failure.message += (failure.message.empty() ? "" : "\n") + module.error().message;
      failure.code = module.error().code;
      continue;
    }
    for (const Diagnostic& warning : warnings)
      result_.info_log += format(*module, warning) + "\n";
    if (module->address_size == 32 && !module->functions.empty()) {
      return Error{CUDA_ERROR_NOT_SUPPORTED, module_name(request_, n) + ": the module has addresses of 32 bits (.address_size 32, or none); "
                                                                        "only those of 64 bits are supported"};
    }
    modules_.push_back(std::move(module).value());
  }
  if (!failure.message.empty()) return failure;
  if (modules_.empty()) return Error{CUDA_ERROR_INVALID_VALUE, "no PTX was given"};
  return modules_.size() > 1 ? resolve_symbols(modules_) : Result<void>();
}

unsigned major_of(std::string_view gfx) { // gfx90a -> 9, gfx1030 -> 10: all but the last two digits
  unsigned major = 0;
  for (char digit : gfx.substr(3, gfx.size() - 5))
    major = major * 10 + static_cast<unsigned>(digit - '0');
  return major;
}

Result<std::unique_ptr<llvm::Module>> Translation::lower(llvm::LLVMContext& context,
                                                         llvm::TargetMachine& machine) {
  LoweringOptions options;
  options.target = &target_;
  options.code_object_version = request_.code_object_version;
  options.gfx_major = major_of(target_.name);
  options.max_registers = request_.max_registers;
  options.text_lines = request_.debug_info;
  std::vector<std::unique_ptr<llvm::Module>> lowered;
  for (const Module& module : modules_) {
    ModuleLowering lowering(module, options, context);
    amdgpu::prepare(lowering.llvm(), machine, request_.code_object_version);
    if (modules_.size() > 1)
      lowering.keep_subnormals();
    else
      lowering.only(request_.kernels);
    if (Result<void> done = lowering.run(); !done) return std::move(done).error();
    lowered.push_back(lowering.take());
  }
  Result<std::unique_ptr<llvm::Module>> whole = link_modules(std::move(lowered));
  if (!whole) return whole;
  define_device_runtime(**whole);
  place_thread_variables(**whole);
  resolve_exits(**whole);
  guarantee_progress(**whole, machine, target_.wave_size == 64);
  if (Result<void> done = link_device_library(**whole); !done) return std::move(done).error();
  std::optional<Uses> uses;
  const auto undefined = [&](llvm::StringRef name) {
    if (!uses) uses = first_uses(modules_);
    const auto use = uses->find(std::string_view(name));
    return use == uses->end() ? std::string() : undefined_symbol(use->second);
  };
  for (auto& [name, error] : find_kernel_errors(**whole, undefined))
    excluded_.emplace(name, error);
  return whole;
}

Result<void> Translation::collect_kernels(const llvm::Module& module) {
  result_.kernels.clear();
  std::set<std::string> missing(request_.kernels.begin(), request_.kernels.end());
  for (const Module& source : modules_) {
    uint64_t constant_bytes = 0;
    for (SymbolId id : source.variables)
      if (source.symbols[id].space == StateSpace::Const) constant_bytes += source.symbols[id].size;
    for (const Function& function : source.functions) {
      if (!function.is_entry || !function.has_body) continue;
      KernelInfo info;
      info.name = source.name_of(function.symbol);
      if (!request_.kernels.empty() && !missing.erase(info.name)) continue;
      uint64_t offset = 0;
      for (SymbolId id : function.parameters) {
        const Symbol& parameter = source.symbols[id];
        offset = llvm::alignTo(offset, std::max<uint32_t>(parameter.alignment, 1));
        info.parameters.push_back(
            {static_cast<uint32_t>(offset), static_cast<uint32_t>(parameter.size), parameter.alignment});
        offset += parameter.size;
      }
      info.parameter_bytes = static_cast<uint32_t>(offset);
      info.wave_size = target_.wave_size;
      info.constant_bytes = static_cast<uint32_t>(std::min<uint64_t>(constant_bytes, ~0u));
      info.ptx_version = source.version;
      info.sm_version = source.sm;
      std::copy(std::begin(function.required_threads), std::end(function.required_threads),
                std::begin(info.required_threads));
      if (const auto error = excluded_.find(info.name); error != excluded_.end()) {
        info.error = error->second.message;
        info.error_code = error->second.code;
      } else if (const llvm::Function* kernel = module.getFunction(info.name)) {
        info.dynamic_shared_alignment = dynamic_shared_alignment(*kernel);
      }
      result_.kernels.push_back(std::move(info));
    }
  }
  if (!missing.empty()) return Error{CUDA_ERROR_NOT_FOUND, "there is no kernel '" + *missing.begin() + "'"};
  return {};
}

void Translation::collect_variables(const llvm::Module& module) {
  result_.variables.clear();
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || !variable.hasAttribute(kVariableAttribute)) continue;
    const llvm::StringRef kind = variable.getAttribute(kVariableAttribute).getValueAsString();
    VariableInfo info;
    info.name = variable.getName().str();
    info.size = module.getDataLayout().getTypeAllocSize(variable.getValueType());
    info.alignment = static_cast<uint32_t>(variable.getAlign().valueOrOne().value());
    info.space = kind == "managed" ? VariableSpace::Managed
                 : kind == "const" ? VariableSpace::Const
                                   : VariableSpace::Global;
    result_.variables.push_back(std::move(info));
  }
}

Result<void> Translation::read_facts() {
  const auto facts = amdgpu::read_metadata(result_.elf);
  if (!facts) return facts.error();
  for (KernelInfo& info : result_.kernels) {
    if (!info.error.empty()) continue;
    const auto found = facts->find(info.name);
    if (found == facts->end())
      return Error{CUDA_ERROR_UNKNOWN, "the code object does not describe kernel '" + info.name + "'"};
    const amdgpu::KernelFacts& kernel = found->second;
    info.static_shared_bytes = kernel.shared_bytes;
    info.private_bytes = kernel.private_bytes;
    info.vgprs = kernel.vgprs;
    info.sgprs = kernel.sgprs;
    info.vgpr_spills = kernel.vgpr_spills;
    info.sgpr_spills = kernel.sgpr_spills;
    info.max_threads = kernel.max_threads ? kernel.max_threads : 1024;
    info.uses_dynamic_stack = kernel.dynamic_stack;
    if (kernel.kernarg_bytes < info.parameter_bytes)
      return Error{CUDA_ERROR_UNKNOWN,
                   "the argument segment of kernel '" + info.name + "' is smaller than its parameters"};
  }
  return {};
}

void Translation::write_log() {
  for (const KernelInfo& info : result_.kernels) {
    if (!info.error.empty()) {
      result_.info_log +=
          "ptxshim error   : kernel '" + info.name + "' was not translated: " + info.error + "\n";
      continue;
    }
    result_.info_log +=
        "ptxshim info    : Compiling entry function '" + info.name + "' for '" + result_.target + "'\n";
    result_.info_log +=
        "ptxshim info    : Used " + std::to_string(info.vgprs) + " vector and " + std::to_string(info.sgprs) +
        " scalar registers, " + std::to_string(info.private_bytes) + " bytes scratch, " +
        std::to_string(info.static_shared_bytes) + " bytes shared, " + std::to_string(info.parameter_bytes) +
        " bytes parameters, " + std::to_string(info.vgpr_spills) + " vector and " +
        std::to_string(info.sgpr_spills) + " scalar register spills\n";
  }
}

Result<bool> Translation::attempt(Emit emit, std::string& text, llvm::TargetMachine& machine) {
  llvm::LLVMContext context;
  KernelErrors found;
  std::string rest;
  context.setDiagnosticHandler(std::make_unique<BackendDiagnostics>(found, rest));
  Result<std::unique_ptr<llvm::Module>> lowered = lower(context, machine);
  if (!lowered) return std::move(lowered).error();
  llvm::Module& module = **lowered;
  if (Result<void> done = collect_kernels(module); !done) return std::move(done).error();
  settle(module, excluded_, request_.kernels);
  prepare_kernels(module);
  llvm::raw_string_ostream problems(rest);
  if (llvm::verifyModule(module, &problems))
    return Error{CUDA_ERROR_UNKNOWN, "internal error: the module's IR is not valid: " + rest};
  llvm::raw_string_ostream stream(text);
  if (emit == Emit::UnoptimisedIr) {
    module.print(stream, nullptr);
    return true;
  }
  amdgpu::optimise(module, machine);
  collect_variables(module);
  if (emit == Emit::Ir) {
    module.print(stream, nullptr);
    return true;
  }
  const bool any = std::any_of(result_.kernels.begin(), result_.kernels.end(),
                               [](const KernelInfo& k) { return k.error.empty(); });
  if (!any && !result_.kernels.empty()) return true;
  Result<std::vector<std::byte>> object = amdgpu::generate(
      module, machine, emit == Emit::Assembly ? amdgpu::Output::Assembly : amdgpu::Output::Object);
  if (!object) return std::move(object).error();
  if (!rest.empty()) return Error{CUDA_ERROR_INVALID_PTX, "code generation failed: " + rest};
  if (!found.empty()) {
    const size_t before = excluded_.size();
    for (auto& [name, error] : found)
      excluded_.emplace(name, error);
    if (excluded_.size() == before)
      return Error{CUDA_ERROR_UNKNOWN, "code generation failed: " + found.begin()->second.message};
    return false;
  }
  if (emit == Emit::Assembly) {
    stream.write(reinterpret_cast<const char*>(object->data()), object->size());
    return true;
  }
  Result<std::vector<std::byte>> linked = amdgpu::link_code_object(*object);
  if (!linked) return std::move(linked).error();
  result_.elf = std::move(linked).value();
  if (Result<void> done = read_facts(); !done) return std::move(done).error();
  return true;
}

Result<void> Translation::choose_target() {
  const Target* found = find_target(request_.target);
  if (!found) return Error{CUDA_ERROR_NO_BINARY_FOR_GPU, "no such target: '" + request_.target + "'"};
  target_ = *found;
  if (request_.wave_size == 0 || request_.wave_size == found->wave_size) return {};
  if (request_.wave_size != 64) // all hardware has waves of 64 lanes
    return Error{CUDA_ERROR_INVALID_VALUE,
                 request_.target + " has no waves of " + std::to_string(request_.wave_size) + " lanes"};
  target_.wave_size = 64;
  return {};
}

Result<CodeObject> Translation::run(Emit emit, std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  if (Result<void> chosen = choose_target(); !chosen) return std::move(chosen).error();
  if (request_.code_object_version < 4 || request_.code_object_version > 5)
    return Error{CUDA_ERROR_INVALID_VALUE, "code object version " +
                                               std::to_string(request_.code_object_version) +
                                               " is neither 4 nor 5"};
  result_.target = target_.name;
  if (Result<void> done = parse(); !done) return std::move(done).error();
  auto machine = amdgpu::make_target_machine(target_);
  if (!machine) return std::move(machine).error();
  for (bool finished = false; !finished;) {
    text.clear();
    Result<bool> attempted = attempt(emit, text, **machine);
    if (!attempted) return std::move(attempted).error();
    finished = *attempted;
  }
  write_log();
  result_.translation_ns = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
  return std::move(result_);
}

} // namespace

Result<CodeObject> translate_to(const TranslateRequest& request, Emit emit, std::string& text) {
  return Translation(request).run(emit, text);
}

} // namespace ptxshim::ptx

namespace ptxshim {

Result<CodeObject> translate(const TranslateRequest& request) {
  std::string text;
  return ptx::translate_to(request, ptx::Emit::CodeObject, text);
}

} // namespace ptxshim
