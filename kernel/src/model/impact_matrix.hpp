// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

/// Coefficients of restitution among contacts of a model: by a matrix, or by a function.
namespace nonsmooth::describe {

/// What a model has of them.
struct KnownCoefficients {
  const std::vector<NonSmoothDynamicalSystem::InteractionRecord>& interactions;
  const std::vector<NonSmoothDynamicalSystem::ImpactMatrix>& matrices;
  const std::vector<NonSmoothDynamicalSystem::CoefficientRule>& rules;

  explicit KnownCoefficients(const NonSmoothDynamicalSystem& model)
      : KnownCoefficients(model.interactions(), model.impact_matrices(), model.coefficient_rules()) {}
  KnownCoefficients(const std::vector<NonSmoothDynamicalSystem::InteractionRecord>& of_interactions,
                    const std::vector<NonSmoothDynamicalSystem::ImpactMatrix>& of_matrices,
                    const std::vector<NonSmoothDynamicalSystem::CoefficientRule>& of_rules)
      : interactions(of_interactions), matrices(of_matrices), rules(of_rules) {}

  /// The number of the rule that an interaction is under, or a source; -1: none.
  [[nodiscard]] Index rule_of(std::uint32_t slot) const;
  [[nodiscard]] Index rule_of_source(std::uint32_t number) const;
  /// The interaction is in a matrix or under a rule, which stands for the coefficient of its law.
  [[nodiscard]] bool has(std::uint32_t slot) const;
};

/// What a model keeps of the description. Its handles are alive.
/// @throws InvalidArgument as NonSmoothDynamicalSystem::add.
[[nodiscard]] NonSmoothDynamicalSystem::ImpactMatrix impact_matrix(GeneralisedNewtonImpact impact,
                                                                   const KnownCoefficients& known);
[[nodiscard]] NonSmoothDynamicalSystem::CoefficientRule coefficient_rule(GeneralisedNewtonRule rule,
                                                                         const KnownCoefficients& known);
/// @throws InvalidArgument: a law of the source that a rule cannot stand beside.
void check_laws_of_rule(const ContactSource& source);
/// Takes an interaction away, with its row and column, and a matrix or rule that is left with none; a source likewise.
void forget_contact(std::uint32_t slot, std::vector<NonSmoothDynamicalSystem::ImpactMatrix>& matrices);
void forget_contact(std::uint32_t slot, std::vector<NonSmoothDynamicalSystem::CoefficientRule>& rules);
void forget_source(std::uint32_t number, std::vector<NonSmoothDynamicalSystem::CoefficientRule>& rules);

/// An interaction as rules are asked about it; `place` belongs to the layout, which lasts as long as it.
[[nodiscard]] ImpactingContact impacting(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                         const Layout::Interaction& place);
/// Bodies of a source in the order of its bodies().
void put_in_order(ImpactingContact& contact);
/// E_ij. @throws CallableFailure: what the function throws; a number that is negative or not finite.
[[nodiscard]] double coefficient(const GeneralisedNewtonRule::Coefficient& restitution, const ImpactingContact& i,
                                 const ImpactingContact& j);

/// sum_j E_ij min(u_j, 0) over the contacts of a matrix that act: what is added to u+ of contact i.
template <class Acts, class Velocity>
[[nodiscard]] double added_restitution(const Eigen::MatrixXd& E, Index i, Acts acts, Velocity velocity) {
  double sum = 0.0;
  for (Index j = 0; j < E.cols(); ++j) {
    if (E(i, j) != 0.0 && acts(j)) sum += E(i, j) * std::min(velocity(j), 0.0);
  }
  return sum;
}

}  // namespace nonsmooth::describe
