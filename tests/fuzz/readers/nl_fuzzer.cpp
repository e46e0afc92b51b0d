// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as AMPL's .nl. Either FormatError, or a valid problem, whose values and slopes, where
// they are code, can be asked for at its start, as second derivatives can.
#include <cstdint>
#include <string_view>

#include <nonsmooth/io/problem_file.hpp>

#include "../../../io/src/problem_files/nl.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nonsmooth;
  ProblemFile file;
  try {
    file = problem_files::read_nl({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const FormatError&) {
    return 0;
  }
  std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  if (const auto* const problem = std::get_if<mcp::Problem>(&file.problem)) {
    const Index n = problem->size();
    const Eigen::VectorXd x = problem->start.size() > 0 ? problem->start : Eigen::VectorXd::Zero(n).eval();
    Eigen::VectorXd f(n);
    Eigen::SparseMatrix<double> J(n, n);
    static_cast<void>(evaluate(problem->F, x, f));
    static_cast<void>(evaluate_jacobian(problem->F, x, f, problem->lower, problem->upper, J));
  }
  if (const auto* const problem = std::get_if<NonlinearMpcc>(&file.problem)) {
    const mpcc::NonlinearProblem& program = problem->program;
    const Index n = problem->num_unknowns();
    const Eigen::VectorXd x = problem->start.size() > 0 ? problem->start : Eigen::VectorXd::Zero(n).eval();
    for (const NonlinearMap* const map : {&program.f, &program.c, &program.G, &program.H}) {
      if (map->num_values == 0) continue;
      Eigen::VectorXd values(map->num_values);
      Eigen::SparseMatrix<double> J(map->num_values, n);
      static_cast<void>(evaluate(*map, x, values));
      static_cast<void>(evaluate_jacobian(*map, x, values, program.lower, program.upper, J));
    }
    Eigen::SparseMatrix<double> L(n, n);
    const Eigen::VectorXd u = Eigen::VectorXd::Ones(problem->num_pairs());
    program.hessian(x, Eigen::VectorXd::Ones(problem->num_rows()), u, u, L);
  }
  return 0;
}
