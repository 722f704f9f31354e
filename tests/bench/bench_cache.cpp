// SPDX-License-Identifier: MIT
// Time of a warm load up to what HIP is given: reading the image, the key, finding, verifying and decompressing the entry.
// Usage: bench_cache FILE.ptx TARGET; prints microseconds (minimum and median of 1,000 loads).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "ptxshim/image.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ostringstream text;
  text << std::ifstream(argv[1], std::ios::binary).rdbuf();
  const std::string ptx = text.str();
  const std::unique_ptr<ptxshim::Cache> cache = ptxshim::Cache::open();
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    auto image = ptxshim::read_image(ptx.c_str(), ptxshim::kComputeCapability);
    if (!image) return 1;
    const ptxshim::TranslateRequest request = ptxshim::make_request(std::move(*image), argv[2], 4);
    auto translation = ptxshim::translate_cached(*cache, request);
    const auto end = std::chrono::steady_clock::now();
    if (!translation) {
      std::fprintf(stderr, "%s\n", translation.error().message.c_str());
      return 1;
    }
    if (translation->from_cache) times.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  if (times.size() < 900) return 1;
  std::sort(times.begin(), times.end());
  std::printf("%.1f %.1f\n", times.front(), times[times.size() / 2]);
  return 0;
}
