// SPDX-License-Identifier: Apache-2.0
// The examination of every model of tests/problems: each scheme that it says can does take the model and steps, and one
// is recommended.
#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/named_models.hpp>
#include <support/parameter_name.hpp>

namespace nonsmooth::examine_models_test {
namespace {

using problems::NamedModel;

std::vector<NamedModel> all_models() {
  std::vector<NamedModel> all;
  for (const auto* models : {&problems::mechanical_models(), &problems::bodies_in_space(), &problems::piles(),
                             &problems::waves(), &problems::first_order_models()})
    all.insert(all.end(), models->begin(), models->end());
  return all;
}

class ExamineModels : public testing::TestWithParam<NamedModel> {};

TEST_P(ExamineModels, SchemesThatCanTakeTheModelAndOneIsRecommended) {
  const problems::Model model = GetParam().make();
  const analysis::ModelExamination found = analysis::examine(model.system);
  EXPECT_FALSE(found.first_order.empty() && found.mechanical.empty());
  EXPECT_FALSE(found.recommended.empty());
  for (const analysis::SchemeVerdict& verdict : found.schemes) {
    SCOPED_TRACE(verdict.scheme + ": " + verdict.reason);
    EXPECT_EQ(verdict.can, verdict.reason.empty());
    if (!verdict.can) continue;
    if (const auto* smooth = std::get_if<SmoothIntegrator>(&verdict.integrator)) {
      EXPECT_NO_THROW(EventDriven(model.system, {.integrator = *smooth, .repair_initial_state = true}));
    } else {
      TimeSteppingOptions options = model.options;
      options.integrator = std::get<Integrator>(verdict.integrator);
      TimeStepping simulation(model.system, options);
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(simulation.step().taken);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExamineModels, testing::ValuesIn(all_models()), test::parameter_name);

}  // namespace
}  // namespace nonsmooth::examine_models_test
