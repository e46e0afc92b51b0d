// SPDX-License-Identifier: Apache-2.0
// What the answer of the problem of accelerations leaves open and other multipliers of the same closed rows hold:
// contacts without a normal force, friction at its bound.
#include <algorithm>
#include <limits>

#include "mechanisms.hpp"
#include "next_mode.hpp"

namespace nonsmooth::events {
namespace {

/// Rounds in which loads are found, how well they repeat, by the largest, and what is no other load.
constexpr int kMostRounds = 100;
constexpr double kLoadsRepeat = 1e-13, kSameLoads = 1e-10;

}  // namespace

/// Loads that depend on one another are those of the mode (LoadShares), and so is the friction that they bear: with N
/// from the last round, friction of what starts from rest is bounded by disks of the radii mu N,
///
///     w = W lambda + b,  w_N = 0,   |lambda_T| <= mu N,  -w_T in the normal cone of that disk at lambda_T,
///
/// whose accelerations are unique (Gauss's principle), and N what equal springs bear beside lambda_T, until it repeats.
/// The answer that was found with N and friction at once has other loads and so other accelerations than those that
/// follow: contacts would slip and stick in turn.
bool NextMode::settle_together(const std::vector<char>& holds, Accelerations& answer,
                               std::vector<std::size_t>& undecided) {
  const auto turns = [&](std::size_t i) {
    return model_.contact(i).num_turning > 0 || model_.contact(i).kind == Contact::Kind::Rubbing;
  };
  const auto begins = [&](const Accelerations::Friction& one) { return mode_.states()[one.contact].closed(); };
  if (!answer.rubbing.empty() || std::none_of(answer.friction.begin(), answer.friction.end(), begins)) return false;
  if (std::any_of(answer.contact.begin(), answer.contact.end(), turns)) return false;
  Loads loads = list_loads(answer);
  Accelerations settled = answer;
  Eigen::VectorXd before;
  for (int round = 0; round <= kMostRounds; ++round) {
    before = round == 0 ? Eigen::VectorXd(answer.lambda(loads.carrying)) : loads.lambda;
    loads.share(settled);
    if (!loads.lambda.allFinite()) return false;
    const double change = (loads.lambda - before).lpNorm<Eigen::Infinity>(),
                 largest = loads.lambda.lpNorm<Eigen::Infinity>();
    if (round == 0 && change <= kSameLoads * largest) return false;
    if (change <= kLoadsRepeat * largest) break;
    if (round == kMostRounds && !(change <= kSameLoads * largest)) return false;
    if (!solve_with_loads(loads, settled)) return false;
  }
  answer = settled;
  for (std::size_t k = 0; k < answer.contact.size(); ++k) {
    const std::size_t i = answer.contact[k];
    if (model_.contact(i).kind != Contact::Kind::Unilateral || !mode_.states()[i].closed()) continue;
    std::erase(undecided, i);
    judge_contact(answer, k, answer.lambda[answer.first[k]], undecided);
  }
  hold_known(holds, undecided);
  return true;
}

bool NextMode::settle_loads(bool sliding, const std::vector<char>& holds, Accelerations& answer,
                            std::vector<std::size_t>& undecided) {
  bool any = false;
  const auto contact_of = [&](Index block) { return answer.contact[static_cast<std::size_t>(block)]; };
  const auto slides = [&](Index block) { return mode_.states()[contact_of(block)].status == ContactStatus::Slide; };
  const auto is_undecided = [&](Index block) {
    return std::find(undecided.begin(), undecided.end(), contact_of(block)) != undecided.end();
  };
  for (const Together& together : by_mechanism(answer)) {
    if (std::any_of(together.blocks.begin(), together.blocks.end(), slides) != sliding) continue;
    if (!sliding && std::none_of(together.blocks.begin(), together.blocks.end(), is_undecided)) continue;
    Accelerations part = part_of(answer, together);
    if (!settle_together(holds, part, undecided)) continue;
    any = true;
    for (std::size_t k = 0; k < part.contact.size(); ++k) {
      const Index from = part.first[k], size = part.sets.size(static_cast<Index>(k));
      const Index to = answer.first[static_cast<std::size_t>(together.blocks[k])];
      answer.lambda.segment(to, size) = part.lambda.segment(from, size);
      answer.w.segment(to, size) = part.w.segment(from, size);
    }
  }
  return any;
}

std::vector<NextMode::Together> NextMode::by_mechanism(const Accelerations& answer) const {
  std::vector<char> taken(mode_.states().size(), 0);
  for (const std::size_t i : answer.contact) taken[i] = 1;
  for (const std::size_t i : answer.rubbing) taken[i] = 1;
  const std::vector<Index> mechanism = mechanisms(model_, taken);
  std::vector<Together> found;
  std::vector<Index> numbers;
  const auto own = [&](std::size_t i) -> Together& {
    const auto place = std::find(numbers.begin(), numbers.end(), mechanism[i]) - numbers.begin();
    if (place == std::ssize(numbers)) {
      numbers.push_back(mechanism[i]);
      found.emplace_back();
    }
    return found[static_cast<std::size_t>(place)];
  };
  for (std::size_t k = 0; k < answer.contact.size(); ++k)
    own(answer.contact[k]).blocks.push_back(static_cast<Index>(k));
  for (const std::size_t i : answer.rubbing) own(i).rubbing.push_back(i);
  return found;
}

NextMode::Accelerations NextMode::part_of(const Accelerations& answer, const Together& together) {
  Accelerations part;
  std::vector<Index> rows;
  for (const Index block : together.blocks) {
    const auto k = static_cast<std::size_t>(block);
    for (const Accelerations::Friction& one : answer.friction) {
      if (one.block == k)
        part.friction.push_back({part.contact.size(), one.contact, one.first - answer.first[k] + std::ssize(rows)});
    }
    part.contact.push_back(answer.contact[k]);
    part.first.push_back(std::ssize(rows));
    part.sticks.push_back(answer.sticks[k]);
    part.largest_force.push_back(answer.largest_force[k]);
    part.largest_rate.push_back(answer.largest_rate[k]);
    part.sets.push_back(answer.sets[block], answer.sets.size(block));
    for (Index r = 0; r < answer.sets.size(block); ++r) rows.push_back(answer.first[k] + r);
  }
  for (const Index row : rows) part.rows.push_back(answer.rows[static_cast<std::size_t>(row)]);
  part.W = answer.W(rows, rows);
  part.b = answer.b(rows);
  part.lambda = answer.lambda(rows);
  part.w = answer.w(rows);
  part.rubbing = together.rubbing;
  return part;
}

/// By W and b of the answer, that of a mechanism: what is known to push is in b whatever mode was looked at since.
NextMode::Loads NextMode::list_loads(const Accelerations& answer) const {
  Loads loads;
  const Index count = std::ssize(answer.rows);
  loads.G.resize(count, count);
  Eigen::VectorXd image;
  for (Index k = 0; k < count; ++k) {
    image = model_.H.row(answer.rows[static_cast<std::size_t>(k)]).transpose();
    model_.solve_mass(image);
    for (Index j = 0; j < count; ++j) loads.G(j, k) = model_.H.row(answer.rows[static_cast<std::size_t>(j)]).dot(image);
  }
  for (std::size_t k = 0; k < answer.contact.size(); ++k) {
    const Contact& one = model_.contact(answer.contact[k]);
    const Index size = answer.sets.size(static_cast<Index>(k)), first = answer.first[k];
    const bool unilateral = one.kind == Contact::Kind::Unilateral;
    if (unilateral && !mode_.states()[answer.contact[k]].closed()) continue;
    const bool free = answer.sets[static_cast<Index>(k)].kind == SetKind::Free;
    for (Index r = 0; r < size; ++r) {
      loads.rows.push_back(first + r);
      (free || (unilateral && r == 0) ? loads.carrying : loads.given).push_back(first + r);
    }
    BlockSet set = answer.sets[static_cast<Index>(k)];
    if (unilateral) {
      set.kind = size > 1 ? SetKind::VonMises : SetKind::Free;
      loads.bounded.push_back({loads.sets.num_blocks(), first, one.static_friction});
    }
    loads.sets.push_back(set, size);
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(std::ssize(loads.carrying));
  loads.shares.compute(answer.W(loads.carrying, loads.carrying), loads.G(loads.carrying, loads.carrying), none, none);
  return loads;
}

void NextMode::Loads::share(const Accelerations& answer) {
  const Eigen::VectorXd right = -answer.b(carrying) - answer.W(carrying, given) * answer.lambda(given);
  shares.solve(right, lambda);
}

/// The answer with normal forces of `loads`: contacts at rest have friction up to mu times these, those that slip all
/// of it.
bool NextMode::solve_with_loads(const Loads& loads, Accelerations& answer) {
  ProductSet sets;
  for (Index block = 0, k = 0; block < loads.sets.num_blocks(); ++block) {
    BlockSet set = loads.sets[block];
    if (k < std::ssize(loads.bounded) && loads.bounded[static_cast<std::size_t>(k)].block == block) {
      const Loads::Bounded& one = loads.bounded[static_cast<std::size_t>(k++)];
      const auto place = std::find(loads.carrying.begin(), loads.carrying.end(), one.row);
      set.radius = one.friction * loads.lambda[place - loads.carrying.begin()];
      if (!(set.radius >= 0.0)) return false;
    }
    sets.push_back(set, loads.sets.size(block));
  }
  const Eigen::VectorXd slipping = (answer.W - loads.G)(Eigen::all, loads.carrying) * loads.lambda;
  const Eigen::VectorXd b = answer.b + slipping;
  const impacts::ContactAnswer solved =
      impacts::solve_contact_problem(loads.G(loads.rows, loads.rows), b(loads.rows), sets);
  if (solved.status != Status::Solved) return false;
  answer.lambda.setZero();
  answer.lambda(loads.rows) = solved.lambda;
  answer.w = b + loads.G * answer.lambda;
  answer.lambda(loads.carrying) = loads.lambda;
  return true;
}

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
  std::vector<double> largest = largest_forces(model_, mode_.mechanism(), mode_.forces());
  const auto largest_of = [&](std::size_t i) -> double& {
    return largest[static_cast<std::size_t>(mode_.mechanism()[i])];
  };
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const std::size_t i = answer.contact[block];
    if (mode_.states()[i].closed()) largest_of(i) = std::max(largest_of(i), answer.largest_force[block]);
  }
  for (const std::vector<std::size_t>& together : decision_.coupled(closed)) {
    const bool holds =
        shared && std::all_of(together.begin(), together.end(), [&](std::size_t i) {
          return mode_.forces()[model_.contact(i).row] > tolerances_.thresholds.acceleration * largest_of(i);
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

/// A contact whose normal force came to zero may have one in the answer, as others hold as well: by the loads of the
/// mode it goes on without, and without its friction, as long as the rows of the others hold its gap. A cohesion would
/// be lost by that.
void NextMode::unload(const std::vector<char>& unloaded, std::vector<std::size_t>& undecided) {
  for (std::size_t i = 0; i < unloaded.size(); ++i) {
    if (!unloaded[i] || !mode_.states()[i].closed() || model_.contact(i).cohesion > 0.0) continue;
    const ContactStates before = mode_.states();
    const std::size_t last = i + model_.contact(i).num_turning;
    for (std::size_t j = i; j <= last; ++j) mode_.states()[j].status = ContactStatus::Open;
    mode_.activate();
    if (!decision_.depends_on_active(i)) {
      mode_.states() = before;
      continue;
    }
    std::erase_if(undecided, [&](std::size_t one) { return one >= i && one <= last; });
    undecided.push_back(i);
  }
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
  const std::vector<double> largest = largest_forces(model_, mode_.mechanism(), forces);
  const auto holds = [&](std::size_t i) {
    const Contact& one = model_.contact(i);
    const double zero = tolerances_.thresholds.acceleration * largest[static_cast<std::size_t>(mode_.mechanism()[i])];
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

/// Takes contacts with a cohesion that open out of `stay`; false where there are none.
bool NextMode::leave_torn(std::vector<char>& stay) const {
  bool any = false;
  for (std::size_t i = 0; i < stay.size(); ++i) {
    if (!stay[i] || model_.contact(i).cohesion == 0.0 || mode_.states()[i].status != ContactStatus::Open) continue;
    stay[i] = 0;
    any = true;
  }
  return any;
}

}  // namespace nonsmooth::events
