// SPDX-License-Identifier: Apache-2.0
#include "nl_expressions.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace nonsmooth::problem_files {
namespace {

using enum NlOperator;

bool nl_truth(NlOperator what, double a, double b) {
  switch (what) {
    case Or:
      return a != 0.0 || b != 0.0;
    case And:
      return a != 0.0 && b != 0.0;
    case Below:
      return a < b;
    case AtMost:
      return a <= b;
    case Equal:
      return a == b;
    case AtLeast:
      return a >= b;
    case Above:
      return a > b;
    case NotEqual:
      return a != b;
    default:  // Not
      return a == 0.0;
  }
}

double nl_value(NlOperator what, double a, double b, double c) {
  switch (what) {
    case Number:
    case Variable:
      return a;
    case Add:
    case Sum:
      return a + b;
    case Subtract:
      return a - b;
    case Multiply:
      return a * b;
    case Divide:
      return a / b;
    case Remainder:
      return std::fmod(a, b);
    case Power:
      return std::pow(a, b);
    case Less:
      return a > b ? a - b : 0.0 * (a - b);  // NaN stays
    case Minimum:
      return b < a || std::isnan(b) ? b : a;
    case Maximum:
      return b > a || std::isnan(b) ? b : a;
    case Floor:
      return std::floor(a);
    case Ceiling:
      return std::ceil(a);
    case Absolute:
      return std::abs(a);
    case Negate:
      return -a;
    case If:
      return a != 0.0 ? b : c;
    case Tanh:
      return std::tanh(a);
    case Tan:
      return std::tan(a);
    case Sqrt:
      return std::sqrt(a);
    case Sinh:
      return std::sinh(a);
    case Sin:
      return std::sin(a);
    case Log10:
      return std::log10(a);
    case Log:
      return std::log(a);
    case Exp:
      return std::exp(a);
    case Cosh:
      return std::cosh(a);
    case Cos:
      return std::cos(a);
    case Atanh:
      return std::atanh(a);
    case Atan2:
      return std::atan2(a, b);
    case Atan:
      return std::atan(a);
    case Asinh:
      return std::asinh(a);
    case Asin:
      return std::asin(a);
    case Acosh:
      return std::acosh(a);
    case Acos:
      return std::acos(a);
    case WholeQuotient:
      return std::trunc(a / b);
    default:
      return nl_truth(what, a, b) ? 1.0 : 0.0;
  }
}

void add_to(NlQuadratic& sum, const NlQuadratic& other, double factor) {
  sum.constant += factor * other.constant;
  const auto add = [factor](auto& terms, const auto& more) {
    for (const auto& [place, value] : more) {
      const auto at = terms.try_emplace(place, 0.0).first;
      if ((at->second += factor * value) == 0.0) terms.erase(at);
    }
  };
  add(sum.linear, other.linear);
  add(sum.quadratic, other.quadratic);
}

NlQuadratic scaled(NlQuadratic value, double factor) {
  value.constant *= factor;
  for (auto& [i, entry] : value.linear) entry *= factor;
  for (auto& [ij, entry] : value.quadratic) entry *= factor;
  const auto is_zero = [](const auto& term) { return term.second == 0.0; };  // NaN is none
  std::erase_if(value.linear, is_zero);
  std::erase_if(value.quadratic, is_zero);
  return value;
}

std::optional<NlQuadratic> product_of(const NlQuadratic& a, const NlQuadratic& b) {
  if (b.is_constant()) return scaled(a, b.constant);
  if (a.is_constant()) return scaled(b, a.constant);
  if (!a.quadratic.empty() || !b.quadratic.empty()) return std::nullopt;
  NlQuadratic value{.constant = a.constant * b.constant};
  for (const auto& [i, entry] : a.linear) value.linear[i] += entry * b.constant;
  for (const auto& [j, entry] : b.linear) value.linear[j] += entry * a.constant;
  for (const auto& [i, left] : a.linear) {
    for (const auto& [j, right] : b.linear) value.quadratic[std::minmax(i, j)] += left * right;
  }
  return value;
}

}  // namespace

std::optional<int> num_operands(int number) noexcept {
  switch (static_cast<NlOperator>(number)) {
    case Add:
    case Subtract:
    case Multiply:
    case Divide:
    case Remainder:
    case Power:
    case Less:
    case Or:
    case And:
    case Below:
    case AtMost:
    case Equal:
    case AtLeast:
    case Above:
    case NotEqual:
    case Atan2:
    case WholeQuotient:
      return 2;
    case If:
      return 3;
    case Minimum:
    case Maximum:
    case Sum:
      return -1;
    case Floor:
    case Ceiling:
    case Absolute:
    case Negate:
    case Not:
    case Tanh:
    case Tan:
    case Sqrt:
    case Sinh:
    case Sin:
    case Log10:
    case Log:
    case Exp:
    case Cosh:
    case Cos:
    case Atanh:
    case Atan:
    case Asinh:
    case Asin:
    case Acosh:
    case Acos:
      return 1;
    case Number:
    case Variable:
      break;
  }
  return std::nullopt;
}

Index NlExpressions::add_number(double value) {
  nodes_.push_back({.what = Number, .value = value});
  return size() - 1;
}

Index NlExpressions::add_variable(Index variable) {
  nodes_.push_back({.what = Variable, .a = variable});
  return size() - 1;
}

Index NlExpressions::add(NlOperator what, Index a, Index b, Index c) {
  nodes_.push_back({.what = what, .a = a, .b = b, .c = c});
  return size() - 1;
}

std::vector<double> NlExpressions::values(ConstVectorRef x) const {
  std::vector<double> value(nodes_.size());
  const auto at = [&](Index node) { return node < 0 ? 0.0 : value[static_cast<std::size_t>(node)]; };
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    value[k] = node.what == Number     ? node.value
               : node.what == Variable ? x[node.a]
                                       : nl_value(node.what, at(node.a), at(node.b), at(node.c));
  }
  return value;
}

std::vector<Index> NlExpressions::parts_of(Index root) const {
  std::vector<Index> parts;
  std::priority_queue<Index> open;  // the largest first: operands come behind what is made of them
  open.push(root);
  while (!open.empty()) {
    const Index at = open.top();
    open.pop();
    if (!parts.empty() && parts.back() == at) continue;
    parts.push_back(at);
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (node.what == Variable) continue;
    for (const Index operand : {node.a, node.b, node.c}) {
      if (operand >= 0) open.push(operand);
    }
  }
  return parts;
}

std::vector<Index> NlExpressions::variables_of(const std::vector<Index>& parts) const {
  std::vector<Index> variables;
  for (const Index part : parts) {
    const Node& node = nodes_[static_cast<std::size_t>(part)];
    if (node.what == Variable) variables.push_back(node.a);
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

std::optional<NlQuadratic> NlExpressions::combined(const Node& node, std::optional<NlQuadratic> a,
                                                   const std::optional<NlQuadratic>& b) const {
  if (!a || (node.b >= 0 && !b)) return std::nullopt;
  switch (node.what) {
    case Add:
    case Sum:
      add_to(*a, *b, 1.0);
      return a;
    case Subtract:
      add_to(*a, *b, -1.0);
      return a;
    case Negate:
      return scaled(std::move(*a), -1.0);
    case Multiply:
      return product_of(*a, *b);
    case Divide:
      if (b->is_constant()) return scaled(std::move(*a), 1.0 / b->constant);
      break;
    case Power:
      if (b->is_constant() && b->constant == 2.0) return product_of(*a, *a);
      if (b->is_constant() && b->constant == 1.0) return a;
      break;
    default:
      break;
  }
  if (node.what == If || !a->is_constant() || (b && !b->is_constant())) return std::nullopt;
  return NlQuadratic{.constant = nl_value(node.what, a->constant, b ? b->constant : 0.0, 0.0)};
}

Index NlExpressions::num_terms_of_step(const Node& node, const std::optional<NlQuadratic>& a,
                                       const std::optional<NlQuadratic>& b, bool copied) const {
  Index count = (a && copied ? a->num_terms() : 0) + (b ? b->num_terms() : 0);
  if (a && b && node.what == Multiply) count += static_cast<Index>(a->linear.size() * b->linear.size());
  if (a && b && node.what == Power && b->constant == 2.0) {
    count += static_cast<Index>(a->linear.size() * a->linear.size());
  }
  return count;
}

std::optional<NlQuadratic> NlExpressions::quadratic(Index root, Index& left, int& obstacle) const {
  std::vector<Index> parts = parts_of(root);
  const auto too_long = [&](Index terms) {
    left -= terms;
    if (left < 0) obstacle = expansion_too_long;
    return left < 0;
  };
  if (too_long(static_cast<Index>(parts.size()))) return std::nullopt;
  std::reverse(parts.begin(), parts.end());
  std::map<Index, std::optional<NlQuadratic>> made;
  std::map<Index, int> uses;  // still to come: what is used once is not copied
  for (const Index part : parts) {
    const Node& node = nodes_[static_cast<std::size_t>(part)];
    if (node.what == Variable) continue;
    for (const Index operand : {node.a, node.b, node.c}) ++uses[operand];
  }
  const auto take = [&](Index operand) -> std::optional<NlQuadratic> {
    if (operand < 0) return std::nullopt;
    if (--uses[operand] > 0) return made.at(operand);
    std::optional<NlQuadratic> value = std::move(made.at(operand));
    made.erase(operand);
    return value;
  };
  for (const Index part : parts) {
    const Node& node = nodes_[static_cast<std::size_t>(part)];
    std::optional<NlQuadratic> value;
    if (node.what == Number) {
      value = NlQuadratic{.constant = node.value};
    } else if (node.what == Variable) {
      value = NlQuadratic{.linear = {{node.a, 1.0}}};
    } else {
      std::optional<NlQuadratic> a = take(node.a);
      const std::optional<NlQuadratic> b = take(node.b);
      if (too_long(num_terms_of_step(node, a, b, node.a >= 0 && uses[node.a] > 0))) return std::nullopt;
      value = combined(node, std::move(a), b);
    }
    if (!value) {
      obstacle = static_cast<int>(node.what);
      return std::nullopt;
    }
    made[part] = std::move(value);
  }
  return std::move(made.at(root));
}

}  // namespace nonsmooth::problem_files
