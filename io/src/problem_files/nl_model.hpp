// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

#include "nl_file.hpp"
#include "nl_maps.hpp"

namespace nonsmooth::problem_files {

/// A .nl file on its way to a problem: its bodies as polynomials or components, within what a file of its size may
/// expand to, and what is refused.
class NlModel {
 public:
  NlModel(NlFile file, std::string_view name);

  [[nodiscard]] const NlFile& file() const noexcept { return file_; }
  [[nodiscard]] Index num_variables() const noexcept { return file_.num_variables; }
  [[nodiscard]] const NlRange& range_of(Index variable) const {
    return file_.variable_ranges[static_cast<std::size_t>(variable)];
  }
  [[nodiscard]] Eigen::VectorXd lower() const;
  [[nodiscard]] Eigen::VectorXd upper() const;

  /// @throws FormatError "NAME: found ..., expected ...".
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

  /// The expression and the linear terms of a body. @throws FormatError where it is none, or factors are not finite.
  [[nodiscard]] NlQuadratic polynomial(const NlBody& body, const std::string& what);
  /// The same; nothing where it is none, or one that is too long. @throws FormatError where factors are not finite.
  [[nodiscard]] std::optional<NlQuadratic> polynomial_if_any(const NlBody& body, const std::string& what);
  /// `what` names it in a refusal.
  [[nodiscard]] NlComponent component(const NlBody& body, const std::string& what);
  /// Once its variables are known: linear terms may have come behind those of its body.
  static void find_variables(NlComponent& component);

  /// @throws FormatError where segments r and b say different things of the variable that the row complements.
  void check_complemented(std::size_t row) const;
  /// The expressions, once no polynomial and no component is asked for any more.
  [[nodiscard]] std::shared_ptr<const NlExpressions> take_expressions();

 private:
  [[nodiscard]] Index expansion_limit() const { return longest_expansion + 4 * num_nodes_; }
  [[noreturn]] void fail_expansion(const std::string& what) const;
  [[nodiscard]] std::optional<NlQuadratic> expanded(const NlBody& body, const std::string& what, int& obstacle);

  NlFile file_;
  std::string_view name_;
  Index num_nodes_, left_;
};

/// sign times the terms of degree 1 and 2, as c and Q of 1/2 x^T Q x + c^T x have them; shapes are those that come.
void set_quadratic(const NlQuadratic& objective, double sign, Eigen::SparseMatrix<double>& Q, Eigen::VectorXd& c);

/// @throws FormatError where rows and variables do not go together as each of these has it.
[[nodiscard]] mcp::Problem nl_complementarity(NlModel& model);
void read_nl_program(NlModel& model, ProblemFile& result);
void read_nl_mpcc(NlModel& model, ProblemFile& result);

}  // namespace nonsmooth::problem_files
