// SPDX-License-Identifier: MIT
// Typical mistakes: where they are found and what is said; and, where there is a ptxas, that it refuses them too, in the same line.
#include <cstdlib>

#include "parsing.h"

namespace ptxshim::ptx {
namespace {

struct Mistake {
  const char* statement; // in the kernel below; "@" in front: at module scope
  unsigned column;
  const char* ours;   // part of our message
  const char* ptxas;  // part of that of ptxas 13.0, as observed
};

constexpr unsigned kLine = 10; // of the statement
const std::string kModuleHead = ".version 8.7\n.target sm_90\n.address_size 64\n"
                                ".global .align 4 .u32 counter; .const .u32 table[4];\n"
                                ".shared .u32 tile[64];\n";
const std::string kKernelHead = ".func (.param .b32 r) twice(.param .b32 a) { ret; }\n"
                                ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
                                ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
                                ".reg .f32 %f<8>; .reg .f64 %fd<4>;\n";

// clang-format off
constexpr Mistake kMistakes[] = {
    {"ad.u32 %r1, %r2, %r3;",              1, "unknown instruction 'ad' (did you mean 'add'?)", "Not a name of any known instruction: 'ad'"},
    {"add.u33 %r1, %r2, %r3;",             4, "unknown modifier '.u33' of add (did you mean '.u32'?)", "Unknown modifier '.u33'"},
    {"add %r1, %r2, %r3;",                 1, "add: one of .u16, .u32,", "Unexpected instruction types specified for 'add'"},
    {"add.u32.hi %r1, %r2, %r3;",          1, "add has no modifier '.hi'", "Comparison qualifier is not allowed for instruction 'add'"},
    {"add.rn.f64.ftz %fd1, %fd2, %fd3;",   1, "add.rn.f64.ftz: .ftz has no place there", "Illegal modifier '.ftz' for instruction 'add'"},
    {"mul.u32 %r1, %r2, %r3;",             1, "mul.u32: one of .hi, .lo and .wide is missing", "Unexpected instruction types specified for 'mul'"},
    {"cvt.u32.f32 %r1, %f1;",              1, "cvt.u32.f32: one of .rni, .rzi, .rmi and .rpi is missing", "Rounding modifier required for instruction 'cvt'"},
    {"div.f32 %f1, %f2, %f3;",             1, "div.f32 ended with PTX version 1.4", "Rounding modifier or '.approx' modifier required"},
    {"setp.lt.b32 %p1, %r1, %r2;",         1, ".lt and .b32 exclude each other", "Mismatch between instruction type and comparison qualifier"},
    {"setp.eq.u32 %r1, %r2, %r3;",        13, "register %r1 is .b32 where .pred is expected", "Arguments mismatch for instruction 'setp'"},
    {"add.u32 %r1, %r2;",                  1, "3 operands are expected, 2 are given", "Arguments mismatch for instruction 'add'"},
    {"add.u32 %r1, %r2, %r3, %r4;",       24, "3 operands are expected, 4 are given", "Arguments mismatch for instruction 'add'"},
    {"add.u32 %r1, %r2, %r9;",            19, "'%r9' is not declared: %r<8> declares %r0 to %r7", "Arguments mismatch for instruction 'add'"},
    {"add.u32 %r1, %r2, %f1;",            19, "operand 3: register %f1 is .f32 where .u32 is expected", "Arguments mismatch for instruction 'add'"},
    {"add.f32 %f1, %f2, 1;",              19, "an integer where .f32 is expected", "Arguments mismatch for instruction 'add'"},
    {"@%p1 add.u32 5, %r1, %r2;",         14, "a destination must be a register, not an integer", "Result register required for instruction 'add'"},
    {"mov.u32 %rd1, %r1;",                 9, "register %rd1 is .b64 where .u32 is expected", "Arguments mismatch for instruction 'mov'"},
    {"mov.u32 %r1, %tid;",                14, "%tid has components: name one (.x …)", "Argument vector size mismatch for instruction 'mov'"},
    {"mov.u32 %r1, %tid.q;",              14, "'%tid' has no component '.q'", "Unknown vector selector: 'q'"},
    {"add.u32 %r1, %tid.x, 1;",           14, "special register %tid can be read by mov and cvt only", "Special register argument not allowed for instruction 'add'"},
    {"ld.shared.u32 %r1, [counter];",     20, "'counter' is in the .global space, not in .shared", "State space mismatch between instruction and address"},
    {"ld.global.u32 %r1, [conter];",      21, "'conter' is not declared (did you mean 'counter'?)", "Illegal operand type to instruction 'ld'"},
    {"ld.global.u32 %r1, %rd1;",          20, "an address […] is expected, not register %rd1", "Arguments mismatch for instruction 'ld'"},
    {"ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];", 18, "a vector of 2 elements is expected", "Illegal vector size: 3"},
    {"st.const.u32 [table], %r1;",         1, "st has no modifier '.const'", "State space incorrect for instruction 'st'"},
    {"st.param.u32 [n], %r1;",            14, "'n' is a parameter that cannot be written", "Illegal to write to function input parameter 'n'"},
    {"@%r1 bra done; done:",               2, "'%r1' is no predicate register", "Predicate expression expected"},
    {"bra dnoe; done:",                    5, "'dnoe' is neither a label of this function nor declared (did you mean 'done'?)", "Unknown symbol 'dnoe'"},
    {"done: done:",                        7, "'done' is declared twice in one scope", "Duplicate definition of label 'done'"},
    {"call (%r1), twise, (%r2);",         13, "(did you mean 'twice'?)", "Call to 'twise' requires call prototype"},
    {"call (%r1), twice, (%r2, %r3);",     1, "call of 'twice': arguments: 1 expected, 2 given", "Call has wrong number of parameters"},
    {"call (%r1), twice, (%rd2);",         1, "argument 1: register %rd2 has 8 bytes, the callee's has 4", "Type of argument does not match formal parameter 'a'"},
    {"shfl.bfly.b32 %r1, %r2, 1, 31;",     1, "shfl.bfly.b32 ended with PTX version 6.4 for targets from sm_70 on", "without '.sync' is not supported"},
    {"bar.sync 16;",                       1, "barriers are numbered 0 to 15, not 16", "Barrier number '16' out of range"},
    {"tcgen05.fence::before_thread_sync;", 1, "needs one of the targets sm_100f", "not supported on .target 'sm_90'"},
    {".reg .u32 %r1;",                    11, "'%r1' is one of the registers declared as name<n>", "Duplicate definition of variable '%r1'"},
    {".shared .u32 x = 5;",               14, "only .global and .const variables can be initialised", "No initial value is allowed for 'x'"},
    {".local .align 3 .u32 x;",           15, "an alignment is a power of two", "Alignment must be a power of two"},
    {"mov.u32 %r1, 0x1g;",                14, "'g' behind an integer: the only suffix is 'U'", "Parsing error near 'g'"},
    {"mov.u32 %r1, 5 / 0;",               16, "division by zero in a constant expression", "Constant expression has division by zero"},
    {"mov.u32 %r1 5;",                    13, "';' expected, found an integer", "Parsing error near '5'"},
    {"ld.global.u32 %r1, [%rd1-4];",      25, "a negative offset is written '+-n'", "Parsing error near '-'"},
    {".visible .global .u32 x;",           1, "'.visible' belongs to module scope", "Parsing error near '.global'"},
    {"@.gloabl .u32 x;",                   1, "unknown directive '.gloabl' (did you mean '.global'?)", "Parsing error near '.gloabl'"},
    {"@.global .u32 x[2] = {1, 2, 3};",   28, "more values than elements: this dimension has 2", "Greater number of elements in array initializer"},
    {"@.global .u32 x = 1.5;",            18, "a floating-point number cannot initialise a variable of type .u32", "Initial value type mismatch"},
    {"@.entry k(.param .u32 a, .param .u32 a) { ret; }", 37, "'a' is declared twice in one scope", "Duplicate definition of variable 'a'"},
    {"@.entry (.param .u32 r) k() { ret; }", 8, "a kernel returns nothing", "Parsing error near '('"},
    {"@.reg .u32 x;",                      1, "'.reg' variables live in functions, not at module scope", "Module-scoped variables in .reg state space"},
};
// clang-format on

std::string text_of(const Mistake& mistake) {
  const std::string statement = mistake.statement;
  if (statement[0] == '@' && statement[1] == '.') return kModuleHead + "\n\n\n\n" + statement.substr(1) + "\n";
  return kModuleHead + kKernelHead + statement + "\nret;\n}\n";
}

TEST(Messages, say_where_and_what) {
  for (const Mistake& mistake : kMistakes) {
    const std::string message = error_of(text_of(mistake));
    const std::string place = "test.ptx:" + std::to_string(kLine) + ":" + std::to_string(mistake.column) + ": error: ";
    EXPECT_THAT(message, testing::StartsWith(place)) << mistake.statement;
    EXPECT_THAT(message, testing::HasSubstr(mistake.ours)) << mistake.statement;
    EXPECT_EQ(message.find("error:"), message.rfind("error:")) << message; // one mistake, one message
    EXPECT_THAT(message, testing::HasSubstr("\n" + std::string(mistake.column - 1, ' ') + "^")) << message;
  }
}

TEST(Messages, are_of_the_line_that_ptxas_names) {
  if (!std::filesystem::exists(PTXSHIM_TEST_PTXAS)) GTEST_SKIP() << "there is no ptxas";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ptxshim-messages";
  std::filesystem::create_directories(folder);
  for (const Mistake& mistake : kMistakes) {
    std::ofstream(folder / "m.ptx") << text_of(mistake);
    const std::string command = std::string(PTXSHIM_TEST_PTXAS) + " -c -arch=sm_90 " + (folder / "m.ptx").string() + " -o " + (folder / "m.cubin").string() +
                                " >" + (folder / "log").string() + " 2>&1";
    EXPECT_NE(std::system(command.c_str()), 0) << mistake.statement;
    const std::string log = read_file(folder / "log");
    EXPECT_THAT(log, testing::HasSubstr("line " + std::to_string(kLine) + ";")) << mistake.statement;
    EXPECT_THAT(log, testing::HasSubstr(mistake.ptxas)) << mistake.statement;
  }
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace ptxshim::ptx
