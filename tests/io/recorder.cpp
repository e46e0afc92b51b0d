// SPDX-License-Identifier: Apache-2.0
// What a Recorder keeps of both simulations is what they showed, bit for bit; its contacts, energies and events against
// Newton's and Euler's laws, which it does not use.
#include <nonsmooth/io/recorder.hpp>

#include <fstream>

#include <Eigen/Geometry>

#include <nonsmooth/io/observe.hpp>
#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/energies.hpp>
#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/ledger.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "run_files.hpp"

namespace nonsmooth::recorder_test {
namespace {

using namespace run_files_test;
using Eigen::Vector3d;

class Recorded : public Files {};

constexpr double kGravity = 9.81, kRadius = 0.1, kMass = 2.0, kInertia = 0.4 * kMass * kRadius * kRadius;

/// Two spheres, one above the other but for 2 cm, over a floor: they fall, strike, roll.
struct Spheres {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  SourceHandle source{};

  Spheres(double restitution, double friction) {
    add({0.0, 0.0, 0.15}, {0.3, 0.0, 0.0});
    add({0.02, 0.0, 0.4}, {0.0, 0.0, 0.0});
    source = model.detect(contacts(restitution, friction));
  }
  void add(const Vector3d& position, const Vector3d& velocity) {
    const auto body = model.add(RigidBody{.mass = kMass,
                                          .inertia = kInertia * Eigen::Matrix3d::Identity(),
                                          .position = position,
                                          .velocity = velocity,
                                          .gravity = {0.0, 0.0, -kGravity},
                                          .name = "sphere " + std::to_string(bodies.size())});
    bodies.push_back({body, {{.shape = Sphere{kRadius}}}});
  }
  [[nodiscard]] BodyContacts contacts(double restitution, double friction) const {
    return {bodies,
            {{.shape = HalfSpace{}}},
            NewtonImpactFrictionLaw{.restitution = restitution, .friction = friction, .dimension = 3}};
  }
};

void expect_same_arrays(const RunFile& run, Index step, const State& state) {
  ASSERT_EQ(run.positions(step), state.positions);
  ASSERT_EQ(run.unknowns(step), state.unknowns);
  ASSERT_EQ(run.outputs(step), state.outputs);
  ASSERT_EQ(run.velocities(step), state.velocities);
  ASSERT_EQ(run.multipliers(step), state.multipliers);
  ASSERT_EQ(run.percussions(step), state.percussions);
  ASSERT_EQ(run.forces(step).size(), state.forces.size());
  ASSERT_TRUE(run.forces(step) == state.forces);
}

TEST_F(Recorded, TimeSteppingIsWhatItShowed) {
  TimeStepping simulation(Spheres(0.4, 0.3).model, {.step = 1e-3});
  std::vector<State> states{simulation.state()};
  std::vector<StepReport> reports(1);
  std::vector<std::string> solvers(1);
  Ledger ledger(simulation);
  std::vector<double> kinetic{ledger.last().kinetic}, potential{ledger.last().potential};
  {
    Recorder recorder(file("run.h5"), simulation, {.name = "two spheres", .seed = 5});
    ASSERT_TRUE(simulation.advance_to(0.6, [&](const State& state, const StepReport& report) {
      recorder(state, report);
      states.push_back(state);
      reports.push_back(report);
      solvers.emplace_back(simulation.problem().empty() ? "" : simulation.problem().result.solver);
      kinetic.push_back(ledger.record(state).kinetic);
      potential.push_back(ledger.last().potential);
    }));
    recorder.close("at the end");
    EXPECT_EQ(recorder.num_steps(), 601);
  }
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.num_steps(), static_cast<Index>(states.size()));
  EXPECT_EQ(run.about().name, "two spheres");
  EXPECT_EQ(run.about().simulation, "TimeStepping");
  EXPECT_EQ(run.about().seed, 5U);
  EXPECT_EQ(run.about().units, "SI");
  EXPECT_TRUE(contains(run.about().options, "step = 0.001")) << run.about().options;
  EXPECT_EQ(run.parts()[0].systems[1].name, "sphere 1");
  EXPECT_EQ(run.parts()[0].end, "at the end");
  EXPECT_EQ(run.solvers(), solvers);
  const auto t = run.times(), residual = run.column("residual"), iterations = run.column("solver_iterations");
  const auto round_off = run.column("round_off"), worst_relative_row = run.column("worst_relative_row");
  EXPECT_GT(*std::max_element(round_off.begin(), round_off.end()), 0.0);
  const auto rows = run.column("rows"), own_kinetic = run.column("kinetic"), own_potential = run.column("potential");
  const auto hashes = run.hashes();
  for (std::size_t k = 0; k < states.size(); ++k) {
    ASSERT_EQ(t[k], states[k].t);
    ASSERT_EQ(hashes[k], hash_of(states[k]));
    expect_same_arrays(run, static_cast<Index>(k), states[k]);
    ASSERT_TRUE(HandmadeRun::same_bits(residual[k], reports[k].certificate.residual) ||
                (std::isnan(residual[k]) && std::isnan(reports[k].certificate.residual)));
    ASSERT_EQ(round_off[k], reports[k].certificate.round_off);
    ASSERT_EQ(worst_relative_row[k], static_cast<double>(reports[k].certificate.worst_relative_row));
    ASSERT_EQ(iterations[k], static_cast<double>(reports[k].solver_iterations));
    ASSERT_EQ(rows[k], static_cast<double>(reports[k].rows));
    // The same sums in another order: a few eps of energies of a few J.
    ASSERT_NEAR(own_kinetic[k], kinetic[k], 1e-14 * (1.0 + kinetic[k]));
    ASSERT_NEAR(own_potential[k], potential[k], 1e-13);
  }
}

TEST_F(Recorded, ContactsObeyNewtonAndEuler) {
  // m (v+ - v-) = -m g h + the impulses, J (w+ - w-) = their moments about the centre, where the sphere was when the
  // step began: both to round-off of terms of some N s, and to the solver's 1e-10 of them. A contact with a gap has its
  // point on the first body; on the second the moment is that of a point beyond the gap.
  constexpr double h = 1e-3, tolerance = 1e-9;
  TimeStepping simulation(Spheres(0.4, 0.3).model, {.step = h});
  {
    Recorder recorder(file("run.h5"), simulation);
    ASSERT_TRUE(simulation.advance_to(0.6, recorder));
  }
  const RunFile run(file("run.h5"));
  Index touching = 0, between = 0;
  for (Index step = 1; step < run.num_steps(); ++step) {
    const Eigen::VectorXd q = run.positions(step - 1), before = run.unknowns(step - 1), after = run.unknowns(step);
    std::array<Vector3d, 2> impulse{Vector3d::Zero(), Vector3d::Zero()}, moment = impulse;
    double beyond = 0.0;
    for (const ActingContact& one : run.contacts(step)) {
      ++touching;
      ASSERT_EQ(one.source, 0);
      ASSERT_EQ(one.rows, 3);
      const Vector3d centre = q.segment<3>(7 * one.first);
      const Vector3d other =
          one.second >= 0 ? Vector3d(q.segment<3>(7 * one.second)) : Vector3d(centre[0], centre[1], 0.0);
      const Vector3d normal = (centre - other).normalized();
      ASSERT_LT((one.normal - normal).norm(), 1e-12);
      const double gap = (centre - other).norm() - (one.second >= 0 ? 2.0 : 1.0) * kRadius;
      ASSERT_NEAR(one.gap, gap, 1e-14);
      // On the normal, between the two surfaces.
      ASSERT_LE((one.point - (centre - kRadius * normal)).norm(), std::abs(gap) + 1e-12);
      ASSERT_LT((one.force * h - one.impulse).norm(), 1e-15 * (1.0 + one.impulse.norm()));
      impulse[static_cast<std::size_t>(one.first)] += one.impulse;
      moment[static_cast<std::size_t>(one.first)] += (one.point - centre).cross(one.impulse);
      if (one.second < 0) continue;
      ++between;
      beyond += std::abs(one.gap) * one.impulse.norm();
      impulse[static_cast<std::size_t>(one.second)] -= one.impulse;
      moment[static_cast<std::size_t>(one.second)] -= (one.point - other).cross(one.impulse);
    }
    for (const Index body : {0, 1}) {
      const Vector3d change = after.segment<3>(6 * body) - before.segment<3>(6 * body);
      const Vector3d spin = after.segment<3>(6 * body + 3) - before.segment<3>(6 * body + 3);
      const auto b = static_cast<std::size_t>(body);
      ASSERT_LT((kMass * (change + Vector3d(0.0, 0.0, kGravity * h)) - impulse[b]).norm(), tolerance) << step;
      // Of a sphere, whose angular velocity in its axes turned into space: |J dw| = |moment|.
      ASSERT_NEAR(kInertia * spin.norm(), moment[b].norm(), tolerance + beyond) << step;
    }
  }
  EXPECT_GT(touching, 200);
  EXPECT_GT(between, 0);
}

TEST_F(Recorded, ContactsInThePlaneObeyNewtonAndEuler) {
  // The same of disks, whose systems are linear and whose floor is a function.
  constexpr double h = 1e-3, tolerance = 1e-9, inertia = 0.5 * kMass * kRadius * kRadius;
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const auto& [x, y] : {std::pair{0.0, 0.15}, std::pair{0.03, 0.4}}) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Vector3d(kMass, kMass, inertia).asDiagonal(),
                                                     .force = {0.0, -kMass * kGravity, 0.0},
                                                     .q0 = {x, y, 0.0},
                                                     .v0 = {0.5, 0.0, 0.0}}));
  }
  model.detect(DiskContacts(disks, {kRadius, kRadius}, NewtonImpactFrictionLaw{.restitution = 0.4, .friction = 0.5},
                            FloorProfile{.height = [](double) { return 0.0; },
                                         .slope = [](double) { return 0.0; },
                                         .curvature = [](double) { return 0.0; }}));
  TimeStepping simulation(model, {.step = h});
  {
    Recorder recorder(file("run.h5"), simulation);
    ASSERT_TRUE(simulation.advance_to(0.6, recorder));
  }
  const RunFile run(file("run.h5"));
  Index touching = 0;
  for (Index step = 1; step < run.num_steps(); ++step) {
    const Eigen::VectorXd q = run.positions(step - 1), before = run.unknowns(step - 1), after = run.unknowns(step);
    std::array<Vector3d, 2> change{};  // of momenta
    for (std::size_t b = 0; b < 2; ++b) {
      change[b] = after.segment<3>(3 * static_cast<Index>(b)) - before.segment<3>(3 * static_cast<Index>(b));
      change[b] = Vector3d(kMass * change[b][0], kMass * (change[b][1] + kGravity * h), inertia * change[b][2]);
    }
    double beyond = 0.0;  // as above
    for (const ActingContact& one : run.contacts(step)) {
      ++touching;
      if (one.second >= 0) beyond += std::abs(one.gap) * one.impulse.norm();
      ASSERT_EQ(one.normal[2], 0.0);
      ASSERT_EQ(one.point[2], 0.0);
      for (const Index body : {one.first, one.second}) {
        if (body < 0) continue;
        const double sign = body == one.first ? 1.0 : -1.0;
        const Vector3d centre(q[3 * body], q[3 * body + 1], 0.0);
        const Vector3d p = sign * one.impulse, moment = (one.point - centre).cross(p);
        change[static_cast<std::size_t>(body)] -= Vector3d(p[0], p[1], moment[2]);
      }
    }
    for (const Vector3d& left : change) ASSERT_LT(left.norm(), tolerance + beyond) << step;
  }
  EXPECT_GT(touching, 200);
}

TEST_F(Recorded, EnergiesAreThoseOfEachState) {
  // Disks, whose energies are sums over what is copied and are left to the writer's thread; then, of the second
  // revision, a body beside them, which is asked in the simulation's; of the third one disk less, and no body.
  NonSmoothDynamicalSystem model;
  std::vector<SystemHandle> disks;
  for (const double x : {0.0, 1.0, 2.0}) {
    disks.push_back(model.add(LagrangianLinearSystem{.mass = Vector3d(kMass, kMass, kInertia).asDiagonal(),
                                                     .force = {0.0, -kMass * kGravity, 0.0},
                                                     .q0 = {x, 1.0, 0.0},
                                                     .v0 = {0.3 + x, 0.0, 0.7}}));
  }
  TimeStepping simulation(model, {.step = 1e-3});
  EnergyMeter meter;
  std::vector<double> kinetic, potential;
  const auto see = [&](const State& state) {
    const Energies own = meter.of(simulation.model(), state);
    kinetic.push_back(own.kinetic);
    potential.push_back(own.potential);
  };
  see(simulation.state());
  {
    Recorder recorder(file("run.h5"), simulation);
    const auto go_on_to = [&](double t) {
      ASSERT_TRUE(simulation.advance_to(t, observe(recorder, [&](const State& state) { see(state); })));
    };
    go_on_to(0.1);
    SystemHandle body;
    simulation.edit([&](NonSmoothDynamicalSystem& edited) {
      body = edited.add(RigidBody{.mass = kMass, .gravity = {0.0, 0.0, -kGravity}});
    });
    go_on_to(0.2);
    simulation.edit([&](NonSmoothDynamicalSystem& edited) {
      edited.remove(body);
      edited.remove(disks[1]);
    });
    go_on_to(0.3);
  }
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 3U);
  EXPECT_EQ(run.column("kinetic"), kinetic);
  EXPECT_EQ(run.column("potential"), potential);
  EXPECT_NEAR(kinetic.front(), 0.5 * kMass * (0.09 + 1.69 + 5.29) + 1.5 * kInertia * 0.49, 1e-14 * kinetic.front());
  EXPECT_GT(kinetic.back(), kinetic.front());
}

TEST_F(Recorded, LinkedContactsOfAStep) {
  // A block that slides on a plane, by a linked relation: normal force m g, friction mu m g against the velocity.
  constexpr double h = 1e-2, mu = 0.2;
  NonSmoothDynamicalSystem model;
  const auto block = model.add(LagrangianLinearSystem{.mass = Eigen::Vector2d(kMass, kMass).asDiagonal(),
                                                      .force = {0.0, -kMass * kGravity},
                                                      .q0 = {0.0, 0.0},
                                                      .v0 = {3.0, 0.0}});
  model.link(block, LagrangianLinearRelation{.H = {{0.0, 1.0}, {1.0, 0.0}}}, NewtonImpactFrictionLaw{.friction = mu},
             "floor");
  TimeStepping simulation(model, {.step = h});
  {
    Recorder recorder(file("run.h5"), simulation);
    ASSERT_TRUE(simulation.advance_to(1.0, recorder));
  }
  const RunFile run(file("run.h5"));
  EXPECT_EQ(run.parts()[0].interactions[0].name, "floor");
  EXPECT_EQ(run.parts()[0].interactions[0].systems, std::vector<Index>{0});
  EXPECT_FALSE(run.parts()[0].interactions[0].law.empty());
  for (const Index step : {1, 50, 100}) {
    const auto contacts = run.contacts(step);
    ASSERT_EQ(contacts.size(), 1U);
    EXPECT_EQ(contacts[0].source, -1);
    EXPECT_EQ(contacts[0].feature, 0U);
    EXPECT_EQ(contacts[0].second, -1);
    EXPECT_EQ(contacts[0].normal, Vector3d(0.0, 1.0, 0.0));
    // The solver's 1e-10 of forces of 20 N.
    EXPECT_NEAR(contacts[0].force[1], kMass * kGravity, 1e-8);
    EXPECT_NEAR(contacts[0].force[0], -mu * kMass * kGravity, 1e-8);
    EXPECT_NEAR(contacts[0].impulse[1], h * kMass * kGravity, 1e-10);
  }
}

TEST_F(Recorded, EventDrivenIsWhatItShowed) {
  // A sphere falls 0.5 m on a floor with e = 0.5 and friction: percussion (1 + e) m sqrt(2 g d) at sqrt(2 d / g).
  constexpr double d = 0.5, e = 0.5;
  NonSmoothDynamicalSystem model;
  const auto body = model.add(RigidBody{.mass = kMass,
                                        .inertia = kInertia * Eigen::Matrix3d::Identity(),
                                        .position = {0.0, 0.0, kRadius + d},
                                        .gravity = {0.0, 0.0, -kGravity}});
  model.detect(BodyContacts({{body, {{.shape = Sphere{kRadius}}}}}, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = e, .friction = 0.3, .dimension = 3}));
  EventDriven simulation(model);
  std::vector<State> states{simulation.state()};
  {
    Recorder recorder(file("run.h5"), simulation);
    ASSERT_TRUE(simulation.advance_to(3.0, [&](const State& state, const StepReport& report) {
      recorder(state, report);
      states.push_back(state);
    }));
    recorder.close();
  }
  const RunFile run(file("run.h5"));
  EXPECT_EQ(run.about().simulation, "EventDriven");
  ASSERT_EQ(run.num_steps(), static_cast<Index>(states.size()));
  const auto hashes = run.hashes();
  std::size_t events = 0;
  bool struck = false;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto step = static_cast<Index>(k);
    ASSERT_EQ(hashes[k], hash_of(states[k]));
    expect_same_arrays(run, step, states[k]);
    for (const RunEvent& one : run.events(step)) {
      ASSERT_LT(events, simulation.events().size());
      const Event& own = simulation.events()[events++];
      EXPECT_EQ(one.t, own.t);
      EXPECT_EQ(one.kind, static_cast<Index>(own.kind));
      EXPECT_EQ(one.interaction, 0);
      EXPECT_EQ(one.value, own.value);
    }
    for (const ActingContact& one : run.contacts(step)) {
      ASSERT_LT((one.normal - Vector3d(0.0, 0.0, 1.0)).norm(), 1e-12);
      ASSERT_LT(one.point.norm(), 1e-9);  // below the centre, on the floor, to the thresholds of gaps
      if (struck || one.impulse.norm() == 0.0) continue;
      struck = true;  // integrated to 1e-10
      EXPECT_NEAR(states[k].t, std::sqrt(2.0 * d / kGravity), 1e-9);
      EXPECT_NEAR(one.impulse[2], (1.0 + e) * kMass * std::sqrt(2.0 * kGravity * d), 1e-7);
    }
  }
  EXPECT_EQ(events, simulation.events().size());
  EXPECT_TRUE(struck);
  // At rest in the end, carried by the floor.
  const auto last = run.contacts(run.num_steps() - 1);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_NEAR(last[0].force[2], kMass * kGravity, 1e-9);
}

TEST_F(Recorded, AFileInTheWayOfALaterRevisionLosesNothingWritten) {
  Spheres scene(0.0, 0.3);
  TimeStepping simulation(scene.model, {.step = 1e-3});
  Recorder recorder(file("run.h5"), simulation);
  ASSERT_TRUE(simulation.advance_to(0.1, recorder));
  std::ofstream(file("run.1.h5")) << "somebody's";
  simulation.edit([&](NonSmoothDynamicalSystem& model) {
    model.add(RigidBody{.mass = kMass, .inertia = kInertia * Eigen::Matrix3d::Identity(), .name = "later"});
  });
  try {
    (void)simulation.advance_to(0.2, recorder);
  } catch (const FileError&) {  // as soon as the writer's thread has told
  }
  try {
    recorder.close();
    FAIL();
  } catch (const FileError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("run.1.h5"), std::string::npos) << said;
    EXPECT_NE(said.find("101 steps are in the files before"), std::string::npos) << said;
  }
  const RunFile run(file("run.h5"));
  EXPECT_EQ(run.num_steps(), 101);
  ASSERT_EQ(run.parts().size(), 1U);
  EXPECT_TRUE(contains(run.parts()[0].end, "the model was edited; run.1.h5 is left out")) << run.parts()[0].end;
}

TEST_F(Recorded, OverwritingSparesWhatIsNotOfTheOldRun) {
  const HandmadeRun first(0), later(1);
  HandmadeRun other(1);
  other.description.about.run = 17;
  RunWriter(file("run.h5"), first.description).close();
  RunWriter(file("run.1.h5"), later.description).close();
  RunWriter(file("run.2.h5"), other.description).close();
  {
    RunWriter writer(file("run.h5"), first.description, {.overwrite = true});
    EXPECT_FALSE(std::filesystem::exists(file("run.1.h5")));
    EXPECT_TRUE(std::filesystem::remove(file("run.2.h5")));
    EXPECT_TRUE(
        contains(complaint<FileError>([&] { RunWriter(file("run.h5"), first.description, {.overwrite = true}); }),
                 "run.h5: is being written"));
    first.add_to(writer, 0, 4);
  }
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), 4);
  RunWriter(file("run.1.h5"), other.description).close();
  RunWriter(file("run.h5"), first.description, {.overwrite = true}).close();
  EXPECT_EQ(RunFile(file("run.1.h5")).about().run, 17U);
  const RunFile run(file("run.h5"));
  EXPECT_TRUE(contains(run.parts()[0].end, "run.1.h5 is left out, which is of another run")) << run.parts()[0].end;
}

TEST_F(Recorded, EventsThatSomebodyTakesAreKept) {
  // A user's event every 10 ms, calls of 30 ms; what happened is taken between them.
  NonSmoothDynamicalSystem model;
  model.add(LagrangianLinearSystem{.mass = {{1.0}}, .q0 = {{0.0}}, .v0 = {{1.0}}});
  for (const Index every : {1, 10}) {
    EventDrivenOptions options;
    options.events.push_back({.name = "tick", .first = 0.01, .period = 0.01});
    EventDriven simulation(model, options);
    const auto path = file("run" + std::to_string(every) + ".h5");
    std::vector<double> taken, kept;
    {
      Recorder recorder(path, simulation, {.every = every});
      for (int call = 1; call <= 40; ++call) {
        ASSERT_TRUE(simulation.advance_to(0.03 * call, recorder));
        for (const Event& one : simulation.take_events()) taken.push_back(one.t);
      }
    }
    const RunFile run(path);
    for (Index step = 0; step < run.num_steps(); ++step) {
      for (const RunEvent& one : run.events(step)) kept.push_back(one.t);
    }
    // Those behind the last step that is kept are nowhere; all others are.
    ASSERT_LE(kept.size(), taken.size());
    EXPECT_GT(kept.size(), 60U);
    EXPECT_LE(taken.size() - kept.size(), static_cast<std::size_t>(every));
    taken.resize(kept.size());
    EXPECT_EQ(kept, taken);
  }
}

TEST_F(Recorded, ALaterRevisionStartsTheNextFile) {
  Spheres scene(0.0, 0.3);
  TimeStepping simulation(scene.model, {.step = 1e-3});
  std::vector<std::uint64_t> hashes{hash_of(simulation.state())};
  Recorder recorder(file("run.h5"), simulation);
  const auto observer = [&](const State& state, const StepReport& report) {
    recorder(state, report);
    hashes.push_back(hash_of(state));
  };
  ASSERT_TRUE(simulation.advance_to(0.1, observer));
  for (int edit = 0; edit < 2; ++edit) {
    simulation.edit([&](NonSmoothDynamicalSystem& model) {
      const auto body = model.add(RigidBody{.mass = kMass,
                                            .inertia = kInertia * Eigen::Matrix3d::Identity(),
                                            .position = {0.5 + 0.5 * edit, 0.0, 0.3},
                                            .gravity = {0.0, 0.0, -kGravity},
                                            .name = "later"});
      scene.bodies.push_back({body, {{.shape = Sphere{kRadius}}}});
      model.replace(scene.source, scene.contacts(0.0, 0.3));
    });
    ASSERT_TRUE(simulation.advance_to(0.2 + 0.1 * edit, observer));
  }
  recorder.close();
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 3U);
  EXPECT_EQ(run.num_steps(), 301);
  EXPECT_EQ(run.hashes(), hashes);
  EXPECT_EQ(run.parts()[0].systems.size(), 2U);
  EXPECT_EQ(run.parts()[2].systems.size(), 4U);
  EXPECT_EQ(run.parts()[2].systems[3].name, "later");
  EXPECT_EQ(run.parts()[0].end, "the model was edited");
  EXPECT_EQ(run.times().back(), simulation.state().t);
}

TEST_F(Recorded, EveryNthStepAndWhatIsLeftOut) {
  TimeStepping simulation(Spheres(0.4, 0.3).model, {.step = 1e-3});
  {
    Recorder recorder(file("run.h5"), simulation, {.every = 10, .contacts = false, .hashes = false, .energies = false});
    ASSERT_TRUE(simulation.advance_to(0.3, recorder));
    recorder.flush();
    const RunFile live(file("run.h5"));
    EXPECT_EQ(live.num_steps(), 31);
  }
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.num_steps(), 31);
  EXPECT_NEAR(run.times()[3], 0.03, 1e-15);
  EXPECT_EQ(run.hashes()[3], 0U);
  EXPECT_TRUE(std::isnan(run.column("kinetic")[3]));
  EXPECT_TRUE(run.contacts(30).empty());
}

}  // namespace
}  // namespace nonsmooth::recorder_test
