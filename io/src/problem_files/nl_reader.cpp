// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "nl.hpp"
#include "nl_file.hpp"
#include "program_storage.hpp"
#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {
namespace {

/// F_j of a complementarity problem: a row of the file less its value.
struct NlComponent {
  NlBody body;
  double less = 0.0;
  std::vector<Index> parts{};         ///< of body.root
  std::vector<Index> variables{};     ///< that it depends on, rising
  std::vector<SparseIndex> places{};  ///< of its derivatives in J, of one that is not affine
  bool expression_varies = false;     ///< with x

  [[nodiscard]] bool is_affine() const noexcept { return !expression_varies; }
};

/// What the callables of F share; it never changes.
struct NlMap {
  NlExpressions expressions;
  std::vector<NlComponent> components;
  Eigen::SparseMatrix<double> linear{};  ///< J of the linear terms, 0 where others are

  void value(ConstVectorRef x, VectorRef f) const {
    const std::vector<double> values = expressions.values(x);
    for (std::size_t j = 0; j < components.size(); ++j) {
      const NlComponent& component = components[j];
      double sum = -component.less;
      if (component.body.root >= 0) sum += values[static_cast<std::size_t>(component.body.root)];
      for (const NlTerm& term : component.body.linear) sum += term.factor * x[term.variable];
      f[static_cast<Index>(j)] = sum;
    }
  }

  /// The pattern of J with the linear terms, which no later call computes again.
  void find_pattern() {
    const auto n = static_cast<Index>(components.size());
    std::vector<Triplet> entries;
    for (std::size_t j = 0; j < components.size(); ++j) {
      for (const Index variable : components[j].variables) {
        entries.emplace_back(static_cast<SparseIndex>(j), static_cast<SparseIndex>(variable), 0.0);
      }
      for (const NlTerm& term : components[j].body.linear) {
        entries.emplace_back(static_cast<SparseIndex>(j), static_cast<SparseIndex>(term.variable), term.factor);
      }
    }
    linear.resize(n, n);
    linear.setFromTriplets(entries.begin(), entries.end());
    for (Index column = 0; column < n; ++column) {
      for (SparseIndex k = linear.outerIndexPtr()[column]; k < linear.outerIndexPtr()[column + 1]; ++k) {
        NlComponent& component = components[static_cast<std::size_t>(linear.innerIndexPtr()[k])];
        if (!component.is_affine()) component.places.push_back(k);  // columns rise, as its variables do
      }
    }
  }

  void jacobian(ConstVectorRef x, Eigen::SparseMatrix<double>& J) const {
    const std::vector<double> values = expressions.values(x);
    std::vector<double> adjoints(values.size(), 0.0), gradient(static_cast<std::size_t>(x.size()), 0.0);
    J = linear;
    for (const NlComponent& component : components) {
      if (component.is_affine()) continue;
      expressions.add_gradient(component.body.root, component.parts, values, adjoints, gradient);
      for (std::size_t k = 0; k < component.variables.size(); ++k) {
        J.valuePtr()[component.places[k]] +=
            std::exchange(gradient[static_cast<std::size_t>(component.variables[k])], 0.0);
      }
    }
  }
};

class NlProblem {
 public:
  NlProblem(NlFile file, std::string_view name) : file_(std::move(file)), name_(name) {}

  [[nodiscard]] ProblemFile make() {
    bool any_complements = false;
    for (const NlRange& range : file_.row_ranges) any_complements = any_complements || range.complements >= 0;
    ProblemFile result{.problem = {}, .format = FileFormat::Nl};
    if (any_complements) {
      if (!file_.objectives.empty()) fail("complementarity beside an objective", "one of them");
      result.problem = complementarity();
    } else if (file_.objectives.empty() && is_square_system()) {
      result.problem = complementarity();
    } else {
      program(result);
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
    throw FormatError(std::string(name_) + ": found " + found + ", expected " + expected);
  }

  [[nodiscard]] static bool is_free(const NlRange& range) { return std::isinf(range.lower) && std::isinf(range.upper); }
  [[nodiscard]] static bool is_equation(const NlRange& range) {
    return range.complements < 0 && range.lower == range.upper;
  }

  [[nodiscard]] bool is_square_system() const {
    if (static_cast<Index>(file_.rows.size()) != file_.num_variables) return false;
    for (std::size_t i = 0; i < file_.rows.size(); ++i) {
      if (!is_equation(file_.row_ranges[i]) || !is_free(file_.variable_ranges[i])) return false;
    }
    return true;
  }

  /// The row of each variable: the one that complements it, or of a free one the next equation.
  [[nodiscard]] std::vector<std::size_t> rows_of_variables() const {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> rows(static_cast<std::size_t>(file_.num_variables), none);
    std::vector<std::size_t> equations;
    for (std::size_t i = 0; i < file_.rows.size(); ++i) {
      const NlRange& range = file_.row_ranges[i];
      if (range.complements < 0) {
        if (!is_equation(range)) {
          fail("row " + std::to_string(i) + ", an inequality that complements nothing",
               "equations and rows that complement a variable");
        }
        equations.push_back(i);
        continue;
      }
      const NlRange& bounds = file_.variable_ranges[static_cast<std::size_t>(range.complements)];
      if (std::isfinite(bounds.lower) != range.has_lower || std::isfinite(bounds.upper) != range.has_upper) {
        fail("other bounds of variable " + std::to_string(range.complements) + " in segment b than in row " +
                 std::to_string(i) + " of segment r",
             "the same");
      }
      rows[static_cast<std::size_t>(range.complements)] = i;
    }
    std::size_t next = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (rows[j] != none) continue;
      if (!is_free(file_.variable_ranges[j])) {
        fail("bounds of variable " + std::to_string(j) + ", which no row complements", "a row that does");
      }
      if (next == equations.size()) fail("fewer equations than free variables", "as many");
      rows[j] = equations[next++];
    }
    if (next != equations.size()) fail("more equations than free variables", "as many");
    return rows;
  }

  /// What all rows together may have: more than the file's own nodes only where they share defined variables.
  [[nodiscard]] Index expansion_limit() const { return longest_expansion + 4 * file_.expressions.size(); }
  [[noreturn]] void fail_expansion(const std::string& what) const {
    fail(what + " whose parts and terms, with those before, are more than " + std::to_string(expansion_limit()),
         "fewer: products of shorter sums, fewer shared defined variables");
  }

  [[nodiscard]] mcp::Problem complementarity() {
    const Index n = file_.num_variables;
    Index left = expansion_limit();
    auto map = std::make_shared<NlMap>();
    for (const std::size_t row : rows_of_variables()) {
      NlComponent component{.body = std::move(file_.rows[row])};
      if (file_.row_ranges[row].complements < 0) component.less = file_.row_ranges[row].lower;
      if (component.body.root >= 0) component.parts = file_.expressions.parts_of(component.body.root);
      left -= static_cast<Index>(component.parts.size());
      if (left < 0) fail_expansion("row " + std::to_string(row));
      component.variables = file_.expressions.variables_of(component.parts);
      component.expression_varies = !component.variables.empty();
      for (const NlTerm& term : component.body.linear) component.variables.push_back(term.variable);
      std::sort(component.variables.begin(), component.variables.end());
      component.variables.erase(std::unique(component.variables.begin(), component.variables.end()),
                                component.variables.end());
      map->components.push_back(std::move(component));
    }
    map->expressions = std::move(file_.expressions);
    map->find_pattern();
    mcp::Problem problem{
        .F = {.num_unknowns = n,
              .num_values = n,
              .value = [map](ConstVectorRef x, VectorRef f) { map->value(x, f); },
              .jacobian = [map](ConstVectorRef x, Eigen::SparseMatrix<double>& J) { map->jacobian(x, J); }},
        .lower = Eigen::VectorXd(n),
        .upper = Eigen::VectorXd(n),
        .start = file_.start};
    for (std::size_t j = 0; j < map->components.size(); ++j) {
      if (map->components[j].is_affine()) problem.affine_rows.push_back(static_cast<Index>(j));
    }
    for (Index j = 0; j < n; ++j) {
      problem.lower[j] = file_.variable_ranges[static_cast<std::size_t>(j)].lower;
      problem.upper[j] = file_.variable_ranges[static_cast<std::size_t>(j)].upper;
    }
    return problem;
  }

  /// The expression and the linear terms of a body as a polynomial.
  [[nodiscard]] NlQuadratic polynomial(const NlBody& body, const std::string& what, Index& left) const {
    NlQuadratic sum;
    if (body.root >= 0) {
      int obstacle = 0;
      std::optional<NlQuadratic> expanded = file_.expressions.quadratic(body.root, left, obstacle);
      if (!expanded && obstacle == expansion_too_long) fail_expansion(what);
      if (!expanded) {
        fail(what + " with operator o" + std::to_string(obstacle) + " in a term that is not quadratic",
             "a quadratic objective and linear rows, or complementarity");
      }
      sum = std::move(*expanded);
    }
    for (const NlTerm& term : body.linear) sum.linear[term.variable] += term.factor;
    const auto finite = [](const auto& term) { return std::isfinite(term.second); };
    if (!std::isfinite(sum.constant) || !std::all_of(sum.linear.begin(), sum.linear.end(), finite) ||
        !std::all_of(sum.quadratic.begin(), sum.quadratic.end(), finite)) {
      fail(what + " with a factor that is not finite", "finite ones, no division by 0");
    }
    return sum;
  }

  void program(ProblemFile& result) const {
    const Index n = file_.num_variables, m = static_cast<Index>(file_.rows.size());
    Index left = expansion_limit();
    qp::SparseProblem problem{.Q = Eigen::SparseMatrix<double>(n, n),
                              .c = Eigen::VectorXd::Zero(n),
                              .A = Eigen::SparseMatrix<double>(m, m == 0 ? 0 : n),
                              .row_lower = Eigen::VectorXd(m),
                              .row_upper = Eigen::VectorXd(m),
                              .lower = Eigen::VectorXd(n),
                              .upper = Eigen::VectorXd(n)};
    if (!file_.objectives.empty()) {
      result.maximise = file_.maximised[0];
      const double sign = result.maximise ? -1.0 : 1.0;
      const NlQuadratic objective = polynomial(file_.objectives[0], "an objective", left);
      result.objective_constant = objective.constant;
      for (const auto& [j, value] : objective.linear) problem.c[j] = sign * value;
      std::vector<Triplet> entries;
      for (const auto& [ij, value] : objective.quadratic) {
        const auto i = static_cast<SparseIndex>(ij.first), j = static_cast<SparseIndex>(ij.second);
        entries.emplace_back(i, j, sign * (i == j ? 2.0 * value : value));
        if (i != j) entries.emplace_back(j, i, sign * value);
      }
      problem.Q.setFromTriplets(entries.begin(), entries.end());
    }
    std::vector<Triplet> entries;
    for (Index i = 0; i < m; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const NlQuadratic row = polynomial(file_.rows[k], "row " + std::to_string(i), left);
      if (!row.quadratic.empty()) fail("row " + std::to_string(i) + ", which is quadratic", "linear rows of a program");
      for (const auto& [j, value] : row.linear) {
        entries.emplace_back(static_cast<SparseIndex>(i), static_cast<SparseIndex>(j), value);
      }
      problem.row_lower[i] = file_.row_ranges[k].lower - row.constant;
      problem.row_upper[i] = file_.row_ranges[k].upper - row.constant;
    }
    problem.A.setFromTriplets(entries.begin(), entries.end());
    for (Index j = 0; j < n; ++j) {
      problem.lower[j] = file_.variable_ranges[static_cast<std::size_t>(j)].lower;
      problem.upper[j] = file_.variable_ranges[static_cast<std::size_t>(j)].upper;
    }
    result.problem = in_fitting_storage(std::move(problem));
  }

  NlFile file_;
  std::string_view name_;
};

}  // namespace

ProblemFile read_nl(std::string_view text, std::string_view name) {
  try {
    ProblemFile file = NlProblem(read_nl_file(text, name), name).make();
    std::visit([](const auto& problem) { problem.validate(); }, file.problem);
    return file;
  } catch (const InvalidArgument& error) {
    throw FormatError(std::string(name) + ": " + error.what());
  }
}

}  // namespace nonsmooth::problem_files
