// SPDX-License-Identifier: Apache-2.0
#include "convex_inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <internal/deadline.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/mixed/admm.hpp>
#include <nonsmooth/numerics/mixed/gauss_seidel.hpp>
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include "symmetry.hpp"

namespace nonsmooth::friction::internal {
namespace {

constexpr Index most_in_program = 150;  // rows; more are faster with sparse factors
constexpr Index few_solves = 2;         // before factors of the program: there may be no more

}  // namespace

mixed::Result solve_inner(const Problem& problem, InnerSolver solver, double tolerance, double time_limit,
                          const Eigen::VectorXd& start) {
  switch (solver) {
    case InnerSolver::Hybrid: {
      constexpr Index enough = 100;  // where ADMM is going to be fast it is by then
      const detail::Deadline deadline(time_limit);
      mixed::Result first = mixed::solve(
          problem,
          mixed::Admm{.tolerance = tolerance, .max_iterations = enough, .time_limit = time_limit, .start = start});
      if (first.ok() || deadline.passed()) return first;
      mixed::Result second = mixed::solve(
          problem, mixed::ProximalNewton{.tolerance = tolerance, .time_limit = deadline.remaining(), .start = first.r});
      second.iterations += first.iterations;
      return second;
    }
    case InnerSolver::ProximalNewton:
      break;
    case InnerSolver::GaussSeidel: {
      mixed::Result result;
      result.r = start;
      mixed::GaussSeidelWorkspace workspace;
      workspace.solve(problem, {.tolerance = tolerance, .time_limit = time_limit}, result);
      return result;
    }
    case InnerSolver::Admm:
      return mixed::solve(problem, mixed::Admm{.tolerance = tolerance, .time_limit = time_limit, .start = start});
  }
  return mixed::solve(problem, mixed::ProximalNewton{.tolerance = tolerance, .time_limit = time_limit, .start = start});
}

std::vector<Disk> disks_of(const ProductSet& K) {
  std::vector<Disk> disks;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const BlockSet& set = K[b];
    const Index o = K.offset(b), n = K.size(b);
    if (set.kind == SetKind::Coulomb2D || set.kind == SetKind::Coulomb3D) {
      disks.push_back({b, o, o + 1, n - 1, set.mu});
    } else if (set.kind == SetKind::Rolling) {
      const Index sliding = n == 3 ? 1 : 2, rolling = n == 3 ? 1 : (n == 4 ? 0 : 2),
                  spinning = n - 1 - sliding - rolling;
      disks.push_back({b, o, o + 1, sliding, set.mu});
      if (rolling > 0) disks.push_back({b, o, o + 1 + sliding, rolling, set.rolling});
      if (spinning > 0) disks.push_back({b, o, o + 1 + sliding + rolling, spinning, set.spinning});
    }
  }
  return disks;
}

SplitProblem::SplitProblem(const Problem& problem, Part part) : problem_(problem), disks_(disks_of(problem.K)) {
  list_pieces(part);
  lay_out();
  quadratic_ = part != Part::All && split_.W.rows() <= most_in_program &&
               std::none_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return p.padded(); }) &&
               is_symmetric(split_.W, 1e-12);
}

void SplitProblem::list_pieces(Part part) {
  const std::vector<Disk>& disks = disks_;
  std::size_t disk = 0;
  for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
    begin_.push_back(static_cast<Index>(pieces_.size()));
    const Index n = problem_.K.size(b), o = problem_.K.offset(b);
    switch (problem_.K[b].kind) {
      case SetKind::Free:
        pieces_.push_back({SetKind::Free, b, 0, n, -1});
        continue;
      case SetKind::Orthant:
        if (part != Part::Tangential) pieces_.push_back({SetKind::Orthant, b, 0, n, -1});
        continue;
      default:
        break;
    }
    if (part != Part::Tangential) pieces_.push_back({SetKind::Orthant, b, 0, 1, -1});
    for (; disk < disks.size() && disks[disk].block == b; ++disk)
      if (part != Part::Normal)
        pieces_.push_back({disks[disk].rows == 1 ? SetKind::Box : SetKind::VonMises, b, disks[disk].first - o,
                           disks[disk].rows, static_cast<Index>(disk)});
  }
  begin_.push_back(static_cast<Index>(pieces_.size()));
}

void SplitProblem::lay_out() {
  const BlockSparseMatrix& W = problem_.W;
  BlockSparseMatrix& S = split_.W;
  const auto begin = [&](Index block) { return begin_[static_cast<std::size_t>(block)]; };
  const auto piece = [&](Index k) -> const Piece& { return pieces_[static_cast<std::size_t>(k)]; };
  std::vector<Index> sizes;
  for (const Piece& p : pieces_) sizes.push_back(p.size());
  S.begin_pattern(sizes);
  for (const Piece& p : pieces_) {
    for (Index k = W.row_begin(p.block); k < W.row_begin(p.block + 1); ++k)
      for (Index c = begin(W.column(k)); c < begin(W.column(k) + 1); ++c) S.insert(c);
    S.next_row();
  }
  S.end_pattern();
  for (Index i = 0; i < static_cast<Index>(pieces_.size()); ++i) {
    const Piece& p = piece(i);
    for (Index k = W.row_begin(p.block); k < W.row_begin(p.block + 1); ++k) {
      const auto whole = W.block(p.block, k);
      for (Index c = begin(W.column(k)); c < begin(W.column(k) + 1); ++c)
        S.block(i, S.find(i, c)).bottomRightCorner(p.rows, piece(c).rows) =
            whole.block(p.first, piece(c).first, p.rows, piece(c).rows);
    }
    if (!p.padded()) continue;
    auto diagonal = S.block(i, S.diagonal(i));
    const double mean = diagonal.trace() / static_cast<double>(p.rows);
    diagonal(0, 0) = mean > 0.0 ? mean : 1.0;  // leaves the block's scale as it is
  }
  split_.q.setZero(S.rows());
  x_.setZero(S.rows());
  q_.resize(problem_.W.rows());
}

void SplitProblem::set_up_program() {
  const Eigen::MatrixXd W = split_.W.to_dense();
  program_.Q = 0.5 * (W + W.transpose());
  program_.lower.resize(W.rows());
  program_.upper.resize(W.rows());
}

/// x, the minimum within the bounds. False where the active sets end without an answer: W is not semidefinite, or the
/// data have no minimum.
bool SplitProblem::solve_program(double tolerance, double time_limit, mixed::Result& result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (program_.Q.size() == 0) set_up_program();
  program_.c = split_.q;
  for (Index i = 0; i < split_.K.num_blocks(); ++i) {
    const BlockSet& set = split_.K[i];
    const bool box = set.kind == SetKind::Box;
    const double lower = box ? set.lower : (set.kind == SetKind::Free ? -infinity : 0.0);
    program_.lower.segment(split_.K.offset(i), split_.K.size(i)).setConstant(lower);
    program_.upper.segment(split_.K.offset(i), split_.K.size(i)).setConstant(box ? set.upper : infinity);
  }
  active_set_.solve(program_, {.tolerance = tolerance, .time_limit = time_limit}, programs_ > 0, answer_);
  ++programs_;
  if (!answer_.ok()) return false;
  result.status = Status::Solved;
  result.iterations = answer_.iterations + 1;  // one of the active set that it began with
  result.r = answer_.x;
  return true;
}

Eigen::VectorXd SplitProblem::thresholds(const Eigen::VectorXd& r) const {
  Eigen::VectorXd result(static_cast<Index>(disks_.size()));
  for (Index k = 0; k < result.size(); ++k) {
    const Disk& disk = disks_[static_cast<std::size_t>(k)];
    result[k] = disk.coefficient * std::max(0.0, r[disk.normal]);
  }
  return result;
}

Eigen::VectorXd SplitProblem::rows_of(const Eigen::VectorXd& r) const {
  Eigen::VectorXd x(r.size());
  Index n = 0;
  each_row([&](Index, Index from) { x[n++] = r[from]; });
  return x.head(n);
}

void SplitProblem::set_rows(const Eigen::VectorXd& x, Eigen::VectorXd& r) const {
  Index n = 0;
  each_row([&](Index, Index from) { r[from] = x[n++]; });
}

mixed::Result SplitProblem::solve(const Eigen::VectorXd& thresholds, InnerSolver solver, double tolerance,
                                  double time_limit, Eigen::VectorXd& r, Eigen::VectorXd& held) {
  split_.K.clear();
  for (const Piece& p : pieces_) {
    BlockSet set{.kind = p.kind};
    if (p.disk >= 0) {
      const double radius = thresholds[p.disk];
      if (p.kind == SetKind::Box)
        set.lower = -radius, set.upper = radius;
      else
        set.radius = radius;
    }
    split_.K.push_back(set, p.size());
  }
  // What the rows that are held contribute belongs to q.
  held = r;
  for (const Piece& p : pieces_) held.segment(problem_.K.offset(p.block) + p.first, p.rows).setZero();
  problem_.W.multiply_add(held, problem_.q, q_);
  x_.setZero();
  each_row([&](Index to, Index from) {
    split_.q[to] = q_[from];
    x_[to] = r[from];
  });
  if (split_.K.num_blocks() == 0) {
    mixed::Result nothing;
    nothing.status = Status::Solved;
    return nothing;
  }
  const double size = split_.q.lpNorm<Eigen::Infinity>();
  const double relative = size > 0.0 && tolerance > 0.0 ? tolerance / size : 1e-10;
  mixed::Result result;
  const bool program = quadratic_ && solver == InnerSolver::Hybrid && ++solves_ > few_solves;
  const detail::Deadline deadline(time_limit);
  if (program) quadratic_ = solve_program(relative, time_limit, result);  // what failed once is not tried again
  if (!program || !quadratic_) result = solve_inner(split_, solver, relative, deadline.remaining(), x_);
  if (result.r.allFinite()) each_row([&](Index to, Index from) { r[from] = result.r[to]; });
  return result;
}

Eigen::VectorXd Anderson::next(const Eigen::VectorXd& x, const Eigen::VectorXd& f) {
  const Index memory = dx_.cols();
  Eigen::VectorXd plain = x + f;
  if (memory == 0) return plain;
  if (count_ > 0) {
    dx_.col((count_ - 1) % memory) = x - x_;
    df_.col((count_ - 1) % memory) = f - f_;
  }
  x_ = x;
  f_ = f;
  const Index filled = std::min(count_, memory);
  ++count_;
  if (filled == 0) return plain;
  // Of minimal norm where differences are nearly parallel.
  CompleteOrthogonalFactors factors;
  factors.set_threshold(1e-10);
  factors.compute(df_.leftCols(filled));
  const Eigen::VectorXd weights = factors.solve(f);
  Eigen::VectorXd extrapolated = plain - (dx_.leftCols(filled) + df_.leftCols(filled)) * weights;
  return extrapolated.allFinite() ? extrapolated : plain;
}

}  // namespace nonsmooth::friction::internal
