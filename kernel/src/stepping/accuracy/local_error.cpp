// SPDX-License-Identifier: Apache-2.0
#include "local_error.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::stages {
namespace {

using Segment = Eigen::VectorXd::ConstSegmentReturnType;

constexpr double kRoundOffOfParts = 1e-12;  ///< of the values: what rounding and solvers leave of a difference
constexpr double kNoReaction = 1e-10;  ///< of the unknowns: the same of reactions, which are differences themselves
constexpr double kAgreement = 0.1;     ///< of an impulse: whole and parts found the same one
constexpr double kImpulse = 1.5;       ///< between 1, the whole step's of an impulse, and 2, of a force

double largest(const Segment& values) { return values.lpNorm<Eigen::Infinity>(); }

/// |whole - parts|_inf but for what rounding makes of it.
double apart(const Segment& whole, const Segment& parts) {
  const double difference = (whole - parts).lpNorm<Eigen::Infinity>();
  return difference > kRoundOffOfParts * largest(parts) ? difference : 0.0;
}

double bound_of(const ErrorBound& bound, const Segment& before, const Segment& after) {
  return bound.absolute + bound.relative * std::max(largest(before), largest(after));
}

/// error / bound; what is 0 within a bound of 0 (a relative one of what rests in the origin) is none.
double part_of(double error, double bound) { return error > 0.0 ? error / bound : 0.0; }

/// What the reactions on one system did: a force that goes on, a jump, an impulse.
struct Jumps {
  bool event = false;
  bool impulse = false;         ///< in one of the parts
  bool second_impulse = false;  ///< in the second
  bool agree = true;            ///< the whole step has the impulse too
  bool acts = false;
  double size = 0.0;    ///< of the largest R of a part
  double change = 0.0;  ///< the largest of |R_1 - R_0| and |R_2 - R_1| that is none of an impulse
};

/// `before_h`: the length of the part that `rate` is of; `free`: what all else did to the unknowns in a part, beside
/// which a jump of reactions counts.
Jumps jumps_of(const Reactions& all, const Layout::System& place, bool known, double before_h, double H, double longest,
               double unknowns, double free) {
  const double h = 0.5 * H;
  const Segment whole = all.whole.segment(place.z, place.n), first = all.first.segment(place.z, place.n),
                second = all.second.segment(place.z, place.n), rate = all.rate.segment(place.z, place.n);
  const double noise = kNoReaction * unknowns;
  const double r = largest(whole), r1 = largest(first), r2 = largest(second);
  const double r0 = known ? h * largest(rate) : r1;
  Jumps found;
  found.size = std::max(r1, r2);
  found.acts = std::max({r, r0, found.size}) > noise;
  if (!found.acts) return found;
  const double threshold = std::max(noise, 0.5 * std::sqrt(H / longest) * std::max({r0, found.size, free}));
  // Beside a straight line through the parts: a force that grows or fades is no jump, however small it is.
  const double back = 0.5 * (h + before_h) / h;
  const double before = known ? (first - h * rate - back * (second - first)).lpNorm<Eigen::Infinity>() : 0.0;
  const double within = known ? before : (second - first).lpNorm<Eigen::Infinity>();
  found.event = std::max(before, within) > threshold;
  if (!found.event) return found;
  const double earlier = known ? r0 : 0.0;
  const bool first_impulse = r1 > 2.0 * std::max(earlier, r2) && r < kImpulse * r1;
  found.second_impulse = r2 > 2.0 * std::max(earlier, r1) && r < kImpulse * r2;
  found.impulse = first_impulse || found.second_impulse;
  found.agree = (whole - first - second).lpNorm<Eigen::Infinity>() <= kAgreement * found.size;
  if (!first_impulse && known) found.change = (first - h * rate).lpNorm<Eigen::Infinity>();
  if (!found.impulse) found.change = std::max(found.change, (second - first).lpNorm<Eigen::Infinity>());
  return found;
}

}  // namespace

void Reactions::begin(const Layout& layout) {
  for (Eigen::VectorXd* one : {&whole, &first, &second, &due, &rate}) one->setZero(layout.num_unknowns);
  known.assign(layout.systems.size(), false);
}

double lateness(const RelationCaches& relations, const State& end, double h) {
  double late = 0.0;
  for (const BlockPlan& block : relations.blocks) {
    if (block.interaction < 0 || !block.unilateral || !block.impacts) continue;
    const double y = end.outputs[block.row], u = end.velocities[block.row];
    if (y < 0.0 && u < 0.0 && end.multipliers[block.row] == 0.0) late = std::max(late, std::min(h, y / u));
  }
  return late;
}

bool bounces(const RelationCaches& relations, const State& before, const State& end) {
  const double noise = kRoundOffOfParts * end.velocities.lpNorm<Eigen::Infinity>();
  return std::any_of(relations.blocks.begin(), relations.blocks.end(), [&](const BlockPlan& block) {
    return block.interaction >= 0 && block.unilateral && block.impacts && end.multipliers[block.row] != 0.0 &&
           block.restitution > 0.0 && std::abs(before.velocities[block.row]) > noise;
  });
}

LocalError compare(const Accuracy& accuracy, double longest, const ComparedStep& step, const Reactions& reactions,
                   const std::vector<SchemeOrder>& orders, std::vector<bool>& impulsive) {
  const Layout& layout = *step.before.layout();
  const double h = 0.5 * step.H;
  LocalError worst;
  worst.order = 1000;
  for (std::size_t s = 0; s < orders.size(); ++s) {
    const Layout::System& place = layout.systems[s];
    const auto z = [&](const State& state) { return state.unknowns.segment(place.z, place.n); };
    const auto q = [&](const State& state) { return state.positions.segment(place.q, place.nq); };
    const Segment before = std::as_const(step.before.unknowns).segment(place.z, place.n);
    const double free = 0.5 * (z(step.parts) - before - reactions.first.segment(place.z, place.n) -
                               reactions.second.segment(place.z, place.n))
                                  .lpNorm<Eigen::Infinity>();
    const Jumps jumps = jumps_of(reactions, place, reactions.known[s], 0.5 * step.before.last_step, step.H, longest,
                                 std::max(largest(before), largest(z(step.parts))), free);
    impulsive[s] = jumps.second_impulse;
    const Index p = jumps.event ? 1 : jumps.acts ? orders[s].constrained : orders[s].free;
    const double of_parts = 1.0 / (std::pow(2.0, static_cast<double>(p)) - 1.0);
    const double apart_z = apart(z(step.whole), z(step.parts));
    // Implicit multipliers of first order see where a state has to be at the end: whole and parts find the same jumps.
    const bool compared = place.first_order || jumps.agree;
    const double error_z = jumps.impulse ? std::max(compared ? apart_z : 0.0, jumps.size * h / accuracy.span)
                                         : std::max(of_parts * apart_z, 0.5 * jumps.change);
    const ErrorBound& bound_z = place.first_order ? accuracy.state : accuracy.velocity;
    double error = part_of(error_z, bound_of(bound_z, before, z(step.parts)));
    const bool jumped = jumps.event || (step.bounces && !place.first_order);
    // What is due is judged as an event by itself: a contact that rests has a little of it in every step.
    double late = 0.0;
    if (place.nq > 0) {
      const double bound_q = bound_of(accuracy.position, q(step.before), q(step.parts));
      error = std::max(error, part_of(of_parts * apart(q(step.whole), q(step.parts)), bound_q));
      if (step.late > 0.0) late = part_of(largest(reactions.due.segment(place.z, place.n)) * step.late, bound_q);
    }
    const double of_event = 1.0 / static_cast<double>(accuracy.events);
    const double of_step = jumped ? of_event : step.H / accuracy.span;
    const bool is_late = late / of_event > error / of_step;
    const double allowed = is_late ? of_event : of_step;
    error = is_late ? late : error;
    worst.event = worst.event || jumped || is_late;
    worst.order = std::min(worst.order, p);
    worst.finite = worst.finite && std::isfinite(error);
    if (error / allowed <= worst.ratio) continue;
    worst.ratio = error / allowed;
    worst.error = error;
    worst.system = static_cast<Index>(s);
  }
  return worst;
}

std::string interaction_that_differs(const NonSmoothDynamicalSystem& model, Index system, const ComparedStep& step) {
  const Layout& layout = *model.layout();
  const std::uint32_t slot = layout.systems[static_cast<std::size_t>(system)].slot;
  double most = 0.0;
  const std::string* name = nullptr;
  for (const Layout::Interaction& interaction : layout.interactions) {
    const auto& linked = model.interactions()[interaction.slot].systems;
    if (std::find(linked.begin(), linked.end(), slot) == linked.end()) continue;
    const auto of = [&](const State& state) { return state.multipliers.segment(interaction.row, interaction.rows); };
    const double difference = (of(step.whole) - of(step.parts)).lpNorm<Eigen::Infinity>();
    const double earlier = (of(step.before) - of(step.parts)).lpNorm<Eigen::Infinity>();
    if (!(std::max(difference, earlier) > most)) continue;
    most = std::max(difference, earlier);
    name = &interaction.name;
  }
  if (name != nullptr) return *name;
  return step.parts.contacts.empty() && step.whole.contacts.empty() ? std::string() : "a contact that was detected";
}

}  // namespace nonsmooth::stages
