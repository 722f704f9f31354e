// SPDX-License-Identifier: MIT
// The direct loader: AMD code objects on the executor without HIP. For ptxshim-run and for tests, which can run any target
// this way, also those that the installed HIP does not know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "device/dispatch.h"
#include "ptxshim/result.h"

namespace ptxshim::vgpu {

// Host memory as device memory: an address is the same on both sides.
class DirectMemory final : public MemoryMap {
public:
  DirectMemory() = default;
  ~DirectMemory() override;
  DirectMemory(const DirectMemory&) = delete;
  DirectMemory& operator=(const DirectMemory&) = delete;

  // Zeroed, page-aligned, with an unmapped page after it; 0 when there is no memory.
  uint64_t allocate(uint64_t size);
  void release(uint64_t address);
  // Part of a block, for kernels; the host still writes.
  void make_read_only(uint64_t address, uint64_t size);
  std::byte* host(uint64_t address) const { return reinterpret_cast<std::byte*>(address); }

  MemoryRange find(uint64_t gpu_address) const override;
  LoadedFile loaded_file(uint64_t gpu_address) const override;
  void keep_file(uint64_t address, std::span<const std::byte> file); // what was loaded into the block

private:
  struct Block {
    uint64_t size = 0, mapped = 0;
    std::vector<std::byte> file{};
  };
  alignas(64) mutable std::shared_mutex mutex_;
  std::map<uint64_t, Block> blocks_;
  std::map<uint64_t, uint64_t> read_only_; // begin -> end, disjoint
};

struct KernelArgument {
  uint32_t offset = 0, size = 0;
  std::string kind; // "by_value", "global_buffer", "hidden_block_count_x" ...
  std::string name; // empty: the metadata has none
  bool hidden() const { return kind.compare(0, 7, "hidden_") == 0; }
};

struct LoadedKernel {
  std::string name;
  uint64_t descriptor = 0; // device address
  uint32_t kernarg_bytes = 0, group_bytes = 0, private_bytes = 0;
  std::vector<KernelArgument> arguments; // empty when the code object has no metadata
};

struct LoadedSymbol {
  uint64_t address = 0, size = 0;
};

struct LoadedObject {
  std::string target; // from the ELF header
  uint64_t base = 0;
  std::vector<LoadedKernel> kernels;
  std::map<std::string, LoadedSymbol> variables;
  const LoadedKernel* find_kernel(const std::string& name) const {
    for (const LoadedKernel& kernel : kernels)
      if (kernel.name == name) return &kernel;
    return nullptr;
  }
};

// Places the segments, applies the relocations, reads the metadata. Every field of the ELF is checked.
Result<LoadedObject> load_code_object(DirectMemory& memory, std::span<const std::byte> elf);
// The target that the ELF header names.
Result<std::string> code_object_target(std::span<const std::byte> elf);

struct Launch {
  uint32_t blocks[3] = {1, 1, 1};
  uint32_t threads[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  // Explicit arguments as they lie in the kernel's argument segment; hidden ones are filled in from the metadata.
  std::vector<std::byte> arguments;
};

// An executor with its memory and what a launch needs besides.
class DirectDevice {
public:
  explicit DirectDevice(const std::string& target, uint32_t host_threads = 0);
  DirectMemory& memory() { return memory_; }
  const DirectMemory& memory() const { return memory_; }
  Executor& executor() { return *executor_; }
  Result<LoadedObject> load(std::span<const std::byte> elf) { return load_code_object(memory_, elf); }
  DispatchOutcome launch(const LoadedKernel& kernel, const Launch& launch);

private:
  DirectMemory memory_;
  DeviceProperties properties_;
  std::unique_ptr<Executor> executor_;
  uint64_t queue_ = 0; // a block that queue pointers can name
};

} // namespace ptxshim::vgpu
