// SPDX-License-Identifier: Apache-2.0
#pragma once

// One number for all bits of a state, and a file of such numbers, one a step. It reads State's public arrays itself and
// leaves hash_of(State) alone, so that traces of two commits stay comparable when that changes.

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nonsmooth/kernel/state.hpp>

namespace nonsmooth::bits {

/// FNV-1a, byte by byte. Nothing is normalised: -0.0 differs from 0.0, a NaN from another.
class Digest {
 public:
  void mix(std::uint64_t word) noexcept {
    for (int byte = 0; byte < 8; ++byte) {
      value_ ^= (word >> (8 * byte)) & 0xffu;
      value_ *= 1099511628211ull;
    }
  }
  void mix(double number) noexcept { mix(std::bit_cast<std::uint64_t>(number)); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ull;
};

/// t, q, v and x, multipliers, u, y.
[[nodiscard]] inline std::uint64_t state_hash(const State& state) noexcept {
  Digest digest;
  digest.mix(state.t);
  for (const auto* array : {&state.positions, &state.unknowns, &state.multipliers, &state.velocities, &state.outputs}) {
    for (const double number : *array) digest.mix(number);
  }
  return digest.value();
}

/// 16 hexadecimal digits.
[[nodiscard]] inline std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  const auto count = static_cast<std::size_t>(end - digits.data());
  return std::string(digits.size() - count, '0').append(digits.data(), count);
}

/// The file <folder>/<name>.txt: a line `<k> <hash>` a state, k = 0, 1...
class Trace {
 public:
  /// Makes the folder. @throws std::runtime_error if the file cannot be written.
  Trace(const std::filesystem::path& folder, std::string name) : name_(std::move(name)) {
    std::filesystem::create_directories(folder);
    file_.open(folder / (name_ + ".txt"), std::ios::binary);
    if (!file_) throw std::runtime_error("cannot write " + (folder / (name_ + ".txt")).string());
  }

  void add(const State& state) {
    const std::uint64_t value = state_hash(state);
    digest_.mix(value);
    file_ << lines_++ << ' ' << hexadecimal(value) << '\n';
  }
  /// Why a run ended early: the first line of the message.
  void note(std::string_view message) {
    const std::string_view line = message.substr(0, message.find('\n'));
    for (const char letter : line) digest_.mix(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
    file_ << "! " << line << '\n';
    noted_ = true;
  }
  /// False if something could not be written.
  [[nodiscard]] bool close() {
    file_.close();
    return !file_.fail();
  }

  [[nodiscard]] std::int64_t lines() const noexcept { return lines_; }
  /// Name, steps, digest of all lines; an exclamation mark where the run noted something.
  [[nodiscard]] std::string summary() const {
    const std::int64_t steps = lines_ > 0 ? lines_ - 1 : 0;
    return name_ + ' ' + std::to_string(steps) + ' ' + hexadecimal(digest_.value()) + (noted_ ? " !" : "");
  }

 private:
  std::string name_;
  std::ofstream file_;
  std::int64_t lines_ = 0;
  Digest digest_;
  bool noted_ = false;
};

}  // namespace nonsmooth::bits
