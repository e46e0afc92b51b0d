// SPDX-License-Identifier: Apache-2.0
// Elastic bodies on a rigid stop under every scheme that takes them: a block of rubber of 10^4 unknowns (how often its
// matrices are ordered and factored, what a step costs), one of 10^3 through its rebound, a bar and a beam beside their
// exact forces. `bench_elastic_schemes --write docs/schemes.md` renews the tables of that page, or the one that is
// named.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <nonsmooth/kernel/energies.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/laws.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <problems/elastic_block.hpp>
#include <problems/elastic_impacts.hpp>
#include <support/cholmod_calls.hpp>
#include <support/document_table.hpp>

#include "timing.hpp"

namespace {

using namespace nonsmooth;

struct Scheme {
  const char* name;
  Integrator integrator;
};

std::vector<Scheme> schemes() {
  return {{"MoreauJean", MoreauJean{}},
          {"SchatzmanPaoli", SchatzmanPaoli{}},
          {"StewartTrinkle", StewartTrinkle{}},
          {"StewartTrinkle, theta = 1/2", StewartTrinkle{.theta = 0.5}},
          {"D1MinusLinear", D1MinusLinear{}},
          {"GeneralisedAlpha", GeneralisedAlpha{}},
          {"GeneralisedAlpha, rho = 1", GeneralisedAlpha{1.0}}};
}

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, format, values...);
  std::cout << text << std::flush;
  return text;
}

/// 71 x 71 nodes fall on a floor and are pressed flat below, 71 contacts without friction.
std::string block_table() {
  const problems::ElasticBlock block{.columns = 70, .rows = 70};
  constexpr double h = 1e-3, gravity = 2.0, speed = 0.5;
  constexpr int kSteps = 100;
  SparseLagrangianSystem system = block.system(gravity);
  Eigen::VectorXd q = block.rest(), v = Eigen::VectorXd::Zero(q.size());
  for (Index k = 0; k < block.num_nodes(); ++k) q[2 * k + 1] += 0.0101, v[2 * k + 1] = -speed;
  system.q0 = q;
  system.v0 = v;
  const Eigen::SparseMatrix<double> M = *system.mass.sparse();
  std::string text = line(
      "| scheme | orderings | factorisations | iterations a step | ms a step | impulse of the floor [N s] | deepest "
      "[m] | "
      "energy |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Scheme& scheme : schemes()) {
    NonSmoothDynamicalSystem model;
    const auto body = model.add(system);
    const auto floor = model.link(body, block.on_floor(0.0, false), NewtonImpactLaw{});
    TimeStepping simulation(model, {.integrator = scheme.integrator, .step = h});
    const auto energy = [&] {
      const Eigen::VectorXd now = simulation.state().v(body);
      return 0.5 * now.dot(M * now) + system.potential(simulation.state().q(body));
    };
    const double start = energy();
    test::cholmod_calls = {};
    std::vector<double> times;
    long long iterations = 0;
    double impulse = 0.0, deepest = 0.0;
    for (int k = 0; k < kSteps; ++k) {
      const double before = benchmarks::cpu_seconds();
      const StepReport report = simulation.step();
      times.push_back(benchmarks::cpu_seconds() - before);
      if (!report) {
        line("%s: %s\n", scheme.name, report.message().c_str());
        break;
      }
      iterations += report.newton_iterations;
      impulse += simulation.state().impulse(floor).sum();
      deepest = std::max(deepest, -simulation.state().y(floor).minCoeff());
    }
    text +=
        line("| %s | %lld | %lld | %.1f | %.0f | %.4f | %.0e | %+.1e |\n", scheme.name, test::cholmod_calls.orderings,
             test::cholmod_calls.factorisations, static_cast<double>(iterations) / kSteps,
             1e3 * benchmarks::median(times), impulse, deepest, energy() / start - 1.0);
  }
  return text;
}

/// What a block of 10^3 unknowns takes along when it leaves the floor that it flew against.
struct Rebound {
  double ends = 0.0;      ///< the last instant of contact [s]
  double impulse = 0.0;   ///< of the floor [N s]
  double shortest = 1.0;  ///< height of its middle column [m]
  double speed = 0.0;     ///< of its centre at the end [m/s]
  double energy = 0.0;    ///< at the end, of that at the start [-]
  double gained = 0.0;    ///< the largest energy, of that at the start, less 1 [-]
  double swings = 0.0;    ///< energy that is not its centre's at the end, of that at the start [-]
};

Rebound rebound(const Scheme& scheme, double h) {
  const problems::ElasticBlock block{.columns = 20, .rows = 20};
  constexpr double speed = 0.5, T = 1.8;
  SparseLagrangianSystem system = block.system(0.0);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(block.num_unknowns());
  for (Index k = 0; k < block.num_nodes(); ++k) v[2 * k + 1] = -speed;
  system.q0 = block.rest();
  system.v0 = v;
  const Eigen::SparseMatrix<double> M = *system.mass.sparse();
  const Eigen::VectorXd momentum = M * v / -speed;  // of 1 m/s upwards
  NonSmoothDynamicalSystem model;
  const auto body = model.add(system);
  const auto floor = model.link(body, block.on_floor(0.0, false), NewtonImpactLaw{});
  TimeStepping simulation(model, {.integrator = scheme.integrator, .step = h});
  const double start = 0.5 * block.mass() * speed * speed;
  const Index top = 2 * block.node(10, 20) + 1, bottom = 2 * block.node(10, 0) + 1;
  Rebound result;
  const RunReport report = simulation.advance_to(T, [&](const State& x) {
    const Eigen::VectorXd now = x.v(body);
    const double p = x.impulse(floor).sum();
    result.energy = (0.5 * now.dot(M * now) + system.potential(x.q(body))) / start;
    result.gained = std::max(result.gained, result.energy - 1.0);
    result.shortest = std::min(result.shortest, x.q(body)[top] - x.q(body)[bottom]);
    result.impulse += p;
    if (p > 0.0) result.ends = x.t;
  });
  if (!report) line("%s: %s\n", scheme.name, report.message().c_str());
  result.speed = momentum.dot(simulation.state().v(body)) / block.mass();
  result.swings = result.energy - result.speed * result.speed / (speed * speed);
  return result;
}

/// Down, pressed, up again and away, without gravity.
std::string rebound_table() {
  constexpr double h = 4e-3;
  std::string text = line(
      "| scheme | shortest [m] | contact ends [s] | impulse [N s] | leaves at [m/s] | energy | of it swings | largest "
      "gain |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Scheme& scheme : schemes()) {
    const Rebound r = rebound(scheme, h);
    text += line("| %s | %.3f | %.3f | %.4f | %.4f | %.4f | %.4f | %.0e |\n", scheme.name, r.shortest, r.ends,
                 r.impulse, r.speed, r.energy, r.swings, r.gained);
  }
  return text;
}

struct Pushed {
  double begins = -1.0, ends = 0.0, middle = 0.0, impulse = 0.0, worst = 0.0;
};

/// `worst`: largest relative error of the impulse of the beam from t = 5 l^2 on.
Pushed push(problems::ElasticImpact impact, const Integrator& integrator, double h, double T, double from, double to) {
  TimeStepping simulation(impact.model, {.integrator = integrator, .step = h});
  Pushed result;
  double steps = 0.0;
  const RunReport report = simulation.advance_to(T, [&](const State& x) {
    const double p = x.impulse(impact.stop)[0], since = x.t - impact.begins;
    result.impulse += p;
    if (p > 0.0) result.ends = since;
    if (p > 0.0 && result.begins < 0.0) result.begins = since;
    if (since > from && since <= to) result.middle += p / h, steps += 1.0;
    if (since > 5.0 * impact.element * impact.element)
      result.worst = std::max(result.worst, std::abs(result.impulse / problems::beam_impulse(since) - 1.0));
  });
  if (!report) std::cerr << report.message() << '\n';
  result.middle /= steps;
  return result;
}

/// Forces and speeds in which the exact bar is pushed with 1 for 2 units of time; steps of half of an element's.
std::string impact_table() {
  std::vector<Scheme> all = schemes();
  all.push_back({"ExactLinear", ExactLinear{}});
  std::string text = line(
      "| scheme | bar: mean force, middle third | contact ends at | missing impulse, 100 elements | 200 | 400 | beam: "
      "impulse "
      "off by, 25 elements | 50 |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n| exact | 1 | 2 | 0 | 0 | 0 | 0 "
      "| 0 |\n");
  for (const Scheme& scheme : all) {
    const auto bar = [&](Index n) {
      const auto impact = problems::bar_at_wall(n);
      return push(impact, scheme.integrator, 0.5 * impact.element, impact.begins + 2.6, 2.0 / 3.0, 4.0 / 3.0);
    };
    const auto beam = [&](Index n) {
      const auto impact = problems::beam_at_stop(n);
      return push(impact, scheme.integrator, 1.5 / impact.frequency, impact.begins + 0.01, 0.001, 0.01).worst;
    };
    const Pushed coarse = bar(100), fine = bar(200), finest = bar(400);
    text += line("| %s | %.3f | %.3f | %.4f | %.4f | %.4f | %.3f | %.3f |\n", scheme.name, fine.middle, fine.ends,
                 1.0 - coarse.impulse / 2.0, 1.0 - fine.impulse / 2.0, 1.0 - finest.impulse / 2.0, beam(25), beam(50));
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  struct Table {
    const char* name;
    std::string (*make)();
  };
  const std::vector<Table> tables = {
      {"elastic impacts", impact_table}, {"block", block_table}, {"rebound", rebound_table}};
  if (argc == 2 && std::strcmp(argv[1], "--benchmark_list_tests") == 0) {
    for (const Table& table : tables) line("%s\n", table.name);
    return 0;
  }
  const bool write = argc >= 3 && std::strcmp(argv[1], "--write") == 0;
  if ((argc != 1 && !write) || argc > 4) {
    std::cerr << "usage: bench_elastic_schemes [--write docs/schemes.md [TABLE]]\n";
    return 2;
  }
  for (const Table& table : tables) {
    if (argc == 4 && std::strcmp(argv[3], table.name) != 0) continue;
    const std::string text = table.make();
    if (write && !test::replace_table(argv[2], text, table.name)) return 2;
  }
}
