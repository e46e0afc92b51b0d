// SPDX-License-Identifier: Apache-2.0
// What event-driven simulation costs where nothing happens: smooth phases of EventDriven over the bare stepper, with
// the same tolerances, on the right-hand side of the same mode ("loop/bare": below 2, but for a circuit of two numbers,
// whose bare step takes 0.3 us), and on one that is written out by hand for the model ("loop/by hand": how much of it
// is the general right-hand side). Then events per second.

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel.hpp>
#include <smooth/stepper.hpp>
#include "events/first_order/first_order_part.hpp"
#include "events/mechanics/mechanical_part.hpp"

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

constexpr double kGravity = 9.81, kEnd = 20.0;

struct Mechanical {
  static std::unique_ptr<events::ModePart> part(const NonSmoothDynamicalSystem& model,
                                                const EventDrivenOptions& options, Eigen::VectorXd& z) {
    auto part = std::make_unique<events::MechanicalPart>(model, model.layout(), options);
    part->set_window({});
    part->make_consistent(0.0, z, false, "bench");
    return part;
  }
  static EventDrivenOptions options() { return {}; }
};

/// Two rods of 1 m with bobs of 1 kg, angles from below; a wall that the upper angle does not reach.
struct DoublePendulum : Mechanical {
  static void mass(ConstVectorRef q, MatrixRef M) {
    const double c = std::cos(q[0] - q[1]);
    M(0, 0) = 2.0;
    M(1, 0) = M(0, 1) = c;
    M(1, 1) = 1.0;
  }
  static void force(ConstVectorRef q, ConstVectorRef v, VectorRef f) {
    const double s = std::sin(q[0] - q[1]);
    f[0] = -s * v[1] * v[1] - 2.0 * kGravity * std::sin(q[0]);
    f[1] = s * v[0] * v[0] - kGravity * std::sin(q[1]);
  }
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto rods = model.add(
        LagrangianSystem{.mass = mass,
                         .force = [](double, ConstVectorRef q, ConstVectorRef v, VectorRef f) { force(q, v, f); },
                         .q0 = {1.0, 0.5}});
    model.link(rods, LagrangianLinearRelation{.H = {{1.0, 0.0}}, .b = {4.0}}, NewtonImpactLaw{.restitution = 0.5});
    return model;
  }
  static void slope(double, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    std::array<double, 4> m{};
    std::array<double, 2> f{};
    const Eigen::Map<Eigen::Matrix2d> M(m.data());
    mass(z.head(2), Eigen::Map<Eigen::Matrix2d>(m.data()));
    force(z.head(2), z.tail(2), Eigen::Map<Eigen::Vector2d>(f.data()));
    const double determinant = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
    zdot[0] = z[2];
    zdot[1] = z[3];
    zdot[2] = (M(1, 1) * f[0] - M(0, 1) * f[1]) / determinant;
    zdot[3] = (M(0, 0) * f[1] - M(1, 0) * f[0]) / determinant;
  }
};

/// 1 kg on the wire y = x^2, held by constraints whose drift is removed: one, or the same one twice.
template <int Rows>
struct BeadOn : Mechanical {
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto bead = model.add(LagrangianLinearSystem{.force = {0.0, -kGravity}, .q0 = {1.0, 1.0}});
    for (int row = 0; row < Rows; ++row) {
      model.link(bead,
                 ScleronomousRelation{
                     .rows = 1,
                     .h = [](ConstVectorRef q, VectorRef y) { y[0] = q[1] - q[0] * q[0]; },
                     .H =
                         [](ConstVectorRef q, MatrixRef H) {
                           H(0, 0) = -2.0 * q[0];
                           H(0, 1) = 1.0;
                         },
                     .curvature = [](ConstVectorRef, ConstVectorRef v, VectorRef c) { c[0] = -2.0 * v[0] * v[0]; }},
                 EqualityLaw{});
    }
    return model;
  }
  static void slope(double, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    const double h = -2.0 * z[0], lambda = (kGravity + 2.0 * z[2] * z[2]) / (1.0 + h * h);
    zdot[0] = z[2];
    zdot[1] = z[3];
    zdot[2] = h * lambda;
    zdot[3] = lambda - kGravity;
  }
};
using BeadOnWire = BeadOn<1>;
using BeadOnTwoWires = BeadOn<2>;

/// 1 kg on a spring over a floor that it does not reach.
struct BallOnSpring : Mechanical {
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto ball = model.add(LagrangianLinearSystem{.stiffness = {{50.0}}, .force = {-kGravity}, .q0 = {1.0}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {2.0}}, NewtonImpactLaw{.restitution = 0.5});
    return model;
  }
  static void slope(double, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    zdot[0] = z[1];
    zdot[1] = -50.0 * z[0] - kGravity;
  }
};

/// The same for RadauIIA: a damper makes it stiff, 1000 1/s beside 5 1/s, and a force drives it on.
struct StiffBall : Mechanical {
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto ball =
        model.add(LagrangianLinearSystem{.damping = {{1e3}},
                                         .stiffness = {{5e3}},
                                         .force = [](double t, VectorRef f) { f[0] = 5e3 * std::cos(3.0 * t); },
                                         .q0 = {1.0}});
    model.link(ball, LagrangianLinearRelation{.H = {{1.0}}, .b = {2.0}}, NewtonImpactLaw{.restitution = 0.5});
    return model;
  }
  static void slope(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    zdot[0] = z[1];
    zdot[1] = 5e3 * (std::cos(3.0 * t) - z[0]) - 1e3 * z[1];
  }
  static EventDrivenOptions options() { return {.integrator = RadauIIA{}, .relative_tolerance = 1e-8}; }
};

/// An oscillating circuit whose diode conducts all the time, 0 <= lambda ⟂ lambda + x1 - 3 >= 0.
struct BiasedCircuit {
  static NonSmoothDynamicalSystem model() {
    NonSmoothDynamicalSystem model;
    const auto circuit = model.add(FirstOrderLinearSystem{.A = {{0.0, -1.0}, {40.0, 0.0}}, .x0 = {1.0, 0.0}});
    model.link(circuit, FirstOrderLinearRelation{.C = {{1.0, 0.0}}, .D = {{1.0}}, .B = {{0.05}, {0.0}}, .e = {-3.0}},
               ComplementarityLaw{});
    return model;
  }
  static void slope(double, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    zdot[0] = 0.05 * (3.0 - z[0]) - z[1];
    zdot[1] = 40.0 * z[0];
  }
  static std::unique_ptr<events::ModePart> part(const NonSmoothDynamicalSystem& model,
                                                const EventDrivenOptions& options, Eigen::VectorXd&) {
    auto part = std::make_unique<events::FirstOrderPart>(model, options);
    part->set_window({});
    return part;
  }
  static EventDrivenOptions options() { return {}; }
};

template <class Problem>
class ByHand final : public smooth::RightHandSide {
 public:
  explicit ByHand(Index size) : size_(size) {}
  [[nodiscard]] Index size() const override { return size_; }
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override { Problem::slope(t, z, zdot); }

 private:
  Index size_;
};

/// The mode in which the model starts.
class OfMode final : public smooth::RightHandSide {
 public:
  OfMode(std::unique_ptr<events::ModePart> part, Eigen::VectorXd z) : size_(z.size()), part_(std::move(part)) {
    std::vector<Event> log;
    good_ = static_cast<bool>(part_->resolve(0.0, z, {}, log));
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] Index size() const override { return size_; }
  void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override { part_->rates(t, z, zdot); }

 private:
  Index size_;
  std::unique_ptr<events::ModePart> part_;
  bool good_ = false;
};

/// CPU seconds of each of two runs: medians of 31 turns, one after the other so that both see the same machine.
std::array<double, 2> cpu_times_of(const std::function<void()>& first, const std::function<void()>& second) {
  std::vector<double> times[2];
  for (int i = 0; i < 32; ++i) {
    for (const int which : {0, 1}) {
      const double start = cpu_seconds();
      which == 0 ? first() : second();
      if (i > 0) times[which].push_back(cpu_seconds() - start);
    }
  }
  return {median(times[0]), median(times[1])};
}

double first_of(const State& state) { return state.positions.size() > 0 ? state.positions[0] : state.unknowns[0]; }

template <class Problem>
void smooth_phase(benchmark::State& bench) {
  const NonSmoothDynamicalSystem model = Problem::model();
  const EventDrivenOptions options = Problem::options();
  EventDriven simulation(model, options);
  const State initial = simulation.state();
  Eigen::VectorXd z(initial.positions.size() + initial.unknowns.size());
  z << initial.positions, initial.unknowns;

  RunReport report;
  const auto loop = [&] {
    simulation.set_state(initial);
    report = simulation.advance_to(kEnd);
  };
  const smooth::ErrorControl control{.relative = options.relative_tolerance, .absolute = options.absolute_tolerance};
  Index steps = 0;
  Eigen::VectorXd end;
  const auto bare = [&](smooth::Stepper& stepper) {
    stepper.start(0.0, z);
    for (steps = 0; stepper.t() < kEnd; ++steps) {
      if (stepper.advance(kEnd) != smooth::Outcome::Taken) return;
    }
    end = stepper.z();
  };
  OfMode mode(Problem::part(model, options, z), z);
  if (!mode.good()) return bench.SkipWithError("no mode");
  ByHand<Problem> by_hand(z.size());
  const auto stepper_on = [&](smooth::RightHandSide& slopes) {
    const auto* radau = std::get_if<RadauIIA>(&options.integrator);
    return radau != nullptr ? smooth::make_stepper(*radau, control, slopes)
                            : smooth::make_stepper(DormandPrince{}, control, slopes);
  };
  const auto stepper = stepper_on(mode), stepper_by_hand = stepper_on(by_hand);
  for (auto _ : bench) {
    const auto hand = cpu_times_of(loop, [&] { bare(*stepper_by_hand); });
    const auto same = cpu_times_of(loop, [&] { bare(*stepper); });
    if (!report || !simulation.events().empty() || end.size() != z.size()) return bench.SkipWithError("no smooth run");
    // Errors of steps of 1e-10 grow in some hundred of them, most in the pendulum.
    if (!(std::abs(end[0] - first_of(simulation.state())) < 1e-5)) return bench.SkipWithError("another solution");
    bench.SetIterationTime(same[0]);
    bench.counters["steps"] = static_cast<double>(report.steps);
    bench.counters["bare_steps"] = static_cast<double>(steps);
    bench.counters["ns/step"] = 1e9 * same[0] / static_cast<double>(report.steps);
    bench.counters["bare_ns/step"] = 1e9 * same[1] / static_cast<double>(steps);
    bench.counters["loop/bare"] = same[0] / same[1];
    bench.counters["loop/by_hand"] = hand[0] / hand[1];
  }
}

/// A ball that loses nothing: about 1.1 impacts a second of its time.
void bouncing_ball(benchmark::State& bench) {
  NonSmoothDynamicalSystem model;
  const auto ball = model.add(LagrangianLinearSystem{.force = {-kGravity}, .q0 = {1.0}});
  model.link(ball, LagrangianLinearRelation{.H = {{1.0}}}, NewtonImpactLaw{.restitution = 1.0});
  Index events = 0;
  for (auto _ : bench) {
    EventDriven simulation(model);
    const RunReport report = simulation.advance_to(1000.0);
    if (!report) return bench.SkipWithError("the run failed");
    events += report.events;
  }
  bench.counters["events"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK(smooth_phase<DoublePendulum>)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(smooth_phase<BeadOnWire>)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(smooth_phase<BeadOnTwoWires>)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(smooth_phase<StiffBall>)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(smooth_phase<BiasedCircuit>)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(smooth_phase<BallOnSpring>)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(bouncing_ball)->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
