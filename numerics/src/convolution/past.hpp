// SPDX-License-Identifier: Apache-2.0
// Sums over the past of a discrete convolution; not installed.
#pragma once

#include <memory>

#include <nonsmooth/numerics/convolution/weights.hpp>

namespace nonsmooth::convolution::detail {

/// sum_{j<n} W_{n-j} p_j for n = 0, 1, ..., each asked once before p_n is told.
class Past {
 public:
  virtual ~Past() = default;
  /// p: m x N, of which columns before n are known. sum: m entries, written.
  virtual void before(Index n, const Eigen::MatrixXd& p, Eigen::VectorXd& sum) = 0;
  /// Column n is known now.
  virtual void known(Index n, const Eigen::MatrixXd& p) = 0;
};

/// The first `reach` weights by the sum itself.
void add_direct(const Weights& weights, Index from, Index n, const Eigen::MatrixXd& p, Eigen::VectorXd& sum);

[[nodiscard]] std::unique_ptr<Past> direct_past(const Weights& weights);
[[nodiscard]] std::unique_ptr<Past> fourier_past(const Weights& weights);
[[nodiscard]] std::unique_ptr<Past> recursive_past(const ExponentialKernel& kernel, double h, Rule rule);
[[nodiscard]] std::unique_ptr<Past> compressed_past(const Weights& weights, Compression compression);

/// sum_{j<=n} W_{n-j} p_j for all columns n of p, by one Fourier transform. m x columns.
[[nodiscard]] Eigen::MatrixXd convolve(const Weights& weights, const Eigen::MatrixXd& p);

}  // namespace nonsmooth::convolution::detail
