// SPDX-License-Identifier: MIT
// Functions: attributes and names. Registers, shared and local memory are those of the AMD code.
#include "bodies.h"
#include "context.h"
#include "module.h"

#include <algorithm>

namespace ptxshim::api {

namespace {

constexpr int kDefaultSharedBytes = 48 * 1024;

bool is_cluster_dimension(CUfunction_attribute attribute) {
  return attribute >= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH && attribute <= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH;
}

} // namespace

CUresult function_attribute(int& value, CUfunction_attribute attribute, const KernelInfo& info, int max_dynamic_shared, int carveout,
                            const Function* function) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: value = static_cast<int>(info.max_threads); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: value = static_cast<int>(info.static_shared_bytes); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: value = static_cast<int>(info.constant_bytes); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: value = static_cast<int>(info.private_bytes); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: value = static_cast<int>(std::clamp(info.vgprs, 1u, 255u)); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: value = static_cast<int>(info.sm_version); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: value = static_cast<int>(kComputeCapability); return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    const int by_default = std::max(0, kDefaultSharedBytes - static_cast<int>(info.static_shared_bytes));
    value = max_dynamic_shared > 0 ? max_dynamic_shared : by_default;
    return CUDA_SUCCESS;
  }
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: value = carveout; return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    value = function ? function->cluster_dims[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH].load() : 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: value = 0; return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult check_max_dynamic_shared(int value, const KernelInfo& info, const Device& device) {
  int most = 0;
  device_attribute(most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
  return value >= 0 && value <= most - static_cast<int>(info.static_shared_bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  return function_attribute(*value, attribute, *function->info, function->max_dynamic_shared.load(), function->carveout.load(), function);
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    const CUresult checked = check_max_dynamic_shared(value, *function->info, current_device());
    if (checked == CUDA_SUCCESS) function->max_dynamic_shared.store(value);
    return checked;
  }
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
    function->carveout.store(value); // a hint: AMD's local memory is not divided
    return CUDA_SUCCESS;
  }
  if (is_cluster_dimension(attribute)) return value <= 1 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
  return CUDA_ERROR_INVALID_VALUE; // the others can only be read
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  return config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  return config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE && config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  if (const Function* const function = functions.find(handle)) {
    *name = function->info->name.c_str();
    return CUDA_SUCCESS;
  }
  return cuKernelGetName(name, reinterpret_cast<CUkernel>(handle));
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
  if (!offset) return CUDA_ERROR_INVALID_VALUE;
  const Function* const function = functions.find(handle);
  if (!function) return cuKernelGetParamInfo(reinterpret_cast<CUkernel>(handle), index, offset, bytes);
  if (index >= function->info->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = function->info->parameters[index].offset;
  if (bytes) *bytes = function->info->parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule* out, CUfunction handle) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Function* const function = functions.find(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  *out = modules.handle(function->module);
  return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* loading, CUfunction handle) {
  if (!loading) return CUDA_ERROR_INVALID_VALUE;
  if (!functions.find(handle)) return CUDA_ERROR_INVALID_HANDLE;
  *loading = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction handle) {
  Function* function = nullptr;
  return resolve_function(function, handle); // a kernel is loaded with its module
}

} // namespace ptxshim::api
