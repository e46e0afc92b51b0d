// SPDX-License-Identifier: Apache-2.0
// H+, S, and what follows from other classes: R0, M, sufficient.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>

#include "matrix_tests.hpp"

namespace nonsmooth::analysis::detail {
namespace {

/// Lemke's problem of the matrix game has twice as many rows.
constexpr Index largest_game = 60;
/// R0 looks at every singular principal submatrix.
constexpr Index largest_r0 = 12;

bool is_positive_combination(const BallMatrix& M, const Eigen::VectorXd& x) {
  if (!x.allFinite() || x.minCoeff() < 0.0) return false;
  for (Index i = 0; i < M.rows(); ++i) {
    if (!row_times(M, i, x).positive()) return false;
  }
  return true;
}

bool separates(const BallMatrix& M, const Eigen::VectorXd& y) {
  if (!y.allFinite() || y.minCoeff() < 0.0 || y.maxCoeff() <= 0.0) return false;
  for (Index j = 0; j < M.cols(); ++j) {
    if (!column_times(M, j, y).nonpositive()) return false;
  }
  return true;
}

/// x >= 0 with A x >= 1 and y >= 0 with A^T y <= 1, 1^T x = 1^T y = 1 / value of the game A > 0.
bool play(const Eigen::MatrixXd& A, Eigen::VectorXd& x, Eigen::VectorXd& y) {
  const Index n = A.rows();
  lcp::Problem problem{.M = Eigen::MatrixXd::Zero(2 * n, 2 * n), .q = Eigen::VectorXd::Ones(2 * n)};
  problem.M.topRightCorner(n, n) = -A.transpose();
  problem.M.bottomLeftCorner(n, n) = A;
  problem.q.tail(n).setConstant(-1.0);
  const lcp::Result result = lcp::solve(problem, lcp::Lemke{});
  if (!result) return false;
  x = result.z.head(n).cwiseMax(0.0);
  y = result.z.tail(n).cwiseMax(0.0);
  return true;
}

/// Signs of a 2 x 2 block [a b; c d] that is not column sufficient though P0: a = 0 = b and c != 0, or b c >= 0, not
/// both zero, under a zero diagonal.
bool breaks_column_sufficiency(const Ball& a, const Ball& b, const Ball& c, const Ball& d) {
  const auto nonzero = [](const Ball& x) { return x.positive() || x.negative(); };
  if (a.zero() && d.zero()) {
    const bool opposite = (b.positive() && c.negative()) || (b.negative() && c.positive());
    return b.decided() && c.decided() && !opposite && (nonzero(b) || nonzero(c));
  }
  if (a.zero() && d.positive()) return b.zero() && nonzero(c);
  if (d.zero() && a.positive()) return c.zero() && nonzero(b);
  return false;
}

Finding sufficiency(const BallMatrix& M, bool transposed, const MatrixClasses& classes) {
  if (classes.p.holds()) return holds("P");
  if (classes.positive_semidefinite.holds()) return holds("positive semidefinite");
  if (classes.p0.fails()) {
    Finding finding = fails("not P0");
    finding.rows = classes.p0.rows;
    return finding;
  }
  for (Index j = 0; j < M.cols(); ++j) {
    for (Index i = 0; i < j; ++i) {
      if (!breaks_column_sufficiency(M(i, i), transposed ? M(j, i) : M(i, j), transposed ? M(i, j) : M(j, i), M(j, j)))
        continue;
      Finding finding = fails("two rows and columns are not");
      finding.rows = {i, j};
      return finding;
    }
  }
  if (M.rows() <= 2 && classes.p0.holds()) return holds("P0 with two rows, signs of the entries");
  return not_known("neither P nor positive semidefinite, and no pair of rows shows more");
}

/// z >= 0, z != 0 with M z >= 0 and z_i (M z)_i = 0, all without doubt.
bool solves_homogeneous(const BallMatrix& M, const Eigen::VectorXd& z) {
  if (!z.allFinite() || z.minCoeff() < 0.0 || z.maxCoeff() <= 0.0) return false;
  for (Index i = 0; i < M.rows(); ++i) {
    const Ball product = row_times(M, i, z);
    if (!product.nonnegative() || (z[i] > 0.0 && !product.zero())) return false;
  }
  return true;
}

Finding regularity(const BallMatrix& M, const MatrixClasses& classes) {
  if (classes.p.holds()) return holds("P");
  if (classes.strictly_copositive.holds()) return holds("strictly copositive");
  if (classes.nondegenerate.holds()) return holds("nondegenerate");
  Finding finding = fails("the witness solves LCP(0, M)");
  const Index n = M.rows();
  if (n > largest_r0)
    return not_known("more rows than all submatrices are looked at for, and no sufficient condition holds");
  for (std::uint64_t key = 1; key < (std::uint64_t{1} << n); ++key) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if ((key >> i) & 1U) rows.push_back(i);
    }
    Eigen::MatrixXd kernel = Eigen::MatrixXd::Ones(1, 1);
    if (rows.size() > 1) {
      const FullPivotLu factors(M.mid(rows, rows));
      if (factors.is_invertible()) continue;
      kernel = factors.kernel();
    }
    for (Index k = 0; k < kernel.cols(); ++k) {
      Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
      z(rows) = kernel.col(k).cwiseAbs();  // of one sign, or it is no solution
      if (!solves_homogeneous(M, z)) z /= z.cwiseAbs().maxCoeff();
      if (!solves_homogeneous(M, z)) continue;
      finding.witness = z;
      return finding;
    }
  }
  return not_known("a principal minor is zero or within round-off of it, and no solution was found");
}

}  // namespace

Finding examine_h_plus(const BallMatrix& M) {
  const Index n = M.rows();
  BallMatrix comparison{.mid = -M.mid.cwiseAbs(), .rad = M.rad};
  for (Index i = 0; i < n; ++i) {
    if (M(i, i).nonpositive()) {
      Finding finding = fails("a diagonal entry is not positive");
      finding.rows = {i};
      return finding;
    }
    comparison.mid(i, i) = M.mid(i, i);
  }
  const Equilibrated scaled = equilibrate(comparison);
  const Eigen::VectorXd x = scaled.column.asDiagonal() * LuFactors(scaled.M.mid).solve(Eigen::VectorXd::Ones(n));
  if (is_positive_combination(comparison, x)) {
    Finding finding = holds("generalised diagonal dominance");
    finding.witness = x;
    return finding;
  }
  // y >= 0, y != 0 with C^T y <= 0 for the comparison matrix C: it is no M-matrix.
  const Eigen::VectorXd y =
      -(scaled.row.asDiagonal() * LuFactors(scaled.M.mid.transpose()).solve(Eigen::VectorXd::Ones(n)));
  if (separates(comparison, y)) return fails("the comparison matrix has y >= 0 with C^T y <= 0");
  return not_known("no scaling makes the diagonal dominant beyond round-off");
}

void examine_game(const BallMatrix& M, MatrixClasses& classes) {
  const Index n = M.rows();
  const auto conclude = [&](Finding finding, const Eigen::VectorXd& witness) {
    finding.witness = witness;
    classes.s = finding;
  };
  if (const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n); is_positive_combination(M, ones)) {
    return conclude(holds("M x > 0 for the witness"), ones);
  }
  for (Index i = 0; i < n; ++i) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(n, i);
    if (separates(M, unit)) return conclude(fails("M^T y <= 0 for the witness"), unit);
  }
  const Equilibrated scaled = equilibrate(M);
  const double shift = 1.0 - std::min(0.0, scaled.M.mid.minCoeff());
  Eigen::VectorXd x, y;
  if (n <= largest_game && play((scaled.M.mid.array() + shift).matrix(), x, y)) {
    x = scaled.column.asDiagonal() * x;
    y = scaled.row.asDiagonal() * y;
    if (is_positive_combination(M, x)) return conclude(holds("M x > 0 for the witness"), x);
    if (separates(M, y)) return conclude(fails("M^T y <= 0 for the witness"), y);
  }
  if (classes.p.holds()) {
    classes.s = holds("P");
  } else if (classes.strictly_copositive.holds()) {
    classes.s = holds("strictly copositive");
  } else {
    classes.s = not_known("the value of the matrix game is within round-off of zero, or was not found");
  }
}

void examine_derived(const BallMatrix& M, MatrixClasses& classes) {
  if (classes.z.holds() && classes.p.verdict == Verdict::NotKnown && classes.s.verdict != Verdict::NotKnown) {
    // For Z-matrices P and S are one class [cottle1992].
    classes.p = classes.s.holds() ? holds("Z and S") : fails("Z and not S");
    if (classes.s.holds()) classes.p0 = classes.nondegenerate = holds("P");
  }
  if (classes.p.fails() && classes.h_plus.verdict == Verdict::NotKnown) classes.h_plus = fails("not P");
  if (classes.z.fails() || classes.p.fails()) {
    classes.m = fails(classes.z.fails() ? "not Z" : "not P");
    classes.m.rows = classes.z.fails() ? classes.z.rows : classes.p.rows;
  } else {
    classes.m = classes.z.holds() && classes.p.holds() ? holds("Z and P") : not_known("Z or P is not known");
  }
  classes.r0 = regularity(M, classes);
  classes.column_sufficient = sufficiency(M, false, classes);
  classes.row_sufficient = sufficiency(M, true, classes);
}

}  // namespace nonsmooth::analysis::detail
