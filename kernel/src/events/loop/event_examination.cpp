// SPDX-License-Identifier: Apache-2.0
#include "event_examination.hpp"

#include <algorithm>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "analysis/examine_start.hpp"
#include "events/mode_part.hpp"

namespace nonsmooth::events {
namespace {

/// Of the time in which an island moves by itself: so short that only what is lost at once counts.
constexpr double kShortStep = 1e-6;
constexpr int kSweeps = 8;

/// The linear first-order interactions of a model, without a scheme or a step: what islands and their matrices are made
/// of. Laws with unknowns of their own have no blocks.
void lay_out(const NonSmoothDynamicalSystem& model, const Layout& layout, RelationCaches& relations) {
  std::vector<JacobianBlock>& jacobians = relations.jacobians.list;
  for (const Layout::Interaction& place : layout.interactions) {
    if (!place.first_order) continue;
    const auto& record = model.interactions()[place.slot];
    const FirstOrderLinearRelation* linear = record.first_order->linear();
    if (!linear) continue;
    InteractionPlan interaction;
    interaction.name = record.name;
    interaction.law = record.law;
    interaction.rows = place.rows;
    interaction.first_order = true;
    interaction.linear = linear;
    interaction.first_jacobian = static_cast<Index>(jacobians.size());
    for (const LinkedSystem& linked : linked_systems(layout, record.systems)) {
      jacobians.push_back({linked, 0, 0});
      interaction.columns += linked.n;
    }
    interaction.num_jacobians = static_cast<Index>(jacobians.size()) - interaction.first_jacobian;
    const bool plain = record.law->coupling.size() == 0 && !record.law->parts.empty();
    for (Index local = 0; plain && local < interaction.rows;) {
      for (const LawBlock::Part& part : record.law->parts) {
        BlockPlan block;
        block.interaction = static_cast<Index>(relations.interactions.size());
        block.local = local;
        block.size = part.size;
        block.set = part.set;
        relations.blocks.push_back(block);
        local += part.size;
      }
    }
    relations.interactions.push_back(std::move(interaction));
  }
}

/// D + h C B with rows and columns scaled by the same factors, which leaves P-matrices and monotone ones what they are.
Eigen::MatrixXd matrix_of_modes(const stages::LinearIsland& island) {
  const double rate = island.A.size() > 0 ? island.A.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
  Eigen::MatrixXd W = island.C * island.B;
  if (!island.D.isZero(0.0)) W = island.D + kShortStep / (rate > 0.0 ? rate : 1.0) * W;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (Index i = 0; i < W.rows(); ++i) {
      const double largest = std::max(W.row(i).cwiseAbs().maxCoeff(), W.col(i).cwiseAbs().maxCoeff());
      if (!(largest > 0.0) || !std::isfinite(largest)) continue;
      const double factor = 1.0 / std::sqrt(largest);
      W.row(i) *= factor;
      W.col(i) *= factor;
    }
  }
  return W;
}

void examine_uniqueness(const stages::Island& island, const stages::LinearIsland& matrices,
                        const std::vector<std::size_t>& blocks, const RelationCaches& relations, Remarks& remarks) {
  for (const Index i : island.interactions) {  // laws with rows of their own are monotone graphs, but in more rows
    if (relations.interactions[static_cast<std::size_t>(i)].law->coupling.size() > 0) return;
  }
  if (!stages::may_have_several_answers(
          stages::without_equalities(matrix_of_modes(matrices), island, blocks, relations)))
    return;
  Remark remark;
  remark.kind = Remark::Kind::Ambiguity;
  remark.subject = relations.interactions[static_cast<std::size_t>(island.interactions.front())].name +
                   (island.interactions.size() > 1 ? " and what it is tied to" : "");
  remark.value = static_cast<double>(matrices.B.cols());
  remark.found = "a problem of " + std::to_string(matrices.B.cols()) +
                 " rows whose matrix is neither P nor monotone: several motions may go on from an instant, or none";
  remark.expected = "a unique one: signs of B and D by which multipliers oppose y";
  remarks.push_back(std::move(remark));
}

void examine_row(Index degree, Index local, bool equality, const InteractionPlan& interaction, Remarks& remarks) {
  if (degree == 0 || degree == 1) return;
  Remark remark;
  remark.subject = "row " + std::to_string(local) + " of " + interaction.name;
  remark.value = static_cast<double>(degree);
  const std::string number = std::to_string(degree);
  if (degree < 0) {
    remark.kind = Remark::Kind::Unreached;
    remark.found = "a multiplier that acts on no derivative of y: nothing holds y in its set";
    remark.expected = "B and A by which it reaches C x";
  } else if (equality) {
    remark.found =
        "an equality of relative degree " + number + ": events differentiate y once, and find no mode for it";
    remark.expected = "relative degree 0 or 1, EulerMoreau with theta = 1, or mechanics with EqualityLaw";
  } else if (degree == 2) {
    remark.found =
        "relative degree 2: where the row closes its multiplier is an impulse on y', for which it has no law, "
        "and the run ends with NoMode";
    remark.expected = "a mechanical system with an impact law, or EulerMoreau with theta = 1, after which it rests";
  } else {
    remark.refused = true;
    remark.found = "relative degree " + number +
                   ": where the row closes its multiplier is a distribution, and no motion by events goes on";
    remark.expected = "at most 1 (2 in mechanics with an impact law)";
  }
  remarks.push_back(std::move(remark));
}

void examine_rows(const stages::Island& island, const stages::LinearIsland& matrices,
                  const std::vector<std::size_t>& blocks, const RelationCaches& relations, Remarks& remarks) {
  Index first = 0;  // row of the interaction in the island
  for (const Index i : island.interactions) {
    const auto number = static_cast<std::size_t>(i);
    const InteractionPlan& interaction = relations.interactions[number];
    for (std::size_t b = blocks[number]; b < blocks[number + 1]; ++b) {
      const BlockPlan& block = relations.blocks[b];
      if (!stages::is_unbounded(block, interaction)) continue;
      const bool equality = block.set.kind == SetKind::Free;
      for (Index local = block.local; local < block.local + block.size; ++local)
        examine_row(stages::relative_degree(matrices, first + local), local, equality, interaction, remarks);
    }
    first += interaction.rows;
  }
}

}  // namespace

Remarks examine_first_order(const NonSmoothDynamicalSystem& model, const std::shared_ptr<const Layout>& layout) {
  Remarks remarks;
  RelationCaches relations;
  lay_out(model, *layout, relations);
  const std::vector<std::size_t> blocks = stages::first_blocks(relations);
  for (const stages::Island& island : stages::islands_of_first_order(*layout, relations)) {
    const auto matrices = stages::matrices_of(island, model, *layout, relations);
    if (!matrices) continue;
    examine_uniqueness(island, *matrices, blocks, relations, remarks);
    examine_rows(island, *matrices, blocks, relations, remarks);
  }
  return remarks;
}

Remarks examine_gaps(double t, const Eigen::VectorXd& z, const EventDrivenOptions& options,
                     MechanicalModel& mechanics) {
  Remarks remarks;
  const std::vector<char> all(mechanics.contacts().size(), 1);
  mechanics.evaluate_velocities(t, z, all);
  for (const Contact& contact : mechanics.contacts()) {
    const bool bilateral = contact.kind == Contact::Kind::Bilateral;
    if (!bilateral && contact.kind != Contact::Kind::Unilateral) continue;
    const double gap = mechanics.y[contact.row];
    const double tolerance =
        options.thresholds.position * mechanics.position_scale(contact.row) + options.absolute_tolerance;
    if (bilateral ? std::abs(gap) <= tolerance : gap >= -tolerance) continue;
    Remark remark;
    remark.kind = Remark::Kind::Interpenetration;
    remark.subject = "row " + std::to_string(contact.local) + " of " + mechanics.name(contact);
    remark.value = std::abs(gap);
    remark.found = "an initial state " + text(std::abs(gap)) +
                   (bilateral ? " off its constraint" : " inside its obstacle") + ", from which it was moved";
    remark.expected = bilateral ? "y = 0" : "y >= 0";
    remarks.push_back(std::move(remark));
  }
  return remarks;
}

void require_none_refused(const Remarks& remarks, Examination examination) {
  if (examination != Examination::Refuse) return;
  for (const Remark& remark : remarks) {
    if (remark.refused) throw InvalidArgument(remark.subject, remark.found, remark.expected);
  }
}

}  // namespace nonsmooth::events
