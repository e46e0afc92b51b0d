// SPDX-License-Identifier: Apache-2.0
// What the answer of the problem of accelerations leaves open and other multipliers of the same closed rows hold:
// contacts without a normal force, friction at its bound.
#include <algorithm>
#include <limits>

#include "next_mode.hpp"

namespace nonsmooth::events {

/// Where normal forces depend on one another the answer may leave some contacts without any, that at others takes their
/// part. As in all that follows equal springs share (LoadShares): those that act on one another are closed by a force,
/// all or none of those that the answer left open.
void NextMode::hold_loads(double t, const Eigen::VectorXd& z, const Accelerations& answer,
                          std::vector<std::size_t>& undecided) {
  const ContactStates before = mode_.states();
  std::vector<std::size_t> loaded, found;
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const std::size_t i = answer.contact[block];
    if (model_.contact(i).kind != Contact::Kind::Unilateral || before[i].closed()) continue;
    if (std::find(undecided.begin(), undecided.end(), i) == undecided.end()) continue;
    judge_contact(answer, block, std::numeric_limits<double>::infinity(), found);
    loaded.push_back(i);
  }
  if (loaded.empty()) return;
  std::vector<std::size_t> closed;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    if (model_.contact(i).kind == Contact::Kind::Unilateral && mode_.states()[i].closed()) closed.push_back(i);
  }
  mode_.activate();
  mode_.solve(t, z);
  const bool shared = mode_.redundant() && mode_.jammed().empty();
  const double zero =
      tolerances_.thresholds.acceleration * std::max(answer.largest_force, mode_.forces().lpNorm<Eigen::Infinity>());
  for (const std::vector<std::size_t>& together : decision_.coupled(closed)) {
    const bool holds = shared && std::all_of(together.begin(), together.end(), [&](std::size_t i) {
                         return mode_.forces()[model_.contact(i).row] > zero;
                       });
    for (const std::size_t i : together) {
      if (before[i].closed()) continue;
      if (holds) {
        std::erase(undecided, i);
      } else {
        std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(i), 1 + model_.contact(i).num_turning,
                    mode_.states().begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
  mode_.activate();
}

bool NextMode::share_evenly(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& contacts) {
  std::vector<std::size_t> sticking;
  for (const std::size_t i : contacts) {
    if (model_.contact(i).frictional() && mode_.states()[i].status == ContactStatus::Held) sticking.push_back(i);
  }
  const EvenFriction even = mode_.even_out(sticking);
  if (!(even.ratio > 0.0 && even.ratio < 1.0)) return false;
  for (std::size_t k = 0; k < sticking.size(); ++k)
    mode_.states()[sticking[k]].share = even.shares[static_cast<Index>(k)];
  mode_.solve_of_motion(t, z);
  return true;
}

/// Where rows depend on one another (joints that rub in a loop or beside a stop, contacts along one line, several
/// contacts of a body) the answer may have friction at its bound where other multipliers with the same accelerations
/// have none: then all of those that act on one another stick.
void NextMode::hold_friction(double t, const Eigen::VectorXd& z, std::vector<std::size_t>& undecided) {
  const auto asked = [&](std::size_t i) { return std::find(undecided.begin(), undecided.end(), i) != undecided.end(); };
  const auto may_stick = [&](std::size_t i) {
    const Contact& one = model_.contact(i);
    return one.num_slip_rows() > 0 && one.kind != Contact::Kind::Relay &&
           mode_.states()[i].status == ContactStatus::Held;
  };
  if (std::none_of(undecided.begin(), undecided.end(), may_stick)) return;
  mode_.activate();
  mode_.solve_of_motion(t, z);
  const Eigen::VectorXd& forces = mode_.forces();
  const double zero = tolerances_.thresholds.acceleration * forces.lpNorm<Eigen::Infinity>();
  const auto holds = [&](std::size_t i) {
    const Contact& one = model_.contact(i);
    const bool of_contact = one.kind == Contact::Kind::Unilateral;
    if (of_contact && forces[one.row] < -zero) return false;
    if (!may_stick(i)) return true;
    const double bound = of_contact ? one.static_friction * forces[one.row] : one.bound_by(forces);
    const double margin = one.kind == Contact::Kind::Turning ? one.static_friction * zero : zero;
    return forces.segment(one.first_slip_row(), one.num_slip_rows()).norm() < bound - (asked(i) ? margin : -margin);
  };
  std::vector<std::size_t> sharing;  // contacts that were not at their bounds have another share now
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const bool closed = model_.contact(i).kind == Contact::Kind::Unilateral && mode_.states()[i].closed();
    if (closed || (asked(i) && may_stick(i))) sharing.push_back(i);
  }
  for (const std::vector<std::size_t>& together : decision_.coupled(sharing)) {
    const auto all_hold = [&] { return std::all_of(together.begin(), together.end(), holds); };
    if (!all_hold() && !(share_evenly(t, z, together) && all_hold())) continue;
    std::erase_if(undecided, [&](std::size_t i) {
      return may_stick(i) && std::find(together.begin(), together.end(), i) != together.end();
    });
  }
}

}  // namespace nonsmooth::events
