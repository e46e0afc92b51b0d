// SPDX-License-Identifier: Apache-2.0
#include "contact_lcp.hpp"

#include <nonsmooth/numerics/lcp/automatic.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>
#include <nonsmooth/numerics/mlcp/automatic.hpp>
#include <nonsmooth/numerics/mlcp/lemke.hpp>

#include "infeasibility.hpp"
#include "projection_method.hpp"

namespace nonsmooth::friction::internal {
namespace {

constexpr Index dense_limit = 300;  // rows: below, a dense LCP beats a sparse one whatever the pattern

template <class Algorithm>
[[nodiscard]] Algorithm within(const Limits& limits, Index Algorithm::*count) {
  Algorithm algorithm;
  algorithm.tolerance = limits.tolerance;
  algorithm.time_limit = limits.time_limit;
  algorithm.*count = limits.max_iterations;
  return algorithm;
}

/// By one of two algorithms, both of which take either storage.
template <class Automatic, class Lemke, class AnyProblem>
[[nodiscard]] auto solve_by(const AnyProblem& problem, Pivoting pivoting, const Limits& limits) {
  if (pivoting == Pivoting::Lemke) return solve(problem, within(limits, &Lemke::max_pivots));
  return solve(problem, within(limits, &Automatic::max_iterations));
}

}  // namespace

ContactLcp::ContactLcp(const Problem& problem, PlanarLcp::Form form) : problem_(problem) {
  pieces_.reserve(static_cast<std::size_t>(problem.K.num_blocks()));
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const BlockSet& set = problem.K[b];
    const Index n = problem.K.size(b);
    Piece piece{Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Zero(n, n), num_,
                set.kind == SetKind::Free};
    if (piece.free) {
      piece.first = num_free_;
      num_free_ += n;
    } else if (set.kind == SetKind::Coulomb2D && form == PlanarLcp::Form::Klarbring) {
      piece.R = Eigen::Matrix<double, 2, 3>{{1.0, 0.0, 0.0}, {-set.mu, 1.0, 0.0}};
      piece.L = Eigen::Matrix<double, 3, 2>{{1.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}};
      piece.E = Eigen::Matrix3d{{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {2.0 * set.mu, -1.0, 0.0}};
    } else if (set.kind == SetKind::Coulomb2D) {
      piece.R = Eigen::Matrix<double, 2, 4>{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, -1.0, 0.0}};
      piece.L = piece.R.transpose();
      piece.E =
          Eigen::Matrix4d{{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 1.0}, {set.mu, -1.0, -1.0, 0.0}};
    }
    if (!piece.free) num_ += piece.L.rows();
    pieces_.push_back(std::move(piece));
  }
  q_.resize(num_free_ + num_);
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const Piece& piece = pieces_[static_cast<std::size_t>(b)];
    q_.segment((piece.free ? 0 : num_free_) + piece.first, piece.L.rows()) =
        piece.L * problem.q.segment(problem.K.offset(b), problem.K.size(b));
  }
}

Eigen::MatrixXd ContactLcp::entries(Index b, Index k) const {
  const Index column = problem_.W.column(k);
  const Piece& piece = pieces_[static_cast<std::size_t>(b)];
  Eigen::MatrixXd block =
      piece.L.lazyProduct(problem_.W.block(b, k).lazyProduct(pieces_[static_cast<std::size_t>(column)].R).eval());
  if (column == b) block += piece.E;
  return block;
}

void ContactLcp::assemble(Eigen::MatrixXd& M) const {
  M.setZero(num_free_ + num_, num_free_ + num_);
  const auto first = [&](Index b) {
    const Piece& piece = pieces_[static_cast<std::size_t>(b)];
    return (piece.free ? 0 : num_free_) + piece.first;
  };
  for (Index b = 0; b < problem_.W.num_block_rows(); ++b)
    for (Index k = problem_.W.row_begin(b); k < problem_.W.row_begin(b + 1); ++k) {
      const Eigen::MatrixXd block = entries(b, k);
      M.block(first(b), first(problem_.W.column(k)), block.rows(), block.cols()) = block;
    }
}

Eigen::SparseMatrix<double> ContactLcp::assemble_sparse() const {
  std::vector<Eigen::Triplet<double>> triplets;
  for (Index b = 0; b < problem_.W.num_block_rows(); ++b)
    for (Index k = problem_.W.row_begin(b); k < problem_.W.row_begin(b + 1); ++k) {
      const Eigen::MatrixXd block = entries(b, k);
      const Index row = pieces_[static_cast<std::size_t>(b)].first;
      const Index column = pieces_[static_cast<std::size_t>(problem_.W.column(k))].first;
      for (Index j = 0; j < block.cols(); ++j)
        for (Index i = 0; i < block.rows(); ++i)
          if (block(i, j) != 0.0)
            triplets.emplace_back(static_cast<int>(row + i), static_cast<int>(column + j), block(i, j));
    }
  Eigen::SparseMatrix<double> M(num_, num_);
  M.setFromTriplets(triplets.begin(), triplets.end());
  return M;
}

bool ContactLcp::prefers_sparse() const {
  if (num_free_ > 0 || num_ <= dense_limit) return false;
  double filled = 0.0;
  for (Index b = 0; b < problem_.W.num_block_rows(); ++b)
    for (Index k = problem_.W.row_begin(b); k < problem_.W.row_begin(b + 1); ++k)
      filled += static_cast<double>(pieces_[static_cast<std::size_t>(b)].L.rows() *
                                    pieces_[static_cast<std::size_t>(problem_.W.column(k))].R.cols());
  return filled < 0.2 * static_cast<double>(num_) * static_cast<double>(num_);
}

template <class Answer>
void ContactLcp::take(const Answer& answer, mixed::Result& result) const {
  result.iterations += answer.iterations;
  result.status = answer.status;
  result.reason = answer.reason;
  Eigen::VectorXd z(num_free_ + num_), y;
  if constexpr (requires { answer.z; }) {
    z = answer.z;
  } else {
    z << answer.u, answer.v;
  }
  if (answer.status == Status::Infeasible && answer.proof.size() == z.size()) y = answer.proof;
  if (y.size() > 0) result.proof.setZero(result.r.size());
  for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
    const Piece& piece = pieces_[static_cast<std::size_t>(b)];
    const Index o = problem_.K.offset(b), n = problem_.K.size(b);
    const Index first = (piece.free ? 0 : num_free_) + piece.first;
    result.r.segment(o, n).noalias() = piece.R * z.segment(first, piece.R.cols());
    if (y.size() > 0) result.proof.segment(o, n).noalias() = piece.L.transpose() * y.segment(first, piece.L.rows());
  }
}

void ContactLcp::solve(Pivoting pivoting, const Limits& limits, mixed::Result& result) const {
  if (prefers_sparse()) {
    const lcp::SparseProblem problem{assemble_sparse(), q_};
    return take(solve_by<lcp::Automatic, lcp::Lemke>(problem, pivoting, limits), result);
  }
  Eigen::MatrixXd M;
  assemble(M);
  if (num_free_ == 0) {
    const lcp::Problem problem{std::move(M), q_};
    return take(solve_by<lcp::Automatic, lcp::Lemke>(problem, pivoting, limits), result);
  }
  mlcp::Problem problem;
  problem.A = M.topLeftCorner(num_free_, num_free_);
  problem.C = M.topRightCorner(num_free_, num_);
  problem.D = M.bottomLeftCorner(num_, num_free_);
  problem.B = M.bottomRightCorner(num_, num_);
  problem.a = q_.head(num_free_);
  problem.b = q_.tail(num_);
  take(solve_by<mlcp::Automatic, mlcp::Lemke>(problem, pivoting, limits), result);
}

bool rests_at_zero(const Problem& problem) {
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const Index o = problem.K.offset(b), n = problem.K.size(b);
    switch (problem.K[b].kind) {
      case SetKind::Free:
        if (!problem.q.segment(o, n).isZero(0.0)) return false;
        break;
      case SetKind::Orthant:
        if (problem.q.segment(o, n).minCoeff() < 0.0) return false;
        break;
      default:
        if (problem.q[o] < 0.0) return false;
    }
  }
  return true;
}

void conclude_pivoting(const Problem& problem, double tolerance, Measure measure, std::string_view without,
                       mixed::Result& result) {
  Status status = result.status;
  std::string_view reason = result.reason;
  constexpr Index proof_steps = 500;  // enough for the small problems that pivoting is for
  const bool claimed = status == Status::Infeasible && proves_infeasible(problem, result.proof);
  // A ray is a proof only where M is copositive; an LCP at round-off may have a good answer.
  if (!result.r.allFinite()) result.r.setZero();
  const bool failed = !claimed && (status == Status::Infeasible || status == Status::Stalled) &&
                      !(mixed::certify(problem, result.r, result.u).residual <= tolerance);
  const bool infeasible = claimed || (failed && find_proof(problem, proof_steps, result.proof));
  if (infeasible) {
    status = Status::Infeasible;
    reason = "no reaction in the cones keeps the contacts from closing: see the proof";
  }
  if (!infeasible) result.proof.resize(0);
  if (status == Status::Solved || (status == Status::Infeasible && !infeasible)) {
    status = Status::Stalled;
    reason = without;
  }
  Monitor(problem, tolerance, measure, std::numeric_limits<double>::infinity(), result).finish(status, reason);
  if (result.status != Status::Infeasible) result.proof.resize(0);
}

}  // namespace nonsmooth::friction::internal
