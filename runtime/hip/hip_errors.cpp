// SPDX-License-Identifier: MIT
// HIP took over CUDA's numbers, with differences: some codes exist only in the CUDA runtime API, some only in HIP. What an application
// of the driver API can be given is decided here and nowhere else.
#include "hip.h"

namespace ptxshim::hip {

namespace {

struct Row {
  Error from;
  CUresult to;
};

// Only the codes whose number does not carry over.
// clang-format off
constexpr Row kRows[] = {
    // hip   cuda                                    hip name
    {9,    CUDA_ERROR_INVALID_VALUE},             // hipErrorInvalidConfiguration
    {12,   CUDA_ERROR_INVALID_VALUE},             // hipErrorInvalidPitchValue
    {13,   CUDA_ERROR_NOT_FOUND},                 // hipErrorInvalidSymbol
    {17,   CUDA_ERROR_INVALID_VALUE},             // hipErrorInvalidDevicePointer
    {21,   CUDA_ERROR_INVALID_VALUE},             // hipErrorInvalidMemcpyDirection
    {35,   CUDA_ERROR_SYSTEM_DRIVER_MISMATCH},    // hipErrorInsufficientDriver
    {52,   CUDA_ERROR_INVALID_VALUE},             // hipErrorMissingConfiguration
    {53,   CUDA_ERROR_LAUNCH_FAILED},             // hipErrorPriorLaunchFailure
    {98,   CUDA_ERROR_INVALID_HANDLE},            // hipErrorInvalidDeviceFunction
    {1052, CUDA_ERROR_OUT_OF_MEMORY},             // hipErrorRuntimeMemory
    {1053, CUDA_ERROR_UNKNOWN},                   // hipErrorRuntimeOther
};
// clang-format on

constexpr bool is_cuda_code(int code) {
  switch (code) {
#define PTXSHIM_X(name, value) case value:
    PTXSHIM_CUDA_RESULTS(PTXSHIM_X)
#undef PTXSHIM_X
    return true;
  }
  return false;
}

} // namespace

CUresult to_cuda(Error error) noexcept {
  if (error == kSuccess) [[likely]]
    return CUDA_SUCCESS;
  for (const Row& row : kRows)
    if (row.from == error) return row.to;
  return is_cuda_code(error) ? static_cast<CUresult>(error) : CUDA_ERROR_UNKNOWN;
}

} // namespace ptxshim::hip
