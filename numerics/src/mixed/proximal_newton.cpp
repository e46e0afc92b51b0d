// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/proximal_newton.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "canonical.hpp"
#include "internal.hpp"
#include "natural_map.hpp"
#include "newton_stop.hpp"

namespace nonsmooth::mixed {
namespace {

using internal::Form;

class Method {
 public:
  Method(const Problem& problem, const ProximalNewton& options, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        system_(problem),
        map_(problem.K),
        zero_(Eigen::VectorXd::Zero(problem.W.rows())) {
    internal::natural_scales(problem, rho_);
    const Index n = problem.W.rows();
    u_.resize(n), e_.resize(n), step_.resize(n), product_.resize(n), trial_.resize(n), trial_u_.resize(n);
    scratch_.resize(n);
  }

  void run() {
    r_ = result_.r;
    center_ = r_;
    alpha_ = options_.regularization;
    double cut = options_.reduction;
    while (true) {
      const Inner inner = solve_inner();
      if (inner == Inner::Done) break;
      if (inner == Inner::Converged) {
        center_ = r_;
        alpha_ = std::max(alpha_ * cut, smallest);
        cut = std::max(cut * cut, options_.reduction);
        continue;
      }
      // On from the best iterate, held closer to it, by the other form: where one cycles the other often does not.
      form_ = form_ == Form::Prediction ? Form::Natural : Form::Prediction;
      r_ = center_ = best_r_;
      cut = std::sqrt(cut);
      alpha_ *= 10.0;
      if (alpha_ > largest) {
        stop_.status = Status::Stalled;
        stop_.reason = "no Newton step reduces the error, however close the proximal point";
        break;
      }
    }
    internal::conclude(problem_, options_.tolerance, result_, stop_.status, stop_.reason);
  }

 private:
  enum class Inner { Converged, Failed, Done };
  static constexpr double smallest = 1e-13, largest = 1e6;
  static constexpr std::size_t memory = 5;  // values of the merit that a step is compared with
  static constexpr Index patience = 8;      // steps without a better merit: a cycle

  [[nodiscard]] bool done() {
    return stop_.due(result_.certificate.residual, options_.tolerance, result_.certificate, result_.iterations,
                     options_.max_steps, deadline_);
  }

  void shifted(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& v) const {
    v = u + alpha_ * (r - center_).cwiseQuotient(rho_);
  }

  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& v) {
    map_.evaluate(form_, rho_, r, v, e_);
    return 0.5 * e_.squaredNorm();
  }

  /// e_ and the factors of its Jacobian with respect to r.
  [[nodiscard]] bool factorize() {
    map_.linearize(form_, rho_, r_, v_, e_);
    map_.add_proximal_term(alpha_, rho_);
    return system_.factorize(map_.A, map_.C);
  }

  Inner solve_inner() {
    std::vector<double> history;
    best_r_ = r_;
    double best = std::numeric_limits<double>::infinity();
    Index since_best = 0;
    for (Index inner = 0;; ++inner) {
      internal::keep_better(problem_, r_, u_, result_);
      if (!r_.allFinite()) return Inner::Failed;
      if (done()) return Inner::Done;
      shifted(r_, u_, v_);
      const double value = merit(r_, v_);
      history.push_back(value);
      if (history.size() > memory) history.erase(history.begin());
      const double reference = *std::max_element(history.begin(), history.end());
      if (value < best) best_r_ = r_;
      since_best = value < 0.9 * best ? 0 : since_best + 1;
      best = std::min(best, value);
      const double error = e_.lpNorm<Eigen::Infinity>();
      const double moved = (v_ - u_).lpNorm<Eigen::Infinity>();
      if (inner > 0 && error <= 0.1 * moved) return Inner::Converged;
      if (inner > 0 && error <= 0.1 * options_.tolerance * result_.certificate.scale) return Inner::Converged;
      if (inner >= options_.max_inner_steps || since_best > patience) return Inner::Failed;
      if (!factorize()) return Inner::Failed;
      step_ = -e_;
      system_.solve_in_place(step_);
      ++result_.iterations;
      if (!step_.allFinite()) return Inner::Failed;
      problem_.W.multiply_add(step_, zero_, product_);
      double t = 1.0;
      bool accepted = false;
      for (int halving = 0; halving < 12 && !accepted; ++halving, t *= 0.5) {
        trial_ = r_ + t * step_;
        trial_u_ = u_ + t * product_;
        shifted(trial_, trial_u_, scratch_);
        accepted = merit(trial_, scratch_) <= reference - 1e-4 * t * value;
      }
      if (!accepted) return Inner::Failed;
      r_ = trial_;
    }
  }

  const Problem& problem_;
  const ProximalNewton& options_;
  Result& result_;
  detail::Deadline deadline_;
  internal::NewtonSystem system_;
  internal::NaturalMap map_;
  Eigen::VectorXd rho_, r_, center_, u_, v_, e_, step_, product_, trial_, trial_u_, scratch_;
  const Eigen::VectorXd zero_;
  Eigen::VectorXd best_r_;  // of the inner problem
  double alpha_ = 0.0;
  Form form_ = Form::Prediction;
  internal::NewtonStop stop_;
};

}  // namespace

void ProximalNewton::validate() const {
  check::positive("mixed::ProximalNewton::tolerance", tolerance);
  check::at_least("mixed::ProximalNewton::max_steps", max_steps, 1);
  check::at_least("mixed::ProximalNewton::max_inner_steps", max_inner_steps, 1);
  check::positive("mixed::ProximalNewton::regularization", regularization);
  check::positive("mixed::ProximalNewton::reduction", reduction);
  if (!(reduction < 1.0))
    throw InvalidArgument("mixed::ProximalNewton::reduction", std::to_string(reduction), "a number in (0, 1)");
  detail::check_time_limit("mixed::ProximalNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const ProximalNewton& options) {
  problem.validate();
  options.validate();
  if (!problem.K.is_canonical()) return internal::solve_canonical(problem, options);
  Result result;
  internal::begin(problem, "proximal newton", result);
  internal::set_start(problem, "mixed::ProximalNewton::start", options.start, result);
  Method(problem, options, result).run();
  internal::note_round_off(problem, result);
  return result;
}

}  // namespace nonsmooth::mixed
