// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <internal/check.hpp>
#include <nonsmooth/numerics/vi.hpp>

#include "damped_newton.hpp"
#include "forward_steps.hpp"
#include "portfolio.hpp"
#include "run.hpp"

namespace nonsmooth::vi {
namespace {

constexpr Index most_pivoted = 400;      // unknowns and rows of K
constexpr Index most_dense = 1000;       // unknowns of a dense Newton matrix
constexpr Index many_differences = 100;  // values of F a Jacobian by differences
constexpr Index first_order = 20'000;    // iterations, which are cheap beside a stall's
constexpr Index short_try = 200;         // iterations of the projection method, which converges soon or circles
// From so many unknowns on values of F cost less than Newton's steps, each of which costs as much as some n / 5 of them
// where F' is full: the projection method is tried for 5 n / 4 iterations, within limits, if its residual falls fast
// enough to lose 8 digits in these; else the try ends after about ten. The memory is of as many iterates as they go on
// for where F is well conditioned.
constexpr Index few_unknowns = 16, first_memory = 20;
constexpr double least_try = 27.0, most_try = 200.0, digits = 8.0;
constexpr Index newton_try = 50;  // steps of Newton's method by itself, which arrives sooner or is lost
// Of so many unknowns on, 5 steps with full factors take as long as some n values of F, and many blocks that change
// sides may need 100: after so many the projection method has 10 n iterations at the same pace, then Newton goes on.
// One block alone takes ten steps, whatever its size.
constexpr Index full_factors = 100, newton_first = 5;

/// Whether F' is symmetric at the point of K nearest to 0: F is then a gradient, as far as that tells. To 1e-12 of it,
/// the rounding of entries that callables sum of some 1e3 terms; other solvers are tried than for what is not
/// symmetric, no answer depends on it. Needs a Jacobian.
bool is_symmetric(const Problem& problem) {
  const Index n = problem.K.size();
  Eigen::VectorXd x(n), w(n);
  const Eigen::VectorXd none;
  if (!problem.K.project(Eigen::VectorXd::Zero(n), x).ok() || evaluate(problem.F, x, w)) return false;
  const auto symmetric = [](const auto& J) {
    using Matrix = std::decay_t<decltype(J)>;
    return Matrix(J - Matrix(J.transpose())).norm() <= 1e-12 * J.norm();
  };
  if (problem.F.is_sparse()) {
    Eigen::SparseMatrix<double> J;
    return !evaluate_jacobian(problem.F, x, w, none, none, J) && symmetric(J);
  }
  Eigen::MatrixXd J;
  return !evaluate_jacobian(problem.F, x, w, none, none, J) && symmetric(J);
}

class Attempts {
 public:
  Attempts(const Problem& problem, const Automatic& options)
      : problem_(problem), options_(options), deadline_(options.time_limit), portfolio_(options, deadline_, best_) {}

  [[nodiscard]] Result run() {
    const bool differences = !problem_.F.has_jacobian() && problem_.K.size() > many_differences;
    if (tries_first() && first()) return std::move(best_);
    if (differences ? extragradient() || newton() : newton() || extragradient()) return std::move(best_);
    if (goes_on()) {
      HyperplaneProjection options;
      options.start = best_.x;
      static_cast<void>(attempt(options, &HyperplaneProjection::max_iterations, first_order));
    }
    return std::move(best_);
  }

 private:
  /// Where projections have closed forms.
  [[nodiscard]] bool tries_first() const {
    return problem_.K.size() >= few_unknowns && problem_.K.has_jacobian() && problem_.K.proof_rows() == 0;
  }

  [[nodiscard]] bool first() {
    const double tried = std::clamp(1.25 * static_cast<double>(problem_.K.size()), least_try, most_try);
    return accelerated(options_.start, tried);
  }

  /// Projections that Anderson's method accelerates, as long as they lose 8 digits in `tried` iterations at their pace.
  [[nodiscard]] bool accelerated(const Eigen::VectorXd& start, double tried) {
    Projection options{.memory = first_memory};
    options.start = start;
    const auto most = static_cast<Index>(1.5 * tried);  // the last digits may take longer
    options = portfolio_.briefly(options, &Projection::max_iterations, most);
    detail::ForwardOptions forward = detail::forward_options(options);
    forward.rate = std::pow(10.0, -digits / tried);
    return portfolio_.ends(
        detail::forward_steps(problem_, forward, detail::Correction::None, "vi::Automatic::start", "projection"));
  }

  [[nodiscard]] bool can_pivot() const {
    if (problem_.K.size() > most_pivoted) return false;
    const std::optional<Polyhedron> form = problem_.K.polyhedron();
    return form && form->A.rows() + form->C.rows() + problem_.K.size() <= most_pivoted;
  }

  /// The normal map by itself, the linear problems of polyhedra, the natural map with what helps it on.
  [[nodiscard]] bool newton() {
    const bool pivots = can_pivot();
    const bool steps =
        problem_.K.has_jacobian() && (problem_.K.size() <= most_dense || detail::has_sparse_newton_matrix(problem_));
    const bool turns = steps && !pivots && tries_first() && !problem_.F.is_sparse() &&
                       problem_.K.size() >= full_factors && problem_.K.factors().size() > 1;
    if (steps && goes_on()) {
      SemismoothNewton options{.equation = SemismoothNewton::Equation::Normal};
      options.start = options_.start;
      if (pivots) options.fallback_iterations = 0;
      if (briefly(options, &SemismoothNewton::max_steps, pivots ? newton_try : turns ? newton_first : 0)) return true;
    }
    if (turns && goes_on()) {
      const Eigen::VectorXd reached = best_.x;
      if (accelerated(reached, 10.0 * static_cast<double>(problem_.K.size()))) return true;
      SemismoothNewton options{.equation = SemismoothNewton::Equation::Normal};
      options.start = best_.x;
      if (goes_on() && attempt(options, &SemismoothNewton::max_steps, 0)) return true;
    }
    if (pivots && goes_on()) {
      JosephyNewton options;
      options.start = options_.start;
      if (attempt(options, &JosephyNewton::max_steps, 0)) return true;
    }
    if (!steps || !goes_on()) return false;
    SemismoothNewton options;
    options.start = options_.start;
    return attempt(options, &SemismoothNewton::max_steps, 0);
  }

  [[nodiscard]] bool extragradient() {
    if (!goes_on()) return false;
    const bool asks = problem_.F.has_jacobian() && (problem_.F.is_sparse() || problem_.K.size() <= most_dense);
    if (asks && is_symmetric(problem_)) {
      Projection options;
      options.start = options_.start;
      if (briefly(options, &Projection::max_iterations, short_try)) return true;
      if (!goes_on()) return false;
    }
    Extragradient options;
    options.start = options_.start;
    return attempt(options, &Extragradient::max_iterations, first_order);
  }

  template <class Options>
  [[nodiscard]] bool attempt(const Options& options, Index Options::*count, Index usual) {
    return portfolio_.ends(solve(problem_, portfolio_.within(options, count, usual)));
  }
  template <class Options>
  [[nodiscard]] bool briefly(const Options& options, Index Options::*count, Index most) {
    return portfolio_.ends(solve(problem_, portfolio_.briefly(options, count, most)));
  }

  /// Late ones have at least one answer to give.
  [[nodiscard]] bool goes_on() const { return best_.status == Status::NotRun || !portfolio_.late(); }

  const Problem& problem_;
  const Automatic& options_;
  nonsmooth::detail::Deadline deadline_;
  Result best_;
  nonsmooth::detail::Portfolio<Result> portfolio_;
};

}  // namespace

void Automatic::validate() const {
  check::positive("vi::Automatic::tolerance", tolerance);
  check::at_least("vi::Automatic::max_iterations", max_iterations, 0);
  nonsmooth::detail::check_time_limit("vi::Automatic::time_limit", time_limit);
  check::finite("vi::Automatic::start", ConstVectorRef(start));
}

Result solve(const Problem& problem, const Automatic& options) {
  problem.validate();
  options.validate();
  if (options.check_jacobian) {
    detail::Run(problem, options.tolerance, options.time_limit, options.start, "vi::Automatic::start", "automatic")
        .check_jacobian();
  }
  return Attempts(problem, options).run();
}

Result solve(const Problem& problem) { return solve(problem, Automatic{}); }

}  // namespace nonsmooth::vi
