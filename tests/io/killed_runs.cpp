// SPDX-License-Identifier: Apache-2.0
// Runs that end otherwise than planned: killed at any instant, on a full disk, without permission. What was written is
// there, bit for bit.
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <hdf5.h>

#include <nonsmooth/io/checkpoint.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/kernel/body_contacts.hpp>
#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "run_files.hpp"
#include "run_processes.hpp"

namespace nonsmooth::killed_runs_test {
namespace {

using namespace run_files_test;
using namespace std::chrono_literals;

class KilledRuns : public Files {};

/// Until a child is killed: longer where it had not begun by then, as on a machine that is busy.
class DrawnWait {
 public:
  DrawnWait(unsigned seed, std::chrono::microseconds least, std::chrono::microseconds most)
      : random_(seed), least_(least), span_(static_cast<std::uint64_t>((most - least).count())) {}

  void wait() { std::this_thread::sleep_for(least_ + std::chrono::microseconds(random_() % span_)); }
  void was_too_short() { span_ += span_ / 4; }

 private:
  std::mt19937_64 random_;
  std::chrono::microseconds least_;
  std::uint64_t span_;
};

/// Spheres that fall on one another and on a floor, with friction.
NonSmoothDynamicalSystem pile(int count) {
  NonSmoothDynamicalSystem model;
  std::vector<BodyShapes> bodies;
  for (int i = 0; i < count; ++i) {
    const double x = 0.15 * (i % 3) + 0.01 * i, z = 0.12 + 0.22 * (i / 3);
    const auto body = model.add(RigidBody{.mass = 1.0 + 0.1 * i,
                                          .inertia = Eigen::Matrix3d(0.004 * Eigen::Matrix3d::Identity()),
                                          .position = {x, 0.02 * (i % 2), z},
                                          .velocity = {},
                                          .gravity = {0.0, 0.0, -9.81}});
    bodies.push_back({body, {{.shape = Sphere{0.1}}}});
  }
  model.detect(BodyContacts(bodies, {{.shape = HalfSpace{}}},
                            NewtonImpactFrictionLaw{.restitution = 0.3, .friction = 0.4, .dimension = 3}));
  return model;
}

constexpr Index kSteps = 4000;
TimeStepping simulation() { return {pile(7), {.step = 1e-3}}; }

/// The steps that a file has are those of the run that nobody ended.
void expect_prefix(const RunFile& run, const RunFile& whole) {
  const Index n = run.num_steps();
  ASSERT_LE(n, whole.num_steps());
  ASSERT_EQ(run.hashes(), whole.hashes(0, n));
  const auto bits = [](const std::vector<double>& list) {
    std::vector<std::uint64_t> all;
    for (const double x : list) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
  };
  for (const std::string& name : run.columns()) {
    if (name == "first_contact") continue;  // by chunks, which are written when their time comes
    ASSERT_EQ(bits(run.column(name)), bits(whole.column(name, 0, n))) << name;
  }
  if (n == 0) return;
  ASSERT_EQ(run.rows(RunArray::Positions, 0, n), whole.rows(RunArray::Positions, 0, n));
  ASSERT_EQ(run.rows(RunArray::Unknowns, 0, n), whole.rows(RunArray::Unknowns, 0, n));
  for (Index step = 0; step < n; step += std::max<Index>(1, n / 50))
    ASSERT_EQ(run.contacts(step), whole.contacts(step));
  ASSERT_EQ(run.contacts(n - 1), whole.contacts(n - 1));
}

TEST_F(KilledRuns, WriterKilledAtAnyInstantLosesAtMostItsLastChunk) {
  constexpr Index chunk = 4;
  DrawnWait until_killed(20, 0ms, 60ms);
  const HandmadeRun made;
  SharedCount added;
  int read = 0;
  for (int trial = 0; trial < 60 && read < 25; ++trial) {
    std::filesystem::remove(file("run.h5"));
    added.set(0);
    const pid_t child = start_child([&]() -> int {
      RunWriter writer(file("run.h5"), made.description, {.chunk_steps = chunk, .flush_after = trial % 2 ? 0.0 : 1e-3});
      for (Index step = 0;; ++step) {
        made.add_to(writer, step, step + 1);
        added.set(step + 1);
      }
    });
    until_killed.wait();
    ::kill(child, SIGKILL);
    EXPECT_EQ(end_of(child), -1);
    if (!std::filesystem::exists(file("run.h5"))) {
      until_killed.was_too_short();
      continue;
    }
    ++read;
    const RunFile run(file("run.h5"));
    SCOPED_TRACE("trial " + std::to_string(trial) + ", " + std::to_string(added.get()) + " steps added");
    EXPECT_FALSE(run.live());
    EXPECT_FALSE(run.parts()[0].closed);
    EXPECT_GE(run.num_steps(), added.get() - chunk);
    EXPECT_LE(run.num_steps(), added.get() + 1);  // one that was being added
    HandmadeRun::expect_steps(run, 0, run.num_steps());
    const RunFile again(file("run.h5"));  // its flags are cleared now
    EXPECT_EQ(again.num_steps(), run.num_steps());
  }
  EXPECT_GE(read, 20);
}

TEST_F(KilledRuns, RecorderKilledAtAnyInstantLosesAtMostItsLastChunk) {
  {
    TimeStepping whole = simulation();
    Recorder recorder(file("whole.h5"), whole);
    ASSERT_TRUE(whole.advance_to(1e-3 * kSteps, recorder));
    recorder.close();
  }
  const RunFile whole(file("whole.h5"));
  ASSERT_EQ(whole.num_steps(), kSteps + 1);
  constexpr Index chunk = 16, between = 7;
  DrawnWait until_killed(21, 20ms, 420ms);
  SharedCount recorded;
  int read = 0, restored = 0;
  Index most = 0;
  for (int trial = 0; trial < 60 && read < 20; ++trial) {
    std::filesystem::remove(file("run.h5"));
    recorded.set(0);
    const pid_t child = start_child([&]() -> int {
      TimeStepping own = simulation();
      Recorder recorder(file("run.h5"), own,
                        {.checkpoint_every = between, .file = {.chunk_steps = chunk, .flush_after = 0.0}});
      own.advance_to(1e-3 * kSteps, [&](const State& state, const StepReport& step) {
        recorder(state, step);
        recorded.set(recorder.num_steps());
      });
      for (;;) ::pause();
    });
    until_killed.wait();
    ::kill(child, SIGKILL);
    EXPECT_EQ(end_of(child), -1);
    if (!std::filesystem::exists(file("run.h5"))) {
      until_killed.was_too_short();
      continue;
    }
    ++read;
    SCOPED_TRACE("trial " + std::to_string(trial));
    const RunFile run(file("run.h5"));
    EXPECT_FALSE(run.parts()[0].closed);
    expect_prefix(run, whole);
    EXPECT_GE(run.num_steps(), recorded.get() - chunk);
    most = std::max(most, run.num_steps());
    const auto kept = static_cast<Index>(run.checkpoints().size());
    // One is written before the step behind it: those of all steps but the last two are there.
    EXPECT_GE(kept, (run.num_steps() - 2) / between);
    if (kept == 0) continue;
    ++restored;
    TimeStepping again = simulation();
    restore(again, file("run.h5"));
    const auto steps = static_cast<Index>(std::as_const(again).state().steps);
    EXPECT_EQ(steps, kept * between);
    EXPECT_EQ(hash_of(std::as_const(again).state()), whole.hashes(steps, steps + 1).front());
  }
  EXPECT_GT(restored, 0);
  EXPECT_GE(read, 20);
  EXPECT_GT(most, chunk);
}

/// Changes the last byte, of the checksum, of a row of the index of checkpoints, a chunk each.
void damage_index(const std::filesystem::path& path, hsize_t row) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t set = H5Dopen2(file, "/checkpoints/index", H5P_DEFAULT);
  const std::array<hsize_t, 2> offset{row, 0};
  unsigned mask = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  EXPECT_GE(H5Dget_chunk_info_by_coord(set, offset.data(), &mask, &address, &size), 0);
  H5Dclose(set);
  H5Fclose(file);
  ASSERT_NE(address, HADDR_UNDEF);
  std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto at = static_cast<std::streamoff>(address + size - 1);
  stream.seekg(at);
  const int byte = stream.get();
  stream.seekp(at);
  stream.put(static_cast<char>(byte ^ 0x10));
  ASSERT_TRUE(stream.good());
}

TEST_F(KilledRuns, ACheckpointThatIsHalfWrittenIsLeftOut) {
  const HandmadeRun made;
  const std::string first = "first", second = "second";
  const pid_t child = start_child([&]() -> int {
    RunWriter writer(file("run.h5"), made.description, {.flush_after = 0.0});
    made.add_to(writer, 0, 3);
    writer.add_checkpoint(1.0, first);
    made.add_to(writer, 3, 6);
    writer.add_checkpoint(2.5, second);
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(end_of(child), -1);
  {
    const RunFile run(file("run.h5"));
    ASSERT_EQ(run.checkpoints().size(), 2U);
    EXPECT_EQ(run.checkpoint(1), second);
  }
  damage_index(file("run.h5"), 1);
  {
    const RunFile run(file("run.h5"));
    EXPECT_EQ(run.num_steps(), 6);
    ASSERT_EQ(run.checkpoints().size(), 1U);
    EXPECT_EQ(run.checkpoint(0), first);
  }
  // One before the last is no work of a kill.
  damage_index(file("run.h5"), 0);
  const RunFile run(file("run.h5"));
  EXPECT_TRUE(contains(complaint<FormatError>([&] { (void)run.checkpoints(); }), "/checkpoints/index"));
}

TEST_F(KilledRuns, FullDiskEndsTheRunAndLeavesWhatWasWritten) {
  {
    TimeStepping whole = simulation();
    Recorder recorder(file("whole.h5"), whole);
    ASSERT_TRUE(whole.advance_to(1e-3 * kSteps, recorder));
    recorder.close();
  }
  // A limit on the size of files ends writing as a full disk does; the child's own, for it cannot be lifted again.
  const std::string said = file("said").string();
  const pid_t child = start_child([&]() -> int {
    const struct rlimit limit { 1'000'000, 1'000'000 };
    ::setrlimit(RLIMIT_FSIZE, &limit);
    TimeStepping own = simulation();
    Recorder recorder(file("run.h5"), own, {.file = {.chunk_steps = 16}});
    try {
      own.advance_to(1e-3 * kSteps, recorder);
      recorder.close();
    } catch (const FileError& error) {
      std::FILE* const out = std::fopen(said.c_str(), "w");
      std::fputs(error.what(), out);
      std::fclose(out);
      return 7;
    }
    return 0;
  });
  ASSERT_EQ(end_of(child), 7);
  std::ifstream stream(said);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_TRUE(contains(text, "run.h5: no room on the disk")) << text;
  EXPECT_TRUE(contains(text, "are in the file")) << text;
  const RunFile run(file("run.h5")), whole(file("whole.h5"));
  EXPECT_GT(run.num_steps(), 16);
  EXPECT_TRUE(contains(text, std::to_string(run.num_steps()) + " steps")) << text;
  EXPECT_FALSE(run.parts()[0].closed);
  expect_prefix(run, whole);
}

/// A run of wide rows, the numbers of which do not shrink.
constexpr Index kWide = 200;
double wide_value(Index step, Index column) { return std::sin(static_cast<double>(1 + 1000 * step + column)); }

/// Writes it until there is no room, with chunks that are written before they are full; how many steps the message
/// counts, -1: none.
Index steps_told_of_full_disk(const std::filesystem::path& path) {
  try {
    RunDescription description;
    for (Index c = 1; c <= kWide; ++c) description.columns.push_back("c" + std::to_string(c));
    RunWriter writer(path, description, {.chunk_steps = 16, .flush_after = 0.0});
    const std::string state(3000, 's');
    std::vector<double> values(kWide + 1);
    for (Index step = 0; step < 10'000; ++step) {
      values[0] = 0.5 * static_cast<double>(step + 1);
      for (Index c = 1; c <= kWide; ++c) values[static_cast<std::size_t>(c)] = wide_value(step, c);
      writer.add({.values = values, .hash = HandmadeRun::hash(step)});
      if (step % 7 == 3) writer.flush();
      if (step % 53 == 11) writer.add_checkpoint(values[0], state);
    }
  } catch (const FileError& error) {
    const std::string text = error.what();
    const std::size_t at = text.find("; ");
    if (contains(text, "no room on the disk") && at != std::string::npos) return std::stol(text.substr(at + 2));
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  return -1;
}

/// The run has the steps that were told, with their numbers.
void expect_steps_told(const std::filesystem::path& path, Index told) {
  const RunFile run(path);
  ASSERT_EQ(run.num_steps(), told);
  EXPECT_GT(told, 16);
  EXPECT_FALSE(run.parts()[0].closed);
  const std::vector<double> t = run.times(), last = run.column("c" + std::to_string(kWide));
  const std::vector<std::uint64_t> hashes = run.hashes();
  for (Index step = 0; step < told; ++step) {
    const auto k = static_cast<std::size_t>(step);
    ASSERT_EQ(t[k], 0.5 * static_cast<double>(step + 1));
    ASSERT_EQ(last[k], wide_value(step, kWide));
    ASSERT_EQ(hashes[k], HandmadeRun::hash(step));
  }
  for (Index k = 0; k < static_cast<Index>(run.checkpoints().size()); ++k) EXPECT_EQ(run.checkpoint(k).size(), 3000U);
}

/// What the file says before its first step, larger than the room: the message says so, and nothing is left.
TEST_F(KilledRuns, ARunWhoseDescriptionFindsNoRoomIsNotBegun) {
  const pid_t child = start_child([&]() -> int {
    const struct rlimit limit { 1'000'000, 1'000'000 };
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const RunDescription description{.about = {.notes = std::string(3'000'000, 'n')}};
    const std::string said = complaint<FileError>([&] { RunWriter(file("run.h5"), description); });
    return contains(said, "run.h5: no room on the disk") ? 7 : 0;
  });
  EXPECT_EQ(end_of(child), 7);
  EXPECT_TRUE(std::filesystem::is_empty(file("run.h5").parent_path()));
}

TEST_F(KilledRuns, AFullDiskWhereverItComesLeavesTheStepsThatTheMessageCounts) {
  SharedCount told;
  for (int trial = 0; trial < 8; ++trial) {
    std::filesystem::remove(file("run.h5"));
    const rlim_t bytes = 900'000 + 5000 * static_cast<rlim_t>(trial);
    const pid_t child = start_child([&]() -> int {
      const struct rlimit limit { bytes, bytes };
      ::setrlimit(RLIMIT_FSIZE, &limit);
      told.set(steps_told_of_full_disk(file("run.h5")));
      return 7;
    });
    ASSERT_EQ(end_of(child), 7);
    SCOPED_TRACE(std::to_string(bytes) + " bytes");
    expect_steps_told(file("run.h5"), told.get());
  }
}

TEST_F(KilledRuns, ADiskThatIsFullItselfLeavesTheStepsThatTheMessageCounts) {
  // A small file system in memory, which the child alone sees: what it wrote there it copies out.
  constexpr int kNotPermitted = 77;
  SharedCount told;
  std::filesystem::create_directory(file("small"));
  const pid_t child = start_child([&]() -> int {
    if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", file("small").c_str(), "tmpfs", 0, "size=1500k") != 0) {
      return kNotPermitted;
    }
    told.set(steps_told_of_full_disk(file("small/run.h5")));
    std::filesystem::copy_file(file("small/run.h5"), file("run.h5"));
    return 7;
  });
  const int code = end_of(child);
  if (code == kNotPermitted) GTEST_SKIP() << "no file system may be mounted here";
  ASSERT_EQ(code, 7);
  expect_steps_told(file("run.h5"), told.get());
}

TEST_F(KilledRuns, ZerosThatAChunkIsFilledUpWithAreNoSteps) {
  RunDescription description = HandmadeRun().description;
  description.sizes = {6, 8, 3, 3, 3, 3, 0};
  const pid_t child = start_child([&]() -> int {
    RunWriter writer(file("run.h5"), description, {.chunk_steps = 16, .flush_after = 0.0});
    const std::array<double, 8> zeros{};
    for (Index step = 0; step < 12; ++step) {
      const std::array<double, 3> values = {step < 5 ? 0.5 * static_cast<double>(step) : 0.0, 0.0, 0.0};
      RunStep now{.values = values};
      for (std::size_t a = 0; a < num_run_arrays; ++a)
        now.arrays[a] = std::span(zeros).first(static_cast<std::size_t>(description.sizes[a]));
      writer.add(now);
    }
    writer.flush();
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(end_of(child), -1);
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), 5);
}

TEST_F(KilledRuns, AReaderWaitsForAnotherThatMarksTheFileAsClosed) {
  const HandmadeRun made;
  const pid_t child = start_child([&]() -> int {
    RunWriter writer(file("run.h5"), made.description, {.flush_after = 0.0});
    made.add_to(writer, 0, 3);
    writer.flush();
    ::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(end_of(child), -1);
  // Held as HDF5 holds what it opens for writing.
  const int descriptor = ::open(file("run.h5").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  EXPECT_TRUE(contains(complaint<FileError>([&] { RunFile(file("run.h5")); }), "another program has it open"));
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::flock(descriptor, LOCK_UN);
  });
  EXPECT_EQ(RunFile(file("run.h5")).num_steps(), 3);
  other.join();
  ::close(descriptor);
}

TEST_F(KilledRuns, WhatCannotBeMadeIsSaidAtOnce) {
  TimeStepping own = simulation();
  std::ofstream(file("there.h5")) << "precious";
  EXPECT_TRUE(contains(complaint<FileError>([&] { Recorder(file("there.h5"), own); }), "there.h5: exists"));
  std::ifstream there(file("there.h5"));
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(there)), {}), "precious");
  EXPECT_TRUE(contains(complaint<FileError>([&] { Recorder(file("none/run.h5"), own); }), "No such file"));
  EXPECT_TRUE(contains(complaint<FileError>([&] { Recorder("/dev/full", own, {.file = {.overwrite = true}}); }),
                       "no regular file"));
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { Recorder(file("run.h5"), own, {.every = 0}); }), "every"));
  std::filesystem::create_directory(file("locked"));
  std::filesystem::permissions(file("locked"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const pid_t child = start_child([&]() -> int {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 8;  // root may write anywhere
    return contains(complaint<FileError>([&] { Recorder(file("locked/run.h5"), own); }), "Permission denied") ? 7 : 0;
  });
  EXPECT_EQ(end_of(child), 7);
  for (const auto& left : std::filesystem::directory_iterator(file(".")))
    EXPECT_FALSE(left.path().string().ends_with(".new")) << left;
}

}  // namespace
}  // namespace nonsmooth::killed_runs_test
