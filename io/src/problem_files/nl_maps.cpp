// SPDX-License-Identifier: Apache-2.0
#include "nl_maps.hpp"

#include <algorithm>
#include <utility>

namespace nonsmooth::problem_files {

NlMap::NlMap(std::shared_ptr<const NlExpressions> expressions, std::vector<NlComponent> components, Index num_unknowns,
             Eigen::VectorXd lower, Eigen::VectorXd upper)
    : expressions_(std::move(expressions)),
      components_(std::move(components)),
      num_unknowns_(num_unknowns),
      lower_(std::move(lower)),
      upper_(std::move(upper)) {
  find_pattern();
}

bool NlMap::is_affine() const noexcept {
  return std::all_of(components_.begin(), components_.end(), [](const auto& one) { return one.is_affine(); });
}

std::vector<double> NlMap::values_at(ConstVectorRef x) const {
  if (lower_.size() == 0) return expressions_->values(x);
  return expressions_->values(x.cwiseMax(lower_).cwiseMin(upper_));
}

void NlMap::value(ConstVectorRef x, VectorRef f) const {
  const std::vector<double> values = values_at(x);
  for (std::size_t j = 0; j < components_.size(); ++j) {
    const NlComponent& component = components_[j];
    double sum = -component.less;
    if (component.root >= 0) sum += component.factor * values[static_cast<std::size_t>(component.root)];
    for (const NlTerm& term : component.linear) sum += term.factor * x[term.variable];
    f[static_cast<Index>(j)] = sum;
  }
}

/// The pattern of J with the linear terms, which no later call computes again.
void NlMap::find_pattern() {
  std::vector<Triplet> entries;
  for (std::size_t j = 0; j < components_.size(); ++j) {
    for (const Index variable : components_[j].variables) {
      entries.emplace_back(static_cast<SparseIndex>(j), static_cast<SparseIndex>(variable), 0.0);
    }
    for (const NlTerm& term : components_[j].linear) {
      entries.emplace_back(static_cast<SparseIndex>(j), static_cast<SparseIndex>(term.variable), term.factor);
    }
  }
  linear_.resize(size(), num_unknowns_);
  linear_.setFromTriplets(entries.begin(), entries.end());
  for (Index column = 0; column < num_unknowns_; ++column) {
    for (SparseIndex k = linear_.outerIndexPtr()[column]; k < linear_.outerIndexPtr()[column + 1]; ++k) {
      NlComponent& component = components_[static_cast<std::size_t>(linear_.innerIndexPtr()[k])];
      if (!component.is_affine()) component.places.push_back(k);  // columns rise, as its variables do
    }
  }
}

void NlMap::jacobian(ConstVectorRef x, Eigen::SparseMatrix<double>& J) const {
  J = linear_;
  if (is_affine()) return;
  const std::vector<double> values = values_at(x);
  std::vector<double> adjoints(values.size(), 0.0), gradient(static_cast<std::size_t>(x.size()), 0.0);
  for (const NlComponent& component : components_) {
    if (component.is_affine()) continue;
    expressions_->add_gradient(component.root, component.parts, values, adjoints, gradient);
    for (std::size_t k = 0; k < component.variables.size(); ++k) {
      J.valuePtr()[component.places[k]] +=
          component.factor * std::exchange(gradient[static_cast<std::size_t>(component.variables[k])], 0.0);
    }
  }
}

void NlMap::add_hessian(ConstVectorRef x, ConstVectorRef weights, std::vector<Triplet>& entries) const {
  if (is_affine()) return;
  const std::vector<double> values = values_at(x);
  NlHessianWork work;
  for (std::size_t j = 0; j < components_.size(); ++j) {
    const NlComponent& component = components_[j];
    const double weight = weights[static_cast<Index>(j)] * component.factor;
    if (component.is_affine() || weight == 0.0) continue;
    expressions_->add_hessian(component.root, component.parts, component.curved, values, weight, work, entries);
  }
}

NonlinearMap callables_of(std::shared_ptr<const NlMap> map, Index num_unknowns, std::string name) {
  if (map->size() == 0) return {};
  return {.num_unknowns = num_unknowns,
          .num_values = map->size(),
          .value = [map](ConstVectorRef x, VectorRef f) { map->value(x, f); },
          .jacobian = [map](ConstVectorRef x, Eigen::SparseMatrix<double>& J) { map->jacobian(x, J); },
          .name = std::move(name)};
}

}  // namespace nonsmooth::problem_files
