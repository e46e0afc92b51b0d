// SPDX-License-Identifier: Apache-2.0
#include "mechanical_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "model/adapters.hpp"
#include "model/guarded.hpp"
#include "model/law_blocks.hpp"
#include "smooth/small_products.hpp"

namespace nonsmooth::events {
namespace {

/// Up to here loops with the inverse of a constant mass are faster than triangular solves.
constexpr Index kSmallBody = 8;

[[noreturn]] void refuse(const std::string& what, const std::string& expected) {
  throw InvalidArgument("EventDriven: model", what, expected);
}

/// Rows of a block as a contact; the parts of the law say which.
Contact contact_of(const LawBlock& law, const std::string& name) {
  const auto unknown = [&](const char* law_name) {
    refuse(std::string(law_name) + " on " + name,
           "NewtonImpactLaw, NewtonImpactFrictionLaw, StaticKineticFrictionLaw, PoissonImpactLaw, "
           "LiuZhaoBrogliatoImpactLaw, EqualityLaw or RelayLaw, or time-stepping");
  };
  if (law.custom) unknown("a user's law");
  if (law.bond) unknown("CohesiveZoneLaw");
  if (law.stiffness > 0.0) unknown("SpringDashpotLaw");
  if (law.parts.size() != 1 || law.auxiliary > 0 || law.level != LawBlock::Level::Velocity) {
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
      contact.kind = Contact::Kind::Relay;
      contact.lower = set.lower;
      contact.upper = set.upper;
      return contact;
    case SetKind::Orthant:
    case SetKind::Coulomb2D:
    case SetKind::Coulomb3D:
      if (!law.unilateral) unknown("a complementarity between velocities");
      break;
    case SetKind::SecondOrderCone:
    case SetKind::DruckerPrager:
    case SetKind::VonMises:
    case SetKind::Rolling:
      unknown("a law of cones");
  }
  contact.kind = Contact::Kind::Unilateral;
  contact.restitution = law.restitution;
  contact.tangential_restitution = law.tangential_restitution;
  contact.sliding = contact.holding = set.kind == SetKind::Orthant ? 0.0 : set.mu;
  if (law.stick) contact.holding = law.stick->holding;
  switch (law.impact_rule) {
    case LawBlock::ImpactRule::Newton:
      contact.rule = ImpactContact::Rule::Newton;
      break;
    case LawBlock::ImpactRule::Poisson:
      contact.rule = ImpactContact::Rule::Poisson;
      break;
    case LawBlock::ImpactRule::LiuZhaoBrogliato:
      contact.rule = ImpactContact::Rule::LiuZhaoBrogliato;
      contact.impact_stiffness = law.impact_stiffness;
      contact.impact_exponent = law.impact_exponent;
      break;
  }
  return contact;
}

}  // namespace

MechanicalModel::MechanicalModel(const NonSmoothDynamicalSystem& model, std::shared_ptr<const Layout> layout)
    : layout_(std::move(layout)),
      systems_(std::make_shared<const std::vector<NonSmoothDynamicalSystem::System>>(model.systems())) {
  if (!model.sources().empty())
    refuse("a contact source", "contacts that are linked; detected ones need time-stepping");
  body_of_system_.assign(layout_->systems.size(), -1);
  for (std::size_t s = 0; s < layout_->systems.size(); ++s) {
    const Layout::System& place = layout_->systems[s];
    const auto& system = (*systems_)[place.slot];
    if (std::holds_alternative<std::shared_ptr<const SweepingProcess>>(system.description)) {
      refuse("the sweeping process " + place.name, "time-stepping: its set moves without events");
    }
    if (place.first_order) continue;
    body_of_system_[s] = static_cast<Index>(bodies_.size());
    add_body(system, place);
  }
  for (std::size_t i = 0; i < layout_->interactions.size(); ++i) {
    const auto& interaction = model.interactions()[layout_->interactions[i].slot];
    if (!interaction.first_order()) add_link(interaction, static_cast<Index>(i));
  }
  for (const Body& body : bodies_) {
    const auto& prescribed = body.linear ? body.linear->prescribed : body.general->prescribed();
    for (const PrescribedVelocity& motion : prescribed) {
      Contact contact;
      contact.kind = Contact::Kind::Prescribed;
      contact.row = m_++;
      contact.prescribed = &motion;
      contact.column = body.first + motion.component;
      contact.local = static_cast<Index>(prescribed_names_.size());
      prescribed_names_.push_back("the prescribed velocity of " + body.name);
      contacts_.push_back(contact);
    }
    const auto& impulses = body.linear ? body.linear->impulses : body.general->impulses();
    for (const PrescribedImpulse& impulse : impulses) {
      Impulse packed{impulse.instant, Eigen::VectorXd::Zero(n_)};
      packed.impulse.segment(body.first, body.n) = impulse.impulse.value();
      impulses_.push_back(std::move(packed));
    }
  }
  H = Eigen::MatrixXd::Zero(m_, n_);
  y = u = c = length_ = magnitude_ = acceleration_ = speed_ = fastest_ = Eigen::VectorXd::Zero(m_);
  v = a_free = Eigen::VectorXd::Zero(n_);
  for (const Contact& contact : contacts_) {
    if (contact.kind != Contact::Kind::Prescribed) continue;
    H(contact.row, contact.column) = 1.0;
    const auto body = std::find_if(bodies_.begin(), bodies_.end(), [&](const Body& one) {
      return contact.column >= one.first && contact.column < one.first + one.n;
    });
    drives_.push_back({.prescribed = contact.prescribed, .body = body->name});
  }
  for (const Link& link : links_) {
    if (!link.constant) continue;
    Index column = 0;
    for (const Index b : link.bodies) {
      const Body& body = bodies_[static_cast<std::size_t>(b)];
      H.block(link.row, body.first, link.rows, body.n) = link.H.middleCols(column, body.n);
      column += body.n;
    }
  }
}

void MechanicalModel::add_body(const NonSmoothDynamicalSystem::System& system, const Layout::System& place) {
  Body body;
  body.name = place.name;
  body.q = place.q;
  body.z = layout_->num_positions + place.z;
  body.first = n_;
  body.n = place.n;
  if (place.nq != place.n) {
    refuse(
        place.name + " with " + std::to_string(place.nq) + " positions and " + std::to_string(place.n) + " velocities",
        "a system whose velocities are the rates of its positions");
  }
  if (const auto* linear = std::get_if<std::shared_ptr<const LagrangianLinearSystem>>(&system.description)) {
    body.linear = linear->get();
    if (body.linear->feedback) refuse("the sampled feedback of " + place.name, "time-stepping, which has the grid");
    body.constant_mass = true;
    body.M = body.linear->mass.to_dense(place.n, true);
    if (!body.linear->damping.empty()) body.damping = body.linear->damping.to_dense(place.n);
    if (!body.linear->stiffness.empty()) body.stiffness = body.linear->stiffness.to_dense(place.n);
    body.factor.compute(body.M);
    if (!body.factor.is_positive_definite()) refuse("a mass matrix of " + place.name + " that is singular", "M > 0");
    body.inverse = body.factor.inverse();
  } else {
    body.general = std::get<std::shared_ptr<const DynamicalSystem>>(system.description).get();
    if (body.general->feedback()) refuse("the sampled feedback of " + place.name, "time-stepping, which has the grid");
    body.M = Eigen::MatrixXd::Zero(place.n, place.n);
    // A retract of its own shows in a move of 1 along every velocity at once.
    Eigen::VectorXd moved = body.general->initial_position();
    const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(place.n, 1.0, 2.0), plain = moved + w;
    body.general->retract(moved, w);
    if (!moved.isApprox(plain, 1e-12))
      refuse("the retract of " + place.name, "a system whose velocities are the rates of its positions");
  }
  body.force = Eigen::VectorXd::Zero(place.n);
  n_ += place.n;
  bodies_.push_back(std::move(body));
}

void MechanicalModel::add_link(const NonSmoothDynamicalSystem::Interaction& interaction, Index index) {
  Link link;
  link.relation = std::get<std::shared_ptr<const Relation>>(interaction.relation);
  if (link.relation->is_compliant()) {
    refuse("the compliance of " + interaction.name, "a rigid relation, or time-stepping");
  }
  link.row = m_;
  link.rows = interaction.rows;
  link.contact = static_cast<Index>(contacts_.size());
  Index columns = 0;
  for (const std::uint32_t slot : interaction.systems) {
    const Index system = layout_->system_of_slot[slot];
    const Index b = body_of_system_[static_cast<std::size_t>(system)];
    link.bodies.push_back(b);
    columns += bodies_[static_cast<std::size_t>(b)].n;
  }
  link.q = link.v = Eigen::VectorXd::Zero(columns);
  link.H = Eigen::MatrixXd::Zero(link.rows, columns);
  if (const Eigen::MatrixXd* H_constant = link.relation->constant_jacobian()) {
    link.H = *H_constant;
    link.constant = true;
  }
  for (Index local = 0; local < interaction.rows; local += interaction.law.size) {
    Contact contact = contact_of(interaction.law, interaction.name);
    contact.interaction = index;
    contact.local = local;
    contact.row = m_ + local;
    contact.affine = link.constant;
    contacts_.push_back(contact);
    ++link.contacts;
  }
  m_ += link.rows;
  links_.push_back(std::move(link));
}

const std::string& MechanicalModel::name(const Contact& contact) const {
  if (contact.interaction < 0) return prescribed_names_[static_cast<std::size_t>(contact.local)];
  return layout_->interactions[static_cast<std::size_t>(contact.interaction)].name;
}

InteractionHandle MechanicalModel::handle(const Contact& contact) const {
  if (contact.interaction < 0) return {};
  const std::uint32_t slot = layout_->interactions[static_cast<std::size_t>(contact.interaction)].slot;
  return {layout_->model, slot, layout_->interaction_generation[slot]};
}

void MechanicalModel::set_window(const TimeWindow& window) noexcept {
  window_ = window;
  for (Drive& drive : drives_) drive.found_at = std::numeric_limits<double>::quiet_NaN();
}

void MechanicalModel::forget_scales() {
  length_.setZero();
  magnitude_.setZero();
  acceleration_.setZero();
  fastest_.setZero();
}

void MechanicalModel::note_scales(const Eigen::VectorXd& z) {
  for (const Link& link : links_) {
    for (Index r = 0; r < link.rows; ++r) {
      double length = 0.0, speed = 0.0;
      const double* entry = link.H.data() + r;
      for (const Index b : link.bodies) {
        const Body& body = bodies_[static_cast<std::size_t>(b)];
        for (Index k = 0; k < body.n; ++k, entry += link.rows) {
          length += std::abs(*entry * z[body.q + k]);
          speed += std::abs(*entry * z[body.z + k]);
        }
      }
      magnitude_[link.row + r] = std::max(magnitude_[link.row + r], length);
      fastest_[link.row + r] = std::max(fastest_[link.row + r], speed);
    }
  }
  for (Index r = 0; r < m_; ++r) {
    double sum = 0.0;
    const double* entry = H.data() + r;
    for (Index k = 0; k < n_; ++k, entry += m_) sum += std::abs(*entry * a_free[k]);
    acceleration_[r] = std::max(acceleration_[r], sum);
  }
}

void MechanicalModel::gather(const Eigen::VectorXd& z) {
  for (const Body& body : bodies_) {
    for (Index i = 0; i < body.n; ++i) v[body.first + i] = z[body.z + i];
  }
}

void MechanicalModel::scatter_velocities(Eigen::VectorXd& z) const {
  for (const Body& body : bodies_) z.segment(body.z, body.n) = v.segment(body.first, body.n);
}

void MechanicalModel::scatter_rates(const Eigen::VectorXd& vdot, Eigen::VectorXd& zdot) const {
  for (const Body& body : bodies_) {
    for (Index i = 0; i < body.n; ++i) {
      zdot[body.q + i] = v[body.first + i];
      zdot[body.z + i] = vdot[body.first + i];
    }
  }
}

void MechanicalModel::add_to_positions(const Eigen::VectorXd& dq, Eigen::VectorXd& z) const {
  for (const Body& body : bodies_) z.segment(body.q, body.n) += dq.segment(body.first, body.n);
}

void MechanicalModel::evaluate_dynamics(double t, const Eigen::VectorXd& z) {
  const double at = window_.inside(t);
  gather(z);
  for (Body& body : bodies_) {
    auto a = a_free.segment(body.first, body.n);
    const auto q = z.segment(body.q, body.n), velocity = z.segment(body.z, body.n);
    if (body.linear) {
      if (const auto* constant = body.linear->force.constant()) {
        body.force = *constant;
      } else {
        body.force.setZero();
        if (const auto* function = body.linear->force.function())
          guarded(body.name, "force(t)", [&] { (*function)(at, body.force); });
      }
      if (body.damping.size() > 0) body.force.noalias() -= body.damping * velocity;
      if (body.stiffness.size() > 0) body.force.noalias() -= body.stiffness * q;
      a.setZero();
      smooth::add_product(body.inverse, body.force.data(), a.data());
    } else {
      body.force.setZero();
      body.M.setZero();
      guarded(body.name, "mass(q)", [&] { body.general->mass(q, body.M); });
      guarded(body.name, "force(t, q, v)", [&] { body.general->force(at, q, velocity, body.force); });
      if (body.n == 1) {
        a[0] = body.force[0] / body.M(0, 0);
      } else {
        body.factor.compute(body.M);
        if (!body.factor.is_positive_definite()) {
          throw InvalidArgument("EventDriven: mass of " + body.name,
                                "a matrix that is not positive definite at t = " + text(t), "M(q) > 0");
        }
        a = body.force;
        body.factor.solve_in_place(a);
      }
    }
  }
}

void MechanicalModel::solve_mass(Eigen::Ref<Eigen::VectorXd> x) const {
  for (const Body& body : bodies_) {
    auto part = x.segment(body.first, body.n);
    if (body.n == 1) {
      part[0] /= body.M(0, 0);
    } else if (body.constant_mass && body.n <= kSmallBody) {
      std::array<double, kSmallBody> image{};
      for (Index j = 0; j < body.n; ++j) {
        for (Index i = 0; i < body.n; ++i) image[static_cast<std::size_t>(i)] += body.inverse(i, j) * part[j];
      }
      for (Index i = 0; i < body.n; ++i) part[i] = image[static_cast<std::size_t>(i)];
    } else {
      body.factor.solve_in_place(part);
    }
  }
}

void MechanicalModel::gather_link(Link& link, const Eigen::VectorXd& z) const {
  Index column = 0;
  for (const Index b : link.bodies) {
    const Body& body = bodies_[static_cast<std::size_t>(b)];
    for (Index i = 0; i < body.n; ++i) {
      link.q[column + i] = z[body.q + i];
      link.v[column + i] = z[body.z + i];
    }
    column += body.n;
  }
}

bool MechanicalModel::is_wanted(const Link& link, const std::vector<char>& wanted) const {
  for (Index i = link.contact; i < link.contact + link.contacts; ++i) {
    if (wanted[static_cast<std::size_t>(i)]) return true;
  }
  return false;
}

void MechanicalModel::evaluate_gaps(double t, const Eigen::VectorXd& z, const std::vector<char>& wanted) {
  const double at = window_.inside(t);
  for (Link& link : links_) {
    if (!is_wanted(link, wanted)) continue;
    std::fill_n(y.data() + link.row, link.rows, 0.0);
    if (link.bodies.size() == 1) {
      const Body& body = bodies_[static_cast<std::size_t>(link.bodies.front())];
      guarded(name(link), "h(q)",
              [&] { link.relation->h(at, z.segment(body.q, body.n), y.segment(link.row, link.rows)); });
    } else {
      gather_link(link, z);
      guarded(name(link), "h(q)", [&] { link.relation->h(at, link.q, y.segment(link.row, link.rows)); });
    }
  }
}

double MechanicalModel::coefficient(Index row, Index k, const smooth::DensePolynomial& dense) const {
  double sum = 0.0;
  for (const Body& body : bodies_) {
    for (Index i = 0; i < body.n; ++i) sum += H(row, body.first + i) * dense.coefficients(body.q + i, k);
  }
  return sum;
}

double MechanicalModel::lowest_change(Index row, const smooth::DensePolynomial& dense) const {
  double lowest = 0.0;
  for (Index k = 1; k <= dense.degree; ++k) lowest += std::min(coefficient(row, k, dense), 0.0);
  return lowest;
}

const MechanicalModel::Link& MechanicalModel::link_of(const Contact& contact) const {
  return *std::find_if(links_.begin(), links_.end(),
                       [&](const Link& link) { return contact.row >= link.row && contact.row < link.row + link.rows; });
}

double MechanicalModel::smallest_feature(const Contact& contact) const {
  return link_of(contact).relation->smallest_feature();
}

bool MechanicalModel::depends_on_time(const Contact& contact) const {
  const Relation* relation = link_of(contact).relation.get();
  return !contact.affine && dynamic_cast<const CallableScleronomous*>(relation) == nullptr;
}

void MechanicalModel::evaluate_velocities(double t, const Eigen::VectorXd& z, const std::vector<char>& wanted) {
  const double at = window_.inside(t);
  gather(z);
  for (Link& link : links_) {
    if (!is_wanted(link, wanted)) continue;
    gather_link(link, z);
    std::fill_n(y.data() + link.row, link.rows, 0.0);
    guarded(name(link), "h(q)", [&] { link.relation->h(at, link.q, y.segment(link.row, link.rows)); });
    if (!link.constant) {
      link.H.setZero();
      guarded(name(link), "H(q)", [&] { link.relation->H(at, link.q, link.H); });
      Index column = 0;
      for (const Index b : link.bodies) {
        const Body& body = bodies_[static_cast<std::size_t>(b)];
        for (Index k = 0; k < body.n; ++k) {
          for (Index r = 0; r < link.rows; ++r) H(link.row + r, body.first + k) = link.H(r, column + k);
        }
        column += body.n;
      }
    }
    auto velocity = u.segment(link.row, link.rows);
    velocity.setZero();
    guarded(name(link), "h_t", [&] { link.relation->h_t(at, link.q, velocity); });
    const double *const q_of = link.q.data(), *const v_of = link.v.data();
    const Index columns = link.q.size();
    for (Index r = 0; r < link.rows; ++r) {
      double length = 0.0, speed = std::abs(velocity[r]), rate = velocity[r];
      const double* entry = link.H.data() + r;
      for (Index k = 0; k < columns; ++k, entry += link.rows) {
        const double term = *entry * v_of[k];
        length += std::abs(*entry * q_of[k]);
        speed += std::abs(term);
        rate += term;
      }
      length_[link.row + r] = std::max(std::abs(y[link.row + r]), length);
      speed_[link.row + r] = speed;
      velocity[r] = rate;
    }
  }
  auto drive = drives_.begin();
  for (const Contact& contact : contacts_) {
    if (contact.kind != Contact::Kind::Prescribed) continue;
    const double dictated = velocity(*drive++, t);
    u[contact.row] = v[contact.column] - dictated;
    speed_[contact.row] = std::abs(v[contact.column]) + std::abs(dictated);
  }
}

void MechanicalModel::require_finite(double t) const {
  for (const Link& link : links_) {
    const auto refuse_function = [&](const char* function) {
      const Contact& contact = contacts_[static_cast<std::size_t>(link.contact)];
      throw InvalidArgument(std::string(function) + " of " + name(contact),
                            "a number that is not finite at t = " + text(t), "finite values");
    };
    if (!y.segment(link.row, link.rows).allFinite()) refuse_function("h(q)");
    if (!link.H.allFinite()) refuse_function("H(q)");
    if (!u.segment(link.row, link.rows).allFinite()) refuse_function("h_t(q), or the velocity,");
  }
}

void MechanicalModel::evaluate_curvatures(double t, const Eigen::VectorXd& z, const std::vector<char>& wanted) {
  const double at = window_.inside(t);
  for (Link& link : links_) {
    if (!is_wanted(link, wanted)) continue;
    gather_link(link, z);
    auto rows = c.segment(link.row, link.rows);
    rows.setZero();
    guarded(name(link), "curvature", [&] { link.relation->curvature(at, link.q, link.v, rows); });
  }
  auto drive = drives_.begin();
  for (const Contact& contact : contacts_) {
    if (contact.kind != Contact::Kind::Prescribed) continue;
    c[contact.row] = -rate(*drive++, t);
  }
}

double MechanicalModel::position_scale(Index row) const { return std::max(magnitude_[row], length_[row]); }
double MechanicalModel::velocity_scale(Index row) const { return speed_[row]; }
double MechanicalModel::largest_velocity(Index row) const { return std::max(fastest_[row], speed_[row]); }
double MechanicalModel::acceleration_scale(Index row) const { return acceleration_[row]; }

}  // namespace nonsmooth::events
