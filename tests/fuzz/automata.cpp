// SPDX-License-Identifier: Apache-2.0
// fuzz_automata [instances] [seed] [first]: random hybrid automata (two states, three modes with affine fields, five
// transitions with planes as guards, some with resets) by events, against an independent simulation: Runge-Kutta steps
// of 1e-4, transitions found by bisection.
//
// Fails where the sequence of transitions differs, an instant by more than 1e-6 or x at the end by more than 1e-6, or
// where one of both tells several transitions at once or a cycle without end and the other does not. Instance k alone:
// fuzz_automata 1 SEED k. Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel.hpp>

#include "judge.hpp"

namespace {

using namespace nonsmooth;
using Eigen::Vector2d;

constexpr double kEnd = 3.0, kStep = 1e-4, kAgrees = 1e-6;
constexpr int kModes = 3, kTransitions = 5;
/// Of a guard: zero, as bisection leaves it.
constexpr double kZero = 1e-11;
constexpr std::size_t kMostAtOnce = 50, kMost = 3000;

struct Transition {
  int from = 0, to = 0;
  Vector2d a;
  double level = 0.0;
  double factor = 1.0;  ///< x := factor x
  [[nodiscard]] double guard(const Vector2d& x) const { return a.dot(x) - level; }
};
struct Automaton {
  std::vector<Eigen::Matrix2d> A;
  std::vector<Vector2d> b;
  std::vector<Transition> transitions;
  Vector2d x0;

  [[nodiscard]] Vector2d field(int mode, const Vector2d& x) const {
    const auto m = static_cast<std::size_t>(mode);
    return A[m] * x + b[m];
  }
  [[nodiscard]] Vector2d step(int mode, const Vector2d& x, double h) const {
    const Vector2d k1 = field(mode, x), k2 = field(mode, x + 0.5 * h * k1), k3 = field(mode, x + 0.5 * h * k2),
                   k4 = field(mode, x + h * k3);
    return x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  [[nodiscard]] bool crosses(int mode, const Vector2d& x) const {
    return std::any_of(transitions.begin(), transitions.end(),
                       [&](const Transition& one) { return one.from == mode && one.guard(x) > 0.0; });
  }
};

Automaton random_automaton(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> mode(0, kModes - 1), reset(0, 3);
  Automaton result;
  for (int m = 0; m < kModes; ++m) {
    Eigen::Matrix2d A;
    for (double& entry : A.reshaped()) entry = normal(random);
    result.A.push_back(A - 1.5 * Eigen::Matrix2d::Identity());
    const double first = 2.0 * normal(random);
    result.b.emplace_back(first, 2.0 * normal(random));
  }
  for (int k = 0; k < kTransitions; ++k) {
    Transition one;
    one.from = k < kModes ? k : mode(random);
    one.to = mode(random);
    one.a[0] = normal(random);
    one.a[1] = normal(random);
    one.level = 0.3 + std::abs(normal(random));
    const int kind = reset(random);
    one.factor = kind == 1 ? 0.5 : kind == 2 ? -1.0 : 1.0;
    result.transitions.push_back(one);
  }
  result.x0[0] = 0.1 * normal(random);
  result.x0[1] = 0.1 * normal(random);
  return result;
}

HybridAutomaton description(const Automaton& automaton) {
  HybridAutomaton result{.x0 = {automaton.x0[0], automaton.x0[1]}};
  for (int m = 0; m < kModes; ++m) {
    result.modes.push_back(
        {.name = "mode " + std::to_string(m),
         .f = [&automaton, m](double, ConstVectorRef x, VectorRef f) { f = automaton.field(m, x); }});
  }
  for (const Transition& one : automaton.transitions) {
    AutomatonTransition transition{.from = "mode " + std::to_string(one.from),
                                   .to = "mode " + std::to_string(one.to),
                                   .guard = {.value = [one](double, ConstVectorRef x) { return one.guard(x); }}};
    if (one.factor != 1.0) transition.reset = [one](double, VectorRef x) { x *= one.factor; };
    result.transitions.push_back(transition);
  }
  return result;
}

struct Run {
  RunReport::Outcome outcome = RunReport::Outcome::Completed;
  double t = 0.0;
  Vector2d x;
  std::vector<std::pair<double, int>> transitions;
};

/// All transitions at one instant. False: the run ends there.
bool take(const Automaton& automaton, int& mode, Run& run) {
  for (std::size_t count = 0;; ++count) {
    int taken = -1;
    for (int k = 0; k < kTransitions; ++k) {
      const Transition& one = automaton.transitions[static_cast<std::size_t>(k)];
      const double g = one.guard(run.x);
      if (one.from != mode || g < -kZero || (g <= kZero && !(one.a.dot(automaton.field(mode, run.x)) > 0.0))) continue;
      if (taken >= 0) {
        const Transition& other = automaton.transitions[static_cast<std::size_t>(taken)];
        if (one.to != other.to || one.factor != other.factor) {
          run.outcome = RunReport::Outcome::Ambiguous;
          return false;
        }
        continue;
      }
      taken = k;
    }
    if (taken < 0) return true;
    if (count == kMostAtOnce || run.transitions.size() == kMost) {
      run.outcome = RunReport::Outcome::Chattering;
      return false;
    }
    const Transition& one = automaton.transitions[static_cast<std::size_t>(taken)];
    run.x *= one.factor;
    mode = one.to;
    run.transitions.emplace_back(run.t, taken);
  }
}

Run independent(const Automaton& automaton) {
  Run run{.x = automaton.x0, .transitions = {}};
  int mode = 0;
  while (take(automaton, mode, run) && run.t < kEnd - 1e-12) {
    double h = std::min(kStep, kEnd - run.t);
    Vector2d next = automaton.step(mode, run.x, h);
    if (automaton.crosses(mode, next)) {
      double low = 0.0, high = h;
      for (int pass = 0; pass < 60; ++pass) {
        const double middle = 0.5 * (low + high);
        (automaton.crosses(mode, automaton.step(mode, run.x, middle)) ? high : low) = middle;
      }
      h = high;
      next = automaton.step(mode, run.x, h);
    }
    run.x = next;
    run.t += h;
  }
  return run;
}

Run by_events(const Automaton& automaton) {
  NonSmoothDynamicalSystem model;
  const SystemHandle system = model.add(description(automaton));
  EventDriven simulation(model);
  const RunReport report = simulation.advance_to(kEnd);
  Run run{.outcome = report.outcome, .t = report.t, .x = simulation.state().x(system).head(2), .transitions = {}};
  for (const Event& event : simulation.events()) {
    if (event.kind == EventKind::Transition) run.transitions.emplace_back(event.t, static_cast<int>(event.row));
  }
  return run;
}

/// Empty: they agree.
std::string difference(const Run& one, const Run& other) {
  if (one.outcome != other.outcome)
    return "outcomes " + std::to_string(static_cast<int>(one.outcome)) + " and " +
           std::to_string(static_cast<int>(other.outcome));
  if (std::abs(one.t - other.t) > kAgrees)
    return "ends at " + std::to_string(one.t) + " and " + std::to_string(other.t);
  if (one.outcome == RunReport::Outcome::Chattering) return {};  // how far each follows it
  if (one.transitions.size() != other.transitions.size()) return "numbers of transitions";
  for (std::size_t k = 0; k < one.transitions.size(); ++k) {
    const auto& [t, row] = one.transitions[k];
    const auto& [t_other, row_other] = other.transitions[k];
    if (row != row_other || std::abs(t - t_other) > kAgrees) return "transition " + std::to_string(k);
  }
  return (one.x - other.x).norm() > kAgrees ? "x at the end" : "";
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = fuzz::arguments("fuzz_automata", 100, 0, argc, argv);
  if (!arguments) return 2;
  long failed = 0, told = 0, transitions = 0;
  for (long k = arguments->first; k < arguments->first + arguments->instances; ++k) {
    std::mt19937_64 random(arguments->seed * 1'000'003 + static_cast<std::uint64_t>(k));
    const Automaton automaton = random_automaton(random);
    std::string found;
    try {
      const Run own = by_events(automaton);
      found = difference(own, independent(automaton));
      told += own.outcome == RunReport::Outcome::Completed ? 0 : 1;
      transitions += static_cast<long>(own.transitions.size());
    } catch (const std::exception& error) {
      found = error.what();
    }
    if (found.empty()) continue;
    std::cout << "instance " << k << ": " << found << '\n';
    ++failed;
  }
  std::cout << arguments->instances << " instances from seed " << arguments->seed << ", " << transitions
            << " transitions, " << told << " ended before T, " << failed << " differ"
            << (failed == 0 ? ": ok\n" : ": FAILED\n");
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
