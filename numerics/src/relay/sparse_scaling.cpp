// SPDX-License-Identifier: Apache-2.0
#include "sparse_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "sparse_entries.hpp"
#include "symmetric_scaling.hpp"

namespace nonsmooth::relay::detail {

Scaling::Scaling(const SparseProblem& problem, bool equilibrate, SparseProblem& scaled) {
  const Index n = problem.q.size();
  D.setOnes(n);
  scaled = problem;
  scaled.M.makeCompressed();
  if (equilibrate) {
    Eigen::VectorXd work(n);
    const auto largest_of = [&](VectorRef weights, VectorRef largest) {
      largest.setZero();
      nonsmooth::detail::for_each_entry(problem.M, [&](Index i, Index j, double entry) {
        const double value = std::abs(entry) * weights[i] * weights[j];
        largest[i] = std::max(largest[i], value);
        largest[j] = std::max(largest[j], value);
      });
    };
    nonsmooth::detail::scale_symmetrically(largest_of, D, work);
    scaled.M = D.asDiagonal() * scaled.M * D.asDiagonal();
  }
  scaled.q = problem.q.cwiseProduct(D);
  const double largest = scaled.q.lpNorm<Eigen::Infinity>();
  if (largest > 0.0) unit = std::exp2(std::round(std::log2(largest)));
  scaled.q /= unit;
  scaled.lower = problem.lower.cwiseQuotient(unit * D);
  scaled.upper = problem.upper.cwiseQuotient(unit * D);
}

}  // namespace nonsmooth::relay::detail
