// SPDX-License-Identifier: Apache-2.0
// From the third step on (multistep schemes have their table by then), steps of several stages call neither malloc nor
// its kin; located changes of mode neither, from the second change on.
#include <gtest/gtest.h>

#include <hot_path/allocations_of_steps.hpp>
#include <nonsmooth/kernel.hpp>
#include <problems/models.hpp>

namespace nonsmooth::staged_allocations_test {
namespace {

using test::allocations;

TEST(StagedAllocations, OfADiode) {
  for (const Integrator& integrator :
       {Integrator(ExplicitEuler{}), Integrator(RungeKutta4{}), Integrator(ImplicitRadau{3}), Integrator(Bdf2{}),
        Integrator(AdamsBashforth2{})}) {
    auto model = problems::rlc_diode();
    model.options.integrator = integrator;
    model.options.examination = Examination::Off;  // explicit ones add energy, and what tells it is text
    TimeStepping simulation(model.system, model.options);
    EXPECT_EQ(allocations(simulation, 2, 1000), 0) << integrator->name();
  }
}

TEST(StagedAllocations, OfADiodeWhoseChangesAreLocated) {
  // Half a period of the oscillator is 314 steps: two changes within the first 700.
  for (const Integrator& integrator : {Integrator(RungeKutta4{true}), Integrator(ImplicitRadau{3, true})}) {
    auto model = problems::rlc_diode();
    model.options.integrator = integrator;
    TimeStepping simulation(model.system, model.options);
    EXPECT_EQ(allocations(simulation, 700, 2000), 0) << integrator->name();
  }
}

}  // namespace
}  // namespace nonsmooth::staged_allocations_test
