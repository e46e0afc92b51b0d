// SPDX-License-Identifier: Apache-2.0
#include "row_kinds.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "model/equations/manifold_relation.hpp"

namespace nonsmooth::describe {
namespace {

constexpr std::array<std::pair<RowKind, const char*>, 8> kWords{{{RowKind::Held, "a held row of a joint"},
                                                                 {RowKind::Rubbing, "a freedom of a joint, which rubs"},
                                                                 {RowKind::Coordinate, "a coordinate"},
                                                                 {RowKind::Rate, "a rate of no coordinate"},
                                                                 {RowKind::Gap, "a gap"},
                                                                 {RowKind::Slip, "the slip of a contact"},
                                                                 {RowKind::Roll, "the rolling of a contact"},
                                                                 {RowKind::Spin, "the spinning of a contact"}}};

/// Joined by "or".
std::string text(const RowKinds& kinds) {
  std::string result;
  for (const auto& [kind, word] : kWords) {
    if (kinds.contains(kind)) result += (result.empty() ? "" : " or ") + std::string(word);
  }
  return result;
}

}  // namespace

const RelationOfRows* rows_of(const Relation& relation) {
  const auto* const on_manifolds = dynamic_cast<const ManifoldRelation*>(&relation);
  return dynamic_cast<const RelationOfRows*>(on_manifolds ? &on_manifolds->relation() : &relation);
}

void check_row_kinds(const std::string& interaction, const Relation& relation, const NonSmoothLaw& law, LawUse use) {
  const RelationOfRows* const of_rows = rows_of(relation);
  const auto* const asking = dynamic_cast<const LawOfRows*>(&law);
  if (!of_rows || !asking) return;
  const std::vector<RowKinds> kinds = asking->row_kinds(use);
  if (kinds.empty()) return;
  for (Index row = 0; row < relation.rows(); ++row) {
    const RowMeaning meaning = of_rows->row_meaning(row);
    const RowKinds& taken = kinds[static_cast<std::size_t>(row) % kinds.size()];
    const bool of_this_joint = meaning.law.empty() || meaning.law == law.name();
    if (taken.contains(meaning.kind) && of_this_joint) continue;
    std::string expected = meaning.law.empty() || of_this_joint ? "" : meaning.law + ", the law of this joint, or ";
    expected += law.name() + " on " + text(taken) + " there";
    throw InvalidArgument("Interaction::law" + (interaction.empty() ? "" : " of " + interaction),
                          law.name() + " on row " + std::to_string(row) + ", " + text({meaning.kind}), expected);
  }
}

}  // namespace nonsmooth::describe
