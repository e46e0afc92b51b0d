// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problem_files {

/// Operators of AMPL's .nl files, by their numbers there. Gay 2005, "Writing .nl files".
enum class NlOperator : int {
  Number = -2,    ///< not in files: a constant
  Variable = -1,  ///< not in files: an unknown
  Add = 0,
  Subtract = 1,
  Multiply = 2,
  Divide = 3,
  Remainder = 4,
  Power = 5,
  Less = 6,  ///< max(a - b, 0)
  Minimum = 11,
  Maximum = 12,
  Floor = 13,
  Ceiling = 14,
  Absolute = 15,
  Negate = 16,
  Or = 20,
  And = 21,
  Below = 22,
  AtMost = 23,
  Equal = 24,
  AtLeast = 28,
  Above = 29,
  NotEqual = 30,
  Not = 34,
  If = 35,
  Tanh = 37,
  Tan = 38,
  Sqrt = 39,
  Sinh = 40,
  Sin = 41,
  Log10 = 42,
  Log = 43,
  Exp = 44,
  Cosh = 45,
  Cos = 46,
  Atanh = 47,
  Atan2 = 48,
  Atan = 49,
  Asinh = 50,
  Asin = 51,
  Acosh = 52,
  Acos = 53,
  Sum = 54,
  WholeQuotient = 55,  ///< trunc(a / b)
};

/// Beyond what a file of its size may expand to: parts and terms that all its rows and its objective have together.
/// Shared parts and products of sums have more than the file has lines; a dense form of 2000 unknowns fits.
constexpr Index longest_expansion = Index{1} << 22;
constexpr int expansion_too_long = -3;  ///< no operator's number

/// How many operands it has; -1: as many as a file says; nothing: not one that is read.
[[nodiscard]] std::optional<int> num_operands(int number) noexcept;

/// A polynomial of degree 2 at most: constant + sum linear_i x_i + sum quadratic_ij x_i x_j, i <= j.
struct NlQuadratic {
  double constant = 0.0;
  std::map<Index, double> linear{};
  std::map<std::pair<Index, Index>, double> quadratic{};

  [[nodiscard]] Index num_terms() const noexcept { return static_cast<Index>(linear.size() + quadratic.size()); }
  [[nodiscard]] bool is_constant() const noexcept { return linear.empty() && quadratic.empty(); }
};

/// Room of add_hessian, 0 between calls.
struct NlHessianWork {
  std::vector<double> adjoints{}, tangents{}, slopes{};
};

/// Expressions in x, operands before what is made of them, so that none is evaluated twice and nothing is recursive.
class NlExpressions {
 public:
  Index add_number(double value);
  Index add_variable(Index variable);
  /// Operands that are not there are -1. Minimum, Maximum and Sum have two here.
  Index add(NlOperator what, Index a, Index b = -1, Index c = -1);

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(nodes_.size()); }
  /// The values of all of them at x.
  [[nodiscard]] std::vector<double> values(ConstVectorRef x) const;
  /// All that `root` is made of, itself too, falling.
  [[nodiscard]] std::vector<Index> parts_of(Index root) const;
  /// The variables among them, rising, each once.
  [[nodiscard]] std::vector<Index> variables_of(const std::vector<Index>& parts) const;
  /// gradient[v] += d root / d x_v, backwards through its parts; `adjoints` is 0 for all, as it is left. At a kink one
  /// of the derivatives.
  void add_gradient(Index root, const std::vector<Index>& parts, const std::vector<double>& values,
                    std::vector<double>& adjoints, std::vector<double>& gradient) const;
  /// Adds factor d^2 root / d x_i d x_j, both triangles, of the variables of its parts: forwards by each, then
  /// backwards. What is not finite is left out. Cost: parts times variables.
  void add_hessian(Index root, const std::vector<Index>& parts, const std::vector<Index>& variables,
                   const std::vector<double>& values, double factor, NlHessianWork& work,
                   std::vector<Eigen::Triplet<double>>& entries) const;
  /// Nothing where it is no polynomial of degree 2: then `obstacle` is the number of the operator; or where `left`,
  /// from which the parts and the terms that are formed are taken, does not suffice: then it is expansion_too_long.
  /// Terms that vanish are left out.
  [[nodiscard]] std::optional<NlQuadratic> quadratic(Index root, Index& left, int& obstacle) const;

 private:
  struct Node {
    NlOperator what = NlOperator::Number;
    Index a = -1, b = -1, c = -1;  ///< operands; a of a Variable is which
    double value = 0.0;            ///< of a Number
  };

  struct Local;
  [[nodiscard]] Local local_of(Index part, const std::vector<double>& values, bool curved) const;
  /// That one operator forms, or copies, at most.
  [[nodiscard]] Index num_terms_of_step(const Node& node, const std::optional<NlQuadratic>& a,
                                        const std::optional<NlQuadratic>& b, bool copied) const;
  [[nodiscard]] std::optional<NlQuadratic> combined(const Node& node, std::optional<NlQuadratic> a,
                                                    const std::optional<NlQuadratic>& b) const;

  std::vector<Node> nodes_;
};

}  // namespace nonsmooth::problem_files
