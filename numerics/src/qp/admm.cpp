// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/qp/admm.hpp>

#include <vector>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "polish.hpp"
#include "splitting.hpp"

namespace nonsmooth::qp {
namespace {

constexpr Index look_every = 20;     // iterations between two looks at the certificate
constexpr Index most_polishes = 30;  // refinements of sets that turned out wrong

template <class P>
class AdmmMethod {
 public:
  AdmmMethod(const P& problem, const Admm& options, const nonsmooth::detail::Deadline& deadline, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(deadline),
        splitting_(problem),
        scaled_(splitting_.scaled),
        t_(splitting_.t),
        w_(splitting_.w),
        n_(problem.num_unknowns()),
        m_(problem.num_rows()) {}

  void run() {
    detail::certify_start(problem_, scratch_, result_);
    Status end = Status::IterationLimit;
    std::string_view reason = "max_iterations reached";
    while (true) {
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (result_.iterations == options_.max_iterations) break;
      if (!splitting_.iterate()) {
        end = Status::NumericalFailure;
        reason = "the factors of the system broke down";
        break;
      }
      ++result_.iterations;
      if (result_.iterations % look_every != 0 && result_.iterations != options_.max_iterations) continue;
      if (!splitting_.finite()) {
        end = Status::NumericalFailure;
        reason = "numbers overflowed";
        break;
      }
      look();
      if (result_.certificate.residual <= options_.tolerance) break;
      if (result_.iterations == options_.max_iterations) break;
      refine();
      if (result_.certificate.residual <= options_.tolerance) break;
      if (prove()) return;
      splitting_.adapt();
    }
    detail::conclude(options_.tolerance, end, reason, result_);
  }

 private:
  void look() {
    Eigen::VectorXd x = scaled_.x(w_.value), s(n_);
    for (Index j = 0; j < n_; ++j) x[j] = detail::clamp(x[j], detail::lower(problem_, j), detail::upper(problem_, j));
    now_y_ = scaled_.y(t_.multiplier);
    now_x_ = x;
    detail::keep_better(problem_, now_x_, now_y_, s, scratch_, result_);
  }

  /// The active set, if it is that of the last look and was not refined before.
  void refine() {
    std::vector<signed char> set(at(n_ + m_));
    for (Index i = 0; i < m_; ++i) set[at(i)] = sign(t_, i);
    for (Index j = 0; j < n_; ++j) set[at(m_ + j)] = sign(w_, j);
    const bool stands = set == last_set_;
    last_set_ = set;
    if (!stands || set == refined_set_ || polishes_ == most_polishes) return;
    refined_set_ = set;
    ++polishes_;
    for (Index i = 0; i < m_; ++i) {
      if (set[at(i)] == 0) now_y_[i] = 0.0;
    }
    for (Index j = 0; j < n_; ++j) {
      if (set[at(m_ + j)] == 0) continue;
      now_x_[j] = set[at(m_ + j)] > 0 ? detail::lower(problem_, j) : detail::upper(problem_, j);
    }
    detail::polish(problem_, now_x_, now_y_, scratch_, result_);
  }

  /// 1 at the lower bound, -1 at the upper one, with a multiplier that weighs; else 0.
  [[nodiscard]] static signed char sign(const detail::Copies& copies, Index k) {
    const double push = copies.multiplier[k];
    if (copies.low[k] == copies.high[k]) return push < 0.0 ? -1 : 1;
    if (copies.value[k] == copies.low[k] && push > 0.0) return 1;
    return copies.value[k] == copies.high[k] && push < 0.0 ? -1 : 0;
  }

  bool prove() {
    if (result_.certificate.residual < 0.5 * best_) {
      best_ = result_.certificate.residual;
      waits_ = 0;
      return false;
    }
    // Later and later, as a look for a proof costs factors.
    if (++waits_ != next_proof_) return false;
    next_proof_ *= 2;
    for (const Eigen::VectorXd& candidate : {t_.change, t_.multiplier}) {
      Eigen::VectorXd proof = scaled_.y(candidate);
      if (!detail::prove_infeasible(problem_, proof, deadline_)) continue;
      nonsmooth::detail::end_infeasible("the direction in which y grows proves that no x is feasible", proof, result_);
      return true;
    }
    for (const Eigen::VectorXd& candidate : {splitting_.step, splitting_.x}) {
      Eigen::VectorXd d = scaled_.x(candidate);
      if (!detail::prove_unbounded(problem_, d, deadline_)) continue;
      detail::end_unbounded(std::move(d), result_);
      return true;
    }
    return false;
  }

  const P& problem_;
  const Admm& options_;
  Result& result_;
  const nonsmooth::detail::Deadline& deadline_;
  detail::Splitting<P> splitting_;
  const detail::Scaled<P>& scaled_;
  const detail::Copies &t_, &w_;
  Index n_, m_, polishes_ = 0, waits_ = 0, next_proof_ = 2;
  Eigen::VectorXd now_x_, now_y_;
  double best_ = detail::infinity;
  std::vector<signed char> last_set_, refined_set_;
  nonsmooth::detail::Buffer scratch_;
};

template <class P>
Result run(const P& problem, const Admm& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  Result result;
  result.solver = "admm";
  AdmmMethod<P>(problem, options, deadline, result).run();
  return result;
}

}  // namespace

void Admm::validate() const {
  check::positive("qp::Admm::tolerance", tolerance);
  check::at_least("qp::Admm::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("qp::Admm::time_limit", time_limit);
}

Result solve(const Problem& problem, const Admm& options) { return run(problem, options); }
Result solve(const SparseProblem& problem, const Admm& options) { return run(problem, options); }

}  // namespace nonsmooth::qp
