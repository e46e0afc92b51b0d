// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes as AMPL's .nl. Either FormatError, or a valid problem, whose F and Jacobian, where it has
// them, can be asked for at its start.
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
  return 0;
}
