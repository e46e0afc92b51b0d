// SPDX-License-Identifier: Apache-2.0
// Random event-driven models whose motion is known in closed form until the first event, with their dips judged.
#pragma once

#include "obstacle_draws.hpp"

namespace nonsmooth::fuzz {

/// One to three systems, each with obstacles and guards of its own.
class ObstacleModels : private ObstacleDraws {
 public:
  explicit ObstacleModels(std::mt19937_64& random) : ObstacleDraws(random) {}

  ObstacleModel draw() {
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
  class OwnRelation final : public MechanicalRelation {
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

  /// Moves at a speed of its own, by RheonomousRelation or a MechanicalRelation.
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
};

inline ObstacleModel random_obstacle_model(std::mt19937_64& random) { return ObstacleModels(random).draw(); }

}  // namespace nonsmooth::fuzz
