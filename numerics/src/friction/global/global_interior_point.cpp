// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_interior_point.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>

#include "friction/reduced/interior_iteration.hpp"
#include "global_internal.hpp"
#include "linear_algebra/sparse/supernodal_lu.hpp"

namespace nonsmooth::friction {
namespace {

using mixed::internal::BlockDiagonal;
using Sparse = Eigen::SparseMatrix<double>;

/// Factors of [A' -H'^T; H' B]: the pattern of the blocks, their values but for B, and where B goes.
class KktFactors {
 public:
  KktFactors(const GlobalProblem& problem, const Sparse& A, const Sparse& H) : K_(problem.K) {
    group_dofs(problem);
    std::vector<std::vector<Index>> rows(at(groups_ + K_.num_blocks()));
    each_entry(A, H, [&](Index row, Index column, double) {
      rows[at(block_[at(row)])].push_back(block_[at(column)]);
      rows[at(block_[at(column)])].push_back(block_[at(row)]);
    });
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(static_cast<Index>(i));
    Index values = 0;
    matrix_.begin.assign(1, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::sort(rows[i].begin(), rows[i].end());
      rows[i].erase(std::unique(rows[i].begin(), rows[i].end()), rows[i].end());
      for (const Index column : rows[i]) {
        matrix_.column.push_back(column);
        matrix_.value_begin.push_back(values);
        values += matrix_.sizes[i] * matrix_.sizes[at(column)];
      }
      matrix_.begin.push_back(static_cast<Index>(matrix_.column.size()));
    }
    constant_.assign(at(values), 0.0);
    each_entry(A, H, [&](Index row, Index column, double value) { constant_[at(entry(row, column))] += value; });
    matrix_.values = constant_;
    lu_.analyze(matrix_);
    scratch_.resize(place_.size());
  }

  [[nodiscard]] bool factorize(const BlockDiagonal& B, ConstVectorRef shift) {
    matrix_.values = constant_;
    for (Index b = 0; b < K_.num_blocks(); ++b) {
      const Index n = K_.size(b), k = find(groups_ + b, groups_ + b);
      double* values = matrix_.values.data() + matrix_.value_begin[at(k)];
      for (Index i = 0; i < n * n; ++i) values[i] += B.block(b)[i];
      for (Index i = 0; i < n; ++i) values[i * n + i] += shift[K_.offset(b) + i];
    }
    return lu_.factorize(matrix_);
  }

  /// x := the solution, dofs before rows of H.
  void solve_in_place(Eigen::VectorXd& x) {
    for (std::size_t i = 0; i < place_.size(); ++i) scratch_[at(place_[i])] = x[static_cast<Index>(i)];
    lu_.solve_in_place(scratch_.data());
    for (std::size_t i = 0; i < place_.size(); ++i) x[static_cast<Index>(i)] = scratch_[at(place_[i])];
  }

 private:
  /// Blocks are the small bodies and the single dofs of large ones, then the blocks of K.
  void group_dofs(const GlobalProblem& problem) {
    const internal::Bodies bodies(problem);
    const Index n = problem.A.rows(), m = problem.w.size();
    block_.resize(at(n + m));
    inner_.assign(at(n + m), 0);
    for (Index body = 0; body < bodies.size(); ++body) {
      const Index dofs = bodies.num_dofs(body);
      const bool small = dofs <= internal::small_body;
      for (Index i = 0; i < dofs; ++i) {
        if (i == 0 || !small) matrix_.sizes.push_back(small ? dofs : 1);
        block_[at(bodies.dofs(body)[i])] = static_cast<Index>(matrix_.sizes.size()) - 1;
        inner_[at(bodies.dofs(body)[i])] = small ? i : 0;
      }
    }
    groups_ = static_cast<Index>(matrix_.sizes.size());
    for (Index b = 0; b < K_.num_blocks(); ++b) {
      matrix_.sizes.push_back(K_.size(b));
      for (Index i = 0; i < K_.size(b); ++i) {
        block_[at(n + K_.offset(b) + i)] = groups_ + b;
        inner_[at(n + K_.offset(b) + i)] = i;
      }
    }
    std::vector<Index> first = {0};
    for (const Index size : matrix_.sizes) first.push_back(first.back() + size);
    for (Index i = 0; i < n + m; ++i) place_.push_back(first[at(block_[at(i)])] + inner_[at(i)]);
  }

  template <class Visit>
  static void each_entry(const Sparse& A, const Sparse& H, Visit visit) {
    const Index n = A.rows();
    for (Index j = 0; j < n; ++j) {
      for (Sparse::InnerIterator entry(A, j); entry; ++entry)
        if (entry.value() != 0.0) visit(entry.row(), j, entry.value());
      for (Sparse::InnerIterator entry(H, j); entry; ++entry) {
        if (entry.value() == 0.0) continue;
        visit(n + entry.row(), j, entry.value());
        visit(j, n + entry.row(), -entry.value());
      }
    }
  }

  [[nodiscard]] Index find(Index row, Index column) const {
    const auto begin = matrix_.column.begin() + matrix_.begin[at(row)];
    const auto end = matrix_.column.begin() + matrix_.begin[at(row + 1)];
    return std::lower_bound(begin, end, column) - matrix_.column.begin();
  }
  [[nodiscard]] Index entry(Index row, Index column) const {
    const Index i = block_[at(row)], j = block_[at(column)];
    return matrix_.value_begin[at(find(i, j))] + inner_[at(column)] * matrix_.sizes[at(i)] + inner_[at(row)];
  }

  const ProductSet& K_;
  Index groups_ = 0;
  std::vector<Index> block_, inner_, place_;  // of dofs, then of rows of H: block, row in it, row of the whole
  detail::BlockMatrix matrix_;
  std::vector<double> constant_, scratch_;
  detail::SupernodalLu lu_;
};

/// u' = H' v' + w' and A' v' = f' + H'^T r' with v = c S v', r = c D r', S = diag(A)^-1/2, D = rho^1/2 (0 where r
/// vanishes by its set), c = |D q|: A' = S A S, H' = D H S, f' = S f / c, w' = D w / c.
class GlobalSystem : public internal::InteriorSystem {
 public:
  GlobalSystem(const GlobalProblem& problem, const GlobalInteriorPoint& options, GlobalResult& result)
      : InteriorSystem(own_r_, own_u_),
        problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        scales_(internal::global_scales(problem)),
        S_(scaled_dofs(problem)),
        D_(scaled_rows(problem, scales_)),
        size_(unit(D_.cwiseProduct(scales_.q))),
        A_(S_.asDiagonal() * problem.A * S_.asDiagonal()),
        H_(D_.asDiagonal() * problem.H * S_.asDiagonal()),
        f_(S_.cwiseProduct(problem.f) / size_),
        w_(D_.cwiseProduct(problem.w) / size_),
        factors_(problem, A_, H_) {
    v_.setZero(problem.A.rows());
    r_.setZero(problem.w.size());
    u_ = w_;
    product_.resize(r_.size());
  }

  bool factorize(const BlockDiagonal& B, ConstVectorRef shift) override {
    B_ = &B;
    shift_ = shift;
    return factors_.factorize(B, shift);
  }

  /// Refined once, as in the reduced form.
  void solve(ConstVectorRef rhs, VectorRef dr) override {
    const Index n = v_.size(), m = r_.size();
    Eigen::VectorXd right(n + m);
    right << f_ + H_.transpose() * r_ - A_ * v_, rhs;
    step_ = right;
    factors_.solve_in_place(step_);
    B_->multiply(problem_.K, step_.tail(m), product_);
    right.head(n) -= A_ * step_.head(n) - H_.transpose() * step_.tail(m);
    right.tail(m) -= H_ * step_.head(n) + product_ + shift_.cwiseProduct(step_.tail(m));
    factors_.solve_in_place(right);
    step_ += right;
    dr = step_.tail(m);
  }

  void advance(double t) override {
    v_ += t * step_.head(v_.size());
    r_ += t * step_.tail(r_.size());
    u_ = H_ * v_ + w_;
  }

  void move_to(ConstVectorRef r) override {
    r_ = r;
    u_ = H_ * v_ + w_;
  }

  /// Of the iterate, and of what a polish makes of it.
  bool observe() override {
    const Eigen::VectorXd v = size_ * S_.cwiseProduct(v_), r = size_ * D_.cwiseProduct(r_);
    if (!v.allFinite() || !r.allFinite()) {
      status_ = Status::NumericalFailure;
      reason_ = "the iteration diverged to numbers that are not finite";
      return true;
    }
    internal::keep_better(problem_, scales_, v, r, result_);
    if (measure() <= options_.tolerance) return true;
    if (deadline_.passed()) {
      status_ = Status::TimeLimit;
      reason_ = "time_limit reached";
      return true;
    }
    if (!(measure() <= next_polish_)) return false;
    next_polish_ = 0.1 * measure();
    return polish(r);
  }

  /// Newton steps from `from`. True where they solve.
  [[nodiscard]] bool polish(const Eigen::VectorXd& from) {
    if (options_.polish == 0 || deadline_.passed()) return false;
    const GlobalResult polished =
        friction::solve(problem_, GlobalProximalNewton{.tolerance = options_.tolerance,
                                                       .measure = options_.measure,
                                                       .max_steps = options_.polish,
                                                       .regularization = 1e-7,  // near a solution: redundant contacts
                                                       .time_limit = deadline_.remaining(),
                                                       .start = from});
    result_.iterations += polished.iterations;
    if (polished.v.size() != v_.size() || !polished.v.allFinite() || !polished.r.allFinite()) return false;
    internal::keep_better(problem_, scales_, polished.v, polished.r, result_);
    return measure() <= options_.tolerance;
  }

  void finish(Status otherwise, std::string_view reason) {
    if (status_ != Status::NotRun) otherwise = status_, reason = reason_;
    if (measure() <= options_.tolerance) reason = "";
    internal::conclude(problem_, scales_, options_.tolerance, options_.measure, result_, otherwise, reason);
  }

 private:
  [[nodiscard]] static Eigen::VectorXd scaled_dofs(const GlobalProblem& problem) {
    GrowingVector of_A;
    internal::positive_diagonal(problem.A, of_A);
    const Eigen::ArrayXd diagonal = of_A;
    return (diagonal > 0.0).select(diagonal.sqrt().inverse(), 1.0);
  }
  [[nodiscard]] static Eigen::VectorXd scaled_rows(const GlobalProblem& problem, const internal::GlobalScales& scales) {
    Eigen::VectorXd D = scales.rho.cwiseSqrt();
    internal::FrictionCones(problem.K).erase_vanishing(D);
    return D;
  }
  [[nodiscard]] static double unit(const Eigen::VectorXd& q) {
    const double size = q.size() > 0 ? q.lpNorm<Eigen::Infinity>() : 0.0;
    return size > 0.0 ? size : 1.0;
  }
  [[nodiscard]] double measure() const { return internal::measured(problem_, scales_, options_.measure, result_); }

  const GlobalProblem& problem_;
  const GlobalInteriorPoint& options_;
  GlobalResult& result_;
  const detail::Deadline deadline_;
  const internal::GlobalScales scales_;
  const Eigen::VectorXd S_, D_;
  const double size_;
  const Sparse A_, H_;
  const Eigen::VectorXd f_, w_;
  KktFactors factors_;
  const BlockDiagonal* B_ = nullptr;
  GrowingVector own_r_, own_u_;
  Eigen::VectorXd v_, shift_, step_, product_;
  double next_polish_ = 1e-5;
  Status status_ = Status::NotRun;
  std::string_view reason_;
};

void run(const GlobalProblem& problem, const GlobalInteriorPoint& options, GlobalResult& result) {
  GlobalSystem system(problem, options, result);
  if (!options.start.isZero(0.0) && system.polish(options.start)) return system.finish(Status::NotRun, "");
  internal::InteriorIteration iteration;
  const internal::InteriorEnd end =
      iteration.run(problem.K, system, options.term, options.max_iterations, result.iterations);
  if (end.status != Status::NotRun && result.r.size() == problem.w.size())
    static_cast<void>(system.polish(Eigen::VectorXd(result.r)));
  system.finish(end.status, end.reason);
}

}  // namespace

void GlobalInteriorPoint::validate() const {
  check::positive("friction::GlobalInteriorPoint::tolerance", tolerance);
  check::at_least("friction::GlobalInteriorPoint::max_iterations", max_iterations, 1);
  check::at_least("friction::GlobalInteriorPoint::polish", polish, 0);
  detail::check_time_limit("friction::GlobalInteriorPoint::time_limit", time_limit);
}

GlobalResult solve(const GlobalProblem& problem, const GlobalInteriorPoint& options) {
  return internal::solve_canonical(problem, options, "global interior point", "friction::GlobalInteriorPoint::start",
                                   [](const GlobalProblem& canonical, const GlobalInteriorPoint& own,
                                      GlobalResult& result) { run(canonical, own, result); });
}

}  // namespace nonsmooth::friction
