// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "command.hpp"

#ifdef __linux__
#include <cstdlib>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>
#endif

namespace {

/// OpenBLAS starts one thread a core when it is loaded, each with a buffer of more than 100 MB, and one that finds no
/// room for its buffer asks again for ever: the program would not end. Where the address space is limited to less than
/// all of them take, the program starts over with one such thread, unless the user has chosen a number.
void fit_into_address_space([[maybe_unused]] char** argv) {
#ifdef __linux__
  constexpr rlim_t program = rlim_t{1} << 30, thread = rlim_t{1} << 28;  // [bytes], twice of what was measured
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (limit.rlim_cur >= program + thread * std::thread::hardware_concurrency()) return;
  for (const char* chosen : {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (std::getenv(chosen) != nullptr) return;
  }
  if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) execv("/proc/self/exe", argv);  // returns where it is refused only
#endif
}

}  // namespace

int main(int argc, char** argv) {
  fit_into_address_space(argv);
  return nonsmooth::command::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), std::cout,
                                 std::cerr);
}
