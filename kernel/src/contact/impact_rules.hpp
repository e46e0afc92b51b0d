// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <internal/disjoint_sets.hpp>
#include <nonsmooth/kernel/model.hpp>

#include "active_set.hpp"

namespace nonsmooth {

/// Coefficients of restitution among contacts by functions of the user (GeneralisedNewtonRule), in a step.
struct ImpactRules {
  /// A block of an interaction under a rule.
  struct Linked {
    Index rule = -1;  ///< -1: under none
    ImpactingContact contact{};
  };
  struct Source {
    Index rule = -1;
    std::shared_ptr<const ContactSource> source{};  ///< shared, with the layout: models come and go while caches stay
    SourceHandle handle{};
    std::vector<Index> body_of_system{};
  };
  /// A contact that acts in this step.
  struct Member {
    Index block = 0;  ///< active
    Index rule = 0, island = -1;
    double approach = 0.0;  ///< min(u-, 0)
    ImpactingContact contact{};
  };
  std::vector<std::shared_ptr<const GeneralisedNewtonRule::Coefficient>> restitution;  ///< by rule; empty: none
  std::vector<Linked> linked;                                                          ///< by model block
  std::vector<Source> sources;
  std::vector<char> held;  ///< by system: all of its velocities are prescribed
  std::shared_ptr<const Layout> layout;
  std::vector<Member> members;  ///< scratch, with what follows
  DisjointSets systems{0};
  std::vector<Index> begin, of_systems;
  std::vector<double> shifts;  ///< by row of the step's problem

  [[nodiscard]] bool any() const noexcept { return !restitution.empty(); }
};

namespace stages {

/// What rules stand for the coefficients of which laws; these become 0 in the plans of relations and sources, after
/// which it is called. @throws InvalidArgument for a contact under a scheme whose rows are not about velocities alone.
void prepare_impact_rules(const NonSmoothDynamicalSystem& model, const Discretisation& discretisation,
                          RelationCaches& relations, ContactSearch& search, ImpactRules& rules);
/// sum_j E_ij min(u_j-, 0) is added to u+ of contacts i that act and are under a rule.
/// @throws CallableFailure of a rule.
void shift_by_rules(const StepView& step, const RelationCaches& relations, const ContactSearch& search,
                    const ContactSet& contacts, ImpactRules& rules, ActiveSet& active);

}  // namespace stages
}  // namespace nonsmooth
