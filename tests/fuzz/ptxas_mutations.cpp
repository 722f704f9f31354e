// SPDX-License-Identifier: MIT
// Makes mistakes in PTX that is right, and asks both NVIDIA's ptxas and our checker whether they still take it.
//
//   ptxas_mutations [--count N] [--seed N] [--ptxas PATH] [--differences FILE] [--list] FOLDER-or-FILE…
//
// Prints the rate of agreement and every difference. A difference must be explained by a row of FILE (ptxas_differences.tsv):
//   who refuses (ptxas | ptxshim) <tab> part of the refusal's text <tab> why
// Fails when one is not, or when fewer than 98 of a hundred agree. Without ptxas: exit status 77, which ctest reports as skipped.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mutations.h"
#include "syntax/parse.h"

extern char** environ;

namespace ptxshim::ptx {
namespace {

namespace fs = std::filesystem;
constexpr int kSkipped = 77;
constexpr double kLeastAgreement = 0.98;

struct Options {
  unsigned count = 300;
  uint32_t seed = 1;
  std::string ptxas = "/usr/local/cuda/bin/ptxas";
  std::string differences;
  bool list = false;
  std::vector<fs::path> seeds;
};

struct Row { // of ptxas_differences.tsv
  std::string who, text, why;
  unsigned met = 0;
};

struct Answer {
  bool accepted = false;
  std::string message;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// -arch must be at least the module's target, and exactly that for an a or f target; ptxas 13 starts at sm_75.
std::string architecture_for(const std::string& text) {
  const size_t directive = text.find(".target");
  const size_t at = directive == std::string::npos ? directive : text.find("sm_", directive);
  if (at == std::string::npos) return "sm_90";
  const std::string name = text.substr(at, text.find_first_not_of("0123456789af", at + 3) - at);
  const int number = std::atoi(name.c_str() + 3);
  if (number < 75) return number == 0 ? "sm_90" : "sm_75";
  for (const char* known : {"75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"})
    if (name.substr(3, name.find_first_of("af", 3) - 3) == known) return name;
  return "sm_90";
}

class Ptxas {
public:
  explicit Ptxas(std::string program) : program_(std::move(program)) {
    char folder[] = "/tmp/ptxas-mutations-XXXXXX";
    if (mkdtemp(folder)) folder_ = folder;
  }
  ~Ptxas() { fs::remove_all(folder_); }
  Ptxas(const Ptxas&) = delete;
  Ptxas& operator=(const Ptxas&) = delete;

  Answer ask(const std::string& text) const {
    const fs::path input = folder_ / "m.ptx";
    const fs::path log = folder_ / "log";
    std::ofstream(input, std::ios::binary) << text;
    const std::string architecture = "-arch=" + architecture_for(text);
    const std::string cubin = (folder_ / "m.cubin").string();
    const std::string name = input.string();
    const char* const arguments[] = {program_.c_str(), "-O0", "-c", architecture.c_str(), name.c_str(), "-o", cubin.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int started = posix_spawn(&child, program_.c_str(), &actions, nullptr, const_cast<char* const*>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = -1;
    if (started == 0) waitpid(child, &status, 0);
    Answer answer{started == 0 && status == 0, {}};
    if (!answer.accepted) answer.message = first_error(read_file(log));
    return answer;
  }

private:
  static std::string first_error(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("error") == std::string::npos && line.find("fatal") == std::string::npos) continue;
      const size_t at = line.find("line ");
      return at == std::string::npos ? line : line.substr(at);
    }
    return "no error, but no success: " + log.substr(0, 200);
  }

  std::string program_;
  fs::path folder_;
};

Answer ask_us(const std::string& text) {
  const Result<Module> module = parse_module(text, "m.ptx");
  if (module) return {true, {}};
  return {false, module.error().message.substr(0, module.error().message.find('\n'))};
}

std::vector<fs::path> files_in(const std::vector<fs::path>& places) {
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    if (!fs::is_directory(place)) {
      files.push_back(place);
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place))
      if (entry.path().extension() == ".ptx" && entry.file_size() < 20000) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Row> read_differences(const std::string& path) {
  std::vector<Row> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t one = line.find('\t');
    const size_t two = line.find('\t', one + 1);
    if (one == std::string::npos || two == std::string::npos) continue;
    rows.push_back({line.substr(0, one), line.substr(one + 1, two - one - 1), line.substr(two + 1)});
  }
  return rows;
}

bool explain(std::vector<Row>& rows, const std::string& who, const std::string& message) {
  for (Row& row : rows) {
    if (row.who != who || message.find(row.text) == std::string::npos) continue;
    ++row.met;
    return true;
  }
  return false;
}

int run(const Options& options) {
  if (!fs::exists(options.ptxas)) {
    std::cout << "skipped: there is no " << options.ptxas << '\n';
    return kSkipped;
  }
  const std::vector<fs::path> files = files_in(options.seeds);
  if (files.empty()) return std::cerr << "no PTX to change\n", 2;
  const Ptxas ptxas(options.ptxas);
  std::vector<Row> rows = read_differences(options.differences);
  std::map<fs::path, bool> good; // seeds that both take
  std::mt19937 random(options.seed);
  unsigned made = 0, agreed = 0, unexplained = 0, refused = 0;
  for (unsigned tries = 0; made < options.count && tries < 20 * options.count; ++tries) {
    const fs::path& path = files[random() % files.size()];
    const uint32_t seed = static_cast<uint32_t>(random());
    const std::string text = read_file(path);
    if (!good.contains(path)) good[path] = ask_us(text).accepted && ptxas.ask(text).accepted;
    if (!good[path]) continue;
    const Mutation mutation = Mutator(text, seed).make();
    const Answer theirs = ptxas.ask(mutation.text);
    const Answer ours = ask_us(mutation.text);
    ++made;
    refused += theirs.accepted ? 0 : 1;
    if (theirs.accepted == ours.accepted) {
      ++agreed;
      continue;
    }
    const std::string who = theirs.accepted ? "ptxshim" : "ptxas";
    const std::string& message = theirs.accepted ? ours.message : theirs.message;
    const bool explained = explain(rows, who, message);
    unexplained += explained ? 0 : 1;
    if (!explained || options.list) {
      std::cout << (explained ? "explained  " : "DIFFERENCE ") << path.filename().string() << "  " << mutation.what << "\n  " << who << " refuses: " << message << '\n';
    }
  }
  const double rate = made == 0 ? 0 : static_cast<double>(agreed) / made;
  std::printf("%u mutations, %u refused by ptxas, %.2f %% agreement, %u differences explained, %u not\n", made, refused, 100 * rate,
              made - agreed - unexplained, unexplained);
  for (const Row& row : rows)
    if (row.met > 0) std::printf("  %4u  %s refuses '%s': %s\n", row.met, row.who.c_str(), row.text.c_str(), row.why.c_str());
  return made == options.count && unexplained == 0 && rate >= kLeastAgreement ? 0 : 1;
}

} // namespace
} // namespace ptxshim::ptx

int main(int argc, char** argv) {
  ptxshim::ptx::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--count" && more) options.count = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (word == "--seed" && more) options.seed = static_cast<uint32_t>(std::atoi(argv[++i]));
    else if (word == "--ptxas" && more) options.ptxas = argv[++i];
    else if (word == "--differences" && more) options.differences = argv[++i];
    else if (word == "--list") options.list = true;
    else options.seeds.emplace_back(word);
  }
  return ptxshim::ptx::run(options);
}
