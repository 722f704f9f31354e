// SPDX-License-Identifier: MIT
// One machine instruction as the decoder hands it on: no LLVM types from here on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ptxshim::vgpu {

// Slots of the scalar file. The first 128 are the hardware's own numbers, with M0 and NULL where gfx10 has them.
inline constexpr unsigned kVcc = 106, kTtmp0 = 108, kM0 = 124, kExec = 126;
inline constexpr unsigned kScc = 128, kSharedBase = 130, kSharedLimit = 132, kPrivateBase = 134, kPrivateLimit = 136;
inline constexpr unsigned kZero = 138;  // what NULL reads, two words
inline constexpr unsigned kVccz = 140, kExecz = 141;  // computed when read
inline constexpr unsigned kSink = 144;  // what NULL swallows, up to 32 words
inline constexpr unsigned kScalarSlots = 176;

inline constexpr unsigned kAccumulatorBase = 256; // AGPRs follow the VGPRs in the vector file
inline constexpr unsigned kVectorRegisters = 512;
// Waves have a few more rows than the hardware: one of dual issue, two for each source and the result of vector operations.
inline constexpr unsigned kSpareRegister = kVectorRegisters, kSpareSources = kVectorRegisters + 1, kSpareResult = kSpareSources + 8;
inline constexpr unsigned kVectorRows = kVectorRegisters + 16;

// Other: a register that is not kept here, such as LDS_DIRECT.
enum class OperandKind : uint8_t { None, Vector, Scalar, Null, Immediate, Other };

struct Operand {
  OperandKind kind = OperandKind::None;
  uint8_t words = 0;      // registers: 32-bit words
  uint8_t type = 0;       // LLVM's operand type
  bool is_definition = false;
  bool is_modifiers = false; // an immediate with neg, abs, op_sel bits of the source that follows
  int8_t tied_to = -1;
  uint16_t index = 0;     // vector register or scalar slot
  int64_t value = 0;      // immediate
};

// LLVM's SIInstrFlags, the bits that are used here.
namespace flag {
inline constexpr uint64_t kSalu = 1ULL << 0, kValu = 1ULL << 1, kSop1 = 1ULL << 2, kSop2 = 1ULL << 3, kSopc = 1ULL << 4,
                          kSopk = 1ULL << 5, kSopp = 1ULL << 6, kVop1 = 1ULL << 7, kVop2 = 1ULL << 8, kVopc = 1ULL << 9,
                          kVop3 = 1ULL << 10, kVop3p = 1ULL << 12, kSdwa = 1ULL << 14, kDpp = 1ULL << 15,
                          kMubuf = 1ULL << 17, kMtbuf = 1ULL << 18, kSmem = 1ULL << 19, kMimg = 1ULL << 20,
                          kExport = 1ULL << 23, kFlat = 1ULL << 24, kDs = 1ULL << 25;
}

struct Instruction {
  uint64_t pc = 0;
  uint32_t size = 0;
  uint64_t flags = 0;
  std::string_view mnemonic; // as AMD writes it for this generation, without _e32, _e64, _dpp, _sdwa
  std::string_view name;     // LLVM's own, with form and generation
  uint32_t count = 0;
  Operand operands[32];
  std::string text;          // as LLVM prints it
};

// LLVM's disassembler for one target and wave size. Safe to share between threads.
class Decoder {
public:
  // Null when LLVM does not know the target.
  static std::unique_ptr<Decoder> create(const std::string& gfx, unsigned wave_size);
  virtual ~Decoder() = default;
  // False: these bytes are no instruction of the target.
  virtual bool decode(std::span<const std::byte> bytes, uint64_t pc, Instruction& out) = 0;
  // The same without the text.
  virtual bool recognise(std::span<const std::byte> bytes, Instruction& out) = 0;
};

// Calls visit(mnemonic, llvm_name, flags) for every encodable instruction of the tables, all generations.
void for_each_mnemonic(void (*visit)(void* context, std::string_view mnemonic, std::string_view name, uint64_t flags),
                       void* context);

} // namespace ptxshim::vgpu
