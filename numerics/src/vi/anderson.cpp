// SPDX-License-Identifier: Apache-2.0
#include "anderson.hpp"

#include <algorithm>

#include <internal/decompositions.hpp>

namespace nonsmooth::vi::detail {

Anderson::Anderson(Index size, Index memory) : memory_(std::min(memory, size)), R_(size, memory_), Y_(size, memory_) {}

bool Anderson::propose(const Eigen::VectorXd& x, const Eigen::VectorXd& image, Eigen::VectorXd& proposal) {
  if (memory_ == 0) return false;
  const Eigen::VectorXd r = image - x;
  if (count_ > 0) {
    const Index place = (count_ - 1) % memory_;
    R_.col(place) = r - last_r_;
    Y_.col(place) = image - last_image_;
  }
  last_r_ = r;
  last_image_ = image;
  const Index columns = std::min(count_, memory_);
  ++count_;
  if (columns == 0) return false;
  // Columns that nearly depend on the others say nothing: of least norm, to half of the digits.
  CompleteOrthogonalFactors factors;
  factors.set_threshold(1e-8);
  factors.compute(R_.leftCols(columns));
  proposal = image - Y_.leftCols(columns) * factors.solve(r);
  return proposal.allFinite();
}

}  // namespace nonsmooth::vi::detail
