// SPDX-License-Identifier: MIT
#include "api_test.h"
#include "test_ptx.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace {

class LoadedModule {
public:
  explicit LoadedModule(const char* ptx) { EXPECT_OK(cuModuleLoadData(&handle_, ptx)); }
  ~LoadedModule() {
    if (handle_) {
      EXPECT_OK(cuModuleUnload(handle_));
    }
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  operator CUmodule() const { return handle_; }

private:
  CUmodule handle_ = nullptr;
};

TEST(cuModuleLoadData, loads_ptx) {
  const TestContext context;
  const LoadedModule module(kScalePtx);
  CUfunction function = nullptr, again = nullptr;
  EXPECT_OK(cuModuleGetFunction(&function, module, "scale"));
  EXPECT_OK(cuModuleGetFunction(&again, module, "scale"));
  EXPECT_EQ(function, again);
  unsigned count = 0;
  EXPECT_OK(cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(count, 2u);
  CUfunction all[2] = {};
  EXPECT_OK(cuModuleEnumerateFunctions(all, 2, module));
  EXPECT_NE(all[0], nullptr);
  EXPECT_NE(all[1], all[0]);
}

TEST(cuModuleLoadData, refuses_bad_arguments) {
  CUmodule module = nullptr;
  ASSERT_OK(cuInit(0));
  EXPECT_EQ(cuModuleLoadData(&module, kScalePtx), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_EQ(cuModuleLoadData(nullptr, kScalePtx), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuModuleLoadDataEx, says_what_is_wrong_with_the_ptx) {
  const TestContext context;
  const char kBad[] = ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry f()\n{\n  no.such.instruction %r1;\n  ret;\n}\n";
  char error[2000] = {}, info[100] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {error, reinterpret_cast<void*>(sizeof error), info, reinterpret_cast<void*>(sizeof info)};
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, kBad, 4, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(error).find("6"), std::string::npos) << error; // the line
  EXPECT_NE(std::string(error).find("no"), std::string::npos) << error;
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), std::strlen(error) + 1);
}

// 30 mistakes: the first 20 are told, each with its place, its line and a caret.
TEST(cuModuleLoadDataEx, lists_the_mistakes_of_a_module) {
  const TestContext context;
  std::string text = ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry f()\n{\n  .reg .b32 %r<30>;\n";
  for (int i = 0; i < 30; ++i) text += "  mov.b32 %r" + std::to_string(i) + ", x" + std::to_string(i) + ";\n"; // from line 7 on
  text += "  ret;\n}\n";
  char error[8000] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {error, reinterpret_cast<void*>(sizeof error)};
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), CUDA_ERROR_INVALID_PTX);
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    expected += "module:" + std::to_string(7 + i) + ":" + (i < 10 ? "16" : "17") + ": error: 'x" + n + "' is not declared\n  mov.b32 %r" + n + ", x" + n +
                ";\n" + std::string(i < 10 ? 15 : 16, ' ') + "^\n";
  }
  const std::string said = error;
  EXPECT_EQ(said.substr(0, expected.size()), expected);
  EXPECT_EQ(said.substr(expected.size()), "that is enough: no more errors are listed\n");
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), said.size() + 1);
}

// In the words of ptxas 13.0; what is known is translated whatever the version.
TEST(cuModuleLoadDataEx, names_the_version_that_is_too_new) {
  const TestContext context;
  char error[500] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {error, reinterpret_cast<void*>(sizeof error)};
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry f() { future.b32; }\n", 2, options, values),
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_NE(std::strstr(error, "Unsupported .version 99.0; current version is '"), nullptr) << error;
  ASSERT_OK(cuModuleLoadDataEx(&module, ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n", 0, nullptr, nullptr));
  EXPECT_OK(cuModuleUnload(module));
}

TEST(cuModuleLoadDataEx, cuts_the_error_log_to_the_buffer) {
  const TestContext context;
  char error[12];
  std::memset(error, 'x', sizeof error);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER}; // in any order
  void* values[] = {reinterpret_cast<void*>(size_t{8}), error};
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".version 7.5\n.target sm_80\nnonsense", 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::strlen(error), 7u);
  EXPECT_EQ(error[8], 'x');
}

TEST(cuModuleLoadDataEx, reports_the_time_it_took) {
  const TestContext context;
  CUjit_option options[] = {CU_JIT_WALL_TIME, CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT,
                            CU_JIT_GENERATE_LINE_INFO, CU_JIT_CACHE_MODE};
  void* values[] = {nullptr, reinterpret_cast<void*>(size_t{64}), reinterpret_cast<void*>(size_t{4}), nullptr, nullptr, nullptr};
  CUmodule module = nullptr;
  ASSERT_OK(cuModuleLoadDataEx(&module, kScalePtx, 6, options, values));
  float milliseconds = 0;
  std::memcpy(&milliseconds, &values[0], sizeof milliseconds);
  EXPECT_GT(milliseconds, 0.0f);
  EXPECT_LT(milliseconds, 120000.0f);
  EXPECT_OK(cuModuleUnload(module));
}

TEST(cuModuleLoadDataEx, refuses_bad_options) {
  const TestContext context;
  CUmodule module = nullptr;
  CUjit_option option = no_such<CUjit_option>(9999);
  void* value = nullptr;
  EXPECT_EQ(cuModuleLoadDataEx(&module, kScalePtx, 1, &option, &value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadDataEx(&module, kScalePtx, 1, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  option = CU_JIT_OPTIMIZATION_LEVEL;
  value = reinterpret_cast<void*>(size_t{5});
  EXPECT_EQ(cuModuleLoadDataEx(&module, kScalePtx, 1, &option, &value), CUDA_ERROR_INVALID_VALUE);
}

// What is not known in a text of a newer version may be that version's; the code says so, and not that the PTX is wrong.
TEST(cuModuleLoadData, refuses_instructions_of_the_future) {
  const TestContext context;
  CUmodule module = nullptr;
  const char kFuture[] = ".version 99.0\n.target sm_80\n.address_size 64\n.visible .entry f()\n{\n  future.b32;\n}\n";
  EXPECT_EQ(cuModuleLoadData(&module, kFuture), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST(cuModuleLoadData, has_no_memory_for_enormous_variables) {
  const TestContext context;
  CUmodule module = nullptr;
  const char* const text = ".version 7.5\n.target sm_80\n.address_size 64\n.visible .global .b8 large[1099511627776];\n"
                           ".visible .entry k() { ret; }\n";
  EXPECT_EQ(cuModuleLoadData(&module, text), CUDA_ERROR_OUT_OF_MEMORY); // 1 TiB
}

TEST(cuModuleLoadData, refuses_what_is_no_image) {
  const TestContext context;
  CUmodule module = nullptr;
  const CUresult result = cuModuleLoadData(&module, "this is neither PTX nor a container");
  EXPECT_TRUE(result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_INVALID_PTX) << result;
}

// Texture fetches are not translated: the kernel that has one fails when it is asked for, the other works.
TEST(cuModuleGetFunction, a_kernel_that_cannot_be_translated_fails_alone) {
  const TestContext context;
  const LoadedModule module(R"(
.version 7.5
.target sm_80
.address_size 64
.visible .entry good(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, 5;
  st.global.u32 [%rd2], %r1;
  ret;
}
.visible .entry fetches(.param .u64 texture)
{
  .reg .f32 %f<5>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [texture];
  mov.u32 %r1, 0;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];
  ret;
}
)");
  CUfunction good = nullptr, fetches = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&fetches, module, "fetches"), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(fetches, nullptr);
  ASSERT_OK(cuModuleGetFunction(&good, module, "good"));
  const DeviceArray<unsigned> out(1);
  CUdeviceptr address = out.address();
  void* parameters[] = {&address};
  ASSERT_OK(cuLaunchKernel(good, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(out.read(), std::vector<unsigned>{5});
}

TEST(cuModuleLoad, reads_a_file) {
  const TestContext context;
  char path[] = "/tmp/ptxshim_module_test_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, kScalePtx, sizeof kScalePtx - 1), static_cast<ssize_t>(sizeof kScalePtx - 1));
  close(file);
  CUmodule module = nullptr;
  EXPECT_OK(cuModuleLoad(&module, path));
  EXPECT_OK(cuModuleUnload(module));
  std::remove(path);
  EXPECT_EQ(cuModuleLoad(&module, path), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuModuleUnload, an_unloaded_module_is_no_handle_any_more) {
  const TestContext context;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, kScalePtx));
  ASSERT_OK(cuModuleGetFunction(&function, module, "scale"));
  ASSERT_OK(cuModuleUnload(module));
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "scale"), CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuModuleGetFunction, refuses_unknown_names) {
  const TestContext context;
  const LoadedModule module(kScalePtx);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "counter"), CUDA_ERROR_NOT_FOUND); // a variable
  EXPECT_EQ(cuModuleGetFunction(&function, module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(nullptr, module, "scale"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&function, bad_handle<CUmodule>(), "scale"), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuModuleGetGlobal_v2, reads_and_writes_variables) {
  const TestContext context;
  const LoadedModule module(kScalePtx);
  CUdeviceptr address = 0;
  size_t bytes = 0;
  ASSERT_OK(cuModuleGetGlobal_v2(&address, &bytes, module, "counter"));
  EXPECT_EQ(bytes, 4u);
  unsigned value = 0;
  ASSERT_OK(cuMemcpyDtoH_v2(&value, address, 4));
  EXPECT_EQ(value, 5u); // its initialiser
  value = 41;
  ASSERT_OK(cuMemcpyHtoD_v2(address, &value, 4));
  CUfunction count_up = nullptr;
  ASSERT_OK(cuModuleGetFunction(&count_up, module, "count_up"));
  ASSERT_OK(cuLaunchKernel(count_up, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(cuMemcpyDtoH_v2(&value, address, 4));
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(cuMemcpyHtoD_v2(address, &value, 8), CUDA_ERROR_INVALID_VALUE); // beyond the variable
}

TEST(cuModuleGetGlobal_v2, either_result_may_be_left_out) {
  const TestContext context;
  const LoadedModule module(kScalePtx);
  CUdeviceptr address = 0;
  size_t bytes = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&address, nullptr, module, "table"));
  EXPECT_OK(cuModuleGetGlobal_v2(nullptr, &bytes, module, "table"));
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module, "no_such_variable"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuModuleGetLoadingMode, is_lazy_unless_asked) {
  const TestContext context;
  CUmoduleLoadingMode mode{};
  EXPECT_OK(cuModuleGetLoadingMode(&mode));
  EXPECT_TRUE(mode == CU_MODULE_LAZY_LOADING || mode == CU_MODULE_EAGER_LOADING);
  EXPECT_EQ(cuModuleGetLoadingMode(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuFuncGetAttribute, describes_the_kernel) {
  const TestContext context;
  const LoadedModule module(kSharedPtx);
  CUfunction fixed = nullptr;
  ASSERT_OK(cuModuleGetFunction(&fixed, module, "fixed"));
  int value = 0;
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fixed));
  EXPECT_EQ(value, 64); // .reqntid
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, fixed));
  EXPECT_GT(value, 0);
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fixed));
  EXPECT_EQ(value, 0);
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, fixed));
  EXPECT_EQ(value, 80);
  for (int id = 0; id <= CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE; ++id)
    EXPECT_OK(cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(id), fixed)) << id;
  EXPECT_EQ(cuFuncGetAttribute(&value, no_such<CUfunction_attribute>(99), fixed), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, bad_handle<CUfunction>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, fixed), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuFuncGetParamInfo, gives_the_layout) {
  const TestContext context;
  const LoadedModule module(kScalePtx);
  CUfunction scale = nullptr;
  ASSERT_OK(cuModuleGetFunction(&scale, module, "scale"));
  size_t offset = 99, bytes = 99;
  EXPECT_OK(cuFuncGetParamInfo(scale, 0, &offset, &bytes));
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_OK(cuFuncGetParamInfo(scale, 2, &offset, &bytes));
  EXPECT_EQ(offset, 12u);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuFuncGetParamInfo(scale, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
  const char* name = nullptr;
  EXPECT_OK(cuFuncGetName(&name, scale));
  EXPECT_STREQ(name, "scale");
  CUmodule owner = nullptr;
  EXPECT_OK(cuFuncGetModule(&owner, scale));
  EXPECT_EQ(owner, static_cast<CUmodule>(module));
}

TEST(cuOccupancyMaxActiveBlocksPerMultiprocessor, is_limited_by_threads_and_shared_memory) {
  const TestContext context;
  const LoadedModule module(kSharedPtx);
  CUfunction reverse = nullptr;
  ASSERT_OK(cuModuleGetFunction(&reverse, module, "reverse"));
  int small = 0, large = 0, none = -1;
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&small, reverse, 64, 0));
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&large, reverse, 64, 32 << 10));
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&none, reverse, 64, 1 << 20));
  EXPECT_GE(small, large);
  EXPECT_GE(large, 1);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&small, reverse, 0, 0), CUDA_ERROR_INVALID_VALUE);
  int grid = 0, block = 0;
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, reverse, nullptr, 0, 0));
  EXPECT_GE(block, 32);
  EXPECT_LE(block, 1024);
  EXPECT_GE(grid, 1);
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, reverse, nullptr, 0, 128));
  EXPECT_LE(block, 128);
}

} // namespace
