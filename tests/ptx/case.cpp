// SPDX-License-Identifier: MIT
#include "case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ptxcase {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

size_t size_of(const std::string& type) {
  const std::string digits = type.substr(type.find_first_of("0123456789") == std::string::npos ? type.size() : type.find_first_of("0123456789"));
  if (digits == "8") return 1;
  if (digits == "16") return 2;
  if (digits == "32" || digits == "16x2") return 4;
  if (digits == "64") return 8;
  return 0;
}

bool is_real(const std::string& type) { return type == "f32" || type == "f64"; }

bool parse_bits(const std::string& type, const std::string& word, uint64_t& bits) {
  char* end = nullptr;
  if (word.empty()) return false;
  if (word.size() > 2 && word[0] == '0' && (word[1] == 'f' || word[1] == 'F' || word[1] == 'd' || word[1] == 'D')) {
    bits = std::strtoull(word.c_str() + 2, &end, 16);
    return *end == '\0';
  }
  if (is_real(type) && word.compare(0, 2, "0x") != 0) {
    const double value = std::strtod(word.c_str(), &end);
    bits = type == "f32" ? std::bit_cast<uint32_t>(std::strtof(word.c_str(), nullptr)) : std::bit_cast<uint64_t>(value);
    return *end == '\0';
  }
  bits = word[0] == '-' ? static_cast<uint64_t>(std::strtoll(word.c_str(), &end, 0)) : std::strtoull(word.c_str(), &end, 0);
  return *end == '\0';
}

double real_of(const std::string& type, uint64_t bits) {
  return type == "f32" ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))) : std::bit_cast<double>(bits);
}

// "u32 1, 40, 7*3, 0..2" -> values
bool parse_values(const std::string& line, std::string& type, std::vector<uint64_t>& values) {
  std::istringstream stream(line);
  if (!(stream >> type) || !size_of(type)) return false;
  std::string rest;
  std::getline(stream, rest);
  std::istringstream words(rest);
  for (std::string word; std::getline(words, word, ',');) {
    word = trimmed(word);
    uint64_t bits = 0, last = 0;
    if (const size_t star = word.find('*'); star != std::string::npos) {
      if (!parse_bits(type, trimmed(word.substr(0, star)), bits)) return false;
      values.insert(values.end(), std::strtoul(word.c_str() + star + 1, nullptr, 10), bits);
    } else if (const size_t dots = word.find(".."); dots != std::string::npos) {
      if (!parse_bits(type, word.substr(0, dots), bits) || !parse_bits(type, word.substr(dots + 2), last)) return false;
      for (uint64_t v = bits; v <= last; ++v) values.push_back(v);
    } else {
      if (!parse_bits(type, word, bits)) return false;
      values.push_back(bits);
    }
  }
  return !values.empty();
}

bool parse_shape(const std::string& text, unsigned (&shape)[3]) {
  return std::sscanf(text.c_str(), "%u,%u,%u", &shape[0], &shape[1], &shape[2]) >= 1;
}

size_t aligned(size_t offset, size_t size) { return (offset + size - 1) / size * size; }

bool add_input(Case& c, const std::string& line) {
  std::string type;
  std::vector<uint64_t> values;
  if (!parse_values(line, type, values)) return false;
  const size_t size = size_of(type);
  for (uint64_t v : values) {
    const size_t offset = aligned(c.input.size(), size);
    c.input.resize(offset + size);
    std::memcpy(c.input.data() + offset, &v, size); // little endian
  }
  return true;
}

bool add_output(Case& c, std::string line, bool approximate) {
  Expected e;
  e.approximate = approximate;
  if (approximate) {
    size_t at = line.rfind(" rel ");
    e.relative = at != std::string::npos;
    if (!e.relative) at = line.rfind(" abs ");
    if (at == std::string::npos) return false;
    e.distance = std::strtod(line.c_str() + at + 5, nullptr);
    if (!(e.distance > 0)) return false;
    line.resize(at);
  }
  std::vector<uint64_t> values;
  if (!parse_values(line, e.type, values) || (approximate && !is_real(e.type))) return false;
  const size_t size = size_of(e.type);
  for (uint64_t v : values) {
    e.offset = aligned(c.output_bytes, size);
    e.bits = size == 8 ? v : v & ((uint64_t{1} << size * 8) - 1);
    if (is_real(e.type)) e.value = real_of(e.type, e.bits);
    c.output_bytes = e.offset + size;
    c.expected.push_back(e);
  }
  return true;
}

bool read_line(Case& c, const std::string& key, const std::string& value) {
  if (key == "RUN-IN") return add_input(c, value);
  if (key == "RUN-OUT") return add_output(c, value, false);
  if (key == "RUN-OUT~") return add_output(c, value, true);
  if (key == "RUN-GRID") return parse_shape(value, c.grid);
  if (key == "RUN-BLOCK") return parse_shape(value, c.block);
  if (key == "RUN-SHARED") return std::sscanf(value.c_str(), "%u", &c.shared) == 1;
  if (key == "RUN-ERROR") {
    char* end = nullptr;
    c.error = static_cast<int>(std::strtol(value.c_str(), &end, 10));
    c.error_text = trimmed(end);
    return c.error != 0;
  }
  return false;
}

} // namespace

Case read_case(const std::string& path, std::string& problem) {
  Case c;
  c.path = path;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  c.text = all.str();
  if (!file || c.text.empty()) problem = "cannot be read";
  std::istringstream lines(c.text);
  int number = 0;
  for (std::string line; problem.empty() && std::getline(lines, line);) {
    ++number;
    const size_t at = line.find("// RUN-");
    if (at == std::string::npos) continue;
    const size_t colon = line.find(':', at);
    if (colon == std::string::npos || !read_line(c, line.substr(at + 3, colon - at - 3), trimmed(line.substr(colon + 1))))
      problem = "line " + std::to_string(number) + " is no RUN line that I understand: " + line;
  }
  if (problem.empty() && !c.error && c.expected.empty()) problem = "states no expectation (RUN-OUT)";
  return c;
}

std::vector<std::string> find_cases(const std::vector<std::string>& paths) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      found.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.path().extension() == ".ptx") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::byte> blank_output(const Case& c) { return std::vector<std::byte>(std::max<size_t>(c.output_bytes, 1), std::byte{0xcd}); }

std::string compare(const Case& c, const std::vector<std::byte>& output) {
  std::string differences;
  int count = 0;
  for (size_t i = 0; i < c.expected.size(); ++i) {
    const Expected& e = c.expected[i];
    uint64_t bits = 0;
    std::memcpy(&bits, output.data() + e.offset, size_of(e.type));
    bool good = bits == e.bits;
    if (e.approximate && !good) {
      const double got = real_of(e.type, bits), distance = std::abs(got - e.value);
      good = distance <= e.distance * (e.relative ? std::abs(e.value) : 1.0) || (std::isnan(got) && std::isnan(e.value));
    }
    if (good) continue;
    if (++count > 4) continue;
    char line[200];
    if (is_real(e.type))
      std::snprintf(line, sizeof line, "  out[%zu] (%s) is %.9g (0x%llx), expected %.9g (0x%llx)\n", i, e.type.c_str(), real_of(e.type, bits),
                    static_cast<unsigned long long>(bits), e.value, static_cast<unsigned long long>(e.bits));
    else
      std::snprintf(line, sizeof line, "  out[%zu] (%s) is 0x%llx, expected 0x%llx\n", i, e.type.c_str(),
                    static_cast<unsigned long long>(bits), static_cast<unsigned long long>(e.bits));
    differences += line;
  }
  if (count > 4) differences += "  ... " + std::to_string(count) + " differences\n";
  return differences;
}

} // namespace ptxcase
