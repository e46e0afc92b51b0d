// SPDX-License-Identifier: Apache-2.0
#include "verified_storage.hpp"

#include <algorithm>
#include <cmath>

#include <internal/decompositions.hpp>
#include <internal/round_off.hpp>

#include "matrix_tests.hpp"
#include "storage.hpp"

namespace nonsmooth::analysis::detail {
namespace {

/// -(A^T P + P A) etc.; with magnitudes: the sum of the absolute terms of each entry.
Eigen::MatrixXd storage_inequality(const StandardForm& form, const Eigen::MatrixXd& P, bool magnitudes) {
  const Index n = form.states(), m = form.outputs();
  const double sign = magnitudes ? 1.0 : -1.0;
  const auto part = [&](const Eigen::MatrixXd& X) { return magnitudes ? Eigen::MatrixXd(X.cwiseAbs()) : X; };
  const Eigen::MatrixXd A = part(form.A), B = part(form.B), C = part(form.C), D = part(form.D), Q = part(P);
  Eigen::MatrixXd K(n + m, n + m);
  K.topLeftCorner(n, n) = sign * (A.transpose() * Q + Q * A);
  K.topRightCorner(n, m) = C.transpose() + sign * Q * B;
  K.bottomLeftCorner(m, n) = K.topRightCorner(n, m).transpose();
  K.bottomRightCorner(m, m) = D + D.transpose();
  return K;
}

/// Whether P > 0 for certain and K(P) >= 0 to round-off; `value` is the least eigenvalue, `round_off` its bound.
bool verify_storage(const StandardForm& form, const Eigen::MatrixXd& P, double& value, double& round_off) {
  const Index n = form.states(), m = form.outputs();
  if (!P.allFinite()) return false;
  MatrixClasses classes;
  examine_definiteness({.mid = P, .rad = Eigen::MatrixXd::Zero(n, n)}, classes);
  if (!classes.positive_definite.holds()) return false;
  const Eigen::MatrixXd K = storage_inequality(form, P, false);
  const Eigen::MatrixXd terms = storage_inequality(form, P, true);
  Eigen::MatrixXd error = static_cast<double>(n + m) * eps * terms;
  const Eigen::MatrixXd size = P.cwiseAbs();
  error.topLeftCorner(n, n) += form.A_error.transpose() * size + size * form.A_error;
  error.topRightCorner(n, m) += size * form.B_error;
  error.bottomLeftCorner(m, n) += form.B_error.transpose() * size;
  // Units in which the largest term of each row and column is near 1.
  constexpr int sweeps = 20;
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(n + m);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const Eigen::MatrixXd scaled = scale.asDiagonal() * terms * scale.asDiagonal();
    for (Index i = 0; i < n + m; ++i) {
      if (const double largest = scaled.row(i).maxCoeff(); largest > 0.0) scale[i] /= std::sqrt(largest);
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * K * scale.asDiagonal());
  if (!eigen.converged) return false;
  value = eigen.values[0];
  round_off = 64.0 * (scale.asDiagonal() * error * scale.asDiagonal()).rowwise().sum().maxCoeff();
  return value >= -round_off;
}

}  // namespace

std::optional<VerifiedStorage> verified_storage(const StandardForm& form) {
  const StorageProblem problem{.A = form.A, .B = form.B, .C = form.C, .R = form.D + form.D.transpose()};
  // What rounding left of a zero depends on the reductions before it; verification tells which guess was right.
  // Each costs some decompositions of 2n x 2n, so large systems are given fewer guesses.
  constexpr Index many_states = 30;
  for (const double threshold : {1e-12, 1e-8, 1e-10, 1e-6}) {
    if (threshold != 1e-12 && threshold != 1e-8 && form.states() > many_states) continue;
    const std::optional<Eigen::MatrixXd> P = find_storage(problem, threshold);
    if (!P) continue;
    VerifiedStorage result{.P = *P};
    if (verify_storage(form, *P, result.value, result.round_off)) return result;
  }
  return std::nullopt;
}

}  // namespace nonsmooth::analysis::detail
