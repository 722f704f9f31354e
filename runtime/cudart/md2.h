// SPDX-License-Identifier: MIT
// The message digest MD2 (RFC 1319) and HMAC over it (RFC 2104). Long broken as cryptography; only the CUDA runtime's compatibility check
// uses it (integrity.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ptxshim {

using Md2Digest = std::array<uint8_t, 16>;

Md2Digest md2(std::span<const uint8_t> message);

// Block length 16, MD2's own. Keys longer than a block are digested first.
Md2Digest hmac_md2(std::span<const uint8_t> key, std::span<const uint8_t> message);

} // namespace ptxshim
