// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/limits.hpp>
#include <nonsmooth/numerics/status.hpp>

/// The registries of all families behind one door.
namespace nonsmooth::command {

/// Every class, in the order of its enumeration.
[[nodiscard]] const std::vector<ProblemClass>& all_classes();

/// The class of that name, whatever its case. @throws InvalidArgument listing the names, after `argument`.
[[nodiscard]] ProblemClass find_class(std::string_view argument, std::string_view name);

/// An algorithm as the solvers of a class are listed.
struct SolverLine {
  std::string_view name, description;
  bool dense = false, sparse = false;  ///< storages it takes
  Index max_rows = 0;                  ///< larger problems are refused; 0: no bound
};

/// The algorithms for a class, "automatic" first.
[[nodiscard]] std::vector<SolverLine> solvers_of(ProblemClass problem_class);

/// Characters of the longest name of an algorithm: how wide a column of them is.
[[nodiscard]] std::size_t longest_solver_name();

/// What a solver found, whatever the family.
struct Answer {
  Status status = Status::NotRun;
  bool at_round_off = false;  ///< as Result::at_round_off
  double residual = std::numeric_limits<double>::quiet_NaN();
  Index iterations = 0;
  std::string solver;        ///< the algorithm that gave the answer
  Index worst_row = -1;      ///< where the error is largest, counted from 0
  std::string_view reason;   ///< static text: why it stopped there
  double elapsed = 0.0;      ///< [s], as timed() measures
  Eigen::VectorXd primal;    ///< z; r; x; (u, v) of an mlcp
  Eigen::VectorXd dual;      ///< w; u; (A u + C v + a, w) of an mlcp: one a row; of a qp or an mpcc those of x's bounds
  Eigen::VectorXd proof;     ///< Status::Infeasible: one number a row; empty otherwise
  Eigen::VectorXd velocity;  ///< v of a global form, whose primal and dual are r and u; empty otherwise
  /// Of the constraints of programs A x, then s = h - G x or, of an mpcc, G x + g and H x + h, and their multipliers;
  /// empty otherwise.
  Eigen::VectorXd rows{}, multipliers{};
  Eigen::VectorXd direction{};  ///< along which the objective of a program falls without bound; empty otherwise
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of the objective of a program; NaN otherwise
  std::string_view stationarity{};                          ///< of an mpcc, as mpcc::to_string has it; empty otherwise

  /// As people read it: a program that Status calls Infeasible may be "unbounded".
  [[nodiscard]] std::string_view status_text() const noexcept {
    return direction.size() > 0 ? "unbounded" : to_string(status);
  }

  /// Status, residual, reason and what to try next, in the words of the command line.
  [[nodiscard]] std::string message() const;
};

/// Solves by the algorithm of that name (case, '-', '_' and ' ' do not matter).
/// @throws InvalidArgument listing the names for this problem; std::runtime_error where the algorithm refuses it.
[[nodiscard]] Answer solve(const AnyProblem& problem, std::string_view solver, const Limits& limits);

}  // namespace nonsmooth::command
