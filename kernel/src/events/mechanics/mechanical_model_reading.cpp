// SPDX-License-Identifier: Apache-2.0
// Systems, relations and laws of a model as event-driven simulation reads them once.
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "mechanical_model.hpp"
#include "model/impact_matrix.hpp"
#include "model/inclusions/process_with_law.hpp"
#include "model/prepared_law.hpp"

namespace nonsmooth::events {
namespace {

[[noreturn]] void refuse_model(const std::string& what, const std::string& expected) {
  throw InvalidArgument("EventDriven: model", what, expected);
}

/// Rows of a block as a contact; the parts of the law say which.
Contact contact_of(const PreparedLaw& law, const std::string& name) {
  const auto unknown = [&](const std::string& law_name) {
    refuse_model(law_name + " on " + name,
                 "NewtonImpactLaw, NewtonImpactFrictionLaw, NewtonImpactRollingFrictionLaw, StaticKineticFrictionLaw, "
                 "PoissonImpactLaw, LiuZhaoBrogliatoImpactLaw, EqualityLaw, RelayLaw, friction in joints, "
                 "SpringDamperLaw or ActuatorLaw, or "
                 "time-stepping");
  };
  if (!law.is_its_block() || law.impact.kind == ImpactRule::Kind::Other || (law.unilateral && !law.has_impacts()))
    unknown(law.law->name());
  if (law.parts.size() != 1 || law.auxiliary > 0 || law.level != LawLevel::Velocity) {
    unknown("a law with rows of its own, or about stresses or positions,");
  }
  const BlockSet& set = law.parts[0].set;
  Contact contact;
  contact.size = law.size;
  switch (set.kind) {
    case SetKind::Free:
      if (law.offset.size() > 0 && !law.offset.isZero(0.0)) unknown("a graph of one branch that is not u = 0");
      if (law.size > 1) unknown("MixedComplementarityLaw");
      contact.kind = Contact::Kind::Bilateral;
      return contact;
    case SetKind::Box:
      if (!law.in_forces) unknown(law.law->name());
      contact.kind = Contact::Kind::Relay;
      contact.lower = set.lower;
      contact.upper = set.upper;
      return contact;
    case SetKind::Orthant:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
    case SetKind::Rolling:
      if (!law.unilateral) unknown("a complementarity between velocities");
      contact.cohesion = set.cohesion;
      if (set.mu_2 > 0.0) contact.second_unit = set.mu_2 / set.mu;
      break;
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
    case SetKind::VonMises:
      unknown("a law of cones");
  }
  contact.kind = Contact::Kind::Unilateral;
  contact.restitution = law.impact.restitution;
  contact.tangential_restitution = law.impact.tangential_restitution;
  contact.static_friction = set.kind == SetKind::Orthant ? 0.0 : set.mu;
  contact.kinetic_friction = set.kind == SetKind::Orthant ? 0.0 : law.block_that_slides().parts[0].set.mu;
  switch (law.impact.kind) {
    case ImpactRule::Kind::None:
    case ImpactRule::Kind::Other:
    case ImpactRule::Kind::Newton:
      contact.rule = impacts::ImpactContact::Rule::Newton;
      break;
    case ImpactRule::Kind::Poisson:
      contact.rule = impacts::ImpactContact::Rule::Poisson;
      break;
    case ImpactRule::Kind::LiuZhaoBrogliato:
      contact.rule = impacts::ImpactContact::Rule::LiuZhaoBrogliato;
      contact.impact_stiffness = law.impact.stiffness;
      contact.impact_exponent = law.impact.exponent;
      break;
  }
  return contact;
}

struct LocalContact {
  Contact contact;
  Index local = 0;
};

/// Rows of a block as a contact and its friction against rolling and spinning.
std::vector<LocalContact> contacts_of(const PreparedLaw& law, const std::string& name, Index row) {
  std::vector<LocalContact> contacts{{contact_of(law, name), 0}};
  const BlockSet& set = law.parts[0].set;
  contacts[0].contact.normal_row = row;
  contacts[0].contact.impact_rows = law.size;
  if (set.kind != SetKind::Rolling) return contacts;
  const Index tangents = law.size == 3 ? 1 : 2;
  contacts[0].contact.size = 1 + tangents;
  contacts[0].contact.rolling = set.rolling;
  contacts[0].contact.spinning = set.spinning;
  const auto add = [&](Index local, Index size, double friction) {
    Contact turning;
    turning.kind = Contact::Kind::Turning;
    turning.size = size;
    turning.static_friction = turning.kinetic_friction = friction;
    turning.behind = contacts.size();
    turning.normal_row = row;
    contacts.push_back({turning, local});
    ++contacts[0].contact.num_turning;
  };
  if (law.size != 4) add(1 + tangents, tangents, set.rolling);
  if (law.size % 2 == 0) add(law.size - 1, 1, set.spinning);
  return contacts;
}

/// Of a joint with friction: a bilateral row each that is held, and the groups that rub.
std::vector<LocalContact> contacts_of_joint(const ReactionBounds& reaction, Index row, Index rows) {
  std::vector<LocalContact> contacts;
  Index local = 0;
  for (; local < reaction.num_held(); ++local) {
    contacts.push_back({{}, local});
    contacts.back().contact.kind = Contact::Kind::Bilateral;
  }
  Index group = 0;
  for (const Index size : reaction.rubbing()) {
    contacts.push_back({{}, local});
    Contact& contact = contacts.back().contact;
    contact.kind = Contact::Kind::Rubbing;
    contact.size = size;
    contact.reaction = &reaction;
    contact.joint = row;
    contact.joint_rows = rows;
    contact.group = group++;
    local += size;
  }
  return contacts;
}

}  // namespace

MechanicalModel::MechanicalModel(const NonSmoothDynamicalSystem& model, std::shared_ptr<const Layout> layout)
    : layout_(std::move(layout)) {
  add_systems(model);
  for (std::size_t i = 0; i < layout_->interactions.size(); ++i) {
    const auto& interaction = model.interactions()[layout_->interactions[i].slot];
    if (interaction.mechanical) add_link(interaction, static_cast<Index>(i));
  }
  add_impact_matrices(model);
  add_coefficient_rules(model);
  for (std::size_t s = 0; s < first_.size(); ++s) {
    if (first_[s] < 0) continue;
    const Layout::System& place = layout_->systems[s];
    const MechanicalSystem& system = *model.systems()[place.slot].mechanical;
    held_[s] = std::ssize(system.prescribed()) == place.n ? 1 : 0;
    for (const PrescribedVelocity& motion : system.prescribed()) {
      Contact contact;
      contact.kind = Contact::Kind::Prescribed;
      contact.row = m_++;
      contact.prescribed = &motion;
      contact.column = first_[s] + motion.component;
      contact.local = static_cast<Index>(prescribed_names_.size());
      prescribed_names_.push_back("the prescribed velocity of " + place.name);
      contacts_.push_back(contact);
    }
    for (const PrescribedImpulse& impulse : system.impulses()) {
      Impulse packed{impulse.instant, Eigen::VectorXd::Zero(n_)};
      packed.impulse.segment(first_[s], place.n) = impulse.impulse.value();
      impulses_.push_back(std::move(packed));
    }
  }
  H = Eigen::MatrixXd::Zero(m_, n_);
  y = u = c = length_ = magnitude_ = acceleration_ = speed_ = fastest_ = force_of_row_ = Eigen::VectorXd::Zero(m_);
  followed_ = y;
  v = a_free = F_ = pushed_ = inertia_ = Eigen::VectorXd::Zero(n_);
  all_.assign(contacts_.size(), 1);
  for (const Contact& contact : contacts_) {
    if (contact.kind != Contact::Kind::Prescribed) continue;
    H(contact.row, contact.column) = 1.0;
    const Index body = packed_[static_cast<std::size_t>(contact.column)].system;
    drives_.push_back(
        {.prescribed = contact.prescribed, .body = layout_->systems[static_cast<std::size_t>(body)].name});
  }
  for (const Link& link : links_) {
    if (link.constant) write_jacobian(link);
  }
}

void MechanicalModel::add_impact_matrices(const NonSmoothDynamicalSystem& model) {
  for (const NonSmoothDynamicalSystem::ImpactMatrix& matrix : model.impact_matrices()) {
    for (std::size_t i = 0; i < matrix.contacts.size(); ++i) {
      for (Contact& contact : contacts_) {
        if (contact.interaction < 0 ||
            layout_->interactions[static_cast<std::size_t>(contact.interaction)].slot != matrix.contacts[i])
          continue;
        contact.matrix = std::ssize(impact_matrices_);
        contact.in_matrix = static_cast<Index>(i);
        contact.restitution = matrix.restitution.row(contact.in_matrix).maxCoeff();
      }
    }
    impact_matrices_.push_back(matrix.restitution);
  }
}

void MechanicalModel::add_coefficient_rules(const NonSmoothDynamicalSystem& model) {
  if (model.coefficient_rules().empty()) return;
  for (const auto& rule : model.coefficient_rules()) coefficient_rules_.push_back(rule.restitution);
  const describe::KnownCoefficients known(model);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {  // those of interactions: they come first
    Contact& contact = contacts_[i];
    const Layout::Interaction& place = layout_->interactions[static_cast<std::size_t>(contact.interaction)];
    contact.coefficients = known.rule_of(place.slot);
    impacting_.push_back(describe::impacting(model, *layout_, place));
    impacting_.back().block = contact.local / model.interactions()[place.slot].law->size;
    impacting_.back().number = static_cast<Index>(i);
  }
}

double MechanicalModel::coefficient(std::size_t i, std::size_t j) const {
  return describe::coefficient(*coefficient_rules_[static_cast<std::size_t>(contacts_[i].coefficients)], impacting_[i],
                               impacting_[j]);
}

void MechanicalModel::add_systems(const NonSmoothDynamicalSystem& model) {
  first_.assign(layout_->systems.size(), -1);
  held_.assign(layout_->systems.size(), 0);
  std::vector<Index> asked;
  for (std::size_t s = 0; s < first_.size(); ++s) {
    const Layout::System& place = layout_->systems[s];
    const auto& system = model.systems()[place.slot];
    if (system.with_law)
      refuse_model(std::string("the ") + system.with_law->kind() + " " + place.name,
                   std::string("time-stepping: ") + system.with_law->law() + " moves it without events");
    if (place.first_order) continue;
    if (system.description->feedback())
      refuse_model("the sampled feedback of " + place.name, "time-stepping, which has the grid");
    first_[s] = n_;
    for (Index i = 0; i < place.n; ++i)
      packed_.push_back({static_cast<Index>(s), place.q + i, layout_->num_positions + place.z + i});
    n_ += place.n;
    asked.push_back(static_cast<Index>(s));
    if (!system.moves_plainly) manifolds_.push_back({place.q, place.nq});
  }
  positions_ = Eigen::VectorXd::Zero(layout_->num_positions);
  stages::prepare_instants(model, *layout_, asked, first_, systems_);
  for (SystemBatch* batch : systems_.batches) {
    const Index singular = batch->factor_constant_masses();
    if (singular < 0) continue;
    refuse_model("a mass matrix of " + layout_->systems[static_cast<std::size_t>(singular)].name + " that is singular",
                 "M > 0");
  }
}

void MechanicalModel::add_link(const NonSmoothDynamicalSystem::InteractionRecord& interaction, Index index) {
  const std::shared_ptr<const MechanicalRelation> relation(interaction.relation, interaction.mechanical);
  if (relation->is_compliant()) {
    refuse_model("the compliance of " + interaction.name,
                 "a rigid relation, with SpringDamperLaw where it gives way, or time-stepping");
  }
  Link link{relation, {*relation, layout_->interactions[static_cast<std::size_t>(index)].name}};
  link.row = m_;
  link.rows = interaction.rows;
  link.contact = static_cast<Index>(contacts_.size());
  link.interaction = index;
  link.force = interaction.law->law->force_law();
  Index columns = 0, positions = 0;
  for (const LinkedSystem& linked : linked_systems(*layout_, interaction.systems)) {
    link.bodies.push_back({linked, first_[static_cast<std::size_t>(linked.system)]});
    columns += linked.n;
    positions += linked.nq;
    link.plain = link.plain && linked.nq == linked.n;
  }
  link.q = Eigen::VectorXd::Zero(positions);
  link.v = Eigen::VectorXd::Zero(columns);
  link.H = Eigen::MatrixXd::Zero(link.rows, columns);
  if (const Eigen::MatrixXd* H_constant = link.relation->constant_jacobian()) {
    link.H = *H_constant;
    link.constant = true;
    const LagrangianLinearRelation* affine = link.relation->linear();
    if (affine && affine->b.size() == link.rows) link.offset = &affine->b.value();
  }
  if (link.force) forces_.push_back({index, m_});
  const auto add = [&](Contact contact, Index local) {
    contact.interaction = index;
    contact.local = local;
    contact.row = m_ + local;
    contact.affine = link.constant;
    if (contact.num_turning == 0) contact.impact_rows = contact.size;
    link.in_units = link.in_units || contact.second_unit != 1.0;
    contacts_.push_back(contact);
    ++link.contacts;
  };
  const auto* const reaction = dynamic_cast<const ReactionBounds*>(interaction.law->law.get());
  for (Index local = 0; !link.force && local < interaction.rows; local += interaction.law->size) {
    const std::vector<LocalContact> contacts = reaction
                                                   ? contacts_of_joint(*reaction, m_ + local, interaction.law->size)
                                                   : contacts_of(*interaction.law, interaction.name, m_ + local);
    for (const LocalContact& one : contacts) add(one.contact, local + one.local);
  }
  if (link.in_units) {  // constant rows take them here, once, and y = H q + b is the relation's to say
    if (link.constant) take_units(link, link.H);
    link.offset = nullptr;
  }
  m_ += link.rows;
  links_.push_back(std::move(link));
}

}  // namespace nonsmooth::events
