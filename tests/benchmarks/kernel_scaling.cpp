// SPDX-License-Identifier: Apache-2.0
// What a step costs as models grow: chains of 10^2 to 10^5 balls on 1 and 2 threads, an elastic bar of 10^5
// coordinates beside one bare solve with the same factors, a column of rubber of 10^5 coordinates beside one bare
// factorisation, a field of 10^5 states that reacts and diffuses, 10^2 and 10^3 rectifiers, whose diodes are asked in
// one loop or, as a user's law is, one by one, 10^4 bodies under loads, and one body that tumbles for 10^6 steps. Exits
// nonzero where momentum, contact force, voltages, fronts, oscillations, the length of the quaternion or the hash of
// the state are wrong; never because a figure is bad.

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <problems/elastic_block.hpp>
#include <problems/travelling_front.hpp>
#include <support/resident_memory.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

bool failed = false;

void fail(benchmark::State& bench, const std::string& message) {
  failed = true;
  bench.SkipWithError(message.c_str());
}

enum class Chain : int { Springs, Impacts };

/// Balls of 1 kg in a row, one coordinate each, random velocities of up to 1 m/s, gaps of up to `gap`: between
/// neighbours springs that push only (1000 N/m) or impacts with e = 0.5. No force from outside: momentum stays.
NonSmoothDynamicalSystem chain(Index count, Chain kind, double gap) {
  NonSmoothDynamicalSystem model;
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(random() >> 11);
  };
  std::vector<SystemHandle> balls;
  double position = 0.0;
  for (Index i = 0; i < count; ++i) {
    position += uniform(0.0, gap);
    balls.push_back(model.add(LagrangianLinearSystem{.q0 = {position}, .v0 = {uniform(-1.0, 1.0)}}));
  }
  for (std::size_t i = 0; i + 1 < balls.size(); ++i) {
    const std::vector<SystemHandle> pair{balls[i], balls[i + 1]};
    if (kind == Chain::Springs) {
      model.link(pair, LagrangianLinearRelation{.H = {{-1.0, 1.0}}, .compliance = {{1e-3}}}, ComplementarityLaw{});
    } else {
      model.link(pair, LagrangianLinearRelation{.H = {{-1.0, 1.0}}}, NewtonImpactLaw{.restitution = 0.5});
    }
  }
  return model;
}

std::map<std::pair<int, Index>, std::uint64_t> hashes;  // of the first run of each kind and size

void chain_of_balls(benchmark::State& bench) {
  const auto kind = static_cast<Chain>(bench.range(0));
  const int threads = static_cast<int>(bench.range(1));
  const Index count = bench.range(2);
  constexpr Index kWarm = 5, kSteps = 55;
  for (auto _ : bench) {
    const auto building = Clock::now();
    TimeStepping simulation{chain(count, kind, 0.01), {.step = 5e-3, .threads = threads}};
    const double before = simulation.state().unknowns.sum();
    const double built = seconds(building);
    std::vector<double> times, cpu, rows, iterations;
    for (Index k = 0; k < kSteps; ++k) {
      const auto start = Clock::now();
      const double cpu_start = cpu_seconds();
      const StepReport report = simulation.step();
      const double cpu_time = cpu_seconds() - cpu_start, time = seconds(start);
      if (!report) return fail(bench, report.message());
      if (k < kWarm) continue;
      times.push_back(time);
      cpu.push_back(cpu_time);
      rows.push_back(static_cast<double>(report.rows));
      iterations.push_back(static_cast<double>(report.solver_iterations));
    }
    const auto balls = static_cast<double>(count);
    // Each of kSteps steps rounds each velocity a few times.
    if (!(std::abs(simulation.state().unknowns.sum() - before) <= 1e-14 * static_cast<double>(kSteps) * balls))
      return fail(bench, "momentum is not kept");
    const std::uint64_t bits = hash_of(simulation.state());
    if (hashes.emplace(std::pair(static_cast<int>(kind), count), bits).first->second != bits)
      return fail(bench, "the state depends on the number of threads");
    char text[32];
    std::snprintf(text, sizeof text, "%016" PRIx64, bits);
    bench.SetLabel(std::string(kind == Chain::Springs ? "springs" : "impacts") + ", hash " + text);
    bench.SetIterationTime(median(times));
    bench.counters["ns/(ball*step)"] = 1e9 * median(times) / balls;
    if (threads == 1) bench.counters["cpu_ns/(ball*step)"] = 1e9 * median(cpu) / balls;
    bench.counters["build_us/ball"] = 1e6 * built / balls;
    bench.counters["contacts"] = median(rows);
    bench.counters["iterations"] = median(iterations);
  }
}

/// The bar of examples/impacting_bar, at the wall from the beginning; h = the time a wave takes through an element.
void impacting_bar(benchmark::State& bench) {
  constexpr double E = 210e9, density = 7800.0, L = 1.0, S = 3.14e-4, speed = 0.1;
  const Index n = bench.range(0), elements = n - 1;
  const double l = L / static_cast<double>(elements), c = std::sqrt(E / density), h = l / c, k = E * S / l,
               m = density * S * l, theta = 0.5;
  std::vector<Eigen::Triplet<double>> stiffness, mass;
  for (Index e = 0; e < elements; ++e) {
    for (const Index a : {e, e + 1}) {
      for (const Index b : {e, e + 1}) {
        stiffness.emplace_back(a, b, a == b ? k : -k);
        mass.emplace_back(a, b, a == b ? m / 3 : m / 6);
      }
    }
  }
  Eigen::SparseMatrix<double> K(n, n), M(n, n);
  K.setFromTriplets(stiffness.begin(), stiffness.end());
  M.setFromTriplets(mass.begin(), mass.end());
  for (auto _ : bench) {
    NonSmoothDynamicalSystem model;
    const auto bar = model.add(LagrangianLinearSystem{
        .mass = M, .stiffness = K, .q0 = Eigen::VectorXd::Zero(n), .v0 = Eigen::VectorXd::Constant(n, -speed)});
    const auto wall = model.link(bar, LagrangianLinearRelation{.H = Eigen::RowVectorXd::Unit(n, 0)}, NewtonImpactLaw{});
    TimeStepping simulation{model, {.integrator = MoreauJean{.theta = theta}, .step = h}};
    SparseFactorization factor(Structure::General, Backend::Automatic);
    if (!factor.factorize(M + h * h * theta * theta * K)) return fail(bench, "the iteration matrix is singular");
    Eigen::VectorXd b = M * Eigen::VectorXd::Ones(n);

    std::vector<double> steps, solves;
    const auto preparing = Clock::now();
    if (const auto report = simulation.step(); !report) return fail(bench, report.message());
    const double first = seconds(preparing);
    double force = 0.0;
    constexpr Index kSteps = 201;
    for (Index i = 1; i <= kSteps; ++i) {  // in turn, so that both see the same machine
      const double start = cpu_seconds();
      const StepReport report = simulation.step();
      steps.push_back(cpu_seconds() - start);
      if (!report) return fail(bench, report.message());
      const double solving = cpu_seconds();
      factor.solve_in_place(b);
      solves.push_back(cpu_seconds() - solving);
      if (i > kSteps - 100) force += simulation.state().force(wall)[0] / 100.0;
    }
    benchmark::DoNotOptimize(b.data());
    // S E v / c, about which the end node rings; after 100 steps by less than a hundredth.
    const double exact = S * E * speed / c;
    if (!(std::abs(force - exact) <= 0.01 * exact)) return fail(bench, "contact force " + std::to_string(force));
    bench.SetLabel(std::string(factor.backend()));
    bench.SetIterationTime(median(steps));
    bench.counters["solve_us"] = 1e6 * median(solves);
    bench.counters["step/solve"] = median(steps) / median(solves);
    bench.counters["first_step_ms"] = 1e3 * first;
  }
}

/// A column of rubber, 8 cells wide and as long as it takes, stands up on its foot: finite elements of finite strain.
void rubber_column(benchmark::State& bench) {
  constexpr double h = 0.01, gravity = 1.0;
  problems::ElasticBlock block{.columns = 8, .width = 0.8, .mu = 1e4, .lambda = 1e4};
  block.rows = bench.range(0) / 18;
  block.height = 0.1 * static_cast<double>(block.rows);
  const SparseLagrangianSystem system = block.system(gravity);
  const auto unknowns = static_cast<double>(block.num_unknowns());
  for (auto _ : bench) {
    NonSmoothDynamicalSystem model;
    const auto column = model.add(system);
    const auto floor = model.link(column, block.on_floor(0.0, true), NewtonImpactFrictionLaw{.friction = 0.3});
    // Rounding of places up to 600 m, of 0.1 m of a cell, makes 1e-9 of the velocities.
    TimeStepping simulation{model, {.step = h, .newton = {.tolerance = 1e-7}}};
    const Eigen::SparseMatrix<double>& M = *system.mass.sparse();
    Eigen::SparseMatrix<double> K = system.pattern.zeros();
    SparseEntries entries(system.pattern, Eigen::Map<Eigen::VectorXd>(K.valuePtr(), K.nonZeros()));
    system.internal_dq(0.0, system.q0.value(), Eigen::VectorXd::Zero(M.cols()), entries);
    const Eigen::SparseMatrix<double> A = M + 0.25 * h * h * K;
    SparseFactorization factor(Structure::SymmetricPositiveDefinite);
    if (!factor.factorize(A)) return fail(bench, "A is not positive definite");

    std::vector<double> steps, factorisations, newton;
    Eigen::VectorXd before = M * simulation.state().v(column);
    for (Index i = 0; i < 25; ++i) {  // in turn, so that both see the same machine
      const double start = cpu_seconds();
      const StepReport report = simulation.step();
      const double time = cpu_seconds() - start;
      if (!report) return fail(bench, report.message());
      const double factoring = cpu_seconds();
      if (!factor.factorize(A)) return fail(bench, "A is not positive definite");
      if (i >= 5) {
        steps.push_back(time);
        factorisations.push_back(cpu_seconds() - factoring);
        newton.push_back(static_cast<double>(report.newton_iterations));
      }
      // Weight and floor alone change the momentum, to that.
      const Eigen::VectorXd p = simulation.state().impulse(floor), after = M * simulation.state().v(column);
      double gain = h * gravity * block.mass();
      for (Index k = 0; k < p.size(); k += 2) gain -= p[k];
      for (Index k = 1; k < after.size(); k += 2) gain += after[k] - before[k];
      if (!(std::abs(gain) <= 1e-7 * h * gravity * block.mass())) return fail(bench, "momentum is not balanced");
      before = after;
    }
    bench.SetLabel(std::string(factor.backend()));
    bench.SetIterationTime(median(steps));
    bench.counters["us/(dof*newton)"] = 1e6 * median(steps) / (unknowns * median(newton));
    bench.counters["newton"] = median(newton);
    bench.counters["factor_us"] = 1e6 * median(factorisations);
    bench.counters["step/factor"] = median(steps) / median(factorisations);
    bench.counters["MB"] = 1e-6 * test::resident_memory();
  }
}

/// A front that travels through a field of as many unknowns as it takes, on a line, with a sparse df/dx that varies.
void travelling_front(benchmark::State& bench) {
  const auto front = std::make_shared<const problems::TravellingFront>(bench.range(0));
  constexpr double h = 0.1;
  for (auto _ : bench) {
    NonSmoothDynamicalSystem model;
    const auto field = model.add(front);
    TimeStepping simulation{model, {.step = h}};
    std::vector<double> steps, newton;
    for (Index i = 0; i < 25; ++i) {
      const double start = cpu_seconds();
      const StepReport report = simulation.step();
      const double time = cpu_seconds() - start;
      if (!report) return fail(bench, report.message());
      if (i < 5) continue;
      steps.push_back(time);
      newton.push_back(static_cast<double>(report.newton_iterations));
    }
    const double T = simulation.state().t;
    const double error = (simulation.state().x(field) - front->at(T)).lpNorm<Eigen::Infinity>();
    if (!(error <= front->largest_error(h, T) + 25 * 1e-9)) return fail(bench, "the front is not where it should be");
    bench.SetIterationTime(median(steps));
    bench.counters["us/(dof*newton)"] = 1e6 * median(steps) / (static_cast<double>(bench.range(0)) * median(newton));
    bench.counters["newton"] = median(newton);
    bench.counters["MB"] = 1e-6 * test::resident_memory();
  }
}

/// Shockley's diode as a user's law.
class UsersDiode final : public NonSmoothLaw {
 public:
  [[nodiscard]] LawShape shape(LawUse use) const override { return law_->shape(use); }
  void block(const LawContext& context, LawBlock& block) const override { law_->block(context, block); }
  [[nodiscard]] double newton_error(double tolerance, const LawContext& context, const LawBlock& block) const override {
    return law_->newton_error(tolerance, context, block);
  }

 private:
  std::shared_ptr<const NonSmoothLaw> law_ = make_law(ShockleyLaw{});
};

/// C x' = i - x / R behind a diode and R_s, fed by 10 V at 50 Hz, `count` times.
NonSmoothDynamicalSystem rectifiers(Index count, const Law& law) {
  constexpr double R = 100.0, Rs = 1.0, C = 1e-3;
  NonSmoothDynamicalSystem model;
  const FirstOrderLinearRelation relation{.C = {{1.0}}, .D = {{Rs}}, .B = {{1.0 / C}}, .e = [](double t, VectorRef e) {
                                            e[0] = -10.0 * std::sin(314.15926535897931 * t);
                                          }};
  for (Index i = 0; i < count; ++i)
    model.link(model.add(FirstOrderLinearSystem{.A = {{-1.0 / (R * C)}}, .x0 = {0.0}}), relation, law);
  return model;
}

std::map<Index, std::uint64_t> rectified;  // hash of the first run of each size

void row_of_rectifiers(benchmark::State& bench) {
  const bool users = bench.range(0) == 1;
  const Index count = bench.range(1);
  const Law law = users ? Law(std::make_shared<const UsersDiode>()) : Law(ShockleyLaw{});
  const TimeSteppingOptions options{.integrator = EulerMoreau{.theta = 1.0}, .step = 2e-4};
  constexpr Index kWarm = 5, kSteps = 55;
  for (auto _ : bench) {
    TimeStepping simulation{rectifiers(count, law), options}, one{rectifiers(1, law), options};
    std::vector<double> times, newton;
    for (Index k = 0; k < kSteps; ++k) {
      const double start = cpu_seconds();
      const StepReport report = simulation.step();
      const double time = cpu_seconds() - start;
      if (!report) return fail(bench, report.message());
      if (const StepReport alone = one.step(); !alone) return fail(bench, alone.message());
      if (k < kWarm) continue;
      times.push_back(time);
      newton.push_back(static_cast<double>(report.newton_iterations));
    }
    // Both are within Newton's tolerance, 1e-9 of 10 V and 10 A, in each step; the circuit forgets.
    const double off = (simulation.state().unknowns.array() - one.state().unknowns[0]).abs().maxCoeff();
    if (!(off <= 1e-6)) return fail(bench, "a rectifier in the row is not one alone, by " + std::to_string(off) + " V");
    const std::uint64_t bits = hash_of(simulation.state());
    if (rectified.emplace(count, bits).first->second != bits) return fail(bench, "a user's diode has other bits");
    bench.SetLabel(users ? "a user's law" : "ShockleyLaw");
    bench.SetIterationTime(median(times));
    bench.counters["ns/(diode*step)"] = 1e9 * median(times) / static_cast<double>(count);
    bench.counters["newton"] = median(newton);
  }
}

enum class Bodies : int { Plane, Space, Free };

/// A body of 2 kg, at (1, 0) with 0.5 m/s across: on a spring of 8 N/m to the origin, or without a load, turning with
/// an explicit gyroscopic moment.
SystemHandle add_body(NonSmoothDynamicalSystem& model, Bodies kind) {
  const PointSpring spring{.stiffness = 8.0};
  if (kind == Bodies::Plane) {
    return model.add(PlanarBody{
        .mass = 2.0, .position = {1.0, 0.0}, .velocity = {0.0, 0.5}, .angular_velocity = 1.0, .loads = {spring}});
  }
  RigidBody body{.mass = 2.0,
                 .inertia = Eigen::Vector3d(1.0, 1.4, 1.9).asDiagonal(),
                 .position = {1.0, 0.0, 0.0},
                 .velocity = {0.0, 0.5, 0.0},
                 .angular_velocity = {0.9, -1.6, 1.3},
                 .gyroscopic = kind == Bodies::Free ? GyroscopicTerm::Explicit : GyroscopicTerm::Implicit};
  if (kind == Bodies::Space) body.loads = {spring};
  return model.add(body);
}

void bodies_under_loads(benchmark::State& bench) {
  const auto kind = static_cast<Bodies>(bench.range(0));
  const Index count = bench.range(1);
  constexpr double h = 1e-2, omega = 2.0;
  constexpr Index kWarm = 5, kSteps = 55;
  for (auto _ : bench) {
    NonSmoothDynamicalSystem model;
    SystemHandle last;
    for (Index i = 0; i < count; ++i) last = add_body(model, kind);
    TimeStepping simulation{model, {.step = h}};
    std::vector<double> times, newton;
    for (Index k = 0; k < kSteps; ++k) {
      const double start = cpu_seconds();
      const StepReport report = simulation.step();
      const double time = cpu_seconds() - start;
      if (!report) return fail(bench, report.message());
      if (k < kWarm) continue;
      times.push_back(time);
      newton.push_back(static_cast<double>(report.newton_iterations));
    }
    // The trapezoidal rule turns (q, v / omega) by 2 atan(omega h / 2) a step, to Newton's 1e-10 or so.
    const double angle = 2.0 * std::atan(0.5 * omega * h) * static_cast<double>(kSteps);
    const bool free = kind == Bodies::Free;
    const Eigen::Vector2d expected(free ? 1.0 : std::cos(angle),
                                   free ? 0.5 * h * static_cast<double>(kSteps) : 0.5 / omega * std::sin(angle));
    const double off = (simulation.state().q(last).head<2>() - expected).norm();
    if (!(off <= 1e-10 * static_cast<double>(kSteps))) return fail(bench, "off by " + std::to_string(off) + " m");
    bench.SetLabel(kind == Bodies::Plane   ? "in the plane, a spring each"
                   : kind == Bodies::Space ? "in space, a spring each"
                                           : "in space, free, explicit gyroscopic moment");
    bench.SetIterationTime(median(times));
    bench.counters["ns/(body*step)"] = 1e9 * median(times) / static_cast<double>(count);
    bench.counters["newton"] = median(newton);
  }
}

/// A free asymmetric body: |Q| stays 1 to round-off, and theta = 1/2 keeps |J Omega|^2 + h^2 / 4 |Omega x J Omega|^2.
void tumbling_body(benchmark::State& bench) {
  const Index steps = bench.range(0);
  constexpr double h = 1e-2, kEps = std::numeric_limits<double>::epsilon();
  const Eigen::Vector3d J(1.0, 2.0, 2.7);
  for (auto _ : bench) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(RigidBody{.inertia = J.asDiagonal(), .angular_velocity = {0.7, 0.0, 1.5}});
    TimeStepping simulation{model, {.step = h}};
    const auto kept = [&] {
      const Eigen::Vector3d w = simulation.state().v(body).tail<3>(), L = J.cwiseProduct(w);
      const Eigen::Vector3d moment(w[1] * L[2] - w[2] * L[1], w[2] * L[0] - w[0] * L[2], w[0] * L[1] - w[1] * L[0]);
      return L.squaredNorm() + 0.25 * h * h * moment.squaredNorm();
    };
    const double at_first = kept(), start = cpu_seconds();
    double worst = 0.0;
    for (Index k = 0; k < steps; ++k) {
      if (const StepReport report = simulation.step(); !report) return fail(bench, report.message());
      worst = std::max(worst, std::abs(simulation.state().q(body).tail<4>().norm() - 1.0));
    }
    const double time = cpu_seconds() - start, drift = std::abs(kept() / at_first - 1.0);
    if (!(worst <= 8.0 * kEps)) return fail(bench, "a quaternion off its length by " + std::to_string(worst));
    if (!(drift <= 16.0 * kEps * static_cast<double>(steps))) return fail(bench, "a moment that is not kept");
    bench.SetIterationTime(time);
    bench.counters["ns/step"] = 1e9 * time / static_cast<double>(steps);
    bench.counters["length off, eps"] = worst / kEps;
    bench.counters["moment off, eps"] = drift / kEps;
  }
}

}  // namespace

BENCHMARK(chain_of_balls)
    ->ArgNames({"impacts", "threads", "balls"})
    ->ArgsProduct({{0, 1}, {1, 2}, {100, 1'000, 10'000, 100'000}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(impacting_bar)
    ->ArgName("dof")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(rubber_column)
    ->ArgName("dof")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK(travelling_front)
    ->ArgName("states")
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(row_of_rectifiers)
    ->ArgNames({"users", "rectifiers"})
    ->ArgsProduct({{0, 1}, {100, 1'000}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK(bodies_under_loads)
    ->ArgNames({"kind", "bodies"})
    ->ArgsProduct({{0, 1, 2}, {10'000}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK(tumbling_body)
    ->ArgName("steps")
    ->Arg(1'000'000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return failed ? 1 : 0;
}
