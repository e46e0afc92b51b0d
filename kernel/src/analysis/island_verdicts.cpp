// SPDX-License-Identifier: Apache-2.0
// What the matrices of a first-order island say: relative degrees, and whether its problem has one answer.
#include <cmath>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>

#include "dynamics/mechanics/iteration_matrix.hpp"
#include "examine_start.hpp"

namespace nonsmooth::stages {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Index kMostRowsOfW = 10;
constexpr double kRoundOffOfTerms = 1e-12;

/// c^T B has an entry that is not zero within the rounding of its terms, `size` holding those of c.
bool reaches(const Matrix& B, const Eigen::Ref<const Vector>& c, const Eigen::Ref<const Vector>& size) {
  for (Index j = 0; j < B.cols(); ++j) {
    if (std::abs(B.col(j).dot(c)) > kRoundOffOfTerms * B.col(j).cwiseAbs().dot(size)) return true;
  }
  return false;
}

/// A principal minor of one row or two is negative whatever the entries are within their error: no P-matrix.
bool has_negative_minor(const Matrix& W, const Matrix& error) {
  for (Index i = 0; i < W.rows(); ++i) {
    if (W(i, i) < -error(i, i)) return true;
    for (Index j = 0; j < i; ++j) {
      const double diagonal = (std::abs(W(i, i)) + error(i, i)) * (std::abs(W(j, j)) + error(j, j));
      const double other = W(i, j) * W(j, i);
      const double slack = error(i, j) * std::abs(W(j, i)) + error(j, i) * std::abs(W(i, j));
      if (other - slack > diagonal) return true;
    }
  }
  return false;
}

/// The diagonal of W + W^T is positive with the shift, and no less than the rest of its row: monotone.
bool dominates(const Matrix& W, double shift) {
  for (Index i = 0; i < W.rows(); ++i) {
    double rest = 0.0;
    for (Index j = 0; j < W.rows(); ++j) {
      if (j != i) rest += std::abs(0.5 * (W(i, j) + W(j, i)));
    }
    if (!(W(i, i) + shift > rest)) return false;
  }
  return true;
}

}  // namespace

bool is_unbounded(const BlockPlan& block, const InteractionPlan& interaction) {
  if (interaction.law->coupling.size() > 0) return false;
  if (block.set.kind == SetKind::Orthant || block.set.kind == SetKind::Free) return true;
  return block.set.kind == SetKind::Box && (std::isinf(block.set.lower) || std::isinf(block.set.upper));
}

Index relative_degree(const LinearIsland& island, Index row) {
  if (!island.D.row(row).isZero(0.0)) return 0;
  const Index n = island.A.rows();
  Vector c = island.C.row(row).transpose(), size = c.cwiseAbs();
  if (reaches(island.B, c, size)) return 1;
  const Matrix A_size = island.A.cwiseAbs();
  for (Index k = 2; k <= n; ++k) {
    c = island.A.transpose() * c;
    size = A_size.transpose() * size;
    if (reaches(island.B, c, size)) return k;
  }
  return -1;
}

std::vector<std::size_t> first_blocks(const RelationCaches& relations) {
  std::vector<std::size_t> first(relations.interactions.size() + 1, 0);
  for (const BlockPlan& block : relations.blocks) ++first[static_cast<std::size_t>(block.interaction) + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  return first;
}

Matrix without_equalities(Matrix W, const Island& island, const std::vector<std::size_t>& blocks,
                          const RelationCaches& relations) {
  std::vector<Index> equal, other;
  Index first = 0;
  for (const Index i : island.interactions) {
    for (std::size_t b = blocks[static_cast<std::size_t>(i)]; b < blocks[static_cast<std::size_t>(i) + 1]; ++b) {
      const BlockPlan& block = relations.blocks[b];
      for (Index r = 0; r < block.size; ++r)
        (block.set.kind == SetKind::Free ? equal : other).push_back(first + block.local + r);
    }
    first += relations.interaction(i).rows;
  }
  if (equal.empty()) return W;
  const Matrix E = W(equal, equal);
  if (iteration_matrix::is_singular(E)) return {};
  return W(other, other) - W(other, equal) * LuFactors(E).solve(Matrix(W(equal, other)));
}

bool may_have_several_answers(const Eigen::MatrixXd& W) {
  if (W.rows() == 0 || !W.allFinite() || W.isZero(0.0)) return false;
  // Round-off of W's making decides nothing.
  const double largest = W.cwiseAbs().maxCoeff(), shift = kRoundOffOfTerms * static_cast<double>(W.rows()) * largest;
  if (dominates(W, shift)) return false;
  Matrix shifted = 0.5 * (W + W.transpose());
  shifted.diagonal().array() += shift;
  if (is_positive_definite(shifted)) return false;
  const Matrix error = Matrix::Constant(W.rows(), W.cols(), kRoundOffOfTerms * largest);
  return W.rows() > kMostRowsOfW ? has_negative_minor(W, error)
                                 : !analysis::classify(W, {.max_exact = kMostRowsOfW, .entry_error = error}).p.holds();
}

}  // namespace nonsmooth::stages
