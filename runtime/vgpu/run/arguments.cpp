// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ptxshim::vgpu {
namespace {

Error usage(const std::string& what) { return Error{CUDA_ERROR_INVALID_VALUE, what}; }

size_t size_of(const std::string& type) {
  if (type == "u8" || type == "i8") return 1;
  if (type == "u16" || type == "i16") return 2;
  if (type == "u32" || type == "i32" || type == "f32") return 4;
  if (type == "u64" || type == "i64" || type == "f64") return 8;
  return 0;
}

bool append_value(const std::string& type, const std::string& text, std::vector<std::byte>& out) {
  char* end = nullptr;
  uint64_t bits = 0;
  if (type[0] == 'f') {
    const double value = std::strtod(text.c_str(), &end);
    if (type == "f32") {
      const float narrow = std::strtof(text.c_str(), &end);
      std::memcpy(&bits, &narrow, 4);
    } else {
      std::memcpy(&bits, &value, 8);
    }
  } else {
    bits = text[0] == '-' ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0)) : std::strtoull(text.c_str(), &end, 0);
  }
  if (text.empty() || *end != '\0') return false;
  const std::byte* const bytes = reinterpret_cast<const std::byte*>(&bits);
  out.insert(out.end(), bytes, bytes + size_of(type));
  return true;
}

} // namespace

Result<CommandArgument> parse_argument(const std::string& text) {
  CommandArgument argument;
  const size_t colon = text.find(':');
  const std::string head = text.substr(0, colon);
  if (colon == std::string::npos) return usage("argument without a type: " + text);
  std::string rest = text.substr(colon + 1);
  if (head != "buf" && head != "out") {
    argument.type = head;
    if (!size_of(head)) return usage("unknown type in " + text);
    if (!append_value(head, rest, argument.bytes)) return usage("no value of its type: " + text);
    return argument;
  }
  argument.buffer = true;
  const size_t second = rest.find(':');
  argument.type = rest.substr(0, second);
  if (second == std::string::npos || !size_of(argument.type)) return usage("unknown element type in " + text);
  rest = rest.substr(second + 1);
  if (head == "out") {
    char* end = nullptr;
    const unsigned long long count = std::strtoull(rest.c_str(), &end, 0);
    if (rest.empty() || *end || count > (1ULL << 32)) return usage("no element count: " + text);
    argument.bytes.resize(count * size_of(argument.type));
    return argument;
  }
  for (size_t begin = 0; begin <= rest.size();) {
    size_t end = rest.find(',', begin);
    if (end == std::string::npos) end = rest.size();
    if (!append_value(argument.type, rest.substr(begin, end - begin), argument.bytes)) return usage("bad element in " + text);
    begin = end + 1;
  }
  return argument;
}

Result<std::vector<std::byte>> place_arguments(std::vector<CommandArgument>& arguments, const LoadedKernel& kernel,
                                               DirectMemory& memory) {
  std::vector<KernelArgument> slots;
  for (const KernelArgument& slot : kernel.arguments)
    if (!slot.hidden()) slots.push_back(slot);
  // Kernels from PTX have one block of parameters: their arguments lie in it at their natural alignment.
  const bool one_block = slots.size() == 1 && slots[0].kind == "by_value" && arguments.size() > 1;
  if (one_block) slots.clear();
  if (!one_block && !kernel.arguments.empty() && slots.size() != arguments.size())
    return usage("the kernel takes " + std::to_string(slots.size()) + " arguments, not " + std::to_string(arguments.size()));
  std::vector<std::byte> segment;
  for (size_t i = 0; i < arguments.size(); ++i) {
    CommandArgument& argument = arguments[i];
    std::vector<std::byte> value = argument.bytes;
    if (argument.buffer) {
      argument.address = memory.allocate(argument.bytes.size());
      if (!argument.address) return usage("no memory for a buffer");
      if (!argument.bytes.empty()) std::memcpy(memory.host(argument.address), argument.bytes.data(), argument.bytes.size());
      value.resize(8);
      std::memcpy(value.data(), &argument.address, 8);
    }
    size_t offset = (segment.size() + value.size() - 1) / value.size() * value.size();
    if (i < slots.size()) {
      offset = slots[i].offset;
      if (value.size() > slots[i].size) return usage("argument " + std::to_string(i) + " is too wide");
      if (offset > 65536) return usage("the kernel's metadata places an argument beyond 64 KiB");
    }
    if (segment.size() < offset + value.size()) segment.resize(offset + value.size());
    std::memcpy(segment.data() + offset, value.data(), value.size());
  }
  return segment;
}

std::string print_elements(const std::string& type, const std::byte* bytes, size_t size) {
  std::string text;
  const size_t step = size_of(type);
  for (size_t at = 0; step && at + step <= size; at += step) {
    char buffer[64];
    uint64_t bits = 0;
    std::memcpy(&bits, bytes + at, step);
    const unsigned shift = static_cast<unsigned>(64 - 8 * step);
    if (type == "f32") {
      float value;
      std::memcpy(&value, bytes + at, 4);
      std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
    } else if (type == "f64") {
      double value;
      std::memcpy(&value, bytes + at, 8);
      std::snprintf(buffer, sizeof buffer, "%.17g", value);
    } else if (type[0] == 'i') {
      std::snprintf(buffer, sizeof buffer, "%" PRId64, static_cast<int64_t>(bits << shift) >> shift);
    } else {
      std::snprintf(buffer, sizeof buffer, "%" PRIu64, bits);
    }
    if (!text.empty()) text += ' ';
    text += buffer;
  }
  return text;
}

} // namespace ptxshim::vgpu
