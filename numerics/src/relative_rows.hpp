// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/numerics/certificate.hpp>

namespace nonsmooth::detail {

/// The largest |e_i| / terms_i of the rows added; what a certificate calls row_residual.
class RelativeRows {
 public:
  void add(Index row, double error, double terms) noexcept {
    error = std::abs(error);
    if (error <= largest_ * terms) return;  // most rows, without a division; false where it underflows or is no number
    // Terms of 0 with an error: z of a row that M does not couple, infinitely wrong.
    const double relative = error / terms;
    if (relative <= largest_ || error == 0.0 || std::isnan(largest_)) return;  // a NaN is the worst, and stays
    largest_ = relative;
    row_ = row;
  }
  [[nodiscard]] double largest() const noexcept { return largest_; }
  void tell(Certificate& certificate) const noexcept {
    certificate.row_residual = largest_;
    certificate.worst_relative_row = row_;
  }

 private:
  double largest_ = 0.0;
  Index row_ = -1;
};

}  // namespace nonsmooth::detail
