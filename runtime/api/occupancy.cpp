// SPDX-License-Identifier: MIT
// How many blocks fit: HIP knows the registers and the local memory of the AMD code.
#include "bodies.h"
#include "context.h"
#include "module.h"

#include <algorithm>

namespace ptxshim::api {

namespace {

constexpr int kWarp = 32;

CUresult active_blocks(int& blocks, const Function& function, int block_size, size_t dynamic_bytes) {
  blocks = 0;
  int most_shared = 0;
  device_attribute(most_shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, current_device());
  if (static_cast<unsigned>(block_size) > function.info->max_threads) return CUDA_SUCCESS; // none: it cannot be launched
  if (dynamic_bytes > static_cast<size_t>(std::max(0, most_shared - static_cast<int>(function.info->static_shared_bytes))))
    return CUDA_SUCCESS;
  return result_of(hip::api.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function.hip, block_size, dynamic_bytes));
}

int most_threads(const Function& function, int limit) {
  const int most = static_cast<int>(std::min(function.info->max_threads, 1024u));
  return limit > 0 ? std::min(limit, most) : most;
}

} // namespace

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction handle, int block_size, size_t dynamic_bytes,
                                                              unsigned flags) {
  if (!blocks || block_size <= 0 || (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)))
    return CUDA_ERROR_INVALID_VALUE;
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  return active_blocks(*blocks, *function, block_size, dynamic_bytes);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size, size_t dynamic_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, dynamic_bytes, 0);
}

// The block size with the most active threads; of equal ones the largest.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid, int* block_size, CUfunction handle, CUoccupancyB2DSize dynamic_for,
                                                   size_t dynamic_bytes, int limit, unsigned flags) {
  if (!min_grid || !block_size || (flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)))
    return CUDA_ERROR_INVALID_VALUE;
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  int best_size = 0, best_blocks = 0;
  const int most = most_threads(*function, limit);
  for (int size = most; size > 0; size = (size - 1) / kWarp * kWarp) {
    int blocks = 0;
    const size_t dynamic = dynamic_for ? dynamic_for(size) : dynamic_bytes;
    if (const CUresult failed = active_blocks(blocks, *function, size, dynamic); failed != CUDA_SUCCESS) return failed;
    if (blocks * size <= best_blocks * best_size) continue;
    best_blocks = blocks;
    best_size = size;
  }
  int processors = 0;
  device_attribute(processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, current_device());
  *block_size = best_size;
  *min_grid = best_blocks * processors;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int* min_grid, int* block_size, CUfunction function, CUoccupancyB2DSize dynamic_for,
                                          size_t dynamic_bytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, function, dynamic_for, dynamic_bytes, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction handle, int blocks, int block_size) {
  if (!bytes || blocks <= 0 || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  Function* function = nullptr;
  if (const CUresult failed = resolve_function(function, handle); failed != CUDA_SUCCESS) return failed;
  int all = 0, most = 0;
  device_attribute(all, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, current_device());
  device_attribute(most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, current_device());
  const int used = static_cast<int>(function->info->static_shared_bytes);
  *bytes = static_cast<size_t>(std::max(0, std::min(all / blocks, most) - used));
  return CUDA_SUCCESS;
}

} // namespace ptxshim::api
