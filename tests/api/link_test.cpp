// SPDX-License-Identifier: MIT
#include "api_test.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace {

char kCaller[] = R"(
.version 7.5
.target sm_80
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry use_twice(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  cvta.to.global.u64 %rd2, %rd1;
  {
    .param .b32 argument;
    .param .b32 returned;
    st.param.b32 [argument], %r1;
    call.uni (returned), twice, (argument);
    ld.param.b32 %r2, [returned];
  }
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

char kCallee[] = R"(
.version 7.5
.target sm_80
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  add.u32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";

TEST(cuLinkComplete, joins_two_modules) {
  const TestContext context;
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCaller, sizeof kCaller, "caller", 0, nullptr, nullptr));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCallee, sizeof kCallee, "callee", 0, nullptr, nullptr));
  void* image = nullptr;
  size_t bytes = 0;
  ASSERT_OK(cuLinkComplete(link, &image, &bytes));
  ASSERT_GT(bytes, 0u);
  const std::vector<char> copy(static_cast<char*>(image), static_cast<char*>(image) + bytes);
  EXPECT_OK(cuLinkDestroy(link));
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, copy.data())); // the image outlives the link in a copy
  ASSERT_OK(cuModuleGetFunction(&function, module, "use_twice"));
  const DeviceArray<unsigned> out(1);
  CUdeviceptr address = out.address();
  unsigned value = 21;
  void* parameters[] = {&address, &value};
  ASSERT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(out.read(), std::vector<unsigned>{42});
  EXPECT_OK(cuModuleUnload(module));
}

TEST(cuModuleLoadData, refuses_a_damaged_linked_image) {
  const TestContext context;
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCallee, sizeof kCallee, nullptr, 0, nullptr, nullptr));
  void* image = nullptr;
  size_t bytes = 0;
  ASSERT_OK(cuLinkComplete(link, &image, &bytes));
  std::vector<char> copy(static_cast<char*>(image), static_cast<char*>(image) + bytes);
  for (size_t i = 24; i < copy.size() && i < 64; ++i) copy[i] = static_cast<char>(copy[i] ^ 0x5a);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, copy.data()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_OK(cuLinkDestroy(link));
}

// CUDA Driver API: the error log buffer of cuLinkCreate gets the linker's messages.
TEST(cuLinkComplete, names_both_modules_of_a_clash_in_the_error_log) {
  const TestContext context;
  char log[1024] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(2, options, values, &link));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCallee, sizeof kCallee, "one", 0, nullptr, nullptr));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCallee, sizeof kCallee, "two", 0, nullptr, nullptr));
  void* image = nullptr;
  EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::strstr(log, "two:5:37: error: 'twice' is defined twice, first at one:5:37"), nullptr) << log;
  EXPECT_OK(cuLinkDestroy(link));
}

// The messages come where the fault is found: machine code at once, PTX when all of it is translated.
TEST(cuLinkAddData_v2, lists_mistakes_in_the_error_log) {
  const TestContext context;
  char log[1024] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(2, options, values, &link));
  char cubin[64] = "\177ELF";
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_CUBIN, cubin, sizeof cubin, "a.cubin", 0, nullptr, nullptr), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_NE(std::strstr(log, "machine code"), nullptr) << log;
  char bad[] = ".version 7.5\n.target sm_80\n.address_size 64\n.func helper()\n{\n  frob;\n  mov.b32 x, 1;\n}\n";
  char worse[] = ".version 7.5\n.target sm_80\n.address_size 64\n.gloabl .u32 x;\n";
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, bad, sizeof bad, "bad", 0, nullptr, nullptr));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, worse, sizeof worse, "worse", 0, nullptr, nullptr));
  void* image = nullptr;
  EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_PTX);
  EXPECT_STREQ(log, "bad:6:3: error: unknown instruction 'frob'\n  frob;\n  ^\n"
                    "bad:7:11: error: 'x' is not declared\n  mov.b32 x, 1;\n          ^\n"
                    "worse:4:1: error: unknown directive '.gloabl' (did you mean '.global'?)\n.gloabl .u32 x;\n^\n");
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), std::strlen(log) + 1);
  EXPECT_OK(cuLinkDestroy(link));
}

// "a", then characters of two bytes: a buffer ends with a whole one, whatever its size.
TEST(cuLinkComplete, cuts_the_error_log_between_characters) {
  const TestContext context;
  char bad[] = ".version 7.5\n.target sm_80\nnonsense";
  for (size_t size = 1; size < 12; ++size) {
    char log[16];
    std::memset(log, 'x', sizeof log);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(size)};
    CUlinkState link = nullptr;
    ASSERT_OK(cuLinkCreate_v2(2, options, values, &link));
    ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, bad, sizeof bad, "a\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 0, nullptr, nullptr));
    void* image = nullptr;
    EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_PTX);
    const std::string whole = std::string("a\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4").substr(0, size == 1 ? 0 : (size - 2) / 2 * 2 + 1);
    EXPECT_EQ(std::string(log, strnlen(log, sizeof log)), whole) << size;
    EXPECT_EQ(log[size], 'x') << size;
    EXPECT_EQ(reinterpret_cast<size_t>(values[1]), whole.empty() ? 0 : whole.size() + 1) << size;
    EXPECT_OK(cuLinkDestroy(link));
  }
}

// A linked image that was kept in a file is as good as PTX for both loaders, and a cut one is refused by both.
TEST(cuLinkComplete, gives_an_image_that_files_may_keep) {
  const TestContext context;
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCallee, sizeof kCallee, nullptr, 0, nullptr, nullptr));
  void* image = nullptr;
  size_t bytes = 0;
  ASSERT_OK(cuLinkComplete(link, &image, &bytes));
  const std::string whole = testing::TempDir() + "linked_whole", cut = testing::TempDir() + "linked_cut";
  std::ofstream(whole, std::ios::binary).write(static_cast<const char*>(image), static_cast<std::streamsize>(bytes));
  std::ofstream(cut, std::ios::binary).write(static_cast<const char*>(image), static_cast<std::streamsize>(bytes / 2));
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  EXPECT_OK(cuModuleLoad(&module, whole.c_str()));
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_OK(cuLibraryLoadFromFile(&library, whole.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  EXPECT_OK(cuLibraryUnload(library));
  EXPECT_EQ(cuModuleLoad(&module, cut.c_str()), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(cuLibraryLoadFromFile(&library, cut.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_OK(cuLinkDestroy(link));
  std::remove(whole.c_str());
  std::remove(cut.c_str());
}

TEST(cuLinkAddData_v2, refuses_what_cannot_be_translated) {
  const TestContext context;
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  char cubin[64] = "\177ELF";
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_CUBIN, cubin, sizeof cubin, "a.cubin", 0, nullptr, nullptr), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, nullptr, 4, "a", 0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkAddData_v2(link, no_such<CUjitInputType>(77), cubin, 4, "a", 0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkAddData_v2(bad_handle<CUlinkState>(), CU_JIT_INPUT_PTX, kCallee, 4, "a", 0, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/no/such/file.ptx", 0, nullptr, nullptr), CUDA_ERROR_FILE_NOT_FOUND);
  void* image = nullptr;
  EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_VALUE); // nothing was added
  EXPECT_OK(cuLinkDestroy(link));
}

TEST(cuLinkCreate_v2, refuses_bad_arguments) {
  CUlinkState link = nullptr;
  ASSERT_OK(cuInit(0));
  EXPECT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLinkCreate_v2(1, nullptr, nullptr, &link), CUDA_ERROR_INVALID_VALUE);
  CUjit_option option = no_such<CUjit_option>(9999);
  void* value = nullptr;
  EXPECT_EQ(cuLinkCreate_v2(1, &option, &value, &link), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLinkAddFile_v2, reads_a_file) {
  const TestContext context;
  char path[] = "/tmp/ptxshim_link_test_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, kCallee, sizeof kCallee - 1), static_cast<ssize_t>(sizeof kCallee - 1));
  close(file);
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  EXPECT_OK(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, path, 0, nullptr, nullptr));
  std::remove(path);
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCaller, sizeof kCaller, "caller", 0, nullptr, nullptr));
  void* image = nullptr;
  size_t bytes = 0;
  ASSERT_OK(cuLinkComplete(link, &image, &bytes));
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, image));
  EXPECT_OK(cuModuleGetFunction(&function, module, "use_twice")); // its callee came from the file
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_EQ(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, nullptr, 0, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuLinkDestroy(link));
}

TEST(cuLinkDestroy, a_destroyed_link_is_no_handle_any_more) {
  const TestContext context;
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  EXPECT_OK(cuLinkDestroy(link));
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLinkDestroy(bad_handle<CUlinkState>()), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, kCallee, sizeof kCallee, "a", 0, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
