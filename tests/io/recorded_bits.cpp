// SPDX-License-Identifier: Apache-2.0
// The hash and the contacts of each recorded step, which the writer's thread takes of copies while the simulation goes
// on, are those that the state had: of sleeping bodies, laws that remember, differences of positions, contacts linked
// and found, systems of first order, and of a state that two threads copy; before and behind edits of the model.
#include <nonsmooth/io/recorder.hpp>

#include <nonsmooth/kernel.hpp>
#include <problems/disk_field.hpp>
#include <problems/models.hpp>
#include <support/parameter_name.hpp>

#include "checkpoint_scenes.hpp"
#include "run_files.hpp"

namespace nonsmooth::recorded_bits_test {
namespace {

using namespace checkpoint_tests;
using namespace run_files_test;

/// What a simulation showed, step by step.
struct Shown {
  std::vector<std::uint64_t> hashes;
  std::vector<std::vector<ActingContact>> contacts;
  std::size_t all_contacts = 0;
  ActingContacts acting;

  void add(const TimeStepping& simulation, const State& state) {
    hashes.push_back(hash_of(state));
    contacts.push_back(acting.of(simulation));
    all_contacts += contacts.back().size();
  }
  /// A state that it shows is not yet its own.
  void add(const EventDriven& simulation, const State& state) {
    hashes.push_back(hash_of(state));
    acting.find(simulation.model(), state, contacts.emplace_back());
    all_contacts += contacts.back().size();
  }
  void expect_in(const std::filesystem::path& path) const {
    const RunFile run(path);
    ASSERT_EQ(run.hashes(), hashes);
    for (std::size_t k = 0; k < contacts.size(); ++k)
      ASSERT_EQ(run.contacts(static_cast<Index>(k)), contacts[k]) << "step " << k;
  }
};

bool conducts(const State& state) { return state.positions.size() == 0 && state.multipliers.maxCoeff() > 0.0; }
/// From 10 000 numbers on, two threads copy it; contacts of several blocks of 32.
bool is_large(const State& state) { return state.positions.size() >= 10'000 && state.contacts.size() > 100; }

const std::vector<Stepped> kScenes = cases_and(
    {{"Circuit", [] { return problems::diode_bridge().system; }, problems::diode_bridge().options, 500, conducts},
     {"LargeFieldOnTwoThreads",
      [] { return problems::disk_field(4000); },
      {.step = problems::kDiskFieldStep, .threads = 2},
      250,
      is_large}});

class RecordedBits : public Files, public ::testing::WithParamInterface<Stepped> {};

TEST_P(RecordedBits, AreThoseOfTheStates) {
  const Stepped& own = GetParam();
  TimeStepping simulation(own.model(), own.options);
  Shown shown;
  shown.add(simulation, simulation.state());
  bool shows = false;
  {
    Recorder recorder(file("run.h5"), simulation);
    for (Index k = 0; k < own.steps; ++k) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report) << report.message();
      recorder.record(report);
      shown.add(simulation, simulation.state());
      shows = shows || own.shows(std::as_const(simulation).state());
    }
    recorder.close();
  }
  EXPECT_TRUE(shows) << "no state is what the case is about";
  shown.expect_in(file("run.h5"));
}
INSTANTIATE_TEST_SUITE_P(All, RecordedBits, ::testing::ValuesIn(kScenes), test::parameter_name);

using RecordedEdits = Files;

/// The writer may be behind by as many steps as the queue holds when the model changes.
template <class Simulated>
void record_through_an_edit(SpheresAndCart& scene, Simulated& simulation, const std::filesystem::path& path) {
  Shown shown;
  shown.add(simulation, simulation.state());
  {
    Recorder recorder(path, simulation, {.file = {.compression = 9}});  // a slow writer
    const auto observer = [&](const State& state, const StepReport& report) {
      recorder(state, report);
      shown.add(simulation, state);
    };
    ASSERT_TRUE(simulation.advance_to(0.3, observer));
    scene.edit(simulation);
    ASSERT_TRUE(simulation.advance_to(0.5, observer));
    recorder.close();
  }
  EXPECT_EQ(RunFile(path).parts().size(), 2U);
  EXPECT_GT(shown.all_contacts, 100U);
  shown.expect_in(path);
}

TEST_F(RecordedEdits, OfSteps) {
  SpheresAndCart scene;
  TimeStepping simulation(scene.model, {.step = 1e-3});
  record_through_an_edit(scene, simulation, file("run.h5"));
}

TEST_F(RecordedEdits, OfEvents) {
  SpheresAndCart scene;
  EventDriven simulation(scene.model);
  record_through_an_edit(scene, simulation, file("run.h5"));
}

}  // namespace
}  // namespace nonsmooth::recorded_bits_test
