// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mixed/natural_newton.hpp>

#include <algorithm>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "../deadline.hpp"
#include "internal.hpp"
#include "newton_system.hpp"
#include "projection_jacobian.hpp"

namespace nonsmooth::mixed {
namespace {

using internal::BlockDiagonal;
using internal::Form;

/// The natural map of a problem with its derivatives.
class Map {
 public:
  explicit Map(const Problem& problem) : A(problem.K), C(problem.K), problem_(problem) {
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
  /// J^T e.
  void gradient(const Eigen::VectorXd& e, Eigen::VectorXd& g, Eigen::VectorXd& scratch) const {
    C.multiply_transposed(problem_.K, e, scratch);
    internal::multiply_transposed(problem_.W, scratch, g);
    A.multiply_transposed(problem_.K, e, scratch);
    g += scratch;
  }
  /// J + shift / rho.
  void shift(double by) {
    for (Index b = 0; b < problem_.K.num_blocks(); ++b) {
      const Index o = problem_.K.offset(b), n = problem_.K.size(b);
      for (Index i = 0; i < n; ++i) A.block(b)[i * (n + 1)] += by / rho[o + i];
    }
  }

  Eigen::VectorXd rho;
  BlockDiagonal A, C;

 private:
  const Problem& problem_;
  Eigen::VectorXd scratch_;
};

void run(const Problem& problem, const NaturalNewton& options, Result& result) {
  const detail::Deadline deadline(options.time_limit);
  const Index n = problem.W.rows();
  Map map(problem);
  internal::NewtonSystem system(problem);
  Eigen::VectorXd r = result.r, u(n), e(n), step(n), product(n), trial(n), trial_u(n), g(n), scratch(n);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  std::vector<double> history;
  Index at_round_off = 0;
  Status status = Status::IterationLimit;
  std::string_view reason = "max_steps reached";
  for (;; ++result.iterations) {
    internal::keep_better(problem, r, u, result);
    if (result.certificate.residual <= options.tolerance) {
      reason = "";
      break;
    }
    if (result.certificate.error <= result.certificate.round_off && ++at_round_off > 10) {
      status = Status::Stalled;
      reason = "at round-off";
      break;
    }
    if (result.iterations >= options.max_steps) break;
    if (deadline.passed()) {
      status = Status::TimeLimit;
      reason = "time_limit reached";
      break;
    }
    const double value = map.linearize(r, u, e);
    history.push_back(value);
    if (static_cast<Index>(history.size()) > options.memory) history.erase(history.begin());
    const double reference = *std::max_element(history.begin(), history.end());
    map.gradient(e, g, scratch);
    bool regular = false;
    double added = 0.0;
    for (double shift = 0.0; shift <= 1.0 && !regular; shift = shift == 0.0 ? 1e-10 : 100.0 * shift) {
      map.shift(shift - added);
      added = shift;
      regular = system.factorize(map.A, map.C);
    }
    // Newton's direction, then the gradient's; a merit that is not finite fails every test.
    bool moved = false;
    for (int attempt = regular ? 0 : 1; attempt < 2 && !moved; ++attempt) {
      double slope = -2.0 * value;
      step = -e;
      if (attempt == 0) {
        system.solve_in_place(step);
      } else {
        step = -map.rho.cwiseAbs2().cwiseProduct(g);
        slope = g.dot(step);
      }
      if (!step.allFinite() || !(slope < 0.0)) continue;
      problem.W.multiply_add(step, zero, product);
      double t = 1.0;
      for (int halving = 0; halving < (attempt == 0 ? 12 : 40) && !moved; ++halving, t *= 0.5) {
        trial = r + t * step;
        trial_u = u + t * product;
        moved = map.merit(trial, trial_u, scratch) <= reference + options.decrease * t * slope;
      }
    }
    if (!moved || trial == r) {
      status = Status::Stalled;
      reason = "no descent: a stationary point of the merit function, or round-off";
      break;
    }
    r = trial;
  }
  internal::conclude(problem, options.tolerance, result, status, reason);
}

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
  Result result;
  internal::begin(problem, "natural newton", result);
  internal::set_start(problem, "mixed::NaturalNewton::start", options.start, result);
  run(problem, options, result);
  return result;
}

}  // namespace nonsmooth::mixed
