// SPDX-License-Identifier: MIT
// The translation cache: verified, zstd-compressed code objects in files named by a 256-bit key.
// It can only make things faster: whatever goes wrong in it is a miss and a log line, never an error of the application.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ptxshim/code_object.h"
#include "ptxshim/translate.h"

namespace ptxshim {

struct CacheKey {
  std::array<uint8_t, 32> bytes{};
  std::string hex() const;
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

// BLAKE3 over length-prefixed canonical fields: schema version, translator build id, and every field of the request but its name.
CacheKey cache_key(const TranslateRequest& request);

class Cache {
public:
  // Empty directory: the default (PTXSHIM_CACHE_DIR, CUDA_CACHE_PATH, XDG_CACHE_HOME, HOME). Never fails: without a usable
  // directory the object caches nothing, after one warning.
  static std::unique_ptr<Cache> open(const std::string& directory = {});
  virtual ~Cache() = default;

  virtual std::optional<CodeObject> find(const CacheKey& key) = 0;
  // Atomic; a loser of a race adopts the winner's entry.
  virtual void store(const CacheKey& key, const CodeObject& code_object) = 0;
  // Held while a key is being translated, so that other processes wait for the result instead of doing the same work.
  // Gives up after a time limit (then translate anyway); released by destruction, and by the kernel if the holder dies.
  class Lock {
  public:
    virtual ~Lock() = default;
  };
  virtual std::unique_ptr<Lock> lock(const CacheKey& key) = 0;
  virtual std::string directory() const = 0; // empty: caching nothing
};

} // namespace ptxshim
