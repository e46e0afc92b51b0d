// SPDX-License-Identifier: Apache-2.0
// Where friction of contacts that stick comes to its bound: other shares, or the motion by which a slip begins.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanical_part.hpp"
#include "mechanisms.hpp"

namespace nonsmooth::events {
namespace {

/// Of what counts as no slip: the slowest contact that begins to slip has the first, as long as the fastest has the
/// second at most, by which velocities are wrong.
constexpr double kFirstSlip = 10.0, kMostFirstSlip = 1e3;
/// But the slowest has as much as tells its direction, as long as it has a part of the fastest slip at least; below
/// that it sticks at first.
constexpr double kDirected = 1.5, kSlowestOfAll = 1.5e-4;
/// One that begins to slip beside others that do has as much: what the others have counts.
constexpr double kFirstBesideOthers = 2.0;
/// Shares that are found again where less than that of a bound is left are at the boundary, to what guards know.
constexpr double kSameShares = 1e-10, kNearlyHeld = 5e-8;

}  // namespace

MechanicalPart::Happening MechanicalPart::find_happening(const std::vector<char>& closed,
                                                         const std::vector<char>& impacted,
                                                         const std::vector<Index>& crossed) const {
  using Kind = MechanicalGuard::Kind;
  const std::size_t count = closed.size();
  Happening happening;
  happening.mechanism = mechanisms(model_, closed);
  // By mechanism, whose number is below that of contacts: a contact is in it.
  std::vector<char> disturbed(count, 0), to_bound(count, 0), stopped(count, 0);
  const auto flag = [&](std::vector<char>& of, std::size_t i) {
    if (happening.mechanism[i] >= 0) of[static_cast<std::size_t>(happening.mechanism[i])] = 1;
  };
  happening.only_margins = !crossed.empty();
  for (std::size_t i = 0; i < count; ++i) {
    if (!impacted[i] && !impacts_.moved(i)) continue;
    happening.only_margins = false;
    flag(disturbed, i);
  }
  for (const Index g : crossed) {
    const MechanicalGuard& guard = guards_.all()[static_cast<std::size_t>(g)];
    const bool margin =
        (guard.kind == Kind::Margin || guard.kind == Kind::MarginSpace) && model_.contact(guard.contact).frictional();
    happening.only_margins = happening.only_margins && margin;
    flag(margin ? to_bound : disturbed, guard.contact);
    if (guard.kind == Kind::Speed) flag(stopped, guard.contact);
  }
  happening.quiet.assign(count, 0);
  happening.margins = happening.stops = happening.quiet;
  for (std::size_t i = 0; i < count; ++i) {
    if (happening.mechanism[i] < 0) continue;
    const auto own = static_cast<std::size_t>(happening.mechanism[i]);
    happening.quiet[i] = !disturbed[own] && !to_bound[own];
    happening.margins[i] = !disturbed[own] && to_bound[own];
    happening.stops[i] = stopped[own];
  }
  return happening;
}

bool MechanicalPart::begin_slips(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                 const Happening& happening, std::vector<char>& slips, std::vector<char>& holds,
                                 std::vector<Motion>& begin) {
  const auto any = [](const std::vector<char>& flags) {
    return std::any_of(flags.begin(), flags.end(), [](char one) { return one != 0; });
  };
  if (any(happening.margins)) {
    if (share_anew(t, z, happening, slips, holds, begin)) return true;
    begin_beside_others(happening, slips, begin);
  }
  if (any(happening.quiet)) {
    if (beginning_) hold_at_first(resting, happening.quiet);
    find_onsets(t, z, happening.quiet, slips, holds, begin);
  }
  return false;
}

/// Where a motion begins, what rests without a slip may stick: shares of friction are those of this mode.
void MechanicalPart::hold_at_first(const std::vector<char>& resting, const std::vector<char>& quiet) {
  for (std::size_t i = 0; i < resting.size(); ++i) {
    const Contact& one = model_.contact(i);
    if (!resting[i] || !quiet[i] || one.kind != Contact::Kind::Unilateral) continue;
    const Index count = one.num_slip_rows();
    const auto slip = model_.u.segment(one.first_slip_row(), count);
    ContactState& state = mode_.states()[i];
    state.status = slip.norm() > tolerances_.slip(i) ? ContactStatus::Slide : ContactStatus::Held;
    if (state.status == ContactStatus::Slide) state.direction.head(count) = slip.normalized();
  }
  mode_.activate();
}

std::vector<std::size_t> MechanicalPart::sticking(const std::vector<char>& flagged) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    if (flagged[i] && model_.contact(i).frictional() && mode_.states()[i].status == ContactStatus::Held)
      found.push_back(i);
  }
  return found;
}

/// A contact in space that begins to slip beside others that slip starts along the direction of its own friction:
/// without a velocity the others would turn it away from there.
void MechanicalPart::begin_beside_others(const Happening& happening, const std::vector<char>& slips,
                                         std::vector<Motion>& begin) const {
  std::vector<std::size_t> all;
  const auto begun = [&](std::size_t i) {
    return std::any_of(begin.begin(), begin.end(), [&](const Motion& motion) {
      return happening.mechanism[motion.contacts.front()] == happening.mechanism[i];
    });
  };
  for (std::size_t i = 0; i < slips.size(); ++i) {
    if (!happening.margins[i] || begun(i)) continue;
    if (slides_in_space(i) || (slips[i] && model_.contact(i).frictional() && model_.contact(i).num_slip_rows() > 1))
      all.push_back(i);
  }
  for (const std::vector<std::size_t>& together : decision_.coupled(all)) {
    if (std::none_of(together.begin(), together.end(), [&](std::size_t i) { return slides_in_space(i); })) continue;
    for (const std::size_t i : together) {
      if (slides_in_space(i)) continue;
      begin.push_back(motion_of({i}, mode_.states()[i].direction.head(model_.contact(i).num_slip_rows())));
      begin.back().first = kFirstBesideOthers * tolerances_.slip(i);
    }
  }
}

/// Contacts whose margins of sticking were used up, and those that stick and act on one another with them: what they
/// can hold by other shares, they hold, and the slip is taken from `slips`. What they cannot is at the boundary of
/// that: those at their bounds then slip together. True where no margin is used up any more, and nothing else happens.
bool MechanicalPart::share_anew(double t, const Eigen::VectorXd& z, const Happening& happening,
                                std::vector<char>& slips, std::vector<char>& holds, std::vector<Motion>& begin) {
  bool all = true;
  std::vector<char> held(slips.size(), 0);
  mode_.solve_of_motion(t, z);
  for (const std::vector<std::size_t>& together : decision_.coupled(sticking(happening.margins))) {
    if (std::none_of(together.begin(), together.end(), [&](std::size_t i) { return slips[i] != 0; })) continue;
    const EvenFriction even = mode_.even_out(together);
    bool again = true;
    for (Index k = 0; k < even.shares.size(); ++k) {
      const double share = mode_.states()[together[static_cast<std::size_t>(k)]].share, found = even.shares[k];
      again = again && (found == share || (std::isfinite(share) && std::abs(found - share) <= kSameShares * share));
    }
    const double nearly = again ? kNearlyHeld : kEvenlyHeld;
    const bool known = even.ratio > 0.0, below = known && even.ratio < 1.0 - nearly;
    const bool stays =
        below || (known && even.ratio < 1.0 + kEvenlyHeld && decision_.trend(t, z, together, even.ratio) < 0);
    all = all && stays;
    for (std::size_t k = 0; known && k < together.size(); ++k) {
      slips[together[k]] = 0;
      held[together[k]] = stays;
      if (stays) mode_.states()[together[k]].share = even.shares[static_cast<Index>(k)];
    }
    if (known && !stays) begin_to_slip(together, even, slips, holds, begin);
  }
  if (std::none_of(held.begin(), held.end(), [](char one) { return one != 0; })) return false;
  return hold_by_new_shares(t, z, happening, held, all && happening.only_margins, holds);
}

/// Contacts that new shares hold, by what the guards of the mode say of it. True where all that happens at the instant
/// `is` that; else those of mechanisms where it is so hold beside what is decided of others.
bool MechanicalPart::hold_by_new_shares(double t, const Eigen::VectorXd& z, const Happening& happening,
                                        const std::vector<char>& held, bool is_all, std::vector<char>& holds) {
  mode_.activate();
  guards_.list();
  guards_.start(t, z);
  std::vector<char> lost(held.size(), 0);
  bool kept = true;
  for (const MechanicalGuard& guard : guards_.all()) {
    if (guards_.value(guard) >= -guard.dip) continue;
    kept = false;
    if (const Index own = happening.mechanism[guard.contact]; own >= 0) lost[static_cast<std::size_t>(own)] = 1;
  }
  if (is_all && kept) return true;
  for (std::size_t i = 0; i < held.size(); ++i)
    holds[i] = holds[i] || (held[i] && !lost[static_cast<std::size_t>(happening.mechanism[i])]);
  return false;
}

/// At an instant that was known before, without a margin that was used up: friction of contacts that act on one another
/// may be at its boundary there: they slip together if it grows, and else they hold by these shares.
void MechanicalPart::find_onsets(double t, const Eigen::VectorXd& z, const std::vector<char>& quiet,
                                 std::vector<char>& slips, std::vector<char>& holds, std::vector<Motion>& begin) {
  const std::vector<std::size_t> may_slip = sticking(quiet);
  if (may_slip.size() < 2) return;
  mode_.solve(t, z);
  const Eigen::VectorXd forces = mode_.forces();
  const auto at_bound = [&](std::size_t i) {
    const Contact& one = model_.contact(i);
    return forces.segment(one.first_slip_row(), one.num_slip_rows()).norm() >=
           (1.0 - kEvenlyHeld) * one.static_friction * forces[one.row];
  };
  for (const std::vector<std::size_t>& together : decision_.coupled(may_slip)) {
    if (std::none_of(together.begin(), together.end(), at_bound)) continue;
    const EvenFriction even = mode_.even_out(together);
    if (!(std::abs(even.ratio - 1.0) <= kEvenlyHeld)) continue;
    if (decision_.trend(t, z, together, even.ratio) > 0) {
      begin_to_slip(together, even, slips, holds, begin);
      continue;
    }
    for (std::size_t k = 0; k < together.size(); ++k) {
      holds[together[k]] = 1;
      mode_.states()[together[k]].share = even.shares[static_cast<Index>(k)];
    }
  }
  model_.evaluate_velocities(t, z);
}

/// Contacts at their bounds slip, against the friction that they have there; those that are not stick.
void MechanicalPart::begin_to_slip(const std::vector<std::size_t>& together, const EvenFriction& even,
                                   std::vector<char>& slips, std::vector<char>& holds, std::vector<Motion>& begin) {
  Index row = 0;
  double fastest = 0.0;
  for (std::size_t k = 0; k < together.size() && even.motion.size() > 0; ++k) {
    const Index size = model_.contact(together[k]).num_slip_rows();
    fastest = std::max(fastest, even.motion.segment(row, size).norm());
    row += size;
  }
  row = 0;
  for (std::size_t k = 0; k < together.size(); ++k) {
    const Index size = model_.contact(together[k]).num_slip_rows();
    const bool slow = even.motion.size() > 0 && even.motion.segment(row, size).norm() < kSlowestOfAll * fastest;
    slips[together[k]] = even.at_bound[k] && !slow;
    holds[together[k]] = !slips[together[k]];
    if (slips[together[k]])
      mode_.states()[together[k]].direction.head(size) = -even.friction.segment(row, size).normalized();
    row += size;
  }
  if (even.motion.size() > 0) begin.push_back(motion_of(together, even.motion));
}

MechanicalPart::Motion MechanicalPart::motion_of(const std::vector<std::size_t>& contacts,
                                                 const Eigen::VectorXd& slips) const {
  Motion motion;
  motion.contacts = contacts;
  double fastest = 0.0;
  for (const std::size_t i : contacts) {
    const Contact& one = model_.contact(i);
    const auto first = std::ssize(motion.rows);
    for (Index r = 0; r < one.num_slip_rows(); ++r) motion.rows.push_back(one.first_slip_row() + r);
    fastest = std::max(fastest, slips.segment(first, one.num_slip_rows()).norm());
  }
  motion.velocities = slips / fastest;
  return motion;
}

/// What slips anew from a velocity that counts as none, against that, starts at rest: its friction would act along what
/// is left of another slip.
void MechanicalPart::end_old_slips(double t, Eigen::VectorXd& z, const std::vector<char>& stops) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    if (!stops[i] || !slides_in_space(i)) continue;
    const Contact& one = model_.contact(i);
    const auto slip = model_.u.segment(one.first_slip_row(), one.num_slip_rows());
    if (!(mode_.states()[i].direction.head(slip.size()).dot(slip) < -tolerances_.direction(i))) continue;
    for (Index r = 0; r < slip.size(); ++r) rows.push_back(one.first_slip_row() + r);
  }
  if (rows.empty()) return;
  rows.insert(rows.end(), mode_.active_rows().begin(), mode_.active_rows().end());
  stabilisation_.bring_to_rest(rows, z);
  model_.evaluate_velocities(t, z);
}

/// Velocities above what counts as none along the motions that begin: from forces at their bounds several contacts
/// would not find the one motion that these belong to. All that is closed stays at rest beside it.
void MechanicalPart::begin_motions(double t, Eigen::VectorXd& z, const std::vector<Motion>& begin) {
  for (const Motion& motion : begin) {
    double first = 0.0, directed = 0.0, most = std::numeric_limits<double>::infinity();
    Index own_row = 0;
    for (const std::size_t i : motion.contacts) {
      const Index size = model_.contact(i).num_slip_rows();
      const double speed = motion.velocities.segment(own_row, size).norm();
      most = std::min(most, kMostFirstSlip * tolerances_.slip(i));
      if (mode_.states()[i].status == ContactStatus::Slide) {
        first = std::max(first, kFirstSlip * tolerances_.slip(i) / speed);
        if (speed >= kSlowestOfAll) directed = std::max(directed, kDirected * tolerances_.slip(i) / speed);
      }
      own_row += size;
    }
    if (motion.first > 0.0 && mode_.states()[motion.contacts.front()].status == ContactStatus::Slide) {
      first = most = directed = motion.first;
    } else if (motion.first > 0.0) {
      continue;
    }
    if (first == 0.0) continue;
    first = std::max(std::min(first, most), directed);
    std::vector<Index> rows = motion.rows;
    for (const Index row : mode_.active_rows()) {
      if (std::find(motion.rows.begin(), motion.rows.end(), row) == motion.rows.end()) rows.push_back(row);
    }
    const Eigen::VectorXd dv = stabilisation_.correction(rows, [&](std::size_t k) {
      const auto own = static_cast<Index>(k);
      const double wanted = own < motion.velocities.size() ? first * motion.velocities[own] : 0.0;
      return wanted - model_.u[rows[k]];
    });
    stabilisation_.move_velocities(dv, z);
    model_.evaluate_velocities(t, z);
  }
}

}  // namespace nonsmooth::events
