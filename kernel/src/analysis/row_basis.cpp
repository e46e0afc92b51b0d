// SPDX-License-Identifier: Apache-2.0
#include "row_basis.hpp"

#include <internal/decompositions.hpp>

namespace nonsmooth::analysis::detail {

RowBasis::RowBasis(const Eigen::VectorXd& mass_diagonal)
    : scale_(mass_diagonal.cwiseSqrt().cwiseInverse()), Q_(mass_diagonal.size(), 0), triangle_(0, 0) {}

bool RowBasis::joins(const Eigen::VectorXd& row, double dependent, Eigen::VectorXd& coefficients) {
  Eigen::VectorXd rest = row.cwiseProduct(scale_);
  const double length = rest.norm();
  const Index r = rank();
  if (!(length > 0.0)) {
    coefficients = Eigen::VectorXd::Zero(r);
    return false;
  }
  rest /= length;
  Eigen::VectorXd along = Eigen::VectorXd::Zero(r);
  for (int pass = 0; pass < 2; ++pass) {  // twice is enough
    const Eigen::VectorXd part = Q_.transpose() * rest;
    rest -= Q_ * part;
    along += part;
  }
  if (rest.norm() < dependent) {
    coefficients = length * triangle_.triangularView<Eigen::Upper>().solve(along);
    return false;
  }
  triangle_.conservativeResizeLike(Eigen::MatrixXd::Zero(r + 1, r + 1));
  triangle_.col(r).head(r) = length * along;
  triangle_(r, r) = length * rest.norm();
  Q_.conservativeResize(scale_.size(), r + 1);
  Q_.col(r) = rest.normalized();
  return true;
}

Eigen::MatrixXd RowBasis::kernel() const {
  if (rank() == 0) return scale_.asDiagonal();
  CompleteOrthogonalFactors factors;
  factors.compute(Q_.transpose());
  return scale_.asDiagonal() * factors.kernel();
}

}  // namespace nonsmooth::analysis::detail
