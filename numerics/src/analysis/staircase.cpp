// SPDX-License-Identifier: Apache-2.0
// Controllability and observability by orthogonal staircases.
#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include "linear_form.hpp"
#include "matrix_tests.hpp"

namespace nonsmooth::analysis {
namespace {

/// Orthogonal transformations of rows `from`..n - 1 that make the rows of F (n - from rows) from `rank` on vanish, by
/// reflections with columns pivoted; applied to A from both sides and to Q from the right.
void compress_rows(Eigen::MatrixXd F, Index rank, Index from, Eigen::MatrixXd& A, Eigen::MatrixXd& Q) {
  for (Index k = 0; k < rank; ++k) {
    Index pivot = 0;
    F.bottomRightCorner(F.rows() - k, F.cols() - k).colwise().squaredNorm().maxCoeff(&pivot);
    F.col(k).swap(F.col(k + pivot));
    Eigen::VectorXd v = F.col(k).tail(F.rows() - k);
    v[0] += v[0] >= 0.0 ? v.norm() : -v.norm();
    const double size = v.squaredNorm();
    if (!(size > 0.0)) return;
    const Index first = from + k, count = v.size();
    const auto reflect_rows = [&](auto&& X) { X -= (2.0 / size) * v * (v.transpose() * X).eval(); };
    const auto reflect_columns = [&](auto&& X) { X -= (2.0 / size) * (X * v).eval() * v.transpose(); };
    reflect_rows(F.bottomRows(count));
    reflect_rows(A.middleRows(first, count));
    reflect_columns(A.middleCols(first, count));
    reflect_columns(Q.middleCols(first, count));
  }
}

ReachableSpace staircase(Eigen::MatrixXd A, Eigen::MatrixXd B, double data_error) {
  const Index n = A.rows();
  const double norm = A.norm();
  for (Index j = 0; j < B.cols(); ++j) {  // units of the inputs count for nothing
    const double size = B.col(j).norm();
    if (size > 0.0) B.col(j) *= std::max(norm, 1e-300) / size;
  }
  if (norm == 0.0) B *= 1e300;
  ReachableSpace result;
  result.tolerance = 16.0 * static_cast<double>(n) * eps * std::sqrt(norm * norm + B.squaredNorm()) + data_error;
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(n, n), F = B;
  double least = std::numeric_limits<double>::infinity();
  bool doubtful = false;
  Index reached = 0;
  while (reached < n) {
    const Eigen::VectorXd values = singular_values(F, false).values;
    result.singular_values.push_back(values);
    Index rank = 0;
    for (const double value : values) {
      const Verdict zero = detail::zero_to_round_off(value, result.tolerance);
      if (zero == Verdict::Holds) continue;
      ++rank;
      doubtful = doubtful || zero == Verdict::NotKnown;
      least = std::min(least, value);
    }
    if (rank == 0) break;
    compress_rows(F, rank, reached, A, Q);
    reached += rank;
    F = A.block(reached, reached - rank, n - reached, rank);
  }
  result.dimension = reached;
  result.missing = Q.rightCols(n - reached);
  Finding& complete = result.complete;
  if (reached < n) {
    complete = detail::fails("a pair within the tolerance does not reach every state");
    complete.witness = result.missing.col(0);
  } else {
    complete = doubtful ? detail::not_known("a pivot of the staircase is within 1000 tolerances of zero")
                        : detail::holds("every pivot of the staircase is above 1000 tolerances");
  }
  complete.value = least;
  complete.round_off = result.tolerance;
  return result;
}

/// Back from balanced states: x = T x', so that w'^T x' = (T^-1 w')^T x.
void in_units(ReachableSpace& space, const Eigen::VectorXd& scale) {
  space.missing = scale.asDiagonal() * space.missing;
  if (space.complete.witness.size() > 0) space.complete.witness = space.missing.col(0);
}

}  // namespace

ReachableSpace controllability(const LinearComplementaritySystem& system) {
  const detail::BalancedForm form = detail::balanced(detail::standard_form(system));
  ReachableSpace result = staircase(form.system.A, form.system.B, form.system.A_error.norm());
  in_units(result, form.state.cwiseInverse());
  return result;
}

ReachableSpace observability(const LinearComplementaritySystem& system) {
  const detail::BalancedForm form = detail::balanced(detail::standard_form(system));
  ReachableSpace result = staircase(form.system.A.transpose(), form.system.C.transpose(), form.system.A_error.norm());
  in_units(result, form.state);
  return result;
}

}  // namespace nonsmooth::analysis
