// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <nonsmooth/kernel/layout.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// A system that an interaction links: its number in the layout, its entries of State::positions and State::unknowns,
/// its first column of H.
struct LinkedSystem {
  Index system = 0, q = 0, nq = 0, z = 0, n = 0, column = 0;
};

[[nodiscard]] std::vector<LinkedSystem> linked_systems(const Layout& layout, const std::vector<std::uint32_t>& slots);

/// As std::copy_n. Most systems have 1 to 6 numbers: a loop is done before a call of memmove is; of many memmove is
/// faster.
inline double* copy_numbers(const double* from, Index count, double* to) {
  constexpr Index kMany = 16;
  if (count > kMany) return std::copy_n(from, count, to);
  for (Index i = 0; i < count; ++i) *to++ = from[i];
  return to;
}

/// The systems' entries of all positions, one behind the other.
template <class Linked>
void stack_positions(const Linked& systems, const double* positions, double* stacked) {
  for (const auto& linked : systems) stacked = copy_numbers(positions + linked.q, linked.nq, stacked);
}
/// The same of all velocities, or first-order states.
template <class Linked>
void stack_unknowns(const Linked& systems, const double* unknowns, double* stacked) {
  for (const auto& linked : systems) stacked = copy_numbers(unknowns + linked.z, linked.n, stacked);
}
[[nodiscard]] Eigen::VectorXd stacked_positions(const std::vector<LinkedSystem>& systems,
                                                const Eigen::VectorXd& positions);
[[nodiscard]] Eigen::VectorXd stacked_unknowns(const std::vector<LinkedSystem>& systems,
                                               const Eigen::VectorXd& unknowns);

}  // namespace nonsmooth
