// SPDX-License-Identifier: Apache-2.0
// Definiteness and singularity with proofs in floating point.
#include <algorithm>
#include <cmath>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>

#include "matrix_tests.hpp"
#include "principal_minors.hpp"

namespace nonsmooth::analysis::detail {
namespace {

/// The largest matrix whose boundary cases are eliminated with error bounds, some 0.1 s.
constexpr Index largest_exact_elimination = 200;
/// The largest whose determinant is computed with an error bound.
constexpr Index largest_determinant = 60;

/// D (M + M^T) D, D of powers of two so that positive diagonal entries are near 1.
BallMatrix scaled_symmetric_part(const BallMatrix& M, Eigen::VectorXd& scale) {
  const Index n = M.rows();
  BallMatrix S{.mid = Eigen::MatrixXd(n, n), .rad = Eigen::MatrixXd(n, n)};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) S.set(i, j, M(i, j) + M(j, i));
  }
  scale.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double size = S.mid(i, i) > 0.0 ? S.mid(i, i) : S.mid.row(i).cwiseAbs().maxCoeff();
    scale[i] = 1.0 / power_of_two(std::sqrt(size));
  }
  S.mid = scale.asDiagonal() * S.mid * scale.asDiagonal();
  S.rad = scale.asDiagonal() * S.rad * scale.asDiagonal();
  return S;
}

/// Positive definite for certain: Cholesky's factors of S - c I exist, c above the factorization's backward error
/// gamma_{n+1} tr(S) / (1 - gamma_{n+1}) (Rump 2006, theorem 2.3) and the norm of the radii.
bool proves_definite(const BallMatrix& S) {
  const auto n = static_cast<double>(S.rows());
  if (S.mid.diagonal().minCoeff() <= 0.0) return false;
  const double radii = S.rad.rowwise().sum().maxCoeff();
  const double shift = 1.1 * ((n + 4.0) * eps * S.mid.diagonal().sum() + radii);
  Eigen::MatrixXd shifted = S.mid;
  shifted.diagonal().array() -= shift;
  return is_positive_definite(shifted);
}

/// A negative value of the form, shown: from a least eigenvector, or from a zero on the diagonal beside an entry.
Eigen::VectorXd negative_direction(const BallMatrix& S, const Eigen::VectorXd& least) {
  const auto shows = [&](const Eigen::VectorXd& x) { return x.allFinite() && quadratic_form(S, x).negative(); };
  if (shows(least)) return least;
  for (Index i = 0; i < S.rows(); ++i) {
    Eigen::VectorXd x = Eigen::VectorXd::Unit(S.rows(), i);
    if (shows(x)) return x;
    if (S.mid(i, i) > 0.0) continue;
    Index j = 0;
    const double size = S.mid.row(i).cwiseAbs().maxCoeff(&j);
    if (size == 0.0 || j == i) continue;
    x[j] = 1.0;
    x[i] = -(std::abs(S.mid(j, j)) / size + 1.0) * (S.mid(i, j) > 0.0 ? 1.0 : -1.0);
    if (shows(x)) return x;
  }
  return {};
}

enum class Boundary : unsigned char { Unknown, Definite, Semidefinite, Indefinite };

/// Symmetric elimination with error bounds: Definite if all pivots are positive, Semidefinite if what is left after the
/// positive ones is zero for certain.
Boundary eliminate_symmetric(BallMatrix S) {
  const Index n = S.rows();
  std::vector<Index> left(at(n));
  for (Index i = 0; i < n; ++i) left[at(i)] = i;
  Ball previous{1.0, 0.0};
  while (!left.empty()) {
    std::size_t best = left.size();
    for (std::size_t i = 0; i < left.size(); ++i) {
      const Ball entry = S(left[i], left[i]);
      if (entry.negative()) return Boundary::Indefinite;
      if (entry.positive() && (best == left.size() || entry.mid > S(left[best], left[best]).mid)) best = i;
    }
    if (best == left.size()) break;
    const Index p = left[best];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    const Ball pivot = S(p, p);
    for (const Index i : left) {
      for (const Index j : left) S.set(i, j, minor_of(pivot, S(p, j), S(i, p), S(i, j)) / previous);
    }
    previous = pivot;
  }
  if (left.empty()) return Boundary::Definite;
  for (const Index i : left) {
    for (const Index j : left) {
      if (!S(i, j).zero()) return Boundary::Unknown;
    }
  }
  return Boundary::Semidefinite;
}

void conclude_definiteness(const BallMatrix& S, const Eigen::VectorXd& scale, MatrixClasses& classes) {
  const SymmetricEigen eigen = symmetric_eigen(S.mid);
  const Eigen::VectorXd least = eigen.converged ? Eigen::VectorXd(eigen.V.col(0)) : Eigen::VectorXd();
  const auto found = [&](Finding finding, const Eigen::VectorXd& x) {
    if (x.size() > 0) finding.witness = scale.asDiagonal() * x;
    if (eigen.converged) finding.value = eigen.values[0] / 2.0;
    finding.round_off = static_cast<double>(S.rows()) * eps * S.mid.cwiseAbs().rowwise().sum().maxCoeff();
    return finding;
  };
  if (const Eigen::VectorXd x = negative_direction(S, least); x.size() > 0) {
    classes.positive_definite = found(fails("x^T M x < 0 for the witness"), x);
    classes.positive_semidefinite = classes.positive_definite;
    return;
  }
  const Boundary boundary = S.rows() <= largest_exact_elimination ? eliminate_symmetric(S) : Boundary::Unknown;
  if (boundary == Boundary::Definite) {
    classes.positive_definite = found(holds("elimination with error bounds has positive pivots alone"), {});
    classes.positive_semidefinite = holds("positive definite");
  } else if (boundary == Boundary::Semidefinite) {
    classes.positive_semidefinite = found(holds("elimination leaves zeros behind its positive pivots"), {});
    classes.positive_definite = found(fails("the symmetric part is semidefinite and singular"), without_noise(least));
  } else if (boundary == Boundary::Indefinite) {
    classes.positive_semidefinite = found(fails("elimination meets a negative pivot"), least);
    classes.positive_definite = classes.positive_semidefinite;
  } else {
    classes.positive_definite = found(not_known("the least eigenvalue is within round-off of zero"), least);
    classes.positive_semidefinite = classes.positive_definite;
  }
}

}  // namespace

void examine_definiteness(const BallMatrix& M, MatrixClasses& classes) {
  Eigen::VectorXd scale;
  const BallMatrix S = scaled_symmetric_part(M, scale);
  if (!S.mid.allFinite() || !S.rad.allFinite()) {
    classes.positive_definite = classes.positive_semidefinite = not_known("entries too large to be added");
    return;
  }
  if (proves_definite(S)) {
    classes.positive_definite = holds("Cholesky's factors exist beyond round-off");
    classes.positive_semidefinite = holds("positive definite");
    return;
  }
  conclude_definiteness(S, scale, classes);
}

bool proves_nonsingular(const Equilibrated& scaled) {
  const BallMatrix& M = scaled.M;
  const Index n = M.rows();
  const LuFactors factors(M.mid);
  if (!(factors.rcond() > 0.0)) return false;
  // |I - R M| < 1 for any R: M is nonsingular.
  const Eigen::MatrixXd R = factors.inverse();
  if (!R.allFinite()) return false;
  const Eigen::MatrixXd size = R.cwiseAbs() * M.mid.cwiseAbs();
  const Eigen::MatrixXd rest = (R * M.mid - Eigen::MatrixXd::Identity(n, n)).cwiseAbs() +
                               2.0 * static_cast<double>(n + 2) * eps * (size + Eigen::MatrixXd::Identity(n, n)) +
                               R.cwiseAbs() * M.rad;
  return rest.rowwise().sum().maxCoeff() < 0.99;
}

Finding examine_singularity(const BallMatrix& M) {
  const Index n = M.rows();
  for (Index j = 0; j < n; ++j) {
    if (M.mid.col(j).isZero(0.0) && M.rad.col(j).isZero(0.0)) {
      Finding finding = holds("a column is zero");
      finding.witness = Eigen::VectorXd::Unit(n, j);
      return finding;
    }
  }
  const Equilibrated scaled = equilibrate(M);
  if (proves_nonsingular(scaled)) return fails("a computed inverse R has |I - R M| < 1");
  const SingularValues values = singular_values(scaled.M.mid, true);
  const Eigen::VectorXd v = without_noise(values.V.col(n - 1));
  const double unit = 4.0 * static_cast<double>(n) * eps;
  // Where a row has no terms its product is zero whatever round-off does.
  const Eigen::VectorXd room = unit * (scaled.M.mid.cwiseAbs() * v.cwiseAbs()) + scaled.M.rad * v.cwiseAbs();
  const Eigen::VectorXd product = (scaled.M.mid * v).cwiseAbs();
  Finding finding = not_known("neither a null vector nor an inverse to round-off");
  if ((product.array() <= room.array()).all()) {
    finding = holds("a null vector to round-off");
  } else if (n <= largest_determinant && determinant(scaled.M).zero()) {
    finding = holds("elimination leaves zeros");
  }
  finding.witness = scaled.column.asDiagonal() * v;
  finding.value = values.values[n - 1];
  finding.round_off = unit * values.values[0];
  return finding;
}

}  // namespace nonsmooth::analysis::detail
