// SPDX-License-Identifier: MIT
// Modules: code in a context. A kernel that could not be translated is an error when it is asked for, not before; the other kernels of its
// module work.
#include "module.h"
#include "bodies.h"
#include "context.h"
#include "memory.h"

#include "ptxshim/config.h"

namespace ptxshim::api {

namespace {

const KernelInfo* find_kernel(const CodeObject& code, const std::string& name) {
  for (const KernelInfo& kernel : code.kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const VariableInfo* find_variable(const CodeObject& code, const char* name) {
  for (const VariableInfo& variable : code.variables)
    if (variable.name == name) return &variable;
  return nullptr;
}

// Variables are memory too: copies to and from them are checked like others.
void remember_variables(Module& module) {
  for (const VariableInfo& variable : module.code->variables) {
    hip::DevicePointer address = nullptr;
    size_t bytes = 0;
    if (hip::api.hipModuleGetGlobal(&address, &bytes, module.hip, variable.name.c_str()) != hip::kSuccess || variable.size == 0) continue;
    const uintptr_t start = reinterpret_cast<uintptr_t>(address);
    remember({.kind = variable.space == VariableSpace::Managed ? MemoryKind::Managed : MemoryKind::Variable, .address = start,
              .bytes = variable.size, .host = variable.space == VariableSpace::Managed ? start : 0, .context = module.context,
              .module = &module});
  }
}

// HIP does not say that the variables of a module need more memory than there is.
Error load_error(hip::Error failed, const CodeObject& code) {
  size_t needed = 0, free_bytes = 0, total = 0;
  for (const VariableInfo& variable : code.variables)
    if (__builtin_add_overflow(needed, variable.size, &needed)) needed = SIZE_MAX;
  const bool no_room = hip::api.hipMemGetInfo(&free_bytes, &total) == hip::kSuccess && needed > free_bytes;
  if (no_room) return {CUDA_ERROR_OUT_OF_MEMORY, "its variables need " + std::to_string(needed) + " bytes of memory"};
  return {hip::to_cuda(failed), "HIP refuses the code object with error " + std::to_string(failed)};
}

CUresult finish_load(CUmodule* out, Result<Code> code, const char* what) {
  if (!code) return report(what, code.error());
  Result<Module*> module = load_module(std::move(*code), false);
  if (!module) return report(what, module.error());
  *out = modules.handle(*module);
  return CUDA_SUCCESS;
}

} // namespace

Result<Module*> load_module(Code code, bool of_library) {
  hip::Module loaded = nullptr;
  if (!code->elf.empty())
    if (const hip::Error failed = hip::api.hipModuleLoadData(&loaded, code->elf.data())) return load_error(failed, *code);
  Module* const module = modules.create();
  if (!module) {
    if (loaded) static_cast<void>(hip::api.hipModuleUnload(loaded));
    return Error{CUDA_ERROR_OUT_OF_MEMORY, "too many modules"};
  }
  module->context = current();
  module->of_library = of_library;
  module->code = std::move(code);
  module->hip = loaded;
  if (loaded) remember_variables(*module);
  return module;
}

void unload_module(Module& module) {
  static_cast<void>(waited(hip::api.hipDeviceSynchronize())); // its kernels may still run
  forget_variables(module);
  for (const auto& [name, function] : module.functions) functions.destroy(function);
  const hip::Module loaded = module.hip;
  if (modules.destroy(&module) && loaded) static_cast<void>(hip::api.hipModuleUnload(loaded));
}

CUresult find_function(Function*& out, Module& module, const std::string& name) {
  const std::lock_guard lock(module.mutex);
  if (const auto found = module.functions.find(name); found != module.functions.end()) {
    out = found->second;
    return CUDA_SUCCESS;
  }
  const KernelInfo* const info = find_kernel(*module.code, name);
  if (!info) return CUDA_ERROR_NOT_FOUND;
  if (!info->error.empty())
    return report(name.c_str(), {info->error_code == CUDA_SUCCESS ? CUDA_ERROR_INVALID_PTX : info->error_code, info->error});
  hip::Function loaded = nullptr;
  if (!module.hip) return CUDA_ERROR_NOT_FOUND;
  if (const hip::Error failed = hip::api.hipModuleGetFunction(&loaded, module.hip, name.c_str()))
    return report(name.c_str(), {hip::to_cuda(failed), "HIP does not find the kernel: error " + std::to_string(failed)});
  Function* const function = functions.create();
  if (!function) return CUDA_ERROR_OUT_OF_MEMORY;
  function->module = &module;
  function->info = info;
  function->hip = loaded;
  module.functions.emplace(name, function);
  out = function;
  return CUDA_SUCCESS;
}

CUresult find_global(CUdeviceptr* address, size_t* bytes, Module& module, const char* name) {
  const VariableInfo* const variable = find_variable(*module.code, name);
  if (!variable || !module.hip) return CUDA_ERROR_NOT_FOUND;
  hip::DevicePointer found = nullptr;
  size_t size = 0;
  if (const hip::Error failed = hip::api.hipModuleGetGlobal(&found, &size, module.hip, name)) return result_of(failed);
  if (address) *address = reinterpret_cast<uintptr_t>(found);
  if (bytes) *bytes = variable->size;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned count, CUjit_option* options, void** values) {
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  Jit jit;
  if (const CUresult failed = read_jit_options(jit, count, options, values); failed != CUDA_SUCCESS) return failed;
  return finish_load(out, code_from_image(image, jit, current_device()), "cuModuleLoadData");
}

CUresult cuModuleLoadData(CUmodule* out, const void* image) { return cuModuleLoadDataEx(out, image, 0, nullptr, nullptr); }
CUresult cuModuleLoadFatBinary(CUmodule* out, const void* image) { return cuModuleLoadDataEx(out, image, 0, nullptr, nullptr); }

CUresult cuModuleLoad(CUmodule* out, const char* path) {
  if (!out || !path) return CUDA_ERROR_INVALID_VALUE;
  return finish_load(out, code_from_file(path, Jit{}, current_device()), "cuModuleLoad");
}

CUresult cuModuleUnload(CUmodule handle) {
  Module* const module = modules.find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  if (module->of_library) return CUDA_ERROR_NOT_PERMITTED;
  unload_module(*module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = config().module_loading == "EAGER" ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  Module* const module = modules.find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  Function* function = nullptr;
  const CUresult result = find_function(function, *module, name);
  if (result == CUDA_SUCCESS) *out = functions.handle(function);
  return result;
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  const Module* const module = modules.find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned>(module->code->kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned room, CUmodule handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Module* const module = modules.find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  for (unsigned i = 0; i < room && i < module->code->kernels.size(); ++i) {
    Function* function = nullptr;
    const CUresult result = find_function(function, *module, module->code->kernels[i].name);
    if (result != CUDA_SUCCESS) return result;
    out[i] = functions.handle(function);
  }
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  Module* const module = modules.find(handle);
  return module ? find_global(address, bytes, *module, name) : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace ptxshim::api
