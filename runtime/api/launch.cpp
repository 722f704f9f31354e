// SPDX-License-Identifier: MIT
// Launches. Arguments are packed into the layout that the PTX declares, which is also that of the AMD kernel's explicit arguments, and handed to
// HIP as one buffer. The limits are checked here because HIP's answers differ from CUDA's. Nothing on this path locks or allocates
// (arguments beyond 4 KiB apart).
#include "bodies.h"
#include "context.h"
#include "graph.h"
#include "module.h"

#include <algorithm>
#include <cstring>

namespace ptxshim::api {

namespace {

constexpr unsigned kDefaultSharedBytes = 48 * 1024;
constexpr size_t kInlineArguments = 4096;

// A launch of a CUkernel comes from the CUDA runtime, which hands the driver's code on as its own: its users know a launch beyond
// the limits as cudaErrorInvalidConfiguration, a number that the driver API gives no name.
constexpr CUresult kRuntimeInvalidConfiguration = static_cast<CUresult>(9);

CUresult check_shape(const Shape& shape, const Function& function) {
  constexpr unsigned kMaxGrid[3] = {2147483647, 65535, 65535};
  constexpr unsigned kMaxBlock[3] = {1024, 1024, 64};
  const KernelInfo& info = *function.info;
  bool ok = true;
  for (size_t i = 0; i < 3; ++i) {
    ok = ok && shape.grid[i] - 1 < kMaxGrid[i] && shape.block[i] - 1 < kMaxBlock[i];
    ok = ok && (info.required_threads[i] == 0 || info.required_threads[i] == shape.block[i]);
  }
  if (!ok) return CUDA_ERROR_INVALID_VALUE;
  const unsigned threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (threads > 1024 || threads > info.max_threads) return CUDA_ERROR_INVALID_VALUE;
  const unsigned by_default = kDefaultSharedBytes - std::min(kDefaultSharedBytes, info.static_shared_bytes);
  const unsigned allowed = std::max(by_default, static_cast<unsigned>(function.max_dynamic_shared.load(std::memory_order_relaxed)));
  return shape.shared_bytes <= allowed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// What `extra` says: a buffer in the layout of the parameters.
struct Buffer {
  void* address = nullptr;
  size_t bytes = 0;
};

CUresult read_extra(Buffer& buffer, void** extra) {
  for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer.address = extra[i + 1];
    else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
      buffer.bytes = *static_cast<size_t*>(extra[i + 1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult pack(char* to, const KernelInfo& info, void** parameters, void** extra) {
  if (parameters) {
    if (extra) return CUDA_ERROR_INVALID_VALUE; // one or the other
    for (size_t i = 0; i < info.parameters.size(); ++i) {
      if (!parameters[i]) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(to + info.parameters[i].offset, parameters[i], info.parameters[i].size);
    }
    return CUDA_SUCCESS;
  }
  if (!extra) return info.parameters.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  Buffer buffer;
  if (const CUresult failed = read_extra(buffer, extra); failed != CUDA_SUCCESS) return failed;
  if (info.parameters.empty()) return CUDA_SUCCESS;
  const KernelParameter& last = info.parameters.back(); // padding behind it may be missing
  if (!buffer.address || buffer.bytes < size_t{last.offset} + last.size) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, buffer.address, std::min<size_t>(buffer.bytes, info.parameter_bytes));
  return CUDA_SUCCESS;
}

// HIP runs a grid of up to 2^32 - 1 threads in each direction.
bool fits_hip(const Shape& shape) {
  bool fits = true;
  for (size_t i = 0; i < 3; ++i) fits = fits && uint64_t{shape.grid[i]} * shape.block[i] <= UINT32_MAX;
  return fits;
}

CUresult all_blocks_fit(const Shape& shape, const Function& function) {
  int per_processor = 0, processors = 0;
  const unsigned threads = shape.block[0] * shape.block[1] * shape.block[2];
  const CUresult result = result_of(hip::api.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_processor, function.hip, static_cast<int>(threads), shape.shared_bytes));
  if (result != CUDA_SUCCESS) return result;
  device_attribute(processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, current_device());
  const uint64_t blocks = uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const uint64_t room = static_cast<uint64_t>(std::max(per_processor, 0)) * static_cast<uint64_t>(std::max(processors, 0));
  return blocks <= room ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

CUresult dispatch(const Shape& shape, const Function& function, hip::Stream stream, void* arguments, bool cooperative) {
  size_t bytes = function.info->parameter_bytes;
  if (cooperative) {
    if (const CUresult failed = all_blocks_fit(shape, function); failed != CUDA_SUCCESS) return failed;
    return result_of(hip::launch_cooperative(function.hip, shape.grid, shape.block, shape.shared_bytes, stream, arguments, bytes));
  }
  void* extra[] = {hip::launch_param_buffer_pointer(), arguments, hip::launch_param_buffer_size(), &bytes, hip::launch_param_end()};
  return result_of(hip::api.hipModuleLaunchKernel(function.hip, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                                  shape.block[1], shape.block[2], shape.shared_bytes, stream, nullptr,
                                                  bytes ? extra : nullptr));
}

// A capturing stream keeps the launch instead of making it.
CUresult record_launch(Stream& stream, const Function& function, const Shape& shape, void** parameters, void** extra, bool cooperative) {
  auto work = std::make_shared<KernelWork>();
  const CUfunction handle = functions.handle(const_cast<Function*>(&function));
  const CUresult result = make_kernel_work(*work, handle, shape, parameters, extra, cooperative);
  return result == CUDA_SUCCESS ? record_kernel(stream, std::move(work)) : result;
}

CUresult launch(CUfunction handle, const Shape& shape, CUstream stream_handle, void** parameters, void** extra, bool cooperative) {
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) [[unlikely]]
    return failed;
  const StreamArgument stream = resolve(stream_handle);
  if (!stream.valid) return CUDA_ERROR_INVALID_HANDLE;
  if (function->module->context->device != thread.current->device) return CUDA_ERROR_INVALID_CONTEXT;
  if (stream.object && stream.object->context->device != thread.current->device) return CUDA_ERROR_INVALID_CONTEXT;
  if (const CUresult failed = check_shape(shape, *function); failed != CUDA_SUCCESS) [[unlikely]]
    return functions.find(handle) ? failed : kRuntimeInvalidConfiguration;
  if (!fits_hip(shape)) return CUDA_ERROR_INVALID_VALUE;
  if (is_capturing(stream.object)) [[unlikely]]
    return record_launch(*stream.object, *function, shape, parameters, extra, cooperative);
  const KernelInfo& info = *function->info;
  alignas(16) char small[kInlineArguments];
  std::unique_ptr<char[]> large;
  char* arguments = small;
  if (info.parameter_bytes > sizeof small) [[unlikely]] {
    large = std::make_unique_for_overwrite<char[]>(info.parameter_bytes);
    arguments = large.get();
  }
  if (const CUresult failed = pack(arguments, info, parameters, extra); failed != CUDA_SUCCESS) [[unlikely]]
    return failed;
  return dispatch(shape, *function, stream.hip, arguments, cooperative);
}

// What the attributes of a launch ask for. Hints are accepted; what would change the result is refused.
CUresult read_attribute(const CUlaunchAttribute& attribute, bool& cooperative) {
  switch (attribute.id) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: cooperative = attribute.value.cooperative != 0; return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
    const CUlaunchDim3& dimension = attribute.value.clusterDim;
    return dimension.x <= 1 && dimension.y <= 1 && dimension.z <= 1 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
  }
  case CU_LAUNCH_ATTRIBUTE_IGNORE:
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: // permission to overlap, which need not be used
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
  case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING: return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
  case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: return CUDA_ERROR_NOT_SUPPORTED;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

} // namespace

CUresult make_kernel_work(KernelWork& work, CUfunction handle, const Shape& shape, void** parameters, void** extra, bool cooperative) {
  Function* function = nullptr;
  CUresult result = resolve_function(function, handle);
  if (result == CUDA_SUCCESS) result = check_shape(shape, *function);
  if (result != CUDA_SUCCESS) return result;
  if (!fits_hip(shape)) return CUDA_ERROR_INVALID_VALUE;
  work.function = functions.handle(function);
  work.shape = shape;
  work.cooperative = cooperative;
  work.arguments.assign(function->info->parameter_bytes, 0);
  for (const KernelParameter& parameter : function->info->parameters) work.pointers.push_back(work.arguments.data() + parameter.offset);
  return pack(work.arguments.data(), *function->info, parameters, extra);
}

CUresult run_kernel(const KernelWork& work, hip::Stream stream) {
  const Function* const function = functions.find(work.function);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  std::vector<char> arguments = work.arguments; // HIP takes a pointer to what it may change
  return dispatch(work.shape, *function, stream, arguments.data(), work.cooperative);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters, void** extra) {
  return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, parameters, extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters) {
  return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, parameters, nullptr, true);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (const CUresult failed = read_attribute(config->attrs[i], cooperative); failed != CUDA_SUCCESS) return failed;
  return launch(function,
                {{config->gridDimX, config->gridDimY, config->gridDimZ},
                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                 config->sharedMemBytes},
                config->hStream, parameters, extra, cooperative);
}

} // namespace ptxshim::api
