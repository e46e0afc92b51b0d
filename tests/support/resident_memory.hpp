// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>

#include <unistd.h>

namespace nonsmooth::test {

/// Memory of this process that is in RAM, by /proc/self/statm [bytes]; 0 where there is no such file.
inline double resident_memory() {
  std::ifstream pages("/proc/self/statm");
  double total = 0.0, resident = 0.0;
  pages >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace nonsmooth::test
