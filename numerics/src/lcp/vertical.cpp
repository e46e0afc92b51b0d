// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/vertical.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "internal.hpp"
#include "relative_rows.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::lcp::vertical {
namespace {

Eigen::MatrixXd absolute(const Eigen::MatrixXd& A) { return A.cwiseAbs(); }
Eigen::SparseMatrix<double> absolute(const Eigen::SparseMatrix<double>& A) { return A.cwiseAbs(); }

template <class Visit>
void each_entry(const Eigen::MatrixXd& A, Visit&& visit) {
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = 0; i < A.rows(); ++i) visit(i, j, A(i, j));
  }
}

template <class Visit>
void each_entry(const Eigen::SparseMatrix<double>& A, Visit&& visit) {
  for (Index j = 0; j < A.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(A, j); it; ++it) visit(it.row(), j, it.value());
  }
}

template <class P>
void validate_any(const P& problem) {
  const Index m = problem.N.rows();
  const Index n = problem.N.cols();
  if (n < 1) throw InvalidArgument("lcp::vertical::Problem::N", "an empty matrix", "at least one column");
  check::size("lcp::vertical::Problem::q", problem.q.size(), m, "one a row of N");
  check::size("lcp::vertical::Problem::first", static_cast<Index>(problem.first.size()), n + 1,
              "one a column of N and the end");
  Index before = 0;
  for (std::size_t j = 0; j < problem.first.size(); ++j) {
    const Index at = problem.first[j];
    const bool last = j + 1 == problem.first.size();
    if ((j == 0 && at != 0) || (j > 0 && at <= before) || (last && at != m)) {
      throw InvalidArgument("lcp::vertical::Problem::first", std::to_string(at) + " in entry " + std::to_string(j),
                            "increasing offsets from 0 to " + std::to_string(m) + ", the number of rows of N");
    }
    before = at;
  }
  each_entry(problem.N, [](Index i, Index j, double value) {
    if (std::isfinite(value)) return;
    throw InvalidArgument("lcp::vertical::Problem::N",
                          std::to_string(value) + " in entry (" + std::to_string(i) + ", " + std::to_string(j) + ")",
                          "finite entries");
  });
  check::finite("lcp::vertical::Problem::q", ConstVectorRef(problem.q));
}

/// The group of every row.
template <class P>
std::vector<Index> groups_of(const P& problem) {
  std::vector<Index> group(static_cast<std::size_t>(problem.q.size()));
  for (std::size_t j = 0; j + 1 < problem.first.size(); ++j) {
    for (Index i = problem.first[j]; i < problem.first[j + 1]; ++i) {
      group[static_cast<std::size_t>(i)] = static_cast<Index>(j);
    }
  }
  return group;
}

/// Calls entry(i, j, value) for every entry of the LCP's matrix, entries of the same place to be added up.
template <class P, class Entry>
void assemble(const P& problem, Entry&& entry, Eigen::VectorXd& q) {
  const std::vector<Index> group = groups_of(problem);
  const auto begin = [&](Index j) { return problem.first[static_cast<std::size_t>(j)]; };
  const auto end = [&](Index j) { return problem.first[static_cast<std::size_t>(j) + 1]; };
  each_entry(problem.N, [&](Index i, Index j, double value) {
    if (value == 0.0) return;
    const Index k = group[static_cast<std::size_t>(i)];
    entry(i, begin(j), value);
    if (i != begin(k)) return;
    for (Index l = i + 1; l < end(k); ++l) entry(l, begin(j), -value);
  });
  q = problem.q;
  for (Index j = 0; j < problem.N.cols(); ++j) {
    for (Index l = begin(j) + 1; l < end(j); ++l) {
      q[l] -= problem.q[begin(j)];
      entry(begin(j), l, -1.0);
      for (Index i = begin(j) + 1; i <= l; ++i) entry(l, i, 1.0);
    }
  }
}

template <class P>
Certificate certify_any(const P& problem, ConstVectorRef z, VectorRef w, double floor) {
  const Index n = problem.N.cols();
  check::size("lcp::vertical::certify: z", z.size(), n, "one a column of N");
  check::size("lcp::vertical::certify: w", w.size(), problem.q.size(), "one a row of N");
  w = problem.q;
  w.noalias() += problem.N * z;
  const Eigen::VectorXd terms = absolute(problem.N) * z.cwiseAbs() + problem.q.cwiseAbs();
  Eigen::VectorXd own = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(n);
  const std::vector<Index> group = groups_of(problem);
  each_entry(problem.N, [&](Index i, Index j, double value) {
    const Index k = group[static_cast<std::size_t>(i)];
    largest[k] = std::max(largest[k], std::abs(value));
    if (k == j) own[k] = std::max(own[k], value);
  });
  Certificate certificate;
  certificate.error = 0.0;
  nonsmooth::detail::RelativeRows relative;
  for (Index j = 0; j < n; ++j) {
    const double s = own[j] > 0.0 ? own[j] : (largest[j] > 0.0 ? largest[j] : 1.0);
    double least = s * z[j];
    const Index begin = problem.first[static_cast<std::size_t>(j)],
                end = problem.first[static_cast<std::size_t>(j) + 1];
    double least_terms = terms.segment(begin, end - begin).minCoeff();  // z_j is as exact as every row of its group
    for (Index i = begin; i < end; ++i) {
      if (w[i] < 0.0) relative.add(j, w[i], terms[i]);
      if (!std::isnan(w[i]) && !(w[i] < least)) continue;  // once NaN it stays NaN
      least = w[i];
      least_terms = terms[i];
    }
    relative.add(j, least, least_terms);
    const double error = std::abs(least);
    if (!(error <= certificate.error) && !std::isnan(certificate.error)) {
      certificate.error = error;
      certificate.worst_row = j;
    }
    if (certificate.worst_row < 0) certificate.worst_row = j;
  }
  relative.tell(certificate);
  certificate.round_off = 64.0 * eps * terms.maxCoeff();
  certificate.scale = std::max(problem.q.cwiseAbs().maxCoeff(), floor < 0.0 ? certificate.round_off : floor);
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  if (std::isinf(certificate.scale)) certificate.residual = std::numeric_limits<double>::quiet_NaN();
  return certificate;
}

template <class P>
bool proves_any(const P& problem, ConstVectorRef y, double tolerance) {
  if (tolerance < 0.0) tolerance = 64.0 * static_cast<double>(y.size()) * eps;
  if (y.size() != problem.q.size() || !y.allFinite() || y.minCoeff() < 0.0) return false;
  if (!(problem.q.dot(y) < -tolerance * problem.q.cwiseAbs().dot(y))) return false;
  const Eigen::VectorXd sums = problem.N.transpose() * y;
  const Eigen::VectorXd terms = absolute(problem.N).transpose() * y;
  for (Index j = 0; j < sums.size(); ++j) {
    if (!(sums[j] <= tolerance * terms[j])) return false;
  }
  return true;
}

template <class P>
Result recover_any(const P& problem, const lcp::Result& reduced, double tolerance) {
  check::size("lcp::vertical::recover: reduced.z", reduced.z.size(), problem.q.size(), "one a row of N");
  const Index n = problem.N.cols();
  Result result;
  result.z.resize(n);
  result.w.resize(problem.q.size());
  for (Index j = 0; j < n; ++j) {
    result.z[j] = std::max(0.0, reduced.z[problem.first[static_cast<std::size_t>(j)]]);
  }
  result.iterations = reduced.iterations;
  result.solver = reduced.solver;
  result.reason = reduced.reason;
  result.status = reduced.status;
  result.certificate = certify_any(problem, result.z, result.w, -1.0);
  if (lcp::detail::vouched(problem.q, tolerance, result.certificate)) {
    result.status = Status::Solved;
    result.reason = "the certificate is at or below the tolerance";
  } else if (reduced.status == Status::Solved) {
    result.status = Status::Stalled;
    result.reason = reduced.at_round_off ? nonsmooth::detail::solved_at_round_off
                                         : "the reduced problem is solved, the vertical one is not to the tolerance";
  } else if (reduced.status == Status::Infeasible) {
    result.status = Status::Stalled;
    result.reason = "the reduced problem is infeasible; its proof does not carry over to the tolerance";
    // Row z_j of the LCP is a_1 - sum p, row l is a_l - a_1 + sum p: y by rows of N.
    Eigen::VectorXd y = reduced.proof;
    for (Index j = 0; j < n; ++j) {
      const Index begin = problem.first[static_cast<std::size_t>(j)];
      for (Index l = begin + 1; l < problem.first[static_cast<std::size_t>(j) + 1]; ++l) y[begin] -= reduced.proof[l];
    }
    const double zero = 1e-12 * y.cwiseAbs().maxCoeff();
    for (Index i = 0; i < y.size(); ++i) {
      if (std::abs(y[i]) <= zero) y[i] = 0.0;
    }
    if (proves_any(problem, y, -1.0)) {
      result.status = Status::Infeasible;
      result.reason = reduced.reason;
      result.proof = y;
    }
  }
  nonsmooth::detail::tell_round_off(false, result);
  return result;
}

template <class P>
Result solve_any(const P& problem, const Solver& solver, const Limits& limits) {
  limits.validate();
  return recover_any(problem, solver.solve(to_lcp(problem), limits), limits.tolerance);
}

}  // namespace

void Problem::validate() const { validate_any(*this); }
void SparseProblem::validate() const { validate_any(*this); }

lcp::Problem to_lcp(const Problem& problem) {
  problem.validate();
  lcp::Problem lcp;
  const Index m = problem.q.size();
  lcp.M.setZero(m, m);
  assemble(
      problem, [&](Index i, Index j, double value) { lcp.M(i, j) += value; }, lcp.q);
  return lcp;
}

lcp::SparseProblem to_lcp(const SparseProblem& problem) {
  problem.validate();
  lcp::SparseProblem lcp;
  const Index m = problem.q.size();
  std::vector<Eigen::Triplet<double>> entries;
  assemble(
      problem,
      [&](Index i, Index j, double value) { entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value); },
      lcp.q);
  lcp.M.resize(m, m);
  lcp.M.setFromTriplets(entries.begin(), entries.end());
  return lcp;
}

Certificate certify(const Problem& problem, ConstVectorRef z, VectorRef w, double floor) {
  return certify_any(problem, z, w, floor);
}
Certificate certify(const SparseProblem& problem, ConstVectorRef z, VectorRef w, double floor) {
  return certify_any(problem, z, w, floor);
}

bool proves_infeasible(const Problem& problem, ConstVectorRef y, double tolerance) {
  return proves_any(problem, y, tolerance);
}
bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance) {
  return proves_any(problem, y, tolerance);
}

Result recover(const Problem& problem, const lcp::Result& reduced, double tolerance) {
  return recover_any(problem, reduced, tolerance);
}
Result recover(const SparseProblem& problem, const lcp::Result& reduced, double tolerance) {
  return recover_any(problem, reduced, tolerance);
}

Result solve(const Problem& problem, const Solver& solver, const Limits& limits) {
  return solve_any(problem, solver, limits);
}
Result solve(const SparseProblem& problem, const Solver& solver, const Limits& limits) {
  return solve_any(problem, solver, limits);
}
Result solve(const Problem& problem, const Limits& limits) { return solve(problem, find("automatic").solver, limits); }
Result solve(const SparseProblem& problem, const Limits& limits) {
  return solve(problem, find("automatic").solver, limits);
}

}  // namespace nonsmooth::lcp::vertical
