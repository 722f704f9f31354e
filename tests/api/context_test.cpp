// SPDX-License-Identifier: MIT
#include "api_test.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

class Initialised : public testing::Environment {
  void SetUp() override { ASSERT_OK(cuInit(0)); }
};
const testing::Environment* const kInitialised = testing::AddGlobalTestEnvironment(new Initialised);

CUcontext current() {
  CUcontext context = bad_handle<CUcontext>();
  EXPECT_OK(cuCtxGetCurrent(&context));
  return context;
}

TEST(cuCtxCreate_v2, makes_the_context_current) {
  EXPECT_EQ(current(), nullptr);
  CUcontext context = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
  EXPECT_EQ(current(), context);
  EXPECT_OK(cuCtxDestroy_v2(context));
  EXPECT_EQ(current(), nullptr);
}

TEST(cuCtxCreate_v2, refuses_bad_arguments) {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxCreate_v2(nullptr, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&context, 0x100, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&context, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v2(&context, 0, 99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuCtxDestroy_v2, a_destroyed_context_is_no_handle_any_more) {
  CUcontext context = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
  ASSERT_OK(cuCtxDestroy_v2(context));
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPushCurrent_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy_v2(bad_handle<CUcontext>()), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxDestroy_v2, destroys_what_belongs_to_it) {
  CUcontext context = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr address = 0;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  ASSERT_OK(cuEventCreate(&event, 0));
  ASSERT_OK(cuMemAlloc_v2(&address, 1024));
  ASSERT_OK(cuCtxDestroy_v2(context));
  const TestContext other;
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxDestroy_v2, another_thread_is_told) {
  CUcontext context = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
  std::thread([context] { EXPECT_OK(cuCtxDestroy_v2(context)); }).join();
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_OK(cuCtxSetCurrent(nullptr));
}

TEST(cuCtxPushCurrent_v2, contexts_form_a_stack) {
  CUcontext a = nullptr, b = nullptr, popped = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&a, 0, 0));
  ASSERT_OK(cuCtxCreate_v2(&b, 0, 0));
  EXPECT_EQ(current(), b);
  EXPECT_OK(cuCtxPushCurrent_v2(a));
  EXPECT_OK(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, a);
  EXPECT_EQ(current(), b);
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_EQ(current(), a);
  EXPECT_OK(cuCtxSetCurrent(b)); // replaces the top
  EXPECT_EQ(current(), b);
  EXPECT_OK(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxDestroy_v2(a));
  EXPECT_OK(cuCtxDestroy_v2(b));
}

TEST(cuCtxSetCurrent, belongs_to_the_thread) {
  const TestContext context;
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_OK(cuCtxSetCurrent(context.handle()));
    EXPECT_OK(cuMemAlloc_v2(&address, 4));
    EXPECT_OK(cuMemFree_v2(address));
  }).join();
}

TEST(cuCtxGetDevice, is_that_of_the_context) {
  CUdevice device = -1;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_OK(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cuCtxGetDevice_v2(&device, context.handle()));
  EXPECT_EQ(cuCtxGetDevice_v2(&device, bad_handle<CUcontext>()), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxGetDevice(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetFlags, are_those_it_was_created_with) {
  CUcontext context = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, CU_CTX_SCHED_BLOCKING_SYNC, 0));
  unsigned flags = 0;
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, static_cast<unsigned>(CU_CTX_SCHED_BLOCKING_SYNC));
  EXPECT_OK(cuCtxDestroy_v2(context));
}

TEST(cuCtxSetLimit, is_kept) {
  const TestContext context;
  size_t value = 0;
  EXPECT_OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 3 << 20));
  EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
  EXPECT_EQ(value, size_t{3} << 20);
  EXPECT_OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(value, 1024u);
  EXPECT_EQ(cuCtxGetLimit(&value, no_such<CUlimit>(99)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxSetCacheConfig, is_kept) {
  const TestContext context;
  CUfunc_cache config{};
  EXPECT_OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  EXPECT_OK(cuCtxGetCacheConfig(&config));
  EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_L1);
  EXPECT_EQ(cuCtxSetCacheConfig(no_such<CUfunc_cache>(7)), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetStreamPriorityRange, lower_numbers_are_greater_priorities) {
  const TestContext context;
  int least = -99, greatest = 99;
  EXPECT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_LE(greatest, least);
  EXPECT_OK(cuCtxGetStreamPriorityRange(nullptr, nullptr));
}

TEST(cuCtxGetId, differs_between_contexts) {
  const TestContext a, b;
  unsigned long long first = 0, second = 0;
  EXPECT_OK(cuCtxGetId(a.handle(), &first));
  EXPECT_OK(cuCtxGetId(b.handle(), &second));
  EXPECT_NE(first, second);
}

TEST(cuCtxSynchronize, waits_for_any_context) {
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_OK(cuCtxSynchronize_v2(context.handle()));
  EXPECT_OK(cuCtxSynchronize_v2(nullptr));
  EXPECT_EQ(cuCtxSynchronize_v2(bad_handle<CUcontext>()), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxEnablePeerAccess, within_a_device) {
  const TestContext a, b; // b is current
  EXPECT_EQ(cuCtxEnablePeerAccess(b.handle(), 0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxEnablePeerAccess(a.handle(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxDisablePeerAccess(a.handle()), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_OK(cuCtxEnablePeerAccess(a.handle(), 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(a.handle(), 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_OK(cuCtxDisablePeerAccess(a.handle()));
}

int active() {
  unsigned flags = 0;
  int value = -1;
  EXPECT_OK(cuDevicePrimaryCtxGetState(0, &flags, &value));
  return value;
}

TEST(cuDevicePrimaryCtxRetain, counts) {
  EXPECT_EQ(active(), 0);
  CUcontext first = nullptr, second = nullptr;
  ASSERT_OK(cuDevicePrimaryCtxRetain(&first, 0));
  ASSERT_OK(cuDevicePrimaryCtxRetain(&second, 0));
  EXPECT_EQ(first, second);
  EXPECT_EQ(current(), nullptr); // retaining does not make it current
  EXPECT_EQ(active(), 1);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(active(), 1);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&first, 99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

// The CUDA runtime makes the primary context current and retains it afterwards.
TEST(cuDevicePrimaryCtxRetain, may_follow_cuCtxSetCurrent) {
  CUcontext context = nullptr, again = nullptr;
  ASSERT_OK(cuDevicePrimaryCtxRetain(&context, 0));
  ASSERT_OK(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_OK(cuCtxSetCurrent(context));
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  ASSERT_OK(cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(again, context);
  EXPECT_OK(cuMemAlloc_v2(&address, 4));
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT); // never by this
  EXPECT_OK(cuCtxSetCurrent(nullptr));
}

// A child cannot use its parent's device, and must not hang or crash trying.
TEST(fork, the_child_is_not_initialised) {
  const TestContext context;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int count = 0;
    CUdeviceptr address = 0;
    const bool refused = cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
                         cuMemAlloc_v2(&address, 4) == CUDA_ERROR_NOT_INITIALIZED && cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_OK(cuCtxSynchronize()); // the parent goes on
}

TEST(cuCtxGetCurrent, is_null_without_a_context) {
  CUcontext context = bad_handle<CUcontext>();
  EXPECT_OK(cuCtxGetCurrent(&context));
  EXPECT_EQ(context, nullptr);
  const TestContext own;
  EXPECT_OK(cuCtxGetCurrent(&context));
  EXPECT_EQ(context, own.handle());
  EXPECT_EQ(cuCtxGetCurrent(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxPopCurrent_v2, a_popped_context_lives_on) {
  CUcontext popped = nullptr;
  EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext context = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
  ASSERT_OK(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, context);
  EXPECT_EQ(current(), nullptr);
  std::thread([context] { // another thread may take it
    EXPECT_OK(cuCtxPushCurrent_v2(context));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  })
      .join();
  EXPECT_OK(cuCtxDestroy_v2(context));
}

// CUDA Driver API, cuCtxAttach: the flags must be 0, the current context is returned; a detach takes the use back.
TEST(cuCtxAttach, gives_the_current_context) {
  CUcontext attached = nullptr;
  EXPECT_EQ(cuCtxAttach(&attached, 0), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_EQ(cuCtxAttach(&attached, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxAttach(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuCtxAttach(&attached, 0));
  EXPECT_EQ(attached, context.handle());
  EXPECT_OK(cuCtxDetach(attached));
  EXPECT_OK(cuCtxSynchronize());
}

TEST(cuCtxDetach, takes_only_the_current_context) {
  const TestContext a, b; // b is current
  CUcontext attached = nullptr;
  ASSERT_OK(cuCtxAttach(&attached, 0));
  EXPECT_EQ(cuCtxDetach(a.handle()), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDetach(bad_handle<CUcontext>()), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxDetach(attached));
}

TEST(cuCtxDisablePeerAccess, undoes_one_direction) {
  const TestContext a, b;
  ASSERT_OK(cuCtxEnablePeerAccess(a.handle(), 0));
  EXPECT_OK(cuCtxDisablePeerAccess(a.handle()));
  EXPECT_EQ(cuCtxDisablePeerAccess(a.handle()), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_EQ(cuCtxDisablePeerAccess(bad_handle<CUcontext>()), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_OK(cuCtxEnablePeerAccess(a.handle(), 0)); // and it may be enabled again
}

TEST(cuCtxGetApiVersion, needs_a_context) {
  unsigned version = 0;
  EXPECT_EQ(cuCtxGetApiVersion(nullptr, &version), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_OK(cuCtxGetApiVersion(context.handle(), &version));
  EXPECT_GE(version, 3020u); // contexts of cuCtxCreate_v2, which came with CUDA 3.2
  unsigned of_current = 0;
  EXPECT_OK(cuCtxGetApiVersion(nullptr, &of_current));
  EXPECT_EQ(of_current, version);
  EXPECT_EQ(cuCtxGetApiVersion(context.handle(), nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxGetApiVersion(bad_handle<CUcontext>(), &version), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(cuCtxGetCacheConfig, has_no_preference_at_first) {
  const TestContext context;
  CUfunc_cache config = CU_FUNC_CACHE_PREFER_L1;
  EXPECT_OK(cuCtxGetCacheConfig(&config));
  EXPECT_EQ(config, CU_FUNC_CACHE_PREFER_NONE);
  EXPECT_EQ(cuCtxGetCacheConfig(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetLimit, every_limit_that_can_be_read_is_positive) {
  const TestContext context;
  for (const CUlimit limit : {CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE}) {
    size_t value = 0;
    EXPECT_OK(cuCtxGetLimit(&value, limit));
    EXPECT_GT(value, 0u) << limit;
  }
  EXPECT_EQ(cuCtxGetLimit(nullptr, CU_LIMIT_PRINTF_FIFO_SIZE), CUDA_ERROR_INVALID_VALUE);
}

// The banks of AMD's local memory are four bytes wide and cannot be changed; CUDA's call succeeds on such devices without an effect.
TEST(cuCtxSetSharedMemConfig, changes_nothing) {
  const TestContext context;
  CUsharedconfig before{}, after{};
  ASSERT_OK(cuCtxGetSharedMemConfig(&before));
  EXPECT_OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  ASSERT_OK(cuCtxGetSharedMemConfig(&after));
  EXPECT_EQ(after, before);
  EXPECT_EQ(cuCtxSetSharedMemConfig(no_such<CUsharedconfig>(3)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetSharedMemConfig(no_such<CUsharedconfig>(-1)), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxGetSharedMemConfig, banks_have_four_bytes) {
  const TestContext context;
  CUsharedconfig config{};
  EXPECT_OK(cuCtxGetSharedMemConfig(&config));
  EXPECT_EQ(config, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  EXPECT_EQ(cuCtxGetSharedMemConfig(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuCtxResetPersistingL2Cache, needs_a_context) {
  EXPECT_EQ(cuCtxResetPersistingL2Cache(), CUDA_ERROR_INVALID_CONTEXT);
  const TestContext context;
  EXPECT_OK(cuCtxResetPersistingL2Cache());
}

TEST(cuCtxSetFlags, are_kept) {
  const TestContext context;
  unsigned flags = 0;
  EXPECT_OK(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags & CU_CTX_SCHED_MASK, unsigned{CU_CTX_SCHED_YIELD});
  EXPECT_EQ(cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetFlags(0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags & CU_CTX_SCHED_MASK, unsigned{CU_CTX_SCHED_YIELD});
}

TEST(cuDevicePrimaryCtxGetState, refuses_bad_arguments) {
  unsigned flags = 0;
  int value = 0;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(99, &flags, &value), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, nullptr, &value), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDevicePrimaryCtxSetFlags_v2, are_seen_in_the_state) {
  unsigned flags = 0;
  int value = 0;
  ASSERT_OK(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_BLOCKING_SYNC));
  ASSERT_OK(cuDevicePrimaryCtxGetState(0, &flags, &value));
  EXPECT_EQ(flags & CU_CTX_SCHED_MASK, unsigned{CU_CTX_SCHED_BLOCKING_SYNC});
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevicePrimaryCtxSetFlags_v2(99, 0), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_AUTO));
}

TEST(cuDevicePrimaryCtxRelease_v2, needs_a_retain) {
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(99), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDevicePrimaryCtxReset_v2, frees_what_was_allocated) {
  CUcontext context = nullptr;
  ASSERT_OK(cuDevicePrimaryCtxRetain(&context, 0));
  ASSERT_OK(cuCtxSetCurrent(context));
  CUdeviceptr address = 0;
  ASSERT_OK(cuMemAlloc_v2(&address, 4096));
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(active(), 0);
  CUdeviceptr base = 0;
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, nullptr, address), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(99), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(cuCtxSetCurrent(nullptr));
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
}

} // namespace
