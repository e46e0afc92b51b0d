// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/nonlinear_mpcc.hpp>

#include <internal/check.hpp>

namespace nonsmooth {

void NonlinearMpcc::validate() const {
  program.validate();
  if (start.size() == 0) return;
  check::size("NonlinearMpcc::start", start.size(), num_unknowns(), "one an unknown");
  check::finite("NonlinearMpcc::start", ConstVectorRef(start));
}

}  // namespace nonsmooth
