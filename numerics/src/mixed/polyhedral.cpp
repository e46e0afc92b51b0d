// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/polyhedral.hpp>

#include <cmath>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "canonical.hpp"
#include "projection_jacobian.hpp"
#include "rolling_cone.hpp"
#include "set_kernels.hpp"

namespace nonsmooth::mixed {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Corners of the polygon for n - 1 tangential rows, one a column.
Eigen::MatrixXd corners(Index tangents, const Polyhedral& options) {
  if (tangents == 1) return Eigen::RowVector2d(1.0, -1.0);
  const double angle = 2.0 * pi / static_cast<double>(options.facets);
  const double radius = options.side == Polyhedral::Side::Inner ? 1.0 : 1.0 / std::cos(0.5 * angle);
  Eigen::MatrixXd P(2, options.facets);
  for (Index j = 0; j < options.facets; ++j)
    P.col(j) =
        radius * Eigen::Vector2d(std::cos(angle * static_cast<double>(j)), std::sin(angle * static_cast<double>(j)));
  return P;
}

/// One block of the new problem: w = L u + (E z of all pieces of the parent) + shift, r = sum of R z.
struct Local {
  BlockSet set;
  Eigen::MatrixXd L, R;
  Eigen::VectorXd shift;
};

/// The pieces of one block and E, in the order of their rows.
struct Replacement {
  std::vector<Local> pieces;
  Eigen::MatrixXd E;
};

Replacement keep(const BlockSet& set, Index n) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  return {{{set, I, I, Eigen::VectorXd::Zero(n)}}, Eigen::MatrixXd::Zero(n, n)};
}

/// A rolling cone: one polygon a group, rows (r_0, b, g of each group). û_0 - u_0 cancels the sum of bound g.
Replacement replace_groups(const BlockSet& set, Index n, const Polyhedral& options) {
  const detail::RollingGroups groups = detail::rolling_groups(set, n);
  Index m = 1;
  for (const detail::RollingGroup& group : groups) m += corners(group.size, options).cols() + 1;
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(n, m), E = Eigen::MatrixXd::Zero(m, m);
  R(0, 0) = 1.0;
  Index first = 1;
  for (const detail::RollingGroup& group : groups) {
    const Eigen::MatrixXd P = corners(group.size, options);
    const Index k = P.cols(), last = first + k;
    R.block(group.first, first, group.size, k) = P;
    E.block(first, last, k, 1).setOnes();
    E.block(last, first, 1, k).setConstant(-1.0);
    E(last, 0) = group.bound;
    first = last + 1;
  }
  return {{{BlockSet{}, R.transpose(), R, Eigen::VectorXd::Zero(m)}}, E};
}

Replacement replace(const BlockSet& set, Index n, const Polyhedral& options) {
  const BlockSet orthant{};
  const bool cylinder = set.kind == SetKind::VonMises;
  if (set.kind == SetKind::Coulomb2D || !(internal::is_cone(set.kind) || cylinder)) return keep(set, n);
  if (n == 1) return keep(orthant, n);
  if (set.kind == SetKind::Rolling) return replace_groups(set, n, options);
  const Eigen::MatrixXd P = corners(n - 1, options);
  const Index k = P.cols();
  if (set.kind == SetKind::SecondOrderCone) {
    if (set.mu == 0.0) {
      const Eigen::MatrixXd axis = Eigen::VectorXd::Unit(n, 0);
      return {{{orthant, axis.transpose(), axis, Eigen::VectorXd::Zero(1)}}, Eigen::MatrixXd::Zero(1, 1)};
    }
    Eigen::MatrixXd G(n, k);
    G.row(0).setOnes();
    G.bottomRows(n - 1) = set.mu * P;
    return {{{orthant, G.transpose(), G, Eigen::VectorXd::Zero(k)}}, Eigen::MatrixXd::Zero(k, k)};
  }
  // Rows (r_0, b, g).
  const Index m = k + 2;
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(n, m), E = Eigen::MatrixXd::Zero(m, m);
  R(0, 0) = 1.0;
  R.block(1, 1, n - 1, k) = P;
  E.block(1, m - 1, k, 1).setOnes();
  E.block(m - 1, 1, 1, k).setConstant(-1.0);
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(m);
  if (!cylinder) {
    E(0, m - 1) = lift_factor(set) - set.mu;
    E(m - 1, 0) = set.mu;
    return {{{orthant, R.transpose(), R, shift}}, E};
  }
  shift[m - 1] = set.radius;
  return {{{{.kind = SetKind::Free}, R.leftCols(1).transpose(), R.leftCols(1), shift.head(1)},
           {orthant, R.rightCols(m - 1).transpose(), R.rightCols(m - 1), shift.tail(m - 1)}},
          E};
}

}  // namespace

void Polyhedral::validate() const { check::within("mixed::Polyhedral::facets", facets, 3, check::most_dense_rows); }

PolyhedralProblem polyhedral(const Problem& problem, const Polyhedral& options) {
  problem.validate();
  options.validate();
  if (!problem.K.is_canonical()) {
    const internal::CanonicalForm form(problem);
    PolyhedralProblem scaled = polyhedral(form.problem(), options);
    const auto& scale = form.scaling().scale();
    for (PolyhedralProblem::Piece& piece : scaled.pieces_)
      piece.R = Eigen::MatrixXd(scale.segment(problem.K.offset(piece.parent), piece.R.rows()).asDiagonal() * piece.R);
    scaled.shift_ = form.scaling().shift();
    return scaled;
  }
  const Index blocks = problem.K.num_blocks();
  PolyhedralProblem result;
  std::vector<Replacement> replacements;
  std::vector<Index> first_piece, sizes;
  Index pieces = 0;
  for (Index b = 0; b < blocks; ++b) {
    const BlockSet& set = problem.K[b];
    const Index n = problem.K.size(b);
    const bool one_disk =
        set.kind != SetKind::Rolling && (internal::is_cone(set.kind) || set.kind == SetKind::VonMises);
    if (one_disk && n > 3)
      throw InvalidArgument("mixed::polyhedral: problem.K",
                            "block " + std::to_string(b) + " of " + std::to_string(n) + " rows",
                            "cones and cylinders of at most 3 rows");
    replacements.push_back(replace(set, n, options));
    first_piece.push_back(pieces);
    result.offsets_.push_back(problem.K.offset(b));
    for (const Local& piece : replacements.back().pieces) {
      result.problem.K.push_back(piece.set, piece.shift.size());
      sizes.push_back(piece.shift.size());
      result.pieces_.push_back({b, piece.R});
      ++pieces;
    }
  }
  result.offsets_.push_back(problem.K.num_rows());
  const auto parts = [&](Index b) -> const std::vector<Local>& {
    return replacements[static_cast<std::size_t>(b)].pieces;
  };
  BlockSparseMatrix& W = result.problem.W;
  W.begin_pattern(sizes);
  for (Index b = 0; b < blocks; ++b)
    for (std::size_t i = 0; i < parts(b).size(); ++i) {
      for (Index k = problem.W.row_begin(b); k < problem.W.row_begin(b + 1); ++k) {
        const Index column = problem.W.column(k);
        for (std::size_t j = 0; j < parts(column).size(); ++j)
          W.insert(first_piece[static_cast<std::size_t>(column)] + static_cast<Index>(j));
      }
      W.next_row();
    }
  W.end_pattern();
  result.problem.q.setZero(W.rows());
  for (Index b = 0; b < blocks; ++b) {
    Index row = first_piece[static_cast<std::size_t>(b)], local_row = 0;
    for (const Local& piece : parts(b)) {
      const Index rows = piece.shift.size();
      result.problem.q.segment(W.offset(row), rows) =
          piece.L * problem.q.segment(problem.K.offset(b), problem.K.size(b)) + piece.shift;
      for (Index k = problem.W.row_begin(b); k < problem.W.row_begin(b + 1); ++k) {
        const Index column = problem.W.column(k);
        Index target = first_piece[static_cast<std::size_t>(column)], local_column = 0;
        for (const Local& other : parts(column)) {
          auto block = W.block(row, W.find(row, target));
          block = piece.L * problem.W.block(b, k) * other.R;
          if (column == b)
            block +=
                replacements[static_cast<std::size_t>(b)].E.block(local_row, local_column, rows, other.shift.size());
          local_column += other.shift.size();
          ++target;
        }
      }
      local_row += rows;
      ++row;
    }
  }
  return result;
}

Eigen::VectorXd PolyhedralProblem::recover(ConstVectorRef multipliers) const {
  check::size("mixed::PolyhedralProblem::recover", multipliers.size(), problem.q.size(), "one a row of problem.W");
  Eigen::VectorXd r = Eigen::VectorXd::Zero(offsets_.empty() ? 0 : offsets_.back());
  Index offset = 0;
  for (const Piece& piece : pieces_) {
    const auto parent = static_cast<std::size_t>(piece.parent);
    r.segment(offsets_[parent], offsets_[parent + 1] - offsets_[parent]) +=
        piece.R * multipliers.segment(offset, piece.R.cols());
    offset += piece.R.cols();
  }
  if (shift_.size() == r.size()) r -= shift_;
  return r;
}

}  // namespace nonsmooth::mixed
