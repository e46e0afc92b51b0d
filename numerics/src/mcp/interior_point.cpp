// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/mcp/interior_point.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "descent.hpp"
#include "moving_part.hpp"

namespace nonsmooth::mcp {
namespace {

constexpr double to_the_border = 0.995, central = 1e-3, inside = 0.1;
constexpr double first_finish = 1e-3, next_finish = 1e-3;
constexpr Index finishing_steps = 20;

/// An iterate and what its rows are worth.
struct Point {
  Eigen::VectorXd x, y, v, f;
  double rows = 0.0;      ///< |F - y + v|^2 + sum of squared products
  double mean = 0.0;      ///< of the products, mu
  double smallest = 0.0;  ///< product
};

/// Away from the bounds, but where these leave no room.
void move_inside(const Problem& problem, Eigen::VectorXd& x) {
  for (Index i = 0; i < x.size(); ++i) {
    const double size = problem.F.sizes.size() > 0 ? problem.F.sizes[i] : 1.0;
    const double margin = std::min(inside * size, 0.25 * (problem.upper[i] - problem.lower[i]));
    x[i] = detail::clamp(x[i], problem.lower[i] + margin, problem.upper[i] - margin);
  }
}

class Interior {
 public:
  Interior(const Problem& problem, const InteriorPoint& options, Result& result)
      : problem_(problem),
        options_(options),
        result_(result),
        deadline_(options.time_limit),
        n_(problem.size()),
        scale_(detail::data_scale(problem, result.values)),
        evaluator_(problem, result) {
    result.solver = "interior point";
  }

  void run() {
    if (!start()) return;
    Status end = Status::IterationLimit;
    std::string_view reason = "max_steps reached";
    double finish_below = first_finish, sigma = options_.sigma;
    for (;;) {
      const Certificate certificate = detail::certify(problem_, scale_, at_.x, at_.f, evaluator_.jacobian());
      if (detail::keep(at_.x, at_.f, certificate, options_.tolerance, result_)) break;
      if (result_.iterations >= options_.max_steps) break;
      if (deadline_.passed()) {
        end = Status::TimeLimit;
        reason = "time_limit reached";
        break;
      }
      if (certificate.residual <= finish_below) {
        if (finish()) return;
        finish_below = next_finish * certificate.residual;
        if (result_.iterations >= options_.max_steps) break;
      }
      evaluator_.forget_not_finite();
      const double length = step(sigma);
      ++result_.iterations;
      if (length == 0.0) {
        end = deadline_.passed() ? Status::TimeLimit : Status::Stalled;
        reason = deadline_.passed()
                     ? "time_limit reached"
                     : "no step lets the rows fall: F is not monotone, there is no solution, or round-off";
        if (finish()) return;
        break;
      }
      sigma = length < 0.1 ? 0.5 : options_.sigma;
    }
    detail::conclude(problem_, options_.tolerance, evaluator_, result_, end, reason);
  }

 private:
  [[nodiscard]] bool below(Index i) const { return problem_.lower[i] > -detail::infinity; }
  [[nodiscard]] bool above(Index i) const { return problem_.upper[i] < detail::infinity; }

  /// False where F is not finite at the start that has been moved inside; result is concluded then.
  bool start() {
    at_.x = detail::start_of(problem_, "mcp::InteriorPoint::start", options_.start, false);
    at_.y.setZero(n_);
    at_.v.setZero(n_);
    at_.f.resize(n_);
    const Eigen::VectorXd given = at_.x;
    move_inside(problem_, at_.x);
    if (at_.x == given) {
      detail::evaluate_start(problem_, evaluator_, at_.x, at_.f);
    } else if (!evaluator_.value(at_.x, at_.f) || !evaluator_.jacobian_at(at_.x, at_.f)) {
      result_.x = at_.x;
      result_.w = at_.f;
      detail::conclude(problem_, options_.tolerance, evaluator_, result_, Status::Stalled, {});
      return false;
    }
    const double size = std::max({at_.f.cwiseAbs().maxCoeff(), scale_, 1e-300});
    for (Index i = 0; i < n_; ++i) {
      if (below(i)) at_.y[i] = std::max(at_.f[i], 0.0) + 0.1 * size;
      if (above(i)) at_.v[i] = std::max(-at_.f[i], 0.0) + 0.1 * size;
    }
    measure(at_);
    part_ = at_.mean > 0.0 ? std::min(central, 0.5 * at_.smallest / at_.mean) : 0.0;
    return true;
  }

  void measure(Point& point) const {
    point.rows = 0.0;
    point.mean = 0.0;
    point.smallest = detail::infinity;
    Index count = 0;
    const auto add = [&](double product) {
      point.rows += product * product;
      point.mean += product;
      point.smallest = std::min(point.smallest, product);
      ++count;
    };
    for (Index i = 0; i < n_; ++i) {
      const double row = point.f[i] - point.y[i] + point.v[i];
      point.rows += row * row;
      if (below(i)) add((point.x[i] - problem_.lower[i]) * point.y[i]);
      if (above(i)) add((problem_.upper[i] - point.x[i]) * point.v[i]);
    }
    if (count > 0) point.mean /= double(count);
    if (count == 0) point.smallest = 0.0;
  }

  /// dx, dy, dv of Newton's step towards products of `target`.
  bool direction(double target) {
    for (Index i = 0; i < n_; ++i) {
      diagonal_[i] = 0.0;
      dx_[i] = -(at_.f[i] - at_.y[i] + at_.v[i]);
      if (below(i)) {
        const double gap = at_.x[i] - problem_.lower[i];
        diagonal_[i] += at_.y[i] / gap;
        dx_[i] += target / gap - at_.y[i];
      }
      if (above(i)) {
        const double gap = problem_.upper[i] - at_.x[i];
        diagonal_[i] += at_.v[i] / gap;
        dx_[i] -= target / gap - at_.v[i];
      }
    }
    if (!evaluator_.jacobian().factorize(diagonal_, weights_)) return false;
    evaluator_.jacobian().solve(dx_);
    if (!dx_.allFinite()) return false;
    dy_.setZero();
    dv_.setZero();
    for (Index i = 0; i < n_; ++i) {
      if (below(i)) {
        const double gap = at_.x[i] - problem_.lower[i];
        dy_[i] = (target - at_.y[i] * dx_[i]) / gap - at_.y[i];
      }
      if (above(i)) {
        const double gap = problem_.upper[i] - at_.x[i];
        dv_[i] = (target + at_.v[i] * dx_[i]) / gap - at_.v[i];
      }
    }
    return true;
  }

  /// The longest step that keeps within the borders, at most 1.
  [[nodiscard]] double longest() const {
    double length = 1.0;
    const auto bound = [&](double room, double change) {
      if (change < 0.0) length = std::min(length, -to_the_border * room / change);
    };
    for (Index i = 0; i < n_; ++i) {
      if (below(i)) {
        bound(at_.x[i] - problem_.lower[i], dx_[i]);
        bound(at_.y[i], dy_[i]);
      }
      if (above(i)) {
        bound(problem_.upper[i] - at_.x[i], -dx_[i]);
        bound(at_.v[i], dv_[i]);
      }
    }
    return length;
  }

  [[nodiscard]] bool strictly_inside(const Eigen::VectorXd& x) const {
    for (Index i = 0; i < n_; ++i) {
      if (!(x[i] > problem_.lower[i] && x[i] < problem_.upper[i])) return false;
    }
    return true;
  }

  /// The length of the step taken; 0: none was found.
  double step(double sigma) {
    for (const double aim : {sigma, 0.9}) {
      if (!direction(aim * at_.mean)) continue;
      double length = longest();
      for (int halving = 0; halving < 40 && !deadline_.passed(); ++halving, length *= 0.5) {
        next_.x = at_.x + length * dx_;
        next_.y = at_.y + length * dy_;
        next_.v = at_.v + length * dv_;
        next_.f.resize(n_);
        if (!strictly_inside(next_.x) || !evaluator_.value(next_.x, next_.f)) continue;
        measure(next_);
        const bool falls = next_.rows <= (1.0 - 0.01 * length * (1.0 - aim)) * at_.rows;
        if (!falls || next_.smallest < part_ * next_.mean) continue;
        if (!evaluator_.jacobian_at(next_.x, next_.f)) {
          static_cast<void>(evaluator_.jacobian_at(at_.x, at_.f));  // as it was
          continue;
        }
        std::swap(at_, next_);
        return length;
      }
    }
    return 0.0;
  }

  /// Steps of the semismooth Newton method from here. True if that solves it; result is concluded then.
  bool finish() {
    Eigen::VectorXd x = at_.x, f = at_.f;
    detail::descend(problem_,
                    {.tolerance = options_.tolerance,
                     .max_steps = std::min(finishing_steps, options_.max_steps - result_.iterations)},
                    scale_, deadline_, evaluator_, x, f, result_);
    if (result_.status == Status::Solved) return true;
    static_cast<void>(evaluator_.jacobian_at(at_.x, at_.f));
    return false;
  }

  const Problem& problem_;
  const InteriorPoint& options_;
  Result& result_;
  const nonsmooth::detail::Deadline deadline_;
  const Index n_;
  const double scale_;
  detail::Evaluator evaluator_;
  Point at_, next_;
  double part_ = 0.0;
  Eigen::VectorXd dx_{n_}, dy_{n_}, dv_{n_}, diagonal_{n_}, weights_ = Eigen::VectorXd::Ones(n_);
};

}  // namespace

void InteriorPoint::validate() const {
  check::positive("mcp::InteriorPoint::tolerance", tolerance);
  check::at_least("mcp::InteriorPoint::max_steps", max_steps, 1);
  if (!(sigma > 0.0 && sigma < 1.0))
    throw InvalidArgument("mcp::InteriorPoint::sigma", check::text(sigma), "a number in (0, 1)");
  nonsmooth::detail::check_time_limit("mcp::InteriorPoint::time_limit", time_limit);
}

Result solve(const Problem& problem, const InteriorPoint& options) {
  problem.validate();
  options.validate();
  constexpr const char* start = "mcp::InteriorPoint::start";
  if (options.check_jacobian) {
    Eigen::VectorXd x = detail::start_of(problem, start, options.start, false);
    move_inside(problem, x);
    detail::check_jacobian_at(problem, x);
  }
  if (detail::may_shrink(problem)) {
    InteriorPoint checked = options;
    checked.check_jacobian = false;
    return detail::solve_moving_part(problem, std::move(checked), start);
  }
  Result result;
  Interior(problem, options, result).run();
  return result;
}

}  // namespace nonsmooth::mcp
