// SPDX-License-Identifier: Apache-2.0
#include "mechanical_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <nonsmooth/kernel/laws/force.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/guarded.hpp"

namespace nonsmooth::events {

const std::string& MechanicalModel::name(const Contact& contact) const {
  if (contact.interaction < 0) return prescribed_names_[static_cast<std::size_t>(contact.local)];
  return layout_->interactions[static_cast<std::size_t>(contact.interaction)].name;
}

void MechanicalModel::append_systems(const Contact& contact, std::vector<Index>& systems) const {
  if (contact.interaction >= 0) {
    for (const LinkedBody& body : link_of(contact).bodies) systems.push_back(body.system);
    return;
  }
  systems.push_back(packed_[static_cast<std::size_t>(contact.column)].system);
}

InteractionHandle MechanicalModel::handle(const Contact& contact) const {
  if (contact.interaction < 0) return {};
  const std::uint32_t slot = layout_->interactions[static_cast<std::size_t>(contact.interaction)].slot;
  return {layout_->model, slot, layout_->interaction_generation[slot]};
}

Event MechanicalModel::event_of(EventKind kind, double t, std::size_t i, double value) const {
  return {
      .kind = kind, .t = t, .interaction = handle(contacts_[i]), .row = contacts_[i].local, .value = value, .end = 0.0};
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
      const Magnitudes sums = magnitudes(link, r, z);
      magnitude_[link.row + r] = std::max(magnitude_[link.row + r], sums.length);
      fastest_[link.row + r] = std::max(fastest_[link.row + r], sums.speed);
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
  double* own = v.data();
  for (const PackedVelocity& of : packed_) *own++ = z[of.z];
  for (const Positions& of : manifolds_) positions_.segment(of.q, of.nq) = z.segment(of.q, of.nq);
}

void MechanicalModel::scatter_velocities(Eigen::VectorXd& z) const {
  const double* own = v.data();
  for (const PackedVelocity& of : packed_) z[of.z] = *own++;
}

void MechanicalModel::scatter_rates(const Eigen::VectorXd& vdot, Eigen::VectorXd& zdot) const {
  const double* own = vdot.data();
  for (const PackedVelocity& of : packed_) zdot[of.z] = *own++;
  if (has_manifolds()) {
    for (const SystemBatch* batch : systems_.batches) batch->position_rates(positions_, v, zdot);
  } else {
    own = v.data();
    for (const PackedVelocity& of : packed_) zdot[of.q] = *own++;
  }
}

void MechanicalModel::move_positions(const Eigen::VectorXd& w, Eigen::VectorXd& z) const {
  for (const SystemBatch* batch : systems_.batches) batch->move_positions(w, z);
}

void MechanicalModel::position_rates(const Eigen::VectorXd& z, const Eigen::VectorXd& w, Eigen::VectorXd& rates) const {
  rates.resize(layout_->num_positions);
  for (const SystemBatch* batch : systems_.batches) batch->position_rates(z, w, rates);
}

bool MechanicalModel::normalise(Eigen::VectorXd& z) const {
  if (!has_manifolds()) return false;
  bool moved = false;
  for (const SystemBatch* batch : systems_.batches) {
    if (batch->normalise(z)) moved = true;
  }
  return moved;
}

void MechanicalModel::evaluate_dynamics(double t, const Eigen::VectorXd& z) {
  const double at = window_.inside(t);
  gather(z);
  for (SystemBatch* batch : systems_.batches) batch->evaluate_motion(at, z, v, F_);
  add_forces(at, z);
  for (SystemBatch* batch : systems_.batches) {
    const Index refused = batch->accelerations(F_, a_free);
    if (refused < 0) continue;
    throw InvalidArgument("EventDriven: mass of " + layout_->systems[static_cast<std::size_t>(refused)].name,
                          "a matrix that is not positive definite at t = " + text(t), "M(q) > 0");
  }
}

void MechanicalModel::solve_mass(Eigen::Ref<Eigen::VectorXd> x) const {
  for (const SystemBatch* batch : systems_.batches) batch->solve_mass(x.data());
}

void MechanicalModel::push(Index row, double force) {
  pushed_ = force * H.row(row).transpose();
  solve_mass(pushed_);
  a_free += pushed_;
}

void MechanicalModel::write_jacobian(const Link& link) {
  for (const LinkedBody& body : link.bodies) {
    for (Index k = 0; k < body.n; ++k) {
      for (Index r = 0; r < link.rows; ++r) H(link.row + r, body.first + k) = link.H(r, body.column + k);
    }
  }
}

MechanicalModel::Magnitudes MechanicalModel::magnitudes(const Link& link, Index row, const Eigen::VectorXd& z) const {
  Magnitudes sums;
  const double* entry = link.H.data() + row;
  for (const LinkedBody& body : link.bodies) {
    const double* const q_of = z.data() + body.q;
    const double* const v_of = z.data() + layout_->num_positions + body.z;
    double largest = 0.0;
    for (Index k = 0; k < body.n; ++k, entry += link.rows) {
      sums.speed += std::abs(*entry * v_of[k]);
      if (body.nq == body.n) {
        sums.length += std::abs(*entry * q_of[k]);
      } else {
        largest = std::max(largest, std::abs(*entry));
      }
    }
    if (body.nq != body.n) sums.length += largest * z.segment(body.q, body.nq).lpNorm<1>();
  }
  return sums;
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
    evaluate_gaps(link, at, z);
  }
}

void MechanicalModel::evaluate_gaps(Link& link, double t, const Eigen::VectorXd& z) {
  auto own = y.segment(link.row, link.rows);
  if (link.offset) {
    own.noalias() = *link.offset + link.H * positions(link, z);
  } else {
    if (link.evaluator.follows()) own = followed_.segment(link.row, link.rows);
    link.evaluator.h(t, positions(link, z), own);
  }
}

void MechanicalModel::follow(double t, const Eigen::VectorXd& z) {
  for (Link& link : links_) {
    if (!link.evaluator.follows()) continue;
    evaluate_gaps(link, window_.inside(t), z);
    followed_.segment(link.row, link.rows) = y.segment(link.row, link.rows);
  }
}

void MechanicalModel::follow(const State& state) {
  for (const Link& link : links_) {
    if (!link.force) continue;
    const Index from = layout_->interactions[static_cast<std::size_t>(link.interaction)].row;
    followed_.segment(link.row, link.rows) = state.outputs.segment(from, link.rows);
  }
  for (const Contact& contact : contacts_) {
    if (contact.interaction < 0) continue;
    const Index from = layout_->interactions[static_cast<std::size_t>(contact.interaction)].row + contact.local;
    followed_.segment(contact.row, contact.size) = state.outputs.segment(from, contact.size);
  }
}

double MechanicalModel::coefficient(Index row, Index k, const smooth::DensePolynomial& dense) const {
  double sum = 0.0;
  Index column = 0;
  for (const PackedVelocity& of : packed_) sum += H(row, column++) * dense.coefficients(of.q, k);
  return sum;
}

double MechanicalModel::lowest_change(Index row, const smooth::DensePolynomial& dense) const {
  double lowest = 0.0;
  for (Index k = 1; k <= dense.degree; ++k) lowest += std::min(coefficient(row, k, dense), 0.0);
  return lowest;
}

const MechanicalModel::Link& MechanicalModel::link_of(const Contact& contact) const {
  return *std::prev(std::upper_bound(links_.begin(), links_.end(), contact.row,
                                     [](Index row, const Link& link) { return row < link.row; }));
}

bool MechanicalModel::is_joint(const Contact& contact) const { return link_of(contact).relation->is_joint(); }

double MechanicalModel::smallest_feature(const Contact& contact) const {
  return link_of(contact).relation->smallest_feature();
}

double MechanicalModel::steepness(const Contact& contact) const {
  const Link& link = link_of(contact);
  return link.relation->depends_on_time() ? 0.0 : link.relation->steepness(static_cast<Index>(link.bodies.size()));
}

bool MechanicalModel::depends_on_time(const Contact& contact) const {
  return !contact.affine && link_of(contact).relation->depends_on_time();
}

void MechanicalModel::evaluate_velocities(Link& link, double t, const Eigen::VectorXd& z) {
  const double* const v_of = velocities(link, z).data();
  evaluate_gaps(link, t, z);
  const double* const q_of = link.q.data();
  if (!link.constant) {
    link.evaluator.H(t, link.q, link.H);
    take_units(link, link.H);
    write_jacobian(link);
  }
  auto velocity = u.segment(link.row, link.rows);
  if (link.offset) {
    velocity.setZero();
  } else {
    link.evaluator.h_t(t, link.q, velocity);
    take_units(link, velocity);
  }
  const Index columns = link.v.size();
  for (Index r = 0; r < link.rows; ++r) {
    double speed = std::abs(velocity[r]), rate = velocity[r], length = 0.0;
    const double* entry = link.H.data() + r;
    for (Index k = 0; k < columns; ++k, entry += link.rows) {
      const double term = *entry * v_of[k];
      speed += std::abs(term);
      rate += term;
      if (link.plain) length += std::abs(*entry * q_of[k]);
    }
    if (!link.plain) length = magnitudes(link, r, z).length;
    length_[link.row + r] = std::max(std::abs(y[link.row + r]), length);
    speed_[link.row + r] = speed;
    velocity[r] = rate;
  }
}

void MechanicalModel::evaluate_velocities(double t, const Eigen::VectorXd& z, const std::vector<char>& wanted) {
  const double at = window_.inside(t);
  gather(z);
  for (Link& link : links_) {
    if (is_wanted(link, wanted)) evaluate_velocities(link, at, z);
  }
  auto drive = drives_.begin();
  for (const Contact& contact : contacts_) {
    if (contact.kind != Contact::Kind::Prescribed) continue;
    const double prescribed = velocity(*drive++, t);
    u[contact.row] = v[contact.column] - prescribed;
    speed_[contact.row] = std::abs(v[contact.column]) + std::abs(prescribed);
  }
}

void MechanicalModel::add_forces(double t, const Eigen::VectorXd& z) {
  for (Link& link : links_) {
    if (!link.force) continue;
    evaluate_velocities(link, t, z);
    const std::string& name = layout_->interactions[static_cast<std::size_t>(link.interaction)].name;
    for (Index row = link.row; row < link.row + link.rows; ++row) {
      double& lambda = force_of_row_[row];
      guarded(name, "the force of the law", [&] { lambda = link.force->limited_force(t, y[row], u[row]); });
      for (const LinkedBody& body : link.bodies)
        F_.segment(body.first, body.n) += lambda * H.row(row).segment(body.first, body.n).transpose();
    }
  }
}

void MechanicalModel::write_forces(double t, const Eigen::VectorXd& z, State& state) {
  if (forces_.empty()) return;
  evaluate_dynamics(t, z);
  for (const Link& link : links_) {
    if (!link.force) continue;
    const Index to = layout_->interactions[static_cast<std::size_t>(link.interaction)].row;
    state.outputs.segment(to, link.rows) = y.segment(link.row, link.rows);
    state.velocities.segment(to, link.rows) = u.segment(link.row, link.rows);
    state.forces.segment(to, link.rows) = force_of_row_.segment(link.row, link.rows);
    state.multipliers.segment(to, link.rows).setZero();
    state.percussions.segment(to, link.rows).setZero();
  }
}

void MechanicalModel::require_finite(double t) const {
  for (const Link& link : links_) {
    const auto refuse_function = [&](const char* function) {
      throw InvalidArgument(
          std::string(function) + " of " + layout_->interactions[static_cast<std::size_t>(link.interaction)].name,
          "a number that is not finite at t = " + text(t), "finite values");
    };
    if (!y.segment(link.row, link.rows).allFinite()) refuse_function("h(q)");
    if (!link.H.allFinite()) refuse_function("H(q)");
    if (!u.segment(link.row, link.rows).allFinite()) refuse_function("h_t(q), or the velocity,");
  }
}

void MechanicalModel::evaluate_curvatures(double t, const std::vector<char>& wanted) {
  const double at = window_.inside(t);
  for (Link& link : links_) {
    if (!is_wanted(link, wanted)) continue;
    auto own = c.segment(link.row, link.rows);
    if (link.offset) {
      own.setZero();
    } else {
      link.evaluator.curvature(at, link.q, link.v, own);
      take_units(link, own);
    }
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
