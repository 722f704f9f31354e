// SPDX-License-Identifier: MIT
#include "syntax/keywords.h"

#include <set>

#include <gtest/gtest.h>

#include "syntax/ops.h"

namespace ptxshim::ptx {
namespace {

TEST(Keywords, every_row_is_found_by_its_spelling) {
  std::set<std::string_view> seen;
  for (uint16_t i = 0; i < static_cast<uint16_t>(Mod::kInvalid); ++i) {
    const Mod modifier = static_cast<Mod>(i);
    EXPECT_EQ(find_modifier(spelling(modifier)), modifier) << spelling(modifier);
    EXPECT_TRUE(seen.insert(spelling(modifier)).second) << spelling(modifier);
  }
  for (uint16_t i = 0; i < static_cast<uint16_t>(Op::kLabel); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_EQ(find_op(spelling(op)), op) << spelling(op);
  }
  EXPECT_EQ(find_modifier("nonsense"), Mod::kInvalid);
  EXPECT_EQ(find_op("kLabel"), Op::kInvalid);
}

TEST(Keywords, modifiers_that_are_types_and_spaces) {
  EXPECT_EQ(type_of(Mod::u32), ScalarType::U32);
  EXPECT_EQ(type_of(Mod::bf16x2), ScalarType::BF16x2);
  EXPECT_EQ(type_of(Mod::sat), ScalarType::None);
  EXPECT_EQ(space_of(Mod::shared_cta), StateSpace::Shared);
  EXPECT_EQ(space_of(Mod::param_entry), StateSpace::Param);
  EXPECT_EQ(space_of(Mod::u32), StateSpace::None);
  for (uint16_t i = 0; i < static_cast<uint16_t>(Mod::kInvalid); ++i) {
    const Mod modifier = static_cast<Mod>(i);
    if (const ScalarType type = find_type(spelling(modifier)); type != ScalarType::None) {
      EXPECT_EQ(type_of(modifier), type) << spelling(modifier);
    }
  }
}

TEST(Keywords, traits_of_the_rows) {
  EXPECT_EQ(traits(Op::bra), kTerminator);
  EXPECT_EQ(traits(Op::add), kPlain);
  EXPECT_EQ(traits(Op::shfl), kConvergent);
  EXPECT_EQ(status(Op::add), OpStatus::Ready);
}

TEST(Keywords, special_registers) {
  const uint32_t tid = special_register_words().find("%tid");
  ASSERT_NE(tid, WordTable::kMissing);
  EXPECT_EQ(special_register(tid).components, 4);
  EXPECT_EQ(special_register_words().find("%tidy"), WordTable::kMissing);
  EXPECT_EQ(special_register(special_register_words().find("%envreg31")).type, ScalarType::B32);
}

TEST(Keywords, edit_distance) {
  EXPECT_EQ(edit_distance("add", "add", 2), 0u);
  EXPECT_EQ(edit_distance("ad", "add", 2), 1u);
  EXPECT_EQ(edit_distance("setp", "sept", 2), 1u); // neighbours swapped
  EXPECT_EQ(edit_distance("mov", "shl", 2), 3u);   // more than the limit
  EXPECT_EQ(edit_distance(std::string(1000, 'x'), "x", 2), 3u);
}

} // namespace
} // namespace ptxshim::ptx
