// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/sparse_factors.hpp>

#include "internal.hpp"

namespace nonsmooth::relay::detail {

/// As Partition, of a sparse M: z of given places, M_bb z_b = -(q + M z_rest)_b by sparse LU with one refinement.
class SparsePartition {
 public:
  explicit SparsePartition(const SparseProblem& problem) : p_(problem) {}

  /// w = M z + q. False if M_bb is singular to working precision; z and w are then unspecified.
  bool solve(const Places& places, VectorRef z, VectorRef w);

 private:
  const SparseProblem& p_;
  std::vector<Index> rows_, position_;  // of the rows between their bounds; where a row is among these, or -1
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::VectorXd weights_, step_;
  SparseLuFactors lu_;
};

/// Where (z, w) say that each row is: at the bound that z - w / s is beyond.
void find_places(const SparseProblem& problem, ConstVectorRef s, ConstVectorRef z, ConstVectorRef w, Places& places);

}  // namespace nonsmooth::relay::detail
