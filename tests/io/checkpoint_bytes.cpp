// SPDX-License-Identifier: Apache-2.0
// Bytes of a checkpoint that were cut off, damaged or forged: each is refused with its place, and nothing is changed.
#include <nonsmooth/io/checkpoint.hpp>

#include <fstream>
#include <iterator>

#include <nonsmooth/io/recorder.hpp>

#include <zlib.h>

#include "checkpoint_scenes.hpp"
#include "run_files.hpp"

namespace nonsmooth::checkpoint_bytes_test {
namespace {

using namespace checkpoint_tests;
using namespace run_files_test;

class CheckpointBytes : public Files {
 protected:
  static constexpr double kEnd = 0.25;

  CheckpointBytes() : simulation_(SpheresAndCart().model, {.step = 1e-3}) {
    simulation_.advance_to(kEnd);
    checkpoint_ = checkpoint_of(simulation_);
  }
  /// What restore() says of the bytes; empty: it took them.
  std::string refusal(std::string bytes) {
    TimeStepping& other = target_;
    try {
      restore(other, Checkpoint{std::move(bytes), "pile.state"});
    } catch (const FormatError& error) {
      EXPECT_EQ(std::as_const(other).state().t, 0.0);
      return error.what();
    }
    return {};
  }
  static std::uint64_t word(const std::string& bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < 8; ++k) value |= std::uint64_t{static_cast<unsigned char>(bytes[at + k])} << (8 * k);
    return value;
  }
  static void put(std::string& bytes, std::size_t at, std::uint64_t value) {
    for (std::size_t k = 0; k < 8; ++k) bytes[at + k] = static_cast<char>((value >> (8 * k)) & 0xffU);
  }
  /// The length and the checksum are made to fit again: a forger's.
  static void mend(std::string& bytes) {
    put(bytes, 32, bytes.size());
    const auto size = static_cast<uInt>(bytes.size() - 8);
    put(bytes, bytes.size() - 8, crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), size));
  }
  /// Where the state begins: behind the format, the version, the length, three texts and the fingerprint.
  [[nodiscard]] std::size_t state_at() const {
    std::size_t at = 40;
    for (int text = 0; text < 3; ++text) at += 8 + word(checkpoint_.bytes, at);
    return at + 16 + word(checkpoint_.bytes, at + 8);
  }

  TimeStepping simulation_;
  TimeStepping target_{SpheresAndCart().model, {.step = 1e-3}};
  Checkpoint checkpoint_;
};

TEST_F(CheckpointBytes, EveryTruncationIsRefused) {
  const std::string& whole = checkpoint_.bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string told = refusal(whole.substr(0, size));
    ASSERT_TRUE(contains(told, "pile.state, byte ")) << size << ": " << told;
  }
  EXPECT_TRUE(contains(refusal({}), "byte 0 (the format): found 0 bytes to the end, expected 24"));
  EXPECT_TRUE(contains(refusal(whole + "x"), "byte 32 (the length)"));
}

TEST_F(CheckpointBytes, EveryByteThatChangedIsRefused) {
  const std::string& whole = checkpoint_.bytes;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    ASSERT_TRUE(contains(refusal(std::move(damaged)), "pile.state, byte ")) << at;
  }
}

TEST_F(CheckpointBytes, ForeignOnesAreRefused) {
  EXPECT_TRUE(contains(refusal(std::string(1000, 'x')), "byte 0 (the format): found other bytes"));
  std::string later = checkpoint_.bytes;
  put(later, 24, 2);
  mend(later);
  EXPECT_TRUE(contains(refusal(later), "byte 24 (the version): found 2, expected 1"));
  std::ofstream(file("note.txt")) << "no checkpoint";
  EXPECT_TRUE(contains(complaint<FormatError>([&] { restore(simulation_, file("note.txt")); }), "note.txt, byte 0"));
}

TEST_F(CheckpointBytes, ForgedNumbersAreRefusedOrTaken) {
  // Words of the state whose checksum was made to fit: counts and numbers of bodies are never believed. What is one of
  // a state's doubles may be taken, or refused by set_state().
  Index refused = 0, taken = 0;
  for (std::size_t at = state_at(); at + 8 < checkpoint_.bytes.size(); at += 8) {
    for (const std::uint64_t value : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{7}}) {
      std::string forged = checkpoint_.bytes;
      put(forged, at, value);
      mend(forged);
      TimeStepping other(SpheresAndCart().model, {.step = 1e-3, .examination = Examination::Off});
      try {
        restore(other, Checkpoint{std::move(forged), "pile.state"});
        ++taken;
      } catch (const FormatError&) {
        ++refused;
      } catch (const InvalidArgument&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(taken, 20);
  // The count of positions: 8 words behind the times and counters.
  std::string forged = checkpoint_.bytes;
  const std::size_t count = state_at() + 7 * 8;
  ASSERT_EQ(word(forged, count), 3U * 7U + 1U);
  put(forged, count, 21);
  mend(forged);
  EXPECT_TRUE(
      contains(refusal(forged), "byte " + std::to_string(count) + " (positions): found 21 numbers, expected 22"));
  put(forged, count, std::uint64_t{1} << 60);
  mend(forged);
  EXPECT_TRUE(contains(refusal(forged), "for which there is room"));
}

TEST_F(CheckpointBytes, InFilesOfRunsAreRefusedOrWholeWhateverIsDamaged) {
  TimeStepping run(SpheresAndCart().model, {.step = 1e-3});
  {
    Recorder recorder(file("run.h5"), run, {.file = {.chunk_steps = 8}});
    ASSERT_TRUE(run.advance_to(0.02, recorder));
    recorder.checkpoint();
    recorder.close();
  }
  const std::uint64_t hash = hash_of(std::as_const(run).state());
  std::ifstream stream(file("run.h5"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  Index refused = 0, named = 0, restored = 0;
  const auto try_file = [&](const std::string& bytes) {
    std::ofstream(file("bad.h5"), std::ios::binary | std::ios::trunc) << bytes;
    try {
      restore(target_, file("bad.h5"));
      EXPECT_EQ(hash_of(std::as_const(target_).state()), hash);
      target_ = TimeStepping(SpheresAndCart().model, {.step = 1e-3});
      ++restored;
    } catch (const FileError& error) {
      EXPECT_TRUE(contains(error.what(), "bad.h5")) << error.what();
      named += contains(error.what(), "/checkpoints/") ? 1 : 0;
      ++refused;
    } catch (const InvalidArgument& error) {  // cut off before the checkpoint
      EXPECT_TRUE(contains(error.what(), "bad.h5 without a checkpoint")) << error.what();
      ++refused;
    }
    EXPECT_TRUE(std::as_const(target_).state().t == 0.0);
  };
  try_file(whole);
  ASSERT_EQ(restored, 1);
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 61) try_file(whole.substr(0, size));
  EXPECT_EQ(restored, 1) << "what was cut off was restored";
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 307) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    try_file(bytes);
  }
  EXPECT_GT(named, 3);
  EXPECT_GT(refused, 61);
  // What is no run at all.
  write_problem(lcp::Problem{.M = Eigen::MatrixXd::Identity(2, 2), .q = Eigen::Vector2d(1.0, -1.0)}, file("lcp.h5"));
  EXPECT_TRUE(contains(complaint<FormatError>([&] { restore(target_, file("lcp.h5")); }), "lcp.h5"));
}

TEST_F(CheckpointBytes, AFailedSaveLeavesTheOldOne) {
  save_checkpoint(file("state"), simulation_);
  std::filesystem::create_directory(file("state.partial"));  // where the new one would be made
  EXPECT_THROW(save_checkpoint(file("state"), simulation_), FileError);
  EXPECT_NO_THROW(restore(target_, file("state")));
  EXPECT_EQ(std::as_const(target_).state().t, std::as_const(simulation_).state().t);
}

}  // namespace
}  // namespace nonsmooth::checkpoint_bytes_test
