// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/numerics/lcp/horizontal.hpp>

#include <algorithm>
#include <cmath>

#include <internal/check.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>

#include "internal.hpp"
#include "relative_rows.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::lcp::horizontal {
namespace {

/// Below it a representative counts as singular: its inverse would take more digits than the tolerance leaves.
constexpr double least_condition = 1e-12;

double length_of(const Eigen::MatrixXd& A, Index column) {
  const double largest = A.col(column).cwiseAbs().maxCoeff();
  return largest > 0.0 ? largest : 1.0;
}

/// The representative of `exchanged` with its factors; false if singular.
bool factorize(const Problem& problem, Reduction& reduction, DenseFactorization& factors) {
  const Index n = problem.q.size();
  reduction.R = problem.N;
  for (Index i = 0; i < n; ++i) {
    if (reduction.exchanged[static_cast<std::size_t>(i)]) reduction.R.col(i) = -problem.M.col(i);
  }
  // Columns in units of their own: conditioning is a matter of their directions.
  Eigen::MatrixXd scaled = reduction.R;
  for (Index i = 0; i < n; ++i) scaled.col(i) /= length_of(reduction.R, i);
  if (!factors.factorize(scaled) || !(factors.reciprocal_condition() > least_condition)) return false;
  return factors.factorize(reduction.R);
}

/// Of all pairs not yet served the column farthest from the span of those chosen; false where nothing is left of all.
bool choose(const Problem& problem, std::vector<bool>& exchanged) {
  const Index n = problem.q.size();
  Eigen::MatrixXd N = problem.N;
  Eigen::MatrixXd M = problem.M;
  for (Index i = 0; i < n; ++i) {
    N.col(i) /= length_of(N, i);
    M.col(i) /= length_of(M, i);
  }
  std::vector<bool> served(static_cast<std::size_t>(n), false);
  for (Index step = 0; step < n; ++step) {
    Index best = -1;
    double longest = 1e-12;
    bool of_M = false;
    for (Index i = 0; i < n; ++i) {
      if (served[static_cast<std::size_t>(i)]) continue;
      const double from_N = N.col(i).norm();
      const double from_M = M.col(i).norm();
      if (from_N > longest) {  // N is preferred at equal length: w stays basic
        longest = from_N;
        best = i;
        of_M = false;
      }
      if (from_M > longest) {
        longest = from_M;
        best = i;
        of_M = true;
      }
    }
    if (best < 0) return false;
    served[static_cast<std::size_t>(best)] = true;
    exchanged[static_cast<std::size_t>(best)] = of_M;
    const Eigen::VectorXd direction = (of_M ? M : N).col(best).normalized();
    for (int pass = 0; pass < 2; ++pass) {  // twice: the first leaves round-off along the direction
      N -= direction * (direction.transpose() * N).eval();
      M -= direction * (direction.transpose() * M).eval();
    }
  }
  return true;
}

}  // namespace

void Problem::validate() const {
  if (N.rows() < 1) throw InvalidArgument("lcp::horizontal::Problem::N", "an empty matrix", "at least one row");
  check::shape("lcp::horizontal::Problem::N", N.rows(), N.cols(), N.rows(), N.rows());
  check::shape("lcp::horizontal::Problem::M", M.rows(), M.cols(), N.rows(), N.rows());
  check::size("lcp::horizontal::Problem::q", q.size(), N.rows(), "one a row of N");
  check::finite("lcp::horizontal::Problem::N", ConstMatrixRef(N));
  check::finite("lcp::horizontal::Problem::M", ConstMatrixRef(M));
  check::finite("lcp::horizontal::Problem::q", ConstVectorRef(q));
}

std::optional<Reduction> reduce(const Problem& problem) {
  problem.validate();
  const Index n = problem.q.size();
  Reduction reduction;
  reduction.exchanged.assign(static_cast<std::size_t>(n), false);
  DenseFactorization factors;
  if (!factorize(problem, reduction, factors)) {
    if (!choose(problem, reduction.exchanged) || !factorize(problem, reduction, factors)) return std::nullopt;
  }
  reduction.lcp.M = problem.M;
  for (Index i = 0; i < n; ++i) {
    if (reduction.exchanged[static_cast<std::size_t>(i)]) reduction.lcp.M.col(i) = -problem.N.col(i);
  }
  reduction.lcp.q = problem.q;
  factors.solve_in_place(reduction.lcp.M);
  factors.solve_in_place(reduction.lcp.q);
  if (!reduction.lcp.M.allFinite() || !reduction.lcp.q.allFinite()) return std::nullopt;
  return reduction;
}

Certificate certify(const Problem& problem, ConstVectorRef z, ConstVectorRef w, double floor) {
  const Index n = problem.q.size();
  check::size("lcp::horizontal::certify: z", z.size(), n, "one a row of M");
  check::size("lcp::horizontal::certify: w", w.size(), n, "one a row of M");
  const Eigen::VectorXd rows = problem.N * w - problem.M * z - problem.q;
  const Eigen::VectorXd terms =
      problem.N.cwiseAbs() * w.cwiseAbs() + problem.M.cwiseAbs() * z.cwiseAbs() + problem.q.cwiseAbs();
  Certificate certificate;
  certificate.error = 0.0;
  nonsmooth::detail::RelativeRows relative;
  for (Index i = 0; i < n; ++i) {
    relative.add(i, rows[i], terms[i]);
    const double a = length_of(problem.M, i) * z[i];
    const double b = length_of(problem.N, i) * w[i];
    const double complementarity = std::isnan(a) ? a : (a < b ? a : b);
    for (const double error : {std::abs(rows[i]), std::abs(complementarity)}) {
      if (error <= certificate.error || std::isnan(certificate.error)) continue;  // a NaN is the worst and stays
      certificate.error = error;
      certificate.worst_row = i;
    }
    if (certificate.worst_row < 0) certificate.worst_row = i;
    // What the smaller of the pair puts into each row: 0 in its place would leave as much there.
    if (complementarity == 0.0) continue;
    const bool of_z = !(b < a);
    for (Index j = 0; j < n; ++j) relative.add(j, of_z ? problem.M(j, i) * z[i] : problem.N(j, i) * w[i], terms[j]);
  }
  relative.tell(certificate);
  certificate.round_off = 64.0 * eps * terms.maxCoeff();
  certificate.scale = std::max(problem.q.cwiseAbs().maxCoeff(), floor < 0.0 ? certificate.round_off : floor);
  certificate.residual = certificate.error == 0.0 ? 0.0 : certificate.error / certificate.scale;
  if (std::isinf(certificate.scale)) certificate.residual = std::numeric_limits<double>::quiet_NaN();
  return certificate;
}

bool proves_infeasible(const Problem& problem, ConstVectorRef u, double tolerance) {
  if (tolerance < 0.0) tolerance = 64.0 * static_cast<double>(u.size()) * eps;
  if (u.size() != problem.q.size() || !u.allFinite()) return false;
  const Eigen::VectorXd size = u.cwiseAbs();
  if (!(problem.q.dot(u) < -tolerance * problem.q.cwiseAbs().dot(size))) return false;
  const Eigen::VectorXd of_N = problem.N.transpose() * u;
  const Eigen::VectorXd of_M = problem.M.transpose() * u;
  const Eigen::VectorXd terms_N = problem.N.cwiseAbs().transpose() * size;
  const Eigen::VectorXd terms_M = problem.M.cwiseAbs().transpose() * size;
  for (Index j = 0; j < u.size(); ++j) {
    if (!(of_N[j] >= -tolerance * terms_N[j]) || !(of_M[j] <= tolerance * terms_M[j])) return false;
  }
  return true;
}

Result recover(const Problem& problem, const Reduction& reduction, const lcp::Result& reduced, double tolerance) {
  const Index n = problem.q.size();
  check::size("lcp::horizontal::recover: reduced.z", reduced.z.size(), n, "one a row of M");
  Result result;
  result.z = reduced.z;
  // x of the reduced problem, its round-off below zero removed.
  result.w = (reduction.lcp.M * reduced.z + reduction.lcp.q).cwiseMax(0.0);
  for (Index i = 0; i < n; ++i) {
    if (result.z[i] > 0.0 && reduced.status == Status::Solved) {
      // Complementary up to the tolerance: the smaller of the two is what the certificate measures.
      const double s = length_of(reduction.R, i);
      if (s * result.w[i] <= tolerance * problem.q.cwiseAbs().maxCoeff()) result.w[i] = 0.0;
    }
    if (reduction.exchanged[static_cast<std::size_t>(i)]) std::swap(result.z[i], result.w[i]);
  }
  result.iterations = reduced.iterations;
  result.solver = reduced.solver;
  result.reason = reduced.reason;
  result.status = reduced.status;
  result.certificate = certify(problem, result.z, result.w);
  if (lcp::detail::vouched(problem.q, tolerance, result.certificate)) {
    result.status = Status::Solved;
    result.reason = "the certificate is at or below the tolerance";
  } else if (reduced.status == Status::Solved) {
    result.status = Status::Stalled;
    result.reason =
        reduced.at_round_off
            ? nonsmooth::detail::solved_at_round_off
            : "the reduced problem is solved, the horizontal one is not to the tolerance: R is ill-conditioned";
  } else if (reduced.status == Status::Infeasible) {
    DenseFactorization factors;
    Eigen::VectorXd u = reduced.proof;
    result.status = Status::Stalled;
    result.reason = "the reduced problem is infeasible; its proof does not carry over to the tolerance";
    if (factors.factorize(reduction.R)) {
      factors.solve_transposed_in_place(u);
      if (proves_infeasible(problem, u)) {
        result.status = Status::Infeasible;
        result.reason = reduced.reason;
        result.proof = u;
      }
    }
  }
  nonsmooth::detail::tell_round_off(false, result);
  return result;
}

Result solve(const Problem& problem, const Solver& solver, const Limits& limits) {
  limits.validate();
  const std::optional<Reduction> reduction = reduce(problem);
  if (reduction) return recover(problem, *reduction, solver.solve(reduction->lcp, limits), limits.tolerance);
  Result result;
  result.z.setZero(problem.q.size());
  result.w.setZero(problem.q.size());
  result.certificate = certify(problem, result.z, result.w);
  const bool zero = lcp::detail::vouched(problem.q, limits.tolerance, result.certificate);
  result.status = zero ? Status::Solved : Status::Stalled;
  result.solver = "reduction";
  result.reason = zero ? "zero solves it" : "no nonsingular choice of one column of each pair was found";
  return result;
}

Result solve(const Problem& problem, const Limits& limits) { return solve(problem, find("automatic").solver, limits); }

}  // namespace nonsmooth::lcp::horizontal
