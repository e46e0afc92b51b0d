// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nonsmooth {

class State;

/// hash_of() a state in two parts, for those who copy its arrays anyway: what else it covers is copied while the state
/// stands, and the value is taken of the copies, later or by another thread.
///
///     StateHash hash;
///     hash.keep(state);
///     hash.value({positions, unknowns, outputs, velocities, multipliers}) == hash_of(state)  // of copies of these
class StateHash {
 public:
  /// The state's positions, unknowns, outputs, velocities and multipliers.
  using Arrays = std::array<std::span<const double>, 5>;

  /// Copies what hash_of() covers beside Arrays: three or four words a contact, and State::differences where one of
  /// them is not zero. Allocates where that is more than ever before.
  void keep(const State& state);
  void reserve(const State& state, std::size_t contacts);  ///< for states of this size with so many contacts
  [[nodiscard]] std::uint64_t value(const Arrays& arrays) const noexcept;

 private:
  std::array<std::uint64_t, 6> head_{};  ///< times and the number of the step
  std::size_t zeros_ = 0;                ///< words behind the arrays that are zero
  std::vector<double> rest_;             ///< words behind these
};

}  // namespace nonsmooth
