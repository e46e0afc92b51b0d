// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

class NonSmoothDynamicalSystem;
class Simulation;
class State;

/// One contact as it acted in a step or at an instant, in the axes of space; in the plane z = 0.
struct ActingContact {
  /// Where it touches [m], where its rows were evaluated. A contact of one row does not tell where on its normal: there
  /// the point next to the first body's centre of mass.
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();  ///< of length 1, from the second body (or the ground) to the first
  double gap = 0.0;  ///< at the start of the step where it was found anew; of a linked one at the state [m]
  /// On the first body; the second has its opposite. TimeStepping: the mean of the step, impulse over its length;
  /// EventDriven: at t [N].
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  /// TimeStepping: over the whole step; EventDriven: of the impact at t [N s].
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
  Index first = -1, second = -1;  ///< systems, by number in the layout; -1: the ground
  Index source = -1;              ///< that found it, by number in the model; -1: an interaction that is linked
  std::uint64_t feature = 0;      ///< ContactMemory::feature; or the interaction, by number in the layout
  Index rows = 1;                 ///< of the contact

  friend bool operator==(const ActingContact&, const ActingContact&) = default;
};

/// All contacts that acted in the last step of a TimeStepping, or that press at the present instant of an
/// EventDriven: interactions with a unilateral law first, in the order of the layout, then those found anew
/// (NonSmoothDynamicalSystem::detect), in the order of sources and features. Their rows of H tell normal, point and
/// force:
///
///     normal = the translation of row 0 on the first body,    force = sum_r lambda_r (translation of row r).
///
/// Bodies are systems with q = (position, quaternion), (x, y, angle), (x, y, z), (x, y) or (x); contacts whose rows
/// have no such body, or no unit normal on it, are left out: their y, u and multipliers are in the State. Of a
/// subdivided step those found anew are of its last part, with the impulses of State::contacts.
///
///     ActingContacts contacts;
///     simulation.advance_to(T, [&](const State&) { plot(contacts.of(simulation)); });
class ActingContacts {
 public:
  ActingContacts();
  ~ActingContacts();
  ActingContacts(ActingContacts&&) noexcept;
  ActingContacts& operator=(ActingContacts&&) noexcept;

  /// Valid until the next call. Empty where the present state is not the end of a step (TimeStepping): before the first
  /// one, after one that was not taken, an edit, set_state(). Allocates where there are more contacts than before.
  /// In an observer of an EventDriven the state that it shows is not the simulation's own yet: find() takes that one.
  /// @throws what a relation throws (EventDriven, whose rows are evaluated at the state).
  const std::vector<ActingContact>& of(const Simulation& simulation);
  /// The same into a list of the caller's.
  void find(const Simulation& simulation, std::vector<ActingContact>& list);
  /// Calls visit with the same, some at a time, valid during the call: for those who keep less of each, or none, as
  /// these few stay in the cache of a core.
  using Visit = std::function<void(std::span<const ActingContact>)>;
  void for_each_part(const Simulation& simulation, const Visit& visit);
  /// Those that press at an instant, of a state that an EventDriven shows or leaves. @throws likewise
  void find(const NonSmoothDynamicalSystem& model, const State& state, std::vector<ActingContact>& list);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
