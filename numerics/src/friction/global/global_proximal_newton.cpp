// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <internal/sparse_room.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "global_internal.hpp"
#include "global_proximal_newton_workspace.hpp"
#include "mixed/natural_map.hpp"
#include "mixed/newton_stop.hpp"

namespace nonsmooth::friction {
namespace {

using mixed::internal::BlockDiagonal;
using mixed::internal::Form;
using Block = Eigen::Map<const Eigen::MatrixXd>;

}  // namespace

namespace internal {

/// Factors of [A -H^T; C H  E] with block diagonal C and E, the columns of r scaled by rho: then pivots do not depend
/// on the unit of mass. The pattern, and with it the ordering, is that of full blocks, whatever their values.
class KktSystem {
 public:
  /// Of a problem that stays where it is. Keeps its memory.
  void prepare(const GlobalProblem& problem, const GrowingVector& rho) {
    problem_ = &problem;
    rho_ = &rho;
    const ProductSet& K = problem.K;
    const Columns A(problem.A), H(problem.H);
    const Index n = problem.A.rows(), m = problem.H.rows();
    block_of_row_.resize(at(m));
    for (Index b = 0; b < K.num_blocks(); ++b) std::fill_n(block_of_row_.begin() + K.offset(b), K.size(b), b);
    transpose(H, n, m);
    outer_.assign(1, 0);
    inner_.clear();
    const auto add_block = [&](Index b) {
      for (Index i = 0; i < K.size(b); ++i) inner_.push_back(static_cast<int>(n + K.offset(b) + i));
    };
    // Columns of A and H come sorted, and blocks are contiguous: so are the columns of the whole.
    for (Index k = 0; k < n; ++k) {
      for (Index e = A.begin(k); e < A.end(k); ++e) inner_.push_back(A.row[e]);
      Index last = -1;
      for (Index e = H.begin(k); e < H.end(k); ++e) {
        const Index b = block_of_row_[at(H.row[e])];
        if (b == last) continue;
        last = b;
        add_block(b);
      }
      outer_.push_back(static_cast<int>(inner_.size()));
    }
    for (Index j = 0; j < m; ++j) {
      for (int e = row_begin_[at(j)]; e < row_begin_[at(j) + 1]; ++e) inner_.push_back(column_[at(e)]);
      add_block(block_of_row_[at(j)]);
      outer_.push_back(static_cast<int>(inner_.size()));
    }
    const auto entries = static_cast<Index>(inner_.size());
    room_.shape(n + m, n + m, entries, static_cast<Index>(inner_.capacity()), matrix_);
    std::copy(outer_.begin(), outer_.end(), matrix_.outerIndexPtr());
    std::copy(inner_.begin(), inner_.end(), matrix_.innerIndexPtr());
  }

  [[nodiscard]] bool factorize(const BlockDiagonal& E, const BlockDiagonal& C) {
    const ProductSet& K = problem_->K;
    const Columns A(problem_->A), H(problem_->H);
    double* value = matrix_.valuePtr();
    for (Index k = 0; k < problem_->A.cols(); ++k) {
      for (Index e = A.begin(k); e < A.end(k); ++e) *value++ = A.value[e];
      for (Index e = H.begin(k); e < H.end(k);) {
        const Index b = block_of_row_[at(H.row[e])], size = K.size(b);
        column_of_block_.setZero(size);
        for (; e < H.end(k) && block_of_row_[at(H.row[e])] == b; ++e)
          column_of_block_[H.row[e] - K.offset(b)] = H.value[e];
        Eigen::Map<Eigen::VectorXd>(value, size).noalias() =
            Block(C.block(b), size, size).lazyProduct(column_of_block_);
        value += size;
      }
    }
    for (Index j = 0; j < problem_->H.rows(); ++j) {
      const double rho = (*rho_)[j];
      for (int e = row_begin_[at(j)]; e < row_begin_[at(j) + 1]; ++e) *value++ = -of_row_[at(e)] * rho;
      const Index b = block_of_row_[at(j)], size = K.size(b);
      const double* e = E.block(b) + (j - K.offset(b)) * size;
      for (Index i = 0; i < size; ++i) *value++ = e[i] * rho;
    }
    const Eigen::Map<const Eigen::VectorXd> values(matrix_.valuePtr(), matrix_.nonZeros());
    return values.allFinite() && factors_.factorize(matrix_);
  }

  /// x := K^-1 x, refined once: LU without row exchanges among equals loses digits of the momentum.
  void solve_in_place(GrowingVector& x) {
    right_side_ = x;
    factors_.solve_in_place(x);
    product_.resize(x.size());
    product_.noalias() = matrix_ * x;
    right_side_ -= product_;
    factors_.solve_in_place(right_side_);
    x += right_side_;
    x.tail(rho_->size()).array() *= rho_->array();
  }

 private:
  using Columns = internal::Columns;

  /// H by rows.
  void transpose(const Columns& H, Index n, Index m) {
    row_begin_.assign(at(m) + 1, 0);
    for (Index k = 0; k < n; ++k)
      for (Index e = H.begin(k); e < H.end(k); ++e) ++row_begin_[at(H.row[e]) + 1];
    for (std::size_t i = 1; i < row_begin_.size(); ++i) row_begin_[i] += row_begin_[i - 1];
    next_.assign(row_begin_.begin(), row_begin_.end());
    column_.resize(at(row_begin_.back()));
    of_row_.resize(column_.size());
    for (Index k = 0; k < n; ++k)
      for (Index e = H.begin(k); e < H.end(k); ++e) {
        const std::size_t to = at(next_[at(H.row[e])]++);
        column_[to] = static_cast<int>(k);
        of_row_[to] = H.value[e];
      }
  }

  const GlobalProblem* problem_ = nullptr;
  const GrowingVector* rho_ = nullptr;
  std::vector<Index> block_of_row_;
  std::vector<int> row_begin_, next_, column_;  // of H by rows
  std::vector<double> of_row_;
  std::vector<int> outer_, inner_;
  Eigen::SparseMatrix<double> matrix_;
  SparseRoom room_;
  SparseFactorization factors_;
  GrowingVector column_of_block_, right_side_, product_;
};

struct GlobalProximalNewtonMemory {
  KktSystem system;
  mixed::internal::NaturalMap map;
  GrowingVector start, v, r, u, e, step, product, shifted, center;
  GrowingVector best_r, best_v, trial_r, trial_u;
  std::vector<double> history;  // merits of the last points
};

}  // namespace internal

namespace {

constexpr std::string_view newton_of_A_and_H = "global proximal newton";
constexpr const char* newton_of_A_and_H_start = "friction::GlobalProximalNewton::start";

class GlobalProximalNewtonMethod {
 public:
  /// From memory.start, in the place of options.start.
  GlobalProximalNewtonMethod(const GlobalProblem& problem, const GlobalProximalNewton& options,
                             const internal::GlobalScales& scales, internal::GlobalProximalNewtonMemory& memory,
                             GlobalResult& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        scales_(scales),
        memory_(memory),
        system_(memory.system),
        map_(memory.map),
        v_(memory.v),
        r_(memory.r),
        u_(memory.u),
        e_(memory.e),
        step_(memory.step),
        product_(memory.product),
        shifted_(memory.shifted),
        center_(memory.center),
        best_r_(memory.best_r),
        best_v_(memory.best_v),
        trial_r_(memory.trial_r),
        trial_u_(memory.trial_u) {
    system_.prepare(problem, scales_.rho);
    map_.prepare(problem.K);
    e_.resize(problem.w.size());
    u_.resize(problem.w.size());
    product_.resize(problem.w.size());
  }

  void run() {
    r_ = memory_.start;
    if (!start()) return conclude(Status::NumericalFailure, "A is singular to working precision");
    center_ = r_;
    alpha_ = options_.regularization;
    double cut = options_.reduction, residual = std::numeric_limits<double>::infinity();
    while (true) {
      const Inner inner = solve_inner();
      if (inner == Inner::Done) break;
      if (inner == Inner::Converged) {
        center_ = r_;
        // A contraction as good as alpha's own fall needs no smaller alpha; a slow one does.
        const double contraction = result_.certificate.residual / residual;
        residual = result_.certificate.residual;
        alpha_ = std::max(alpha_ * (contraction < options_.reduction ? std::sqrt(cut) : cut), smallest);
        cut = std::max(cut * cut, options_.reduction);
        continue;
      }
      form_ = form_ == Form::Prediction ? Form::Natural : Form::Prediction;
      r_ = center_ = best_r_;
      v_ = best_v_;
      cut = std::sqrt(cut);
      alpha_ *= 10.0;
      if (alpha_ > largest) {
        stop_.status = Status::Stalled;
        stop_.reason = "no Newton step reduces the error, however close the proximal point";
        break;
      }
    }
    conclude(stop_.status, stop_.reason);
  }

 private:
  enum class Inner { Converged, Failed, Done };
  static constexpr double smallest = 1e-13, largest = 1e6;
  static constexpr std::size_t kMerits = 5;  // values of the merit that a step is compared with
  static constexpr Index patience = 8;       // steps without a better merit: a cycle

  void conclude(Status status, std::string_view reason) {
    internal::conclude(problem_, scales_, options_.tolerance, options_.measure, result_, status, reason);
  }

  /// v of r_ by the factors of the same pattern with C = 0, E = 1.
  [[nodiscard]] bool start() {
    const Index n = problem_.A.rows(), m = problem_.w.size();
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index size = problem_.K.size(b);
      Eigen::Map<Eigen::MatrixXd>(map_.A.block(b), size, size).setIdentity();
      Eigen::Map<Eigen::MatrixXd>(map_.C.block(b), size, size).setZero();
    }
    if (!system_.factorize(map_.A, map_.C)) return false;
    step_.resize(n + m);
    step_.head(n) = problem_.f;
    step_.tail(m) = r_;
    system_.solve_in_place(step_);
    v_ = step_.head(n);
    return v_.allFinite();
  }

  [[nodiscard]] bool done() {
    return stop_.due(internal::measured(problem_, scales_, options_.measure, result_), options_.tolerance,
                     result_.certificate, result_.iterations, options_.max_steps, deadline_);
  }

  /// |e|^2 / 2 at r and velocities u.
  double merit(const GrowingVector& r, const GrowingVector& u) {
    shifted_ = u + alpha_ * (r - center_).cwiseQuotient(scales_.rho);
    map_.evaluate(form_, scales_.rho, r, shifted_, e_);
    return 0.5 * e_.squaredNorm();
  }

  [[nodiscard]] bool factorize() {
    map_.linearize(form_, scales_.rho, r_, shifted_, e_);
    map_.add_proximal_term(alpha_, scales_.rho);
    return system_.factorize(map_.A, map_.C);
  }

  Inner solve_inner() {
    const Index n = problem_.A.rows(), m = problem_.w.size();
    std::vector<double>& history = memory_.history;
    history.clear();
    best_r_ = r_;
    best_v_ = v_;
    double best = std::numeric_limits<double>::infinity();
    Index since_best = 0;
    for (Index inner = 0;; ++inner) {
      internal::keep_better(problem_, scales_, v_, r_, result_);
      if (!r_.allFinite() || !v_.allFinite()) return Inner::Failed;
      if (done()) return Inner::Done;
      u_.noalias() = problem_.H * v_;
      u_ += problem_.w;
      const double value = merit(r_, u_);
      history.push_back(value);
      if (history.size() > kMerits) history.erase(history.begin());
      const double reference = *std::max_element(history.begin(), history.end());
      if (value < best) best_r_ = r_, best_v_ = v_;
      since_best = value < 0.9 * best ? 0 : since_best + 1;
      best = std::min(best, value);
      const double error = e_.lpNorm<Eigen::Infinity>(), moved = (shifted_ - u_).lpNorm<Eigen::Infinity>();
      if (inner > 0 && error <= 0.1 * std::max(moved, options_.tolerance * result_.certificate.scale))
        return Inner::Converged;
      if (inner >= options_.max_inner_steps || since_best > patience || !factorize()) return Inner::Failed;
      step_.head(n) = problem_.f;
      step_.head(n).noalias() -= problem_.A * v_;
      step_.head(n).noalias() += problem_.H.transpose() * r_;
      step_.tail(m) = -e_;
      system_.solve_in_place(step_);
      ++result_.iterations;
      if (!step_.allFinite()) return Inner::Failed;
      product_.noalias() = problem_.H * step_.head(n);
      double t = 1.0;
      bool accepted = false;
      for (int halving = 0; halving < 12 && !accepted; ++halving, t *= 0.5) {
        trial_r_ = r_ + t * step_.tail(m);
        trial_u_ = u_ + t * product_;
        accepted = merit(trial_r_, trial_u_) <= (1.0 - 1e-4 * t) * reference;
        if (!accepted) continue;
        r_ = trial_r_;
        v_ += t * step_.head(n);
      }
      if (!accepted) return Inner::Failed;
    }
  }

  const GlobalProblem& problem_;
  const GlobalProximalNewton& options_;
  GlobalResult& result_;
  detail::Deadline deadline_;
  const internal::GlobalScales& scales_;
  internal::GlobalProximalNewtonMemory& memory_;
  internal::KktSystem& system_;
  mixed::internal::NaturalMap& map_;
  Form form_ = Form::Prediction;
  double alpha_ = 0.0;
  mixed::internal::NewtonStop stop_;
  GrowingVector &v_, &r_, &u_, &e_, &step_, &product_, &shifted_, &center_;
  GrowingVector &best_r_, &best_v_, &trial_r_, &trial_u_;
};

}  // namespace

void GlobalProximalNewton::validate() const {
  check::positive("friction::GlobalProximalNewton::tolerance", tolerance);
  check::at_least("friction::GlobalProximalNewton::max_steps", max_steps, 1);
  check::at_least("friction::GlobalProximalNewton::max_inner_steps", max_inner_steps, 1);
  check::positive("friction::GlobalProximalNewton::regularization", regularization);
  if (!(reduction > 0.0 && reduction < 1.0))
    throw InvalidArgument("friction::GlobalProximalNewton::reduction", std::to_string(reduction), "a number in (0, 1)");
  detail::check_time_limit("friction::GlobalProximalNewton::time_limit", time_limit);
}

GlobalResult solve(const GlobalProblem& problem, const GlobalProximalNewton& options) {
  return internal::solve_canonical(
      problem, options, newton_of_A_and_H, newton_of_A_and_H_start,
      [](const GlobalProblem& canonical, const GlobalProximalNewton& own, GlobalResult& result) {
        internal::GlobalProximalNewtonMemory memory;
        memory.start = own.start;
        const internal::GlobalScales scales = internal::global_scales(canonical);
        GlobalProximalNewtonMethod(canonical, own, scales, memory, result).run();
      });
}

void internal::GlobalProximalNewtonWorkspace::solve(const GlobalProblem& problem, const GlobalProximalNewton& options,
                                                    const GlobalScales& scales, ConstVectorRef start,
                                                    GlobalResult& result) {
  GlobalProximalNewtonMemory& memory = memory_.get();
  begin_in_workspace(problem, options, newton_of_A_and_H, newton_of_A_and_H_start, start, memory.start, result);
  GlobalProximalNewtonMethod(problem, options, scales, memory, result).run();
}

}  // namespace nonsmooth::friction
