// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/state.hpp>

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

namespace nonsmooth {
namespace {

template <class Handle>
Index resolve(const char* what, std::uint32_t model, Handle handle, const std::vector<Index>& index_of_slot,
              const std::vector<std::uint32_t>& generation) {
  const auto refuse = [&](const char* found, const std::string& expected) {
    throw InvalidArgument(std::string(what) + " handle", found, expected);
  };
  if (handle.model != model) refuse("a handle of another model", "one of this model");
  if (handle.slot >= index_of_slot.size()) refuse("a handle newer than this revision", "one that this revision has");
  const Index index = index_of_slot[handle.slot];
  if (index < 0 || generation[handle.slot] != handle.generation)
    refuse("a stale handle (removed)", std::string("a ") + what + " that lives");
  return index;
}

const Layout& of(const std::shared_ptr<const Layout>& layout) {
  if (!layout) throw InvalidArgument("State", "an empty state", "one made by a model or a simulation");
  return *layout;
}

const Layout::System& mechanical(const std::shared_ptr<const Layout>& layout, SystemHandle handle, const char* what) {
  const auto& system = of(layout).at(handle);
  if (system.first_order) {
    throw InvalidArgument(std::string("State::") + what, "first-order " + system.name, "a mechanical system");
  }
  return system;
}

const Layout::System& first_order(const std::shared_ptr<const Layout>& layout, SystemHandle handle) {
  const auto& system = of(layout).at(handle);
  if (!system.first_order) throw InvalidArgument("State::x", "mechanical " + system.name, "a first-order system");
  return system;
}

const Layout::Interaction& interaction(const std::shared_ptr<const Layout>& layout, InteractionHandle handle,
                                       bool first_order, const char* what) {
  const auto& found = of(layout).at(handle);
  if (found.first_order != first_order) {
    throw InvalidArgument(std::string("State::") + what,
                          found.first_order ? "a first-order interaction" : "a mechanical interaction",
                          first_order ? "a first-order interaction" : "a mechanical interaction");
  }
  return found;
}

}  // namespace

Index Layout::index(SystemHandle handle) const {
  return resolve("system", model, handle, system_of_slot, system_generation);
}
Index Layout::index(InteractionHandle handle) const {
  return resolve("interaction", model, handle, interaction_of_slot, interaction_generation);
}
const Layout::System& Layout::at(SystemHandle handle) const { return systems[static_cast<std::size_t>(index(handle))]; }
const Layout::Interaction& Layout::at(InteractionHandle handle) const {
  return interactions[static_cast<std::size_t>(index(handle))];
}

State::State(std::shared_ptr<const Layout> layout)
    : positions(Eigen::VectorXd::Zero(of(layout).num_positions)),
      unknowns(Eigen::VectorXd::Zero(layout->num_unknowns)),
      outputs(Eigen::VectorXd::Zero(layout->num_rows)),
      velocities(Eigen::VectorXd::Zero(layout->num_rows)),
      multipliers(Eigen::VectorXd::Zero(layout->num_rows)),
      percussions(Eigen::VectorXd::Zero(layout->num_rows)),
      projections(Eigen::VectorXd::Zero(layout->num_rows)),
      differences(Eigen::VectorXd::Zero(layout->num_unknowns)),
      law_memory(Eigen::VectorXd::Zero(layout->num_memory)),
      layout_(std::move(layout)) {}

State::ConstView State::q(SystemHandle handle) const {
  const auto& s = mechanical(layout_, handle, "q");
  return {positions.data() + s.q, s.nq};
}
State::ConstView State::v(SystemHandle handle) const {
  const auto& s = mechanical(layout_, handle, "v");
  return {unknowns.data() + s.z, s.n};
}
State::ConstView State::x(SystemHandle handle) const {
  const auto& s = first_order(layout_, handle);
  return {unknowns.data() + s.z, s.n};
}
State::View State::q(SystemHandle handle) {
  const auto& s = mechanical(layout_, handle, "q");
  return {positions.data() + s.q, s.nq};
}
State::View State::v(SystemHandle handle) {
  const auto& s = mechanical(layout_, handle, "v");
  return {unknowns.data() + s.z, s.n};
}
State::View State::x(SystemHandle handle) {
  const auto& s = first_order(layout_, handle);
  return {unknowns.data() + s.z, s.n};
}
State::ConstView State::y(InteractionHandle handle) const {
  const auto& i = of(layout_).at(handle);
  return {outputs.data() + i.row, i.rows};
}
State::ConstView State::u(InteractionHandle handle) const {
  const auto& i = interaction(layout_, handle, false, "u");
  return {velocities.data() + i.row, i.rows};
}
State::ConstView State::impulse(InteractionHandle handle) const {
  const auto& i = interaction(layout_, handle, false, "impulse");
  return {multipliers.data() + i.row, i.rows};
}
State::ConstView State::percussion(InteractionHandle handle) const {
  const auto& i = interaction(layout_, handle, false, "percussion");
  return {percussions.data() + i.row, i.rows};
}
State::ConstView State::projection(InteractionHandle handle) const {
  const auto& i = interaction(layout_, handle, false, "projection");
  return {projections.data() + i.row, i.rows};
}
Eigen::VectorXd State::force(InteractionHandle handle) const {
  const auto& i = interaction(layout_, handle, false, "force");
  if (forces.size() > 0) return forces.segment(i.row, i.rows);
  if (!(last_step > 0.0)) return Eigen::VectorXd::Zero(i.rows);
  return (multipliers.segment(i.row, i.rows) - percussions.segment(i.row, i.rows)) / last_step;
}
State::ConstView State::lambda(InteractionHandle handle) const {
  const auto& i = interaction(layout_, handle, true, "lambda");
  return {multipliers.data() + i.row, i.rows};
}

bool State::is_asleep(SystemHandle handle) const { return sleep.sleeps(of(layout_).index(handle)); }
void State::wake(SystemHandle handle) {
  const auto system = static_cast<std::size_t>(of(layout_).index(handle));
  if (sleep.island.empty()) return;
  sleep.rested[system] = 0;
  const Index own = sleep.island[system];
  if (own < 0) return;
  for (std::size_t s = 0; s < sleep.island.size(); ++s) {
    if (sleep.island[s] != own) continue;
    sleep.island[s] = -1;
    sleep.rested[s] = 0;
  }
}
void State::wake() {
  std::fill(sleep.island.begin(), sleep.island.end(), Index{-1});
  std::fill(sleep.rested.begin(), sleep.rested.end(), Index{0});
}

}  // namespace nonsmooth
