// SPDX-License-Identifier: Apache-2.0
#include "nonlinear_programs.hpp"

namespace nonsmooth::command {

mpcc::NonlinearResult NonlinearProgramSolver::solve(const NonlinearMpcc& problem, const Limits& limits) const {
  limits.validate();
  mpcc::NonlinearRelaxation options{
      .tolerance = limits.tolerance, .start = problem.start, .time_limit = limits.time_limit};
  if (limits.max_iterations > 0) options.max_steps = limits.max_iterations;
  mpcc::NonlinearResult result = mpcc::solve(problem.program, options);
  if (result.status != Status::Solved || result.at_round_off) return result;
  result.certificate = mpcc::certify(problem.program, result.x, result.y, result.u, result.v, result.s);
  if (result.certificate.residual <= limits.tolerance) return result;
  result.status = Status::Stalled;
  result.stationarity = mpcc::Stationarity::None;
  return result;
}

const std::vector<NonlinearProgramEntry>& nonlinear_programs() {
  static const std::vector<NonlinearProgramEntry> entries{{"automatic", {}}, {"relaxation", {}}};
  return entries;
}

}  // namespace nonsmooth::command
