// SPDX-License-Identifier: MIT
// Whatever the bytes: a module or an error, never a crash, and time linear in the length.
#include <chrono>
#include <random>

#include "parsing.h"

namespace ptxshim::ptx {
namespace {

// A copy without anything behind its last byte, so that a sanitizer sees the first one too many.
void parse_exactly(const std::string& text) {
  const std::vector<char> bytes(text.begin(), text.end());
  const Result<Module> result = parse_module({bytes.data(), bytes.size()}, "hostile.ptx");
  if (!result) {
    EXPECT_NE(result.error().message, "");
    return;
  }
  const std::string once = print(result.value());
  const Result<Module> again = parse_module(once, "printed.ptx");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(print(again.value()), once);
}

std::string sample() { return read_file(std::filesystem::path(PTXSHIM_TEST_DATA) / "everything.ptx"); }

TEST(Robustness, cut_off_at_every_byte) {
  const std::string text = sample();
  ASSERT_FALSE(text.empty());
  for (size_t length = 0; length <= text.size(); ++length) parse_exactly(text.substr(0, length));
}

TEST(Robustness, changed_bytes) {
  const std::string text = sample();
  std::mt19937 random(7);
  const std::string inserts = "{}()[];:,.%@!_+-*/<>=|&~^?\"#09xU";
  for (int round = 0; round < 3000; ++round) {
    std::string changed = text;
    for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) {
      const size_t at = random() % changed.size();
      switch (random() % 5) {
      case 0: changed[at] = static_cast<char>(random()); break;
      case 1: changed.erase(at, 1 + random() % 8); break;
      case 2: changed.insert(at, 1, inserts[random() % inserts.size()]); break;
      case 3: changed.insert(at, text.substr(random() % text.size(), random() % 40)); break;
      case 4: changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8)); break;
      }
    }
    parse_exactly(changed);
  }
}

// Twice the text takes about twice the time: 8 times is far from linear, and far from what a busy machine does.
template <class Make> void expect_linear(Make make, size_t size) {
  const auto seconds = [&](size_t n) {
    const std::string text = make(n);
    double best = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const Result<Module> result = parse_module(text, "big.ptx");
      EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message.substr(0, 500));
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  };
  EXPECT_LT(seconds(2 * size), 8 * seconds(size) + 0.05);
}

TEST(Robustness, many_instructions) {
  expect_linear([](size_t n) {
    std::string body;
    for (size_t i = 0; i < n; ++i) body += "add.u32 %r1, %r2, " + std::to_string(i) + ";\n";
    return kernel(body);
  }, 100000);
}

TEST(Robustness, many_labels) {
  expect_linear([](size_t n) {
    std::string body;
    for (size_t i = 0; i < n; ++i) body += "bra L" + std::to_string(n - 1 - i) + ";\nL" + std::to_string(i) + ":\n";
    return kernel(body);
  }, 20000);
}

TEST(Robustness, many_registers_used_backwards) {
  expect_linear([](size_t n) {
    std::string body = ".reg .b32 %x<" + std::to_string(n) + ">;\n";
    for (size_t i = n; i > 0; --i) body += "mov.u32 %x" + std::to_string(i - 1) + ", 1;\n";
    return kernel(body);
  }, 50000);
}

TEST(Robustness, many_functions) {
  expect_linear([](size_t n) {
    std::string text = kHead;
    for (size_t i = 0; i < n; ++i) text += ".func f" + std::to_string(i) + "() { .reg .b32 a; mov.u32 a, 1; ret; }\n";
    return text;
  }, 5000);
}

TEST(Robustness, many_unsupported_instructions) {
  expect_linear([](size_t n) {
    std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    for (size_t i = 0; i < n; ++i) text += ".func f" + std::to_string(i) + "() { wgmma.fence.sync.aligned; }\n";
    return text;
  }, 5000);
}

TEST(Robustness, long_initialisers) {
  expect_linear([](size_t n) {
    std::string text = kHead + ".global .b8 x[" + std::to_string(n) + "] = {1";
    for (size_t i = 1; i < n; ++i) text += ", 5";
    return text + "};";
  }, 100000);
}

TEST(Robustness, a_name_of_a_megabyte) {
  const std::string name(1 << 20, 'n');
  EXPECT_TRUE(Parsed(kernel(".reg .b32 " + name + ";\nmov.u32 " + name + ", 1;")).ok());
}

TEST(Robustness, a_name_with_many_digits) {
  expect_linear([](size_t n) {
    const std::string name = "n" + std::string(n, '1');
    return kernel(".reg .b32 a1<10>, " + name + ";\nmov.u32 " + name + ", 1;");
  }, 100000);
}

} // namespace
} // namespace ptxshim::ptx
