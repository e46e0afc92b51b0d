// SPDX-License-Identifier: Apache-2.0
// Bodies that go through one another within a step, by the relations of contacts that are linked.
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "analysis/run_remarks.hpp"
#include "run_watch.hpp"
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

/// The depth that the rest of the way goes behind their first touch, where they are not in contact as they met at its
/// end. Conservative advancement: y falls by no more than `fall` on the whole way.
/// Source: Mirtich 1996 [mirtich1996].
std::optional<double> passage(const Link& link, double fall, double h, LinkedPair& pair, Way& way) {
  double s = 0.0;
  for (int place = 0; place < Way::kMostPlaces && s < 1.0; ++place) {
    const State& there = way.at(s);
    const double gap = pair.gap(there), touching = Way::kTouching * (link.depth + pair.largest_position());
    if (gap > touching) {
      s += std::max(Way::kLeastAdvance, gap / fall);
      continue;
    }
    Eigen::Vector3d normal, normal_at_end;
    const double depth = -(1.0 - s) * h * pair.rate(there, normal);
    if (!(depth > link.depth)) return {};
    const State& end = way.at(1.0);
    const double gap_at_end = pair.gap(end);
    (void)pair.rate(end, normal_at_end);
    if (gap_at_end < 0.0 && normal.dot(normal_at_end) > 0.0) return {};  // the contact pushes them back
    return depth;
  }
  return {};
}

}  // namespace

void prepare_linked_passages(const RelationCaches& relations, RunWatch::Passages& watch) {
  Index numbers = 0;
  for (std::size_t i = 0; i < relations.interactions.size(); ++i) {
    const InteractionPlan& interaction = relations.interactions[i];
    if (!interaction.relation || !interaction.law->unilateral || interaction.relation->depends_on_time()) continue;
    if (interaction.scheme.keeps_unknown) continue;  // its unknown is no velocity that the step goes with
    const double depth = interaction.relation->passage_depth(),
                 steepness = interaction.relation->steepness(interaction.num_jacobians);
    if (!(depth < std::numeric_limits<double>::infinity()) || !(steepness > 0.0)) continue;
    watch.links.push_back({static_cast<Index>(i), depth, steepness});
    numbers = std::max(numbers, interaction.rows + interaction.positions + interaction.columns +
                                    interaction.rows * interaction.columns);
  }
  watch.numbers = Eigen::VectorXd::Zero(numbers);
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
    try {
      LinkedPair pair(interaction, linked, watch);
      Way way(step, systems, watch.bodies, watch);
      const std::optional<double> depth = passage(link, fall, h, pair, way);
      if (!depth) continue;
      const auto name_of = [&](std::size_t i) {
        return i < watch.bodies.size() ? step.discretisation.system(watch.bodies[i]).name : "the ground";
      };
      add_remark(RunRemark::Kind::Passage, "the contact of " + name_of(0) + " and " + name_of(1), step.report.t, *depth,
                 noticed);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (
        const std::exception&) {  // a user's relation that cannot be asked on the way: nothing is said of this step
    }
  }
}

}  // namespace nonsmooth::stages
