// SPDX-License-Identifier: MIT
// read_image over every container that a pointer can lead to, whole and damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sys/mman.h>
#include <unistd.h>

#include "fatbin_builder.h"
#include "ptxshim/image.h"

namespace ptxshim {
namespace {

using namespace testing_support;
using testing::HasSubstr;

const std::string kText = ".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

std::string first_text(const Result<std::vector<PtxImage>>& images) {
  if (!images.ok()) return "error: " + images.error().message;
  return images.value().size() == 1 ? images.value()[0].text
                                    : std::to_string(images.value().size()) + " modules";
}

CUresult code_of(const Result<std::vector<PtxImage>>& images) {
  return images.ok() ? CUDA_SUCCESS : images.error().code;
}

// The bytes at the very end of a readable page: one byte too far is a fault.
class AtPageEnd {
public:
  explicit AtPageEnd(std::span<const std::byte> bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes.size() + page - 1) / page * page + page;
    base_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data_ = static_cast<std::byte*>(base_) + size_ - page - bytes.size();
    if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
    mprotect(static_cast<std::byte*>(base_) + size_ - page, page, PROT_NONE);
  }
  ~AtPageEnd() { munmap(base_, size_); }
  AtPageEnd(const AtPageEnd&) = delete;
  const void* data() const { return data_; }
  std::span<const std::byte> span(size_t size) const { return {data_, size}; }

private:
  void* base_;
  std::byte* data_;
  size_t size_;
};

TEST(ReadImage, PlainText) {
  EXPECT_EQ(first_text(read_image(kText.c_str(), 80)), kText);
  const AtPageEnd edge(std::as_bytes(std::span(kText.c_str(), kText.size() + 1)));
  EXPECT_EQ(first_text(read_image(edge.data(), 80)), kText);
  EXPECT_EQ(first_text(read_image(std::as_bytes(std::span(kText)), 80)), kText); // without a NUL
  EXPECT_EQ(first_text(read_image(std::as_bytes(std::span(kText.c_str(), kText.size() + 1)), 80)), kText);
}

TEST(ReadImage, LongAndShortTexts) {
  for (size_t size : {1u, 2u, 3u, 4095u, 4096u, 4097u, 8192u}) {
    const std::string text(size, 'P'); // as a fat binary begins
    const AtPageEnd edge(std::as_bytes(std::span(text.c_str(), size + 1)));
    EXPECT_EQ(first_text(read_image(edge.data(), 80)), text) << size;
  }
}

TEST(ReadImage, TextWithCommentsInUtf8) {
  const std::string text = "// größer\n" + kText;
  EXPECT_EQ(first_text(read_image(text.c_str(), 80)), text);
}

TEST(ReadImage, NeitherTextNorContainer) {
  EXPECT_EQ(code_of(read_image(nullptr, 80)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(code_of(read_image("", 80)), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(code_of(read_image("\1\2\3\4", 80)), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(code_of(read_image("abc\1", 80)), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(code_of(read_image(std::span<const std::byte>(), 80)), CUDA_ERROR_INVALID_IMAGE);
}

TEST(ReadImage, AFatbinInEveryPacking) {
  std::string text = kText;
  while (text.size() < 20000)
    text += "// " + std::to_string(text.size()) + "\n";
  for (const Packing packing : {Packing::None, Packing::Lz4, Packing::Zstd}) {
    const Bytes fatbin = make_fatbin({cubin(80), ptx(80, text, packing)});
    auto images = read_image(fatbin.data(), 86);
    ASSERT_TRUE(images.ok()) << images.error().message;
    ASSERT_EQ(images->size(), 1u);
    EXPECT_EQ(images->at(0).text, text);
    EXPECT_EQ(images->at(0).sm, 80u);
    EXPECT_EQ(images->at(0).ptx_version, 83u);
    EXPECT_EQ(first_text(read_image(std::span(fatbin), 86)), text);
  }
}

TEST(ReadImage, TrailingNulsGo) {
  const Bytes fatbin = make_fatbin({ptx(80, kText + std::string(5, '\0'), Packing::Zstd)});
  EXPECT_EQ(first_text(read_image(fatbin.data(), 80)), kText);
}

TEST(ReadImage, HeaderSizesVary) {
  for (uint32_t size : {64u, 80u, 96u, 112u, 128u}) {
    EntrySpec spec = ptx(80, kText, Packing::Zstd);
    spec.header_size = size;
    if (size > 64) spec.identifier = "kernels.cu";
    auto images = read_image(make_fatbin({spec, cubin(75)}).data(), 80);
    ASSERT_TRUE(images.ok()) << images.error().message;
    EXPECT_EQ(images->at(0).text, kText);
    EXPECT_EQ(images->at(0).identifier, size > 64 ? "kernels.cu" : "");
  }
}

TEST(ReadImage, HighestArchitectureNotAboveElseLowestAbove) {
  const Bytes fatbin = make_fatbin({ptx(90, "90"), ptx(75, "75"), ptx(80, "80"), cubin(86), ptx(100, "100")});
  EXPECT_EQ(first_text(read_image(fatbin.data(), 80)), "80");
  EXPECT_EQ(first_text(read_image(fatbin.data(), 86)), "80");
  EXPECT_EQ(first_text(read_image(fatbin.data(), 90)), "90");
  EXPECT_EQ(first_text(read_image(fatbin.data(), 121)), "100");
  EXPECT_EQ(first_text(read_image(fatbin.data(), 50)), "75");
}

TEST(ReadImage, CodeForOneArchitectureAloneComesLast) {
  EntrySpec only90a = ptx(90, "90a");
  only90a.extra_flags = 0x100000;
  EXPECT_EQ(first_text(read_image(make_fatbin({only90a, ptx(80, "80")}).data(), 90)), "80");
  EXPECT_EQ(first_text(read_image(make_fatbin({only90a, ptx(100, "100")}).data(), 90)), "100");
  EXPECT_EQ(first_text(read_image(make_fatbin({only90a}).data(), 80)), "90a");
}

TEST(ReadImage, CubinsAloneGiveAdvice) {
  auto images = read_image(make_fatbin({cubin(75), cubin(90)}).data(), 86);
  ASSERT_FALSE(images.ok());
  EXPECT_EQ(images.error().code, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(images.error().message, HasSubstr("sm_75, sm_90"));
  EXPECT_THAT(images.error().message, HasSubstr("code=compute_"));
  EXPECT_EQ(code_of(read_image(make_fatbin({}).data(), 86)), CUDA_ERROR_NO_BINARY_FOR_GPU);
  Bytes elf(64);
  std::memcpy(elf.data(), "\177ELF\2\1\1", 7);
  put<uint16_t>(elf, 18, 190);
  EXPECT_EQ(code_of(read_image(elf.data(), 86)), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(code_of(read_image(std::span(elf), 86)), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

struct Wrapper {
  uint32_t magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  const void* modules = nullptr;
};

TEST(ReadImage, WrapperOfVersion1) {
  const Bytes fatbin = make_fatbin({ptx(80, kText, Packing::Zstd)});
  Wrapper wrapper;
  wrapper.data = fatbin.data();
  wrapper.modules = "a_file_name.cu"; // not an array in this version
  EXPECT_EQ(first_text(read_image(&wrapper, 80)), kText);
  wrapper.data = nullptr;
  EXPECT_EQ(code_of(read_image(&wrapper, 80)), CUDA_ERROR_INVALID_IMAGE);
  wrapper.version = 3;
  EXPECT_EQ(code_of(read_image(&wrapper, 80)), CUDA_ERROR_INVALID_IMAGE);
}

TEST(ReadImage, WrapperOfVersion2HasAllModules) {
  const Bytes linked = make_fatbin({cubin(80)});
  const Bytes a = make_fatbin({ptx(80, "a")}), b = make_fatbin({ptx(75, "old"), ptx(80, "b", Packing::Lz4)});
  const void* modules[] = {a.data(), b.data(), nullptr};
  Wrapper wrapper;
  wrapper.version = 2;
  wrapper.data = linked.data();
  wrapper.modules = modules;
  auto images = read_image(&wrapper, 80);
  ASSERT_TRUE(images.ok()) << images.error().message;
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ(images->at(0).text, "a");
  EXPECT_EQ(images->at(1).text, "b");
  modules[0] = nullptr; // nothing registered: what the device linker left
  EXPECT_EQ(code_of(read_image(&wrapper, 80)), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST(ReadImage, UnusedDeviceRuntimeIsLeftOut) {
  const std::string runtime =
      ".visible .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 a)\n{ ret; }\n"
      ".visible .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a)\n{ ret; }\n";
  const Bytes user = make_fatbin({ptx(80, kText)}), library = make_fatbin({ptx(121, runtime, Packing::Zstd)});
  const Bytes launcher =
      make_fatbin({ptx(80, ".extern .func (.param .b32 r) cudaLaunchDeviceV2\n(\n.param .b64 a\n);\n")});
  const void* modules[] = {user.data(), library.data(), nullptr, nullptr};
  Wrapper wrapper;
  wrapper.version = 2;
  wrapper.modules = modules;
  EXPECT_EQ(first_text(read_image(&wrapper, 80)), kText);
  modules[2] = launcher.data();
  EXPECT_EQ(first_text(read_image(&wrapper, 80)), "3 modules");
}

TEST(ReadImage, EveryTruncationIsAnError) {
  for (const Packing packing : {Packing::None, Packing::Lz4, Packing::Zstd}) {
    const Bytes fatbin = make_fatbin({cubin(75), ptx(80, kText, packing), ptx(90, kText, packing)});
    for (size_t size = 4; size < fatbin.size(); ++size) { // fewer bytes might be a text
      const AtPageEnd edge(std::span<const std::byte>(fatbin.data(), size));
      auto images = read_image(edge.span(size), 80);
      ASSERT_FALSE(images.ok()) << size;
      EXPECT_EQ(images.error().code, CUDA_ERROR_INVALID_IMAGE);
    }
  }
}

// The header states the size, so an image in memory that was cut off inside is one whose sizes do not add up.
TEST(ReadImage, EntriesCutOffInMemoryAreErrors) {
  const Bytes fatbin = make_fatbin({cubin(75), ptx(80, kText, Packing::Zstd)});
  for (uint64_t size = 1; size < fatbin.size() - 16; ++size) {
    Bytes cut(fatbin.begin(), fatbin.begin() + 16 + static_cast<std::ptrdiff_t>(size));
    put<uint64_t>(cut, 8, size);
    const AtPageEnd edge(cut);
    const CUresult code = code_of(read_image(edge.data(), 80));
    // Cut just behind the first entry it is a whole fatbin without PTX.
    EXPECT_TRUE(code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU) << size;
    EXPECT_EQ(code == CUDA_ERROR_NO_BINARY_FOR_GPU, size == make_entry(cubin(75)).size()) << size;
  }
}

TEST(ReadImage, HostileSizes) {
  for (const Packing packing : {Packing::Lz4, Packing::Zstd}) {
    const Bytes good = make_fatbin({ptx(80, std::string(1000, 'x'), packing)});
    for (const uint64_t size :
         {uint64_t{0}, uint64_t{999}, uint64_t{1001}, uint64_t{1} << 32, ~uint64_t{0}}) {
      Bytes bad = good;
      put<uint64_t>(bad, 16 + 56, size);
      EXPECT_EQ(code_of(read_image(bad.data(), 80)), CUDA_ERROR_INVALID_IMAGE) << size;
    }
    for (const uint32_t size : {0u, 1u, 0xffffffffu}) {
      Bytes bad = good;
      put<uint32_t>(bad, 16 + 16, size);
      EXPECT_EQ(code_of(read_image(bad.data(), 80)), CUDA_ERROR_INVALID_IMAGE) << size;
    }
  }
  const Bytes good = make_fatbin({ptx(80, kText)});
  for (const uint64_t size : {~uint64_t{0}, ~uint64_t{0} - 63, uint64_t{1} << 63, uint64_t{1} << 33}) {
    Bytes bad = good;
    put<uint64_t>(bad, 8, size);
    EXPECT_EQ(code_of(read_image(bad.data(), 80)), CUDA_ERROR_INVALID_IMAGE) << size;
    bad = good;
    put<uint64_t>(bad, 16 + 8, size);
    EXPECT_EQ(code_of(read_image(bad.data(), 80)), CUDA_ERROR_INVALID_IMAGE) << size;
  }
  for (const uint32_t size : {0u, 1u, 63u, 0x7fffffffu, 0xffffffffu}) {
    Bytes bad = good;
    put<uint32_t>(bad, 16 + 4, size);
    EXPECT_EQ(code_of(read_image(bad.data(), 80)), CUDA_ERROR_INVALID_IMAGE) << size;
  }
}

// 100 MiB of one letter pack into a few kB; an entry that states less must not cost more.
TEST(ReadImage, DecompressionStopsAtTheStatedSize) {
  const std::string bomb(100u << 20, 'a');
  for (const Packing packing : {Packing::Lz4, Packing::Zstd}) {
    Bytes fatbin = make_fatbin({ptx(80, bomb, packing)});
    put<uint64_t>(fatbin, 16 + 56, 1000);
    EXPECT_EQ(code_of(read_image(fatbin.data(), 80)), CUDA_ERROR_INVALID_IMAGE);
  }
}

TEST(ReadImage, RandomDamageNeverHurts) {
  std::mt19937 random(7);
  for (const Packing packing : {Packing::None, Packing::Lz4, Packing::Zstd}) {
    const Bytes good = make_fatbin({cubin(75), ptx(80, kText, packing)});
    for (int round = 0; round < 5000; ++round) {
      Bytes bad = good;
      for (int i = 0; i < 1 + round % 3; ++i)
        bad[random() % bad.size()] = static_cast<std::byte>(random());
      const AtPageEnd edge(bad);
      (void)read_image(edge.span(bad.size()), 80);
    }
  }
}

} // namespace
} // namespace ptxshim
