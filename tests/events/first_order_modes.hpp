// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the first-order half of event-driven simulation: its loop at its simplest, and circuits.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel/model.hpp>

#include "events/first_order/first_order_part.hpp"
#include "smooth/guard_roots.hpp"
#include "smooth/stepper.hpp"

namespace nonsmooth::first_order_modes {

using events::FirstOrderPart;
using events::Resolution;
using Branches = std::vector<signed char>;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

/// A mode as the integrator and the root finder see it.
class Flow final : public smooth::RightHandSide {
 public:
  Flow(FirstOrderPart& part, Index size) : part_(&part), size_(size) {}
  [[nodiscard]] Index size() const override { return size_; }
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override { part_->rates(t, z, zdot); }

 private:
  FirstOrderPart* part_;
  Index size_;
};

class ModeGuards final : public smooth::Guards {
 public:
  explicit ModeGuards(FirstOrderPart& part) : part_(&part) {}
  [[nodiscard]] Index size() const override { return part_->num_guards(); }
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& values) override {
    values.resize(size());
    part_->guards(t, z, values.data());
  }

 private:
  FirstOrderPart* part_;
};

/// The loop of event-driven simulation at its simplest: relative tolerance 1e-12, so that phases of some hundred steps
/// err by 1e-10 at most.
class FirstOrderRun {
 public:
  FirstOrderRun(const NonSmoothDynamicalSystem& model, double t0 = 0.0, double window_end = kInfinity)
      : layout(*model.layout()),
        part(model, EventDrivenOptions{}),
        state(model.initial_state(t0)),
        t(t0),
        flow_(part, layout.num_positions + layout.num_unknowns),
        guards_(part),
        stepper_(smooth::make_stepper(DormandPrince{}, {.relative = 1e-12, .absolute = 1e-14}, flow_)) {
    part.set_window({t0, window_end});
    z = state.unknowns;
    resolve({});
  }

  /// To t_end, or to where no mode goes on.
  void advance_to(double t_end) {
    part.set_window({t, t_end});
    std::vector<int> zeros;
    Eigen::VectorXd dips;
    stepper_->start(t, z);
    while (ok && t < t_end) {
      zeros.assign(static_cast<std::size_t>(part.num_guards()), 0);
      dips.setZero(part.num_guards());
      part.guard_starts(t, z, fresh_, zeros.data(), dips.data());
      fresh_ = false;
      ASSERT_EQ(stepper_->advance(t_end), smooth::Outcome::Taken);
      ++steps;
      if (part.num_guards() > 0) {
        if (const auto crossing = finder_.first(guards_, stepper_->dense(), zeros, dips)) {
          if (crossing->t > t) {  // otherwise the guard is past its zero where the step starts
            locate(*crossing);
            t = stepper_->t();
            z = stepper_->z();
          }
          std::vector<Index> crossed = crossing->tied;
          crossed.push_back(crossing->guard);
          instants.push_back(t);
          ASSERT_LE(++events, 10000);
          resolve(crossed);
          stepper_->start(t, z);
          continue;
        }
      }
      t = stepper_->t();
      z = stepper_->z();
      if (part.remove_drift(t, z)) stepper_->amend(z);
    }
  }
  /// An instant of the user's: what happens where data jump; they are those of (t, window_end) afterwards.
  void resolve_into(double window_end) {
    part.set_window({t, window_end});
    resolve({});
  }

  [[nodiscard]] double lambda(InteractionHandle link, Index row = 0) { return written().lambda(link)[row]; }
  [[nodiscard]] double y(InteractionHandle link, Index row = 0) { return written().y(link)[row]; }

  Layout layout;
  FirstOrderPart part;
  State state;
  Eigen::VectorXd z;
  double t = 0.0;
  bool ok = true;
  Resolution resolution;
  std::vector<Event> log;
  std::vector<double> instants;
  int steps = 0, events = 0;

 private:
  void resolve(const std::vector<Index>& crossed) {
    resolution = part.resolve(t, z, crossed, log);
    ok = bool(resolution);
    fresh_ = true;
  }
  void locate(const smooth::Crossing& crossing) {
    double at = crossing.t;
    const auto value = [&](double time, const Eigen::VectorXd& point) {
      guards_(time, point, values_);
      return values_[crossing.guard];
    };
    Eigen::VectorXd point;
    const double small = 1e-6 * stepper_->dense().h;
    stepper_->dense().evaluate(at, point);
    const double here = value(at, point);
    stepper_->dense().evaluate(at - small, point);
    const double slope = (here - value(at - small, point)) / small;
    const double end = stepper_->dense().end();
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(stepper_->shorten(at), smooth::Outcome::Taken);
      const double next = std::min(at - value(at, stepper_->z()) / slope, end);
      if (!(next > stepper_->t_start()) || next == at) return;
      at = next;
    }
    ASSERT_EQ(stepper_->shorten(at), smooth::Outcome::Taken);
  }
  const State& written() {
    state.unknowns = z;
    part.write(t, z, state);
    return state;
  }

  bool fresh_ = true;  // no step since the last instant
  Flow flow_;
  ModeGuards guards_;
  std::unique_ptr<smooth::Stepper> stepper_;
  smooth::FirstCrossing finder_;
  Eigen::VectorXd values_;
};

struct Circuit {
  NonSmoothDynamicalSystem model;
  InteractionHandle link;
};

inline Circuit circuit(const Eigen::MatrixXd& A, const Eigen::VectorXd& x0, FirstOrderLinearRelation relation, Law law,
                       VectorData b = {}) {
  Circuit result;
  const auto system =
      result.model.add(FirstOrderLinearSystem{.mass = {}, .A = A, .b = std::move(b), .x0 = x0, .name = "circuit"});
  result.link = result.model.link(system, std::move(relation), std::move(law), "diode");
  return result;
}

}  // namespace nonsmooth::first_order_modes
