// SPDX-License-Identifier: MIT
#include "loader.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <sys/mman.h>

#include "ptxshim/config.h"

namespace ptxshim::vgpu {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostBytes = 1ULL << 40;
constexpr size_t kMostArgumentBytes = 1 << 20;

template <class T> void put(std::vector<std::byte>& bytes, size_t offset, T value) {
  if (offset + sizeof value <= bytes.size()) std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// One hidden argument; kinds that are not known here stay zero.
void put_hidden(std::vector<std::byte>& segment, const KernelArgument& argument, const Launch& launch,
                const DeviceProperties& device, uint64_t queue) {
  uint64_t value = 0;
  const std::string& kind = argument.kind;
  auto axis = [&] { return static_cast<unsigned>(kind.back() - 'x') % 3; };
  if (kind.compare(0, 19, "hidden_block_count_") == 0) value = launch.blocks[axis()];
  if (kind.compare(0, 18, "hidden_group_size_") == 0) value = launch.threads[axis()];
  if (kind == "hidden_grid_dims") value = launch.blocks[2] * launch.threads[2] > 1 ? 3 : launch.blocks[1] * launch.threads[1] > 1 ? 2 : 1;
  if (kind == "hidden_dynamic_lds_size") value = launch.dynamic_shared;
  if (kind == "hidden_private_base") value = device.scratch_aperture >> 32;
  if (kind == "hidden_shared_base") value = device.lds_aperture >> 32;
  if (kind == "hidden_queue_ptr") value = queue;
  for (unsigned i = 0; i < argument.size && i < 8 && argument.offset + i < segment.size(); ++i)
    segment[argument.offset + i] = static_cast<std::byte>(value >> (8 * i));
}

} // namespace

DirectMemory::~DirectMemory() {
  for (const auto& [address, block] : blocks_) munmap(reinterpret_cast<void*>(address), block.mapped);
}

uint64_t DirectMemory::allocate(uint64_t size) {
  if (size == 0) size = 1;
  if (size > kMostBytes) return 0;
  const uint64_t mapped = (size + kPage - 1) / kPage * kPage + kPage;
  void* const at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return 0;
  const uint64_t address = reinterpret_cast<uint64_t>(at);
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  blocks_[address] = {size, mapped, {}};
  return address;
}

void DirectMemory::release(uint64_t address) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return;
  munmap(reinterpret_cast<void*>(address), found->second.mapped);
  read_only_.erase(read_only_.lower_bound(address), read_only_.lower_bound(address + found->second.size));
  blocks_.erase(found);
  changed();
}

void DirectMemory::make_read_only(uint64_t address, uint64_t size) {
  if (size == 0) return;
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  read_only_[address] = address + size;
  changed();
}

MemoryRange DirectMemory::find(uint64_t gpu_address) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto next = blocks_.upper_bound(gpu_address);
  if (next == blocks_.begin() || gpu_address - std::prev(next)->first >= std::prev(next)->second.size) return {gpu_address, 1, nullptr, false};
  uint64_t begin = std::prev(next)->first, end = begin + std::prev(next)->second.size;
  bool writable = true;
  const auto after = read_only_.upper_bound(gpu_address);
  if (after != read_only_.end()) end = std::min(end, after->first);
  if (after != read_only_.begin()) {
    const auto& [from, to] = *std::prev(after);
    writable = gpu_address >= to;
    begin = std::max(begin, writable ? to : from);
    if (!writable) end = std::min(end, to);
  }
  return {begin, end - begin, reinterpret_cast<std::byte*>(begin), writable};
}

void DirectMemory::keep_file(uint64_t address, std::span<const std::byte> file) {
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  if (found != blocks_.end()) found->second.file.assign(file.begin(), file.end());
}

LoadedFile DirectMemory::loaded_file(uint64_t gpu_address) const {
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  const auto next = blocks_.upper_bound(gpu_address);
  if (next == blocks_.begin()) return {};
  const auto& [address, block] = *std::prev(next);
  return gpu_address - address < block.size ? LoadedFile{block.file, address} : LoadedFile{};
}

DirectDevice::DirectDevice(const std::string& target, uint32_t host_threads) {
  properties_.gfx = target;
  properties_.host_threads = host_threads;
  properties_.compute_units = static_cast<uint32_t>(std::min<uint64_t>(config().virtual_gpu_cus, UINT32_MAX));
  executor_ = make_executor(properties_, memory_);
  queue_ = memory_.allocate(kPage);
}

namespace {

// Empty: a grid that a packet can say.
std::string refusal(const LoadedKernel& kernel, const Launch& launch) {
  uint64_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (launch.threads[i] == 0 || launch.threads[i] > 1024 || (items *= launch.threads[i]) > 1024) return "a work group has 1 to 1024 work-items";
    if (uint64_t{launch.blocks[i]} * launch.threads[i] > UINT32_MAX) return "the grid has more than 2^32 - 1 work-items in a dimension";
  }
  if (uint64_t{kernel.group_bytes} + launch.dynamic_shared > UINT32_MAX) return "there is not that much LDS";
  return kernel.kernarg_bytes > kMostArgumentBytes ? "the kernel wants more than 1 MiB of arguments" : "";
}

} // namespace

DispatchOutcome DirectDevice::launch(const LoadedKernel& kernel, const Launch& launch) {
  DispatchOutcome outcome;
  if (std::string why = refusal(kernel, launch); !why.empty()) {
    outcome.fault = Fault::BadCodeObject;
    outcome.report = "kernel " + kernel.name + ": " + why;
    return outcome;
  }
  std::vector<std::byte> segment = launch.arguments;
  if (segment.size() < kernel.kernarg_bytes) segment.resize(kernel.kernarg_bytes);
  for (const KernelArgument& argument : kernel.arguments)
    if (argument.hidden()) put_hidden(segment, argument, launch, properties_, queue_);
  const uint64_t kernarg = memory_.allocate(segment.size() + 64), packet_address = memory_.allocate(64);
  if (!kernarg || !packet_address) {
    outcome.fault = Fault::PageFault;
    outcome.report = "no memory for the kernel's arguments";
    return outcome;
  }
  if (!segment.empty()) std::memcpy(memory_.host(kernarg), segment.data(), segment.size());
  DispatchPacket packet{};
  for (unsigned i = 0; i < 3; ++i) {
    packet.workgroup_size[i] = static_cast<uint16_t>(launch.threads[i]);
    packet.grid_size[i] = launch.blocks[i] * launch.threads[i];
  }
  packet.private_segment_size = kernel.private_bytes;
  packet.group_segment_size = kernel.group_bytes + launch.dynamic_shared;
  packet.kernel_object = kernel.descriptor;
  packet.kernarg_address = kernarg;
  packet.packet_address = packet_address;
  packet.queue_address = queue_;
  std::vector<std::byte> aql(64); // what a dispatch pointer shows
  put<uint16_t>(aql, 0, 2);
  put<uint16_t>(aql, 2, 3);
  for (unsigned i = 0; i < 3; ++i) {
    put(aql, 4 + 2 * i, packet.workgroup_size[i]);
    put(aql, 12 + 4 * i, packet.grid_size[i]);
  }
  put(aql, 24, packet.private_segment_size);
  put(aql, 28, packet.group_segment_size);
  put(aql, 32, packet.kernel_object);
  put(aql, 40, packet.kernarg_address);
  std::memcpy(memory_.host(packet_address), aql.data(), aql.size());
  outcome = executor_->execute(packet);
  memory_.release(kernarg);
  memory_.release(packet_address);
  return outcome;
}

} // namespace ptxshim::vgpu
