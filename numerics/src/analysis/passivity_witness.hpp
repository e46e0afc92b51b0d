// SPDX-License-Identifier: Apache-2.0
// Why a system is not passive; not installed.
#pragma once

#include <complex>
#include <optional>
#include <string_view>

#include "linear_form.hpp"

namespace nonsmooth::analysis::detail {

/// A frequency s and a direction v that exclude every storage function x^T P x / 2 with P > 0.
struct PassivityWitness {
  std::complex<double> s;  ///< infinite: what D and C B say
  Eigen::VectorXcd v;
  double value = 0.0, round_off = 0.0;
  std::string_view reason;
};

/// Looks at D and C B, at A's eigenvalues, then at H(s) + H(s)^* for s on and to the right of the imaginary axis.
/// Nothing is found where the form is negative between all frequencies looked at, or within round-off.
[[nodiscard]] std::optional<PassivityWitness> find_passivity_witness(const StandardForm& form);

}  // namespace nonsmooth::analysis::detail
