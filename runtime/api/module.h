// SPDX-License-Identifier: MIT
// From an image to a module on a device; shared by modules, libraries and linking.
#pragma once

#include "jit_options.h"

namespace ptxshim::api {

using Code = std::shared_ptr<const CodeObject>;

// Reads an image of unknown length, translates it for a device, and fills the log buffers of `jit` either way.
Result<Code> code_from_image(const void* image, const Jit& jit, const Device& device);
Result<Code> code_from_file(const char* path, const Jit& jit, const Device& device);
Result<Code> translate_modules(const std::vector<PtxImage>& images, const Jit& jit, const Device& device, const char* name);
Result<Code> translate_images(const std::vector<PtxImage>& images, const Jit& jit, const Device& device);
Result<std::vector<std::byte>> read_whole_file(const char* path);

// What cuLinkComplete returns, and code_from_image takes: a header in front of an encoded code object.
std::vector<std::byte> linked_image(const CodeObject& code);
// True when an image begins with that header.
bool is_linked_image(const void* image);
Result<Code> code_from_linked_image(const void* image, const Device& device);
// The same of a file, whose length is known.
bool is_linked_file(std::span<const std::byte> bytes);
Result<Code> code_from_linked_file(std::span<const std::byte> bytes, const Device& device);

// Loads code into the current context, which must be on the device it was made for.
Result<Module*> load_module(Code code, bool of_library);
void unload_module(Module& module);
CUresult find_function(Function*& out, Module& module, const std::string& name);
CUresult find_global(CUdeviceptr* address, size_t* bytes, Module& module, const char* name);

// What a CUfunction parameter may be: a CUfunction, or a CUkernel in the current context. Null when neither.
CUresult function_of_kernel(Function*& out, Kernel& kernel);
inline CUresult resolve_function(Function*& out, CUfunction handle) {
  out = functions.find(handle);
  if (out) [[likely]]
    return CUDA_SUCCESS;
  Kernel* const kernel = kernels.find(reinterpret_cast<CUkernel>(handle));
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  out = kernel->last.load(std::memory_order_acquire);
  if (out && out->module->context == thread.current) [[likely]]
    return CUDA_SUCCESS;
  return function_of_kernel(out, *kernel);
}

// Before a context goes: libraries forget the modules they have there.
void forget_library_modules(const Context& context);

// Logs an error, with the reason that the application's error code cannot carry, and returns the code.
CUresult report(const char* what, const Error& error) noexcept;

// Value of a CUfunction_attribute (function.cpp).
CUresult function_attribute(int& value, CUfunction_attribute attribute, const KernelInfo& info, int max_dynamic_shared, int carveout,
                            const Function* function);
CUresult check_max_dynamic_shared(int value, const KernelInfo& info, const Device& device);

} // namespace ptxshim::api
