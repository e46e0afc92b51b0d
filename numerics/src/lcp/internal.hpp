// SPDX-License-Identifier: Apache-2.0
// What the LCP solvers share; not installed.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <internal/deadline.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/limits.hpp>

#include "end_infeasible.hpp"
#include "keep_better.hpp"
#include "linear_algebra/dense_lu.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::lcp::detail {

/// s_i of the certificate for every row.
void row_scales(const View& problem, VectorRef s);
void row_scales(const SparseProblem& problem, VectorRef s);

inline View view(const Problem& problem) { return View{problem.M, problem.q}; }
inline const SparseProblem& view(const SparseProblem& problem) { return problem; }

/// Turns an open result Solved where its errors are the rounding of its own terms (../solved_to_round_off.hpp).
inline void tell_round_off(Result& result) { nonsmooth::detail::tell_round_off(false, result); }

/// True if the certificate allows Solved. Where the rounding of w alone (eps |M||z|, a 64th of round_off) could hide
/// more than the tolerance, the error is taken anew in extended precision: luck in double precision proves nothing.
bool within(const View& problem, double tolerance, ConstVectorRef z, Certificate& certificate);
bool within(const SparseProblem& problem, double tolerance, ConstVectorRef z, Certificate& certificate);

/// Certifies result.z, which came from the factors of a basis. True if it is right to round-off.
[[nodiscard]] inline bool right_to_round_off(const View& problem, double tolerance, Result& result) {
  result.certificate = certify(problem, result.z, result.w);
  return result.certificate.error <= result.certificate.round_off &&
         within(problem, tolerance, result.z, result.certificate);
}

/// What a sum of n terms in extended precision (64 bits) may lose, given the round_off of a certificate: n 2^-64 of the
/// size of its terms.
[[nodiscard]] inline double extended_rounding(Index n, const Certificate& certificate) {
  return static_cast<double>(n) * 0x1p-64 * certificate.round_off / (64.0 * eps);
}

/// For the forms that have no check in extended precision: the certificate allows Solved, its scale is that of the
/// data, and the rounding of the sums could not hide more than the tolerance.
[[nodiscard]] inline bool vouched(ConstVectorRef q, double tolerance, const Certificate& certificate) {
  const double data = q.cwiseAbs().maxCoeff();
  return certificate.residual <= tolerance && (certificate.error == 0.0 || certificate.error <= tolerance * data) &&
         certificate.round_off / 64.0 <= tolerance * data;
}

/// True if y, or y moved by less than 1e-6 of itself towards the kernel of the columns of M^T y that are nearly zero,
/// proves infeasibility (proves_infeasible with its default tolerance); y is then that proof. A ray carries the
/// rounding of the factors it came from, which a proof must not. Cost: one orthogonal decomposition, of 400 rows at
/// most.
[[nodiscard]] bool prove_infeasible(const View& problem, Eigen::VectorXd& y);
[[nodiscard]] bool prove_infeasible(const SparseProblem& problem, Eigen::VectorXd& y);

/// Phase one: the z >= 0 that violates M z + q >= 0 least, by the linear program of relay::detail::least_violation().
/// Where its dual solution is a proof, result turns Infeasible with it; else result stays, and its reason says that a
/// point is feasible where one is, unless all bases have been tried. Nothing is tried above 400 rows, whose dense
/// dictionary would take longer than all else.
void prove_by_phase_one(const View& problem, double time_limit, Result& result);
void prove_by_phase_one(const SparseProblem& problem, double time_limit, Result& result);

/// The refinement of the box form, all lower bounds 0 (../relay/refinement.hpp); of a sparse M as a full one.
void refine(const View& problem, double tolerance, Index max_iterations, const nonsmooth::detail::Deadline& deadline,
            Result& result);
void refine(const SparseProblem& problem, double tolerance, Index max_iterations,
            const nonsmooth::detail::Deadline& deadline, Result& result);

/// What an automatic choice does with the best answer where no algorithm ended it: refinement, round-off, and, where
/// max_iterations is 0, phase one; TimeLimit where time is over.
template <class AnyProblem>
void end_open(const AnyProblem& problem, const Limits& limits, const nonsmooth::detail::Deadline& deadline,
              Result& result) {
  refine(problem, limits.tolerance, limits.max_iterations, deadline, result);
  tell_round_off(result);
  if (result.status == Status::Solved) return;
  // An answer whose round-off hides its error may be a direction to infinity: a proof comes before that, too.
  if (limits.max_iterations == 0 && !deadline.passed()) prove_by_phase_one(problem, deadline.remaining(), result);
  if (result.status != Status::Infeasible && deadline.passed()) {
    result.status = Status::TimeLimit;
    result.reason = "time_limit reached";
  }
}

/// Certifies result.z, fills w, certificate, status, at_round_off and reason: Solved if the certificate allows it, else
/// `otherwise` with `reason`; "at round-off" where only the tolerance is out of reach. A z that is not finite becomes
/// 0.
void conclude(const View& problem, double tolerance, Result& result, Status otherwise, std::string_view reason);
void conclude(const SparseProblem& problem, double tolerance, Result& result, Status otherwise,
              std::string_view reason);

using nonsmooth::detail::DenseLu;
using nonsmooth::detail::keep_better;

/// The basis that projected Gauss-Seidel sweeps from z = 0 arrive at: rows = {i : s_i z_i > w_i}. It ends where a sweep
/// leaves {i : z_i > 0} as it was, after max_sweeps, or where the numbers grow; a guess in any case. Needs a positive
/// diagonal, else false. Cost of a sweep: one column of M for every row that moves. z, w: scratch of any size.
bool guess_basis(const View& problem, Index max_sweeps, GrowingVector& z, GrowingVector& w, std::vector<Index>& rows);
bool guess_basis(const SparseProblem& problem, Index max_sweeps, GrowingVector& z, GrowingVector& w,
                 std::vector<Index>& rows);

/// The size of the first block of M = (0 A; B^T 0) with A, B > 0 and q < 0, a bimatrix game in costs; nothing for any
/// other problem. Cost: a few looks for most others, one at every entry for games.
[[nodiscard]] std::optional<Index> game_split(const View& problem);

/// With default options on data that are not validated.
void fischer_burmeister(const View& problem, double tolerance, Result& result);

}  // namespace nonsmooth::lcp::detail
