// SPDX-License-Identifier: Apache-2.0
// Recorded runs through the command: told, extracted, compared, plotted, shown.
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/kernel.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test::runs_test {
namespace {

constexpr Index kSteps = 150;  // more than are read at once

double position(Index step) { return std::cos(0.1 * static_cast<double>(step)); }
double velocity(Index step) { return -std::sin(0.1 * static_cast<double>(step)); }

/// A mass on a spring that stops at a wall: q, v and the impulse of the stop are functions of the step. `moved`: from
/// this step on q is off by 1e-6; `other_hash`: from there on what no column tells is another.
void write_run(const std::string& path, Index steps = kSteps, Index moved = kSteps, Index other_hash = kSteps,
               double impulses = 1.0) {
  RunDescription description;
  description.about = {.name = "spring",
                       .simulation = "TimeStepping",
                       .units = "SI",
                       .options = "step = 0.1 s\naccuracy = mine",
                       .notes = "by hand",
                       .seed = 7};
  description.systems = {{"mass", 0, 1, 0, 1, false}};
  description.interactions = {{"stop", "NewtonImpactLaw", 0, 1, 0, false, {0}}};
  description.sizes = {1, 1, 1, 1, 1, 0, 0};
  description.columns = {"t", "length", "kinetic"};
  RunWriter writer(path, description, {.overwrite = true});
  for (Index k = 0; k < steps; ++k) {
    const double off = k >= moved ? 1e-6 : 0.0, v = velocity(k);
    const std::vector<double> values{0.1 * static_cast<double>(k), 0.1, 0.5 * v * v};
    const std::array<double, 1> q{position(k) + off}, u{v}, p{impulses * static_cast<double>(k % 3)};
    std::vector<ActingContact> contacts;
    if (k % 3 != 0) {
      contacts.push_back({.normal = {1.0, 0.0, 0.0},
                          .impulse = {p[0], 0.0, 0.0},
                          .first = 0,
                          .feature = 0xFEDCBA9876543210U,
                          .rows = 1});
      contacts.back().force = contacts.back().impulse / 0.1;
    }
    RunStep step{.values = values,
                 .hash = static_cast<std::uint64_t>(k) + (off > 0.0 || k >= other_hash ? 1000u : 0u),
                 .contacts = contacts};
    step.arrays = {q, u, q, u, p};
    writer.add(step);
  }
  writer.close();
}

TEST(Runs, RunInfoSaysWhatARunHolds) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  const Outcome told = run({"run-info", folder.at("a.h5")});
  ASSERT_EQ(told.code, command::success) << told.err;
  for (const char* part :
       {"spring", "TimeStepping", "150, t = 0 to 14.9 s", "kinetic", "1 systems, 1 interactions", "closed",
        "0000000000000095", "by hand", "  options      step = 0.1 s\n", "\n               accuracy = mine\n"}) {
    EXPECT_NE(told.out.find(part), std::string::npos) << part << " in\n" << told.out;
  }
  auto json = members(run({"run-info", "--json", folder.at("a.h5")}).out);
  EXPECT_EQ(json["steps"], "150");
  EXPECT_EQ(json["seed"], "7");
  EXPECT_EQ(json["options"], "step = 0.1 s\naccuracy = mine");
  EXPECT_EQ(json["end"], "closed");
  EXPECT_EQ(run({"run-info", folder.at("none.h5"), folder.at("a.h5")}).code, command::bad_input);
  EXPECT_EQ(run({"run-info", folder.write_text("text.h5", "no run")}).code, command::bad_input);
}

TEST(Runs, ExtractWritesStepsAndContactsThatReadBackToTheSameBits) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  ASSERT_EQ(run({"extract", folder.at("a.h5"), "-o", folder.at("all.csv")}).code, command::success);
  const Table all = read_csv(folder.at("all.csv"));
  ASSERT_EQ(all.num_rows(), kSteps);
  for (Index k = 0; k < kSteps; ++k) {
    EXPECT_EQ(all.column("mass.q1")[static_cast<std::size_t>(k)], position(k));
    EXPECT_EQ(all.column("mass.v1")[static_cast<std::size_t>(k)], velocity(k));
    EXPECT_EQ(all.column("stop.p1")[static_cast<std::size_t>(k)], static_cast<double>(k % 3));
  }
  const Outcome some = run({"extract", folder.at("a.h5"), "t", "mass.q1", "--steps", "10:141:70"});
  ASSERT_EQ(some.code, command::success) << some.err;
  std::istringstream text(some.out);
  const Table picked = read_csv(text);
  EXPECT_EQ(picked.names(), (std::vector<std::string>{"t", "mass.q1"}));
  ASSERT_EQ(picked.num_rows(), 2);  // 10, 80; 150 is beyond the end
  EXPECT_EQ(picked.column("mass.q1"), (std::vector<double>{position(10), position(80)}));

  const Outcome contacts = run({"extract", folder.at("a.h5"), "--contacts", "--steps", "0:6"});
  std::istringstream rows(contacts.out);
  const Table acting = read_csv(rows);
  EXPECT_EQ(acting.column("step"), (std::vector<double>{1, 2, 4, 5}));
  EXPECT_EQ(acting.column("impulse_x"), (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(acting.column("feature_high").front(), 4275878552.0);  // 0xFEDCBA98: a double would round all 64 bits
  EXPECT_EQ(acting.column("feature_low").front(), 1985229328.0);   // 0x76543210
}

TEST(Runs, ExtractRefusesByName) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  const Outcome name = run({"extract", folder.at("a.h5"), "mass.q2"});
  EXPECT_EQ(name.code, command::bad_input);
  EXPECT_NE(name.err.find("'mass.q2'"), std::string::npos) << name.err;
  EXPECT_NE(name.err.find("mass.q1"), std::string::npos) << name.err;
  for (const char* steps : {"0:151", "9:8", "x:2", "0:2:0", "-1:2"}) {
    EXPECT_EQ(run({"extract", folder.at("a.h5"), "--steps", steps}).code, command::bad_input) << steps;
  }
  EXPECT_EQ(run({"extract", folder.at("a.h5"), "t", "--contacts"}).code, command::bad_input);

  const std::string old = folder.write_text("old.csv", "old");
  for (const char* wrong : {"mass.q2", "t"}) {  // no name of the run; one that is asked for twice
    EXPECT_EQ(run({"extract", folder.at("a.h5"), "t", wrong, "-o", old}).code, command::bad_input) << wrong;
    EXPECT_EQ(read_text(old), "old") << wrong;
    EXPECT_FALSE(std::filesystem::exists(old + ".partial")) << wrong;
  }
  std::filesystem::create_directory(folder.at("there"));
  const Outcome taken = run({"extract", folder.at("a.h5"), "-o", folder.at("there")});
  EXPECT_EQ(taken.code, command::bad_input);
  EXPECT_NE(taken.err.find("no regular file"), std::string::npos) << taken.err;
}

TEST(Runs, CompareTellsTheColumnTheDeviationAndTheFirstStep) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  write_run(folder.at("b.h5"));
  write_run(folder.at("c.h5"), kSteps, 100);
  write_run(folder.at("short.h5"), 90);
  const Outcome same = run({"compare", folder.at("a.h5"), folder.at("b.h5")});
  EXPECT_EQ(same.code, command::success) << same.out;
  EXPECT_NE(same.out.find("the same bits"), std::string::npos) << same.out;

  const Outcome apart = run({"compare", folder.at("c.h5"), folder.at("a.h5")});
  EXPECT_EQ(apart.code, command::not_solved);
  EXPECT_NE(apart.out.find("mass.q1: apart by 1e-06"), std::string::npos) << apart.out;
  EXPECT_NE(apart.out.find("from step 100 on"), std::string::npos) << apart.out;
  EXPECT_NE(apart.out.find("states differ from step 100"), std::string::npos) << apart.out;
  EXPECT_EQ(run({"compare", "--tolerance", "2e-6", folder.at("c.h5"), folder.at("a.h5")}).code, command::success);
  EXPECT_EQ(run({"compare", "--tolerance", "5e-7", folder.at("c.h5"), folder.at("a.h5")}).code, command::not_solved);

  write_run(folder.at("d.h5"), kSteps, kSteps, 70);
  const Outcome hashes = run({"compare", folder.at("d.h5"), folder.at("a.h5")});
  EXPECT_EQ(hashes.code, command::not_solved) << hashes.out;
  EXPECT_NE(hashes.out.find("states differ from step 70"), std::string::npos) << hashes.out;
  EXPECT_EQ(hashes.out.find("the same bits"), std::string::npos) << hashes.out;
  EXPECT_EQ(run({"compare", "--tolerance", "1e-12", folder.at("d.h5"), folder.at("a.h5")}).code, command::success);

  const auto json = lines(run({"compare", "--json", folder.at("c.h5"), folder.at("a.h5")}).out);
  ASSERT_FALSE(json.empty());
  EXPECT_EQ(members(json.back())["same"], "false");
  EXPECT_EQ(members(json.back())["first_step"], "100");

  // Beside a column of zeros a difference is as large as the other's largest, from either side.
  write_run(folder.at("still.h5"), kSteps, kSteps, kSteps, 0.0);
  for (const bool first : {true, false}) {
    const Outcome zeros =
        run({"compare", folder.at(first ? "still.h5" : "a.h5"), folder.at(first ? "a.h5" : "still.h5")});
    EXPECT_NE(zeros.out.find(": apart by 1 of its largest"), std::string::npos) << zeros.out;
    EXPECT_EQ(zeros.out.find("e+"), std::string::npos) << zeros.out;
  }

  const Outcome lengths = run({"compare", folder.at("short.h5"), folder.at("a.h5")});
  EXPECT_EQ(lengths.code, command::not_solved);
  EXPECT_NE(lengths.out.find("90 and 150"), std::string::npos) << lengths.out;
  const auto why = lines(run({"compare", "--json", folder.at("short.h5"), folder.at("a.h5")}).out);
  ASSERT_FALSE(why.empty());
  EXPECT_NE(why.back().find("other numbers of steps"), std::string::npos) << why.back();
  EXPECT_NE(same.out.find("150 steps, 100 rows of contacts"), std::string::npos) << same.out;

  // Small impulses are no less apart than large ones.
  write_run(folder.at("small.h5"), kSteps, kSteps, kSteps, 1e-20);
  write_run(folder.at("smaller.h5"), kSteps, kSteps, kSteps, 0.5e-20);
  const Outcome small = run({"compare", "--tolerance", "0.4", folder.at("small.h5"), folder.at("smaller.h5")});
  EXPECT_EQ(small.code, command::not_solved) << small.out;
  EXPECT_NE(small.out.find(": apart by 0.5 of its largest"), std::string::npos) << small.out;
}

/// Ten steps with two contacts and an event each, which `change` may write otherwise; the states are the same.
template <class Change>
void write_rows(const std::string& path, const Change& change) {
  RunDescription description;
  description.systems = {{"mass", 0, 1, 0, 1, false}};
  description.sizes = {1, 1, 0, 0, 0, 0, 0};
  description.columns = {"t"};
  RunWriter writer(path, description);
  for (Index k = 0; k < 10; ++k) {
    const std::vector<double> values{0.1 * static_cast<double>(k)};
    const std::array<double, 1> q{position(k)}, v{velocity(k)};
    std::vector<ActingContact> contacts(2);
    for (std::size_t c = 0; c < 2; ++c) {
      contacts[c] = {.point = {1.0, 2.0, 2.0}, .normal = {0.0, 0.0, 1.0}, .gap = 0.5, .first = 0, .feature = c};
      contacts[c].impulse = {0.0, 0.0, c == 0 ? 4.0 : 1e-3};
    }
    std::vector<RunEvent> events{{.t = values[0], .kind = 1, .interaction = 0, .row = 0, .value = 2.0}};
    std::string solver = "lemke";
    change(k, contacts, events, solver);
    RunStep step{.values = values, .hash = 7, .solver = solver, .contacts = contacts, .events = events};
    step.arrays[0] = q;
    step.arrays[1] = v;
    writer.add(step);
  }
  writer.close();
}

TEST(Runs, CompareLooksAtContactsEventsAndAlgorithms) {
  using Contacts = std::vector<ActingContact>;
  using Events = std::vector<RunEvent>;
  const Folder folder;
  write_rows(folder.at("a.h5"), [](Index, Contacts&, Events&, std::string&) {});
  const auto compared = [&](const char* name, const auto& change, std::vector<std::string> options = {}) {
    const std::string path = folder.at(std::string(name) + ".h5");
    if (!std::filesystem::exists(path)) write_rows(path, change);
    std::vector<std::string> line{"compare"};
    line.insert(line.end(), options.begin(), options.end());
    line.insert(line.end(), {folder.at("a.h5"), path});
    return run(line);
  };
  const auto has = [](const Outcome& outcome, const std::string& part) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in\n" << outcome.out;
  };
  // The order within a step is none of a contact's.
  const Outcome turned = compared("turned", [](Index k, Contacts& contacts, Events&, std::string&) {
    if (k == 4) std::swap(contacts[0], contacts[1]);
  });
  EXPECT_EQ(turned.code, command::success) << turned.out;
  has(turned, "the same bits");
  has(turned, "20 rows of contacts, 10 events");

  // By (0, 3, 4) * 1e-6, of 3: |a - b| / |a| = 5e-6 / 3; the worst is that of step 7, the first that of step 5.
  const auto push = [](Index k, Contacts& contacts, Events&, std::string&) {
    if (k == 5) contacts[1].point.y() += 3e-7;
    if (k == 7) contacts[0].point += Eigen::Vector3d(0.0, 3e-6, 4e-6);
  };
  const Outcome pushed = compared("pushed", push);
  EXPECT_EQ(pushed.code, command::not_solved);
  has(pushed, "contacts.point: apart by 1.67e-06 of its largest at step 7, from step 5 on");
  EXPECT_EQ(compared("pushed", push, {"--tolerance", "2e-6"}).code, command::success);
  has(compared("pushed", push, {"--tolerance", "1e-6"}), "at step 7, from step 7 on");

  // A contact that one run has alone, of an impulse of 1e-3 beside 4.
  const auto lose = [](Index k, Contacts& contacts, Events&, std::string&) {
    if (k >= 8) contacts.pop_back();
  };
  const Outcome lost = compared("lost", lose);
  EXPECT_EQ(lost.code, command::not_solved);
  has(lost, "contacts only in the first: 2, only in the second: 0, from step 8 on");
  has(lost, "contacts.impulse: apart by 0.00025 of its largest at step 8, from step 8 on");
  EXPECT_EQ(compared("lost", lose, {"--tolerance", "1e-4"}).code, command::not_solved);
  const Outcome within = compared("lost", lose, {"--tolerance", "1e-3"});
  EXPECT_EQ(within.code, command::not_solved) << "the number of contacts is a column";

  const Outcome other = compared("other", [](Index k, Contacts& contacts, Events&, std::string&) {
    if (k == 3) contacts[0].feature = 9;
  });
  has(other, "contacts only in the first: 1, only in the second: 1, from step 3 on");
  EXPECT_EQ(other.code, command::not_solved);

  const Outcome late = compared("late", [](Index k, Contacts&, Events& events, std::string&) {
    if (k == 6) events[0].value = 2.5;
    if (k == 2) events[0].kind = 3;
  });
  EXPECT_EQ(late.code, command::not_solved);
  has(late, "events.value: apart by 0.2 of its largest at step 6, from step 6 on");
  has(late, "events only in the first: 1, only in the second: 1, from step 2 on");

  const auto rename = [](Index k, Contacts&, Events&, std::string& solver) {
    if (k == 9) solver = "admm";
  };
  const Outcome renamed = compared("renamed", rename);
  EXPECT_EQ(renamed.code, command::not_solved);
  has(renamed, "solved by other algorithms from step 9 on: lemke and admm");
  EXPECT_EQ(compared("renamed", rename, {"--tolerance", "1e-12"}).code, command::success);
  auto json = members(lines(compared("lost", lose, {"--json"}).out).back());
  EXPECT_EQ(json["contacts_only_first"], "2");
  EXPECT_EQ(json["first_unpaired_contact"], "8");
  EXPECT_EQ(json["first_other_solver"], "-1");
}

TEST(Runs, CompareOfNoStepIsNoProof) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  write_run(folder.at("first.h5"), 1);
  const Outcome none = run({"compare", "--restarted", folder.at("a.h5"), folder.at("first.h5")});
  EXPECT_EQ(none.code, command::not_solved) << none.out;
  EXPECT_NE(none.out.find("no step to compare"), std::string::npos) << none.out;
}

TEST(Runs, ExtractRefusesANameTwice) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  const Outcome twice = run({"extract", folder.at("a.h5"), "mass.q1", "mass.q1"});
  EXPECT_EQ(twice.code, command::bad_input);
  EXPECT_NE(twice.err.find("'mass.q1' twice"), std::string::npos) << twice.err;
}

TEST(Runs, CompareFindsWhereARunWentOn) {
  const Folder folder;
  const auto ball = [](double velocity) {
    NonSmoothDynamicalSystem model;
    const SystemHandle body = model.add(LagrangianLinearSystem{.mass = {{1.0}},
                                                               .force = Eigen::VectorXd::Constant(1, -9.81),
                                                               .q0 = {{1.0}},
                                                               .v0 = Eigen::VectorXd::Constant(1, velocity)});
    model.link(body, LagrangianLinearRelation{.H = {{1.0}}, .b = {}}, NewtonImpactLaw{0.8});
    return model;
  };
  {
    TimeStepping straight(ball(0.0), {.step = 1e-2}), other(ball(0.1), {.step = 1e-2}),
        further(ball(0.0), {.step = 1e-2});
    Recorder whole(folder.at("whole.h5"), straight, {.checkpoint_every = 30}),
        apart(folder.at("apart.h5"), other, {.checkpoint_every = 30});
    ASSERT_TRUE(straight.advance_to(0.8, whole));
    ASSERT_TRUE(other.advance_to(0.8, apart));
    whole.close();
    apart.close();
    restore(further, folder.at("whole.h5"));  // the checkpoint behind step 60 of 80
    Recorder recorder(folder.at("further.h5"), further, {.file = {.chunk_steps = 3}});
    ASSERT_TRUE(further.advance_to(0.8, recorder));
  }
  const Outcome same = run({"compare", "--restarted", folder.at("whole.h5"), folder.at("further.h5")});
  EXPECT_EQ(same.code, command::success) << same.out << same.err;
  EXPECT_NE(same.out.find("the same bits"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("over 20 steps"), std::string::npos) << same.out;
  EXPECT_EQ(run({"compare", folder.at("whole.h5"), folder.at("further.h5")}).code, command::not_solved);
  const Outcome none = run({"compare", "--restarted", folder.at("apart.h5"), folder.at("further.h5")});
  EXPECT_EQ(none.code, command::not_solved);
  EXPECT_NE(none.out.find("at no step"), std::string::npos) << none.out;
}

TEST(Runs, PlotDrawsByNameOrLeavesAScript) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  const std::vector<std::vector<std::string>> pictures{
      {"mass.q1", "kinetic"}, {"mass.v1", "--x", "mass.q1"}, {"mass.q1", "--spectrum"}, {"kinetic"}};
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string stem = folder.at("picture" + std::to_string(i));
    std::vector<std::string> line{"plot", folder.at("a.h5"), "-o", stem};
    line.insert(line.end(), pictures[i].begin(), pictures[i].end());
    const Outcome drawn = run(line);
    if (drawn.code == command::success) {
      EXPECT_TRUE(std::filesystem::exists(stem + ".svg") && std::filesystem::exists(stem + ".png")) << stem;
      EXPECT_EQ(drawn.out, stem + ".svg, " + stem + ".png: 150 steps\n");
      std::ifstream svg(stem + ".svg");
      const std::string text{std::istreambuf_iterator<char>(svg), {}};
      EXPECT_EQ(text.find("[J]") != std::string::npos, i == 3) << "the unit of a column alone";
    } else {
      EXPECT_NE(drawn.err.find("gnuplot"), std::string::npos) << drawn.err;
    }
  }
  EXPECT_EQ(run({"plot", folder.at("a.h5"), "mass.q1", "--spectrum", "--log", "-o", folder.at("c")}).code,
            command::bad_input);
  EXPECT_EQ(run({"plot", folder.at("a.h5"), "mass.w1", "-o", folder.at("b.svg")}).code, command::bad_input);
  EXPECT_EQ(run({"plot", folder.at("a.h5"), "mass.q1", "-o", folder.at("b.pdf")}).code, command::bad_input);
}

TEST(Runs, ViewWritesAPageOrSaysWhereThreeJsIs) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  const std::string three = folder.write_text("three.js", "const REVISION = 'none';");
  const Outcome shown = run(
      {"view", folder.at("a.h5"), "-o", folder.at("a.html"), "--three", three, "--title", "A < B", "--frames", "100"});
  ASSERT_EQ(shown.code, command::success) << shown.err;
  const std::string page = read_text(folder.at("a.html"));
  EXPECT_NE(page.find("<title>A &lt; B</title>"), std::string::npos);
  EXPECT_NE(page.find("100 of 150 steps"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  const Outcome missing = run({"view", folder.at("a.h5"), "-o", folder.at("b.html"), "--three", folder.at("none.js")});
  EXPECT_EQ(missing.code, command::bad_input);
  EXPECT_NE(missing.err.find("libjs-three"), std::string::npos) << missing.err;

  // A page that cannot be written leaves the old one as it was: here a folder has the name of the file beside.
  std::filesystem::create_directories(folder.at("a.html.partial/within"));
  EXPECT_EQ(run({"view", folder.at("a.h5"), "-o", folder.at("a.html"), "--three", three}).code, command::bad_input);
  EXPECT_EQ(read_text(folder.at("a.html")), page);
}

TEST(Runs, NothingIsWrittenOverTheRunItIsMadeOf) {
  const Folder folder;
  const std::string three = folder.write_text("three.js", "const REVISION = 'none';");
  write_run(folder.at("a.h5"));
  write_run(folder.at("b.svg"));
  std::filesystem::create_symlink(folder.at("a.h5"), folder.at("link.html"));
  const std::string before = read_text(folder.at("a.h5")), picture_before = read_text(folder.at("b.svg"));
  for (const std::string& output : {folder.at("a.h5"), folder.at("link.html"), folder.at("./a.h5")}) {
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"view", folder.at("a.h5"), "--three", three, "-o", output},
          {"extract", folder.at("a.h5"), "-o", output},
          {"extract", folder.at("a.h5"), "--contacts", "-o", output},
          {"paraview", folder.at("a.h5"), "-o", output}}) {
      const Outcome refused = run(line);
      EXPECT_EQ(refused.code, command::bad_input) << line[0] << ' ' << output;
      EXPECT_EQ(read_text(folder.at("a.h5")), before) << line[0] << ' ' << output;
      if (line[0] != "paraview") {
        EXPECT_NE(refused.err.find("which holds the run"), std::string::npos) << refused.err;
      }
    }
  }
  const Outcome plotted = run({"plot", folder.at("b.svg"), "mass.q1", "-o", folder.at("b")});
  EXPECT_EQ(plotted.code, command::bad_input);
  EXPECT_NE(plotted.err.find("which holds the run"), std::string::npos) << plotted.err;
  EXPECT_EQ(read_text(folder.at("b.svg")), picture_before);
}

TEST(Runs, ParaviewWritesAFolderOnce) {
  const Folder folder;
  write_run(folder.at("a.h5"));
  const Outcome written = run({"paraview", folder.at("a.h5"), "-o", folder.at("a"), "--frames", "100", "--doubles",
                               "--no-contacts", "--compression", "0"});
  ASSERT_EQ(written.code, command::success) << written.err;
  EXPECT_NE(written.out.find("100 of 150 steps"), std::string::npos) << written.out;
  EXPECT_TRUE(std::filesystem::exists(folder.at("a/values.pvd")));
  EXPECT_EQ(read_text(folder.at("a/scene.py")).find("{{"), std::string::npos);
  const Outcome again = run({"paraview", folder.at("a.h5"), "-o", folder.at("a")});
  EXPECT_EQ(again.code, command::bad_input);
  EXPECT_NE(again.err.find("not empty"), std::string::npos) << again.err;
  for (const char* wrong : {"--frames=1", "--frames=x", "--compression=10", "--compression=-1"}) {
    EXPECT_EQ(run({"paraview", folder.at("a.h5"), "-o", folder.at("b"), wrong}).code, command::bad_input) << wrong;
  }
}

}  // namespace
}  // namespace nonsmooth::command_test::runs_test
