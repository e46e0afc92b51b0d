// SPDX-License-Identifier: Apache-2.0
#include "next_mode.hpp"

#include <algorithm>
#include <cmath>

#include "problem_origins.hpp"

namespace nonsmooth::events {
namespace {

/// Bounds of friction in joints: iterations, and how well they repeat, below what counts as zero of forces.
constexpr int kMostBounds = 400;
constexpr double kBoundsRepeat = 1e-12;
constexpr int kBetweenLeaps = 4;
constexpr double kMostRatio = 0.9999;
/// Of what counts as no slip in space: below it slips end together, as those of one body do. Their directions turn the
/// faster the slower they are, and steps know them no better.
constexpr double kEndsTogether = 8.0;

/// Aitken: steps that fall by one ratio r after another lead r / (1 - r) times the last one farther. Bounds of
/// different joints may have different units: each step is measured by its bound.
void leap(const Eigen::VectorXd& step, const Eigen::VectorXd& before, Eigen::VectorXd& bounds) {
  double both = 0.0, squares = 0.0;
  for (Index k = 0; k < bounds.size(); ++k) {
    if (!(bounds[k] > 0.0)) continue;
    both += step[k] / bounds[k] * (before[k] / bounds[k]);
    squares += before[k] / bounds[k] * (before[k] / bounds[k]);
  }
  if (!(squares > 0.0) || both >= kMostRatio * squares) return;
  const double ratio = both / squares;
  bounds = (bounds + ratio / (1.0 - ratio) * step).cwiseMax(0.0);
}

}  // namespace

Resolution NextMode::choose(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                            std::vector<char>& slips, const std::vector<char>& holds, const std::vector<char>& unloaded,
                            const std::vector<char>& stops, std::vector<Event>& log) {
  find_slips(resting, stops, slips);
  std::vector<std::size_t> undecided;
  std::vector<char> stay = resting;
  // A contact that begins to slip may have another coefficient from then on, one that opens lets go of its cohesion,
  // which changes the forces of all: solved again until no further contact begins to.
  Accelerations answer;
  for (std::size_t round = 0; round <= 2 * mode_.states().size(); ++round) {
    answer = {};
    if (Resolution solved = solve(t, z, stay, slips, answer, log); !solved) return solved;
    undecided.clear();
    judge(answer, undecided);
    hold_known(holds, undecided);
    if (!undecided.empty()) hold_loads(t, z, answer, undecided);
    settle_loads(true, holds, answer, undecided);
    bool more = false;
    for (std::size_t k = 0; k < answer.contact.size(); ++k) {
      const std::size_t i = answer.contact[k];
      const bool decided = std::find(undecided.begin(), undecided.end(), i) == undecided.end();
      if (model_.contact(i).cohesion > 0.0 && mode_.states()[i].status == ContactStatus::Open && decided) {
        stay[i] = 0;
        more = true;
        continue;
      }
      const bool began = answer.sticks[k] && mode_.states()[i].status == ContactStatus::Slide;
      if (!began || model_.contact(i).kinetic_friction == model_.contact(i).static_friction) continue;
      slips[i] = 1;
      more = true;
    }
    if (!more) break;
  }
  unload(unloaded, undecided);
  if (!undecided.empty()) hold_friction(t, z, undecided);
  // What other loads would hold slips by those that the mode has.
  if (!undecided.empty() && settle_loads(false, holds, answer, undecided) && !undecided.empty())
    hold_friction(t, z, undecided);
  if (undecided.empty()) return {};
  const Resolution decided = decision_.decide(t, z, undecided);
  // Forces of all others jump where a cohesion lets go: they are solved again, and nothing is known of their friction.
  if (!decided || !leave_torn(stay)) return decided;
  return choose(t, z, stay, slips, std::vector<char>(holds.size(), 0), unloaded, stops, log);
}

void NextMode::hold_known(const std::vector<char>& holds, std::vector<std::size_t>& undecided) {
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (!holds[i] || !mode_.states()[i].closed()) continue;
    mode_.states()[i].status = ContactStatus::Held;
    std::erase(undecided, i);
  }
}

/// Directions of slip that velocities give.
void NextMode::find_slips(const std::vector<char>& resting, const std::vector<char>& stops, std::vector<char>& slips) {
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    const Index count = one.num_slip_rows();
    if (!resting[i] || slips[i] || count == 0) continue;
    const auto slip = model_.u.segment(one.first_slip_row(), count);
    const double norm = slip.norm();
    if (norm <= (stops[i] && count > 1 ? kEndsTogether : 1.0) * tolerances_.slip(i)) continue;
    slips[i] = 1;
    mode_.states()[i].direction.setZero();
    mode_.states()[i].direction.head(count) = slip / norm;
  }
}

Resolution NextMode::solve(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                           const std::vector<char>& slips, Accelerations& answer, std::vector<Event>& log) {
  model_.evaluate_dynamics(t, z);
  model_.evaluate_velocities(t, z);
  model_.evaluate_curvatures(t);
  list_blocks(resting, slips, answer);
  const auto count = static_cast<Index>(answer.rows.size());
  answer.lambda = answer.w = Eigen::VectorXd::Zero(count);
  model_.note_scales(z);
  if (count == 0) return {};

  answer.W = accelerations_by_forces(slips, answer);
  answer.b.resize(count);
  for (Index j = 0; j < count; ++j) {
    const Index row = answer.rows[static_cast<std::size_t>(j)];
    answer.b[j] = model_.H.row(row).dot(model_.a_free) + model_.c[row];
  }
  const impacts::ContactAnswer solved = solve_rubbing(answer);
  last_.W = answer.W;
  last_.b = answer.b;
  last_.sets = answer.sets;
  last_.contact = answer.contact;
  last_.lambda = solved.lambda;
  last_.status = solved.status;
  last_.solver = solved.solver;
  written_ = false;
  if (solved.status != Status::Solved) return no_accelerations(solved, answer);
  if (solved.verdict == impacts::ContactAnswer::Verdict::Several) {
    Event event;
    event.kind = EventKind::Ambiguity;
    event.t = t;
    event.interaction = model_.handle(model_.contact(answer.contact.front()));
    log.push_back(event);
  }
  answer.lambda = solved.lambda;
  answer.w = solved.w;
  measure_scales(answer);
  note_others(slips, answer, solved.others);
  return {};
}

/// H M^-1 E of joints that slip, a column each.
Eigen::MatrixXd NextMode::accelerations_by_rubbing(const Accelerations& answer) {
  Eigen::MatrixXd pushed(std::ssize(answer.rows), std::ssize(answer.rubbing));
  Eigen::VectorXd push(model_.num_velocities());
  for (Index g = 0; g < pushed.cols(); ++g) {
    mode_.set_rubbing_direction(answer.rubbing[static_cast<std::size_t>(g)], push);
    model_.solve_mass(push);
    for (Index j = 0; j < pushed.rows(); ++j)
      pushed(j, g) = model_.H.row(answer.rows[static_cast<std::size_t>(j)]).dot(push);
  }
  return pushed;
}

impacts::ContactAnswer NextMode::solve_rubbing(Accelerations& answer) {
  const auto rubs = [&](std::size_t i) { return model_.contact(i).kind == Contact::Kind::Rubbing; };
  const Index slipping = std::ssize(answer.rubbing),
              count = slipping + std::count_if(answer.contact.begin(), answer.contact.end(), rubs);
  if (count == 0) return impacts::solve_contact_problem(answer.W, answer.b, answer.sets);
  const Eigen::VectorXd without = answer.b;
  const Eigen::MatrixXd pushed = accelerations_by_rubbing(answer);
  // Of joints that slip, then of those that may stick: in the first round what force they have has no bound.
  Eigen::VectorXd bounds = Eigen::VectorXd::Zero(count), own(count), step, before;
  forces_.setZero(model_.num_rows());
  impacts::ContactAnswer solved;
  const auto take_bounds = [&] {
    ProductSet renewed;
    Index k = slipping;
    for (std::size_t block = 0; block < answer.contact.size(); ++block) {
      BlockSet set = answer.sets[static_cast<Index>(block)];
      if (rubs(answer.contact[block])) {
        (set.kind == SetKind::Box ? set.upper : set.radius) = bounds[k++];
        if (set.kind == SetKind::Box) set.lower = -set.upper;
      }
      renewed.push_back(set, answer.sets.size(static_cast<Index>(block)));
    }
    answer.sets = renewed;
  };
  for (int round = 0; round < kMostBounds; ++round) {
    answer.b = without + pushed * bounds.head(slipping);
    solved = impacts::solve_contact_problem(answer.W, answer.b, answer.sets);
    if (solved.status != Status::Solved) {
      if (round > 0 || slipping == count) return solved;
      take_bounds();  // what moves cannot have all others at rest: from no friction on
      continue;
    }
    // Other motions have other reactions, and so other bounds: none of them is known.
    solved.others.clear();
    solved.verdict = impacts::ContactAnswer::Verdict::NotCounted;
    for (std::size_t j = 0; j < answer.rows.size(); ++j) forces_[answer.rows[j]] = solved.lambda[static_cast<Index>(j)];
    for (Index g = 0; g < slipping; ++g) {
      const std::size_t i = answer.rubbing[static_cast<std::size_t>(g)];
      write_rubbing(model_.contact(i), mode_.slip_direction(i), bounds[g], forces_);
    }
    Index k = 0;
    for (const std::size_t i : answer.rubbing) own[k++] = model_.contact(i).bound_by(forces_);
    for (const std::size_t i : answer.contact)
      if (rubs(i)) own[k++] = model_.contact(i).bound_by(forces_);
    step = own - bounds;
    const bool repeats = step.lpNorm<Eigen::Infinity>() <= kBoundsRepeat * own.lpNorm<Eigen::Infinity>();
    if (repeats && (round > 0 || slipping == count)) return solved;
    bounds = own;
    if (round % kBetweenLeaps == kBetweenLeaps - 1) leap(step, before, bounds);
    before = step;
    take_bounds();
  }
  solved.status = Status::IterationLimit;
  solved.verdict = impacts::ContactAnswer::Verdict::NotCounted;
  solved.detail = "no bound of the friction in joints repeats: it makes much of the reaction that makes it";
  return solved;
}

const OneStepNSProblem& NextMode::problem() const {
  if (written_) return problem_;
  problem_.level = OneStepNSProblem::Level::Acceleration;
  impacts::write_problem(last_.W, last_.b, last_.sets, problem_.reduced);
  impacts::write_result(last_.status, last_.solver, last_.lambda, problem_);
  clear_origins(model_, problem_);
  for (std::size_t block = 0; block < last_.contact.size(); ++block)
    add_origin(model_, model_.contact(last_.contact[block]), last_.sets.size(static_cast<Index>(block)), problem_);
  written_ = true;
  return problem_;
}

/// A block for each resting contact whose force is not known: that of a relay that slips goes into a_free.
void NextMode::list_blocks(const std::vector<char>& resting, const std::vector<char>& slips, Accelerations& answer) {
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    if (!resting[i]) continue;
    BlockSet set;
    switch (one.kind) {
      case Contact::Kind::Bilateral:
        if (i + 1 < slips.size() && model_.contact(i + 1).lead() > 0 && !slips[i + 1]) continue;  // in the next block
        set.kind = SetKind::Free;
        break;
      case Contact::Kind::Prescribed:
        set.kind = SetKind::Free;
        break;
      case Contact::Kind::Relay:
        if (slips[i]) {
          model_.push(one.row, one.bound(mode_.states()[i].direction[0]));
          mode_.states()[i].status = ContactStatus::Slide;
          continue;
        }
        set.kind = SetKind::Box;
        set.lower = one.lower;
        set.upper = one.upper;
        break;
      case Contact::Kind::Rubbing:
        if (slips[i]) {
          answer.rubbing.push_back(i);
          mode_.states()[i].status = ContactStatus::Slide;
          continue;
        }
        set.kind = one.size == 1 ? SetKind::Box : SetKind::VonMises;
        break;
      case Contact::Kind::Unilateral:
        if (one.cohesion > 0.0) model_.push(one.row, -one.cohesion);
        list_contact(i, slips, answer);
        continue;
      case Contact::Kind::Turning:
        continue;  // in its contact's block
    }
    const Index size = one.size + one.lead();
    answer.contact.push_back(i);
    answer.first.push_back(std::ssize(answer.rows));
    answer.sticks.push_back(0);
    answer.sets.push_back(set, size);
    for (Index r = 0; r < size; ++r) answer.rows.push_back(one.row - one.lead() + r);
  }
}

/// N, and the rows of what may stick: all others are friction that N brings along.
void NextMode::list_contact(std::size_t i, const std::vector<char>& slips, Accelerations& answer) {
  const Contact& one = model_.contact(i);
  answer.contact.push_back(i);
  answer.first.push_back(std::ssize(answer.rows));
  answer.sticks.push_back(one.frictional() && !slips[i] ? 1 : 0);
  answer.rows.push_back(one.row);
  for (std::size_t j = i; j <= i + one.num_turning; ++j) {
    const Contact& friction = model_.contact(j);
    if (friction.num_slip_rows() == 0 || slips[j]) continue;
    answer.friction.push_back({answer.contact.size() - 1, j, std::ssize(answer.rows)});
    for (Index r = 0; r < friction.num_slip_rows(); ++r) answer.rows.push_back(friction.first_slip_row() + r);
  }
  answer.sets.push_back(set_of(answer), std::ssize(answer.rows) - answer.first.back());
}

/// Of the last block: a cone, or one of several groups of rows with the numbers of Rolling. Its names are those of the
/// rows' numbers: whatever stands first is bounded by mu.
BlockSet NextMode::set_of(const Accelerations& answer) const {
  BlockSet set;
  std::vector<double> coefficients;
  for (const Accelerations::Friction& friction : answer.friction) {
    if (friction.block + 1 == answer.contact.size())
      coefficients.push_back(model_.contact(friction.contact).static_friction);
  }
  const Index size = std::ssize(answer.rows) - answer.first.back();
  set.kind = SetKind::Orthant;
  if (coefficients.empty()) return set;
  set.mu = coefficients.front();
  set.kind = size == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
  if (coefficients.size() == 1) return set;
  set.kind = SetKind::Rolling;
  if (size != 4) set.rolling = coefficients[1];
  if (size % 2 == 0) set.spinning = coefficients.back();
  return set;
}

/// W = H M^-1 E of the answer's rows: the normal force of a contact that slips brings friction along.
Eigen::MatrixXd NextMode::accelerations_by_forces(const std::vector<char>& slips, const Accelerations& answer) const {
  const auto count = static_cast<Index>(answer.rows.size());
  Eigen::MatrixXd W(count, count);
  Eigen::VectorXd push(model_.num_velocities());
  Index k = 0;
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const std::size_t i = answer.contact[block];
    const Contact& one = model_.contact(i);
    for (Index r = 0; r < answer.sets.size(static_cast<Index>(block)); ++r, ++k) {
      push = model_.H.row(answer.rows[static_cast<std::size_t>(k)]).transpose();
      for (std::size_t j = i; r == 0 && one.kind == Contact::Kind::Unilateral && j <= i + one.num_turning; ++j) {
        if (model_.contact(j).num_slip_rows() > 0 && slips[j]) mode_.add_friction(j, push);
      }
      model_.solve_mass(push);
      for (Index j = 0; j < count; ++j) W(j, k) = model_.H.row(answer.rows[static_cast<std::size_t>(j)]).dot(push);
    }
  }
  return W;
}

/// The largest rate A, what makes an acceleration, and the largest force that would balance one. Terms of a curvature
/// may cancel: their size is what velocities and lengths tell, but near the origin, where lengths tell nothing, no more
/// than a thousand times the accelerations.
void NextMode::measure_scales(Accelerations& answer) const {
  const std::size_t count = answer.contact.size();
  answer.largest_force.assign(count, 0.0);
  answer.largest_rate.assign(count, 0.0);
  const Eigen::VectorXd made = answer.W.cwiseAbs() * answer.lambda.cwiseAbs();
  const auto rows_of = [&](Index block, const auto& visit) {
    const Index first = answer.first[static_cast<std::size_t>(block)];
    for (Index k = first; k < first + answer.sets.size(block); ++k) visit(k, answer.rows[static_cast<std::size_t>(k)]);
  };
  for (const Together& together : by_mechanism(answer)) {
    double largest = 0.0, largest_force = 0.0, largest_rate = 0.0;
    for (const Index block : together.blocks) {
      rows_of(block, [&](Index, Index row) {
        largest = std::max({largest, model_.acceleration_scale(row), std::abs(model_.c[row])});
      });
    }
    for (const Index block : together.blocks) {
      const std::size_t i = answer.contact[static_cast<std::size_t>(block)];
      const bool curved = model_.contact(i).interaction >= 0 && !model_.contact(i).affine;
      rows_of(block, [&](Index k, Index row) {
        const double speed = model_.velocity_scale(row),
                     length = tolerances_.position(i) / tolerances_.thresholds.position;
        double rate = std::max(model_.acceleration_scale(row), std::abs(model_.c[row]));
        if (curved) rate += std::min(speed * speed / length, 1e3 * largest);
        largest_rate = std::max({largest_rate, rate, made[k]});
        largest_force = std::max(largest_force, std::abs(answer.lambda[k]));
        if (answer.W(k, k) > 0.0) largest_force = std::max(largest_force, rate / answer.W(k, k));
      });
    }
    for (const Index block : together.blocks) {
      answer.largest_force[static_cast<std::size_t>(block)] = largest_force;
      answer.largest_rate[static_cast<std::size_t>(block)] = largest_rate;
    }
  }
}

Resolution NextMode::no_accelerations(const impacts::ContactAnswer& solved, const Accelerations& answer) const {
  Resolution failed;
  const bool none = solved.verdict == impacts::ContactAnswer::Verdict::None;
  failed.outcome = none ? Resolution::Outcome::NoMode : Resolution::Outcome::Unsolved;
  failed.detail = none ? "no accelerations satisfy the laws of " : "the problem of accelerations was not solved: ";
  for (std::size_t block = 0; block < answer.contact.size(); ++block)
    failed.detail += (block > 0 ? ", " : "") + model_.place_of(model_.contact(answer.contact[block]));
  const bool rubs = !answer.rubbing.empty() || std::any_of(answer.contact.begin(), answer.contact.end(), [&](auto i) {
    return model_.contact(i).num_slip_rows() > 0;
  });
  const std::string why = rubs ? " (a Painlevé paradox)" : " (they contradict one another)";
  failed.detail += none ? why : "; " + solved.detail;
  return failed;
}

void NextMode::judge(const Accelerations& answer, std::vector<std::size_t>& undecided) {
  for (std::size_t block = 0; block < answer.contact.size(); ++block) {
    const double force = tolerances_.thresholds.acceleration * answer.largest_force[block];
    const double rate = tolerances_.thresholds.acceleration * answer.largest_rate[block];
    const std::size_t i = answer.contact[block];
    const Contact& one = model_.contact(i);
    const Index k = answer.first[block];
    ContactState& memory = mode_.states()[i];
    const double lambda = answer.lambda[k], w = answer.w[k];
    if (one.kind == Contact::Kind::Bilateral || one.kind == Contact::Kind::Prescribed) {
      memory.status = ContactStatus::Held;
      continue;
    }
    if (one.kind == Contact::Kind::Relay) {
      const bool at_lower = lambda <= one.lower + force, at_upper = lambda >= one.upper - force;
      memory.status = ContactStatus::Held;
      if (!at_lower && !at_upper) continue;
      memory.direction = {at_lower ? 1.0 : -1.0, 0.0, 0.0};
      if (std::abs(w) > rate) {
        memory.status = ContactStatus::Slide;
      } else {
        undecided.push_back(i);
      }
      continue;
    }
    if (one.kind == Contact::Kind::Rubbing) {
      const Index first = k + one.lead();
      judge_friction(i, answer.lambda.segment(first, one.size), answer.w.segment(first, one.size),
                     one.bound_by(forces_), force, rate, undecided);
      continue;
    }
    judge_contact(answer, block, lambda, undecided);
  }
}

void NextMode::judge_contact(const Accelerations& answer, std::size_t block, double load,
                             std::vector<std::size_t>& undecided) {
  const double force = tolerances_.thresholds.acceleration * answer.largest_force[block];
  const double rate = tolerances_.thresholds.acceleration * answer.largest_rate[block];
  const std::size_t i = answer.contact[block];
  const Contact& one = model_.contact(i);
  const double w = answer.w[answer.first[block]];
  const bool open = load <= force;
  mode_.states()[i].status = open ? ContactStatus::Open : ContactStatus::Held;
  if (open && !(w > rate)) undecided.push_back(i);
  for (std::size_t j = i; j <= i + one.num_turning; ++j) {
    const bool rubs = model_.contact(j).num_slip_rows() > 0;
    if (open || !rubs) {
      if (j > i) mode_.states()[j].status = ContactStatus::Open;
    } else {
      mode_.states()[j].status = ContactStatus::Slide;  // unless it is among those that may stick
    }
  }
  for (const Accelerations::Friction& friction : answer.friction) {
    if (open || friction.block != block) continue;
    const Contact& own = model_.contact(friction.contact);
    const Index size = own.num_slip_rows();
    const double zero = own.kind == Contact::Kind::Turning ? own.static_friction * force : force;
    judge_friction(friction.contact, answer.lambda.segment(friction.first, size),
                   answer.w.segment(friction.first, size), own.static_friction * load, zero, rate, undecided);
  }
}

void NextMode::judge_friction(std::size_t i, ConstVectorRef friction, ConstVectorRef slip, double bound, double zero,
                              double still, std::vector<std::size_t>& undecided) {
  ContactState& memory = mode_.states()[i];
  const Index size = friction.size();
  memory.status = ContactStatus::Held;
  if (slip.norm() > still) {
    memory.status = ContactStatus::Slide;
    memory.direction.setZero();
    memory.direction.head(size) = slip.normalized();
  } else if (friction.norm() >= bound - zero) {
    memory.direction.setZero();
    memory.direction.head(size) = -friction.normalized();
    if (friction.norm() == 0.0) memory.direction[0] = 1.0;
    undecided.push_back(i);
  }
}

void NextMode::log_changes(double t, const ContactStates& before, const std::vector<char>& impacted, bool beginning,
                           std::vector<Event>& log) const {
  for (std::size_t i = 0; i < mode_.states().size(); ++i) {
    const Contact& one = model_.contact(i);
    const ContactStatus was = before[i].status, is = mode_.states()[i].status;
    const bool was_open = was == ContactStatus::Open, is_open = is == ContactStatus::Open;
    const auto add = [&](EventKind kind) { log.push_back(model_.event_of(kind, t, i)); };
    const bool opens = one.kind != Contact::Kind::Turning;  // a part of its contact
    if (opens && was_open && !is_open && !impacted[i]) add(EventKind::Closing);
    if (opens && !was_open && is_open) add(EventKind::Opening);
    if (is_open || one.num_slip_rows() == 0) continue;
    // A relay or a joint that moves from the start on does not begin to.
    if (one.bounds_its_force() && beginning &&
        model_.u.segment(one.row, one.size).norm() > (one.size > 1 ? tolerances_.slip(i) : tolerances_.velocity(i)))
      continue;
    const bool turned =
        was == is && is == ContactStatus::Slide && before[i].direction.dot(mode_.states()[i].direction) < 0.0;
    if (is == ContactStatus::Held && was == ContactStatus::Slide) add(EventKind::Stick);
    if (is == ContactStatus::Slide && (was == ContactStatus::Held || turned)) add(EventKind::Slip);
  }
}

}  // namespace nonsmooth::events
