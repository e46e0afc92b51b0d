// SPDX-License-Identifier: Apache-2.0
#include "damped_newton.hpp"

#include <algorithm>
#include <vector>

#include <internal/at.hpp>
#include <nonsmooth/numerics/vi/extragradient.hpp>

namespace nonsmooth::vi::detail {
namespace {

/// The largest of the last norms.
class Reference {
 public:
  explicit Reference(Index memory) : memory_(memory) {}

  void clear() noexcept { norms_.clear(); }
  void add(double norm) {
    if (static_cast<Index>(norms_.size()) == memory_) norms_.erase(norms_.begin());
    norms_.push_back(norm);
  }
  [[nodiscard]] double largest() const { return *std::max_element(norms_.begin(), norms_.end()); }

 private:
  Index memory_;
  std::vector<double> norms_;
};

/// t = 1, 1/2, ... to where |e| is small enough. False where none of these is.
bool search(Equation& equation, const NewtonOptions& options, double reference, const Eigen::VectorXd& s,
            const Eigen::VectorXd& d) {
  for (double t = 1.0; t > 1e-4; t *= 0.5)
    if (equation.go(s, t, d) && equation.norm <= (1.0 - options.decrease * t) * reference) return true;
  return false;
}

}  // namespace

Result damped_newton(Run& run, const NewtonOptions& options, Equation& equation) {
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(run.size());
  Eigen::VectorXd s = equation.unknowns(run.start(), run.start_w()), d(run.size());
  if (!equation.go(s, 0.0, none)) return run.fail(0);
  Reference reference(options.memory);
  reference.add(equation.norm);
  Index useless = 0;
  for (Index k = 0;; ++k) {
    if (run.observe(equation.x, equation.w)) return run.finish(Status::Solved, {}, k);
    if (run.late()) return run.finish(Status::TimeLimit, "time_limit reached", k);
    if (k == options.max_steps) return run.finish(Status::IterationLimit, "max_steps reached", k);
    s = equation.s;
    const Eigen::VectorXd x = equation.x;
    const double before = run.estimate();
    if (equation.direction(d) && search(equation, options, reference.largest(), s, d)) {
      reference.add(equation.norm);
      continue;
    }
    if (options.fallback_iterations == 0) return run.finish(Status::Stalled, "no Newton step helps", k);
    Extragradient other{.tolerance = options.tolerance, .max_iterations = options.fallback_iterations};
    other.time_limit = run.time_left();
    other.start = x;
    const Result result = solve(run.problem(), other);
    if (result.status == Status::NumericalFailure) {
      Result ended = run.finish(result.status, result.reason, k);
      if (!ended.ok()) ended.not_finite = result.not_finite;
      return ended;
    }
    useless = result.certificate.error < 0.9 * before ? 0 : useless + 1;
    if (useless == 3) return run.finish(Status::Stalled, "neither Newton nor extragradient steps help", k);
    if (!equation.go(equation.unknowns(result.x, result.w), 0.0, none)) return run.fail(k);
    reference.clear();
    reference.add(equation.norm);
  }
}

}  // namespace nonsmooth::vi::detail
