// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/state_hash.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include <nonsmooth/kernel/state.hpp>

#include "model/fingerprint/word_hash.hpp"

namespace nonsmooth {

namespace {

/// Words in a list, as WordHash takes them.
struct WordList {
  std::vector<double>& list;

  void add(std::uint64_t word) { list.push_back(std::bit_cast<double>(word)); }
  void add(const double* numbers, std::size_t size) { list.insert(list.end(), numbers, numbers + size); }
};

std::array<std::uint64_t, 6> hashed_head(const State& state) noexcept {
  const auto word = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  return {word(state.t),         word(state.t_origin),     word(state.grid_step), static_cast<std::uint64_t>(state.k),
          word(state.last_step), word(state.differences_t)};
}

constexpr std::size_t kMostContactWords = 9;  // of one

/// Some at a time, as words that come alone take several times as long.
template <class Words>
void add_contacts(const std::vector<ContactMemory>& contacts, Words& hash) {
  std::array<double, 32 * kMostContactWords> words;
  std::size_t count = 0;
  for (const ContactMemory& contact : contacts) {
    words[count++] = std::bit_cast<double>(std::uint64_t{contact.source});
    words[count++] = std::bit_cast<double>(contact.feature);
    const auto rows = static_cast<std::size_t>(contact.rows);
    for (std::size_t r = 0; r < rows; ++r) words[count++] = contact.impulse[r];
    if (contact.sleeper >= 0) words[count++] = std::bit_cast<double>(static_cast<std::uint64_t>(contact.sleeper));
    if (count + kMostContactWords <= words.size()) continue;
    hash.add(words.data(), count);
    count = 0;
  }
  hash.add(words.data(), count);
}

template <class Words>
void add_array(const Eigen::VectorXd& array, Words& hash) {
  hash.add(array.data(), static_cast<std::size_t>(array.size()));
}

/// What comes behind the differences.
template <class Words>
void add_rest(const State& state, Words& hash) {
  add_array(state.law_memory, hash);
  add_contacts(state.contacts, hash);
  for (const auto* array : {&state.sleep.island, &state.sleep.rested}) {
    for (const Index number : *array) hash.add(static_cast<std::uint64_t>(number));
  }
  add_array(state.sleep.accelerations, hash);
  for (const auto& pair : state.sleep.touching) {
    for (const Index system : pair) hash.add(static_cast<std::uint64_t>(system));
  }
}

/// Whether all bits are zero, those of signs too.
bool all_zero(const Eigen::VectorXd& numbers) {
  constexpr Index kPart = 64;
  for (Index begin = 0; begin < numbers.size(); begin += kPart) {
    std::uint64_t bits = 0;
    const Index end = std::min(begin + kPart, numbers.size());
    for (Index i = begin; i < end; ++i) bits |= std::bit_cast<std::uint64_t>(numbers[i]);
    if (bits != 0) return false;
  }
  return true;
}

}  // namespace

std::uint64_t hash_of(const State& state) noexcept {
  WordHash hash;
  for (const std::uint64_t word : hashed_head(state)) hash.add(word);
  for (const auto* array :
       {&state.positions, &state.unknowns, &state.outputs, &state.velocities, &state.multipliers, &state.differences}) {
    add_array(*array, hash);
  }
  add_rest(state, hash);
  return hash.value();
}

void StateHash::keep(const State& state) {
  head_ = hashed_head(state);
  rest_.clear();
  WordList words{rest_};
  const bool zero = all_zero(state.differences);
  zeros_ = zero ? static_cast<std::size_t>(state.differences.size()) : 0;
  if (!zero) add_array(state.differences, words);
  add_rest(state, words);
}

void StateHash::reserve(const State& state, std::size_t contacts) {
  const auto others = static_cast<std::size_t>(state.law_memory.size() + state.sleep.accelerations.size()) +
                      state.sleep.island.size() + state.sleep.rested.size() + 2 * state.sleep.touching.size();
  const std::size_t differences = all_zero(state.differences) ? 0 : static_cast<std::size_t>(state.differences.size());
  rest_.reserve(others + differences + kMostContactWords * contacts);
}

std::uint64_t StateHash::value(const Arrays& arrays) const noexcept {
  constexpr std::array<double, 64> kZeros{};
  WordHash hash;
  for (const std::uint64_t word : head_) hash.add(word);
  for (const std::span<const double> array : arrays) hash.add(array.data(), array.size());
  for (std::size_t left = zeros_; left > 0;) {
    const std::size_t now = std::min(left, kZeros.size());
    hash.add(kZeros.data(), now);
    left -= now;
  }
  hash.add(rest_.data(), rest_.size());
  return hash.value();
}

}  // namespace nonsmooth
