// SPDX-License-Identifier: Apache-2.0
#include "nl_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nonsmooth::problem_files {

NlModel::NlModel(NlFile file, std::string_view name)
    : file_(std::move(file)), name_(name), num_nodes_(file_.expressions.size()), left_(expansion_limit()) {}

Eigen::VectorXd NlModel::lower() const {
  Eigen::VectorXd lower(num_variables());
  for (Index j = 0; j < lower.size(); ++j) lower[j] = range_of(j).lower;
  return lower;
}

Eigen::VectorXd NlModel::upper() const {
  Eigen::VectorXd upper(num_variables());
  for (Index j = 0; j < upper.size(); ++j) upper[j] = range_of(j).upper;
  return upper;
}

void NlModel::fail(const std::string& found, const std::string& expected) const {
  throw FormatError(std::string(name_) + ": found " + found + ", expected " + expected);
}

/// More than the file's own nodes only where rows share defined variables.
void NlModel::fail_expansion(const std::string& what) const {
  fail(what + " whose parts and terms, with those before, are more than " + std::to_string(expansion_limit()),
       "fewer: products of shorter sums, fewer shared defined variables");
}

std::optional<NlQuadratic> NlModel::expanded(const NlBody& body, const std::string& what, int& obstacle) {
  NlQuadratic sum;
  if (body.root >= 0) {
    std::optional<NlQuadratic> polynomial = file_.expressions.quadratic(body.root, left_, obstacle);
    if (!polynomial) return std::nullopt;
    sum = std::move(*polynomial);
  }
  for (const NlTerm& term : body.linear) sum.linear[term.variable] += term.factor;
  const auto finite = [](const auto& term) { return std::isfinite(term.second); };
  if (!std::isfinite(sum.constant) || !std::all_of(sum.linear.begin(), sum.linear.end(), finite) ||
      !std::all_of(sum.quadratic.begin(), sum.quadratic.end(), finite)) {
    fail(what + " with a factor that is not finite", "finite ones, no division by 0");
  }
  return sum;
}

NlQuadratic NlModel::polynomial(const NlBody& body, const std::string& what) {
  int obstacle = 0;
  std::optional<NlQuadratic> found = expanded(body, what, obstacle);
  if (!found && obstacle == expansion_too_long) fail_expansion(what);
  if (!found) {
    fail(what + " with operator o" + std::to_string(obstacle) + " in a term that is not quadratic",
         "a quadratic objective and linear rows, or complementarity");
  }
  return std::move(*found);
}

std::optional<NlQuadratic> NlModel::polynomial_if_any(const NlBody& body, const std::string& what) {
  int obstacle = 0;
  const Index left = left_;
  std::optional<NlQuadratic> found = expanded(body, what, obstacle);
  if (!found) left_ = left;
  return found;
}

NlComponent NlModel::component(const NlBody& body, const std::string& what) {
  NlComponent component{.root = body.root, .linear = body.linear};
  if (body.root >= 0) component.parts = file_.expressions.parts_of(body.root);
  left_ -= static_cast<Index>(component.parts.size());
  if (left_ < 0) fail_expansion(what);
  component.curved = file_.expressions.variables_of(component.parts);
  return component;
}

void NlModel::find_variables(NlComponent& component) {
  component.variables = component.curved;
  for (const NlTerm& term : component.linear) component.variables.push_back(term.variable);
  std::sort(component.variables.begin(), component.variables.end());
  component.variables.erase(std::unique(component.variables.begin(), component.variables.end()),
                            component.variables.end());
}

void NlModel::check_complemented(std::size_t row) const {
  const NlRange& range = file_.row_ranges[row];
  const NlRange& bounds = range_of(range.complements);
  if (std::isfinite(bounds.lower) == range.has_lower && std::isfinite(bounds.upper) == range.has_upper) return;
  fail("other bounds of variable " + std::to_string(range.complements) + " in segment b than in row " +
           std::to_string(row) + " of segment r",
       "the same");
}

std::shared_ptr<const NlExpressions> NlModel::take_expressions() {
  return std::make_shared<const NlExpressions>(std::move(file_.expressions));
}

void set_quadratic(const NlQuadratic& objective, double sign, Eigen::SparseMatrix<double>& Q, Eigen::VectorXd& c) {
  for (const auto& [j, value] : objective.linear) c[j] = sign * value;
  std::vector<Triplet> entries;
  for (const auto& [ij, value] : objective.quadratic) {
    const auto i = static_cast<SparseIndex>(ij.first), j = static_cast<SparseIndex>(ij.second);
    entries.emplace_back(i, j, sign * (i == j ? 2.0 * value : value));
    if (i != j) entries.emplace_back(j, i, sign * value);
  }
  Q.setFromTriplets(entries.begin(), entries.end());
}

}  // namespace nonsmooth::problem_files
