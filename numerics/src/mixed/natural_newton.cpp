// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/natural_newton.hpp>

#include <algorithm>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "canonical.hpp"
#include "damped_newton.hpp"
#include "deadline.hpp"
#include "internal.hpp"
#include "newton_system.hpp"
#include "projection_jacobian.hpp"

namespace nonsmooth::mixed {
namespace {

using internal::BlockDiagonal;
using internal::Form;

constexpr int natural_halvings = 12;

/// The natural map of a problem with its derivatives, for damped_newton().
class NaturalMap {
 public:
  explicit NaturalMap(const Problem& problem) : A(problem.K), C(problem.K), problem_(problem) {
    internal::natural_scales(problem, rho);
    Index largest = 0;
    for (Index b = 0; b < problem.K.num_blocks(); ++b) largest = std::max(largest, problem.K.size(b));
    scratch_.resize(largest * (largest + 3));
  }

  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& e) const {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b);
      internal::natural_map(problem_.K[b], Form::Natural, rho.data() + o, r.data() + o, u.data() + o,
                            problem_.K.size(b), e.data() + o);
    }
    return 0.5 * e.squaredNorm();
  }
  double linearize(const Eigen::VectorXd& r, const Eigen::VectorXd& u, Eigen::VectorXd& e) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b);
      internal::linearize_natural_map(problem_.K[b], Form::Natural, rho.data() + o, r.data() + o, u.data() + o,
                                      problem_.K.size(b), e.data() + o, A.block(b), C.block(b), scratch_.data());
    }
    return 0.5 * e.squaredNorm();
  }
  void shift(double by) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      for (Index i = 0; i < n; ++i) A.block(b)[i * (n + 1)] += by / rho[o + i];
    }
  }
  void keep(const Eigen::VectorXd& r, Eigen::VectorXd& u, Eigen::VectorXd&, Result& result) const {
    internal::keep_better(problem_, r, u, result);
  }

  Eigen::VectorXd rho;
  BlockDiagonal A, C;

 private:
  const Problem& problem_;
  Eigen::VectorXd scratch_;
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
  NaturalMap map(problem);
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
