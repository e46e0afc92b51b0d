// SPDX-License-Identifier: Apache-2.0
#pragma once

// Draws that the random instances share.

#include <random>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problems {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
/// In [low, high].
inline Index whole(Random& random, Index low, Index high) {
  return low + static_cast<Index>(random() % static_cast<std::uint64_t>(high - low + 1));
}
/// In [-1, 1], entry by entry.
inline Eigen::MatrixXd entries(Random& random, Index rows, Index cols) {
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return uniform(random, -1.0, 1.0); });
}
inline Eigen::MatrixXd skew(Random& random, Index n) {
  const Eigen::MatrixXd X = entries(random, n, n);
  return X - X.transpose();
}

}  // namespace nonsmooth::problems
