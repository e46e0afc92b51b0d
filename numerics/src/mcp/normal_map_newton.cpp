// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/normal_map_newton.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "descent.hpp"
#include "linear_step.hpp"
#include "moving_part.hpp"

namespace nonsmooth::mcp {
namespace {

constexpr Index leading_away = 10;  // steps of SemismoothNewton where no point of the path is better
constexpr double least_push = 2.0, largest_push = 1e6;  // weights of S
constexpr Index most_pushes = 100;
constexpr double most_growth = 1e6;  // of |r|, in what the watchdog lets pass

/// A point of the normal map: x = P(z), f = F(x), r = f + S (z - x).
struct MapPoint {
  Eigen::VectorXd z, x, f, r;
  double merit = detail::infinity;  // |r|
};

class PathNewton {
 public:
  PathNewton(const Problem& problem, const NormalMapNewton& options, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        n_(problem.size()),
        scale_(detail::data_scale(problem, result.values)),
        evaluator_(problem, result) {
    result.solver = "normal map newton";
    at_.x = detail::start_of(problem, "mcp::NormalMapNewton::start", options.start, options.check_jacobian);
    at_.f.resize(n_);
    detail::evaluate_start(problem, evaluator_, at_.x, at_.f);
    evaluator_.jacobian().slopes(s_);
    detail::finish_slopes(problem, scale_, s_);
  }

  void run() {
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    crash();
    lift(at_);
    checkpoint_ = at_;
    for (;;) {
      if (keep() || result_.iterations >= options_.max_steps) break;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      ++result_.iterations;
      evaluator_.forget_not_finite();
      if (!step()) {
        end = Status::Stalled;
        reason = "neither a point of the path nor a gradient step is better, and proximal points lead nowhere";
        if (result_.status == Status::Solved) return;  // led away to a solution
        if (deadline_.passed()) {
          end = Status::TimeLimit;
          reason = "time_limit reached";
        }
        break;
      }
    }
    detail::conclude(problem_, options_.tolerance, evaluator_, result_, end, reason);
  }

 private:
  bool keep() {
    const Certificate certificate = detail::certify(problem_, scale_, at_.x, at_.f, evaluator_.jacobian());
    return detail::keep(at_.x, at_.f, certificate, options_.tolerance, result_);
  }

  [[nodiscard]] double natural(const Eigen::VectorXd& x, const Eigen::VectorXd& f) const {
    double sum = 0.0;
    for (Index i = 0; i < n_; ++i) {
      const double row = nonsmooth::detail::box_row({.function = nonsmooth::detail::BoxFunction::Minimum}, s_[i], x[i],
                                                    f[i], problem_.lower[i], problem_.upper[i])
                             .value;
      sum += row * row;
    }
    return std::sqrt(sum);
  }

  /// Projected Newton steps on the unknowns whose x - f/s is between the bounds, while the natural map falls.
  void crash() {
    Eigen::VectorXd diagonal(n_), weights(n_), d(n_), x(n_), f(n_);
    const Index most = std::min(options_.crash_steps, options_.max_steps);
    for (Index k = 0; k < most && !keep() && !deadline_.passed(); ++k) {
      for (Index i = 0; i < n_; ++i) {
        const double target = at_.x[i] - at_.f[i] / s_[i];
        const bool between = target > problem_.lower[i] && target < problem_.upper[i];
        diagonal[i] = between ? 0.0 : s_[i];
        weights[i] = between ? 1.0 : 0.0;
        d[i] = between ? -at_.f[i] : s_[i] * (detail::clamp(target, problem_.lower[i], problem_.upper[i]) - at_.x[i]);
      }
      if (!evaluator_.jacobian().factorize(diagonal, weights)) return;
      evaluator_.jacobian().solve(d);
      x = at_.x + d;
      if (!x.allFinite()) return;
      detail::clamp(problem_, x);
      ++result_.iterations;
      const bool better = evaluator_.value(x, f) && natural(x, f) < 0.9 * natural(at_.x, at_.f);
      if (!better || !evaluator_.jacobian_at(x, f)) {
        if (better) static_cast<void>(evaluator_.jacobian_at(at_.x, at_.f));  // as it was
        evaluator_.forget_not_finite();
        return;
      }
      at_.x = x;
      at_.f = f;
    }
  }

  /// z from x and f: x between the bounds, at them as far outside as F pushes.
  void lift(MapPoint& point) const {
    point.z = point.x;
    for (Index i = 0; i < n_; ++i) {
      const bool low = point.x[i] <= problem_.lower[i], high = point.x[i] >= problem_.upper[i];
      if ((low && point.f[i] > 0.0) || (high && point.f[i] < 0.0)) point.z[i] -= point.f[i] / s_[i];
    }
    measure(point);
  }

  void measure(MapPoint& point) const {
    point.r = point.f + s_.cwiseProduct(point.z - point.x);
    point.merit = point.r.norm();
  }

  /// The point p(t) of the path at `from`, whose J is in the evaluator. False if there is none, or F is not finite.
  bool path(const MapPoint& from, double t, double weight, MapPoint& to) {
    const std::optional<relay::Result> found = detail::solve_linear(
        problem_, evaluator_.jacobian(), from.x, from.f - (1.0 - t) * from.r, weight * s_, deadline_);
    if (!found) return false;
    to.x = found->z;
    to.f.resize(n_);
    if (!evaluator_.value(to.x, to.f)) return false;
    to.z = to.x - found->w.cwiseQuotient(s_);
    for (Index i = 0; i < n_; ++i) {  // w of rows between their bounds is round-off
      if (to.x[i] > problem_.lower[i] && to.x[i] < problem_.upper[i]) to.z[i] = to.x[i];
    }
    measure(to);
    return std::isfinite(to.merit);
  }

  bool take(const MapPoint& point) {
    if (!evaluator_.jacobian_at(point.x, point.f)) {
      static_cast<void>(evaluator_.jacobian_at(at_.x, at_.f));  // as it was
      return false;
    }
    at_ = point;
    return true;
  }

  void set_checkpoint() {
    checkpoint_ = at_;
    watched_ = 0;
    if (checkpoint_.merit < 0.9 * stalled_) pushing_ = false;
  }

  /// False where nothing is better than the checkpoint.
  bool step() {
    MapPoint next;
    if (path(at_, 1.0, 0.0, next)) {
      const bool better = next.merit <= (1.0 - options_.decrease) * checkpoint_.merit;
      const bool watched = watched_ < options_.watch && next.merit <= most_growth * checkpoint_.merit;
      if ((better || watched) && take(next)) {
        ++watched_;
        if (better) set_checkpoint();
        return true;
      }
    }
    if (watched_ > 0) {
      if (!take(checkpoint_)) return false;
      watched_ = 0;
    }
    // The damped path leads back to where nothing was better.
    if (!pushing_ && (search_path() || lead_away())) return true;
    return result_.status != Status::Solved && push_on();
  }

  /// Along the checkpoint's path, with a proximal term where there is none.
  bool search_path() {
    MapPoint next;
    for (const double weight : {0.0, 1e-2, 1.0, 1e2}) {
      double t = weight == 0.0 ? 0.5 : 1.0;
      for (int halving = 0; halving < 8 && !deadline_.passed(); ++halving, t *= 0.5) {
        if (!path(at_, t, weight, next)) {
          if (halving == 0) break;  // another weight
          continue;
        }
        if (next.merit <= (1.0 - options_.decrease * t) * checkpoint_.merit && take(next)) {
          set_checkpoint();
          return true;
        }
      }
    }
    return false;
  }

  /// A proximal point around x whatever the merit is there, as ProximalPoint moves its centre.
  bool push_on() {
    MapPoint next;
    if (result_.iterations >= options_.max_steps) return true;
    for (double weight = least_push; pushes_ < most_pushes && weight < largest_push; weight *= 10.0) {
      if (!path(at_, 1.0, weight, next) || next.x == at_.x || !take(next)) continue;
      if (!pushing_) stalled_ = checkpoint_.merit;
      pushing_ = true;
      ++pushes_;
      lift(at_);
      set_checkpoint();
      return true;
    }
    return false;
  }

  bool lead_away() {
    Eigen::VectorXd x = at_.x, f = at_.f;
    const Index left = options_.max_steps - result_.iterations;
    if (left < 1) return true;
    detail::descend(problem_, {.tolerance = options_.tolerance, .max_steps = std::min(leading_away, left)}, scale_,
                    deadline_, evaluator_, x, f, result_);
    if (result_.status == Status::Solved) return false;
    MapPoint next;
    next.x = x;
    next.f = f;
    lift(next);
    if (natural(x, f) <= (1.0 - options_.decrease) * natural(at_.x, at_.f) && take(next)) {
      set_checkpoint();
      return true;
    }
    static_cast<void>(evaluator_.jacobian_at(at_.x, at_.f));  // as it was
    return false;
  }

  const Problem& problem_;
  const NormalMapNewton& options_;
  Result& result_;
  const nonsmooth::detail::Deadline deadline_;
  const Index n_;
  const double scale_;
  detail::Evaluator evaluator_;
  Eigen::VectorXd s_{n_};
  MapPoint at_, checkpoint_;
  Index watched_ = 0, pushes_ = 0;
  bool pushing_ = false;  // since |r| was stalled_, which is not yet bettered
  double stalled_ = 0.0;
};

}  // namespace

void NormalMapNewton::validate() const {
  check::positive("mcp::NormalMapNewton::tolerance", tolerance);
  check::at_least("mcp::NormalMapNewton::max_steps", max_steps, 1);
  check::at_least("mcp::NormalMapNewton::crash_steps", crash_steps, 0);
  check::at_least("mcp::NormalMapNewton::watch", watch, 0);
  check::positive("mcp::NormalMapNewton::decrease", decrease);
  check::range("mcp::NormalMapNewton::decrease", decrease, 0.0, 0.5);
  check::at_least("mcp::NormalMapNewton::max_rows", max_rows, 1);
  nonsmooth::detail::check_time_limit("mcp::NormalMapNewton::time_limit", time_limit);
}

Result solve(const Problem& problem, const NormalMapNewton& options) {
  problem.validate();
  options.validate();
  if (detail::may_shrink(problem)) return detail::solve_moving_part(problem, options, "mcp::NormalMapNewton::start");
  if (!problem.F.is_sparse() && problem.size() > options.max_rows) {
    throw InvalidArgument("mcp::NormalMapNewton::max_rows", std::to_string(problem.size()) + " unknowns",
                          "at most " + std::to_string(options.max_rows) + ": F has no sparse Jacobian");
  }
  Result result;
  PathNewton(problem, options, result).run();
  return result;
}

}  // namespace nonsmooth::mcp
