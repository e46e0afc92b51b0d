// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "nl_expressions.hpp"

namespace nonsmooth::problem_files {
namespace {

using enum NlOperator;

/// Derivatives by a and b, of functions of one operand by a; `value` is what nl_value gives.
std::array<double, 2> nl_slopes_of_one(NlOperator what, double a, double value) {
  switch (what) {
    case Absolute:
      return {a < 0.0 ? -1.0 : 1.0, 0.0};
    case Negate:
      return {-1.0, 0.0};
    case Tanh:
      return {1.0 - value * value, 0.0};
    case Tan:
      return {1.0 + value * value, 0.0};
    case Sqrt:
      return {0.5 / value, 0.0};
    case Sinh:
      return {std::cosh(a), 0.0};
    case Sin:
      return {std::cos(a), 0.0};
    case Log10:
      return {1.0 / (a * std::numbers::ln10), 0.0};
    case Log:
      return {1.0 / a, 0.0};
    case Exp:
      return {value, 0.0};
    case Cosh:
      return {std::sinh(a), 0.0};
    case Cos:
      return {-std::sin(a), 0.0};
    case Atanh:
      return {1.0 / (1.0 - a * a), 0.0};
    case Atan:
      return {1.0 / (1.0 + a * a), 0.0};
    case Asinh:
      return {1.0 / std::sqrt(a * a + 1.0), 0.0};
    case Asin:
      return {1.0 / std::sqrt(1.0 - a * a), 0.0};
    case Acosh:
      return {1.0 / std::sqrt(a * a - 1.0), 0.0};
    case Acos:
      return {-1.0 / std::sqrt(1.0 - a * a), 0.0};
    default:  // steps: floor, ceiling, comparisons
      return {0.0, 0.0};
  }
}

std::array<double, 2> nl_slopes(NlOperator what, double a, double b, double value, bool constant_b) {
  switch (what) {
    case Add:
    case Sum:
      return {1.0, 1.0};
    case Subtract:
      return {1.0, -1.0};
    case Multiply:
      return {b, a};
    case Divide:
      return {1.0 / b, -value / b};
    case Remainder:
      return {1.0, -std::trunc(a / b)};
    case Power:  // a negative base has powers of whole numbers alone: no slope by b is asked for
      return {b == 0.0 ? 0.0 : b * std::pow(a, b - 1.0), constant_b || value == 0.0 ? 0.0 : value * std::log(a)};
    case Less:
      return a > b ? std::array{1.0, -1.0} : std::array{0.0, 0.0};
    case Minimum:
      return b < a ? std::array{0.0, 1.0} : std::array{1.0, 0.0};
    case Maximum:
      return b > a ? std::array{0.0, 1.0} : std::array{1.0, 0.0};
    case Atan2:
      return {b / (a * a + b * b), -a / (a * a + b * b)};
    default:
      return nl_slopes_of_one(what, a, value);
  }
}

/// Of functions of one operand, by a twice; steps and kinks have none.
double nl_curvature_of_one(NlOperator what, double a, double value) {
  switch (what) {
    case Tanh:
      return -2.0 * value * (1.0 - value * value);
    case Tan:
      return 2.0 * value * (1.0 + value * value);
    case Sqrt:
      return -0.25 / (value * value * value);
    case Sinh:
    case Exp:
    case Cosh:
      return value;
    case Sin:
    case Cos:
      return -value;
    case Log10:
      return -1.0 / (a * a * std::numbers::ln10);
    case Log:
      return -1.0 / (a * a);
    case Atanh:
      return 2.0 * a / ((1.0 - a * a) * (1.0 - a * a));
    case Atan:
      return -2.0 * a / ((1.0 + a * a) * (1.0 + a * a));
    case Asinh:
      return -a / std::pow(1.0 + a * a, 1.5);
    case Asin:
      return a / std::pow(1.0 - a * a, 1.5);
    case Acosh:
      return -a / std::pow(a * a - 1.0, 1.5);
    case Acos:
      return -a / std::pow(1.0 - a * a, 1.5);
    default:
      return 0.0;
  }
}

/// By a twice, by a and b, by b twice.
std::array<double, 3> nl_curvatures(NlOperator what, double a, double b, double value, bool constant_b) {
  switch (what) {
    case Multiply:
      return {0.0, 1.0, 0.0};
    case Divide:
      return {0.0, -1.0 / (b * b), 2.0 * value / (b * b)};
    case Power: {
      const double by_a = b == 0.0 || b == 1.0 ? 0.0 : b * (b - 1.0) * std::pow(a, b - 2.0);
      if (constant_b || value == 0.0) return {by_a, 0.0, 0.0};
      const double log = std::log(a);
      return {by_a, std::pow(a, b - 1.0) * (1.0 + b * log), value * log * log};
    }
    case Atan2: {
      const double square = a * a + b * b, factor = 1.0 / (square * square);
      return {-2.0 * a * b * factor, (a * a - b * b) * factor, 2.0 * a * b * factor};
    }
    default:
      return {nl_curvature_of_one(what, a, value), 0.0, 0.0};
  }
}

}  // namespace

/// Of a part: its slopes and curvatures by its operands. What an If chooses is passed on, the rest is not.
struct NlExpressions::Local {
  Index a = -1, b = -1;  ///< operands that it depends on, or -1
  std::array<double, 2> slopes{};
  std::array<double, 3> curvatures{};
};

NlExpressions::Local NlExpressions::local_of(Index part, const std::vector<double>& values, bool curved) const {
  const Node& node = nodes_[static_cast<std::size_t>(part)];
  const auto value_of = [&](Index operand) { return operand < 0 ? 0.0 : values[static_cast<std::size_t>(operand)]; };
  if (node.what == Number || node.what == Variable) return {};
  if (node.what == If) return {.a = value_of(node.a) != 0.0 ? node.b : node.c, .slopes = {1.0, 0.0}};
  const bool constant_b = node.b >= 0 && nodes_[static_cast<std::size_t>(node.b)].what == Number;
  const double a = value_of(node.a), b = value_of(node.b), value = value_of(part);
  return {.a = node.a,
          .b = node.b,
          .slopes = nl_slopes(node.what, a, b, value, constant_b),
          .curvatures = curved ? nl_curvatures(node.what, a, b, value, constant_b) : std::array<double, 3>{}};
}

void NlExpressions::add_gradient(Index root, const std::vector<Index>& parts, const std::vector<double>& values,
                                 std::vector<double>& adjoints, std::vector<double>& gradient) const {
  const auto pass = [&](Index node, double adjoint) {
    if (node >= 0 && adjoint != 0.0) adjoints[static_cast<std::size_t>(node)] += adjoint;
  };
  adjoints[static_cast<std::size_t>(root)] = 1.0;
  for (const Index part : parts) {
    const double adjoint = std::exchange(adjoints[static_cast<std::size_t>(part)], 0.0);
    if (adjoint == 0.0) continue;
    const Node& node = nodes_[static_cast<std::size_t>(part)];
    if (node.what == Variable) gradient[static_cast<std::size_t>(node.a)] += adjoint;
    const Local local = local_of(part, values, false);
    pass(local.a, adjoint * local.slopes[0]);
    pass(local.b, adjoint * local.slopes[1]);
  }
}

void NlExpressions::add_hessian(Index root, const std::vector<Index>& parts, const std::vector<Index>& variables,
                                const std::vector<double>& values, double factor, NlHessianWork& work,
                                std::vector<Eigen::Triplet<double>>& entries) const {
  const auto at = [](std::vector<double>& all, Index node) -> double& { return all[static_cast<std::size_t>(node)]; };
  work.adjoints.resize(values.size(), 0.0);
  work.tangents.resize(values.size(), 0.0);
  work.slopes.resize(values.size(), 0.0);
  std::vector<Local> locals;
  locals.reserve(parts.size());
  at(work.adjoints, root) = 1.0;
  for (const Index part : parts) {
    const double adjoint = at(work.adjoints, part);
    locals.push_back(adjoint == 0.0 ? Local{} : local_of(part, values, true));
    const Local& local = locals.back();
    if (local.a >= 0) at(work.adjoints, local.a) += adjoint * local.slopes[0];
    if (local.b >= 0) at(work.adjoints, local.b) += adjoint * local.slopes[1];
  }
  std::map<Index, double> column;
  for (const Index j : variables) {
    // What of each part moves with x_j, then how the adjoints do.
    for (std::size_t k = parts.size(); k-- > 0;) {
      const Node& node = nodes_[static_cast<std::size_t>(parts[k])];
      const Local& local = locals[k];
      double tangent = node.what == Variable && node.a == j ? 1.0 : 0.0;
      if (local.a >= 0 && at(work.tangents, local.a) != 0.0) tangent += local.slopes[0] * at(work.tangents, local.a);
      if (local.b >= 0 && at(work.tangents, local.b) != 0.0) tangent += local.slopes[1] * at(work.tangents, local.b);
      at(work.tangents, parts[k]) = tangent;
    }
    column.clear();
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Node& node = nodes_[static_cast<std::size_t>(parts[k])];
      const Local& local = locals[k];
      const double moved = std::exchange(at(work.slopes, parts[k]), 0.0), adjoint = at(work.adjoints, parts[k]);
      if (node.what == Variable && moved != 0.0) column[node.a] += moved;
      const double by_a = local.a < 0 ? 0.0 : at(work.tangents, local.a);
      const double by_b = local.b < 0 ? 0.0 : at(work.tangents, local.b);
      const auto pass = [&](Index operand, double slope, double curvature_a, double curvature_b) {
        if (operand < 0) return;
        double sum = moved == 0.0 ? 0.0 : moved * slope;
        if (by_a != 0.0) sum += adjoint * curvature_a * by_a;
        if (by_b != 0.0) sum += adjoint * curvature_b * by_b;
        at(work.slopes, operand) += sum;
      };
      pass(local.a, local.slopes[0], local.curvatures[0], local.curvatures[1]);
      pass(local.b, local.slopes[1], local.curvatures[1], local.curvatures[2]);
    }
    for (const auto& [i, value] : column) {
      if (i > j || !std::isfinite(value)) continue;
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), factor * value);
      if (i != j) entries.emplace_back(static_cast<int>(j), static_cast<int>(i), factor * value);
    }
  }
  for (const Index part : parts) at(work.adjoints, part) = at(work.tangents, part) = 0.0;
}

}  // namespace nonsmooth::problem_files
