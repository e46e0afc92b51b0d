// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <nonsmooth/numerics/certificate.hpp>

namespace nonsmooth::detail {

/// The largest |e_i| / terms_i of the rows added, without a division a row; what a certificate calls row_residual. Rows
/// whose errors and terms multiply to nothing are passed over.
class RelativeRows {
 public:
  void add(Index row, double error, double terms) noexcept {
    error = std::abs(error);
    if (error * terms_ <= error_ * terms || std::isnan(error_)) return;  // a NaN is the worst, and stays
    error_ = error;
    terms_ = terms;
    row_ = row;
  }
  void tell(Certificate& certificate) const noexcept {
    // Terms of 0 with an error: z of a row that M does not couple.
    certificate.row_residual = error_ == 0.0 ? 0.0 : error_ / terms_;
    certificate.worst_relative_row = row_;
  }

 private:
  double error_ = 0.0, terms_ = 1.0;
  Index row_ = -1;
};

}  // namespace nonsmooth::detail
