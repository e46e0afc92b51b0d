// SPDX-License-Identifier: Apache-2.0
// What random event-driven models are drawn from: units, options, motions in closed form, hills, and their dips judged.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "obstacles.hpp"

namespace nonsmooth::fuzz {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The first dip of one obstacle, guard or row.
struct Dip {
  std::string family;
  double possible = kNever;       ///< not below zero before, whatever the integration leaves [s]
  double certain = kNever;        ///< below zero here, whatever it leaves [s]
  double left = kNever;           ///< and back [s]
  std::vector<Path> coordinates;  ///< of the way in which widths are measured; none: in time
  bool in_time = false;           ///< also looked at in equal times
};

struct ObstacleModel {
  NonSmoothDynamicalSystem model;
  NonSmoothDynamicalSystem free;  ///< the same motions without what may end them: these steps are nowhere cut short
  EventDrivenOptions options;
  double end = 1.0;    ///< [s]
  bool given = false;  ///< every obstacle, guard and row has its `smallest_feature`
  std::vector<Dip> dips;
};

/// Draws of one model, in units of powers of ten.
class ObstacleDraws {
 protected:
  explicit ObstacleDraws(std::mt19937_64& random) : random_(random) {
    length_ = std::pow(10.0, whole(-4, 4));
    time_ = std::pow(10.0, whole(-4, 4));
    result_.end = time_ * uniform(0.5, 2.0);
    result_.given = chance(0.5);
    draw_options();
  }

  struct Body {
    Path x, y;
    SystemHandle handle;
  };

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double share) { return uniform(0.0, 1.0) < share; }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }

  void draw_options() {
    EventDrivenOptions& options = result_.options;
    const double kind = uniform(0.0, 1.0);
    options.integrator = kind < 0.6   ? SmoothIntegrator(DormandPrince{})
                         : kind < 0.8 ? SmoothIntegrator(DormandPrince{.order = 5})
                                      : SmoothIntegrator(RadauIIA{});
    options.relative_tolerance = log_uniform(1e-12, 1e-6);
    // Below the units of all coordinates, those of first-order systems included.
    options.absolute_tolerance = 1e-3 * options.relative_tolerance * std::min({length_, length_ / time_, 1e-4});
    if (chance(0.4)) options.largest_step = result_.end / uniform(1.0, 20.0);
    // A few times what the global error of some tens of steps was; motions of degree 2 are exact for explicit methods.
    exact_slack_ = kind < 0.8 ? 1024.0 * std::numeric_limits<double>::epsilon() : options.relative_tolerance;
    slack_ = 300.0 * options.relative_tolerance;
  }

  /// q'' = -r v - w^2 (q - c) + f: one of free, falling, on a spring, with drag.
  Path draw_coordinate(double& stiffness, double& damping, double& force) {
    const double q0 = length_ * uniform(-1.0, 1.0), v0 = length_ / time_ * uniform(-2.0, 2.0);
    const double f = length_ / (time_ * time_) * uniform(-5.0, 5.0);
    stiffness = damping = force = 0.0;
    switch (whole(0, 3)) {
      case 0:
        return {.power = {q0, v0, 0.0}};
      case 1:
        force = f;
        return {.power = {q0, chance(0.3) ? 0.0 : v0, 0.5 * f}};
      case 2: {
        const double w = uniform(0.3, 10.0) / time_;
        stiffness = w * w;
        force = f;
        const double rest = f / (w * w);
        return {.power = {rest, 0.0, 0.0}, .cosine = q0 - rest, .sine = v0 / w, .angular = w};
      }
      default: {
        const double r = uniform(0.1, 5.0) / time_;
        damping = r;
        force = f;
        const double d = (f / r - v0) / r;
        return {.power = {q0 - d, f / r, 0.0}, .decaying = d, .rate = r};
      }
    }
  }

  template <class System>
  SystemHandle add(const System& system) {
    result_.free.add(system);
    return result_.model.add(system);
  }

  Body draw_body() {
    Body body;
    Eigen::Vector2d stiffness, damping, force;
    body.x = draw_coordinate(stiffness[0], damping[0], force[0]);
    body.y = draw_coordinate(stiffness[1], damping[1], force[1]);
    const double m = log_uniform(1e-3, 1e3);
    body.handle = add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(m * Eigen::Matrix2d::Identity()),
                                             .damping = Eigen::MatrixXd((m * damping).asDiagonal()),
                                             .stiffness = Eigen::MatrixXd((m * stiffness).asDiagonal()),
                                             .force = Eigen::VectorXd(m * force),
                                             .q0 = Eigen::Vector2d(body.x.at(0.0), body.y.at(0.0)),
                                             .v0 = Eigen::Vector2d(body.x.speed(0.0), body.y.speed(0.0))});
    return body;
  }

  static bool is_power(const Path& p) { return p.angular == 0.0 && p.decaying == 0.0 && p.pole == 0.0; }
  [[nodiscard]] double scale(const Path& p) const {
    const double t = result_.end;
    double sum = std::abs(p.power[0]) + t * (std::abs(p.power[1]) + t * std::abs(p.power[2]));
    sum += std::abs(p.cosine) + std::abs(p.sine) + std::abs(p.decaying);
    return p.pole != 0.0 ? sum + 1.0 / p.pole : sum;
  }
  [[nodiscard]] double slack(const Path& p) const { return (is_power(p) ? exact_slack_ : slack_) * scale(p); }
  [[nodiscard]] double lowest(const Path& p) const {
    double value = kNever;
    for (int k = 0; k <= 400; ++k) value = std::min(value, p.at(result_.end * k / 400.0));
    return value;
  }

  /// Hills that a motion along `course.along` above `course.base` meets or passes, moving at up to `speed`.
  void draw_hills(Course& course, double speed) {
    const double path = std::max(course.along.fastest(0.0, result_.end) * result_.end, 1e-3 * scale(course.along));
    const int count = whole(1, 3);
    for (int k = 0; k < count; ++k) {
      Hill hill;
      const double at = uniform(0.02, 0.98) * result_.end, size = uniform(0.0, 1.0);
      hill.shape = static_cast<Shape>(whole(0, 3));
      hill.flank = uniform(0.05, 1.0);
      hill.rate = speed == 0.0 ? 0.0 : uniform(-speed, speed);
      hill.place = course.along.at(at) - hill.rate * at;
      // Known widths cost two evaluations each: few of the narrowest.
      hill.width = path * log_uniform(!result_.given ? 1e-6 : chance(0.002) ? 1e-6 : 1e-4, 1.0);
      hill.height = course.base.at(at) * (size < 0.6   ? log_uniform(1.05, 10.0)
                                          : size < 0.7 ? 1.0 + log_uniform(1e-5, 0.05)
                                                       : uniform(0.2, 0.95));
      course.hills.push_back(hill);
      if (course.bound(0.0, -1, 0.0, 0.0) < 0.05 * course.base.at(0.0)) course.hills.pop_back();
    }
    double largest = scale(course.base);
    for (const Hill& hill : course.hills) largest = std::max(largest, std::abs(hill.height));
    course.base_slack += 1024.0 * std::numeric_limits<double>::epsilon() * largest;
    course.along_slack += 64.0 * std::numeric_limits<double>::epsilon() * (scale(course.along) + speed * result_.end);
  }

  Dip judge(const char* family, const Course& course) {
    FirstPassage search;
    search.resolution = 1e-14 * result_.end;
    Dip dip{.family = family, .coordinates = {}};
    const double end = result_.end;
    if (const auto t = search.find(course, 0.0, end, 1, -1, true)) dip.possible = *t;
    if (const auto t = search.find(course, 0.0, end, 1, 1, false)) dip.certain = *t;
    // At `certain` itself the value is zero, to the resolution.
    if (dip.certain < kNever)
      dip.left = search.find(course, dip.certain + 4.0 * search.resolution, end, -1, 1, false).value_or(end);
    if (search.exhausted) {  // a graze: nothing is known of it
      dip.possible = 0.0;
      dip.certain = kNever;
    }
    return dip;
  }

  /// What a user who knows the dip says: the way of the coordinates over which it lasts, or its time.
  double feature(const Dip& dip) {
    if (!result_.given || !(dip.certain < kNever)) return 0.0;
    const double time = dip.left - dip.certain;
    if (dip.coordinates.empty()) return time;
    double way = 0.0;
    for (const Path& path : dip.coordinates) way = std::hypot(way, path.at(dip.left) - path.at(dip.certain));
    return way;
  }

  [[nodiscard]] Course above_floor(const Body& body, double& floor) {
    floor = lowest(body.y) - length_ * uniform(0.05, 1.0);
    Course course{.base = body.y, .along = body.x, .hills = {}};
    course.base.power[0] -= floor;
    course.base_slack = slack(body.y);
    course.along_slack = slack(body.x);
    return course;
  }

  /// A known width of less than 1e-6 of the way would take too many places.
  bool is_affordable(const Dip& dip) {
    const double width = feature(dip);
    if (width == 0.0) return true;
    if (dip.coordinates.empty()) return width > 1e-7 * result_.end;
    double way = 0.0;
    for (const Path& path : dip.coordinates) way += path.fastest(0.0, result_.end) * result_.end;
    return width > 1e-7 * way;
  }

  std::mt19937_64& random_;
  ObstacleModel result_;
  double length_ = 1.0, time_ = 1.0, slack_ = 0.0, exact_slack_ = 0.0;
};

}  // namespace nonsmooth::fuzz
