// SPDX-License-Identifier: MIT
// What stands behind the handles. Each object knows the context it belongs to; destroying a context destroys what belongs to it.
#pragma once

#ifndef PTXSHIM_CUDA_ABI_TYPES_ONLY
#define PTXSHIM_CUDA_ABI_TYPES_ONLY
#endif

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "../hip/hip.h"
#include "handles.h"
#include "ptxshim/code_object.h"
#include "ptxshim/cuda_abi.h"
#include "ptxshim/image.h"

namespace ptxshim::api {

struct Capture;
struct Context;
struct GraphNode;
struct Pool;

inline constexpr size_t kMaxDevices = 64;
inline constexpr size_t kLimits = CU_LIMIT_MAX;

struct Device {
  int ordinal = 0;
  uint32_t virtual_number = 0; // for the virtual GPU's library
  std::string gfx;
  std::string name;
  CUuuid uuid{};
  Context* primary = nullptr; // its handle exists from cuInit on; it is active while retained
  unsigned retained = 0;
  Pool* default_pool = nullptr;
  Pool* current_pool = nullptr;
};

// A value that a library attached to a context (cudart/context_local.cpp).
struct LocalValue {
  void* value = nullptr;
  void (*destructor)(CUcontext context, void* key, void* value) = nullptr;
};

struct Context {
  Device* device = nullptr;
  bool primary = false;
  std::atomic<bool> active{false};     // a primary context that nobody retains is not
  std::atomic<int> sticky{0};          // CUresult of a fault; every later call gets it
  std::atomic<unsigned> flags{0};
  uint64_t id = 0;
  CUfunc_cache cache_config = CU_FUNC_CACHE_PREFER_NONE;
  CUsharedconfig shared_config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  size_t limits[kLimits] = {};
  std::mutex peers_mutex;
  std::vector<Context*> peers;         // contexts whose memory this one may access
  std::mutex locals_mutex;
  std::map<void*, LocalValue> locals;  // context-local storage
};

struct Stream {
  Context* context = nullptr;
  hip::Stream hip = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::shared_ptr<Capture> capture; // while its operations are recorded (graph.h)
  std::vector<GraphNode*> tails;    // the nodes that the next one comes after
};

struct Event {
  Context* context = nullptr;
  hip::Event hip = nullptr;
  unsigned flags = 0;
  std::atomic<bool> recorded{false};
  std::shared_ptr<Capture> capture; // when last recorded in a capturing stream
  std::vector<GraphNode*> captured; // its nodes then
};

struct Module;

// A kernel in a module, ready for launching.
struct Function {
  Module* module = nullptr;
  const KernelInfo* info = nullptr;
  hip::Function hip = nullptr;
  std::atomic<int> max_dynamic_shared{0};
  std::atomic<int> carveout{-1};
  std::atomic<int> cluster_policy{0};
  std::atomic<int> cluster_dims[3] = {0, 0, 0};
  std::atomic<int> non_portable_cluster{0};
};

struct Module {
  Context* context = nullptr;
  bool of_library = false; // unloaded with its library only
  std::shared_ptr<const CodeObject> code;
  hip::Module hip = nullptr;
  std::mutex mutex;
  std::unordered_map<std::string, Function*> functions; // made when first asked for
};

struct Library;

struct Kernel {
  Library* library = nullptr;
  const KernelInfo* info = nullptr;
  std::atomic<Function*> last{nullptr}; // the function for the context that used it last
  std::atomic<int> max_dynamic_shared{-1};
  std::atomic<int> carveout{-1};
};

struct Library {
  std::vector<PtxImage> images;
  TranslateRequest options;             // its JIT options, without modules and target
  std::shared_ptr<const CodeObject> code; // for device 0; others are made when used
  std::mutex mutex;
  std::unordered_map<Context*, Module*> modules;
  std::unordered_map<std::string, Kernel*> kernels;
};

struct LinkState {
  Context* context = nullptr;
  struct Jit* jit = nullptr; // owned (jit_options.h); its log buffers are filled by every call
  std::vector<PtxImage> modules;
  std::vector<std::byte> image; // of cuLinkComplete, valid until cuLinkDestroy
  bool complete = false;
  ~LinkState();
};

struct FreedBlock {
  void* address = nullptr;
  size_t bytes = 0;
  hip::Stream stream = nullptr; // work there may still use it ...
  hip::Event done = nullptr;    // ... until this has happened
};

struct Pool {
  Device* device = nullptr;
  bool is_default = false;
  std::mutex mutex;
  std::multimap<size_t, FreedBlock> freed; // by size
  uint64_t release_threshold = 0;
  size_t reserved = 0, reserved_high = 0, used = 0, used_high = 0;
  int reuse_follow_events = 1, reuse_opportunistic = 1, reuse_internal = 1;
  CUmemPoolProps properties{};
};

extern constinit HandleTable<Context, CUcontext, 1 << 12> contexts;
extern constinit HandleTable<Stream, CUstream, 1 << 18> streams;
extern constinit HandleTable<Event, CUevent, 1 << 22> events;
extern constinit HandleTable<Module, CUmodule, 1 << 18> modules;
extern constinit HandleTable<Function, CUfunction, 1 << 21> functions;
extern constinit HandleTable<Library, CUlibrary, 1 << 18> libraries;
extern constinit HandleTable<Kernel, CUkernel, 1 << 21> kernels;
extern constinit HandleTable<LinkState, CUlinkState, 1 << 14> link_states;
extern constinit HandleTable<Pool, CUmemoryPool, 1 << 14> pools;

} // namespace ptxshim::api
