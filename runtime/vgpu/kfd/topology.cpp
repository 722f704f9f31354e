// SPDX-License-Identifier: MIT
#include "topology.h"

#include <algorithm>
#include <initializer_list>
#include <sys/sysinfo.h>
#include <utility>

namespace ptxshim::vgpu {

namespace {

constexpr std::string_view kRoot = "/sys/devices/virtual/kfd/kfd/topology";
constexpr std::string_view kAlias = "/sys/class/kfd/kfd/topology";

using Lines = std::initializer_list<std::pair<const char*, uint64_t>>;

std::string properties(Lines lines) {
  std::string text;
  for (const auto& [name, value] : lines)
    text.append(name).append(" ").append(std::to_string(value)).append("\n");
  return text;
}

// Between GPUs the way is over the CPU's bridge, and twice as long.
constexpr uint32_t kLinkWeight = 20, kPeerLinkWeight = 40;
std::string link(uint32_t from, uint32_t to, uint32_t weight) {
  constexpr uint64_t kPcie = 2, kEnabledWithAtomics = 1;
  return properties({{"type", kPcie},
                     {"version_major", 0},
                     {"version_minor", 0},
                     {"node_from", from},
                     {"node_to", to},
                     {"weight", weight},
                     {"min_latency", 0},
                     {"max_latency", 0},
                     {"min_bandwidth", 0},
                     {"max_bandwidth", 0},
                     {"recommended_transfer_size", 0},
                     {"flags", kEnabledWithAtomics}});
}

std::string memory_bank(uint64_t heap_type, uint64_t bytes) {
  return properties({{"heap_type", heap_type},
                     {"size_in_bytes", bytes},
                     {"flags", 0},
                     {"width", 256},
                     {"mem_clk_max", 1000}});
}

constexpr uint64_t kDataOfCpu = 0x5, kDataOfGpu = 0x9;

std::string cache(uint64_t level, uint64_t kib, uint64_t type) {
  return properties({{"processor_id_low", 0},
                     {"level", level},
                     {"size", kib},
                     {"cache_line_size", 64},
                     {"cache_lines_per_tag", 1},
                     {"association", 16},
                     {"latency", 0},
                     {"type", type}}) +
         "sibling_map 1\n";
}

uint64_t total_memory() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? uint64_t{info.totalram} * info.mem_unit : uint64_t{1} << 32;
}

} // namespace

bool Topology::covers(std::string_view path) {
  return path.starts_with("/sys/devices/virtual/kfd") || path.starts_with("/sys/class/kfd");
}

void Topology::add(const std::string& path, std::string text) {
  std::string full = std::string(kRoot) + "/" + path;
  files_[full] = std::move(text);
  for (size_t slash = full.rfind('/'); slash > 0; slash = full.rfind('/')) {
    std::string parent = full.substr(0, slash);
    directories_[parent].insert(full.substr(slash + 1));
    full = std::move(parent);
  }
}

const std::string* Topology::file(std::string_view path) const {
  std::string real(path);
  if (path.starts_with(kAlias)) real = std::string(kRoot).append(path.substr(kAlias.size()));
  const auto at = files_.find(real);
  return at == files_.end() ? nullptr : &at->second;
}

const std::set<std::string>* Topology::directory(std::string_view path) const {
  std::string real(path);
  if (path.starts_with(kAlias)) real = std::string(kRoot).append(path.substr(kAlias.size()));
  while (real.size() > 1 && real.back() == '/')
    real.pop_back();
  const auto at = directories_.find(real);
  return at == directories_.end() ? nullptr : &at->second;
}

Topology::Topology(std::span<const Device::Settings> devices) {
  add("generation_id", "2\n");
  add("system_properties", properties({{"platform_oem", 0}, {"platform_id", 0}, {"platform_rev", 0}}));
  const uint32_t count = static_cast<uint32_t>(devices.size());
  add_cpu_node(count);
  for (uint32_t i = 0; i < count; ++i)
    add_gpu_node(i, devices[i], count);
}

void Topology::add_cpu_node(uint32_t devices) {
  const uint64_t cores = static_cast<uint64_t>(std::max(1, get_nprocs_conf()));
  add("nodes/0/gpu_id", "0\n");
  add("nodes/0/name", "\n");
  add("nodes/0/properties", properties({{"cpu_cores_count", cores},
                                        {"simd_count", 0},
                                        {"mem_banks_count", 1},
                                        {"caches_count", 1},
                                        {"io_links_count", devices},
                                        {"p2p_links_count", 0},
                                        {"cpu_core_id_base", 0},
                                        {"simd_id_base", 0},
                                        {"max_waves_per_simd", 0},
                                        {"lds_size_in_kb", 0},
                                        {"gds_size_in_kb", 0},
                                        {"num_gws", 0},
                                        {"wave_front_size", 0},
                                        {"array_count", 0},
                                        {"simd_arrays_per_engine", 0},
                                        {"cu_per_simd_array", 0},
                                        {"simd_per_cu", 0},
                                        {"max_slots_scratch_cu", 0},
                                        {"gfx_target_version", 0},
                                        {"vendor_id", 0},
                                        {"device_id", 0},
                                        {"location_id", 0},
                                        {"domain", 0},
                                        {"drm_render_minor", 0},
                                        {"hive_id", 0},
                                        {"num_sdma_engines", 0},
                                        {"num_sdma_xgmi_engines", 0},
                                        {"num_sdma_queues_per_engine", 0},
                                        {"num_cp_queues", 0},
                                        {"max_engine_clk_ccompute", 3000}}));
  constexpr uint64_t kSystemHeap = 0;
  add("nodes/0/mem_banks/0/properties", memory_bank(kSystemHeap, total_memory()));
  add("nodes/0/caches/0/properties", cache(1, 32, kDataOfCpu));
  for (uint32_t i = 0; i < devices; ++i)
    add("nodes/0/io_links/" + std::to_string(i) + "/properties", link(0, i + 1, kLinkWeight));
}

void Topology::add_gpu_node(uint32_t device, const Device::Settings& settings, uint32_t devices) {
  const uint32_t number = device + 1;
  const std::string node = "nodes/" + std::to_string(number) + "/";
  const GfxRow& gfx = *settings.gfx;
  constexpr uint64_t kDoorbell64 = 2u << 12, kSramEcc = 1u << 26, kQueueSizePowerOfTwo = 1u << 3;
  const uint64_t capability = kDoorbell64 | kQueueSizePowerOfTwo | (gfx.sram_ecc ? kSramEcc : 0);
  const uint64_t simds = uint64_t{settings.compute_units} * gfx.simds_per_cu;
  add(node + "gpu_id", std::to_string(kFirstGpuId + device) + "\n");
  add(node + "name", std::string(gfx.name) + "\n");
  add(node + "properties", properties({{"cpu_cores_count", 0},
                                        {"simd_count", simds},
                                        {"mem_banks_count", 1},
                                        {"caches_count", 2},
                                        {"io_links_count", 1},
                                        {"p2p_links_count", devices - 1},
                                        {"cpu_core_id_base", 0},
                                        {"simd_id_base", 0x80000000},
                                        {"max_waves_per_simd", gfx.waves_per_simd},
                                        {"lds_size_in_kb", gfx.lds_kib},
                                        {"gds_size_in_kb", 0},
                                        {"num_gws", 64},
                                        {"wave_front_size", gfx.wave_size},
                                        {"array_count", 1},
                                        {"simd_arrays_per_engine", 1},
                                        {"cu_per_simd_array", settings.compute_units},
                                        {"simd_per_cu", gfx.simds_per_cu},
                                        {"max_slots_scratch_cu", 32},
                                        {"gfx_target_version", gfx.version},
                                        {"vendor_id", 0x1002},
                                        {"device_id", gfx.device_id},
                                        {"location_id", number << 8}, // bus, device, function
                                        {"domain", 0},
                                        {"drm_render_minor", kFirstRenderMinor + device},
                                        {"hive_id", 0},
                                        {"num_sdma_engines", 2},
                                        {"num_sdma_xgmi_engines", 0},
                                        {"num_sdma_queues_per_engine", 8},
                                        {"num_cp_queues", 24},
                                        {"max_engine_clk_fcompute", 1000},
                                        {"local_mem_size", 0},
                                        {"fw_version", 100},
                                        {"capability", capability},
                                        {"debug_prop", 0},
                                        {"sdma_fw_version", 100},
                                        {"unique_id", 0x7074787368696d + uint64_t{device}},
                                        {"num_xcc", 1},
                                        {"max_engine_clk_ccompute", 1000}}));
  constexpr uint64_t kVisibleVramHeap = 1;
  add(node + "mem_banks/0/properties", memory_bank(kVisibleVramHeap, settings.vram_bytes));
  add(node + "caches/0/properties", cache(1, 16, kDataOfGpu));
  add(node + "caches/1/properties", cache(2, 4096, kDataOfGpu));
  add(node + "io_links/0/properties", link(number, 0, kLinkWeight));
  for (uint32_t other = 1, at = 0; other <= devices; ++other)
    if (other != number)
      add(node + "p2p_links/" + std::to_string(at++) + "/properties", link(number, other, kPeerLinkWeight));
}

} // namespace ptxshim::vgpu
