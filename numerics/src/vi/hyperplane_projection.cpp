// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/vi/hyperplane_projection.hpp>

#include <algorithm>
#include <cmath>

#include <internal/round_off.hpp>

#include "forward_steps.hpp"
#include "numbers.hpp"
#include "run.hpp"

namespace nonsmooth::vi {
namespace {

using Eigen::VectorXd;

enum class Search : unsigned char { Found, NotContinuous, NowhereFinite };

/// z and F(z) by the rule; not found where s has become too short to move x.
Search find_hyperplane(detail::Run& run, const HyperplaneProjection& options, double t, const VectorXd& x,
                       const VectorXd& w, const VectorXd& r, VectorXd& z, VectorXd& w_z, double& s) {
  const double most = (1.0 - options.sigma) / t * r.squaredNorm();
  bool finite = false;
  for (s = 1.0; s > 1e-14; s *= options.reduction) {
    z = x - s * r;
    if (!run.evaluate(z, w_z)) continue;
    if ((w - w_z).dot(r) <= most) return Search::Found;
    finite = true;
  }
  return finite ? Search::NotContinuous : Search::NowhereFinite;
}

/// P_K(x - lambda a) for a = F(z), which is to stay before the hyperplane: a·(p - z) >= 0 at p.
class Crossing {
 public:
  Crossing(detail::Run& run, const VectorXd& x, const VectorXd& a, const VectorXd& z)
      : run_(run), x_(x), a_(a), z_(z), p_(x.size()), best_(x) {}

  /// With the largest lambda found, by doubling and halving from `least` on, which is short enough in exact numbers,
  /// to 1e3 t, where rounding in x - lambda a would count; `last` is that of the iteration before. False where P_K
  /// fails.
  [[nodiscard]] bool search(double least, double t, double& last) {
    if (!project(least)) return false;
    best_ = p_;
    low_ = least;
    // From 1e-3 t on: shorter steps may be below the rounding of x, and are found by halving where they are needed.
    for (double lambda = std::max({2.0 * least, last, 1e-3 * t}); high_ == detail::infinity && lambda <= 1e3 * t;
         lambda *= 2.0) {
      const VectorXd before = best_;
      if (!look(lambda)) return false;
      if (p_ == before && lambda > t) break;
    }
    for (int k = 0; k < 6 && high_ < detail::infinity && high_ > 1.1 * low_; ++k)
      if (!look(std::sqrt(low_) * std::sqrt(high_))) return false;
    last = low_;
    return true;
  }
  [[nodiscard]] const VectorXd& point() const noexcept { return best_; }

 private:
  [[nodiscard]] bool project(double lambda) { return run_.project(x_ - lambda * a_, p_); }
  [[nodiscard]] bool look(double lambda) {
    if (!project(lambda)) return false;
    if (is_before()) {
      low_ = lambda;
      best_ = p_;
    } else {
      high_ = lambda;
    }
    return true;
  }
  /// Near a solution a·(p - z) is the rounding of terms that cancel. As z is in K, lambda a·(p - z) is at most
  /// (x - p)·(p - z), on a face that holds both equal to it, and that is a product of small numbers.
  [[nodiscard]] bool is_before() const {
    const double product = a_.dot(p_ - z_);
    if (std::abs(product) > 64.0 * eps * a_.norm() * (p_.norm() + z_.norm())) return product > 0.0;
    return (x_ - p_).dot(p_ - z_) >= 0.0;
  }

  detail::Run& run_;
  const VectorXd &x_, &a_, &z_;
  VectorXd p_, best_;
  double low_ = 0.0, high_ = detail::infinity;
};

}  // namespace

void HyperplaneProjection::validate() const {
  check::positive("vi::HyperplaneProjection::tolerance", tolerance);
  if (step != 0.0) check::positive("vi::HyperplaneProjection::step", step);
  detail::check_open("vi::HyperplaneProjection::sigma", sigma, 1.0);
  detail::check_open("vi::HyperplaneProjection::reduction", reduction, 1.0);
  check::at_least("vi::HyperplaneProjection::max_iterations", max_iterations, 1);
  nonsmooth::detail::check_time_limit("vi::HyperplaneProjection::time_limit", time_limit);
  check::finite("vi::HyperplaneProjection::start", ConstVectorRef(start));
}

Result solve(const Problem& problem, const HyperplaneProjection& options) {
  problem.validate();
  options.validate();
  detail::Run run(problem, options.tolerance, options.time_limit, options.start, "vi::HyperplaneProjection::start",
                  "hyperplane projection");
  if (!run.ready()) return run.fail(0);
  run.show(options.on_iterate);
  const double first = options.step > 0.0 ? options.step : run.rho();
  double t = first, last = 0.0;
  VectorXd x = run.start(), w = run.start_w(), y(run.size()), z(run.size()), w_z(run.size());
  for (Index k = 0;; ++k) {
    if (!run.project(x - t * w, y)) return run.fail(k);
    if (run.observe(x, w, y, t)) return run.finish(Status::Solved, {}, k);
    if (run.late()) return run.finish(Status::TimeLimit, "time_limit reached", k);
    if (k == options.max_iterations) return run.finish(Status::IterationLimit, "max_iterations reached", k);
    if (run.stalled()) return run.finish(Status::Stalled, detail::stalled_reason, k);
    double s = 1.0;
    const VectorXd r = x - y;
    const Search search = find_hyperplane(run, options, t, x, w, r, z, w_z, s);
    if (search == Search::NowhereFinite) return run.fail(k);
    if (search == Search::NotContinuous)
      return run.finish(Status::Stalled, "no hyperplane separates: F is not continuous there", k);
    if (const double size = detail::norm_of(w_z); size == 0.0) {
      x = z;
    } else {
      // F(z)·(x - z) = s F(z)·r, and no more than |F(z)| |x - z|: beside small r rounding would make steps of any
      // length.
      const double least =
          std::min(s * std::max(w_z.dot(r), options.sigma / t * r.squaredNorm()) / size, s * detail::norm_of(r)) / size;
      Crossing crossing(run, x, w_z, z);
      if (!crossing.search(least, t, last)) return run.fail(k);
      x = crossing.point();
    }
    if (!run.evaluate(x, w)) return run.fail(k);
    t = std::clamp(s == 1.0 ? t / options.reduction : t * options.reduction, 1e-6 * first, 1e6 * first);
  }
}

}  // namespace nonsmooth::vi
