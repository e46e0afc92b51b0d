// SPDX-License-Identifier: Apache-2.0
// Smooth phases beside a bare integrator: our Dormand-Prince 5 and boost::numeric::odeint's runge_kutta_dopri5 with its
// controlled stepper, the same right-hand side and tolerance. Time per evaluation of the right-hand side and time in
// all, as quotients, ours over theirs; ours also with a dense polynomial for every step, as events need it.

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/numeric/odeint.hpp>

#include <benchmarks/timing.hpp>
#include <smooth/stepper.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;

/// Two rods of length 1 m and bobs of 1 kg: angles, then angular velocities.
struct DoublePendulum {
  static constexpr Index size = 4;
  static constexpr double end = 20.0, tolerance = 1e-8;
  static double start(Index i) { return i < 2 ? 2.0 - 0.5 * static_cast<double>(i) : 0.0; }
  static void slope(const double* z, double* zdot) {
    constexpr double g = 9.81;
    const double difference = z[0] - z[1], c = std::cos(difference), s = std::sin(difference);
    const double top = -s * z[3] * z[3] - 2.0 * g * std::sin(z[0]), bottom = s * z[2] * z[2] - g * std::sin(z[1]);
    const double determinant = 2.0 - c * c;
    zdot[0] = z[2], zdot[1] = z[3];
    zdot[2] = (top - c * bottom) / determinant;
    zdot[3] = (2.0 * bottom - c * top) / determinant;
  }
};

/// zdot = second difference of z with cold ends, lengths scaled so that steps of accuracy are stable.
struct Heat {
  static constexpr Index size = 2000;
  static constexpr double end = 50.0, tolerance = 1e-8;
  static double start(Index i) { return std::sin(0.05 * static_cast<double>(i)); }
  static void slope(const double* z, double* zdot) {
    zdot[0] = z[1] - 2.0 * z[0];
    for (Index i = 1; i + 1 < size; ++i) zdot[i] = z[i - 1] - 2.0 * z[i] + z[i + 1];
    zdot[size - 1] = z[size - 2] - 2.0 * z[size - 1];
  }
};

template <class Problem>
class Ours final : public smooth::RightHandSide {
 public:
  [[nodiscard]] Index size() const override { return Problem::size; }
  void operator()(double, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override {
    Problem::slope(z.data(), zdot.data());
  }
};

/// CPU seconds of a run: the median of 31, after one that is not counted.
double cpu_time_of(const std::function<void()>& run) {
  run();
  std::vector<double> times;
  for (int i = 0; i < 31; ++i) {
    const double start = cpu_seconds();
    run();
    times.push_back(cpu_seconds() - start);
  }
  return median(times);
}

struct Run {
  double last = 0.0;  // the state's first entry at the end
  Index evaluations = 0;
};

template <class Problem>
Run run_ours(smooth::Stepper& stepper, const Eigen::VectorXd& start, bool dense) {
  const Index before = stepper.evaluations();
  stepper.start(0.0, start);
  while (stepper.t() < Problem::end) {
    if (stepper.advance(Problem::end) != smooth::Outcome::Taken) return {};
    if (dense) benchmark::DoNotOptimize(stepper.dense().coefficients.data());
  }
  return {stepper.z()[0], stepper.evaluations() - before};
}

template <class Problem>
Run run_theirs() {
  namespace odeint = boost::numeric::odeint;
  using State = std::vector<double>;
  Index evaluations = 0;
  State z(static_cast<std::size_t>(Problem::size));
  for (Index i = 0; i < Problem::size; ++i) z[static_cast<std::size_t>(i)] = Problem::start(i);
  const auto f = [&](const State& state, State& slope, double) {
    ++evaluations;
    Problem::slope(state.data(), slope.data());
  };
  odeint::integrate_adaptive(
      odeint::make_controlled(Problem::tolerance, Problem::tolerance, odeint::runge_kutta_dopri5<State>()), f, z, 0.0,
      Problem::end, 1e-3);
  return {z[0], evaluations};
}

template <class Problem>
void beside_odeint(benchmark::State& bench) {
  const auto order = static_cast<int>(bench.range(0));
  Ours<Problem> f;
  const auto stepper = smooth::make_stepper(
      DormandPrince{order}, {.relative = Problem::tolerance, .absolute = Problem::tolerance, .initial_step = 1e-3}, f);
  Eigen::VectorXd start(Problem::size);
  for (Index i = 0; i < Problem::size; ++i) start[i] = Problem::start(i);
  for (auto _ : bench) {
    Run run;
    const double bare = cpu_time_of([&] { run = run_ours<Problem>(*stepper, start, false); });
    const double dense = cpu_time_of([&] { (void)run_ours<Problem>(*stepper, start, true); });
    bench.SetIterationTime(bare);
    const auto evaluations = static_cast<double>(run.evaluations);
    bench.counters["evaluations"] = evaluations;
    bench.counters["ns/evaluation"] = 1e9 * bare / evaluations;
    bench.counters["dense/bare"] = dense / bare;
    Run their_run;
    const double theirs = cpu_time_of([&] { their_run = run_theirs<Problem>(); });
    const auto their_evaluations = static_cast<double>(their_run.evaluations);
    if (!(std::abs(run.last - their_run.last) < 1e-3)) return bench.SkipWithError("another solution");
    bench.counters["odeint_ns/evaluation"] = 1e9 * theirs / their_evaluations;
    bench.counters["ours/odeint"] = bare / theirs;
    bench.counters["ours/odeint per evaluation"] = bare / evaluations / (theirs / their_evaluations);
    bench.counters["ours with dense/odeint"] = dense / theirs;
  }
}

}  // namespace

BENCHMARK(beside_odeint<DoublePendulum>)
    ->ArgName("order")
    ->Arg(5)
    ->Arg(8)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(beside_odeint<Heat>)
    ->ArgName("order")
    ->Arg(5)
    ->Arg(8)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
