// SPDX-License-Identifier: Apache-2.0
// Accelerations that satisfy the laws at an instant as well as those that were taken (Painlevé).
#include "next_mode.hpp"

namespace nonsmooth::events {

void NextMode::note_others(const std::vector<char>& slips, const Accelerations& answer,
                           const std::vector<Eigen::VectorXd>& lambdas) {
  others_.clear();
  if (lambdas.empty()) return;
  of_others_ = answer;
  for (const Eigen::VectorXd& lambda : lambdas) {
    Other other;
    other.subject = model_.name(model_.contact(answer.contact.front()));
    other.lambda = lambda;
    other.w = answer.W * lambda + answer.b;
    other.forces = Eigen::VectorXd::Zero(model_.num_rows());
    for (std::size_t block = 0; block < answer.contact.size(); ++block) {
      const std::size_t i = answer.contact[block];
      const Contact& one = model_.contact(i);
      const Index first = answer.first[block], size = answer.sets.size(static_cast<Index>(block));
      for (Index k = first; k < first + size; ++k) other.forces[answer.rows[static_cast<std::size_t>(k)]] = lambda[k];
      if (one.kind != Contact::Kind::Unilateral) continue;
      for (std::size_t j = i; j <= i + one.num_turning; ++j) {
        const Contact& friction = model_.contact(j);
        if (friction.num_slip_rows() == 0 || !slips[j]) continue;
        const Eigen::Vector3d direction = mode_.slip_direction(j);
        for (Index s = 0; s < friction.num_slip_rows(); ++s)
          other.forces[friction.first_slip_row() + s] = -friction.kinetic_friction * direction[s] * lambda[first];
      }
    }
    other.vdot = model_.H.transpose() * other.forces;
    model_.solve_mass(other.vdot);
    other.vdot += model_.a_free;
    for (std::size_t block = 0; block < answer.contact.size(); ++block) {
      const Contact& one = model_.contact(answer.contact[block]);
      other.forces[one.row] -= one.cohesion;
    }
    for (std::size_t i = 0; i < mode_.states().size(); ++i) {  // whose forces are in a_free
      const Contact& one = model_.contact(i);
      if (one.kind == Contact::Kind::Relay && slips[i])
        other.forces[one.row] = one.bound(mode_.states()[i].direction[0]);
    }
    others_.push_back(std::move(other));
  }
}

void NextMode::tell_others(double t, bool beginning) {
  if (others_.empty()) return;
  const ContactStates taken = mode_.states();
  const std::vector<char> no_impacts(mode_.states().size(), 0);
  std::vector<std::size_t> undecided;
  for (Other& other : others_) {
    of_others_.lambda = other.lambda;
    of_others_.w = other.w;
    judge(of_others_, undecided);
    log_changes(t, taken, no_impacts, beginning, other.rows);
    mode_.states() = taken;
  }
}

void NextMode::write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& forces) const {
  model_.scatter_rates(other.vdot, zdot);
  for (const Contact& one : model_.contacts()) {
    if (one.interaction < 0) continue;
    const Index to = model_.layout().interactions[static_cast<std::size_t>(one.interaction)].row + one.local;
    forces.segment(to, one.size) = other.forces.segment(one.row, one.size);
  }
}

}  // namespace nonsmooth::events
