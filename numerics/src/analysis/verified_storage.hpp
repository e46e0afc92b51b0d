// SPDX-License-Identifier: Apache-2.0
// Storage functions that were put into their inequality; not installed.
#pragma once

#include <optional>

#include "linear_form.hpp"

namespace nonsmooth::analysis::detail {

/// P > 0 for certain, K(P) >= 0 to round-off: `value` is K's least eigenvalue in units of its terms, `round_off` the
/// bound it was held against.
struct VerifiedStorage {
  Eigen::MatrixXd P;
  double value = 0.0, round_off = 0.0;
};

/// For a balanced system; nothing where none was verified.
[[nodiscard]] std::optional<VerifiedStorage> verified_storage(const StandardForm& form);

}  // namespace nonsmooth::analysis::detail
