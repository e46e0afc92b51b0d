// SPDX-License-Identifier: Apache-2.0
// The contacts of a step, or of an instant, by their rows of H.
#include <nonsmooth/kernel/acting_contacts.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <nonsmooth/kernel/time_stepping.hpp>

#include "contact/contact_set.hpp"
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

constexpr std::size_t kPart = 32;  ///< contacts: 4.6 kB

constexpr double kUnit = 1e-6;  ///< rows of H are unit vectors up to round-off and the sums that users make them of

/// emplace_back() would fill it with zeros first, by an instruction that takes a third of the time of a contact. A list
/// that nobody read for a step is not in the cache: memory some contacts ahead is asked for, so that stores do not
/// wait.
ActingContact& add_to(std::vector<ActingContact>& list) {
  static const ActingContact none{};
  constexpr std::size_t kAhead = 12, kLine = 64;
  list.push_back(none);
  ActingContact& last = list.back();
  if (list.capacity() - list.size() > kAhead) {
    const char* const ahead = reinterpret_cast<const char*>(&last + kAhead);
    __builtin_prefetch(ahead, 1);
    __builtin_prefetch(ahead + kLine, 1);
  }
  return last;
}

/// Entry by entry: a vector that is made first and read at once as a whole waits for its entries.
void set_in_plane(Eigen::Vector3d& vector, double x, double y) {
  vector[0] = x;
  vector[1] = y;
  vector[2] = 0.0;
}

/// Of two rows n and t in the plane touching_point() is simple: l x d being l_x d_y - l_y d_x, the lever is
/// l = (n x t) ((l x t) n - (l x n) t).
bool place_in_plane(const BodyRows& H, const double* q, const double* multipliers, ActingContact& contact,
                    Eigen::Vector3d& reaction) {
  const double n_x = H(0, 0), n_y = H(0, 1), t_x = H(1, 0), t_y = H(1, 1);
  const double sense = n_x * t_y - n_y * t_x, along_n = sense * H(1, 2), along_t = -sense * H(0, 2);
  set_in_plane(contact.normal, n_x, n_y);
  set_in_plane(contact.point, q[0] + along_n * n_x + along_t * t_x, q[1] + along_n * n_y + along_t * t_y);
  set_in_plane(reaction, multipliers[0] * n_x + multipliers[1] * t_x, multipliers[0] * n_y + multipliers[1] * t_y);
  contact.rows = 2;
  return std::abs(n_x * n_x + n_y * n_y - 1.0) <= 2.0 * kUnit;
}

/// place() of any number of rows, the kind being known.
bool place_rows(BodyKind kind, const BodyRows& H, const double* q, const double* multipliers, ActingContact& contact,
                Eigen::Vector3d& reaction) {
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

/// Fills in normal, point and the sum of multipliers along the rows. False where they tell no normal.
inline bool place(BodyKind kind, const BodyRows& H, const double* q, const double* multipliers, ActingContact& contact,
                  Eigen::Vector3d& reaction) {
  if (kind == BodyKind::ThreeRates) {
    const double squared = H(0, 0) * H(0, 0) + H(0, 1) * H(0, 1);
    kind = std::abs(squared - 1.0) <= 2.0 * kUnit ? BodyKind::InPlane : BodyKind::Point;
  }
  if (kind == BodyKind::InPlane && H.rows == 2) return place_in_plane(H, q, multipliers, contact, reaction);
  return place_rows(kind, H, q, multipliers, contact, reaction);
}

}  // namespace

struct ActingContacts::Implementation {
  /// What a system is as a body, and where its positions begin.
  struct BodyPlace {
    BodyKind kind = BodyKind::None;
    Index q = 0;
  };
  std::vector<ActingContact> own_list;
  std::vector<ActingContact>* list = nullptr;    ///< where they go
  const Visit* visit = nullptr;                  ///< who takes them from there, kPart at a time, or nobody
  std::shared_ptr<const Layout> layout;          ///< that what follows is of
  std::vector<BodyPlace> bodies;                 ///< by system
  std::vector<std::vector<LinkedSystem>> links;  ///< by interaction
  std::vector<double> stacked_q, H;              ///< scratch

  void prepare(const NonSmoothDynamicalSystem& model);
  void add_linked_of_step(const Workspace::Implementation& caches, const State& state, const ActiveBlock& block);
  void add_found(const Workspace::Implementation& caches, const State& state, Index row);
  void add_closed(const NonSmoothDynamicalSystem& model, const State& state, Index number);
  void add_of_step(const TimeStepping& stepping);
  void add_of_instant(const NonSmoothDynamicalSystem& model, const State& state);
  /// Behind each contact.
  void hand_on(std::size_t count) {
    if (!visit || list->size() < count) return;
    (*visit)(*list);
    list->clear();
  }
};

void ActingContacts::Implementation::prepare(const NonSmoothDynamicalSystem& model) {
  if (layout == model.layout()) return;
  layout = model.layout();
  bodies.clear();
  for (const Layout::System& system : layout->systems)
    bodies.push_back({body_kind_of(model.systems()[system.slot]), system.q});
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
  const BodyKind kind = bodies[static_cast<std::size_t>(linked.front().system)].kind;
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
  for (Index k = 0; k < 3; ++k) contact.force[k] = contact.impulse[k] / state.last_step;
  contact.gap = state.outputs[law.row];
  contact.first = linked.front().system;
  contact.second = linked.size() > 1 ? linked[1].system : -1;
  contact.feature = static_cast<std::uint64_t>(law.interaction);
  hand_on(kPart);
}

/// The contacts that were found: all of them act, behind the blocks of the model, from `row` of the one-step problem
/// on. What blocks and their Jacobians say of them is in the batches, in half the bytes.
void ActingContacts::Implementation::add_found(const Workspace::Implementation& caches, const State& state, Index row) {
  auto memory = state.contacts.begin();  // the sums over the parts of a subdivided step, in the same order
  const auto end = state.contacts.end();
  const double* const positions = caches.contacts.positions.data();
  const double* const r = caches.one_step.problem.result.r.data();
  caches.contacts.for_each([&](const ContactSet::Place& from, Index i) {
    const ContactBatch& batch = *from.batch;
    const DetectedContact& found = batch.contacts[static_cast<std::size_t>(i)];
    const auto source = static_cast<std::uint32_t>(from.source);
    const double* impulse = r + row;
    row += batch.rows;
    while (memory != end && (memory->source != source ? memory->source < source : memory->feature < found.feature)) {
      ++memory;
    }
    if (memory != end && memory->source == source && memory->feature == found.feature) impulse = memory->impulse.data();
    const BodyPlace& body = bodies[static_cast<std::size_t>(found.first)];
    if (body.kind == BodyKind::None) return;
    ActingContact& contact = add_to(*list);
    if (!place(body.kind, {batch.H_first(i), batch.rows, batch.columns_first, batch.columns_first, 1},
               positions + body.q, impulse, contact, contact.impulse)) {
      list->pop_back();
      return;
    }
    for (Index k = 0; k < 3; ++k) contact.force[k] = contact.impulse[k] / state.last_step;
    contact.gap = found.gap;
    contact.first = found.first;
    contact.second = found.second;
    contact.source = from.source;
    contact.feature = found.feature;
    hand_on(kPart);
  });
}

/// The blocks of an interaction that press at an instant.
void ActingContacts::Implementation::add_closed(const NonSmoothDynamicalSystem& model, const State& state,
                                                Index number) {
  const Layout::Interaction& place_of = layout->interactions[static_cast<std::size_t>(number)];
  const auto& record = model.interactions()[place_of.slot];
  const std::vector<LinkedSystem>& linked = links[static_cast<std::size_t>(number)];
  if (linked.empty() || !record.law->unilateral || record.law->size > kMostContactRows) return;
  const BodyKind kind = bodies[static_cast<std::size_t>(linked.front().system)].kind;
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
    hand_on(kPart);
  }
}

void ActingContacts::Implementation::add_of_step(const TimeStepping& stepping) {
  prepare(stepping.model());
  const Workspace::Implementation& caches = WorkspaceAccess::caches(stepping.workspace_);
  if (!stepping.has_reactions()) return;
  for (const ActiveBlock& block : caches.active.blocks) {
    if (block.contact) return add_found(caches, stepping.state(), block.row);
    add_linked_of_step(caches, stepping.state(), block);
  }
}

void ActingContacts::Implementation::add_of_instant(const NonSmoothDynamicalSystem& model, const State& state) {
  prepare(model);
  if (state.forces.size() != state.outputs.size()) return;
  for (Index i = 0; i < static_cast<Index>(layout->interactions.size()); ++i) add_closed(model, state, i);
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
  own.visit = nullptr;
  own.add_of_step(*stepping);
}

void ActingContacts::find(const NonSmoothDynamicalSystem& model, const State& state, std::vector<ActingContact>& list) {
  Implementation& own = *implementation_;
  list.clear();
  own.list = &list;
  own.visit = nullptr;
  own.add_of_instant(model, state);
}

void ActingContacts::for_each_part(const Simulation& simulation, const Visit& visit) {
  Implementation& own = *implementation_;
  own.own_list.clear();
  own.own_list.reserve(kPart);
  own.list = &own.own_list;
  own.visit = &visit;
  if (const auto* const stepping = dynamic_cast<const TimeStepping*>(&simulation)) {
    own.add_of_step(*stepping);
  } else {
    own.add_of_instant(simulation.model(), simulation.state());
  }
  own.hand_on(1);
}

const std::vector<ActingContact>& ActingContacts::of(const Simulation& simulation) {
  find(simulation, implementation_->own_list);
  return implementation_->own_list;
}

}  // namespace nonsmooth
