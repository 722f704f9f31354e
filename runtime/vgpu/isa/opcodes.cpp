// SPDX-License-Identifier: MIT
// Which opcodes a target has. LLVM's tables list those of all generations together, and the endings of their names do
// not tell: gfx1030 has no s_store_dword, though the table has one called _gfx10. So the decoder that executes is asked:
// every value of every bit that can belong to an opcode is decoded, beside operands that are legal there.
//
// Opcodes lie in the upper 16 bits but for SOP1 and VOP1 (from bit 8 up), and for the segment of FLAT, the operation of
// gfx12's memory formats and SMEM (from bit 13 up). Words below 0x8000.... are VOP2, VOPC and VOP1, those below
// 0xc000.... the scalar formats, the rest has a second word.

#include "opcodes.h"

#include "rows.h"

namespace ptxshim::vgpu {
namespace {

class Collector {
public:
  explicit Collector(Decoder& decoder) : decoder_(decoder) {}
  void visit(uint32_t first, uint32_t second) {
    const uint32_t words[5] = {first, second, 0, 0, 0};
    const std::span<const std::byte> bytes = std::as_bytes(std::span<const uint32_t>(words));
    if (!decoder_.recognise(bytes, instruction_) || instruction_.mnemonic.empty()) return;
    const std::string_view name = instruction_.name;
    if (name == last_) return;
    last_ = name;
    names.emplace(instruction_.mnemonic);
    if (instruction_.mnemonic.substr(0, 7) != "v_dual_") return;
    decoder_.decode(bytes, 0, instruction_);
    names.emplace(second_dual_mnemonic(instruction_));
  }
  std::set<std::string> names;

private:
  Decoder& decoder_;
  Instruction instruction_;
  std::string_view last_;
};

// Second words: vector sources without and with op_sel_hi, scalar zeros; for FLAT "no scalar address" of gfx9, 10, 11.
constexpr uint32_t kVectorSources = 0x04020100;
constexpr uint32_t kSecondWords[] = {kVectorSources, 0x1c020100, 0};
constexpr uint32_t kFlatSecondWords[] = {0x007f0000, 0x007d0000, 0x007c0000};
// gfx10 has the highest bit of a typed buffer's operation in the second word.
constexpr uint32_t kTypedBufferBit = 0x00200000;
// Low halves of first words that other formats want: gfx12's "no scalar address", and fixed fields of ray tracing.
constexpr uint32_t kSpecialLows[] = {0x007c, 0x407c, 0x807c, 0xc07c, 0x9f07, 0x8f81, 0x4010, 0x8010};

void visit_short_formats(Collector& collector) {
  for (uint32_t high = 0; high < 0x8000; high += 0x200) collector.visit(high << 16, 0);         // VOP2, and DPP, SDWA of it
  for (uint32_t high = 0x7c00; high < 0x7e00; high += 2) collector.visit(high << 16, 0);        // VOPC
  for (uint32_t low = 0; low < 0x20000; low += 0x200) collector.visit(0x7e000000U | low, 0);    // VOP1
  for (uint32_t high = 0x8000; high < 0xc000; high += 0x80) {                                   // SOP2, SOPK
    collector.visit(high << 16, 0);
    collector.visit(high << 16 | 1, 0);
  }
  for (uint32_t low = 0; low < 0x10000; low += 0x100)                                           // SOP1
    for (uint32_t source : {0x00U, 0x7dU, 0x80U}) collector.visit(0xbe800000U | low | source, 0);
  for (uint32_t high = 0xbf00; high < 0xc000; ++high) collector.visit(high << 16, 0);           // SOPC, SOPP
}

} // namespace

std::set<std::string> opcodes_of(Decoder& decoder) {
  Collector collector(decoder);
  visit_short_formats(collector);
  for (uint32_t high = 0xc000; high < 0x10000; ++high) {
    const uint32_t first = high << 16;
    for (uint32_t second : kSecondWords)
      for (uint32_t low = 0; low < 0x10000; low += 0x4000) collector.visit(first | low, second);
    for (uint32_t low = 0x2000; low < 0x10000; low += 0x4000) collector.visit(first | low, 0);
    if (high >> 10 == 0x37)
      for (uint32_t second : kFlatSecondWords)
        for (uint32_t low = 0; low < 0x10000; low += 0x4000) collector.visit(first | low, second);
    if (high >> 10 == 0x3a) collector.visit(first, kTypedBufferBit);
    if (high >= 0xec00 || high >> 8 == 0xd3)
      for (uint32_t low : kSpecialLows) collector.visit(first | low, 0);
  }
  return collector.names;
}

} // namespace ptxshim::vgpu
