// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/relay/enumeration.hpp>

#include <string>

#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"

namespace nonsmooth::relay {
namespace {

enum class Exit : unsigned char { Exhausted, Stopped, TimeLimit };

/// Calls found(result) for each combination with a certified answer until it returns false. best: the best so far.
template <class Found>
Exit enumerate(const View& problem, const Enumeration& options, Result& best, Index& tried, Found&& found) {
  const Index n = problem.q.size();
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
    bool good = false;
    if (partition.solve(places, z, w)) {
      good = offer(z);
    } else if (partition.solve_least(places, z, w)) {
      good = offer(z) || (detail::point_of(problem, places, deadline.remaining(), z) && offer(z));
    }
    if (good && !found(best)) return Exit::Stopped;
    std::size_t k = 0;
    while (k < digits.size() && ++digits[k] == choices[k].size()) digits[k++] = 0;
    if (k == digits.size()) return Exit::Exhausted;
    if (deadline.passed()) return Exit::TimeLimit;
  }
}

void check_bases(const Problem& problem, const Enumeration& options) {
  problem.validate();
  options.validate();
  const double bases = detail::num_bases(detail::view(problem));
  if (bases > static_cast<double>(options.max_bases)) {
    throw InvalidArgument("relay::Problem::M", std::to_string(bases) + " combinations of places",
                          "at most " + std::to_string(options.max_bases) + " for enumeration");
  }
}

}  // namespace

void Enumeration::validate() const {
  check::positive("relay::Enumeration::tolerance", tolerance);
  check::at_least("relay::Enumeration::max_bases", max_bases, 1);
  nonsmooth::detail::check_time_limit("relay::Enumeration::time_limit", time_limit);
}

namespace {

void run(const View& view, const Enumeration& options, Result& result) {
  result.solver = "enumeration";
  Index tried = 0;
  const Exit exit = enumerate(view, options, result, tried, [](const Result&) { return false; });
  if (exit == Exit::TimeLimit) {
    detail::conclude(view, options.tolerance, result, Status::TimeLimit, "time_limit reached");
  } else {
    detail::conclude(view, options.tolerance, result, Status::Stalled, "no combination solves it (enumerated)");
    if (exit == Exit::Exhausted && result.status != Status::Solved) {
      detail::prove_infeasible(view, options.time_limit, result);
    }
  }
  result.iterations = tried;
}

}  // namespace

void detail::enumerate(const View& problem, double tolerance, double time_limit, Result& result) {
  result = Result();
  Enumeration options;
  options.tolerance = tolerance;
  options.time_limit = time_limit;
  run(problem, options, result);
}

Result solve(const Problem& problem, const Enumeration& options) {
  check_bases(problem, options);
  Result result;
  run(detail::view(problem), options, result);
  return result;
}

std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options) {
  check_bases(problem, options);
  std::vector<Result> all;
  Result best;
  Index tried = 0;
  const View view = detail::view(problem);
  enumerate(view, options, best, tried, [&](const Result& found) {
    for (const Result& known : all) {
      const double size = std::max(known.z.cwiseAbs().maxCoeff(), found.z.cwiseAbs().maxCoeff());
      if ((known.z - found.z).cwiseAbs().maxCoeff() <= 1e-8 * size) return true;
    }
    all.push_back(found);
    all.back().solver = "enumeration";
    detail::conclude(view, options.tolerance, all.back(), Status::Stalled, "");
    return true;
  });
  return all;
}

}  // namespace nonsmooth::relay
