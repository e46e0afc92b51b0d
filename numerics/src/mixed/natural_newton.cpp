// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/natural_newton.hpp>

#include <internal/check.hpp>
#include <internal/deadline.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "canonical.hpp"
#include "damped_newton.hpp"
#include "internal.hpp"
#include "natural_map.hpp"

namespace nonsmooth::mixed {
namespace {

using internal::Form;

constexpr int natural_halvings = 12;

/// The natural map of a problem, for damped_newton().
class NaturalEquations : public internal::NaturalMap {
 public:
  explicit NaturalEquations(const Problem& problem) : NaturalMap(problem.K), problem_(problem) {
    internal::natural_scales(problem, rho);
  }

  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& e) const {
    evaluate(Form::Natural, rho, r, u, e);
    return 0.5 * e.squaredNorm();
  }
  double linearize(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& e) {
    NaturalMap::linearize(Form::Natural, rho, r, u, e);
    return 0.5 * e.squaredNorm();
  }
  void shift(double by) { NaturalMap::shift(by, rho); }
  void keep(const Eigen::VectorXd& r, Eigen::VectorXd& u, Eigen::VectorXd&, Result& result) const {
    internal::keep_better(problem_, r, u, result);
  }

  Eigen::VectorXd rho;

 private:
  const Problem& problem_;
};

}  // namespace

void NaturalNewton::validate() const {
  check::positive("mixed::NaturalNewton::tolerance", tolerance);
  check::at_least("mixed::NaturalNewton::max_steps", max_steps, 1);
  check::at_least("mixed::NaturalNewton::memory", memory, 1);
  check::positive("mixed::NaturalNewton::decrease", decrease);
  check::range("mixed::NaturalNewton::decrease", decrease, 0.0, 0.5);
  detail::check_time_limit("mixed::NaturalNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const NaturalNewton& options) {
  problem.validate();
  options.validate();
  if (!problem.K.is_canonical()) return internal::solve_canonical(problem, options);
  Result result;
  internal::begin(problem, "natural newton", result);
  internal::set_start(problem, "mixed::NaturalNewton::start", options.start, result);
  NaturalEquations map(problem);
  internal::damped_newton(problem,
                          {.tolerance = options.tolerance,
                           .max_steps = options.max_steps,
                           .memory = options.memory,
                           .decrease = options.decrease,
                           .halvings = natural_halvings,
                           .time_limit = options.time_limit},
                          map, result);
  internal::note_round_off(problem, result);
  return result;
}

}  // namespace nonsmooth::mixed
