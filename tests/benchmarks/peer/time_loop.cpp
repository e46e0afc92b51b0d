// SPDX-License-Identifier: Apache-2.0
// Siconos, as its own examples of the two models use it: LCP() is solved by Lemke by default.
#include <benchmarks/peer/time_loop.hpp>
#include <benchmarks/peer/values.hpp>

#include <initializer_list>
#include <utility>

#include <SiconosKernel.hpp>

namespace peer {
namespace {

SP::SimpleMatrix matrix_of(std::initializer_list<std::initializer_list<double>> rows) {
  auto m =
      std::make_shared<SimpleMatrix>(static_cast<unsigned>(rows.size()), static_cast<unsigned>(rows.begin()->size()));
  unsigned i = 0;
  for (const auto& row : rows) {
    unsigned j = 0;
    for (const double value : row) m->setValue(i, j++, value);
    ++i;
  }
  return m;
}

void append(const SiconosVector& v, std::vector<double>& values) {
  for (unsigned i = 0; i < v.size(); ++i) values.push_back(v.getValue(i));
}

class Loop final : public TimeLoop {
 public:
  Loop(SP::DynamicalSystem system, SP::Relation relation, SP::NonSmoothLaw law, SP::OneStepIntegrator scheme, double h,
       long steps)
      : system_(std::move(system)) {
    // Two steps more than are run, so that no step is cut by the end.
    model_ = std::make_shared<NonSmoothDynamicalSystem>(0.0, h * static_cast<double>(steps + 2));
    model_->insertDynamicalSystem(system_);
    model_->link(std::make_shared<Interaction>(std::move(law), std::move(relation)), system_);
    simulation_ = std::make_shared<TimeStepping>(model_, std::make_shared<TimeDiscretisation>(0.0, h),
                                                 std::move(scheme), std::make_shared<LCP>());
    simulation_->initialize();
  }

  void run(long steps) override {
    for (long k = 0; k < steps; ++k) {
      simulation_->computeOneStep();
      simulation_->nextStep();
    }
  }

  std::vector<double> state() const override {
    std::vector<double> values;
    if (const auto mechanical = std::dynamic_pointer_cast<LagrangianDS>(system_)) {
      append(*mechanical->q(), values);
      append(*mechanical->velocity(), values);
    } else {
      append(*system_->x(), values);
    }
    return values;
  }

 private:
  SP::DynamicalSystem system_;
  SP::NonSmoothDynamicalSystem model_;
  SP::TimeStepping simulation_;
};

}  // namespace

std::unique_ptr<TimeLoop> bouncing_ball(long steps) {
  auto ball = std::make_shared<LagrangianLinearTIDS>(
      vector_of({1.0, 0.0, 0.0}), vector_of({0.0, 0.0, 0.0}),
      matrix_of({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.4 * 0.1 * 0.1}}));
  ball->setFExtPtr(vector_of({-9.81, 0.0, 0.0}));
  return std::make_unique<Loop>(ball, std::make_shared<LagrangianLinearTIR>(matrix_of({{1.0, 0.0, 0.0}})),
                                std::make_shared<NewtonImpactNSL>(0.9), std::make_shared<MoreauJeanOSI>(0.5), 5e-3,
                                steps);
}

std::unique_ptr<TimeLoop> diode_bridge(long steps) {
  constexpr double L = 1e-2, C = 1e-6, R = 1e3;
  auto oscillator =
      std::make_shared<FirstOrderLinearTIDS>(vector_of({10.0, 0.0}), matrix_of({{0.0, -1.0 / C}, {1.0 / L, 0.0}}));
  auto relation =
      std::make_shared<FirstOrderLinearTIR>(matrix_of({{0.0, 0.0}, {0.0, 0.0}, {-1.0, 0.0}, {1.0, 0.0}}),
                                            matrix_of({{0.0, 0.0, -1.0 / C, 1.0 / C}, {0.0, 0.0, 0.0, 0.0}}));
  relation->setDPtr(matrix_of(
      {{1.0 / R, 1.0 / R, -1.0, 0.0}, {1.0 / R, 1.0 / R, 0.0, -1.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}}));
  return std::make_unique<Loop>(oscillator, relation, std::make_shared<ComplementarityConditionNSL>(4),
                                std::make_shared<EulerMoreauOSI>(0.5), 1e-6, steps);
}

}  // namespace peer
