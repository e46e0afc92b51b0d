// SPDX-License-Identifier: Apache-2.0
// The contacts of a step, or of an instant, by their rows of H.
#include <nonsmooth/kernel/acting_contacts.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <nonsmooth/kernel/time_stepping.hpp>

#include "model/bodies/body_kind.hpp"
#include "model/bodies/rotation.hpp"
#include "model/bodies/wrench.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"
#include "workspace_implementation.hpp"

namespace nonsmooth {

namespace {

constexpr Index kMostContactRows = 6;

/// Rows of H on one body, wherever they are.
struct BodyRows {
  const double* H = nullptr;
  Index rows = 0, columns = 0, row_stride = 1, column_stride = 1;

  [[nodiscard]] double operator()(Index r, Index k) const { return H[r * row_stride + k * column_stride]; }
};

constexpr double kUnit = 1e-6;  ///< rows of H are unit vectors up to round-off and the sums that users make them of

/// emplace_back() would fill it with zeros first, by an instruction that takes a third of the time of a contact.
ActingContact& add_to(std::vector<ActingContact>& list) {
  static const ActingContact none{};
  list.push_back(none);
  return list.back();
}

/// Of two rows n and t in the plane touching_point() is simple: l x d being l_x d_y - l_y d_x, the lever is
/// l = (n x t) ((l x t) n - (l x n) t).
bool place_in_plane(const BodyRows& H, const double* q, const double* multipliers, ActingContact& contact,
                    Eigen::Vector3d& reaction) {
  const double n_x = H(0, 0), n_y = H(0, 1), t_x = H(1, 0), t_y = H(1, 1);
  const double sense = n_x * t_y - n_y * t_x, along_n = sense * H(1, 2), along_t = -sense * H(0, 2);
  contact.normal = {n_x, n_y, 0.0};
  contact.point = {q[0] + along_n * n_x + along_t * t_x, q[1] + along_n * n_y + along_t * t_y, 0.0};
  contact.rows = 2;
  reaction = {multipliers[0] * n_x + multipliers[1] * t_x, multipliers[0] * n_y + multipliers[1] * t_y, 0.0};
  return std::abs(n_x * n_x + n_y * n_y - 1.0) <= 2.0 * kUnit;
}

/// Fills in normal, point and the sum of multipliers along the rows. False where they tell no normal.
bool place(BodyKind kind, const BodyRows& H, const double* q, const double* multipliers, ActingContact& contact,
           Eigen::Vector3d& reaction) {
  if (kind == BodyKind::ThreeRates)
    kind = std::abs(std::hypot(H(0, 0), H(0, 1)) - 1.0) <= kUnit ? BodyKind::InPlane : BodyKind::Point;
  if (kind == BodyKind::InPlane && H.rows == 2) return place_in_plane(H, q, multipliers, contact, reaction);
  std::array<Wrench, kMostContactRows> rows;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  Eigen::Matrix3d turn;
  if (kind == BodyKind::InSpace) turn = rotation::matrix_of_any_length(Eigen::Map<const Eigen::Vector4d>(q + 3));
  const Index translations = kind == BodyKind::InSpace ? 3 : kind == BodyKind::InPlane ? 2 : H.columns;
  for (Index k = 0; k < translations; ++k) centre[k] = q[k];
  reaction.setZero();
  for (Index r = 0; r < H.rows; ++r) {
    Wrench& row = rows[static_cast<std::size_t>(r)];
    for (Index k = 0; k < translations; ++k) row.force[k] = H(r, k);
    if (kind == BodyKind::InPlane) row.moment[2] = H(r, 2);
    if (kind == BodyKind::InSpace) row.moment.noalias() = turn * Eigen::Vector3d(H(r, 3), H(r, 4), H(r, 5));
    reaction += multipliers[r] * row.force;
  }
  contact.normal = rows[0].force;
  if (!(std::abs(contact.normal.norm() - 1.0) <= kUnit)) return false;
  contact.point = touching_point({rows.data(), static_cast<std::size_t>(H.rows)}, centre);
  contact.rows = H.rows;
  return true;
}

}  // namespace

struct ActingContacts::Implementation {
  std::vector<ActingContact> own_list;
  std::vector<ActingContact>* list = nullptr;    ///< where they go
  std::shared_ptr<const Layout> layout;          ///< that what follows is of
  std::vector<BodyKind> kinds;                   ///< by system
  std::vector<std::vector<LinkedSystem>> links;  ///< by interaction
  std::vector<double> stacked_q, H;              ///< scratch

  void prepare(const NonSmoothDynamicalSystem& model);
  void add_linked_of_step(const Workspace::Implementation& caches, const State& state, const ActiveBlock& block);
  void add_found(const Workspace::Implementation& caches, const State& state, const ActiveBlock& block,
                 std::size_t& memory);
  void add_closed(const NonSmoothDynamicalSystem& model, const State& state, Index number);
};

void ActingContacts::Implementation::prepare(const NonSmoothDynamicalSystem& model) {
  if (layout == model.layout()) return;
  layout = model.layout();
  kinds.clear();
  for (const Layout::System& system : layout->systems) kinds.push_back(body_kind_of(model.systems()[system.slot]));
  links.clear();
  for (const Layout::Interaction& interaction : layout->interactions) {
    links.push_back(interaction.first_order ? std::vector<LinkedSystem>{}
                                            : linked_systems(*layout, model.interactions()[interaction.slot].systems));
  }
}

/// A block of an interaction that acted in a step.
void ActingContacts::Implementation::add_linked_of_step(const Workspace::Implementation& caches, const State& state,
                                                        const ActiveBlock& block) {
  const BlockPlan& law = *block.law;
  const std::vector<LinkedSystem>& linked = links[static_cast<std::size_t>(law.interaction)];
  if (!law.unilateral || !law.has_jacobian || linked.empty() || block.size > kMostContactRows) return;
  const auto acted_on = caches.acting.jacobians(block);
  const auto own = std::find_if(acted_on.begin(), acted_on.end(),
                                [&](const ActiveJacobian& one) { return one.system == linked.front().system; });
  const BodyKind kind = kinds[static_cast<std::size_t>(linked.front().system)];
  if (own == acted_on.end() || kind == BodyKind::None) return;
  // Linear systems are not moved to where H is: theirs does not vary.
  const bool moved = !caches.relations.all_constant || !caches.systems.nonlinear.empty();
  const Eigen::VectorXd& positions = moved ? caches.iterate.q_middle : state.positions;
  ActingContact& contact = add_to(*list);
  if (!place(kind, {own->hu, block.size, own->n, own->row_stride, own->column_stride},
             positions.data() + linked.front().q, state.multipliers.data() + law.row, contact, contact.impulse)) {
    list->pop_back();
    return;
  }
  contact.force = contact.impulse / state.last_step;
  contact.gap = state.outputs[law.row];
  contact.first = linked.front().system;
  contact.second = linked.size() > 1 ? linked[1].system : -1;
  contact.feature = static_cast<std::uint64_t>(law.interaction);
}

/// A contact that was found and acted. `memory`: where State::contacts, in the same order, has come to.
void ActingContacts::Implementation::add_found(const Workspace::Implementation& caches, const State& state,
                                               const ActiveBlock& block, std::size_t& memory) {
  const DetectedContact& found = *block.contact;
  const auto before = [&](const ContactMemory& one) {
    return one.source != block.source ? one.source < block.source : one.feature < found.feature;
  };
  while (memory < state.contacts.size() && before(state.contacts[memory])) ++memory;
  const double* impulse = caches.one_step.problem.result.r.data() + block.row;
  if (memory < state.contacts.size()) {  // the sum over the parts of a subdivided step
    const ContactMemory& own = state.contacts[memory];
    if (own.source == block.source && own.feature == found.feature) impulse = own.impulse.data();
  }
  const BodyKind kind = kinds[static_cast<std::size_t>(found.first)];
  const auto acted_on = caches.acting.jacobians(block);
  const auto own = std::find_if(acted_on.begin(), acted_on.end(),
                                [&](const ActiveJacobian& one) { return one.system == found.first; });
  if (own == acted_on.end() || kind == BodyKind::None) return;
  const double* const q = caches.contacts.positions.data() + layout->systems[static_cast<std::size_t>(found.first)].q;
  ActingContact& contact = add_to(*list);
  if (!place(kind, {own->hu, block.size, own->n, own->row_stride, own->column_stride}, q, impulse, contact,
             contact.impulse)) {
    list->pop_back();
    return;
  }
  contact.force = contact.impulse / state.last_step;
  contact.gap = found.gap;
  contact.first = found.first;
  contact.second = found.second;
  contact.source = block.source;
  contact.feature = found.feature;
}

/// The blocks of an interaction that press at an instant.
void ActingContacts::Implementation::add_closed(const NonSmoothDynamicalSystem& model, const State& state,
                                                Index number) {
  const Layout::Interaction& place_of = layout->interactions[static_cast<std::size_t>(number)];
  const auto& record = model.interactions()[place_of.slot];
  const std::vector<LinkedSystem>& linked = links[static_cast<std::size_t>(number)];
  if (linked.empty() || !record.law->unilateral || record.law->size > kMostContactRows) return;
  const BodyKind kind = kinds[static_cast<std::size_t>(linked.front().system)];
  const auto forces = state.forces.segment(place_of.row, place_of.rows);
  const auto percussions = state.percussions.segment(place_of.row, place_of.rows);
  if (kind == BodyKind::None || (forces.isZero(0.0) && percussions.isZero(0.0))) return;
  const Index columns = linked.back().column + linked.back().n;
  std::size_t stacked = 0;
  for (const LinkedSystem& one : linked) stacked += static_cast<std::size_t>(one.nq);
  stacked_q.resize(std::max(stacked_q.size(), stacked));
  H.resize(std::max(H.size(), static_cast<std::size_t>(place_of.rows * columns)));
  stack_positions(linked, state.positions.data(), stacked_q.data());
  Eigen::Map<Eigen::MatrixXd> jacobian(H.data(), place_of.rows, columns);
  RelationEvaluator(*record.mechanical)
      .H(state.t, Eigen::Map<const Eigen::VectorXd>(stacked_q.data(), static_cast<Index>(stacked)),
         ConstVectorRef(forces), MatrixRef(jacobian));
  for (Index begin = 0; begin < place_of.rows; begin += record.law->size) {
    const Index rows = record.law->size;
    if (forces.segment(begin, rows).isZero(0.0) && percussions.segment(begin, rows).isZero(0.0)) continue;
    const BodyRows own{H.data() + begin, rows, linked.front().n, 1, place_of.rows};
    ActingContact& contact = add_to(*list);
    if (!place(kind, own, stacked_q.data(), state.forces.data() + place_of.row + begin, contact, contact.force) ||
        !place(kind, own, stacked_q.data(), state.percussions.data() + place_of.row + begin, contact,
               contact.impulse)) {
      list->pop_back();
      continue;
    }
    contact.gap = state.outputs[place_of.row + begin];
    contact.first = linked.front().system;
    contact.second = linked.size() > 1 ? linked[1].system : -1;
    contact.feature = static_cast<std::uint64_t>(number);
  }
}

ActingContacts::ActingContacts() : implementation_(std::make_unique<Implementation>()) {}
ActingContacts::~ActingContacts() = default;
ActingContacts::ActingContacts(ActingContacts&&) noexcept = default;
ActingContacts& ActingContacts::operator=(ActingContacts&&) noexcept = default;

void ActingContacts::find(const Simulation& simulation, std::vector<ActingContact>& list) {
  const auto* const stepping = dynamic_cast<const TimeStepping*>(&simulation);
  if (!stepping) return find(simulation.model(), simulation.state(), list);
  Implementation& own = *implementation_;
  list.clear();
  own.list = &list;
  own.prepare(stepping->model());
  const Workspace::Implementation& caches = WorkspaceAccess::caches(stepping->workspace_);
  if (!stepping->has_reactions()) return;
  std::size_t memory = 0;
  for (const ActiveBlock& block : caches.active.blocks) {
    if (block.contact) {
      own.add_found(caches, stepping->state(), block, memory);
    } else {
      own.add_linked_of_step(caches, stepping->state(), block);
    }
  }
}

void ActingContacts::find(const NonSmoothDynamicalSystem& model, const State& state, std::vector<ActingContact>& list) {
  Implementation& own = *implementation_;
  list.clear();
  own.list = &list;
  own.prepare(model);
  if (state.forces.size() != state.outputs.size()) return;
  for (Index i = 0; i < static_cast<Index>(own.layout->interactions.size()); ++i) own.add_closed(model, state, i);
}

const std::vector<ActingContact>& ActingContacts::of(const Simulation& simulation) {
  find(simulation, implementation_->own_list);
  return implementation_->own_list;
}

}  // namespace nonsmooth
