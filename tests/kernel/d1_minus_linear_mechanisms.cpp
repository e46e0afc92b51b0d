// SPDX-License-Identifier: Apache-2.0
// D1MinusLinear on mechanisms, against event-driven simulation of the same models at fine tolerances.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/kernel.hpp>
#include <problems/mechanics.hpp>

#include "closed_forms.hpp"
#include "fitted_order.hpp"

namespace nonsmooth::d1_minus_linear_mechanisms_test {
namespace {

using namespace closed_forms;

TEST(D1MinusLinearMechanisms, SliderCrankWithClearance) {
  const problems::Model m = problems::slider_crank();
  for (const double T : {2e-3, 3e-3, 5e-3, 1e-2, 2e-2}) {
    EventDriven events(m.system);
    ASSERT_TRUE(events.advance_to(T));
    for (const double h : {2e-5, 1e-5, 5e-6}) {
      TimeStepping run(m.system, {.integrator = D1MinusLinear{}, .step = h});
      ASSERT_TRUE(run.advance_to(T));
      TimeStepping mj(m.system, {.integrator = MoreauJean{}, .step = h});
      ASSERT_TRUE(mj.advance_to(T));
      std::printf("T %g h %g q %g v %g  MJ q %g v %g\n", T, h, (run.state().positions - events.state().positions).norm(),
                  (run.state().unknowns - events.state().unknowns).norm(),
                  (mj.state().positions - events.state().positions).norm(),
                  (mj.state().unknowns - events.state().unknowns).norm());
    }
  }
}

}  // namespace
}  // namespace nonsmooth::d1_minus_linear_mechanisms_test
