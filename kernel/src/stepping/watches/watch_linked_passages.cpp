// SPDX-License-Identifier: Apache-2.0
// Bodies that go through one another within a step, by the relations of contacts that are linked.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "way.hpp"

namespace nonsmooth::stages {
namespace {

using Link = RunWatch::Passages::Link;

/// A pair of shapes at a place of the way: y, u = H v and the normal, that of the first body.
class LinkedPair {
 public:
  LinkedPair(const InteractionPlan& interaction, std::span<const JacobianBlock> linked, RunWatch::Passages& watch)
      : interaction_(interaction), linked_(linked), numbers_(watch.numbers) {}

  [[nodiscard]] double gap(const State& at) {
    auto y = segment(0, interaction_.rows);
    y.setZero();
    stack_positions(linked_, at.positions.data(), segment(interaction_.rows, interaction_.positions).data());
    interaction_.relation->h(at.t, segment(interaction_.rows, interaction_.positions), y);
    return y[0];
  }
  [[nodiscard]] double largest_position() const {
    return numbers_.segment(interaction_.rows, interaction_.positions).cwiseAbs().maxCoeff();
  }
  /// Behind gap() there.
  [[nodiscard]] double rate(const State& at, Eigen::Vector3d& normal) {
    const Index begin = interaction_.rows + interaction_.positions, columns = interaction_.columns;
    auto v = segment(begin, columns);
    stack_unknowns(linked_, at.unknowns.data(), v.data());
    Eigen::Map<Eigen::MatrixXd> H(numbers_.data() + begin + columns, interaction_.rows, columns);
    H.setZero();
    interaction_.relation->H(at.t, segment(interaction_.rows, interaction_.positions), H);
    normal.setZero();
    for (Index k = 0; k < translations(linked_.front().n); ++k) normal[k] = H(0, linked_.front().column + k);
    return H.row(0).dot(v);
  }

 private:
  Eigen::Map<Eigen::VectorXd> segment(Index begin, Index count) { return {numbers_.data() + begin, count}; }

  const InteractionPlan& interaction_;
  std::span<const JacobianBlock> linked_;
  Eigen::VectorXd& numbers_;
};

/// Their first touch, where more of the way is left behind it than the source sees and they are not in contact as they
/// met at its end: y falls by no more than `fall` on the whole way. `left`: as Way has it.
std::optional<Touch> passage(const Link& link, double fall, double h, LinkedPair& pair, Way& way, double& left) {
  std::optional<Touch> touch;
  left = way.go_along([&](double s) -> std::optional<double> {
    const State& there = way.at(s);
    const double gap = pair.gap(there);
    if (gap > Way::kTouching * (link.depth + pair.largest_position())) return gap / fall;
    touch.emplace();
    touch->depth = -(1.0 - s) * h * pair.rate(there, touch->normal);
    return {};
  });
  if (!touch || !(touch->depth > link.depth)) return {};
  const State& end = way.at(1.0);
  const double gap_at_end = pair.gap(end);
  Eigen::Vector3d normal_at_end;
  (void)pair.rate(end, normal_at_end);
  if (touch->is_held_by(gap_at_end, normal_at_end)) return {};
  return touch;
}

}  // namespace

void prepare_linked_passages(const RelationCaches& relations, RunWatch::Passages& watch) {
  Index numbers = 0, others = -1;
  std::string first;  // that is not looked at
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = relations.interactions[i];
    if (!interaction.relation || !interaction.law->unilateral) continue;
    const double depth = interaction.relation->passage_depth(),
                 steepness = interaction.relation->steepness(interaction.num_jacobians);
    if (depth == std::numeric_limits<double>::infinity() || !(steepness > 0.0)) continue;
    // A scheme that keeps its unknown goes with no velocity of the step.
    if (std::isnan(depth) || interaction.relation->depends_on_time() || interaction.scheme.keeps_unknown) {
      if (++others == 0) first = interaction.name;
      continue;
    }
    watch.links.push_back({static_cast<Index>(i), depth, steepness});
    numbers = std::max(numbers, interaction.rows + interaction.positions + interaction.columns +
                                    interaction.rows * interaction.columns);
  }
  watch.numbers = Eigen::VectorXd::Zero(numbers);
  if (others >= 0) watch.unwatched = first + (others > 0 ? " and " + std::to_string(others) + " more" : "");
}

void watch_linked_passages(const TakenStep& step, SystemCaches& systems, RunWatch::Passages& watch,
                           RunRemarks& noticed) {
  const double h = step.discretisation.h;
  for (const Link& link : watch.links) {
    const InteractionPlan& interaction = step.relations.interaction(link.interaction);
    const auto linked = step.relations.jacobians.of(interaction);
    double square = 0.0;
    for (const JacobianBlock& one : linked)
      square += std::max(step.state.unknowns.segment(one.z, one.n).squaredNorm(),
                         step.solution.z.segment(one.z, one.n).squaredNorm());
    const double fall = link.steepness * h * std::sqrt(square);  // q moves by no more than v
    if (!(fall > link.depth) || step.state.outputs[interaction.row] > fall) continue;
    watch.bodies.clear();
    for (const JacobianBlock& one : linked) watch.bodies.push_back(one.system);
    look_or_leave([&] {
      LinkedPair pair(interaction, linked, watch);
      Way way(step, systems, watch.bodies, watch);
      double left = 0.0;
      const std::optional<Touch> touch = passage(link, fall, h, pair, way, left);
      if (left > 0.0) tell_unknown_way(interaction.name, step.report.t, left, noticed);
      const auto name_of = [&](std::size_t i) {
        return i < watch.bodies.size() ? step.discretisation.system(watch.bodies[i]).name : "the ground";
      };
      if (touch) tell_passage(name_of(0), name_of(1), step.report.t, touch->depth, noticed);
    });
  }
}

}  // namespace nonsmooth::stages
