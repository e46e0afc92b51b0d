// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <nonsmooth/kernel/acting_contacts.hpp>

namespace nonsmooth::runs {

/// Contacts in fewer words, for a thread that has to go on: in the plane half of an ActingContact. Of TimeStepping
/// their forces are not kept: they are the impulses over the step's length.
class PackedContacts {
 public:
  /// forces: they are kept too.
  explicit PackedContacts(bool forces = false) noexcept : forces_(forces) {}

  void set_forces(bool forces) noexcept { forces_ = forces; }
  void clear() noexcept { used_ = 0; }
  void reserve(std::size_t contacts);  ///< in space, and touches the memory
  void add(std::span<const ActingContact> contacts);
  /// Calls visit with all of them, some at a time, valid during the call; without forces these are zero.
  template <class Visit>
  void for_each_part(Visit visit) const;

 private:
  static constexpr std::size_t kMostContacts = 32;  ///< of a block: 5 kB at most, which the nearest cache keeps
  using Part = std::array<ActingContact, kMostContacts>;

  double* grow(std::size_t words);
  /// The contacts of the block that begins at `from`, which goes on to the next one.
  static std::size_t unpack(const double*& from, Part& part);

  bool forces_;
  std::vector<double> words_;
  std::size_t used_ = 0;
};

template <class Visit>
void PackedContacts::for_each_part(Visit visit) const {
  Part part;
  for (const double *from = words_.data(), *const end = from + used_; from != end;)
    visit(std::span<const ActingContact>(part).first(unpack(from, part)));
}

}  // namespace nonsmooth::runs
