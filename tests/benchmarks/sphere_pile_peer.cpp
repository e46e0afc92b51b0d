// SPDX-License-Identifier: Apache-2.0
// Steps of 10^3 balls in a box (problems/dropped_bodies.hpp) beside those of Siconos's mechanics, where that is
// installed: in flow, and at rest. Both go on from the same state of ours, with the same h, mu, e and theta, contacts
// found and problems assembled by each itself, and both stop where the natural map with rho = 1 over |q|_2 is below
// 1e-4. That figure is then computed by one code from the problem and the answer of each step of either. Medians and
// means of CPU time a step. Exits nonzero where a step of ours fails or misses the figure.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/friction/automatic.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <nonsmooth/numerics/sets.hpp>
#include <problems/dropped_bodies.hpp>
#ifdef NONSMOOTH_HAVE_SICONOS_MECHANICS
#include <benchmarks/peer/sphere_pile.hpp>
#endif

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using problems::DroppedBodies;

constexpr double kStep = 1.0 / 240.0, kTolerance = 1e-4;
[[maybe_unused]] constexpr int kSweeps = 10'000;  // at most; its default is 1000

bool failed = false;

/// Steps that count, after some for either code to warm up.
struct Span {
  const char* name;
  Index begin, warm, steps;
};
constexpr Span kSpans[] = {{"in flow, from 0.1 s", 24, 2, 24}, {"at rest, from 3 s", 720, 2, 24}};

struct Tally {
  std::vector<double> times;  // [s]
  double contacts = 0.0, worst = 0.0, deepest = 0.0;
};

/// sqrt(sum |r - P_K(r - û)|^2) / |q|_2 over contacts of coefficients mu.
double natural_map(ConstVectorRef mu, ConstVectorRef q, ConstVectorRef r, ConstVectorRef u) {
  double squares = 0.0;
  Eigen::Vector3d error;
  for (Index i = 0; i < mu.size(); ++i) {
    const BlockSet cone{.kind = SetKind::Coulomb3D, .mu = mu[i]};
    natural_error(cone, 1.0, r.segment<3>(3 * i), u.segment<3>(3 * i), error);
    squares += error.squaredNorm();
  }
  return std::sqrt(squares) / std::max(q.norm(), 1e-300);
}

TimeStepping simulation_of(const problems::DroppedModel& scene) {
  TimeSteppingOptions options;
  options.step = kStep;
  options.solver = friction::Automatic{.tolerance = kTolerance, .measure = friction::Measure::NaturalMap};
  options.examination = Examination::Off;
  return {scene.model, options};
}

/// Gets to the start of a span quickly: 30 sweeps a step, as they are.
TimeStepping approach_of(const problems::DroppedModel& scene) {
  TimeSteppingOptions options;
  options.step = kStep;
  options.solver = friction::GaussSeidel{.tolerance = 1e-12, .max_iterations = 30, .check_every = 30};
  options.on_failure = OnFailure::Accept;
  options.examination = Examination::Off;
  return {scene.model, options};
}

/// Goes on from `state`, which becomes the end.
Tally ours(const problems::DroppedModel& scene, State& state, const Span& span) {
  TimeStepping simulation = simulation_of(scene);
  simulation.set_state(state);
  Tally tally;
  for (Index k = 0; k < span.warm + span.steps; ++k) {
    const double start = cpu_seconds();
    const StepReport report = simulation.step();
    const double time = cpu_seconds() - start;
    failed = failed || !report.taken;
    if (k < span.warm) continue;
    const OneStepNSProblem& problem = simulation.problem();
    const Index contacts = problem.num_rows() / 3;
    const Eigen::VectorXd mu = Eigen::VectorXd::Constant(contacts, DroppedBodies::friction);
    tally.times.push_back(time);
    tally.contacts += static_cast<double>(contacts);
    tally.worst = std::max(tally.worst, natural_map(mu, problem.reduced.q, problem.result.r, problem.result.u));
    tally.deepest = std::max(tally.deepest, problems::deepest(simulation.state(), *scene.contacts));
  }
  state = simulation.state();
  return tally;
}

#ifdef NONSMOOTH_HAVE_SICONOS_MECHANICS
peer::Balls balls_of(const DroppedBodies& pile, const problems::DroppedModel& scene, const State& state) {
  peer::Balls balls;
  for (const SystemHandle body : scene.bodies) {
    const auto q = state.q(body), v = state.v(body);
    balls.positions.push_back({q[0], q[1], q[2]});
    balls.orientations.push_back({q[3], q[4], q[5], q[6]});
    balls.velocities.push_back({v[0], v[1], v[2]});
    balls.spins.push_back({v[3], v[4], v[5]});
  }
  balls.radius = DroppedBodies::radius;
  balls.mass = pile.mass();
  balls.friction = DroppedBodies::friction;
  balls.gravity = DroppedBodies::gravity;
  balls.half_width = pile.half_width();
  balls.step = kStep;
  balls.tolerance = kTolerance;
  return balls;
}

Tally siconos(const DroppedBodies& pile, const problems::DroppedModel& scene, State state, const Span& span) {
  const auto other = peer::sphere_pile(balls_of(pile, scene, state), kSweeps);
  const auto view = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Index>(x.size()));
  };
  Tally tally;
  for (Index k = 0; k < span.warm + span.steps; ++k) {
    const double start = cpu_seconds();
    other->step();
    const double time = cpu_seconds() - start;
    if (k < span.warm) continue;
    const peer::Answer answer = other->answer();
    tally.times.push_back(time);
    tally.contacts += static_cast<double>(answer.mu.size());
    tally.worst = std::max(tally.worst, natural_map(view(answer.mu), view(answer.q), view(answer.r), view(answer.u)));
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      state.q(scene.bodies[i]).head<3>() = Eigen::Map<const Eigen::Vector3d>(other->position(i).data());
    tally.deepest = std::max(tally.deepest, problems::deepest(state, *scene.contacts));
  }
  return tally;
}
#endif

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void print(const char* code, const Tally& tally) {
  std::printf("  %-8s median %9.2f ms, mean %9.2f ms a step; %6.0f contacts, natural map at most %.1e, in by %.2f mm\n",
              code, 1e3 * median(tally.times), 1e3 * mean(tally.times),
              tally.contacts / static_cast<double>(tally.times.size()), tally.worst, 1e3 * tally.deepest);
}

void run(Index count) {
  const DroppedBodies pile{.kind = DroppedBodies::Kind::Spheres, .count = count};
  const problems::DroppedModel scene = dropped_model(pile);
  State state = scene.model.initial_state();
  Index now = 0;
  for (const Span& span : kSpans) {
    TimeStepping before = approach_of(scene);
    before.set_state(state);
    for (; now < span.begin; ++now) failed = !before.step().taken || failed;
    state = before.state();
    State start = state;
    const Tally own = ours(scene, state, span);
    now += span.warm + span.steps;
    std::printf("%td balls %s\n", count, span.name);
    print("ours", own);
    failed = failed || !(own.worst <= kTolerance);
#ifdef NONSMOOTH_HAVE_SICONOS_MECHANICS
    const Tally theirs = siconos(pile, scene, std::move(start), span);
    print("Siconos", theirs);
    std::printf("  ratio of medians %.1f, of means %.1f\n", median(theirs.times) / median(own.times),
                mean(theirs.times) / mean(own.times));
#endif
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--benchmark_list_tests") {  // as the other programs that measure
    std::puts("100, 1000");
    return 0;
  }
  use_one_blas_thread();
#ifndef NONSMOOTH_HAVE_SICONOS_MECHANICS
  std::puts("Siconos's mechanics (libsiconos-mechanics-dev) is not installed: ours alone.");
#endif
  for (const Index count : {100, 1000}) run(count);
  return failed ? 1 : 0;
}
