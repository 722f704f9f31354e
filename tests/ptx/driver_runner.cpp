// SPDX-License-Identifier: MIT
// Runs cases through the driver API of whatever libcuda.so.1 the loader finds: ours (virtual or real AMD GPU), or NVIDIA's,
// which then proves the expectations. Usage: ptx_driver_runner FILE|FOLDER …
#include <cstdio>
#include <cstring>

#include "case.h"
#include "ptxshim/cuda_abi.h"

namespace {

std::string failure(const char* what, CUresult code) {
  const char* name = nullptr;
  cuGetErrorName(code, &name);
  return std::string("  ") + what + ": " + (name ? name : "?") + " (" + std::to_string(static_cast<int>(code)) + ")\n";
}

std::string run_kernel(const ptxcase::Case& c, CUmodule module) {
  CUfunction function = nullptr;
  CUresult code = cuModuleGetFunction(&function, module, "test");
  if (code != CUDA_SUCCESS) return failure("cuModuleGetFunction", code);
  CUdeviceptr in = 0, out = 0;
  std::vector<std::byte> output = ptxcase::blank_output(c);
  if ((code = cuMemAlloc_v2(&in, c.input.size() + 1)) != CUDA_SUCCESS) return failure("cuMemAlloc", code);
  if ((code = cuMemAlloc_v2(&out, output.size())) != CUDA_SUCCESS) return failure("cuMemAlloc", code);
  if (!c.input.empty()) code = cuMemcpyHtoD_v2(in, c.input.data(), c.input.size());
  if (code == CUDA_SUCCESS) code = cuMemcpyHtoD_v2(out, output.data(), output.size());
  void* parameters[] = {&in, &out};
  if (code == CUDA_SUCCESS)
    code = cuLaunchKernel(function, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2], c.shared, nullptr, parameters, nullptr);
  if (code != CUDA_SUCCESS) return failure("cuLaunchKernel", code);
  if ((code = cuCtxSynchronize()) != CUDA_SUCCESS) return failure("cuCtxSynchronize", code);
  if ((code = cuMemcpyDtoH_v2(output.data(), out, output.size())) != CUDA_SUCCESS) return failure("cuMemcpyDtoH", code);
  cuMemFree_v2(in);
  cuMemFree_v2(out);
  return ptxcase::compare(c, output);
}

std::string run_case(const ptxcase::Case& c) {
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  const CUresult code = cuModuleLoadDataEx(&module, c.text.c_str(), 2, options, values);
  if (c.error) {
    if (code == c.error && std::strstr(log, c.error_text.c_str())) return {};
    return failure("expected the module to be refused; cuModuleLoadDataEx", code) + "  log: " + log + "\n";
  }
  if (code != CUDA_SUCCESS) return failure("cuModuleLoadDataEx", code) + log + "\n";
  std::string problem = run_kernel(c, module);
  cuModuleUnload(module);
  return problem;
}

} // namespace

int main(int argc, char** argv) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult code = cuInit(0);
  if (code == CUDA_SUCCESS) code = cuDeviceGet(&device, 0);
  if (code == CUDA_SUCCESS) code = cuCtxCreate_v2(&context, 0, device);
  if (code != CUDA_SUCCESS) {
    std::fputs(failure("no device", code).c_str(), stderr);
    return 2;
  }
  int passed = 0, failed = 0;
  for (const std::string& path : ptxcase::find_cases({argv + 1, argv + argc})) {
    std::string problem;
    const ptxcase::Case c = ptxcase::read_case(path, problem);
    if (problem.empty()) problem = run_case(c);
    (problem.empty() ? passed : failed)++;
    if (!problem.empty()) std::printf("FAIL %s\n%s\n", path.c_str(), problem.c_str());
    if (const CUresult lost = cuCtxSynchronize(); lost != CUDA_SUCCESS) { // it would fail every case that follows
      std::printf("the context is lost, what follows was not run%s\n", failure("", lost).c_str());
      break;
    }
  }
  std::printf("%d cases passed, %d failed\n", passed, failed);
  return failed || !passed ? 1 : 0;
}
