// SPDX-License-Identifier: Apache-2.0
// Siconos's EventDriven on the models of problems/event_driven.hpp.
#include <benchmarks/peer/event_driven.hpp>
#include <benchmarks/peer/values.hpp>

#include <cmath>
#include <initializer_list>
#include <iostream>
#include <utility>

#include <SiconosKernel.hpp>

namespace peer {
namespace {

SP::SimpleMatrix diagonal(std::initializer_list<double> values) {
  const auto n = static_cast<unsigned>(values.size());
  auto m = std::make_shared<SimpleMatrix>(n, n);
  m->zero();
  unsigned i = 0;
  for (const double value : values) m->setValue(i, i, value), ++i;
  return m;
}

SP::SimpleMatrix row_of(std::initializer_list<double> values) {
  auto m = std::make_shared<SimpleMatrix>(1, static_cast<unsigned>(values.size()));
  unsigned j = 0;
  for (const double value : values) m->setValue(0, j++, value);
  return m;
}

/// The peer tells of events: nothing on the standard output as long as one lives.
class Silence {
 public:
  Silence() = default;
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() {
    std::cout.rdbuf(shown_);
    std::cout.clear();
  }

 private:
  std::streambuf* shown_ = std::cout.rdbuf(nullptr);
};

class Run final : public EventRun {
 public:
  Run(double step, long steps)
      : step_(step),
        end_(step * static_cast<double>(steps)),
        // Half a step more, so that the last output time is an event as the others are.
        model_(std::make_shared<NonSmoothDynamicalSystem>(0.0, end_ + 0.5 * step)) {}

  void add(const SP::LagrangianDS& body) {
    bodies_.push_back(body);
    model_->insertDynamicalSystem(body);
  }
  void link(SP::NonSmoothLaw law, SP::Relation relation, std::size_t body) {
    model_->link(std::make_shared<Interaction>(std::move(law), std::move(relation)), bodies_[body]);
  }
  void link(SP::NonSmoothLaw law, SP::Relation relation, std::size_t first, std::size_t second) {
    model_->link(std::make_shared<Interaction>(std::move(law), std::move(relation)), bodies_[first], bodies_[second]);
  }
  void start(SP::OneStepIntegrator integrator, SP::OneStepNSProblem impact, bool positions = false) {
    simulation_ =
        std::make_shared<EventDriven>(model_, std::make_shared<TimeDiscretisation>(0.0, step_), positions ? 3 : 2);
    simulation_->insertIntegrator(std::move(integrator));
    simulation_->insertNonSmoothProblem(std::move(impact), SICONOS_OSNSP_ED_IMPACT);
    simulation_->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
    if (positions) simulation_->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_POS);
    simulation_->initialize();
  }

  long run() override {
    const Silence silence;
    long events = 0;
    while (simulation_->hasNextEvent() && simulation_->nextTime() < end_ + 0.25 * step_) {
      simulation_->advanceToEvent();
      simulation_->processEvents();
      ++events;
    }
    return events;
  }

  std::vector<double> state() const override {
    std::vector<double> values;
    for (const auto& body : bodies_) append(*body->q(), values);
    for (const auto& body : bodies_) append(*body->velocity(), values);
    return values;
  }

 private:
  static void append(const SiconosVector& v, std::vector<double>& values) {
    for (unsigned i = 0; i < v.size(); ++i) values.push_back(v.getValue(i));
  }

  double step_, end_;
  std::vector<SP::LagrangianDS> bodies_;
  SP::NonSmoothDynamicalSystem model_;
  std::shared_ptr<EventDriven> simulation_;
};

/// y = q1 + side L sin q2 - B cos q2.
class Corner final : public LagrangianScleronomousR {
 public:
  explicit Corner(double side) : side_(side) {
    _jachq = row_of({0.0, 1.0, 0.0});
    _dotjachq = row_of({0.0, 0.0, 0.0});
  }
  void computeh(const BlockVector& q, BlockVector&, SiconosVector& y) override {
    y.setValue(0, q.getValue(1) + side_ * kL * std::sin(q.getValue(2)) - kB * std::cos(q.getValue(2)));
  }
  void computeJachq(const BlockVector& q, BlockVector&) override {
    _jachq->setValue(0, 2, side_ * kL * std::cos(q.getValue(2)) + kB * std::sin(q.getValue(2)));
  }
  void computeDotJachq(const BlockVector& q, BlockVector&, const BlockVector& v) override {
    _dotjachq->setValue(0, 2, (-side_ * kL * std::sin(q.getValue(2)) + kB * std::cos(q.getValue(2))) * v.getValue(2));
  }

 private:
  static constexpr double kL = 0.1, kB = 0.05;
  double side_;
};

}  // namespace

std::unique_ptr<EventRun> falling_ball(double restitution, double step, long steps) {
  auto run = std::make_unique<Run>(step, steps);
  auto ball = std::make_shared<LagrangianLinearTIDS>(vector_of({1.0, 0.0, 0.0}), vector_of({0.0, 0.0, 0.0}),
                                                     diagonal({1.0, 1.0, 0.6 * 0.1 * 0.1}));
  ball->setFExtPtr(vector_of({-9.81, 0.0, 0.0}));
  run->add(ball);
  run->link(std::make_shared<NewtonImpactNSL>(restitution),
            std::make_shared<LagrangianLinearTIR>(row_of({1.0, 0.0, 0.0})), 0);
  run->start(std::make_shared<LsodarOSI>(), std::make_shared<LCP>());
  return run;
}

std::unique_ptr<EventRun> column_of_steel_balls(double step, long steps) {
  constexpr double radius = 0.005, young = 203e9, poisson = 0.3, pi = 3.14159265;
  const double mass = 4.0 / 3.0 * pi * radius * radius * radius * 7780.0;
  const double wall = 4.0 / 3.0 * young * young / (2.0 * (1.0 - poisson * poisson) * young);
  const double ball = 2.0 / 3.0 * young / (1.0 - poisson * poisson);
  auto run = std::make_unique<Run>(step, steps);
  double height = 0.05 + radius;
  for (std::size_t i = 0; i < 10; ++i) {
    auto body = std::make_shared<LagrangianLinearTIDS>(vector_of({height}), vector_of({0.0}), diagonal({mass}));
    body->setFExtPtr(vector_of({-9.81 * mass}));
    run->add(body);
    height += 2.0 * radius;
    if (i == 0) {
      run->link(std::make_shared<MultipleImpactNSL>(1.0, std::sqrt(radius) * wall, 1.5),
                std::make_shared<LagrangianLinearTIR>(row_of({1.0}), vector_of({-radius})), 0);
    } else {
      run->link(std::make_shared<MultipleImpactNSL>(1.0, std::sqrt(0.5 * radius) * ball, 1.5),
                std::make_shared<LagrangianLinearTIR>(row_of({-1.0, 1.0}), vector_of({-2.0 * radius})), i - 1, i);
    }
  }
  auto impact = std::make_shared<MultipleImpact>("BiStiffness", 1e-6);
  impact->SetNstepMax(1'000'000);
  run->start(std::make_shared<LsodarOSI>(), impact);
  return run;
}

std::unique_ptr<EventRun> block_on_two_corners(double step, long steps) {
  const double angle = std::acos(-1.0) / 3.0;
  auto run = std::make_unique<Run>(step, steps);
  auto block = std::make_shared<LagrangianLinearTIDS>(
      vector_of(
          {0.5 * std::cos(angle) - 0.25 * std::sin(angle), 0.5 * std::sin(angle) + 0.25 * std::cos(angle), angle}),
      vector_of({0.0, 0.0, 0.0}), diagonal({1.0, 1.0, (0.5 * 0.5 + 1.0) / 12.0}));
  block->setFExtPtr(vector_of({0.0, -9.81, 0.0}));
  run->add(block);
  for (const double side : {-1.0, 1.0})
    run->link(std::make_shared<NewtonImpactNSL>(0.9), std::make_shared<Corner>(side), 0);
  run->start(std::make_shared<NewMarkAlphaOSI>(0.99, false), std::make_shared<LCP>(), true);
  return run;
}

}  // namespace peer
