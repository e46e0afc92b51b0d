// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>

#include "linear_form.hpp"

namespace nonsmooth::analysis {
namespace {

/// Rows c_i A^k, k < r_i, output by output.
Eigen::MatrixXd chains(const detail::StandardForm& form, const RelativeDegree& degree, Index total) {
  Eigen::MatrixXd O(total, form.states());
  Index row = 0;
  for (Index i = 0; i < form.outputs(); ++i) {
    Eigen::RowVectorXd c = form.C.row(i);
    for (Index k = 0; k < degree.of_output[at(i)]; ++k) {
      O.row(row++) = c;
      c = (c * form.A).eval();
    }
  }
  return O;
}

/// Columns A^k b_j, k < r_j, with B E^-1 = (b_1 ... b_m), E the decoupling matrix: O K is regular, as with rows and
/// columns sorted by r_i - 1 - k it is block triangular with ones.
Eigen::MatrixXd reach(const detail::StandardForm& form, const RelativeDegree& degree, Index total) {
  const Eigen::MatrixXd decoupled = form.B * LuFactors(degree.decoupling).inverse();
  Eigen::MatrixXd K(form.states(), total);
  Index column = 0;
  for (Index j = 0; j < form.outputs(); ++j) {
    Eigen::VectorXd b = decoupled.col(j);
    for (Index k = 0; k < degree.of_output[at(j)]; ++k) {
      K.col(column++) = b;
      b = (form.A * b).eval();
    }
  }
  return K;
}

/// Columns scaled to norm 1.
Eigen::MatrixXd normalised_columns(Eigen::MatrixXd K) {
  for (Index j = 0; j < K.cols(); ++j) K.col(j).normalize();
  return K;
}

/// xi := xi - sum_k gamma_k z_k over the rows k < r_i of each chain, so that xi' depends on z_1 of each chain alone:
/// gamma_{k-1} = beta_k + A_xi gamma_k, where xi' = A_xi xi + sum beta_k z_k.
void drive_by_outputs(Eigen::MatrixXd& N, const Eigen::MatrixXd& O, const Eigen::MatrixXd& A_xi,
                      const Eigen::MatrixXd& beta, const std::vector<Index>& first_row) {
  for (std::size_t i = 0; i + 1 < first_row.size(); ++i) {
    Eigen::VectorXd gamma = Eigen::VectorXd::Zero(N.rows());
    for (Index row = first_row[i + 1] - 1; row > first_row[i]; --row) {
      gamma = (beta.col(row) + A_xi * gamma).eval();
      N -= gamma * O.row(row - 1);
    }
  }
}

double deviation(const ZeroDynamics& form, const Eigen::MatrixXd& decoupling) {
  Eigen::MatrixXd A = form.A_z, B = form.B_z;
  const Index m = decoupling.rows(), total = form.first_row.back();
  for (Index i = 0; i < m; ++i) {
    const Index last = form.first_row[at(i) + 1] - 1;
    for (Index row = form.first_row[at(i)]; row < last; ++row) A(row, row + 1) -= 1.0;
    A.row(last).setZero();
    B.row(last) -= decoupling.row(i);
    A.col(form.first_row[at(i)]).tail(A.rows() - total).setZero();
  }
  A.bottomRightCorner(A.rows() - total, A.rows() - total).setZero();
  return std::max(A.cwiseAbs().maxCoeff(), B.cwiseAbs().maxCoeff());
}

}  // namespace

ZeroDynamics zero_dynamics(const LinearComplementaritySystem& system) {
  const RelativeDegree degree = relative_degree(system);
  ZeroDynamics result;
  if (degree.kind == DegreeKind::NotKnown) {
    result.reason = "the relative degree is not known";
    return result;
  }
  if ((degree.kind != DegreeKind::Uniform && degree.kind != DegreeKind::Vector) ||
      std::ranges::count(degree.of_output, 0) > 0) {
    result.exists = Verdict::Fails;
    result.reason = "no (vector) relative degree with all r_i >= 1";
    return result;
  }
  const detail::StandardForm form = detail::standard_form(system);
  const Index n = form.states(), m = form.outputs();
  const Index total = std::accumulate(degree.of_output.begin(), degree.of_output.end(), Index{0});
  if (total > n) {
    result.reason = "the degrees sum to more than n: round-off hides dependent rows";
    return result;
  }
  result.first_row.assign(1, 0);
  for (const Index r : degree.of_output) result.first_row.push_back(result.first_row.back() + r);
  const Eigen::MatrixXd O = chains(form, degree, total);
  Eigen::MatrixXd W(n, n);
  W.topRows(total) = O;
  if (total < n) {
    const Eigen::MatrixXd K = reach(form, degree, total);
    // N K = 0: O K is regular, so that (O; N) is, and N B = 0.
    Eigen::MatrixXd N = singular_values(normalised_columns(K).transpose(), true).V.rightCols(n - total).transpose();
    W.bottomRows(n - total) = N;
    const LuFactors first(W);
    const Eigen::MatrixXd rates = N * form.A * first.inverse();
    drive_by_outputs(N, O, rates.rightCols(n - total), rates.leftCols(total), result.first_row);
    W.bottomRows(n - total) = N;
  }
  const LuFactors factors(W);
  if (!(factors.rcond() > eps)) {
    result.reason = "W is singular to round-off";
    return result;
  }
  result.W = W;
  result.A_z = W * form.A * factors.inverse();
  result.B_z = W * form.B;
  result.A_xi = result.A_z.bottomRightCorner(n - total, n - total);
  result.B_xi.resize(n - total, m);
  for (Index i = 0; i < m; ++i) result.B_xi.col(i) = result.A_z.col(result.first_row[at(i)]).tail(n - total);
  result.residual = deviation(result, degree.decoupling);
  result.exists = Verdict::Holds;
  result.reason = "the decoupling matrix is regular";
  return result;
}

}  // namespace nonsmooth::analysis
