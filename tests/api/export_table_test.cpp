// SPDX-License-Identifier: MIT
// What the CUDA runtime library does with the export tables when a program starts.
#include "api_test.h"

#include <ctime>

namespace {

class Initialised : public testing::Environment {
  void SetUp() override { ASSERT_OK(cuInit(0)); }
};
const testing::Environment* const kInitialised = testing::AddGlobalTestEnvironment(new Initialised);

// 6bd5fb6c-5bf4-e74a-8987-d93912fd9df9 and so on, the bytes in order
const void* table(const std::string& uuid) {
  CUuuid id{};
  size_t used = 0;
  for (size_t i = 0; i < uuid.size() && used < 16;) {
    if (uuid[i] == '-') {
      ++i;
      continue;
    }
    id.bytes[used++] = static_cast<char>(std::stoi(uuid.substr(i, 2), nullptr, 16));
    i += 2;
  }
  const void* found = nullptr;
  EXPECT_OK(cuGetExportTable(&found, &id));
  return found;
}

const char kCudart[] = "6bd5fb6c-5bf4-e74a-8987-d93912fd9df9";
const char kHooks[] = "a094798c-2e74-2e74-93f2-0800200c0a66";
const char kLocals[] = "c693336e-1121-df11-a8c3-68f355d89593";
const char kIntegrity[] = "d4082055-bde6-704b-8d34-ba123c66e1f2";

template <class Function> Function slot(const void* in, size_t index) { return reinterpret_cast<Function>(static_cast<void* const*>(in)[index]); }
size_t size_of(const void* in) { return *static_cast<const size_t*>(in); }

TEST(cuGetExportTable, sizes_of_the_mandatory_tables) {
  EXPECT_EQ(size_of(table(kCudart)), 13 * sizeof(void*));
  EXPECT_GE(size_of(table(kHooks)), 7 * sizeof(void*));
  EXPECT_EQ(size_of(table("42d85a81-23f6-cb47-8298-f6e78a3aecdc")), 4 * sizeof(void*));
  EXPECT_EQ(size_of(table("263e8860-7cd2-6143-92f6-bbd5006dfa7e")), 4 * sizeof(void*));
  EXPECT_EQ(size_of(table(kIntegrity)), 3 * sizeof(void*));
}

TEST(cuGetExportTable, refuses_unknown_tables) {
  const CUuuid unknown{};
  const void* found = &unknown;
  EXPECT_EQ(cuGetExportTable(&found, &unknown), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cuGetExportTable(nullptr, &unknown), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetExportTable(&found, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(export_table_cudart, gives_the_primary_context_without_retaining_it) {
  const auto get = slot<CUresult (*)(CUcontext*, CUdevice)>(table(kCudart), 2);
  CUcontext context = nullptr, retained = nullptr;
  ASSERT_OK(get(&context, 0));
  unsigned flags = 0;
  int active = -1;
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_OK(cuCtxSetCurrent(context)); // the runtime's order: current first, then retained
  EXPECT_OK(cuDevicePrimaryCtxRetain(&retained, 0));
  EXPECT_EQ(retained, context);
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuCtxSetCurrent(nullptr));
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(get(&context, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(export_table_hooks, arrays_are_large_and_zero) {
  for (const size_t index : {size_t{2}, size_t{6}}) {
    void* buffer = nullptr;
    size_t entries = 0;
    ASSERT_OK(slot<CUresult (*)(void**, size_t*)>(table(kHooks), index)(&buffer, &entries));
    ASSERT_NE(buffer, nullptr);
    EXPECT_GE(entries, index == 2 ? 523u : 14u);
    for (size_t i = 0; i < entries; ++i) EXPECT_EQ(static_cast<const uint32_t*>(buffer)[i], 0u);
  }
}

int destroyed_value = 0;

TEST(export_table_local_storage, belongs_to_the_context) {
  const void* const locals = table(kLocals);
  const auto put = slot<CUresult (*)(CUcontext, void*, void*, void (*)(CUcontext, void*, void*))>(locals, 0);
  const auto remove = slot<CUresult (*)(CUcontext, void*)>(locals, 1);
  const auto get = slot<CUresult (*)(void**, CUcontext, void*)>(locals, 2);
  int key = 0, first = 1, second = 2;
  void* value = nullptr;
  EXPECT_EQ(get(&value, nullptr, &key), CUDA_ERROR_INVALID_CONTEXT);
  {
    const TestContext context;
    EXPECT_EQ(get(&value, nullptr, &key), CUDA_ERROR_INVALID_HANDLE); // absent
    ASSERT_OK(put(nullptr, &key, &first, [](CUcontext, void*, void* v) { destroyed_value = *static_cast<int*>(v); }));
    for (int i = 0; i < 2; ++i) { // looked up, then remembered
      ASSERT_OK(get(&value, nullptr, &key));
      EXPECT_EQ(value, &first);
    }
    {
      const TestContext other;
      EXPECT_EQ(get(&value, nullptr, &key), CUDA_ERROR_INVALID_HANDLE);
      ASSERT_OK(get(&value, context.handle(), &key));
      EXPECT_EQ(value, &first);
      ASSERT_OK(put(nullptr, &key, &second, nullptr));
      ASSERT_OK(get(&value, nullptr, &key));
      EXPECT_EQ(value, &second);
      ASSERT_OK(remove(nullptr, &key));
      EXPECT_EQ(get(&value, nullptr, &key), CUDA_ERROR_INVALID_HANDLE);
    }
    EXPECT_EQ(destroyed_value, 0);
  }
  EXPECT_EQ(destroyed_value, 1); // with its context
}

TEST(export_table_integrity, fixed_answers_and_a_digest) {
  const auto check = slot<CUresult (*)(uint32_t, uint64_t, uint64_t (*)[2])>(table(kIntegrity), 1);
  uint64_t answer[2] = {};
  ASSERT_OK(check(13000, 1, &answer));
  EXPECT_EQ(answer[0], 0x3341181C03CB675Cu);
  EXPECT_EQ(answer[1], 0x8ED383AA1F4CD1E8u);
  ASSERT_OK(check(13001, 1, &answer));
  EXPECT_EQ(answer[0], 0x1841181C03CB675Cu);
  uint64_t now[2] = {}, later[2] = {}, again[2] = {};
  ASSERT_OK(check(13002, 1000, &now));
  ASSERT_OK(check(13002, 1001, &later));
  ASSERT_OK(check(13002, 1000, &again));
  EXPECT_NE(std::memcmp(now, later, sizeof now), 0);
  EXPECT_EQ(std::memcmp(now, again, sizeof now), 0);
}

} // namespace
