// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::events {

/// What a contact does in a mode.
enum class ContactStatus : unsigned char {
  Open,   ///< no force
  Held,   ///< closed; with friction: sticking; Relay, Rubbing, Turning: velocity zero, force within bounds
  Slide,  ///< closed and slipping, friction opposed to `direction`; Relay, Rubbing, Turning: force at a bound
  Idle,   ///< closed by what other contacts hold (a dependent row), without a force of its own
};

struct ContactState {
  ContactStatus status = ContactStatus::Open;
  bool keeps_direction = false;                         ///< whatever its velocity says: where a slip begins
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();  ///< of the slip, an entry each row that slips
  double share = 1.0;  ///< while it sticks: its part of friction, by its bound (infinite: a pivot)

  [[nodiscard]] bool closed() const noexcept { return status == ContactStatus::Held || status == ContactStatus::Slide; }
  template <class Memory>
  void remember(Memory& memory) {
    memory(status, keeps_direction, direction, share);
  }
};

/// By contact, as MechanicalModel::contacts().
using ContactStates = std::vector<ContactState>;

}  // namespace nonsmooth::events
