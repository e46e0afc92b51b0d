// SPDX-License-Identifier: Apache-2.0
// Elastic bodies on a rigid stop under every scheme that takes them: a block of rubber of 10^4 unknowns (how often its
// matrices are ordered and factored, what a step costs), a bar and a beam beside their exact forces.
// `bench_elastic_schemes --write docs/schemes.md` renews the tables of that page.
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
#include <support/document_table.hpp>
#include <support/suitesparse_calls.hpp>

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
    test::suitesparse_calls = {};
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
    text += line("| %s | %lld | %lld | %.1f | %.0f | %.4f | %.0e | %+.1e |\n", scheme.name,
                 test::suitesparse_calls.orderings, test::suitesparse_calls.factorisations,
                 static_cast<double>(iterations) / kSteps, 1e3 * benchmarks::median(times), impulse, deepest,
                 energy() / start - 1.0);
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
  if (argc == 2 && std::strcmp(argv[1], "--benchmark_list_tests") == 0) return line("impacts\nblock\n").empty();
  const bool write = argc == 3 && std::strcmp(argv[1], "--write") == 0;
  if (argc != 1 && !write) {
    std::cerr << "usage: bench_elastic_schemes [--write docs/schemes.md]\n";
    return 2;
  }
  const std::string impacts = impact_table(), block = block_table();
  if (!write) return 0;
  return test::replace_table(argv[2], impacts, "elastic impacts") && test::replace_table(argv[2], block, "block") ? 0
                                                                                                                  : 2;
}
