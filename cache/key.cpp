// SPDX-License-Identifier: MIT
// The key: BLAKE3 over | "ptxshim cache" | schema | build id | every field of the request; its name only when debug information has it |,
// each written as on the wire (lengths before contents), so that no two different requests give the same
// stream of bytes. What can change the code is a field of the request or part of the build id; nothing else
// of the environment goes in.
//
// BLAKE3 is LLVM's own copy: libLLVMSupport.a gives up these few objects alone, nothing else of LLVM comes
// along.
#include <llvm-c/blake3.h>

#include "ptxshim/cache.h"
#include "wire.h"

namespace ptxshim {

namespace {

constexpr uint32_t kSchema = 1;

struct HashSink {
  llvm_blake3_hasher hasher;
  HashSink() { llvm_blake3_hasher_init(&hasher); }
  void append(const void* data, size_t size) { llvm_blake3_hasher_update(&hasher, data, size); }
};

} // namespace

CacheKey cache_key(const TranslateRequest& request) {
  HashSink sink;
  wire::Out<HashSink> out(sink);
  out(std::string("ptxshim cache"), kSchema, std::string(translator_build_id()));
  wire::fields(out, const_cast<TranslateRequest&>(request), request.debug_info); // shared with reading; this only reads
  CacheKey key;
  llvm_blake3_hasher_finalize(&sink.hasher, key.bytes.data(), key.bytes.size());
  return key;
}

std::string CacheKey::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

} // namespace ptxshim
