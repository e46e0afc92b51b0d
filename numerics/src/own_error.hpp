// SPDX-License-Identifier: Apache-2.0
// The worst error of a certificate by the sizes of single rows and columns; not installed.
#pragma once

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/outcome.hpp>

namespace nonsmooth::detail {

/// The worst of errors, each over what its own row, cone or column says of its size and its own terms.
struct OwnError {
  double residual = 0.0, error = 0.0, unit = 0.0;
  Index row = -1;

  [[nodiscard]] bool is_worse(double own_error, double own_unit) const { return own_error > residual * own_unit; }

  /// `size`: of the data, 0 where there is none to compare with.
  void add(Index at, double own_error, double size, double terms) {
    if (!(size > 0.0) || !is_worse(own_error, size + terms)) return;
    *this = {own_error / (size + terms), own_error, size + terms, at};
  }

  /// Makes a certificate tell of this where it is worse.
  void raise(Certificate& certificate) const {
    if (!(residual > certificate.residual)) return;
    certificate.residual = residual;
    certificate.error = error;
    certificate.scale = unit;
    certificate.round_off = 64.0 * eps * unit;
    certificate.worst_row = row;
  }
};

}  // namespace nonsmooth::detail
