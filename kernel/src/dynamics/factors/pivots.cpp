// SPDX-License-Identifier: Apache-2.0
#include "pivots.hpp"

#include "bounded_elimination.hpp"

namespace nonsmooth {

void Pivots::find(const Eigen::MatrixXd& A, const Eigen::MatrixXd& errors) {
  Eigen::MatrixXd bounds = round_off_bounds(A);
  if (errors.size() > 0) bounds = bounds.cwiseMax(errors);
  BoundedElimination elimination(A, bounds, A.cols());
  elimination.run();
  rows = elimination.rows();
  columns = elimination.columns();
  rank = elimination.rank();
}

}  // namespace nonsmooth
