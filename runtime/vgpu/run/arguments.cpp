// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "isa/meanings/float_bits.h"

namespace ptxshim::vgpu {

enum class Form : uint8_t { Unsigned, Signed, Half, Brain, Single, Double };

struct ElementType {
  const char* name;
  size_t size;
  Form form;
};

namespace {

constexpr ElementType kTypes[] = {
    {"u8", 1, Form::Unsigned},  {"i8", 1, Form::Signed},  {"u16", 2, Form::Unsigned}, {"i16", 2, Form::Signed},
    {"u32", 4, Form::Unsigned}, {"i32", 4, Form::Signed}, {"u64", 8, Form::Unsigned}, {"i64", 8, Form::Signed},
    {"f16", 2, Form::Half},     {"bf16", 2, Form::Brain}, {"f32", 4, Form::Single},   {"f64", 8, Form::Double},
};
constexpr uint64_t kMostBufferBytes = uint64_t{1} << 36;
constexpr size_t kMostArgumentBytes = 65536;

Error usage(const std::string& what) { return Error{CUDA_ERROR_INVALID_VALUE, what}; }

const ElementType* find_type(const std::string& name) {
  for (const ElementType& type : kTypes)
    if (name == type.name) return &type;
  return nullptr;
}

void append(std::vector<std::byte>& out, const void* from, size_t size) {
  const std::byte* const bytes = static_cast<const std::byte*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

// A decimal or 0x number that fits into the type, with its sign where the type has one.
bool parse_integer(const ElementType& type, const std::string& text, uint64_t& bits) {
  char* end = nullptr;
  errno = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative && type.form != Form::Signed) return false;
  if (text.empty() || !(negative || (text[0] >= '0' && text[0] <= '9'))) return false;
  bits = negative ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0)) : std::strtoull(text.c_str(), &end, 0);
  if (errno || *end != '\0') return false;
  const unsigned width = static_cast<unsigned>(8 * type.size);
  if (negative) return width == 64 || static_cast<int64_t>(bits) >= -(int64_t{1} << (width - 1));
  return width == 64 || bits >> width == 0; // also 0xffffffff as i32: the bits are meant
}

bool append_value(const ElementType& type, const std::string& text, std::vector<std::byte>& out) {
  uint64_t bits = 0;
  if (type.form == Form::Unsigned || type.form == Form::Signed) {
    if (!parse_integer(type, text, bits)) return false;
    append(out, &bits, type.size);
    return true;
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const float single = std::strtof(text.c_str(), nullptr);
  if (text.empty() || text[0] == ' ' || *end != '\0') return false;
  if (type.form == Form::Double) append(out, &value, 8);
  if (type.form == Form::Single) append(out, &single, 4);
  if (type.form == Form::Half) {
    const uint16_t half = meaning::narrow_nearest(single).bits;
    append(out, &half, 2);
  }
  if (type.form == Form::Brain) {
    const uint16_t brain = meaning::narrow_bf16(single, meaning::Round::NearestEven).bits;
    append(out, &brain, 2);
  }
  return true;
}

bool parse_count(const std::string& text, uint64_t& count) {
  return parse_integer(kTypes[6], text, count);
}

// V1,V2*COUNT,...
Result<void> parse_list(const ElementType& type, const std::string& list, std::vector<std::byte>& out) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    std::string value = list.substr(begin, end - begin);
    begin = end + 1;
    uint64_t count = 1;
    if (const size_t star = value.find('*'); star != std::string::npos) {
      if (!parse_count(value.substr(star + 1), count) || count > kMostBufferBytes / type.size)
        return usage("no count: '" + value.substr(star + 1) + "'");
      value.resize(star);
    }
    std::vector<std::byte> one;
    if (!append_value(type, value, one)) return usage("'" + value + "' is no " + type.name);
    for (uint64_t i = 0; i < count; ++i) out.insert(out.end(), one.begin(), one.end());
  }
  return {};
}

Result<void> parse_hex(const std::string& digits, std::vector<std::byte>& out) {
  if (digits.empty() || digits.size() % 2) return usage("not an even number of hexadecimal digits");
  for (size_t i = 0; i < digits.size(); i += 2) {
    const std::string pair = digits.substr(i, 2);
    if (pair.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return usage("'" + pair + "' is not hexadecimal");
    out.push_back(static_cast<std::byte>(std::strtoul(pair.c_str(), nullptr, 16)));
  }
  return {};
}

Result<void> fill_random(const ElementType& type, uint64_t count, uint64_t seed, std::vector<std::byte>& out) {
  std::mt19937_64 random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t bits = random();
    if (type.form == Form::Unsigned || type.form == Form::Signed) {
      append(out, &bits, type.size);
      continue;
    }
    char text[32]; // eight bits of fraction are exact in every format
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(bits >> 56) / 256);
    append_value(type, text, out);
  }
  return {};
}

Result<void> read_file(const std::string& path, size_t element, std::vector<std::byte>& out) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) return usage("cannot read " + path + ": " + std::strerror(errno));
  if (bytes.empty() || bytes.size() % element) return usage(path + " has " + std::to_string(bytes.size()) + " bytes: no whole elements");
  append(out, bytes.data(), bytes.size());
  return {};
}

// What stands behind "buf:TYPE:" and the like.
Result<void> parse_buffer(const std::string& kind, const ElementType& type, const std::string& rest, std::vector<std::byte>& out) {
  if (kind == "buf") return parse_list(type, rest, out);
  if (kind == "file") return read_file(rest, type.size, out);
  const size_t colon = rest.find(':');
  uint64_t count = 0, seed = 0;
  if (!parse_count(rest.substr(0, colon), count) || count == 0 || count > kMostBufferBytes / type.size)
    return usage("no element count: '" + rest.substr(0, colon) + "'");
  if (kind == "out") {
    if (colon != std::string::npos) return usage("something behind the count");
    out.resize(count * type.size);
    return {};
  }
  if (colon != std::string::npos && !parse_count(rest.substr(colon + 1), seed)) return usage("no seed: '" + rest.substr(colon + 1) + "'");
  return fill_random(type, count, seed, out);
}

Result<void> parse_content(const std::string& text, CommandArgument& argument) {
  const size_t colon = text.find(':');
  const std::string head = text.substr(0, colon), rest = text.substr(colon + 1);
  if (head == "hex") return parse_hex(rest, argument.bytes);
  argument.type = find_type(head);
  if (argument.type) return parse_list(*argument.type, rest, argument.bytes);
  if (head != "buf" && head != "out" && head != "rand" && head != "file") return usage("'" + head + "' is no type and no kind of buffer");
  argument.buffer = true;
  const size_t second = rest.find(':');
  argument.type = find_type(rest.substr(0, second));
  if (!argument.type || second == std::string::npos) return usage("'" + rest.substr(0, second) + "' is no type of elements");
  return parse_buffer(head, *argument.type, rest.substr(second + 1), argument.bytes);
}

// The bytes of one argument; buffers are made, or found by name.
Result<std::vector<std::byte>> bytes_of(const CommandArgument& argument, DirectMemory& memory, std::vector<Buffer>& buffers) {
  if (!argument.buffer) return argument.bytes;
  const Buffer* found = nullptr;
  for (const Buffer& buffer : buffers)
    if (!argument.name.empty() && buffer.name == argument.name) found = &buffer;
  if (argument.reference && !found) return usage("there is no buffer '" + argument.name + "', and an argument has the form TYPE:VALUE, see --help");
  if (!argument.reference && found) return usage("there is a buffer '" + argument.name + "' already");
  if (!found) {
    const uint64_t address = memory.allocate(argument.bytes.size());
    if (!address) return usage("no memory for " + argument.text);
    std::memcpy(memory.host(address), argument.bytes.data(), argument.bytes.size());
    buffers.push_back({argument.name, argument.type, address, argument.bytes.size()});
    found = &buffers.back();
  }
  std::vector<std::byte> bytes;
  append(bytes, &found->address, 8);
  return bytes;
}

std::string describe(const KernelArgument& slot) {
  return (slot.name.empty() ? "" : slot.name + ", ") + std::to_string(slot.size) + " bytes, " + slot.kind;
}

std::string describe_all(const std::vector<KernelArgument>& slots) {
  std::string text;
  for (size_t i = 0; i < slots.size(); ++i) text += "\n  " + std::to_string(i) + ": " + describe(slots[i]);
  return text;
}

// Without metadata: at its natural alignment.
Result<void> place_naturally(std::vector<std::byte>& segment, const CommandArgument& argument, const std::vector<std::byte>& value) {
  const size_t natural = argument.buffer ? 8 : argument.type ? argument.type->size : 1;
  const size_t offset = (segment.size() + natural - 1) / natural * natural;
  if (value.size() > kMostArgumentBytes || offset > kMostArgumentBytes) return usage("the arguments take more than 64 KiB");
  segment.resize(offset);
  segment.insert(segment.end(), value.begin(), value.end());
  return {};
}

Result<void> place_in_slot(std::vector<std::byte>& segment, const KernelArgument& slot, const std::vector<std::byte>& value) {
  if (value.size() != slot.size) return usage("it has " + std::to_string(value.size()) + " bytes, the kernel wants " + describe(slot));
  if (slot.offset > kMostArgumentBytes) return usage("the kernel's metadata places it beyond 64 KiB");
  if (segment.size() < slot.offset + value.size()) segment.resize(slot.offset + value.size());
  std::memcpy(segment.data() + slot.offset, value.data(), value.size());
  return {};
}

} // namespace

Result<CommandArgument> parse_argument(const std::string& text) {
  CommandArgument argument;
  argument.text = text;
  std::string rest = text;
  const size_t equals = text.find('='), colon = text.find(':');
  if (equals < colon) {
    argument.name = text.substr(0, equals);
    rest = text.substr(equals + 1);
    if (argument.name.empty() || rest.empty()) return usage("argument " + text + ": NAME= and a buffer are wanted");
  }
  if (colon == std::string::npos) {
    if (!argument.name.empty()) return usage("argument " + text + ": no type");
    argument.name = text;
    argument.buffer = argument.reference = true;
    return argument;
  }
  if (Result<void> done = parse_content(rest, argument); !done) return std::move(done).error().in("argument " + text);
  if (!argument.buffer && !argument.name.empty()) return usage("argument " + text + ": only buffers have names");
  return argument;
}

Result<std::vector<std::byte>> place_arguments(const std::vector<CommandArgument>& arguments, const LoadedKernel& kernel,
                                               DirectMemory& memory, std::vector<Buffer>& buffers) {
  std::vector<KernelArgument> slots;
  for (const KernelArgument& slot : kernel.arguments)
    if (!slot.hidden()) slots.push_back(slot);
  const bool known = !kernel.arguments.empty();
  if (known && slots.size() != arguments.size())
    return usage("kernel " + kernel.name + " takes " + std::to_string(slots.size()) + " arguments, not " + std::to_string(arguments.size()) + describe_all(slots));
  std::vector<std::byte> segment;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string where = "argument " + std::to_string(i) + " (" + arguments[i].text + ")";
    Result<std::vector<std::byte>> value = bytes_of(arguments[i], memory, buffers);
    if (!value) return std::move(value).error().in(where);
    Result<void> placed = known ? place_in_slot(segment, slots[i], *value) : place_naturally(segment, arguments[i], *value);
    if (!placed) return std::move(placed).error().in(where);
  }
  if (segment.size() > kernel.kernarg_bytes)
    return usage("the arguments take " + std::to_string(segment.size()) + " bytes, those of kernel " + kernel.name + " " +
                 std::to_string(kernel.kernarg_bytes));
  return segment;
}

namespace {

std::string print_element(const ElementType& type, const std::byte* from) {
  char text[64];
  uint64_t bits = 0;
  std::memcpy(&bits, from, type.size);
  const unsigned shift = static_cast<unsigned>(64 - 8 * type.size);
  float single;
  double value;
  std::memcpy(&single, &bits, 4);
  std::memcpy(&value, &bits, 8);
  switch (type.form) {
  case Form::Unsigned: std::snprintf(text, sizeof text, "%" PRIu64, bits); break;
  case Form::Signed: std::snprintf(text, sizeof text, "%" PRId64, static_cast<int64_t>(bits << shift) >> shift); break;
  case Form::Half: std::snprintf(text, sizeof text, "%.5g", static_cast<double>(meaning::widen(meaning::F16{static_cast<uint16_t>(bits)}))); break;
  case Form::Brain: std::snprintf(text, sizeof text, "%.4g", static_cast<double>(meaning::widen(meaning::BF16{static_cast<uint16_t>(bits)}))); break;
  case Form::Single: std::snprintf(text, sizeof text, "%.9g", static_cast<double>(single)); break;
  case Form::Double: std::snprintf(text, sizeof text, "%.17g", value); break;
  }
  return text;
}

} // namespace

std::string print_elements(const ElementType& type, const std::byte* bytes, uint64_t size, uint64_t most) {
  std::string text;
  const uint64_t count = size / type.size;
  for (uint64_t i = 0; i < count && i < most; ++i) {
    if (i) text += ' ';
    text += print_element(type, bytes + i * type.size);
  }
  return count > most ? text + " ... (" + std::to_string(count) + " elements)" : text;
}

} // namespace ptxshim::vgpu
