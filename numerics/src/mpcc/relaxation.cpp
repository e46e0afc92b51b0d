// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mpcc/relaxation.hpp>

#include <cmath>
#include <utility>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "branching.hpp"
#include "end_infeasible.hpp"
#include "pieces.hpp"

namespace nonsmooth::mpcc {
namespace {

using Vector = Eigen::VectorXd;
using detail::Pairs;
using detail::Search;
using detail::Side;
using detail::Sides;

using detail::first_t, detail::last_t, detail::shrink;
constexpr Index most_inner = 20;  // quadratic programs at one t
constexpr double settled = 1e-6;  // a step over |x| that ends them

/// The way of the relaxed programs.
class Path {
 public:
  Path(Search& search, const Relaxation& options)
      : search_(search), problem_(search.problem), none_(at(problem_.num_pairs()), Side::Both), start_(options.start) {}

  /// False where the relaxed set is empty, which ends the result by its proof, or a limit has ended it.
  bool run(Vector& x) {
    if (!begin(x)) return false;
    if (problem_.num_pairs() == 0) return true;
    if (falls_forever(x)) return false;
    curve();
    for (double t = first(x); t >= last_t; t *= shrink) {
      if (!follow(t, x)) break;
    }
    return search_.result.status == Status::NotRun;
  }

 private:
  /// From a start of the user's no farther than it is.
  double first(const Vector& x) const {
    if (start_.size() == 0) return first_t;
    const Pairs pairs = detail::pairs_at(problem_, x);
    double t = 0.0;
    for (Index i = 0; i < problem_.num_pairs(); ++i) {
      const double terms = pairs.a_terms[i] * pairs.b_terms[i];
      if (terms > 0.0) t = std::max(t, pairs.a[i] * pairs.b[i] / terms);
    }
    return std::min(first_t, t);
  }

  /// The minimiser without complementarity; where it is not there, the least x.
  bool begin(Vector& x) {
    std::optional<qp::Result> found;
    if (start_.size() == 0) found = search_.solve(none_);
    if (search_.result.status != Status::NotRun) return false;
    if (found && found->unbounded()) falling_ = found->direction;
    const bool empty = found && found->status == Status::Infeasible && !found->unbounded();
    if (!empty && (!found || !found->ok())) {
      qp::Problem nearest = detail::program_of(problem_, none_);
      nearest.Q.setIdentity();
      nearest.c.setZero();
      if (start_.size() > 0) nearest.c = -start_;
      found = search_.solve(std::move(nearest));
      if (!found) return false;
    }
    search_.keep(*found);
    if (found->status == Status::Infeasible && !found->unbounded()) {
      nonsmooth::detail::end_infeasible("no x satisfies the rows and the sides, complementary or not", found->proof,
                                        search_.result);
      return false;
    }
    x = found->x;
    return true;
  }

  /// Where the program without complementarity falls forever along a direction, the piece of the sides that move the
  /// least along it, and of two that both stay the one that x is nearer to: whether the program falls forever there.
  bool falls_forever(const Vector& x) {
    if (falling_.size() == 0) return false;
    const Pairs pairs = detail::pairs_at(problem_, x);
    const Vector a = problem_.G * falling_, b = problem_.H * falling_;
    Sides sides = detail::smaller_sides(pairs);
    for (Index i = 0; i < problem_.num_pairs(); ++i) {
      const double of_G = a[i] * problem_.H.row(i).cwiseAbs().maxCoeff();
      const double of_H = b[i] * problem_.G.row(i).cwiseAbs().maxCoeff();
      if (std::abs(of_G - of_H) > detail::zero_side * (of_G + of_H)) sides[at(i)] = of_G < of_H ? Side::G : Side::H;
    }
    const std::optional<qp::Result> piece = search_.solve(sides);
    return piece && piece->unbounded() && search_.end_unbounded(sides, *piece);
  }

  /// Q, as far as it is convex.
  void curve() {
    curvature_ = problem_.Q;
    const double least = symmetric_eigen(problem_.Q).values[0], size = problem_.Q.cwiseAbs().maxCoeff();
    curvature_.diagonal().array() += std::max(0.0, -1.01 * least) + (size > 0.0 ? 1e-8 * size : 0.0);
  }

  /// Sequential quadratic programming at one t. False where a program has no answer.
  bool follow(double t, Vector& x) {
    const Index m = problem_.num_rows(), k = problem_.num_pairs();
    for (Index pass = 0; pass < most_inner; ++pass) {
      const Pairs pairs = detail::pairs_at(problem_, x);
      const Vector most = t * pairs.a_terms.cwiseProduct(pairs.b_terms);
      qp::Problem program = detail::program_of(problem_, none_);
      program.Q = curvature_;
      program.c = problem_.Q * x + problem_.c - curvature_ * x;
      program.A.conservativeResize(m + 3 * k, Eigen::NoChange);
      program.row_lower.conservativeResize(m + 3 * k);
      program.row_upper.conservativeResize(m + 3 * k);
      program.row_lower.tail(k).setConstant(-std::numeric_limits<double>::infinity());
      for (Index i = 0; i < k; ++i) {  // a_i b_i <= t by its tangent at x
        program.A.row(m + 2 * k + i) = pairs.b[i] * problem_.G.row(i) + pairs.a[i] * problem_.H.row(i);
        program.row_upper[m + 2 * k + i] =
            most[i] + pairs.a[i] * pairs.b[i] - pairs.b[i] * problem_.g[i] - pairs.a[i] * problem_.h[i];
      }
      const std::optional<qp::Result> step = search_.solve(std::move(program));
      if (!step || !(step->figures.primal <= detail::feasible) || step->status == Status::Infeasible) return false;
      const Vector weights = step->y.tail(k).cwiseAbs();
      const Vector d = step->x - x;
      double length = 1.0;
      const double before = merit(x, weights, most);
      while (length > 1e-3 && merit(x + length * d, weights, most) > before) length *= 0.5;
      x += length * d;
      if (d.cwiseAbs().maxCoeff() <= settled * x.cwiseAbs().maxCoeff()) break;
    }
    return true;
  }

  /// The value and what a_i b_i exceeds its bound by, weighed.
  double merit(const Vector& x, const Vector& weights, const Vector& most) const {
    const Vector a = problem_.G * x + problem_.g, b = problem_.H * x + problem_.h;
    const Vector over = (a.cwiseProduct(b) - most).cwiseMax(0.0);
    return 0.5 * x.dot(problem_.Q * x) + problem_.c.dot(x) + 2.0 * weights.dot(over);
  }

  Search& search_;
  const Problem& problem_;
  Sides none_;
  Vector start_;
  Vector falling_;  // empty but where the program without complementarity is unbounded
  Eigen::MatrixXd curvature_;
};

}  // namespace

void Relaxation::validate() const {
  check::positive("mpcc::Relaxation::tolerance", tolerance);
  check::at_least("mpcc::Relaxation::max_steps", max_steps, 1);
  check::within("mpcc::Relaxation::most_biactive", most_biactive, 0, 10);
  check::finite("mpcc::Relaxation::start", ConstVectorRef(start));
  nonsmooth::detail::check_time_limit("mpcc::Relaxation::time_limit", time_limit);
}

Result solve(const Problem& problem, const Relaxation& options) {
  options.validate();
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  problem.validate();
  if (options.start.size() > 0)
    check::size("mpcc::Relaxation::start", options.start.size(), problem.num_unknowns(), "one an unknown");
  Result result = detail::born("relaxation", problem);
  Search search{problem, options.tolerance, options.max_steps, options.most_biactive, deadline, result};
  Vector x;
  if (Path(search, options).run(x) && !search.descend(detail::smaller_sides(detail::pairs_at(problem, x))) &&
      result.status == Status::NotRun) {
    if (const std::optional<Sides> sides = detail::nearest_piece(search, x)) search.descend(*sides);
  }
  search.conclude();
  return result;
}

}  // namespace nonsmooth::mpcc
