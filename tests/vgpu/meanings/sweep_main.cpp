// SPDX-License-Identifier: MIT
// Compiled for any host: asks whether this one can run the sweep at all. Exit status 77 says that it cannot.
void sweep();

int main() {
  const bool v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                  __builtin_cpu_supports("avx512vl") != 0;
  if ((SWEEP_LEVEL >= 3 && !v3) || (SWEEP_LEVEL >= 4 && !v4)) return 77;
  sweep();
  return 0;
}
