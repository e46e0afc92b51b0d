// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

#include <algorithm>
#include <sstream>

#include "solved_to_round_off.hpp"

namespace nonsmooth::detail {
namespace {

std::string_view next_step(Status status, const Advice& advice) {
  switch (status) {
    case Status::IterationLimit:
      return "raise the limit, or try another solver of the registry";
    case Status::TimeLimit:
      return "raise the limit";
    case Status::Stalled:
      return advice.stalled;
    case Status::Infeasible:
      return advice.infeasible;
    case Status::NumericalFailure:
      return advice.numerical_failure;
    case Status::NotRun:
    case Status::Solved:
      break;
  }
  return {};
}

}  // namespace

std::string message(const Outcome& outcome, const Advice& advice) {
  std::ostringstream out;
  out.precision(3);
  out << to_string(outcome.status);
  if (!outcome.solver.empty()) {
    out << " by " << outcome.solver << " after " << outcome.iterations
        << (outcome.iterations == 1 ? " iteration" : " iterations");
  }
  if (outcome.status == Status::NotRun) return out.str();
  const Certificate& certificate = outcome.certificate;
  out << ": residual " << certificate.residual;
  // Rows that differ by decades: what is small beside the largest may be all that a row has.
  if (certificate.row_residual > std::max(1e-6, 1e3 * certificate.residual))
    out << ", row " << certificate.worst_relative_row << " off by " << certificate.row_residual << " of its own terms";
  // More iterations, or another solver, won't do better either.
  if (outcome.at_round_off) out << "; " << solved_at_round_off;
  if (outcome.at_round_off || outcome.status == Status::Solved) return out.str();
  if (certificate.worst_row >= 0) out << ", worst in row " << certificate.worst_row;
  for (const std::string_view part : {outcome.reason, next_step(outcome.status, advice)}) {
    if (!part.empty()) out << "; " << part;
  }
  return out.str();
}

}  // namespace nonsmooth::detail
