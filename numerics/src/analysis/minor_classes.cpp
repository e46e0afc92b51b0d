// SPDX-License-Identifier: Apache-2.0
// P, P0, nondegenerate; copositive: block by block.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <utility>

#include <internal/at.hpp>
#include <internal/decompositions.hpp>

#include "copositive.hpp"
#include "matrix_tests.hpp"
#include "principal_minors.hpp"

namespace nonsmooth::analysis::detail {
namespace {

/// Strongly connected components of a graph on n nodes, by a search forward and one backward.
std::vector<std::vector<Index>> strong_components(Index n, const std::function<bool(Index, Index)>& edge) {
  std::vector<Index> order;
  std::vector<char> seen(at(n), 0);
  const auto visit = [&](Index root, const std::function<bool(Index, Index)>& follows, std::vector<Index>& finished) {
    std::vector<std::pair<Index, Index>> stack{{root, 0}};
    seen[at(root)] = 1;
    while (!stack.empty()) {
      const auto [node, from] = stack.back();
      Index next = from;
      while (next < n && (seen[at(next)] != 0 || !follows(node, next))) ++next;
      if (next == n) {
        finished.push_back(node);
        stack.pop_back();
        continue;
      }
      stack.back().second = next + 1;
      seen[at(next)] = 1;
      stack.emplace_back(next, 0);
    }
  };
  for (Index i = 0; i < n; ++i) {
    if (seen[at(i)] == 0) visit(i, edge, order);
  }
  std::ranges::fill(seen, 0);
  std::vector<std::vector<Index>> components;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    if (seen[at(*node)] != 0) continue;
    components.emplace_back();
    visit(
        *node, [&](Index i, Index j) { return edge(j, i); }, components.back());
    std::ranges::sort(components.back());
  }
  return components;
}

/// z with M_aa z = t z, t the least real eigenvalue: M reverses its sign where t < 0. An odd number of eigenvalues is
/// negative where det M_aa < 0; where det M_aa = 0, z is a null vector. Rows and columns are scaled, which
/// leaves signs as they are.
Eigen::VectorXd reversed_vector(const Equilibrated& scaled, const std::vector<Index>& rows) {
  const Eigen::MatrixXd block = scaled.M.mid(rows, rows);
  Eigen::VectorXd part;
  if (!determinant(principal_block(scaled.M, rows)).zero()) {
    const GeneralEigen eigen = general_eigen(block);
    double least = 0.0;
    for (Index k = 0; k < eigen.values.size(); ++k) {
      if (eigen.values[k].imag() != 0.0 || eigen.values[k].real() >= least) continue;
      least = eigen.values[k].real();
      part = without_noise(eigen.V.col(k).real());
    }
  }
  if (part.size() == 0) part = without_noise(singular_values(block, true).V.rightCols(1));
  Eigen::VectorXd z = Eigen::VectorXd::Zero(scaled.M.rows());
  z(rows) = part;
  return scaled.column.asDiagonal() * z;
}

std::vector<Index> of_block(const std::vector<Index>& block, const std::vector<Index>& part) {
  std::vector<Index> rows;
  for (const Index i : part) rows.push_back(block[at(i)]);
  return rows;
}

/// The signs that a large block shows without a look at all its minors.
MinorSigns signs_of_large_block(const BallMatrix& M) {
  MinorSigns signs;
  signs.undecided = signs.undecided_sign = signs.undecided_zero = true;
  MatrixClasses classes;
  examine_definiteness(M, classes);
  if (classes.positive_definite.holds() || examine_h_plus(M).holds()) return {};
  if (classes.positive_semidefinite.holds()) signs.undecided_sign = false;
  for (Index j = 0; j < M.cols(); ++j) {
    for (Index i = 0; i <= j; ++i) {
      const Ball minor = i == j ? M(j, j) : minor_of(M(i, i), M(i, j), M(j, i), M(j, j));
      const std::vector<Index> rows = i == j ? std::vector<Index>{j} : std::vector<Index>{i, j};
      if (minor.nonpositive() && signs.nonpositive.empty()) signs.nonpositive = rows;
      if (minor.negative() && signs.negative.empty()) signs.negative = rows;
      if (minor.zero() && signs.zero.empty()) signs.zero = rows;
    }
  }
  return signs;
}

Finding minor_verdict(const Equilibrated& scaled, const std::vector<Index>& shown, bool undecided, bool large,
                      std::string_view why_not) {
  if (!shown.empty()) {
    Finding finding = fails(why_not);
    finding.rows = shown;
    finding.witness = reversed_vector(scaled, shown);
    return finding;
  }
  if (undecided) {
    return not_known(large ? "an irreducible block has more than max_exact rows, and no sufficient condition holds"
                           : "a principal minor is within round-off of zero");
  }
  return holds("all principal minors of the irreducible blocks [tsatsomeros2000]");
}

/// The components of the graph of entries of S that may be negative.
std::vector<std::vector<Index>> negative_components(const BallMatrix& S) {
  return strong_components(S.rows(), [&](Index i, Index j) { return i != j && !S(i, j).nonnegative(); });
}

Eigen::VectorXd spread(Index n, const std::vector<Index>& rows, const Eigen::VectorXd& x) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(n);
  result(rows) = x;
  return result;
}

}  // namespace

std::vector<std::vector<Index>> irreducible_blocks(const BallMatrix& M) {
  return strong_components(M.rows(), [&](Index i, Index j) { return i != j && !M(i, j).zero(); });
}

void examine_minors(const BallMatrix& M, Index max_exact, MatrixClasses& classes) {
  if (classes.positive_definite.holds() || classes.h_plus.holds()) {
    classes.p =
        classes.positive_definite.holds() ? holds("positive definite") : holds("the comparison matrix is an M-matrix");
    classes.p0 = classes.nondegenerate = holds("P");
    return;
  }
  const Equilibrated scaled = equilibrate(M);  // changes no sign of a principal minor
  MinorSigns all;
  bool large = false;
  for (const std::vector<Index>& block : irreducible_blocks(M)) {
    const bool small = static_cast<Index>(block.size()) <= max_exact;
    const BallMatrix part = principal_block(scaled.M, block);
    const MinorSigns signs = small ? principal_minor_signs(part) : signs_of_large_block(part);
    const auto take = [&](std::vector<Index>& mine, const std::vector<Index>& found) {
      if (mine.empty()) mine = of_block(block, found);
    };
    take(all.nonpositive, signs.nonpositive);
    take(all.negative, signs.negative);
    take(all.zero, signs.zero);
    all.undecided = all.undecided || signs.undecided;
    all.undecided_sign = all.undecided_sign || signs.undecided_sign;
    all.undecided_zero = all.undecided_zero || signs.undecided_zero;
    large = large || (!small && signs.undecided);
  }
  classes.p = minor_verdict(scaled, all.nonpositive, all.undecided, large, "a principal minor is not positive");
  classes.p0 = minor_verdict(scaled, all.negative, all.undecided_sign, large, "a principal minor is negative");
  if (classes.p0.verdict == Verdict::NotKnown && classes.positive_semidefinite.holds()) {
    classes.p0 = holds("positive semidefinite");
  }
  classes.nondegenerate = minor_verdict(scaled, all.zero, all.undecided_zero, large, "a principal minor is zero");
}

void examine_copositivity(const BallMatrix& M, Index max_exact, MatrixClasses& classes) {
  if (classes.positive_definite.holds()) {
    classes.copositive = classes.strictly_copositive = holds("positive definite");
    return;
  }
  const Index n = M.rows();
  BallMatrix S{.mid = Eigen::MatrixXd(n, n), .rad = Eigen::MatrixXd(n, n)};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) S.set(i, j, M(i, j) + M(j, i));
  }
  // x = D x': powers of two, no sign changes.
  Eigen::VectorXd scale(n);
  for (Index i = 0; i < n; ++i) {
    const double size = S.mid(i, i) != 0.0 ? std::abs(S.mid(i, i)) : S.mid.row(i).cwiseAbs().maxCoeff();
    scale[i] = 1.0 / power_of_two(std::sqrt(size));
  }
  S.mid = scale.asDiagonal() * S.mid * scale.asDiagonal();
  S.rad = scale.asDiagonal() * S.rad * scale.asDiagonal();
  classes.copositive = holds("no face of the simplex has a negative stationary value");
  classes.strictly_copositive = holds("no face of the simplex has a stationary value <= 0");
  for (const std::vector<Index>& block : negative_components(S)) {
    if (static_cast<Index>(block.size()) > max_exact) {
      if (!classes.copositive.fails())
        classes.copositive = not_known("a component of the negative entries has more than max_exact rows");
      if (!classes.strictly_copositive.fails())
        classes.strictly_copositive = not_known("a component of the negative entries has more than max_exact rows");
      continue;
    }
    const OrthantSigns signs = orthant_signs(principal_block(S, block));
    if (signs.negative.size() > 0) {
      classes.copositive = fails("x^T M x < 0 for the witness");
      classes.copositive.witness = scale.asDiagonal() * spread(n, block, signs.negative);
    } else if (signs.undecided && !classes.copositive.fails()) {
      classes.copositive = not_known("a stationary value is within round-off of zero");
    }
    if (signs.nonpositive.size() > 0) {
      classes.strictly_copositive =
          fails(signs.vanishes ? "a stationary value on x >= 0 is zero" : "x^T M x <= 0 for the witness");
      classes.strictly_copositive.witness = scale.asDiagonal() * spread(n, block, signs.nonpositive);
    } else if (signs.undecided_strict && !classes.strictly_copositive.fails()) {
      classes.strictly_copositive = not_known("a stationary value is within round-off of zero");
    }
  }
  if (classes.copositive.verdict == Verdict::NotKnown && classes.positive_semidefinite.holds()) {
    classes.copositive = holds("positive semidefinite");
  }
}

}  // namespace nonsmooth::analysis::detail
