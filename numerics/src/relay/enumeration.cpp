// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/enumeration.hpp>

#include <algorithm>
#include <string>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
namespace {

enum class Exit : unsigned char { Exhausted, Stopped, IterationLimit, WorkLimit, TimeLimit };

/// Calls found(result) for each combination with a certified answer until it returns false. best: the best so far.
/// work: counted operations (multiply-adds, to a small factor) after which it gives up.
template <class Found>
Exit enumerate(const View& problem, const Enumeration& options, double work, Result& best, Index& tried,
               Found&& found) {
  const Index n = problem.q.size();
  const double rows = static_cast<double>(n);
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  std::vector<std::vector<detail::Place>> choices(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    std::vector<detail::Place>& choice = choices[static_cast<std::size_t>(i)];
    const bool fixed = problem.lower[i] == problem.upper[i];
    if (problem.lower[i] > -detail::infinity) choice.push_back(detail::Place::Lower);
    if (!fixed) choice.push_back(detail::Place::Between);
    if (!fixed && problem.upper[i] < detail::infinity) choice.push_back(detail::Place::Upper);
  }
  detail::Partition partition(problem);
  std::vector<std::size_t> digits(choices.size(), 0);
  detail::Places places(choices.size());
  Eigen::VectorXd z(n), w(n), scratch(n);
  const auto offer = [&](Eigen::VectorXd& candidate) {
    detail::clamp(problem, candidate);
    Certificate certificate = certify(problem, candidate, scratch);
    const bool good = detail::within(problem, options.tolerance, candidate, certificate);
    if (good || !(certificate.residual >= best.certificate.residual)) {
      best.z = candidate;
      best.w = scratch;
      best.certificate = certificate;
    }
    return good;
  };
  for (tried = 1;; ++tried) {
    for (std::size_t k = 0; k < choices.size(); ++k) places[k] = choices[k][digits[k]];
    const double between = static_cast<double>(std::count(places.begin(), places.end(), detail::Place::Between));
    work -= between * between * between / 3.0 + 4.0 * rows * rows;
    bool good = false;
    if (partition.solve(places, z, w)) {
      good = offer(z);
    } else if (deadline.passed()) {
      return Exit::TimeLimit;
    } else {
      work -= 4.0 * between * between * between;  // the orthogonal decomposition
      if (partition.solve_least(places, z, w)) {
        good = offer(z);
        if (!good) {
          work -= 64.0 * rows * rows * rows;  // some 4 n pivots in a dictionary of up to 4 n rows and columns
          good = detail::point_of(problem, places, deadline.remaining(), z) && offer(z);
        }
      }
    }
    if (good && !found(best)) return Exit::Stopped;
    std::size_t k = 0;
    while (k < digits.size() && ++digits[k] == choices[k].size()) digits[k++] = 0;
    if (k == digits.size()) return Exit::Exhausted;
    if (deadline.passed()) return Exit::TimeLimit;
    if (options.max_combinations > 0 && tried >= options.max_combinations) return Exit::IterationLimit;
    if (work < 0.0) return Exit::WorkLimit;
  }
}

void check_bases(const Problem& problem, const Enumeration& options) {
  problem.validate();
  options.validate();
  detail::check_num_bases("relay::Problem::M", detail::num_bases(detail::view(problem)), options.max_bases);
}

}  // namespace

void detail::check_num_bases(const std::string& argument, double bases, Index max_bases) {
  if (bases <= static_cast<double>(max_bases)) return;
  const std::string most = std::to_string(max_bases);
  throw InvalidArgument(argument, "more than " + most + " combinations of places", "at most " + most + " to enumerate");
}

void Enumeration::validate() const {
  check::positive("relay::Enumeration::tolerance", tolerance);
  check::at_least("relay::Enumeration::max_bases", max_bases, 1);
  check::at_least("relay::Enumeration::max_combinations", max_combinations, 0);
  nonsmooth::detail::check_time_limit("relay::Enumeration::time_limit", time_limit);
}

namespace {

void run(const View& view, const Enumeration& options, double work, Result& result) {
  const nonsmooth::detail::Deadline deadline(options.time_limit);
  result.solver = "enumeration";
  Index tried = 0;
  const Exit exit = enumerate(view, options, work, result, tried, [](const Result&) { return false; });
  const auto conclude = [&](Status otherwise, std::string_view reason) {
    detail::conclude(view, options.tolerance, result, otherwise, reason);
  };
  switch (exit) {
    case Exit::TimeLimit:
      conclude(Status::TimeLimit, "time_limit reached");
      break;
    case Exit::IterationLimit:
      conclude(Status::IterationLimit, "max_combinations reached");
      break;
    case Exit::WorkLimit:
      conclude(Status::Stalled, "the combinations tried so far do not solve it; all of them would take too long");
      break;
    case Exit::Stopped:
    case Exit::Exhausted:
      conclude(Status::Stalled, "no combination solves it (enumerated)");
      if (!result.ok()) detail::prove_infeasible(view, deadline.remaining(), result);
      break;
  }
  result.iterations = tried;
}

}  // namespace

void detail::enumerate(const View& problem, double tolerance, Index max_combinations, double work, double time_limit,
                       Result& result) {
  result = Result();
  Enumeration options;
  options.tolerance = tolerance;
  options.max_combinations = max_combinations;
  options.time_limit = time_limit;
  run(problem, options, work, result);
}

Result solve(const Problem& problem, const Enumeration& options) {
  check_bases(problem, options);
  Result result;
  run(detail::view(problem), options, detail::infinity, result);
  return result;
}

std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options, bool* complete) {
  check_bases(problem, options);
  std::vector<Result> all;
  Result best;
  Index tried = 0;
  const View view = detail::view(problem);
  const Exit exit = enumerate(view, options, detail::infinity, best, tried, [&](const Result& found) {
    for (const Result& known : all) {
      const double size = std::max(known.z.cwiseAbs().maxCoeff(), found.z.cwiseAbs().maxCoeff());
      if ((known.z - found.z).cwiseAbs().maxCoeff() <= 1e-8 * size) return true;
    }
    all.push_back(found);
    all.back().solver = "enumeration";
    detail::conclude(view, options.tolerance, all.back(), Status::Stalled, "");
    return true;
  });
  if (complete) *complete = exit == Exit::Exhausted;
  return all;
}

}  // namespace nonsmooth::relay
