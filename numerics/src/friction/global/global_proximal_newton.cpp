// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "global_internal.hpp"
#include "mixed/natural_map.hpp"
#include "mixed/newton_stop.hpp"

namespace nonsmooth::friction {
namespace {

using mixed::internal::BlockDiagonal;
using mixed::internal::Form;
using Sparse = Eigen::SparseMatrix<double>;
using Block = Eigen::Map<const Eigen::MatrixXd>;

/// Factors of [A -H^T; C H  E] with block diagonal C and E, the columns of r scaled by rho: then pivots do not depend
/// on the unit of mass. The pattern, and with it the ordering, is that of full blocks, whatever their values.
class KktSystem {
 public:
  KktSystem(const GlobalProblem& problem, const GrowingVector& rho)
      : K_(problem.K), rho_(rho), A_(problem.A), H_(problem.H) {
    A_.makeCompressed();
    H_.makeCompressed();
    transpose_ = H_.transpose();
    const Index n = A_.rows(), m = H_.rows();
    block_of_row_.resize(static_cast<std::size_t>(m));
    for (Index b = 0; b < K_.num_blocks(); ++b) std::fill_n(block_of_row_.begin() + K_.offset(b), K_.size(b), b);
    std::vector<int> outer = {0}, inner;
    // Columns of A and H come sorted, and blocks are contiguous: so are the columns of the whole.
    for (Index k = 0; k < n; ++k) {
      for (Sparse::InnerIterator entry(A_, k); entry; ++entry) inner.push_back(static_cast<int>(entry.row()));
      Index last = -1;
      for (Sparse::InnerIterator entry(H_, k); entry; ++entry) {
        const Index b = block_of_row_[static_cast<std::size_t>(entry.row())];
        if (b == last) continue;
        last = b;
        for (Index i = 0; i < K_.size(b); ++i) inner.push_back(static_cast<int>(n + K_.offset(b) + i));
      }
      outer.push_back(static_cast<int>(inner.size()));
    }
    for (Index j = 0; j < m; ++j) {
      for (Sparse::InnerIterator entry(transpose_, j); entry; ++entry) inner.push_back(static_cast<int>(entry.row()));
      const Index b = block_of_row_[static_cast<std::size_t>(j)];
      for (Index i = 0; i < K_.size(b); ++i) inner.push_back(static_cast<int>(n + K_.offset(b) + i));
      outer.push_back(static_cast<int>(inner.size()));
    }
    const std::vector<double> values(inner.size(), 0.0);
    matrix_ = Eigen::Map<const Sparse>(n + m, n + m, static_cast<Index>(inner.size()), outer.data(), inner.data(),
                                       values.data());
  }

  [[nodiscard]] bool factorize(const BlockDiagonal& E, const BlockDiagonal& C) {
    double* value = matrix_.valuePtr();
    Eigen::VectorXd column;
    for (Index k = 0; k < A_.cols(); ++k) {
      for (Sparse::InnerIterator entry(A_, k); entry; ++entry) *value++ = entry.value();
      for (Sparse::InnerIterator entry(H_, k); entry;) {
        const Index b = block_of_row_[static_cast<std::size_t>(entry.row())], size = K_.size(b);
        column.setZero(size);
        for (; entry && block_of_row_[static_cast<std::size_t>(entry.row())] == b; ++entry)
          column[entry.row() - K_.offset(b)] = entry.value();
        Eigen::Map<Eigen::VectorXd>(value, size) = Block(C.block(b), size, size).lazyProduct(column);
        value += size;
      }
    }
    for (Index j = 0; j < H_.rows(); ++j) {
      for (Sparse::InnerIterator entry(transpose_, j); entry; ++entry) *value++ = -entry.value() * rho_[j];
      const Index b = block_of_row_[static_cast<std::size_t>(j)], size = K_.size(b);
      const double* e = E.block(b) + (j - K_.offset(b)) * size;
      for (Index i = 0; i < size; ++i) *value++ = e[i] * rho_[j];
    }
    const Eigen::Map<const Eigen::VectorXd> values(matrix_.valuePtr(), matrix_.nonZeros());
    return values.allFinite() && factors_.factorize(matrix_);
  }

  /// x := K^-1 x, refined once: LU without row exchanges among equals loses digits of the momentum.
  void solve_in_place(Eigen::VectorXd& x) {
    right_side_ = x;
    factors_.solve_in_place(x);
    right_side_ -= matrix_ * x;
    factors_.solve_in_place(right_side_);
    x += right_side_;
    x.tail(rho_.size()).array() *= rho_.array();
  }

 private:
  const ProductSet& K_;
  const GrowingVector& rho_;
  Sparse A_, H_, transpose_, matrix_;
  std::vector<Index> block_of_row_;
  SparseFactorization factors_;
  Eigen::VectorXd right_side_;
};

class GlobalProximalNewtonMethod {
 public:
  GlobalProximalNewtonMethod(const GlobalProblem& problem, const GlobalProximalNewton& options, GlobalResult& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        scales_(internal::global_scales(problem)),
        system_(problem, scales_.rho),
        map_(problem.K) {
    e_.resize(problem.w.size());
  }

  void run() {
    r_ = options_.start;
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
  static constexpr std::size_t memory = 5;  // values of the merit that a step is compared with
  static constexpr Index patience = 8;      // steps without a better merit: a cycle

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
    step_ << problem_.f, r_;
    system_.solve_in_place(step_);
    v_ = step_.head(n);
    return v_.allFinite();
  }

  [[nodiscard]] bool done() {
    return stop_.due(internal::measured(problem_, scales_, options_.measure, result_), options_.tolerance,
                     result_.certificate, result_.iterations, options_.max_steps, deadline_);
  }

  /// |e|^2 / 2 at r and velocities u.
  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& u) {
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
    std::deque<double> history;
    best_r_ = r_;
    best_v_ = v_;
    double best = std::numeric_limits<double>::infinity();
    Index since_best = 0;
    for (Index inner = 0;; ++inner) {
      internal::keep_better(problem_, scales_, v_, r_, result_);
      if (!r_.allFinite() || !v_.allFinite()) return Inner::Failed;
      if (done()) return Inner::Done;
      u_ = problem_.H * v_ + problem_.w;
      const double value = merit(r_, u_);
      history.push_back(value);
      if (history.size() > memory) history.pop_front();
      const double reference = *std::max_element(history.begin(), history.end());
      if (value < best) best_r_ = r_, best_v_ = v_;
      since_best = value < 0.9 * best ? 0 : since_best + 1;
      best = std::min(best, value);
      const double error = e_.lpNorm<Eigen::Infinity>(), moved = (shifted_ - u_).lpNorm<Eigen::Infinity>();
      if (inner > 0 && error <= 0.1 * std::max(moved, options_.tolerance * result_.certificate.scale))
        return Inner::Converged;
      if (inner >= options_.max_inner_steps || since_best > patience || !factorize()) return Inner::Failed;
      step_.head(n) = problem_.f - problem_.A * v_ + problem_.H.transpose() * r_;
      step_.tail(m) = -e_;
      system_.solve_in_place(step_);
      ++result_.iterations;
      if (!step_.allFinite()) return Inner::Failed;
      product_ = problem_.H * step_.head(n);
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
  const internal::GlobalScales scales_;
  KktSystem system_;
  mixed::internal::NaturalMap map_;
  Form form_ = Form::Prediction;
  double alpha_ = 0.0;
  mixed::internal::NewtonStop stop_;
  Eigen::VectorXd v_, r_, u_, e_, step_, product_, shifted_, center_;
  Eigen::VectorXd best_r_, best_v_, trial_r_, trial_u_;
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
      problem, options, "global proximal newton", "friction::GlobalProximalNewton::start",
      [](const GlobalProblem& canonical, const GlobalProximalNewton& own, GlobalResult& result) {
        GlobalProximalNewtonMethod(canonical, own, result).run();
      });
}

}  // namespace nonsmooth::friction
