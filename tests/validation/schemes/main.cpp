// SPDX-License-Identifier: Apache-2.0
// Every card under every scheme that takes it: how far from the exact motion, of which order, how deep bodies enter
// each other, what energy is wrong at the end, what a step costs. `scheme_table --write docs/schemes.md` renews the
// table of that page, between its two markers. No reference trajectories are needed: what is compared with is the
// event-driven run of the same model, or MoreauJean or EulerMoreau with steps 128 times shorter where that one does not
// take it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <benchmarks/timing.hpp>
#include <nonsmooth/kernel/energies.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <support/document_table.hpp>

#include "../cards.hpp"

namespace {

using namespace nonsmooth;
using namespace nonsmooth::validation;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr Index kMostSteps = 1000;  // of a card: what comes later repeats what came before, or has lost its phase
constexpr Index kParts[] = {1, 2, 4, 8, 16};   // steps that orders are fitted over, in place of one of the card's
constexpr Index kFine = 128;                   // steps of the reference a step of the card, where events do not take it
constexpr Index kMostEvaluations = 1'000'000;  // of right-hand sides by events: stiff bodies take more, and fine steps
constexpr double kFollows = 0.2;               // beyond this error a run follows another motion, and has no order
constexpr double kExact = 1e-11;               // below it rounding is what is measured

struct Scheme {
  const char* name;
  Integrator integrator;
};

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> all = {
      {"MoreauJean", MoreauJean{}},
      {"SchatzmanPaoli", SchatzmanPaoli{}},
      {"StewartTrinkle", StewartTrinkle{}},
      {"D1MinusLinear", D1MinusLinear{}},
      {"GeneralisedAlpha", GeneralisedAlpha{}},
      {"ExactLinear", ExactLinear{}},
      {"EulerMoreau, theta = 1", EulerMoreau{.theta = 1.0}},
      {"EulerMoreau, theta = 1/2", EulerMoreau{.theta = 0.5}},
      {"EulerMoreau, theta = g = 1/2", EulerMoreau{.theta = 0.5, .relation_weight = 0.5}},
      {"ZeroOrderHold", ZeroOrderHold{}},
      {"ExplicitEuler", ExplicitEuler{}},
      {"AdamsBashforth2, located", AdamsBashforth2{.locate = true}},
      {"RungeKutta4", RungeKutta4{}},
      {"RungeKutta4, located", RungeKutta4{.locate = true}},
      {"Bdf2, located", Bdf2{.locate = true}},
      {"ImplicitRadau", ImplicitRadau{}},
      {"ImplicitRadau, located", ImplicitRadau{.locate = true}},
  };
  return all;
}

/// A run at the instants t_k of the card.
struct Samples {
  std::vector<Eigen::VectorXd> positions;  ///< of mechanical systems
  std::vector<Eigen::VectorXd> rates;      ///< v of mechanical systems, x of others
  std::vector<double> energies;            ///< kinetic and potential [J]; NaN where not known
  double penetration = 0.0;                ///< the deepest after a step [m]
  double microseconds = kUnknown;          ///< a step, of processor time
  std::string refused{};                   ///< by whom it was not taken
  std::string ended{};                     ///< why it did not come to its end
  [[nodiscard]] bool whole() const { return refused.empty() && ended.empty(); }
};

class Sampler {
 public:
  explicit Sampler(const problems::Model& model) : model_(&model) {
    const auto& systems = model.system.systems();
    for (const SystemHandle body : model.bodies)
      mechanical_.push_back(systems[static_cast<std::size_t>(model.system.layout()->index(body))].mechanical !=
                            nullptr);
  }

  void take(const State& state, Samples& samples) {
    std::vector<double> q, r;
    const auto append = [](std::vector<double>& to, const auto& part) {
      to.insert(to.end(), part.begin(), part.end());
    };
    for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
      const SystemHandle body = model_->bodies[i];
      if (mechanical_[i]) {
        append(q, state.q(body));
        append(r, state.v(body));
      } else {
        append(r, state.x(body));
      }
    }
    samples.positions.push_back(Eigen::Map<Eigen::VectorXd>(q.data(), static_cast<Index>(q.size())));
    samples.rates.push_back(Eigen::Map<Eigen::VectorXd>(r.data(), static_cast<Index>(r.size())));
    const Energies energies = meter_.of(model_->system, state);
    samples.energies.push_back(energies.kinetic + energies.potential);
  }

 private:
  const problems::Model* model_;
  std::vector<bool> mechanical_;
  EnergyMeter meter_;
};

Index steps_of(const problems::Model& model) { return std::min(model.steps, kMostSteps); }

/// `parts` steps in place of one of the card's.
Samples stepped(const Card& card, const Integrator& integrator, Index parts) {
  problems::Model model = card.make();
  const Index steps = steps_of(model);
  model.options.integrator = integrator;
  model.options.step /= static_cast<double>(parts);
  Samples samples;
  try {
    TimeStepping simulation(model.system, model.options, card.start);
    Sampler sampler(model);
    sampler.take(simulation.state(), samples);
    double time = 0.0;
    for (Index k = 0; k < steps; ++k) {
      for (Index part = 0; part < parts; ++part) {
        const double before = benchmarks::cpu_seconds();
        const StepReport report = simulation.step();
        time += benchmarks::cpu_seconds() - before;
        if (!report) {
          samples.ended = report.message();
          return samples;
        }
        samples.penetration = std::max(samples.penetration, report.penetration);
      }
      sampler.take(simulation.state(), samples);
    }
    samples.microseconds = 1e6 * time / static_cast<double>(steps * parts);
  } catch (const InvalidArgument& refusal) {
    samples.refused = refusal.what();
  }
  return samples;
}

Samples by_events(const Card& card) {
  const problems::Model model = card.make();
  Samples samples;
  try {
    EventDriven simulation(model.system, {}, card.start);
    Sampler sampler(model);
    sampler.take(simulation.state(), samples);
    Index evaluations = 0;
    for (Index k = 1; k <= steps_of(model); ++k) {
      const RunReport report = simulation.advance_to(card.start + static_cast<double>(k) * model.options.step);
      if (!report) {
        samples.ended = report.message();
        return samples;
      }
      evaluations += report.evaluations;
      if (evaluations > kMostEvaluations) {
        samples.ended = "too stiff";
        return samples;
      }
      sampler.take(simulation.state(), samples);
    }
  } catch (const InvalidArgument& refusal) {
    samples.refused = refusal.what();
  }
  return samples;
}

/// Of a run against another: positions by the largest error at any t_k over the largest value, rates by the sum of
/// errors over the sum of values, which jumps at instants that differ by a step do not spoil.
struct Errors {
  double positions = kUnknown, rates = kUnknown, energy = kUnknown;
};

Errors errors_of(const Samples& run, const Samples& exact) {
  Errors errors;
  double q = 0.0, scale_q = 0.0, r = 0.0, scale_r = 0.0, scale_e = 0.0;
  for (std::size_t k = 0; k < exact.rates.size(); ++k) {
    if (exact.positions[k].size() > 0) {
      q = std::max(q, (run.positions[k] - exact.positions[k]).lpNorm<Eigen::Infinity>());
      scale_q = std::max(scale_q, exact.positions[k].lpNorm<Eigen::Infinity>());
    }
    r += (run.rates[k] - exact.rates[k]).lpNorm<1>();
    scale_r += exact.rates[k].lpNorm<1>();
    scale_e = std::max(scale_e, std::abs(exact.energies[k]));
  }
  if (scale_q > 0.0) errors.positions = q / scale_q;
  if (scale_r > 0.0) errors.rates = r / scale_r;
  if (scale_e > 0.0) errors.energy = (run.energies.back() - exact.energies.back()) / scale_e;
  return errors;
}

std::string number(const char* format, double value) {
  if (std::isnan(value)) return "";
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Minus the slope of log(error) over log(parts), by least squares over the runs that follow the motion at all.
std::string order(const std::vector<double>& errors) {
  if (!errors.empty() && errors.back() < kExact) return "exact";
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!(errors[i] < kFollows && errors[i] > kExact)) continue;
    const double a = std::log2(static_cast<double>(kParts[i])), b = std::log2(errors[i]);
    n += 1.0, x += a, y += b, xx += a * a, xy += a * b;
  }
  return n < 3.0 ? "" : number("%.1f", (x * y - n * xy) / (n * xx - x * x));
}

/// Cards whose model is another card's, under another scheme.
bool repeats(const std::string& name) {
  for (const char* other : {"BouncingBallTS-theta075", "BouncingBallTS-MoreauJeanDirectProjectionOSI",
                            "BouncingBallTS-SchatzmanPaoliOSI"}) {
    if (name == other) return true;
  }
  return name.find(',') != std::string::npos;  // the same by found contacts
}

void write_rows(const Card& card, std::ostream& out) {
  Samples exact = by_events(card);
  std::string source = "events";
  if (!exact.whole()) {
    for (const Integrator& integrator : {Integrator(MoreauJean{}), Integrator(EulerMoreau{.theta = 1.0})}) {
      exact = stepped(card, integrator, kFine);
      if (exact.whole()) break;
    }
    source = "h / 128";
  }
  if (!exact.whole()) {
    out << "| " << card.name << " | nothing to compare with: " << (exact.refused.empty() ? exact.ended : exact.refused)
        << " | | | | | | | |\n";
    return;
  }
  std::string refused, ended;
  bool first = true;
  const bool mechanical = exact.positions.front().size() > 0;
  for (const Scheme& scheme : schemes()) {
    if (scheme.integrator->coefficients().first_order == mechanical) continue;  // it would leave all to a default
    const Samples whole = stepped(card, scheme.integrator, 1);
    if (!whole.refused.empty()) continue;
    const Errors at_h = whole.whole() ? errors_of(whole, exact) : Errors{};
    std::vector<double> positions, rates;
    for (const Index parts : kParts) {
      const Samples run = parts == 1 ? whole : stepped(card, scheme.integrator, parts);
      if (!run.whole()) break;
      const Errors errors = errors_of(run, exact);
      positions.push_back(errors.positions);
      rates.push_back(errors.rates);
    }
    if (rates.size() < std::size(kParts)) {
      ended += (ended.empty() ? "" : ", ") + std::string(scheme.name);
      continue;
    }
    out << "| " << (first ? card.name + " (" + source + ")" : "") << " | " << scheme.name << " | "
        << number("%.1e", at_h.positions) << " | " << order(positions) << " | " << number("%.1e", at_h.rates) << " | "
        << order(rates) << " | " << (whole.penetration > 0.0 ? number("%.1e", whole.penetration) : "") << " | "
        << number("%+.0e", at_h.energy) << " | " << number("%.2f", whole.microseconds) << " |\n";
    first = false;
  }
  if (!ended.empty())
    out << "| " << (first ? card.name : "") << " | do not come to the end: " << ended << " | | | | | | | |\n";
}

/// Shown card by card, as some take their time.
std::string table() {
  std::string text =
      "| card (compared with) | scheme | positions | order | velocities, states | order | deepest [m] | energy | us a "
      "step |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  std::cout << text << std::flush;
  for (const Card& card : cards()) {
    if (card.before_step || repeats(card.name)) continue;
    std::ostringstream rows;
    write_rows(card, rows);
    std::cout << rows.str() << std::flush;
    text += rows.str();
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const bool write = argc == 3 && std::strcmp(argv[1], "--write") == 0;
  if (argc != 1 && !write) {
    std::cerr << "usage: scheme_table [--write docs/schemes.md]\n";
    return 2;
  }
  const std::string text = table();
  return write && !test::replace_table(argv[2], text) ? 2 : 0;
}
