// SPDX-License-Identifier: MIT
// The few PM4 type-3 packets that reach a compute queue inside AQL vendor packets. ACQUIRE_MEM comes after
// every freeze of an executable: memory that held other code may hold new code now.
#include "pm4.h"

#include <cstring>

#include "clock.h"
#include "device.h"

namespace ptxshim::vgpu {

namespace {

enum class Pm4 : uint8_t {
  Nop = 0x10,
  WriteData = 0x37,
  EventWrite = 0x46,
  ReleaseMem = 0x49,
  AcquireMem = 0x58
};

uint64_t address_at(const uint32_t* body) { return body[0] | static_cast<uint64_t>(body[1]) << 32; }

// body: control, address, data...; only memory destinations (DST_SEL 2, 5).
const char* write_data(Device& device, const uint32_t* body, uint32_t count) {
  if (count < 4) return "a PM4 WRITE_DATA that is too short";
  const uint32_t destination = body[0] >> 8 & 0xf;
  if (destination != 2 && destination != 5) return "a PM4 WRITE_DATA to a register";
  std::byte* to = device.map().host(address_at(body + 1), uint64_t{count - 3} * 4, true);
  if (!to) return "a PM4 WRITE_DATA to memory that is not mapped";
  std::memcpy(to, body + 3, size_t{count - 3} * 4);
  return nullptr;
}

// body: event, selects, address, data, interrupt context; DATA_SEL in bits 31:29 of the selects.
const char* release_mem(Device& device, const uint32_t* body, uint32_t count) {
  if (count < 6) return "a PM4 RELEASE_MEM that is too short";
  const uint32_t select = body[1] >> 29;
  if (select == 0) return nullptr;
  const uint64_t value = select == 3 || select == 4 ? device_clock() : address_at(body + 4);
  const size_t size = select == 1 ? 4 : 8;
  std::byte* to = device.map().host(address_at(body + 2), size, true);
  if (!to) return "a PM4 RELEASE_MEM to memory that is not mapped";
  std::memcpy(to, &value, size);
  return nullptr;
}

} // namespace

const char* run_pm4(Device& device, const uint32_t* commands, uint32_t dwords) {
  for (uint32_t at = 0; at < dwords;) {
    const uint32_t header = commands[at];
    if (header >> 30 == 2) { // type 2: filler
      ++at;
      continue;
    }
    if (header >> 30 != 3) return "a PM4 packet that is not of type 3";
    const uint32_t count = (header >> 16 & 0x3fff) + 1;
    if (count > dwords - at - 1) {
      if (static_cast<Pm4>(header >> 8 & 0xff) == Pm4::Nop)
        return nullptr; // a NOP of one dword may count beyond the end
      return "a PM4 packet that is cut off";
    }
    const uint32_t* body = commands + at + 1;
    const char* problem = nullptr;
    switch (header >> 8 & 0xff) {
    case static_cast<uint32_t>(Pm4::Nop):
    case static_cast<uint32_t>(Pm4::EventWrite):
      break;
    case static_cast<uint32_t>(Pm4::AcquireMem):
      device.executor().invalidate_code();
      break;
    case static_cast<uint32_t>(Pm4::WriteData):
      problem = write_data(device, body, count);
      break;
    case static_cast<uint32_t>(Pm4::ReleaseMem):
      problem = release_mem(device, body, count);
      break;
    default:
      problem = "a PM4 packet of an unknown opcode";
      break;
    }
    if (problem) return problem;
    at += count + 1;
  }
  return nullptr;
}

} // namespace ptxshim::vgpu
