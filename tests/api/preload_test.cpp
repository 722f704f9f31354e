// SPDX-License-Identifier: MIT
// The library is preloaded into every child process of a CUDA program: being loaded must change nothing and cost next to nothing.
#include "api_test.h"

#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::string library_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&cuInit), &info);
  return info.dli_fname;
}

// Strings of an entry of the dynamic section of our library.
std::vector<std::string> dynamic_strings(ElfW(Sxword) tag) {
  void* const handle = dlopen(library_path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  link_map* map = nullptr;
  EXPECT_EQ(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  std::vector<std::string> found;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == tag) found.emplace_back(strings + entry->d_un.d_val);
  dlclose(handle);
  return found;
}

TEST(preload, soname_is_what_the_runtime_opens) {
  EXPECT_EQ(dynamic_strings(DT_SONAME), std::vector<std::string>{"libcuda.so.1"});
  void* const opened = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(dlsym(opened, "cuInit"), reinterpret_cast<void*>(&cuInit));
}

TEST(preload, needs_libc_alone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer adds its own library";
#endif
  for (const std::string& needed : dynamic_strings(DT_NEEDED))
    EXPECT_TRUE(needed.starts_with("libc.so") || needed.starts_with("libm.so") || needed.starts_with("libdl.so") ||
                needed.starts_with("libpthread.so") || needed.starts_with("ld-linux"))
        << needed;
}

TEST(preload, loads_neither_hip_nor_the_virtual_gpu_before_cuInit) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    EXPECT_EQ(line.find("libamdhip64"), std::string::npos);
    EXPECT_EQ(line.find("libptxshim_vgpu"), std::string::npos);
  }
}

// A process that preloads the library and does nothing starts no threads, opens no files and prints nothing.
TEST(preload, is_invisible_in_other_programs) {
  const std::string command = "LD_PRELOAD=" PTXSHIM_PRELOAD_FIRST + library_path() + " /bin/echo unchanged 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char text[256] = {};
  const size_t length = fread(text, 1, sizeof text - 1, pipe);
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(std::string(text, length), "unchanged\n");
}

TEST(preload, exports_the_driver_api_alone) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "hipInit"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "LLVMContextCreate"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "ZSTD_decompress"), nullptr);
}

} // namespace
