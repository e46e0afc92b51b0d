// SPDX-License-Identifier: Apache-2.0
#include "sparse_lemke.hpp"

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>

#include "sparse_entries.hpp"
#include "sparse_partition.hpp"
#include "sparse_path.hpp"
#include "sparse_scaling.hpp"

namespace nonsmooth::relay {
namespace {

using detail::PivotEnd;
using detail::Place;
using detail::Places;
using detail::SparsePivoting;

constexpr double proximal_weight = 1e-3;  // delta, of entries near 1
constexpr Index most_proximal_problems = 60;
constexpr Index most_updates = 50;  // of a basis: sparse_path.cpp says what they lose

/// The places that Newton's method on the minimum map comes to, those of the least residual on its way, with their z.
/// Untouched where there are none. Returns the steps taken.
Index crash(const SparseProblem& problem, const Eigen::VectorXd& start, Index max_steps,
            const nonsmooth::detail::Deadline& deadline, Places& places, Eigen::VectorXd& z) {
  constexpr Index most_without_progress = 8;
  const Index n = problem.q.size();
  detail::SparsePartition partition(problem);
  Eigen::VectorXd s(n), w(n), trial(n), inside(n), scratch(n);
  nonsmooth::detail::row_scales(problem.M, s);
  trial = start;
  detail::clamp(problem, trial);
  w = problem.q + problem.M * trial;
  Places now;
  detail::find_places(problem, s, trial, w, now);
  double least = detail::infinity;
  Index steps = 0;
  for (Index since = 0; steps < max_steps && since < most_without_progress && !deadline.passed(); ++since) {
    if (!partition.solve(now, trial, w)) break;
    ++steps;
    inside = trial;
    detail::clamp(problem, inside);
    const double residual = certify(problem, inside, scratch).residual;
    if (residual < least) {
      least = residual;
      places = now;
      z = trial;
      since = -1;
    }
    Places next;
    detail::find_places(problem, s, trial, w, next);
    if (next == now) break;
    now = std::move(next);
  }
  return steps;
}

/// Every row with bounds at one: the finite one, or that which w at the point nearest to 0 points away from.
Places corner_of(const SparseProblem& problem) {
  const Index n = problem.q.size();
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  detail::clamp(problem, z);
  const Eigen::VectorXd w = problem.q + problem.M * z;
  Places places(static_cast<std::size_t>(n), Place::Between);
  for (Index i = 0; i < n; ++i) {
    const bool below = problem.lower[i] > -detail::infinity;
    const bool above = problem.upper[i] < detail::infinity;
    if (below || above)
      places[static_cast<std::size_t>(i)] = below && (!above || w[i] >= 0.0) ? Place::Lower : Place::Upper;
  }
  return places;
}

/// One call: the scaled problem, and the best z of all paths that it goes along.
class SparseLemke {
 public:
  SparseLemke(const SparseProblem& problem, const Lemke& options, Result& result)
      : problem_(problem), options_(options), result_(result), scaling_(problem, options.equilibrate, scaled_) {}

  SparsePivoting run(ConstVectorRef covering) {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n_);
    if (options_.start.size() > 0) z = options_.start.cwiseQuotient(scaling_.unit * scaling_.D);
    keep(z);
    SparsePivoting found;
    if (covering.size() > 0) {
      found.end = from_corner(covering);
    } else {
      found.end = from_crash(z);
      if (!good() && found.end != PivotEnd::TimeLimit) {
        // So large a z that rounding hides its error: a direction to infinity, which anything is better than.
        if (result_.certificate.residual <= options_.tolerance) result_.certificate = {};
        found.end = from_corner(covering);
      }
    }
    found.proximal = proximal_;
    if (found.end == PivotEnd::Ray) found.ray = scaling_.D.cwiseProduct(ray_);  // D M D y' is M (D y') scaled by rows
    const double largest = found.ray.size() > 0 ? found.ray.lpNorm<Eigen::Infinity>() : 0.0;
    if (largest > 0.0) found.ray /= largest;
    return found;
  }

 private:
  [[nodiscard]] bool good() const {
    Certificate looked_at = result_.certificate;
    return detail::within(problem_, options_.tolerance, result_.z, looked_at);
  }

  void keep(const Eigen::VectorXd& scaled_z) {
    Eigen::VectorXd z = scaling_.unit * scaling_.D.cwiseProduct(scaled_z);
    detail::clamp(problem_, z);
    Eigen::VectorXd w(n_);
    detail::keep_better(problem_, z, w, result_);
  }

  PivotEnd from_crash(Eigen::VectorXd& z) {
    Places places;
    result_.iterations +=
        crash(scaled_, Eigen::VectorXd(z), std::min(options_.crash_steps, limit_), deadline_, places, z);
    if (places.empty()) return PivotEnd::Breakdown;
    keep(z);
    return good() ? PivotEnd::Complementary : follow(scaled_, places, z, Eigen::VectorXd(), n_ + 100);
  }

  PivotEnd from_corner(ConstVectorRef covering) {
    Places places = corner_of(scaled_);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n_), w(n_);
    if (detail::SparsePartition(scaled_).solve(places, z, w))
      return follow(scaled_, places, z, covering.size() > 0 ? lift_of(covering, w) : Eigen::VectorXd::Ones(n_), limit_);
    const PivotEnd end = proximal(Eigen::VectorXd::Ones(n_), places);
    if (good() || end == PivotEnd::TimeLimit || end == PivotEnd::Limit) return end;
    return proximal(signs_of_free_rows(), places);
  }

  /// What w(z) + s d, which is positive for s = max -w / d + 1, has more than the positive part of w.
  [[nodiscard]] static Eigen::VectorXd lift_of(ConstVectorRef covering, const Eigen::VectorXd& w) {
    const double s = std::max(0.0, (-w).cwiseQuotient(covering).maxCoeff()) + 1.0;
    return s * covering + w.cwiseMin(0.0);
  }

  /// Along the path of `problem`, which is the scaled one or one near it, from places and z; these are where it ends.
  PivotEnd follow(const SparseProblem& problem, Places& places, Eigen::VectorXd& z, ConstVectorRef lift,
                  Index max_pivots) {
    const Index left = limit_ - result_.iterations;
    if (left <= 0) return PivotEnd::Limit;
    if (deadline_.passed()) return PivotEnd::TimeLimit;
    detail::SparsePath path(problem);
    if (!path.start(places, z, lift, lift.size() > 0)) return PivotEnd::Breakdown;
    const PivotEnd end =
        path.run(std::min(max_pivots, left), std::min(options_.refactor_every, most_updates), deadline_);
    result_.iterations += path.pivots();
    path.extract(z);
    places = path.places();
    ray_ = path.ray();
    const double zero = 1e-12 * ray_.lpNorm<Eigen::Infinity>();  // round-off of the ray, in these units
    ray_ = ray_.unaryExpr([zero](double entry) { return std::abs(entry) <= zero ? 0.0 : entry; });
    keep(z);
    if (end != PivotEnd::Complementary) return end;
    detail::SparsePartition partition(problem);
    Eigen::VectorXd polished(n_), w(n_);
    if (partition.solve(places, polished, w)) {
      z = polished;
      keep(z);
    }
    return end;
  }

  /// A free row may as well be its negative: the signs for which M_fb and M_bf^T differ in sign, as they do in a
  /// positive semidefinite M with a singular M_ff.
  [[nodiscard]] Eigen::VectorXd signs_of_free_rows() const {
    const auto free = [this](Index i) {
      return scaled_.lower[i] == -detail::infinity && scaled_.upper[i] == detail::infinity;
    };
    Eigen::VectorXd alike = Eigen::VectorXd::Zero(n_);
    const Eigen::SparseMatrix<double> products =
        scaled_.M.cwiseProduct(Eigen::SparseMatrix<double>(scaled_.M.transpose()));
    nonsmooth::detail::for_each_entry(products, [&](Index i, Index j, double value) {
      if (free(i) && !free(j)) alike[i] += value;
    });
    return alike.unaryExpr([](double value) { return value > 0.0 ? -1.0 : 1.0; });
  }

  /// S (M z + q) + delta (z - z_before), one problem after another, each from where the one before ended; S =
  /// diag(signs), -1 on free rows alone.
  PivotEnd proximal(const Eigen::VectorXd& signs, Places places) {
    proximal_ = true;
    SparseProblem near = scaled_;
    Eigen::SparseMatrix<double> identity(n_, n_);
    identity.setIdentity();
    near.M = Eigen::SparseMatrix<double>(signs.asDiagonal() * scaled_.M) + proximal_weight * identity;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n_), before, w(n_);
    detail::clamp(scaled_, z);
    PivotEnd end = PivotEnd::Complementary;
    Eigen::VectorXd lift = Eigen::VectorXd::Ones(n_);
    for (Index k = 0; k < most_proximal_problems && !good(); ++k, lift.resize(0)) {
      before = z;
      near.q = signs.cwiseProduct(scaled_.q) - proximal_weight * before;
      if (k == 0 && !detail::SparsePartition(near).solve(places, z, w)) return PivotEnd::Breakdown;
      end = follow(near, places, z, lift, limit_);
      if (end != PivotEnd::Complementary) return end;
      if ((z - before).lpNorm<Eigen::Infinity>() <= 1e-15 * z.lpNorm<Eigen::Infinity>()) break;
    }
    return end;
  }

  const SparseProblem& problem_;
  const Lemke& options_;
  Result& result_;
  const Index n_ = problem_.q.size();
  const nonsmooth::detail::Deadline deadline_{options_.time_limit};
  const Index limit_ = detail::pivot_limit(options_.max_pivots, n_);
  SparseProblem scaled_;
  detail::Scaling scaling_;
  bool proximal_ = false;
  Eigen::VectorXd ray_;
};

}  // namespace

SparsePivoting detail::pivot(const SparseProblem& problem, const Lemke& options, ConstVectorRef covering,
                             Result& result) {
  return SparseLemke(problem, options, result).run(covering);
}

Result solve(const SparseProblem& problem, const Lemke& options) {
  problem.validate();
  options.validate();
  if (options.start.size() > 0) {
    check::size("relay::Lemke::start", options.start.size(), problem.q.size(), "one a row of M");
    check::finite("relay::Lemke::start", ConstVectorRef(options.start));
  }
  Result result;
  result.solver = "lemke";
  const SparsePivoting found = detail::pivot(problem, options, Eigen::VectorXd(), result);
  if (found.end == PivotEnd::Complementary && found.proximal) {
    detail::conclude(problem, options.tolerance, result, Status::Stalled,
                     "a singular basis, and problems near this one whose solutions did not converge");
  } else {
    detail::conclude_pivoting(problem, options.tolerance, found.end, result);
  }
  if (found.end == PivotEnd::Ray && !result.ok() && proves_infeasible(problem, found.ray))
    nonsmooth::detail::end_infeasible("a secondary ray gives a proof that no point is feasible", found.ray, result);
  return result;
}

}  // namespace nonsmooth::relay
