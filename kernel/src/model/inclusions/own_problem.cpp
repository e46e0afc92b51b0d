// SPDX-License-Identifier: Apache-2.0
#include "own_problem.hpp"

#include <cmath>
#include <sstream>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/vi/automatic.hpp>

namespace nonsmooth::processes {

vi::ConvexSet set_at(const std::string& who, const char* what, const ConvexSetData& data, double t, Index rows) {
  vi::ConvexSet set;
  if (data.constant()) {
    set = *data.constant();
  } else {
    guarded(who, what, [&] { set = (*data.function())(t); });
  }
  if (set.size() != rows) {
    throw CallableFailure{std::string(what) + " of " + who + " has " + std::to_string(set.size()) + " rows, not " +
                          std::to_string(rows)};
  }
  return set;
}

void check_set(const std::string& argument, const ConvexSetData& data, Index rows) {
  if (data.empty()) throw InvalidArgument(argument, "no set", "a vi::ConvexSet, or a function of t that gives one");
  try {
    static_cast<void>(set_at(argument, "the set at t = 0", data, 0.0, rows));
  } catch (const CallableFailure& failure) {
    throw InvalidArgument(argument, failure.detail, "a set of " + std::to_string(rows) + " rows");
  }
}

void fail_empty(const std::string& who, const char* what, double t, ConstVectorRef proof, bool proved, Index rows) {
  std::ostringstream text;
  text.precision(6);
  text << what << " of " << who << " has no point at t = " << t << " s";
  if (proved) {
    text << ", proved by y =";
    const double least = 1e-12 * proof.cwiseAbs().maxCoeff();
    int shown = 0;
    for (Index i = 0; i < proof.size(); ++i) {
      if (!(std::abs(proof[i]) > least)) continue;
      if (++shown > 6) {
        text << ", ...";
        break;
      }
      text << (shown == 1 ? " " : ", ") << proof[i] << " in row " << i;
    }
    text << " (ConvexSet::proves_empty)";
  } else {
    text << ", as its projection says, without a proof";
  }
  text << ".";
  throw ProcessFailure(text.str(), Status::Infeasible, rows);
}

OwnProblem solve(const std::string& who, const char* set, double t, const vi::Problem& problem, double tolerance,
                 const std::function<double(ConstVectorRef x)>& rounding, VectorRef x) {
  const Index m = x.size();
  vi::Result result;
  try {
    result = vi::solve(problem, vi::Automatic{.tolerance = tolerance, .start = x});
  } catch (const InvalidArgument& refusal) {
    throw CallableFailure{"the variational inequality of " + who + ": " + refusal.what()};
  }
  if (result.status == Status::Infeasible)
    fail_empty(who, set, t, result.proof, vi::proves_infeasible(problem, result.proof), m);
  OwnProblem solved{.rows = m, .iterations = result.iterations, .certificate = result.certificate};
  if (!result.ok()) {
    solved.at_round_off = result.x.size() == m && result.certificate.error <= rounding(result.x);
    if (!solved.at_round_off) {
      throw ProcessFailure("The variational inequality of " + who + ": " + result.message() + ".", result.status, m,
                           result.certificate);
    }
  }
  x = result.x;
  return solved;
}

}  // namespace nonsmooth::processes
