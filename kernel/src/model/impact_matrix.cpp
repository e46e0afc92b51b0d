// SPDX-License-Identifier: Apache-2.0
#include "impact_matrix.hpp"

#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "prepared_law.hpp"

namespace nonsmooth::describe {
namespace {

using Model = NonSmoothDynamicalSystem;

Index place_in(const Model::ImpactMatrix& matrix, std::uint32_t slot) {
  const auto found = std::find(matrix.contacts.begin(), matrix.contacts.end(), slot);
  return found == matrix.contacts.end() ? -1 : found - matrix.contacts.begin();
}

void check_contact(const Model::InteractionRecord& record) {
  const char* const argument = "GeneralisedNewtonImpact::contacts";
  if (!record.mechanical || !record.law->unilateral || record.law->impact.kind != ImpactRule::Kind::Newton)
    throw InvalidArgument(argument, record.name + " under " + record.law->law->name(),
                          "contacts under NewtonImpactLaw, NewtonImpactFrictionLaw or another law of Newton's impacts");
  if (record.rows != record.law->size)
    throw InvalidArgument(argument, record.name + " of " + std::to_string(record.rows / record.law->size) + " blocks",
                          "contacts of one block of rows each");
  if (record.law->shifts)
    throw InvalidArgument(argument, record.name + " under a law that shifts u+ by itself", "one that does not");
}

}  // namespace

Model::ImpactMatrix impact_matrix(GeneralisedNewtonImpact impact,
                                  const std::vector<Model::InteractionRecord>& interactions,
                                  const std::vector<Model::ImpactMatrix>& known) {
  const auto count = static_cast<Index>(impact.contacts.size());
  if (count == 0) throw InvalidArgument("GeneralisedNewtonImpact::contacts", "none", "at least one contact");
  const char* const name = "GeneralisedNewtonImpact::restitution";
  check::shape(name, impact.restitution.rows(), impact.restitution.cols(), count, count);
  check::finite(name, ConstMatrixRef(impact.restitution));
  if (impact.restitution.minCoeff() < 0.0)
    throw InvalidArgument(name, check::text(impact.restitution.minCoeff()),
                          "entries >= 0: an approach must not ask for penetration");
  Model::ImpactMatrix result;
  for (const InteractionHandle& contact : impact.contacts) {
    const Model::InteractionRecord& record = interactions[contact.slot];
    check_contact(record);
    if (place_in(result, contact.slot) >= 0 || is_in_matrix(contact.slot, known))
      throw InvalidArgument("GeneralisedNewtonImpact::contacts", record.name + " twice",
                            "each contact once, in one such law");
    result.contacts.push_back(contact.slot);
  }
  result.restitution = std::move(impact.restitution);
  return result;
}

bool is_in_matrix(std::uint32_t slot, const std::vector<Model::ImpactMatrix>& matrices) {
  return std::any_of(matrices.begin(), matrices.end(),
                     [slot](const Model::ImpactMatrix& matrix) { return place_in(matrix, slot) >= 0; });
}

void forget_contact(std::uint32_t slot, std::vector<Model::ImpactMatrix>& matrices) {
  for (auto matrix = matrices.begin(); matrix != matrices.end(); ++matrix) {
    const Index place = place_in(*matrix, slot);
    if (place < 0) continue;
    matrix->contacts.erase(matrix->contacts.begin() + place);
    std::vector<Index> kept;
    for (Index i = 0; i < matrix->restitution.rows(); ++i)
      if (i != place) kept.push_back(i);
    const Eigen::MatrixXd left = matrix->restitution(kept, kept);
    matrix->restitution = left;
    if (kept.empty()) matrices.erase(matrix);
    return;
  }
}

}  // namespace nonsmooth::describe
