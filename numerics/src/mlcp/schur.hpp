// SPDX-License-Identifier: Apache-2.0
// The problem in v alone; not installed.
#pragma once

#include <internal/decompositions.hpp>

#include "internal.hpp"

namespace nonsmooth::mlcp::detail {

/// u = -(offset + gain v) with gain = A^-1 C, offset = A^-1 a, and the box problem of S = B - D gain.
struct Schur {
  relay::Problem problem;
  Eigen::MatrixXd gain;
  Eigen::VectorXd offset;

  /// False if the condition of the scaled A exceeds the limit. A must be square.
  bool compute(const Problem& given, double condition_limit);
  /// u of a v, refined.
  void recover(const Problem& given, ConstVectorRef v, Eigen::VectorXd& u) const;
  /// y_e with A^T y_e + D^T y_w = 0, into y (n entries).
  void extend(const Problem& given, ConstVectorRef y_w, Eigen::VectorXd& y) const;

 private:
  void solve(const Problem& given, ConstVectorRef right, Eigen::VectorXd& x) const;

  LuFactors lu_;
  Eigen::VectorXd rows_, columns_;
};

}  // namespace nonsmooth::mlcp::detail
