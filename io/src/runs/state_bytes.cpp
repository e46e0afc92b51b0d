// SPDX-License-Identifier: Apache-2.0
#include "state_bytes.hpp"

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>

#include "../zlib_stream.hpp"

namespace nonsmooth::runs {
namespace {

constexpr std::string_view kFormat("nonsmooth checkpoint\0\0\0\0", 24);
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kLengthAt = kFormat.size() + 8, kHeadAt = kLengthAt + 8;
/// A stream of zlib stands for at most 1032 times its bytes, and some.
constexpr std::uint64_t kMostRatio = 1032;

/// How many numbers an array may have instead.
enum class Other : unsigned char {
  None,
  Empty,
  WithRows  ///< a number a row more, and one
};

/// Arrays of a state, and how many numbers each has.
struct Array {
  const char* name;
  Eigen::VectorXd State::*values;
  Index Layout::*size;
  Other other;
};
constexpr Array kArrays[] = {{"positions", &State::positions, &Layout::num_positions, Other::None},
                             {"unknowns", &State::unknowns, &Layout::num_unknowns, Other::None},
                             {"outputs", &State::outputs, &Layout::num_rows, Other::None},
                             {"velocities", &State::velocities, &Layout::num_rows, Other::None},
                             {"multipliers", &State::multipliers, &Layout::num_rows, Other::None},
                             {"percussions", &State::percussions, &Layout::num_rows, Other::None},
                             {"forces", &State::forces, &Layout::num_rows, Other::Empty},
                             {"projections", &State::projections, &Layout::num_rows, Other::None},
                             {"differences", &State::differences, &Layout::num_unknowns, Other::WithRows},
                             {"law_memory", &State::law_memory, &Layout::num_memory, Other::None}};

struct Times {
  const char* name;
  double State::*value;
};
constexpr Times kTimes[] = {{"t", &State::t},
                            {"t_origin", &State::t_origin},
                            {"grid_step", &State::grid_step},
                            {"differences_t", &State::differences_t},
                            {"last_step", &State::last_step}};

struct History {
  const char* name;
  std::vector<double> EventHistory::*values;
};
constexpr History kHistories[] = {{"events.loop", &EventHistory::loop},
                                  {"events.mechanics", &EventHistory::mechanics},
                                  {"events.first_order", &EventHistory::first_order},
                                  {"events.users", &EventHistory::users},
                                  {"events.integrator", &EventHistory::integrator}};

class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(bytes) {}

  void natural(std::uint64_t value) {
    char word[8];
    for (int byte = 0; byte < 8; ++byte) word[byte] = static_cast<char>((value >> (8 * byte)) & 0xffU);
    bytes_.append(word, 8);
  }
  void integer(Index value) { natural(static_cast<std::uint64_t>(value)); }
  void real(double value) { natural(std::bit_cast<std::uint64_t>(value)); }
  template <class Numbers>
  void reals(const Numbers& numbers) {
    natural(static_cast<std::uint64_t>(numbers.size()));
    if constexpr (std::endian::native == std::endian::little) {
      bytes_.append(reinterpret_cast<const char*>(numbers.data()), 8 * static_cast<std::size_t>(numbers.size()));
    } else {
      for (const double number : numbers) real(number);
    }
  }
  void integers(const std::vector<Index>& numbers) {
    natural(numbers.size());
    for (const Index number : numbers) integer(number);
  }
  void text(std::string_view text) {
    natural(text.size());
    bytes_.append(text);
  }

 private:
  std::string& bytes_;
};

/// @throws FormatError
class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name, std::size_t at) : bytes_(bytes), name_(name), at_(at) {}

  [[nodiscard]] std::size_t at() const noexcept { return at_; }
  [[noreturn]] void fail(const std::string& what, const std::string& found, const std::string& expected) const {
    throw FormatError(std::string(name_) + ", byte " + std::to_string(last_) + " (" + what + "): found " + found +
                      ", expected " + expected);
  }
  std::uint64_t natural(const char* what) {
    const std::string_view word = take(what, 8);
    std::uint64_t value = 0;
    for (std::size_t byte = 0; byte < 8; ++byte)
      value |= std::uint64_t{static_cast<unsigned char>(word[byte])} << (8 * byte);
    return value;
  }
  double real(const char* what) { return std::bit_cast<double>(natural(what)); }
  /// In [low, high].
  Index integer(const char* what, Index low, Index high) {
    const auto value = static_cast<Index>(natural(what));
    if (value < low || value > high)
      fail(what, std::to_string(value), "one from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
  }
  /// So many things of `width` bytes as are said to follow.
  std::size_t count(const char* what, std::size_t width) {
    const std::uint64_t count = natural(what);
    const std::size_t left = (bytes_.size() - at_) / width;
    if (count > left)
      fail(what, std::to_string(count), "at most " + std::to_string(left) + ", for which there is room");
    return static_cast<std::size_t>(count);
  }
  std::string_view text(const char* what) { return take(what, count(what, 1)); }
  template <class Numbers>
  void reals(const char* what, Numbers& numbers) {
    const std::size_t size = count(what, 8);
    numbers.resize(static_cast<decltype(numbers.size())>(size));
    for (auto& number : numbers) number = real(what);
  }
  /// With `size` numbers, or `other`.
  template <class Numbers>
  void reals(const char* what, Numbers& numbers, Index size, Index other) {
    const std::size_t before = at_;
    reals(what, numbers);
    const auto found = static_cast<Index>(numbers.size());
    if (found == size || found == other) return;
    last_ = before;
    fail(what, std::to_string(found) + " numbers", std::to_string(size) + " as the model has");
  }

  std::string_view take(const char* what, std::size_t size) {
    last_ = at_;
    if (size > bytes_.size() - at_) {
      fail(what, std::to_string(bytes_.size() - at_) + " bytes to the end", std::to_string(size));
    }
    at_ += size;
    return bytes_.substr(last_, size);
  }

 private:
  std::string_view bytes_, name_;
  std::size_t at_, last_ = 0;
};

std::uint64_t checksum(std::string_view bytes) {
  return crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::string unpacked(Reader& reader) {
  constexpr const char* what = "the fingerprint";
  const std::uint64_t size = reader.natural(what);
  const std::string_view stream = reader.text(what);
  if (size > kMostRatio * (stream.size() + 1))
    reader.fail(what, std::to_string(size) + " bytes of " + std::to_string(stream.size()), "a stream of zlib");
  std::string text(static_cast<std::size_t>(size), '\0');
  auto found = static_cast<uLongf>(size);
  const int outcome = uncompress(reinterpret_cast<Bytef*>(text.data()), &found,
                                 reinterpret_cast<const Bytef*>(stream.data()), static_cast<uLong>(stream.size()));
  if (outcome != Z_OK || found != size) reader.fail(what, "a damaged stream of zlib", std::to_string(size) + " bytes");
  return text;
}

void write_contacts(const State& state, Writer& writer) {
  writer.natural(state.contacts.size());
  for (const ContactMemory& one : state.contacts) {
    writer.natural(one.feature);
    writer.natural(one.source);
    writer.natural(one.rows);
    for (const double entry : one.impulse) writer.real(entry);
    for (const double number : {one.work_normal, one.work_tangential, one.gap}) writer.real(number);
    writer.integer(one.sleeper);
  }
}

void read_contacts(Reader& reader, const Layout& layout, State& state) {
  constexpr const char* what = "contacts";
  constexpr std::size_t kWidth = 8 * 13;
  const auto systems = static_cast<Index>(layout.systems.size()), sources = static_cast<Index>(layout.sources.size());
  state.contacts.resize(reader.count(what, kWidth));
  for (ContactMemory& one : state.contacts) {
    one.feature = reader.natural(what);
    one.source = static_cast<std::uint32_t>(reader.integer("the source of a contact", 0, sources - 1));
    one.rows = static_cast<std::uint32_t>(reader.integer("the rows of a contact", 1, 6));
    for (double& entry : one.impulse) entry = reader.real(what);
    for (double* number : {&one.work_normal, &one.work_tangential, &one.gap}) *number = reader.real(what);
    one.sleeper = reader.integer("who sleeps with a contact", -1, systems - 1);
  }
}

void write_sleep(const SleepMemory& sleep, Writer& writer) {
  writer.integers(sleep.island);
  writer.integers(sleep.rested);
  writer.natural(sleep.touching.size());
  for (const auto& pair : sleep.touching) writer.integer(pair[0]), writer.integer(pair[1]);
  writer.reals(sleep.accelerations);
  writer.reals(sleep.taken);
}

void read_sleep(Reader& reader, const Layout& layout, SleepMemory& sleep) {
  const auto systems = static_cast<Index>(layout.systems.size());
  const auto by_system = [&](const char* what, std::vector<Index>& list, Index low, Index high) {
    list.resize(reader.count(what, 8));
    if (!list.empty() && static_cast<Index>(list.size()) != systems)
      reader.fail(what, std::to_string(list.size()) + " systems", std::to_string(systems) + " as the model has");
    for (Index& one : list) one = reader.integer(what, low, high);
  };
  by_system("sleep.island", sleep.island, -1, systems - 1);
  by_system("sleep.rested", sleep.rested, 0, std::numeric_limits<Index>::max());
  sleep.touching.resize(reader.count("sleep.touching", 16));
  for (auto& pair : sleep.touching) {
    for (Index& one : pair) one = reader.integer("sleep.touching", 0, systems - 1);
  }
  reader.reals("sleep.accelerations", sleep.accelerations, layout.num_unknowns, 0);
  reader.reals("sleep.taken", sleep.taken, layout.num_unknowns, 0);
}

}  // namespace

std::string head_bytes(const CheckpointHead& head) {
  std::string bytes;
  Writer writer(bytes);
  for (const std::string* text : {&head.version, &head.simulation, &head.options}) writer.text(*text);
  writer.natural(head.fingerprint.size());
  writer.text(deflated(head.fingerprint, 1));
  return bytes;
}

void write_checkpoint(std::string_view head, const State& state, std::string& bytes) {
  bytes.assign(kFormat);
  Writer writer(bytes);
  writer.natural(kVersion);
  writer.natural(0);  // the length, below
  bytes.append(head);
  for (const Times& one : kTimes) writer.real(state.*one.value);
  writer.integer(state.k);
  writer.integer(state.steps);
  for (const Array& one : kArrays) writer.reals(state.*one.values);
  write_contacts(state, writer);
  write_sleep(state.sleep, writer);
  writer.natural(state.events.of);
  for (const History& one : kHistories) writer.reals(state.events.*one.values);
  std::string length;
  Writer(length).natural(bytes.size() + 8);
  bytes.replace(kLengthAt, 8, length);
  writer.natural(checksum(bytes));
}

CheckpointReader::CheckpointReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {
  Reader reader(bytes, name, 0);
  if (reader.take("the format", kFormat.size()) != kFormat)
    reader.fail("the format", "other bytes", "\"nonsmooth checkpoint\"");
  const std::uint64_t number = reader.natural("the version");
  if (number != kVersion) reader.fail("the version", std::to_string(number), std::to_string(kVersion));
  const std::uint64_t length = reader.natural("the length");
  if (length != bytes.size() || length < kHeadAt + 8)
    reader.fail("the length", std::to_string(length) + " bytes",
                "the " + std::to_string(bytes.size()) + " that there are");
  Reader end(bytes, name, bytes.size() - 8);
  const std::uint64_t sum = end.natural("the checksum"), own = checksum(bytes.substr(0, bytes.size() - 8));
  if (sum != own) end.fail("the checksum", std::to_string(sum), std::to_string(own) + " of what is before it");
  bytes_ = bytes.substr(0, bytes.size() - 8);
  reader = Reader(bytes_, name, kHeadAt);
  head_.version = reader.text("the library");
  head_.simulation = reader.text("the simulation");
  head_.options = reader.text("the options");
  head_.fingerprint = unpacked(reader);
  state_ = reader.at();
}

State CheckpointReader::state(const std::shared_ptr<const Layout>& layout) const {
  State state(layout);
  Reader reader(bytes_, name_, state_);
  for (const Times& one : kTimes) state.*one.value = reader.real(one.name);
  state.k = reader.integer("k", 0, std::numeric_limits<Index>::max());
  state.steps = reader.integer("steps", 0, std::numeric_limits<Index>::max());
  for (const Array& one : kArrays) {
    const Index size = (*layout).*one.size;
    const Index other = one.other == Other::Empty      ? 0
                        : one.other == Other::WithRows ? size + layout->num_rows + 1
                                                       : size;
    reader.reals(one.name, state.*one.values, size, other);
  }
  read_contacts(reader, *layout, state);
  read_sleep(reader, *layout, state.sleep);
  state.events.of = reader.natural("events.of");
  for (const History& one : kHistories) reader.reals(one.name, state.events.*one.values);
  if (reader.at() != bytes_.size())
    reader.fail("the end", std::to_string(bytes_.size() - reader.at()) + " bytes more", "none");
  return state;
}

}  // namespace nonsmooth::runs
