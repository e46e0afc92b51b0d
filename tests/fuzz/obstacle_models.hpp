// SPDX-License-Identifier: Apache-2.0
// Random event-driven models whose motion is known in closed form until the first event, with their dips judged.
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

/// Draws a model: one to three systems, each with obstacles and guards of its own, in units of powers of ten.
class ObstacleModels {
 public:
  explicit ObstacleModels(std::mt19937_64& random) : random_(random) {}

  ObstacleModel draw() {
    length_ = std::pow(10.0, whole(-4, 4));
    time_ = std::pow(10.0, whole(-4, 4));
    result_.end = time_ * uniform(0.5, 2.0);
    result_.given = chance(0.5);
    draw_options();
    const int systems = whole(1, 3);
    for (int k = 0; k < systems; ++k) {
      if (chance(0.7)) {
        add_body();
      } else {
        add_first_order();
      }
    }
    return std::move(result_);
  }

 private:
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

  void add_body() {
    const Body body = draw_body();
    const int obstacles = whole(1, 2);
    for (int k = 0; k < obstacles; ++k) {
      switch (whole(0, 4)) {
        case 0:
          add_static(body);
          break;
        case 1:
          add_moving(body);
          break;
        case 2:
          add_carried(body);
          break;
        default:
          add_guard(body);
      }
    }
  }

  [[nodiscard]] Course above_floor(const Body& body, double& floor) {
    floor = lowest(body.y) - length_ * uniform(0.05, 1.0);
    Course course{.base = body.y, .along = body.x, .hills = {}};
    course.base.power[0] -= floor;
    course.base_slack = slack(body.y);
    course.along_slack = slack(body.x);
    return course;
  }

  void add_static(const Body& body) {
    double floor = 0.0;
    Course course = above_floor(body, floor);
    draw_hills(course, 0.0);
    Dip dip = judge("static obstacle", course);
    dip.coordinates = {body.x, body.y};
    if (!is_affordable(dip)) return;
    const auto hills = course.hills;
    ScleronomousRelation relation{
        .h = [=](ConstVectorRef q, VectorRef y) { y[0] = q[1] - floor - hills_at(hills, 0.0, q[0]); },
        .H =
            [=](ConstVectorRef q, MatrixRef H) {
              H(0, 0) = -hills_slope(hills, 0.0, q[0]);
              H(0, 1) = 1.0;
            },
        .smallest_feature = feature(dip)};
    result_.model.link(body.handle, relation, NewtonImpactLaw{.restitution = uniform(0.0, 1.0)});
    result_.dips.push_back(std::move(dip));
  }

  /// A relation of the user's own class, which may depend on time.
  class OwnRelation final : public Relation {
   public:
    OwnRelation(std::vector<Hill> hills, double floor, double feature)
        : hills_(std::move(hills)), floor_(floor), feature_(feature) {}
    [[nodiscard]] Index rows() const override { return 1; }
    void h(double t, ConstVectorRef q, VectorRef y) const override { y[0] = q[1] - floor_ - hills_at(hills_, t, q[0]); }
    void H(double t, ConstVectorRef q, MatrixRef jacobian) const override {
      jacobian(0, 0) = -hills_slope(hills_, t, q[0]);
      jacobian(0, 1) = 1.0;
    }
    void h_t(double t, ConstVectorRef q, VectorRef value) const override { value[0] = -hills_rate(hills_, t, q[0]); }
    [[nodiscard]] double smallest_feature() const override { return feature_; }

   private:
    std::vector<Hill> hills_;
    double floor_, feature_;
  };

  /// Moves at a speed of its own, by RheonomousRelation or a Relation.
  void add_moving(const Body& body) {
    double floor = 0.0;
    Course course = above_floor(body, floor);
    draw_hills(course, 2.0 * length_ / time_);
    Dip dip = judge("moving obstacle", course);
    dip.coordinates = {body.x, body.y};
    dip.in_time = true;
    if (!is_affordable(dip)) return;
    const auto hills = course.hills;
    if (chance(0.5)) {
      result_.model.link(body.handle, std::make_shared<const OwnRelation>(hills, floor, feature(dip)),
                         NewtonImpactLaw{.restitution = uniform(0.0, 1.0)});
    } else {
      result_.model.link(
          body.handle,
          RheonomousRelation{
              .h = [=](double t, ConstVectorRef q, VectorRef y) { y[0] = q[1] - floor - hills_at(hills, t, q[0]); },
              .H =
                  [=](double t, ConstVectorRef q, MatrixRef H) {
                    H(0, 0) = -hills_slope(hills, t, q[0]);
                    H(0, 1) = 1.0;
                  },
              .h_t = [=](double t, ConstVectorRef q, VectorRef value) { value[0] = -hills_rate(hills, t, q[0]); },
              .smallest_feature = feature(dip)},
          NewtonImpactLaw{.restitution = uniform(0.0, 1.0)});
    }
    result_.dips.push_back(std::move(dip));
  }

  /// The hills are a second body's, which moves along x.
  void add_carried(const Body& body) {
    double floor = 0.0;
    Course course = above_floor(body, floor);
    const Path carrier{.power = {length_ * uniform(-1.0, 1.0), length_ / time_ * uniform(-2.0, 2.0),
                                 length_ / (time_ * time_) * uniform(-2.0, 2.0)}};
    for (std::size_t k = 0; k < 3; ++k) course.along.power[k] -= carrier.power[k];
    course.along_slack += slack(carrier);
    draw_hills(course, 0.0);
    Dip dip = judge("obstacle on a body", course);
    dip.coordinates = {body.x, body.y, carrier};
    if (!is_affordable(dip)) return;
    const double m = log_uniform(1e-3, 1e3);
    const auto carrying =
        add(LagrangianLinearSystem{.mass = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, m)),
                                   .force = Eigen::VectorXd(Eigen::VectorXd::Constant(1, 2.0 * m * carrier.power[2])),
                                   .q0 = {carrier.power[0]},
                                   .v0 = {carrier.power[1]}});
    const auto hills = course.hills;
    result_.model.link(
        {body.handle, carrying},
        ScleronomousRelation{
            .h = [=](ConstVectorRef q, VectorRef y) { y[0] = q[1] - floor - hills_at(hills, 0.0, q[0] - q[2]); },
            .H =
                [=](ConstVectorRef q, MatrixRef H) {
                  H(0, 0) = -hills_slope(hills, 0.0, q[0] - q[2]);
                  H(0, 1) = 1.0;
                  H(0, 2) = -H(0, 0);
                },
            .smallest_feature = feature(dip)},
        NewtonImpactLaw{.restitution = uniform(0.0, 1.0)});
    result_.dips.push_back(std::move(dip));
  }

  /// A user's guard of time, or of the body's coordinates, of either sign and in any unit.
  void add_guard(const Body& body) {
    const double unit = (chance(0.5) ? 1.0 : -1.0) * std::pow(10.0, whole(-9, 9));
    UserEvent event;
    Dip dip;
    if (chance(0.5)) {
      Course course{.base = {.power = {1.0, 0.0, 0.0}}, .along = {.power = {0.0, 1.0, 0.0}}, .hills = {}};
      draw_hills(course, 0.0);
      dip = judge("guard of time", course);
      event.guard = [unit, hills = course.hills](const State& s) { return unit * (1.0 - hills_at(hills, 0.0, s.t)); };
    } else {
      double floor = 0.0;
      Course course = above_floor(body, floor);
      draw_hills(course, 0.0);
      dip = judge("guard of the state", course);
      event.guard = [unit, floor, hills = course.hills, system = body.handle](const State& s) {
        const auto q = s.q(system);
        return unit * (q[1] - floor - hills_at(hills, 0.0, q[0]));
      };
    }
    if (!is_affordable(dip)) return;
    event.smallest_feature = feature(dip);
    result_.options.events.push_back(std::move(event));
    result_.dips.push_back(std::move(dip));
  }

  /// y = c x + e(t) of an open row, or lambda of a closed one, above a pulse; x by itself.
  void add_first_order() {
    if (chance(0.3)) return add_opening();
    const double unit = std::pow(10.0, whole(-4, 4)), x0 = unit * uniform(0.1, 2.0);
    const double limit = unit * uniform(-1.0, 1.0), rate = uniform(0.1, 5.0) / time_;
    const bool linear = chance(0.6), relay = linear && chance(0.5);
    const double B = unit / time_ * uniform(0.1, 2.0), held = relay ? -1.0 : 0.0;
    Path x{.power = {limit, 0.0, 0.0}, .decaying = x0 - limit, .rate = rate};
    // Without a reaction x' = -x^2 m: 1/x grows by m t.
    const double m = rate / unit;
    if (!linear) x = {.pole = 1.0 / x0, .approach = m};
    const double c = linear ? uniform(-2.0, 2.0) : uniform(0.1, 2.0), clearance = unit * uniform(0.1, 1.0);
    Course course{.base = x, .along = {.power = {0.0, 1.0, 0.0}}, .hills = {}};
    for (double* part : {&course.base.power[0], &course.base.decaying}) *part *= c;
    for (double* part : {&course.base.pole, &course.base.approach}) *part /= c;
    const double least = lowest(course.base);
    course.base.power[0] += clearance - least;
    course.base_slack = std::abs(c) * slack(x);
    draw_hills(course, 0.0);
    Dip dip = judge(linear ? "first-order row" : "nonlinear first-order", course);
    if (!is_affordable(dip)) return;
    const double offset = clearance - least, D = relay ? 0.0 : unit;
    const auto hills = course.hills;
    const FirstOrderLinearRelation relation{
        .C = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, c)),
        .D = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, D)),
        .B = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, B)),
        .e = [=](double t, VectorRef e) { e[0] = offset - hills_at(hills, 0.0, t); },
        .smallest_feature = feature(dip)};
    const double drive = rate * limit - B * held;
    const auto system =
        linear ? add(FirstOrderLinearSystem{.A = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, -rate)),
                                            .b = Eigen::VectorXd(Eigen::VectorXd::Constant(1, drive)),
                                            .x0 = {x0}})
               : add(FirstOrderSystem{
                     .f = [=](double, ConstVectorRef z, VectorRef value) { value[0] = -m * z[0] * z[0]; }, .x0 = {x0}});
    if (relay) {
      result_.model.link(system, relation, RelayLaw{});
    } else {
      result_.model.link(system, relation, ComplementarityLaw{});
    }
    result_.dips.push_back(std::move(dip));
  }

  /// A closed row without D: lambda = -(a x + b(t)) / B at rest, and b(t) has a pulse that opens it.
  void add_opening() {
    const double unit = std::pow(10.0, whole(-4, 4)), x0 = unit * uniform(-1.0, 1.0), a = uniform(-5.0, 5.0) / time_;
    const double B = unit / time_ * uniform(0.1, 2.0);
    Course course{.base = {.power = {1.0, uniform(-0.4, 2.0) / result_.end, 0.0}},
                  .along = {.power = {0.0, 1.0, 0.0}},
                  .hills = {}};
    course.base_slack = 64.0 * std::numeric_limits<double>::epsilon() * std::abs(a * x0 / B);
    draw_hills(course, 0.0);
    Dip dip = judge("multiplier", course);
    if (!is_affordable(dip)) return;
    const auto hills = course.hills;
    const Path base = course.base;
    result_.free.add(FirstOrderLinearSystem{.x0 = {x0}});  // it rests
    const auto system = result_.model.add(FirstOrderLinearSystem{
        .A = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, a)),
        .b = [=](double t, VectorRef b) { b[0] = -a * x0 - B * (base.at(t) - hills_at(hills, 0.0, t)); },
        .x0 = {x0}});
    result_.model.link(system,
                       FirstOrderLinearRelation{.C = {{1.0}},
                                                .B = Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, B)),
                                                .e = Eigen::VectorXd(Eigen::VectorXd::Constant(1, -x0)),
                                                .smallest_feature = feature(dip)},
                       ComplementarityLaw{});
    result_.dips.push_back(std::move(dip));
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

inline ObstacleModel random_obstacle_model(std::mt19937_64& random) { return ObstacleModels(random).draw(); }

}  // namespace nonsmooth::fuzz
