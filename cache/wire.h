// SPDX-License-Identifier: MIT
// The one binary form of requests, replies and code objects: between the runtime and its worker processes, in
// cache entries, and (the request) under the hash that makes the cache key.
//
// | type             | bytes                                             |
// |------------------|---------------------------------------------------|
// | uint8, 32, 64    | little endian                                     |
// | bool             | one byte, 0 or 1, nothing else                    |
// | enum, CUresult   | uint8 in range; uint32 that is a known result     |
// | string, bytes    | uint64 length, then the bytes                     |
// | vector           | uint64 count, then the elements                   |
// | a whole message  | uint32 magic, uint32 version, fields, end of input |
//
// Each struct has one fields() function that names its members through a structured binding: it serves
// writing, reading and hashing alike, and does not compile once a member is added and not listed. Readers
// trust nothing: a length is compared with what is left before anything is allocated, so the memory a message
// can cost is bounded by its own size.
#pragma once

#include <cstring>
#include <type_traits>

#include "ptxshim/code_object.h"
#include "ptxshim/translate.h"

namespace ptxshim::wire {

inline constexpr uint32_t kCodeObjectMagic = 0x4f435850; // "PXCO"
inline constexpr uint32_t kRequestMagic = 0x51525850;    // "PXRQ"
inline constexpr uint32_t kReplyMagic = 0x50525850;      // "PXRP"
inline constexpr uint32_t kVersion = 3;

bool known_result(uint32_t code);

// As decode_reply, but tells a damaged reply (the outer error) from one that carries an error.
Result<Result<CodeObject>> read_reply(std::span<const std::byte> bytes);

template <class Io> void fields(Io& io, KernelParameter& value) {
  auto& [offset, size, alignment] = value;
  io(offset, size, alignment);
}

template <class Io> void fields(Io& io, KernelInfo& value) {
  auto& [name, error, error_code, parameters, parameter_bytes, static_shared_bytes, dynamic_shared_alignment,
         private_bytes, vgprs, sgprs, vgpr_spills, sgpr_spills, wave_size, max_threads, required_threads,
         constant_bytes, uses_dynamic_stack, ptx_version, sm_version] = value;
  io(name, error, error_code, parameters, parameter_bytes, static_shared_bytes, dynamic_shared_alignment,
     private_bytes, vgprs, sgprs, vgpr_spills, sgpr_spills, wave_size, max_threads, required_threads[0],
     required_threads[1], required_threads[2], constant_bytes, uses_dynamic_stack, ptx_version, sm_version);
}

template <class Io> void fields(Io& io, VariableInfo& value) {
  auto& [name, size, alignment, space] = value;
  io(name, size, alignment, space);
}

template <class Io> void fields(Io& io, CodeObject& value) {
  auto& [target, elf, kernels, variables, info_log, translation_ns] = value;
  io(target, elf, kernels, variables, info_log, translation_ns);
}

// The names are for messages only and come last, so that the cache key can leave them out.
template <class Io> void fields(Io& io, TranslateRequest& value, bool with_name = true) {
  auto& [modules, target, code_object_version, optimisation, debug_info, max_registers, wave_size, kernels,
         name, names] = value;
  io(modules, target, code_object_version, optimisation, debug_info, max_registers, wave_size, kernels);
  if (with_name) io(name, names);
}

template <class Io> void fields(Io& io, Error& value) {
  auto& [code, message] = value;
  io(code, message);
}

// Writes to a sink that has append(const void*, size_t): a byte vector or a hash.
template <class Sink> class Out {
public:
  explicit Out(Sink& sink) : sink_(sink) {}

  template <class... T> void operator()(const T&... value) { (put(value), ...); }

private:
  void put_number(uint64_t value, size_t bytes) {
    unsigned char buffer[8];
    for (size_t i = 0; i < bytes; ++i)
      buffer[i] = static_cast<unsigned char>(value >> (8 * i));
    sink_.append(buffer, bytes);
  }
  void put(bool value) { put_number(value ? 1 : 0, 1); }
  void put(uint32_t value) { put_number(value, 4); }
  void put(uint64_t value) { put_number(value, 8); }
  void put(CUresult value) { put_number(static_cast<uint32_t>(value), 4); }
  void put(VariableSpace value) { put_number(static_cast<uint8_t>(value), 1); }
  void put(const std::string& value) {
    put_number(value.size(), 8);
    sink_.append(value.data(), value.size());
  }
  void put(const std::vector<std::byte>& value) {
    put_number(value.size(), 8);
    sink_.append(value.data(), value.size());
  }
  template <class T> void put(const std::vector<T>& value) {
    put_number(value.size(), 8);
    for (const T& element : value)
      put(element);
  }
  template <class T>
  requires std::is_class_v<T>
  void put(const T& value) {
    fields(*this, const_cast<T&>(value)); // fields() is shared with reading; this side only reads.
  }

  Sink& sink_;
};

struct ByteSink {
  std::vector<std::byte> bytes;
  void append(const void* data, size_t size) {
    if (!size) return;
    const size_t before = bytes.size();
    bytes.resize(before + size); // insert() of a range draws a false -Wstringop-overflow from g++ 12
    std::memcpy(bytes.data() + before, data, size);
  }
};

// Reads until something is wrong; from then on every value stays as it is and ok() is false.
class In {
public:
  explicit In(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool ok() const { return what_ == nullptr; }
  bool at_end() const { return position_ == bytes_.size(); }
  const char* what() const { return what_ ? what_ : "no error"; }
  size_t position() const { return position_; }

  template <class... T> void operator()(T&... value) { (get(value), ...); }
  void fail(const char* what) {
    if (!what_) what_ = what;
  }

private:
  size_t left() const { return bytes_.size() - position_; }
  bool take(void* out, size_t size) {
    if (!ok()) return false;
    if (size > left()) {
      fail("it ends too early");
      return false;
    }
    if (size) std::memcpy(out, bytes_.data() + position_, size);
    position_ += size;
    return true;
  }
  uint64_t number(size_t bytes) {
    unsigned char buffer[8] = {};
    if (!take(buffer, bytes)) return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i)
      value |= static_cast<uint64_t>(buffer[i]) << (8 * i);
    return value;
  }
  // A length or count; every element takes at least one byte of what is left.
  size_t length() {
    const uint64_t value = number(8);
    if (ok() && value > left()) fail("a length exceeds what is there");
    return ok() ? static_cast<size_t>(value) : 0;
  }
  void get(bool& value) {
    const uint64_t got = number(1);
    if (got > 1) fail("a flag is neither 0 nor 1");
    if (ok()) value = got == 1;
  }
  void get(uint32_t& value) {
    const uint64_t got = number(4);
    if (ok()) value = static_cast<uint32_t>(got);
  }
  void get(uint64_t& value) {
    const uint64_t got = number(8);
    if (ok()) value = got;
  }
  void get(CUresult& value) {
    const auto got = static_cast<uint32_t>(number(4));
    if (ok() && !known_result(got)) fail("a result code is not known");
    if (ok()) value = static_cast<CUresult>(got);
  }
  void get(VariableSpace& value) {
    const uint64_t got = number(1);
    if (got > static_cast<uint8_t>(VariableSpace::Managed)) fail("a state space is not known");
    if (ok()) value = static_cast<VariableSpace>(got);
  }
  void get(std::string& value) {
    const size_t size = length();
    if (!ok()) return;
    value.resize(size);
    take(value.data(), size);
  }
  void get(std::vector<std::byte>& value) {
    const size_t size = length();
    if (!ok()) return;
    value.resize(size);
    take(value.data(), size);
  }
  // Elements are appended as they are read: a false count ends with the input and never allocates ahead.
  template <class T> void get(std::vector<T>& value) {
    const size_t count = length();
    value.clear();
    for (size_t i = 0; i < count && ok(); ++i)
      get(value.emplace_back());
  }
  template <class T>
  requires std::is_class_v<T>
  void get(T& value) { fields(*this, value); }

  std::span<const std::byte> bytes_;
  size_t position_ = 0;
  const char* what_ = nullptr;
};

} // namespace ptxshim::wire
