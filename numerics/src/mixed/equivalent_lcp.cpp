// SPDX-License-Identifier: Apache-2.0
#include "equivalent_lcp.hpp"

#include <algorithm>
#include <cmath>

#include "local.hpp"

namespace nonsmooth::mixed::internal {
namespace {

constexpr double kSymmetric = 1e-12;  ///< of the diagonal's entries: what sums in another order leave

[[nodiscard]] bool unbounded(const BlockSet& set) noexcept {
  return set.kind == SetKind::Free ||
         (set.kind == SetKind::Box && set.lower == -local::infinity && set.upper == local::infinity);
}

}  // namespace

void EquivalentLcp::classify(const Problem& problem, bool keep_free) {
  kept_.clear();
  free_.clear();
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    auto& rows = !keep_free && unbounded(problem.K[b]) ? free_ : kept_;
    for (Index i = problem.K.offset(b); i < problem.K.offset(b + 1); ++i) rows.push_back(i);
  }
}

/// Names the variables and writes M. Rows of slacks are scaled by s, the row's diagonal, so that M has one unit.
void EquivalentLcp::lay_out(const Problem& problem, ConstMatrixRef reduced) {
  variables_.clear();
  couplings_.clear();
  constants_.clear();
  base_.assign(kept_.size(), 0.0);
  const auto add = [&](Index row, double sign, double constant = 0.0) {
    variables_.push_back({row, sign});
    constants_.push_back(constant);
    return static_cast<Index>(variables_.size()) - 1;
  };
  const auto scale_of = [&](Index row) {
    if (reduced(row, row) > 0.0) return reduced(row, row);
    const double largest = reduced.row(row).cwiseAbs().maxCoeff();
    return largest > 0.0 ? largest : 1.0;
  };
  const bool free_kept = free_.empty();
  Index row = 0;
  for (Index b = 0; b < problem.K.num_blocks(); ++b) {
    const BlockSet& set = problem.K[b];
    if (unbounded(set)) {
      if (!free_kept) continue;
      for (Index i = 0; i < problem.K.size(b); ++i, ++row) {
        add(row, 1.0);
        add(row, -1.0);
      }
    } else if (set.kind == SetKind::Coulomb2D) {
      const double s = scale_of(row + 1);
      const Index N = add(row, 1.0), plus = add(row + 1, 1.0), minus = add(row + 1, -1.0), slack = add(-1, 0.0);
      couplings_.insert(
          couplings_.end(),
          {{plus, slack, s}, {minus, slack, s}, {slack, N, s * set.mu}, {slack, plus, -s}, {slack, minus, -s}});
      row += 2;
    } else {
      const auto bounds = local::interval(set);
      for (Index i = 0; i < problem.K.size(b); ++i, ++row) {
        double& base = base_[static_cast<std::size_t>(row)];
        if (bounds.lower == -local::infinity) {
          base = bounds.upper;
          add(row, -1.0);
          continue;
        }
        base = bounds.lower;
        const Index a = add(row, 1.0);
        if (bounds.upper == local::infinity) continue;
        const double s = scale_of(row);
        const Index slack = add(-1, 0.0, s * (bounds.upper - bounds.lower));
        couplings_.insert(couplings_.end(), {{a, slack, s}, {slack, a, -s}});
      }
    }
  }
  const auto m = static_cast<Index>(variables_.size());
  auto M = M_.matrix(m, m);
  for (Index j = 0; j < m; ++j) {
    const Variable& to = variables_[static_cast<std::size_t>(j)];
    for (Index i = 0; i < m; ++i) {
      const Variable& from = variables_[static_cast<std::size_t>(i)];
      M(i, j) = from.row < 0 || to.row < 0 ? 0.0 : from.sign * to.sign * reduced(from.row, to.row);
    }
  }
  for (const Coupling& coupling : couplings_) M(coupling.i, coupling.j) = coupling.value;
}

/// Expects kept_, free_, reduced_, M and, where rows were eliminated, elimination_ = X, coupling_ = W_CF and
/// free_q_ = W_FF^-1 q_F; `solve_transposed` is y := W_FF^-T y.
template <class SolveTransposed>
void EquivalentLcp::solve_reduced(const Problem& problem, const Limits& limits, const SolveTransposed& solve_transposed,
                                  Result& result) {
  const auto kept = static_cast<Index>(kept_.size()), free = static_cast<Index>(free_.size());
  const auto m = static_cast<Index>(variables_.size());
  const auto reduced = reduced_.matrix(kept, kept);
  const Eigen::Map<const Eigen::VectorXd> base(base_.data(), kept);
  auto q = reduced_q_.vector(kept);
  for (Index i = 0; i < kept; ++i) q[i] = problem.q[kept_[static_cast<std::size_t>(i)]];
  if (free > 0) q.noalias() -= coupling_.matrix(kept, free) * free_q_.vector(free);
  for (Index j = 0; j < kept; ++j)
    if (base[j] != 0.0) q += base[j] * reduced.col(j);

  auto r = kept_r_.vector(kept);
  r = base;
  lcp::Result* solution = nullptr;
  if (m > 0) {
    auto lcp_q = q_.vector(m);
    for (Index i = 0; i < m; ++i) {
      const Variable& variable = variables_[static_cast<std::size_t>(i)];
      lcp_q[i] = constants_[static_cast<std::size_t>(i)] + (variable.row < 0 ? 0.0 : variable.sign * q[variable.row]);
    }
    solution = &solution_;
    solution->z.setZero(m);  // the answer is a function of this problem alone
    workspace_.solve(lcp::View{M_.matrix(m, m), lcp_q}, limits, false, *solution);
    result.iterations += solution->iterations;
    for (Index i = 0; i < m; ++i) {
      const Variable& variable = variables_[static_cast<std::size_t>(i)];
      if (variable.row >= 0) r[variable.row] += variable.sign * solution->z[i];
    }
  }
  for (Index i = 0; i < kept; ++i) result.r[kept_[static_cast<std::size_t>(i)]] = r[i];
  if (free > 0) {
    auto r_free = free_q_.vector(free);
    r_free = -r_free;
    r_free.noalias() -= elimination_.matrix(free, kept) * r;
    for (Index i = 0; i < free; ++i) result.r[free_[static_cast<std::size_t>(i)]] = r_free[i];
  }
  result.certificate = certify(problem, result.r, result.u);
  if (result.certificate.residual <= limits.tolerance) {
    end(result, Status::Solved, "by the equivalent LCP");
  } else if (solution != nullptr && solution->status == Status::Infeasible && solution->proof.size() == m) {
    result.proof.setZero(problem.W.rows());
    for (Index i = 0; i < m; ++i) {
      const Variable& variable = variables_[static_cast<std::size_t>(i)];
      if (variable.row >= 0)
        result.proof[kept_[static_cast<std::size_t>(variable.row)]] += variable.sign * solution->proof[i];
    }
    if (free > 0) {  // W_FF^T y_F = -W_CF^T y_C makes (W^T y)_F = 0
      auto y = free_q_.matrix(free, 1);
      for (Index i = 0; i < kept; ++i) r[i] = result.proof[kept_[static_cast<std::size_t>(i)]];
      y.noalias() = -coupling_.matrix(kept, free).transpose() * r;
      solve_transposed(y);
      for (Index i = 0; i < free; ++i) result.proof[free_[static_cast<std::size_t>(i)]] = y(i, 0);
    }
    end(result, Status::Infeasible, "the equivalent LCP has no feasible point");
  }
}

void EquivalentLcp::solve(const Problem& problem, ConstMatrixRef dense, const Limits& limits, bool same_matrix,
                          Result& result) {
  if (!same_matrix || !laid_out_) {
    classify(problem, false);
    auto free = static_cast<Index>(free_.size());
    if (free > 0) {
      auto block = free_matrix_.matrix(free, free);
      for (Index j = 0; j < free; ++j)
        for (Index i = 0; i < free; ++i)
          block(i, j) = dense(free_[static_cast<std::size_t>(i)], free_[static_cast<std::size_t>(j)]);
      // Beyond 1e12 the complement has lost the digits that the certificate asks for.
      if (!free_factors_.factorize(block) || !(free_factors_.reciprocal_condition() > 1e-12)) {
        classify(problem, true);
        free = 0;
      }
    }
    const auto kept = static_cast<Index>(kept_.size());
    auto reduced = reduced_.matrix(kept, kept);
    for (Index j = 0; j < kept; ++j)
      for (Index i = 0; i < kept; ++i)
        reduced(i, j) = dense(kept_[static_cast<std::size_t>(i)], kept_[static_cast<std::size_t>(j)]);
    if (free > 0) {
      auto X = elimination_.matrix(free, kept);
      auto C = coupling_.matrix(kept, free);
      for (Index i = 0; i < free; ++i)
        for (Index j = 0; j < kept; ++j) {
          X(i, j) = dense(free_[static_cast<std::size_t>(i)], kept_[static_cast<std::size_t>(j)]);
          C(j, i) = dense(kept_[static_cast<std::size_t>(j)], free_[static_cast<std::size_t>(i)]);
        }
      if (kept > 0) {
        free_factors_.solve_in_place(X);
        reduced.noalias() -= C * X;
      }
    }
    lay_out(problem, reduced);
    laid_out_ = true;
  }
  const auto free = static_cast<Index>(free_.size());
  if (free > 0) {
    auto b = free_q_.matrix(free, 1);
    for (Index i = 0; i < free; ++i) b(i, 0) = problem.q[free_[static_cast<std::size_t>(i)]];
    free_factors_.solve_in_place(b);
  }
  solve_reduced(
      problem, limits, [this](MatrixRef y) { free_factors_.solve_transposed_in_place(y); }, result);
}

/// W_FF row by row, which is its transpose by columns, and X = W_FC, C = W_CF, W_CC.
void EquivalentLcp::part_sparse(const BlockSparseMatrix& W) {
  const auto free = static_cast<Index>(free_.size()), kept = static_cast<Index>(kept_.size());
  position_.resize(static_cast<std::size_t>(W.rows()));
  for (Index i = 0; i < free; ++i) position_[static_cast<std::size_t>(free_[static_cast<std::size_t>(i)])] = i;
  for (Index i = 0; i < kept; ++i) position_[static_cast<std::size_t>(kept_[static_cast<std::size_t>(i)])] = -1 - i;
  auto reduced = reduced_.matrix(kept, kept);
  auto X = elimination_.matrix(free, kept);
  auto C = coupling_.matrix(kept, free);
  reduced.setZero();
  X.setZero();
  C.setZero();
  if (rows_of_free_.cols() != free) rows_of_free_.resize(free, free);
  Index most = 0;
  for (Index b = 0; b < W.num_block_rows(); ++b)
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) most += W.size(b) * W.size(W.column(k));
  rows_of_free_.resizeNonZeros(most);
  int numbers = 0;
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    for (Index i = 0; i < W.size(b); ++i) {
      const Index to = position_[static_cast<std::size_t>(W.offset(b) + i)];
      if (to >= 0) rows_of_free_.outerIndexPtr()[to] = numbers;
      for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
        const auto block = W.block(b, k);
        for (Index j = 0; j < block.cols(); ++j) {
          const Index from = position_[static_cast<std::size_t>(W.offset(W.column(k)) + j)];
          const double value = block(i, j);
          if (to >= 0 && from >= 0) {
            rows_of_free_.innerIndexPtr()[numbers] = static_cast<int>(from);
            rows_of_free_.valuePtr()[numbers++] = value;
          } else if (to >= 0) {
            X(to, -1 - from) = value;
          } else if (from >= 0) {
            C(-1 - to, from) = value;
          } else {
            reduced(-1 - to, -1 - from) = value;
          }
        }
      }
    }
  }
  rows_of_free_.outerIndexPtr()[free] = numbers;
  rows_of_free_.resizeNonZeros(numbers);
}

/// W_FF is symmetric to rounding.
bool EquivalentLcp::free_rows_are_symmetric(const Problem& problem) const {
  const BlockSparseMatrix& W = problem.W;
  const auto largest = [&W](Index b) { return W.block(b, W.diagonal(b)).diagonal().maxCoeff(); };
  for (Index b = 0; b < W.num_block_rows(); ++b) {
    if (!unbounded(problem.K[b])) continue;
    for (Index k = W.row_begin(b); k < W.row_begin(b + 1); ++k) {
      const Index column = W.column(k);
      if (column > b || !unbounded(problem.K[column])) continue;
      const Index mirrored = W.find(column, b);
      if (mirrored < 0) return false;
      const auto one = W.block(b, k), other = W.block(column, mirrored);
      const double size = std::sqrt(std::max(largest(b) * largest(column), 0.0));
      for (Index j = 0; j < one.cols(); ++j)
        for (Index i = 0; i < one.rows(); ++i)
          if (std::abs(one(i, j) - other(j, i)) > kSymmetric * size) return false;
    }
  }
  return true;
}

void EquivalentLcp::solve_sparse(const Problem& problem, const Limits& limits, Result& result) {
  laid_out_ = false;
  classify(problem, false);
  if (free_.empty()) return;
  part_sparse(problem.W);
  // Of joints it is positive definite: factors that keep their memory.
  if (free_rows_are_symmetric(problem) && cholesky_.factorize(rows_of_free_)) {
    solve_by(
        problem, limits, [this](MatrixRef b) { cholesky_.solve_in_place(b); },
        [this](MatrixRef b) { cholesky_.solve_in_place(b); }, result);
    if (result.status != Status::NotRun) return;
    part_sparse(problem.W);
  }
  if (!lu_.factorize(rows_of_free_)) return;
  solve_by(
      problem, limits, [this](MatrixRef b) { lu_.solve_transposed_in_place(b); },
      [this](MatrixRef b) { lu_.solve_in_place(b); }, result);
}

/// By factors of W_FF: `solve` with it, `solve_transposed` with its transpose.
template <class Solve, class SolveTransposed>
void EquivalentLcp::solve_by(const Problem& problem, const Limits& limits, const Solve& solve,
                             const SolveTransposed& solve_transposed, Result& result) {
  const auto free = static_cast<Index>(free_.size()), kept = static_cast<Index>(kept_.size());
  auto reduced = reduced_.matrix(kept, kept);
  auto X = elimination_.matrix(free, kept);
  auto C = coupling_.matrix(kept, free);
  if (kept > 0) {
    solve(X);
    reduced.noalias() -= C * X;
  }
  auto b = free_q_.matrix(free, 1);
  for (Index i = 0; i < free; ++i) b(i, 0) = problem.q[free_[static_cast<std::size_t>(i)]];
  solve(b);
  lay_out(problem, reduced);
  solve_reduced(problem, limits, solve_transposed, result);
}

}  // namespace nonsmooth::mixed::internal
