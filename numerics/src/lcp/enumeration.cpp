// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/enumeration.hpp>

#include <cstdint>
#include <string>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>

#include "principal.hpp"

namespace nonsmooth::lcp {
namespace {

/// Calls found(result) for each basis with a certified answer until it returns false; the number of bases tried.
template <class Found>
Index enumerate(const Problem& problem, const Enumeration& options, Result& best, Found&& found) {
  const Index n = problem.q.size();
  const View view = detail::view(problem);
  detail::DensePrincipal principal(view);
  std::vector<Index> rows;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd w(n);
  Eigen::VectorXd scratch(n);
  const std::uint64_t count = std::uint64_t{1} << n;
  for (std::uint64_t key = 0; key < count; ++key) {
    rows.clear();
    for (Index i = 0; i < n; ++i) {
      if ((key >> i) & 1U) rows.push_back(i);
    }
    if (!principal.solve(rows, z, w)) continue;
    z = z.cwiseMax(0.0);
    const Certificate certificate = certify(view, z, scratch);
    if (!(certificate.residual < best.certificate.residual) && !(certificate.residual <= options.tolerance) &&
        best.z.size() == n) {
      continue;
    }
    best.z = z;
    best.w = scratch;
    best.certificate = certificate;
    if (detail::within(view, options.tolerance, best.z, best.certificate) && !found(best))
      return static_cast<Index>(key) + 1;
  }
  return static_cast<Index>(count);
}

void check_rows(const Problem& problem, const Enumeration& options) {
  problem.validate();
  options.validate();
  if (problem.q.size() > options.max_rows) {
    throw InvalidArgument("lcp::Problem::M", std::to_string(problem.q.size()) + " rows",
                          "at most " + std::to_string(options.max_rows) + " rows for enumeration");
  }
}

}  // namespace

void Enumeration::validate() const {
  check::positive("lcp::Enumeration::tolerance", tolerance);
  check::range("lcp::Enumeration::max_rows", static_cast<double>(max_rows), 1.0, 30.0);
}

Result solve(const Problem& problem, const Enumeration& options) {
  check_rows(problem, options);
  Result result;
  bool success = false;
  const Index tried = enumerate(problem, options, result, [&](const Result&) {
    success = true;
    return false;
  });
  detail::conclude(detail::view(problem), options.tolerance, result, Status::Stalled,
                   "no complementary basis solves it (enumerated)");
  if (!success) {
    Lemke lemke;
    lemke.tolerance = options.tolerance;
    const Result other = solve(problem, lemke);
    if (other.status == Status::Infeasible) {
      result.status = Status::Infeasible;
      result.reason = other.reason;
      result.proof = other.proof;
    }
  }
  result.solver = "enumeration";
  result.iterations = tried;
  return result;
}

std::vector<Result> all_solutions(const Problem& problem, const Enumeration& options) {
  check_rows(problem, options);
  std::vector<Result> all;
  Result best;
  enumerate(problem, options, best, [&](const Result& found) {
    for (const Result& known : all) {
      const double size = std::max(known.z.cwiseAbs().maxCoeff(), found.z.cwiseAbs().maxCoeff());
      if ((known.z - found.z).cwiseAbs().maxCoeff() <= 1e-8 * size) return true;
    }
    all.push_back(found);
    all.back().solver = "enumeration";
    detail::conclude(detail::view(problem), options.tolerance, all.back(), Status::Stalled, "");
    return true;
  });
  return all;
}

}  // namespace nonsmooth::lcp
