// SPDX-License-Identifier: Apache-2.0
// Run files by hand: what RunWriter writes, RunFile reads back, bit for bit, whatever the chunks; several files as one;
// what is no run is refused by name.
#include "run_files.hpp"

#include <fstream>
#include <iterator>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth::run_files_test {
namespace {

using namespace run_files_test;

class RunFiles : public Files {};

TEST_F(RunFiles, RoundTripKeepsEveryBit) {
  for (const Index chunk : {1, 2, 7, 0}) {
    for (const int compression : {0, 1, 9}) {
      SCOPED_TRACE("chunks of " + std::to_string(chunk) + " steps, compression " + std::to_string(compression));
      const HandmadeRun made;
      RunWriter writer(file("run.h5"), made.description,
                       {.compression = compression, .chunk_steps = chunk, .overwrite = true});
      made.add_to(writer, 0, 45);
      writer.add_checkpoint(22.5, std::string("whole state\0 with a zero", 24));
      made.add_to(writer, 45, 60);
      writer.close("as planned");
      EXPECT_EQ(writer.num_written(), 60);

      const RunFile run(file("run.h5"));
      EXPECT_EQ(run.about(), made.description.about);
      EXPECT_FALSE(run.live());
      ASSERT_EQ(run.parts().size(), 1U);
      EXPECT_TRUE(run.parts()[0].closed);
      EXPECT_EQ(run.parts()[0].end, "as planned");
      EXPECT_EQ(run.parts()[0].systems, made.description.systems);
      EXPECT_EQ(run.parts()[0].interactions, made.description.interactions);
      EXPECT_EQ(run.parts()[0].sizes, made.description.sizes);
      EXPECT_EQ(run.columns(), (std::vector<std::string>{"t", "length", "kinetic", "contacts", "first_contact",
                                                         "events", "first_event"}));
      ASSERT_EQ(run.num_steps(), 60);
      HandmadeRun::expect_steps(run, 0, 60);
      EXPECT_EQ(run.table(0, "/scene/shapes"), made.description.tables[0].rows);
      EXPECT_EQ(run.texts(0, "/scene/names"), made.description.texts[0].texts);
      EXPECT_TRUE(run.has(0, "/scene/shapes"));
      EXPECT_FALSE(run.has(0, "/scene/none"));
      EXPECT_FALSE(run.has(0, "/none/at/all"));
      const auto checkpoints = run.checkpoints();
      ASSERT_EQ(checkpoints.size(), 1U);
      EXPECT_EQ(checkpoints[0].step, 44);
      EXPECT_EQ(checkpoints[0].t, 22.5);
      EXPECT_EQ(run.checkpoint(0), std::string("whole state\0 with a zero", 24));
      const std::vector<double> series = run.series(RunArray::Unknowns, 4, 10, 20);
      for (std::size_t k = 0; k < series.size(); ++k)
        EXPECT_TRUE(HandmadeRun::same_bits(series[k], HandmadeRun::value(1, 10 + static_cast<Index>(k), 4)));
    }
  }
}

/// Contacts that come some at a time, before those of the step's own list, with flushes between.
TEST_F(RunFiles, ContactsThatComeSomeAtATimeAreThoseOfTheStep) {
  const HandmadeRun handmade;
  RunWriter writer(file("some.h5"), handmade.description, {.chunk_steps = 3});
  const Index steps = 17;
  for (Index step = 0; step < steps; ++step) {
    const std::vector<ActingContact> all = HandmadeRun::contacts(step);
    const std::size_t early = std::min<std::size_t>(all.size(), static_cast<std::size_t>(step % 4));
    for (std::size_t i = 0; i < early; ++i) {
      writer.add_contacts(std::span(all).subspan(i, 1));
      if (step % 3 == 1) writer.flush();
    }
    const std::vector<double> values = {0.5 * static_cast<double>(step), 0.5, 0.0};
    RunStep now{.values = values, .contacts = std::span(all).subspan(early)};
    std::array<std::vector<double>, num_run_arrays> arrays;
    for (std::size_t a = 0; a < num_run_arrays; ++a) {
      arrays[a].resize(static_cast<std::size_t>(handmade.description.sizes[a]));
      now.arrays[a] = arrays[a];
    }
    writer.add(now);
  }
  writer.close();
  EXPECT_THROW(writer.add_contacts({}), FileError);
  const RunFile run(file("some.h5"));
  ASSERT_EQ(run.num_steps(), steps);
  for (Index step = 0; step < steps; ++step) EXPECT_EQ(run.contacts(step), HandmadeRun::contacts(step)) << step;
}

TEST_F(RunFiles, PartsAreOneRun) {
  HandmadeRun first(0), second(1);
  second.description.systems.push_back({"new", 6, 3, 8, 3, false});
  second.description.sizes[0] = 9;
  second.description.sizes[1] = 11;
  second.description.columns = {"t", "length", "kinetic", "residual"};
  {
    RunWriter writer(file("run.h5"), first.description);
    first.add_to(writer, 0, 30);
  }
  {
    RunWriter writer(run_part_path(file("run.h5"), 1), second.description);
    for (Index step = 30; step < 50; ++step) {
      RunDescription same = second.description;
      const std::vector<double> values = {0.5 * static_cast<double>(step), 0.5, std::exp(-static_cast<double>(step)),
                                          1e-12};
      std::array<std::vector<double>, num_run_arrays> arrays;
      const auto contacts = HandmadeRun::contacts(step);
      const auto events = HandmadeRun::events(step);
      const std::string name = HandmadeRun::solver(step);
      RunStep now{
          .values = values, .hash = HandmadeRun::hash(step), .solver = name, .contacts = contacts, .events = events};
      for (std::size_t a = 0; a < num_run_arrays; ++a) {
        for (Index i = 0; i < same.sizes[a]; ++i) arrays[a].push_back(HandmadeRun::value(a, step, i));
        now.arrays[a] = arrays[a];
      }
      writer.add(now);
    }
  }
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.parts().size(), 2U);
  ASSERT_EQ(run.num_steps(), 50);
  EXPECT_EQ(run.part_of(29), 0);
  EXPECT_EQ(run.part_of(30), 1);
  EXPECT_EQ(run.parts()[1].systems.size(), 4U);
  HandmadeRun::expect_steps(run, 0, 50);
  const std::vector<double> residual = run.column("residual");
  EXPECT_TRUE(std::isnan(residual[29]));
  EXPECT_EQ(residual[30], 1e-12);
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)run.rows(RunArray::Positions, 20, 40); }), "one part"));

  // From a later file on, the rest; another run's files of these names are not taken for parts.
  const RunFile rest(file("run.1.h5"));
  EXPECT_EQ(rest.num_steps(), 20);
  HandmadeRun other(0);
  other.description.about.run = 77;
  EXPECT_TRUE(contains(complaint<FileError>([&] { RunWriter(file("run.h5"), other.description); }), "exists"));
  RunWriter(file("run.h5"), other.description, {.overwrite = true}).close();
  EXPECT_EQ(RunFile(file("run.h5")).parts().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(file("run.1.h5")));
}

TEST_F(RunFiles, ReaderFollowsARunThatGrows) {
  const HandmadeRun made;
  RunWriter writer(file("run.h5"), made.description, {.chunk_steps = 4, .flush_after = 0.0});
  RunFile run(file("run.h5"));
  EXPECT_TRUE(run.live());
  EXPECT_EQ(run.num_steps(), 0);
  made.add_to(writer, 0, 10);
  EXPECT_TRUE(run.refresh());
  EXPECT_EQ(run.num_steps(), 8);  // whole chunks
  HandmadeRun::expect_steps(run, 0, 8);
  writer.flush();
  EXPECT_TRUE(run.refresh());
  EXPECT_EQ(run.num_steps(), 10);
  HandmadeRun::expect_steps(run, 0, 10);
  EXPECT_FALSE(run.refresh());
  made.add_to(writer, 10, 11);
  writer.close();
  EXPECT_TRUE(run.refresh());
  EXPECT_FALSE(run.live());
  EXPECT_TRUE(run.parts()[0].closed);
  HandmadeRun::expect_steps(run, 0, 11);
}

TEST_F(RunFiles, WhatIsNoRunIsRefusedByName) {
  EXPECT_TRUE(contains(complaint<FileError>([&] { RunFile(file("none.h5")); }), "none.h5: cannot be opened"));
  EXPECT_TRUE(contains(complaint<FileError>([&] { RunFile(file(".")); }), "no regular file"));
  std::ofstream(file("empty.h5")).flush();
  EXPECT_TRUE(contains(complaint<FormatError>([&] { RunFile(file("empty.h5")); }), "no byte"));
  std::ofstream(file("text.h5")) << "t,x\n0,1\n";
  EXPECT_TRUE(contains(complaint<FormatError>([&] { RunFile(file("text.h5")); }), "other first bytes"));
  write_problem(lcp::Problem{.M = Eigen::MatrixXd::Identity(2, 2), .q = Eigen::Vector2d(1.0, -1.0)}, file("lcp.h5"));
  EXPECT_TRUE(contains(complaint<FormatError>([&] { RunFile(file("lcp.h5")); }), "'nonsmooth-problem'"));
}

TEST_F(RunFiles, TruncatedAndDamagedFilesAreRefusedOrReadAsFarAsTheyAreWhole) {
  const HandmadeRun made;
  {
    RunWriter writer(file("run.h5"), made.description, {.chunk_steps = 8});
    made.add_to(writer, 0, 40);
    writer.add_checkpoint(20.0, std::string("a state"));
  }
  std::ifstream stream(file("run.h5"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  const auto write = [&](const std::string& bytes) {
    std::ofstream(file("bad.h5"), std::ios::binary | std::ios::trunc) << bytes;
  };
  /// Reads all of it; what it complains of, naming the file.
  const auto read_all = [&]() -> std::string {
    try {
      const RunFile run(file("bad.h5"));
      HandmadeRun::expect_steps(run, 0, run.num_steps());
      for (const RunFile::Checkpoint& one : run.checkpoints()) EXPECT_EQ(one.size, 7);
      for (Index k = 0; k < static_cast<Index>(run.checkpoints().size()); ++k) EXPECT_EQ(run.checkpoint(k), "a state");
    } catch (const FileError& error) {
      EXPECT_TRUE(contains(error.what(), "bad.h5")) << error.what();
      return error.what();
    }
    return {};
  };
  write(whole);
  ASSERT_EQ(read_all(), "");
  constexpr std::size_t signature = 8;  // of fewer bytes nobody knows what they were
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    write(whole.substr(0, size));
    const std::string said = read_all();
    const std::string cause = ": found " + std::to_string(size) + " bytes, expected " + std::to_string(whole.size()) +
                              ", as byte 28 says: the file was cut off";
    EXPECT_TRUE(size < signature ? said != "" : contains(said, cause)) << size << ": " << said;
  }
  write(whole.substr(0, 40));
  EXPECT_TRUE(contains(read_all(), "found 40 bytes, expected 48 of the superblock alone: the file was cut off"));
  // One byte of each 97: noticed by a checksum and named, or of no meaning; never another number.
  int named = 0;
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write(bytes);
    const std::string said = read_all();
    if (contains(said, "/steps/") || contains(said, "/contacts/") || contains(said, "/events/")) ++named;
  }
  EXPECT_GT(named, 10);
}

TEST_F(RunFiles, WhatIsAskedForWronglyIsRefused) {
  const HandmadeRun made;
  RunWriter writer(file("run.h5"), made.description);
  made.add_to(writer, 0, 3);
  writer.close();
  EXPECT_TRUE(contains(complaint<FileError>([&] { writer.flush(); }), "closed"));
  const RunFile run(file("run.h5"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)run.column("energy"); }), "one of t, length, kinetic"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)run.column("t", 0, 4); }), "steps 0 to 4"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)run.positions(3); }), "step 3"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)run.series(RunArray::Forces, 0, 0, 3); }), "entry 0"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)run.checkpoint(0); }), "there are 0"));
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)run.table(0, "/scene/none"); }), "/scene/none"));
}

TEST_F(RunFiles, ChunksThatNobodyReadsAreRefused) {
  // Steps of 8 200000 bytes: 2^30 / 1600000 = 671.09.
  HandmadeRun made;
  made.description.sizes[0] = 200'000;
  const std::string told =
      complaint<InvalidArgument>([&] { RunWriter(file("run.h5"), made.description, {.chunk_steps = 672}); });
  EXPECT_TRUE(contains(told, "RunWriterOptions::chunk_steps")) << told;
  EXPECT_TRUE(contains(told, "0 to 671 of such steps")) << told;
  EXPECT_FALSE(std::filesystem::exists(file("run.h5")));
  { const RunWriter writer(file("run.h5"), made.description, {.chunk_steps = 671}); }
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), 0);
}

}  // namespace
}  // namespace nonsmooth::run_files_test
