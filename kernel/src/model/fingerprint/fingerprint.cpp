// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/fingerprint.hpp>

#include <nonsmooth/kernel/relations.hpp>

#include "fingerprint_parts.hpp"
#include "model/equations/first_order.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/linked_systems.hpp"

namespace nonsmooth {
namespace fingerprint {
namespace {

constexpr Index kMostEntries = 1 << 20;  ///< of an H that is asked for

void add_mechanical(const NonSmoothDynamicalSystem::InteractionRecord& record, const Eigen::VectorXd& q, Index n,
                    Line& line) {
  if (const LagrangianLinearRelation* linear = record.mechanical->linear()) {
    line.add("H", text(linear->H, record.rows, n))
        .add("b", text(linear->b.value()))
        .add("D", text(linear->compliance, record.rows, record.rows));
    return;
  }
  const RelationEvaluator relation(*record.mechanical);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(record.rows);
  line.add("y at the initial values", asked([&] {
             Eigen::VectorXd y = Eigen::VectorXd::Constant(record.rows, std::numeric_limits<double>::quiet_NaN());
             relation.h(0.0, ConstVectorRef(q), ConstVectorRef(none), VectorRef(y));
             return text(y);
           }));
  line.add("h_t", asked([&] {
             Eigen::VectorXd value(record.rows);
             relation.h_t(0.0, q, value);
             return text(value);
           }));
  if (record.rows * n > kMostEntries) return;
  line.add("H", asked([&] {
             Eigen::MatrixXd H(record.rows, n);
             relation.H(0.0, ConstVectorRef(q), ConstVectorRef(none), MatrixRef(H));
             return matrix_text(H);
           }));
  if (!record.mechanical->is_compliant()) return;
  line.add("D", asked([&] {
             Eigen::MatrixXd D(record.rows, record.rows);
             relation.compliance(0.0, q, none, D);
             return matrix_text(D);
           }));
}

void add_first_order(const NonSmoothDynamicalSystem::InteractionRecord& record, const Eigen::VectorXd& x, Line& line) {
  const auto relation = FirstOrderRelationEvaluator::of(record);
  const Index n = x.size();
  if (const FirstOrderLinearRelation* linear = relation.linear) {
    line.add("C", text(linear->C, record.rows, n))
        .add("D", text(linear->D, record.rows, record.rows))
        .add("B", text(linear->B, n, record.rows))
        .add("e", text(linear->e, record.rows));
    return;
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(record.rows);
  line.add("h at the initial values", asked([&] {
             Eigen::VectorXd y(record.rows);
             relation.h(0.0, x, none, y);
             return text(y);
           }));
  line.add("g", asked([&] {
             Eigen::VectorXd r(n);
             relation.g(0.0, x, none, r);
             return text(r);
           }));
}

/// The initial values of all systems, and nothing else.
State start_of(const NonSmoothDynamicalSystem& model) {
  State start(model.layout());
  for (const Layout::System& place : start.layout()->systems) {
    const DynamicalSystem& system = *model.systems()[place.slot].description;
    start.positions.segment(place.q, place.nq) = system.initial_position();
    start.unknowns.segment(place.z, place.n) = system.initial_unknowns();
  }
  return start;
}

std::string interactions_text(const Layout& layout, const std::vector<std::uint32_t>& slots) {
  std::string text;
  for (const std::uint32_t slot : slots) {
    const Index number = layout.interaction_of_slot[slot];
    text += (text.empty() ? "" : ", ") + std::to_string(number) + " (" +
            layout.interactions[static_cast<std::size_t>(number)].name + ")";
  }
  return text.empty() ? "none" : text;
}

/// Sources by their places in the model, of numbers that handles have.
std::string sources_text(const NonSmoothDynamicalSystem& model, const std::vector<std::uint32_t>& numbers) {
  std::string text;
  const auto& sources = model.layout()->sources;
  for (const std::uint32_t number : numbers) {
    std::size_t place = 0;
    while (place < sources.size() && sources[place].number != number) ++place;
    text += (text.empty() ? "" : ", ") + (place < sources.size() ? std::to_string(place) : std::string("one linked"));
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string names_of(const Layout& layout, const std::vector<std::uint32_t>& slots) {
  std::string text;
  for (const std::uint32_t slot : slots) {
    const Index number = layout.system_of_slot[slot];
    text += (text.empty() ? "" : ", ") + std::to_string(number) + " (" +
            layout.systems[static_cast<std::size_t>(number)].name + ")";
  }
  return text;
}

std::string line_of(Index number, const NonSmoothDynamicalSystem::InteractionRecord& record, const State& start) {
  const Layout& layout = *start.layout();
  Line line("interaction " + std::to_string(number) + ", " + record.name);
  const Relation& relation = *record.relation;
  line.add("systems", names_of(layout, record.systems))
      .add("relation", class_name(typeid(relation)))
      .add("rows", record.rows);
  const auto linked = linked_systems(layout, record.systems);
  const Eigen::VectorXd z = stacked_unknowns(linked, start.unknowns);
  if (record.mechanical) add_mechanical(record, stacked_positions(linked, start.positions), z.size(), line);
  if (record.first_order) add_first_order(record, z, line);
  line.add("law", law_text(*record.law));
  return line.take();
}

}  // namespace fingerprint

std::vector<std::string> fingerprint_of(const NonSmoothDynamicalSystem& model) {
  using namespace fingerprint;
  const Layout& layout = *model.layout();
  const State start = start_of(model);
  std::vector<std::string> lines;
  Index number = 0;
  for (const Layout::System& place : layout.systems) lines.push_back(line_of(number++, model.systems()[place.slot]));
  number = 0;
  for (const Layout::Interaction& place : layout.interactions)
    lines.push_back(line_of(number++, model.interactions()[place.slot], start));
  number = 0;
  for (const Layout::Source& source : layout.sources) lines.push_back(line_of(number++, *source.source, start));
  number = 0;
  for (const NonSmoothDynamicalSystem::ImpactMatrix& matrix : model.impact_matrices()) {
    lines.push_back(Line("impact matrix " + std::to_string(number++))
                        .add("interactions", interactions_text(layout, matrix.contacts))
                        .add("E", matrix_text(matrix.restitution))
                        .take());
  }
  number = 0;
  for (const NonSmoothDynamicalSystem::CoefficientRule& rule : model.coefficient_rules()) {
    lines.push_back(Line("impact rule " + std::to_string(number++))
                        .add("E", "a function, not asked")
                        .add("interactions", interactions_text(layout, rule.contacts))
                        .add("sources", sources_text(model, rule.sources))
                        .take());
  }
  return lines;
}

}  // namespace nonsmooth
