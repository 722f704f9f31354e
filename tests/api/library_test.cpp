// SPDX-License-Identifier: MIT
#include "api_test.h"
#include "test_ptx.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

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

CUkernel kernel_of(CUlibrary library, const char* name = "scale") {
  CUkernel kernel = nullptr;
  EXPECT_OK(cuLibraryGetKernel(&kernel, library, name));
  return kernel;
}

TEST(cuLibraryGetKernel, refuses_bad_arguments) {
  const LoadedLibrary library;
  CUkernel kernel = nullptr;
  EXPECT_EQ(kernel_of(library), kernel_of(library));
  EXPECT_EQ(cuLibraryGetKernel(nullptr, library, "scale"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "counter"), CUDA_ERROR_NOT_FOUND); // a variable
}

TEST(cuLibraryGetKernelCount, counts_kernels) {
  const LoadedLibrary library;
  unsigned count = 0;
  EXPECT_OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(cuLibraryGetKernelCount(nullptr, library), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryGetKernelCount(&count, bad_handle<CUlibrary>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuLibraryEnumerateKernels, gives_at_most_what_there_is_room_for) {
  const LoadedLibrary library;
  CUkernel all[2] = {}, one[2] = {};
  EXPECT_OK(cuLibraryEnumerateKernels(all, 2, library));
  EXPECT_TRUE((all[0] == kernel_of(library) && all[1] == kernel_of(library, "count_up")) ||
              (all[1] == kernel_of(library) && all[0] == kernel_of(library, "count_up")));
  EXPECT_OK(cuLibraryEnumerateKernels(one, 1, library));
  EXPECT_EQ(one[0], all[0]);
  EXPECT_EQ(one[1], nullptr);
  EXPECT_EQ(cuLibraryEnumerateKernels(all, 2, bad_handle<CUlibrary>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuLibraryGetManaged, only_managed_variables) {
  constexpr char kManagedPtx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                                 ".visible .global .attribute(.managed) .align 4 .u32 shared_value = 17;\n"
                                 ".visible .entry nothing()\n{\n  ret;\n}\n";
  const TestContext context;
  CUlibrary library = nullptr;
  ASSERT_OK(cuLibraryLoadData(&library, kManagedPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUdeviceptr address = 0;
  size_t bytes = 0;
  ASSERT_OK(cuLibraryGetManaged(&address, &bytes, library, "shared_value"));
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(*reinterpret_cast<unsigned*>(address), 17u); // the host reads it as its own memory
  EXPECT_EQ(cuLibraryGetManaged(&address, &bytes, library, "no_such_variable"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetManaged(&address, &bytes, library, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuLibraryUnload(library));
}

TEST(cuLibraryGetUnifiedFunction, there_is_none) {
  const LoadedLibrary library;
  void* function = nullptr;
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&function, library, "scale"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(nullptr, library, "scale"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&function, bad_handle<CUlibrary>(), "scale"), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuLibraryLoadFromFile, reads_a_file) {
  ASSERT_OK(cuInit(0));
  char path[] = "/tmp/ptxshim_library_test_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, kScalePtx, sizeof kScalePtx - 1), static_cast<ssize_t>(sizeof kScalePtx - 1));
  close(file);
  CUlibrary library = nullptr;
  ASSERT_OK(cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
  std::remove(path);
  EXPECT_NE(kernel_of(library), nullptr);
  EXPECT_OK(cuLibraryUnload(library));
  EXPECT_EQ(cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuLibraryLoadFromFile(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLibraryUnload, an_unloaded_library_is_no_handle_any_more) {
  ASSERT_OK(cuInit(0));
  CUlibrary library = nullptr;
  ASSERT_OK(cuLibraryLoadData(&library, kScalePtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUkernel kernel = kernel_of(library);
  ASSERT_OK(cuLibraryUnload(library));
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  const char* name = nullptr;
  EXPECT_EQ(cuKernelGetName(&name, kernel), CUDA_ERROR_INVALID_HANDLE); // and its kernels with it
}

TEST(cuKernelGetFunction, needs_a_context) {
  const LoadedLibrary library;
  CUfunction function = nullptr;
  EXPECT_EQ(cuKernelGetFunction(&function, kernel_of(library)), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  ASSERT_OK(cuKernelGetFunction(&function, kernel_of(library)));
  const char* name = nullptr;
  EXPECT_OK(cuFuncGetName(&name, function));
  EXPECT_STREQ(name, "scale");
  EXPECT_EQ(cuKernelGetFunction(nullptr, kernel_of(library)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelGetFunction(&function, bad_handle<CUkernel>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelGetLibrary, is_the_library_it_came_from) {
  const LoadedLibrary library, other;
  CUlibrary owner = nullptr;
  EXPECT_OK(cuKernelGetLibrary(&owner, kernel_of(library)));
  EXPECT_EQ(owner, static_cast<CUlibrary>(library));
  EXPECT_OK(cuKernelGetLibrary(&owner, kernel_of(other)));
  EXPECT_EQ(owner, static_cast<CUlibrary>(other));
  EXPECT_EQ(cuKernelGetLibrary(&owner, bad_handle<CUkernel>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelGetName, is_the_name_in_the_ptx) {
  const LoadedLibrary library;
  const char* name = nullptr;
  EXPECT_OK(cuKernelGetName(&name, kernel_of(library, "count_up")));
  EXPECT_STREQ(name, "count_up");
  EXPECT_EQ(cuKernelGetName(nullptr, kernel_of(library)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelGetName(&name, bad_handle<CUkernel>()), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelGetParamInfo, gives_the_layout) {
  const LoadedLibrary library;
  const size_t offsets[] = {0, 8, 12}, sizes[] = {8, 4, 4}; // .u64, .u32, .u32
  for (size_t i = 0; i < 3; ++i) {
    size_t offset = 99, bytes = 99;
    EXPECT_OK(cuKernelGetParamInfo(kernel_of(library), i, &offset, &bytes));
    EXPECT_EQ(offset, offsets[i]);
    EXPECT_EQ(bytes, sizes[i]);
  }
  size_t offset = 0;
  EXPECT_OK(cuKernelGetParamInfo(kernel_of(library), 0, &offset, nullptr)); // the size may be left out
  EXPECT_EQ(cuKernelGetParamInfo(kernel_of(library), 3, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelGetParamInfo(bad_handle<CUkernel>(), 0, &offset, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelSetAttribute, refuses_what_can_only_be_read) {
  const LoadedLibrary library;
  CUkernel kernel = kernel_of(library);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, kernel, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 28, kernel, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101, kernel, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 0));
  int value = 0;
  EXPECT_OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, kernel, 0));
  EXPECT_EQ(value, 50);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, bad_handle<CUkernel>(), 0),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelSetCacheConfig, is_a_hint) {
  const LoadedLibrary library;
  EXPECT_OK(cuKernelSetCacheConfig(kernel_of(library), CU_FUNC_CACHE_PREFER_L1, 0));
  EXPECT_EQ(cuKernelSetCacheConfig(kernel_of(library), no_such<CUfunc_cache>(4), 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetCacheConfig(kernel_of(library), CU_FUNC_CACHE_PREFER_L1, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuKernelSetCacheConfig(bad_handle<CUkernel>(), CU_FUNC_CACHE_PREFER_L1, 0), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
