// SPDX-License-Identifier: MIT
// cuLink*: several PTX modules become one image. The inputs are collected; cuLinkComplete translates them together, and the image holds the
// result (image.cpp). Only PTX can be linked: machine code for NVIDIA's GPUs cannot be translated.
#include "bodies.h"
#include "context.h"
#include "module.h"

#include <cstring>

namespace ptxshim::api {

LinkState::~LinkState() { delete jit; }

namespace {

CUresult refuse(const LinkState& link, const char* name, const Error& error) {
  write_error(*link.jit, error.message);
  return report(name, error);
}

CUresult add_images(LinkState& link, Result<std::vector<PtxImage>> images, const char* name) {
  if (!images) return refuse(link, name, images.error());
  for (PtxImage& image : *images) {
    if (image.identifier.empty()) image.identifier = name;
    link.modules.push_back(std::move(image));
  }
  return CUDA_SUCCESS;
}

CUresult add(LinkState& link, CUjitInputType type, std::span<const std::byte> bytes, const char* name) {
  switch (type) {
  case CU_JIT_INPUT_PTX: {
    const char* const text = reinterpret_cast<const char*>(bytes.data());
    link.modules.emplace_back();
    link.modules.back().text.assign(text, strnlen(text, bytes.size()));
    link.modules.back().identifier = name;
    return CUDA_SUCCESS;
  }
  case CU_JIT_INPUT_FATBINARY: return add_images(link, read_image(bytes, kComputeCapability), name);
  case CU_JIT_INPUT_OBJECT:
  case CU_JIT_INPUT_LIBRARY: return add_images(link, read_objects(bytes, kComputeCapability), name);
  case CU_JIT_INPUT_CUBIN:
    return refuse(link, name, {CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code for NVIDIA's GPUs cannot be linked; pass PTX instead"});
  case CU_JIT_INPUT_NVVM: return refuse(link, name, {CUDA_ERROR_NOT_SUPPORTED, "NVVM IR cannot be linked; pass PTX instead"});
  case CU_JIT_NUM_INPUT_TYPES: break;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  auto jit = std::make_unique<Jit>();
  if (const CUresult failed = read_jit_options(*jit, count, options, values); failed != CUDA_SUCCESS) return failed;
  LinkState* const link = link_states.create();
  if (!link) return CUDA_ERROR_OUT_OF_MEMORY;
  link->context = current();
  link->jit = jit.release();
  *out = link_states.handle(link);
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned count,
                          CUjit_option* options, void** values) {
  LinkState* const link = link_states.find(handle);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  if (!data || bytes == 0 || link->complete) return CUDA_ERROR_INVALID_VALUE;
  Jit own; // options of one input: nothing of them applies to PTX, but they must be well-formed
  if (const CUresult failed = read_jit_options(own, count, options, values); failed != CUDA_SUCCESS) return failed;
  return add(*link, type, {static_cast<const std::byte*>(data), bytes}, name ? name : "linked input");
}

CUresult cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char* path, unsigned count, CUjit_option* options,
                          void** values) {
  LinkState* const link = link_states.find(handle);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  if (!path || link->complete) return CUDA_ERROR_INVALID_VALUE;
  Jit own;
  if (const CUresult failed = read_jit_options(own, count, options, values); failed != CUDA_SUCCESS) return failed;
  Result<std::vector<std::byte>> bytes = read_whole_file(path);
  if (!bytes) return refuse(*link, path, bytes.error());
  return add(*link, type, *bytes, path);
}

CUresult cuLinkComplete(CUlinkState handle, void** image, size_t* bytes) {
  LinkState* const link = link_states.find(handle);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  if (!image || link->modules.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (!link->complete) {
    drop_unused_device_runtime(link->modules);
    Result<Code> code = translate_modules(link->modules, *link->jit, current_device(), "linked module");
    if (!code) return report("cuLinkComplete", code.error());
    link->image = linked_image(**code);
    link->complete = true;
  }
  *image = link->image.data();
  if (bytes) *bytes = link->image.size();
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState handle) {
  LinkState* const link = link_states.find(handle);
  return link && link_states.destroy(link) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace ptxshim::api
