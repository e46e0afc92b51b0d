// SPDX-License-Identifier: Apache-2.0
#include "storage.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>

namespace nonsmooth::analysis::detail {
namespace {

using Eigen::MatrixXd;
using Storage = std::optional<MatrixXd>;

MatrixXd symmetric_part(const MatrixXd& X) { return 0.5 * (X + X.transpose()); }

/// [A', B R^-1 B^T; -C^T R^-1 C - delta I, -A'^T], A' = A - B R^-1 C.
MatrixXd hamiltonian(const StorageProblem& problem, const MatrixXd& R, double delta) {
  const Index n = problem.A.rows();
  MatrixXd H = MatrixXd::Zero(2 * n, 2 * n);
  H.topLeftCorner(n, n) = problem.A;
  if (R.rows() > 0) {
    const LuFactors factors(R);
    const MatrixXd RC = factors.solve(problem.C), RB = factors.solve(MatrixXd(problem.B.transpose()));
    H.topLeftCorner(n, n) -= problem.B * RC;
    H.topRightCorner(n, n) = symmetric_part(problem.B * RB);
    H.bottomLeftCorner(n, n) = -symmetric_part(problem.C.transpose() * RC);
  }
  H.bottomLeftCorner(n, n).diagonal().array() -= delta;
  H.bottomRightCorner(n, n) = -H.topLeftCorner(n, n).transpose();
  return H;
}

/// P = X_2 X_1^-1 of the stable invariant subspace (X_1; X_2).
Storage from_stable_subspace(const MatrixXd& H, double threshold) {
  const Index n = H.rows() / 2;
  RealSchur schur = real_schur(H);
  if (!schur.converged) return std::nullopt;
  std::vector<bool> stable(at(2 * n));
  for (Index i = 0; i < 2 * n; ++i) {
    if (std::abs(schur.values[i].real()) <= threshold * H.norm()) return std::nullopt;
    stable[at(i)] = schur.values[i].real() < 0.0;
  }
  if (std::ranges::count(stable, true) != n || !bring_first(schur, stable)) return std::nullopt;
  const LuFactors factors(MatrixXd(schur.Q.topLeftCorner(n, n).transpose()));
  if (!(factors.rcond() > 1e-14)) return std::nullopt;
  const MatrixXd P = symmetric_part(factors.solve(MatrixXd(schur.Q.bottomLeftCorner(n, n).transpose())));
  return P.allFinite() ? Storage(P) : std::nullopt;
}

/// R positive definite (or no input) and A stable: A^T P + P A + (P B - C^T) R^-1 (B^T P - C) = -delta I with the
/// largest delta, from `largest` down, that there is a solution for: the inequality is strict if it can be.
Storage by_riccati(const StorageProblem& problem, double largest, double least) {
  for (double delta = largest; delta >= least; delta *= 0.01) {
    const Storage P = from_stable_subspace(hamiltonian(problem, problem.R, delta), 1e-13);
    if (P && is_positive_definite(*P)) return P;
  }
  return std::nullopt;
}

/// The least eigenvalue of H(i omega) + H(i omega)^* with its vector v, x = (i omega I - A)^-1 B v, and the derivative
/// with respect to omega.
struct FormAt {
  double value = 0.0, slope = 0.0;
  Eigen::VectorXcd v, x, w;  ///< w = (A^T + i omega I)^-1 C^T v = P x where the value is zero
};

std::optional<FormAt> form_at(const StorageProblem& problem, double omega) {
  const Index n = problem.A.rows(), m = problem.R.rows();
  Eigen::MatrixXcd pencil = -problem.A.cast<std::complex<double>>();
  pencil.diagonal().array() += std::complex<double>(0.0, omega);
  ComplexLuFactors factors, transposed;
  factors.compute(pencil);
  transposed.compute(Eigen::MatrixXcd(pencil.transpose()).conjugate());
  Eigen::MatrixXcd X(n, m);
  Eigen::VectorXcd column(n);
  for (Index j = 0; j < m; ++j) {
    factors.solve(Eigen::VectorXcd(problem.B.col(j).cast<std::complex<double>>()), column);
    X.col(j) = column;
  }
  if (!X.allFinite()) return std::nullopt;
  const Eigen::MatrixXcd H = problem.C.cast<std::complex<double>>() * X;
  const Eigen::MatrixXcd form = H + H.adjoint() + problem.R.cast<std::complex<double>>();
  MatrixXd real(2 * m, 2 * m);
  real << form.real(), -form.imag(), form.imag(), form.real();
  const SymmetricEigen eigen = symmetric_eigen(real);
  if (!eigen.converged) return std::nullopt;
  FormAt result{.value = eigen.values[0], .slope = 0.0, .v = Eigen::VectorXcd(m), .x = {}, .w = Eigen::VectorXcd(n)};
  result.v.real() = eigen.V.col(0).head(m);
  result.v.imag() = eigen.V.col(0).tail(m);
  if (omega == 0.0) {  // real: one of the two parts will do
    const bool first = result.v.real().norm() >= result.v.imag().norm();
    const Eigen::VectorXd part = first ? Eigen::VectorXd(result.v.real()) : Eigen::VectorXd(result.v.imag());
    result.v = part.normalized().cast<std::complex<double>>();
  }
  result.x = X * result.v;
  factors.solve(result.x, column);
  // H' = -i C (i omega I - A)^-2 B.
  result.slope = 2.0 * (result.v.adjoint() * (problem.C.cast<std::complex<double>>() * column) *
                        std::complex<double>(0.0, -1.0))(0, 0)
                           .real();
  // (A^T + i omega I) w = C^T v, A^T + i omega I = -conj(i omega I - A)^T.
  transposed.solve(Eigen::VectorXcd(problem.C.transpose().cast<std::complex<double>>() * result.v), result.w);
  result.w = -result.w;
  return result;
}

/// The point at which the form is least near `omega`, by the secant method on its slope.
double refined_minimum(const StorageProblem& problem, double omega) {
  double before = omega * (1.0 + 1e-5), now = omega;
  auto form_before = form_at(problem, before), form_now = form_at(problem, now);
  for (int step = 0; step < 20 && form_before && form_now; ++step) {
    const double change = form_now->slope - form_before->slope;
    if (change == 0.0) break;
    const double next = now - form_now->slope * (now - before) / change;
    if (!(std::abs(next - omega) <= 1e-3 * omega)) return omega;
    if (next == now) break;
    before = now;
    form_before = form_now;
    now = next;
    form_now = form_at(problem, now);
  }
  return now;
}

/// H(i omega) + H(i omega)^* is singular for the form given: P x = w there, and what is P-orthogonal to x solves the
/// inequality by itself.
Storage without_zero(const StorageProblem& problem, double omega, const FormAt& zero, double threshold) {
  const Index n = problem.A.rows(), k = omega == 0.0 ? 1 : 2;
  if (k > n) return std::nullopt;
  MatrixXd X(n, k), W(n, k);
  X.col(0) = zero.x.real();
  W.col(0) = zero.w.real();
  if (k == 2) {
    X.col(1) = zero.x.imag();
    W.col(1) = zero.w.imag();
  }
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(X.transpose() * W));
  if (!eigen.converged || !(eigen.values[0] > 1e-12 * X.squaredNorm())) return std::nullopt;
  const MatrixXd root = eigen.V * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const MatrixXd to_u = (W * root).transpose();
  const MatrixXd V = singular_values(to_u, true).V.rightCols(n - k);
  const MatrixXd to_w = V.transpose() * (MatrixXd::Identity(n, n) - X * root * to_u);
  const Storage P_w =
      find_storage({.A = to_w * problem.A * V, .B = to_w * problem.B, .C = problem.C * V, .R = problem.R}, threshold);
  if (!P_w) return std::nullopt;
  return MatrixXd(to_u.transpose() * to_u + to_w.transpose() * *P_w * to_w);
}

/// Frequencies at which the form may vanish: 0, and near the clusters of the Hamiltonian matrix's eigenvalues close to
/// the axis. A multiple eigenvalue is known to a root of round-off, the mean of its cluster to round-off.
std::vector<double> candidate_zeros(const StorageProblem& problem) {
  const Eigen::VectorXd near = crossing_frequencies(problem, 0.0, 1e-3);
  std::vector<double> zeros{0.0};
  for (Index first = 0, last = 0; first < near.size(); first = last) {
    while (last < near.size() && near[last] - near[first] <= 1e-2 * (1.0 + near[first])) ++last;
    const double mean = near.segment(first, last - first).mean();
    if (mean <= 1e-3) continue;
    const double refined = refined_minimum(problem, mean);
    const auto of_mean = form_at(problem, mean), of_refined = form_at(problem, refined);
    if (!of_mean || !of_refined) continue;
    zeros.push_back(std::abs(of_mean->slope) <= std::abs(of_refined->slope) ? mean : refined);
  }
  return zeros;
}

/// R > 0 and A without eigenvalues on the axis: by the Riccati equation, or first without a zero of the form.
Storage stable_with_feedthrough(const StorageProblem& problem, double threshold) {
  if (problem.A.rows() == 0) return MatrixXd(0, 0);
  if (const Storage P = by_riccati(problem, 0.1, 1e-6)) return P;
  if (problem.R.rows() == 0) return by_riccati(problem, 1e-7, 1e-13);
  // Before the smallest delta: near a zero of the form P is off by the root of delta. The first zero decides: another
  // order of reductions would lead to the same P.
  constexpr double vanishing = 1e-12;
  for (const double omega : candidate_zeros(problem)) {
    const auto form = form_at(problem, omega);
    if (form && std::abs(form->value) <= vanishing * (1.0 + problem.R.norm())) {
      return without_zero(problem, omega, *form, threshold);
    }
  }
  return by_riccati(problem, 1e-7, 1e-13);
}

/// No input, all eigenvalues on the imaginary axis: P = Re((X X^*)^-1) of the eigenvectors X has A^T P + P A = 0.
Storage of_conservative_modes(const MatrixXd& A) {
  const Index n = A.rows();
  const GeneralEigen eigen = general_eigen(A);
  if (!eigen.converged) return std::nullopt;
  const MatrixXd X = (eigen.V * eigen.V.adjoint()).real();
  const LuFactors factors(X);
  if (!(factors.rcond() > 1e-14)) return std::nullopt;
  return n == 0 ? MatrixXd(0, 0) : symmetric_part(factors.inverse());
}

/// Imaginary modes and the rest, in coordinates x = V p + U q.
Storage split_modes(const StorageProblem& problem, double threshold) {
  const Index n = problem.A.rows();
  RealSchur right = real_schur(problem.A), left = real_schur(problem.A.transpose());
  if (!right.converged || !left.converged) return std::nullopt;
  const auto imaginary = [&](const RealSchur& schur) {
    std::vector<bool> selected(at(n));
    for (Index i = 0; i < n; ++i) selected[at(i)] = std::abs(schur.values[i].real()) <= threshold * problem.A.norm();
    return selected;
  };
  const std::vector<bool> of_right = imaginary(right), of_left = imaginary(left);
  const Index k = std::ranges::count(of_right, true);
  if (problem.A.norm() == 0.0 || k == n) {
    if (problem.R.rows() == 0) return of_conservative_modes(problem.A);
    StorageProblem modes = problem;
    modes.R.setZero();
    return find_storage(modes, threshold);
  }
  if (right.values.real().maxCoeff() > threshold * problem.A.norm()) return std::nullopt;
  if (k == 0) return stable_with_feedthrough(problem, threshold);
  if (std::ranges::count(of_left, true) != k || !bring_first(right, of_right) || !bring_first(left, of_left)) {
    return std::nullopt;
  }
  const MatrixXd V = right.Q.leftCols(k), W = left.Q.leftCols(k), U = left.Q.rightCols(n - k);
  const LuFactors coupling(MatrixXd(W.transpose() * V));
  if (!(coupling.rcond() > 1e-12)) return std::nullopt;
  const MatrixXd to_p = coupling.solve(MatrixXd(W.transpose()));
  const MatrixXd to_q = U.transpose() * (MatrixXd::Identity(n, n) - V * to_p);
  const MatrixXd& R = problem.R;
  const StorageProblem modes{
      .A = to_p * problem.A * V, .B = to_p * problem.B, .C = problem.C * V, .R = MatrixXd::Zero(R.rows(), R.cols())};
  const StorageProblem rest{.A = to_q * problem.A * U, .B = to_q * problem.B, .C = problem.C * U, .R = R};
  const Storage P_modes = find_storage(modes, threshold);
  if (!P_modes) return std::nullopt;
  const Storage P_rest = stable_with_feedthrough(rest, threshold);
  if (!P_rest) return std::nullopt;
  return MatrixXd(to_p.transpose() * *P_modes * to_p + to_q.transpose() * *P_rest * to_q);
}

/// Inputs N with R N = 0 and B N != 0 become states: see find_storage.
Storage without_feedthrough(const StorageProblem& problem, const MatrixXd& N, const MatrixXd& others,
                            double threshold) {
  const Index n = problem.A.rows();
  const MatrixXd C2 = N.transpose() * problem.C;
  MatrixXd B2 = problem.B * N;
  const MatrixXd S = symmetric_part(C2 * B2);
  const SymmetricEigen eigen = symmetric_eigen(S);
  if (!eigen.converged || !(eigen.values[0] > threshold * B2.squaredNorm())) return std::nullopt;
  // Units of u in which S = I: B2 := B2 S^-1/2, C2 := S^-1/2 C2.
  const MatrixXd root = eigen.V * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal();
  B2 = (B2 * root).eval();
  const MatrixXd to_u = root.transpose() * C2;
  const MatrixXd V = singular_values(to_u, true).V.rightCols(n - N.cols());
  const MatrixXd to_w = V.transpose() * (MatrixXd::Identity(n, n) - B2 * to_u);
  const Index k = N.cols(), rest = others.cols();
  const MatrixXd B1 = problem.B * others, C1 = others.transpose() * problem.C;
  StorageProblem next{.A = to_w * problem.A * V,
                      .B = MatrixXd(n - k, k + rest),
                      .C = MatrixXd(k + rest, n - k),
                      .R = MatrixXd(k + rest, k + rest)};
  const MatrixXd A_uu = to_u * problem.A * B2;
  next.B << to_w * problem.A * B2, to_w * B1;
  next.C << -(to_u * problem.A * V), C1 * V;
  const MatrixXd cross = C1 * B2 - (to_u * B1).transpose();
  next.R << -(A_uu + A_uu.transpose()), cross.transpose(), cross, others.transpose() * problem.R * others;
  const Storage P_w = find_storage(next, threshold);
  if (!P_w) return std::nullopt;
  return MatrixXd(to_u.transpose() * to_u + to_w.transpose() * *P_w * to_w);
}

}  // namespace

std::optional<MatrixXd> find_storage(const StorageProblem& problem, double threshold) {
  const Index n = problem.A.rows(), m = problem.R.rows();
  if (n == 0) return MatrixXd(0, 0);
  if (m == 0) return split_modes(problem, threshold);
  const SymmetricEigen eigen = symmetric_eigen(symmetric_part(problem.R));
  if (!eigen.converged || eigen.values[0] < -threshold * (1.0 + problem.R.norm())) return std::nullopt;
  Index zero = 0;
  while (zero < m && eigen.values[zero] <= threshold * (1.0 + eigen.values[m - 1])) ++zero;
  if (zero == 0) return split_modes(problem, threshold);
  const MatrixXd others = eigen.V.rightCols(m - zero);
  // Inputs without feedthrough that move no state are left out; C^T N = 0 for them is verified with P.
  const MatrixXd kernel = eigen.V.leftCols(zero);
  const SingularValues moves = singular_values(problem.B * kernel, true);
  Index rank = 0;
  while (rank < moves.values.size() && moves.values[rank] > std::sqrt(threshold) * 1e-2) ++rank;
  if (rank == 0) {
    return find_storage({.A = problem.A,
                         .B = problem.B * others,
                         .C = others.transpose() * problem.C,
                         .R = others.transpose() * problem.R * others},
                        threshold);
  }
  return without_feedthrough(problem, kernel * moves.V.leftCols(rank), others, threshold);
}

Eigen::VectorXd crossing_frequencies(const StorageProblem& problem, double shift, double width) {
  MatrixXd R = symmetric_part(problem.R);
  R.diagonal().array() += shift;
  const MatrixXd H = hamiltonian(problem, R, 0.0);
  const RealSchur schur = real_schur(H);
  std::vector<double> found;
  if (schur.converged) {
    for (const std::complex<double>& value : schur.values) {
      if (std::abs(value.real()) <= width * (1.0 + std::abs(value)) && value.imag() >= 0.0)
        found.push_back(value.imag());
    }
  }
  std::ranges::sort(found);
  return Eigen::Map<const Eigen::VectorXd>(found.data(), static_cast<Index>(found.size()));
}

}  // namespace nonsmooth::analysis::detail
