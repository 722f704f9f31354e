// SPDX-License-Identifier: MIT
#include "api_test.h"
#include "test_ptx.h"

namespace {

class LoadedLibrary {
public:
  LoadedLibrary() {
    EXPECT_OK(cuInit(0));
    EXPECT_OK(cuLibraryLoadData(&handle_, kScalePtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  }
  ~LoadedLibrary() { EXPECT_OK(cuLibraryUnload(handle_)); }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;
  operator CUlibrary() const { return handle_; }

private:
  CUlibrary handle_ = nullptr;
};

TEST(cuLibraryLoadData, needs_no_context) {
  const LoadedLibrary library;
  CUkernel kernel = nullptr;
  EXPECT_OK(cuLibraryGetKernel(&kernel, library, "scale"));
  unsigned count = 0;
  EXPECT_OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 2u);
  CUkernel all[2] = {};
  EXPECT_OK(cuLibraryEnumerateKernels(all, 2, library));
  EXPECT_TRUE(all[0] == kernel || all[1] == kernel);
  const char* name = nullptr;
  EXPECT_OK(cuKernelGetName(&name, kernel));
  EXPECT_STREQ(name, "scale");
  CUlibrary owner = nullptr;
  EXPECT_OK(cuKernelGetLibrary(&owner, kernel));
  EXPECT_EQ(owner, static_cast<CUlibrary>(library));
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
}

TEST(cuLibraryLoadData, refuses_bad_arguments) {
  CUlibrary library = nullptr;
  ASSERT_OK(cuInit(0));
  EXPECT_EQ(cuLibraryLoadData(nullptr, kScalePtx, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryUnload(bad_handle<CUlibrary>()), CUDA_ERROR_INVALID_HANDLE);
  CUkernel kernel = nullptr;
  EXPECT_EQ(cuLibraryGetKernel(&kernel, bad_handle<CUlibrary>(), "scale"), CUDA_ERROR_INVALID_HANDLE);
}

// The CUDA runtime launches kernels of libraries in this way.
TEST(cuLaunchKernel, takes_a_kernel_of_a_library) {
  const LoadedLibrary library;
  CUkernel kernel = nullptr;
  ASSERT_OK(cuLibraryGetKernel(&kernel, library, "scale"));
  for (int round = 0; round < 2; ++round) { // in two contexts one after the other
    const TestContext context;
    const DeviceArray<unsigned> memory(std::vector<unsigned>(100, 6));
    CUdeviceptr values = memory.address();
    unsigned factor = 7, count = 100;
    void* parameters[] = {&values, &factor, &count};
    ASSERT_OK(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_EQ(memory.read(), std::vector<unsigned>(100, 42));
    CUfunction function = nullptr;
    ASSERT_OK(cuKernelGetFunction(&function, kernel));
    ASSERT_OK(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_EQ(memory.read(), std::vector<unsigned>(100, 294));
  }
}

TEST(cuLibraryGetGlobal, is_the_variable_of_the_context) {
  const LoadedLibrary library;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  EXPECT_EQ(cuLibraryGetGlobal(&address, &bytes, library, "counter"), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  ASSERT_OK(cuLibraryGetGlobal(&address, &bytes, library, "counter"));
  EXPECT_EQ(bytes, 4u);
  unsigned value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, address, 4));
  EXPECT_EQ(value, 5u);
  EXPECT_EQ(cuLibraryGetGlobal(&address, &bytes, library, "no_such_variable"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetManaged(&address, &bytes, library, "counter"), CUDA_ERROR_NOT_FOUND); // not managed
}

TEST(cuLibraryGetModule, belongs_to_the_library) {
  const LoadedLibrary library;
  const TestContext context;
  CUmodule module = nullptr, again = nullptr;
  ASSERT_OK(cuLibraryGetModule(&module, library));
  ASSERT_OK(cuLibraryGetModule(&again, library));
  EXPECT_EQ(module, again);
  CUfunction function = nullptr;
  EXPECT_OK(cuModuleGetFunction(&function, module, "scale"));
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
}

TEST(cuKernelGetAttribute, agrees_with_the_function) {
  const LoadedLibrary library;
  const TestContext context;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuLibraryGetKernel(&kernel, library, "scale"));
  ASSERT_OK(cuKernelGetFunction(&function, kernel));
  for (int id = 0; id <= CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE; ++id) {
    int of_kernel = -1, of_function = -2;
    EXPECT_OK(cuKernelGetAttribute(&of_kernel, static_cast<CUfunction_attribute>(id), kernel, 0)) << id;
    EXPECT_OK(cuFuncGetAttribute(&of_function, static_cast<CUfunction_attribute>(id), function)) << id;
    EXPECT_EQ(of_kernel, of_function) << id;
  }
  EXPECT_OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 50000, kernel, 0));
  int value = 0;
  EXPECT_OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
  EXPECT_EQ(value, 50000);
  size_t offset = 0, bytes = 0;
  EXPECT_OK(cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, bad_handle<CUkernel>(), 0), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
