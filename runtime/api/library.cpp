// SPDX-License-Identifier: MIT
// Libraries: code that belongs to no context. The image is read and translated when it is loaded, so that its kernels are known; a module of it is
// loaded into a context when something of it is first used there.
#include "bodies.h"
#include "context.h"
#include "module.h"

namespace ptxshim::api {

namespace {

// The device whose kernels the library's list shows: the current one if there is any.
const Device& listing_device() { return thread.current ? *thread.current->device : devices->of[0]; }

CUresult add_kernels(Library& library) {
  for (const KernelInfo& info : library.code->kernels) {
    Kernel* const kernel = kernels.create();
    if (!kernel) return CUDA_ERROR_OUT_OF_MEMORY;
    kernel->library = &library;
    kernel->info = &info;
    if (!library.kernels.emplace(info.name, kernel).second) kernels.destroy(kernel);
  }
  return CUDA_SUCCESS;
}

void destroy_library(Library& library) {
  for (const auto& [context, module] : library.modules) {
    Context* const previous = thread.current;
    make_current(context);
    unload_module(*module);
    make_current(previous);
  }
  for (const auto& [name, kernel] : library.kernels) kernels.destroy(kernel);
  libraries.destroy(&library);
}

CUresult check_library_options(unsigned count, const CUlibraryOption* options) {
  constexpr unsigned kMost = 1024; // there are two: a larger count is no count
  if (count > kMost || (count > 0 && !options)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] < 0 || options[i] >= CU_LIBRARY_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS; // both concern the image's memory, of which nothing is kept
}

// The images and options are for devices that `code` is not for; a linked image has none.
CUresult create_library_of_code(CUlibrary* out, Result<Code> code, const char* what, std::vector<PtxImage> images = {},
                                TranslateRequest options = {}) {
  if (!code) return report(what, code.error());
  Library* const library = libraries.create();
  if (!library) return CUDA_ERROR_OUT_OF_MEMORY;
  library->images = std::move(images);
  library->options = std::move(options);
  library->code = std::move(*code);
  const CUresult result = add_kernels(*library);
  if (result == CUDA_SUCCESS)
    *out = libraries.handle(library);
  else
    destroy_library(*library);
  return result;
}

CUresult create_library(CUlibrary* out, Result<std::vector<PtxImage>> images, const Jit& jit, const char* what) {
  if (!images) {
    write_error(jit, images.error().message);
    return report(what, images.error());
  }
  Result<Code> code = translate_images(*images, jit, listing_device());
  return create_library_of_code(out, std::move(code), what, std::move(*images), jit.request);
}

// The library's module in the current context.
CUresult module_here(Module*& out, Library& library) {
  const std::lock_guard lock(library.mutex);
  if (const auto found = library.modules.find(thread.current); found != library.modules.end()) {
    out = found->second;
    return CUDA_SUCCESS;
  }
  Code code = library.code;
  if (code->target != current_device().gfx) {
    if (library.images.empty()) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    Jit jit;
    jit.request = library.options;
    Result<Code> other = translate_images(library.images, jit, current_device());
    if (!other) return report("cuLibraryGetModule", other.error());
    code = std::move(*other);
  }
  Result<Module*> module = load_module(std::move(code), true);
  if (!module) return report("cuLibraryGetModule", module.error());
  library.modules.emplace(thread.current, *module);
  out = *module;
  return CUDA_SUCCESS;
}

CUresult context_for_library() {
  if (!thread.current) return CUDA_ERROR_INVALID_CONTEXT;
  return thread.current->active.load() && !thread.current->sticky.load() ? CUDA_SUCCESS : context_error(thread.current);
}

} // namespace

void forget_library_modules(const Context& context) {
  libraries.for_each([&](Library& library) {
    const std::lock_guard lock(library.mutex);
    for (auto& [name, kernel] : library.kernels) {
      const Function* const last = kernel->last.load();
      if (last && last->module->context == &context) kernel->last.store(nullptr);
    }
    std::erase_if(library.modules, [&](const auto& entry) { return entry.first == &context; });
  });
}

CUresult function_of_kernel(Function*& out, Kernel& kernel) {
  Module* module = nullptr;
  CUresult result = module_here(module, *kernel.library);
  if (result == CUDA_SUCCESS) result = find_function(out, *module, kernel.info->name);
  if (result != CUDA_SUCCESS) return result;
  if (const int value = kernel.max_dynamic_shared.load(); value >= 0) out->max_dynamic_shared.store(value);
  kernel.last.store(out, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* out, const void* image, CUjit_option* jit_options, void** jit_values, unsigned jit_count,
                           CUlibraryOption* options, void**, unsigned count) {
  if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
  Jit jit;
  CUresult result = read_jit_options(jit, jit_count, jit_options, jit_values);
  if (result == CUDA_SUCCESS) result = check_library_options(count, options);
  if (result != CUDA_SUCCESS) return result;
  if (is_linked_image(image)) return create_library_of_code(out, code_from_linked_image(image, listing_device()), "cuLibraryLoadData");
  return create_library(out, read_image(image, kComputeCapability), jit, "cuLibraryLoadData");
}

CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* path, CUjit_option* jit_options, void** jit_values, unsigned jit_count,
                               CUlibraryOption* options, void**, unsigned count) {
  if (!out || !path) return CUDA_ERROR_INVALID_VALUE;
  Jit jit;
  CUresult result = read_jit_options(jit, jit_count, jit_options, jit_values);
  if (result == CUDA_SUCCESS) result = check_library_options(count, options);
  if (result != CUDA_SUCCESS) return result;
  Result<std::vector<std::byte>> bytes = read_whole_file(path);
  if (!bytes) return report("cuLibraryLoadFromFile", bytes.error());
  if (is_linked_file(*bytes)) return create_library_of_code(out, code_from_linked_file(*bytes, listing_device()), path);
  return create_library(out, read_image(std::span<const std::byte>(*bytes), kComputeCapability), jit, path);
}

CUresult cuLibraryUnload(CUlibrary handle) {
  Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  destroy_library(*library);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
  if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
  const Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  const auto found = library->kernels.find(name);
  if (found == library->kernels.end()) return CUDA_ERROR_NOT_FOUND;
  const KernelInfo& info = *found->second->info;
  if (!info.error.empty())
    return report(name, {info.error_code == CUDA_SUCCESS ? CUDA_ERROR_INVALID_PTX : info.error_code, info.error});
  *out = kernels.handle(found->second);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  const Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  *count = static_cast<unsigned>(library->kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned room, CUlibrary handle) {
  if (!out || room == 0) return CUDA_ERROR_INVALID_VALUE;
  const Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  unsigned used = 0;
  for (const KernelInfo& info : library->code->kernels)
    if (used < room) out[used++] = kernels.handle(library->kernels.at(info.name));
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = context_for_library();
  Module* module = nullptr;
  if (result == CUDA_SUCCESS) result = module_here(module, *library);
  if (result == CUDA_SUCCESS) *out = modules.handle(module);
  return result;
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary handle, const char* name) {
  if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  Module* module = nullptr;
  const CUresult result = module_here(module, *library);
  return result == CUDA_SUCCESS ? find_global(address, bytes, *module, name) : result;
}

CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary handle, const char* name) {
  if (!name || (!address && !bytes)) return CUDA_ERROR_INVALID_VALUE;
  Library* const library = libraries.find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  bool managed = false;
  for (const VariableInfo& variable : library->code->variables)
    managed = managed || (variable.name == name && variable.space == VariableSpace::Managed);
  if (!managed) return CUDA_ERROR_NOT_FOUND;
  // The CUDA runtime asks before it has a context; managed memory is one for all, so that any context's will do.
  Context* const previous = thread.current;
  CUresult result = previous ? context_for_library() : make_current(devices->of[0].primary);
  if (result == CUDA_SUCCESS) result = cuLibraryGetGlobal(address, bytes, handle, name);
  if (!previous) make_current(nullptr);
  return result;
}

CUresult cuLibraryGetUnifiedFunction(void** out, CUlibrary handle, const char* symbol) {
  if (!out || !symbol) return CUDA_ERROR_INVALID_VALUE;
  return libraries.find(handle) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE; // no function is both host's and device's
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  Kernel* const kernel = kernels.find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  Function* function = nullptr;
  const CUresult result = function_of_kernel(function, *kernel);
  if (result == CUDA_SUCCESS) *out = functions.handle(function);
  return result;
}

CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Kernel* const kernel = kernels.find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *out = libraries.handle(kernel->library);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel handle) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  const Kernel* const kernel = kernels.find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *name = kernel->info->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle, CUdevice ordinal) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  const Kernel* const kernel = kernels.find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  return function_attribute(*value, attribute, *kernel->info, kernel->max_dynamic_shared.load(), kernel->carveout.load(), nullptr);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle, CUdevice ordinal) {
  Kernel* const kernel = kernels.find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  const Device* const device = find_device(ordinal);
  if (!device) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
    kernel->carveout.store(value);
    return CUDA_SUCCESS;
  }
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult failed = check_max_dynamic_shared(value, *kernel->info, *device); failed != CUDA_SUCCESS) return failed;
  kernel->max_dynamic_shared.store(value);
  if (Function* const last = kernel->last.load()) last->max_dynamic_shared.store(value);
  return CUDA_SUCCESS;
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice ordinal) {
  if (!kernels.find(handle)) return CUDA_ERROR_INVALID_HANDLE;
  if (!find_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  return config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuKernelGetParamInfo(CUkernel handle, size_t index, size_t* offset, size_t* bytes) {
  if (!offset) return CUDA_ERROR_INVALID_VALUE;
  const Kernel* const kernel = kernels.find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= kernel->info->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel->info->parameters[index].offset;
  if (bytes) *bytes = kernel->info->parameters[index].size;
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
