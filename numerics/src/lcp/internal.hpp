// SPDX-License-Identifier: Apache-2.0
// What the LCP solvers share; not installed.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <nonsmooth/numerics/lcp/problem.hpp>

namespace nonsmooth::lcp::detail {

inline constexpr double eps = std::numeric_limits<double>::epsilon();

/// s_i of the certificate for every row.
void row_scales(const View& problem, VectorRef s);
void row_scales(const SparseProblem& problem, VectorRef s);

inline View view(const Problem& problem) { return View{problem.M, problem.q}; }

/// True if the certificate allows Solved. Where the rounding of w alone (eps |M||z|, a 64th of round_off) could hide
/// more than the tolerance, the error is taken anew in extended precision: luck in double precision proves nothing.
bool within(const View& problem, double tolerance, ConstVectorRef z, Certificate& certificate);
bool within(const SparseProblem& problem, double tolerance, ConstVectorRef z, Certificate& certificate);

/// Certifies result.z, fills w, certificate, status and reason: Solved if the certificate allows it, else `otherwise`
/// with `reason`; "at round-off" where only the tolerance is out of reach. A z that is not finite becomes 0.
void conclude(const View& problem, double tolerance, Result& result, Status otherwise, std::string_view reason);
void conclude(const SparseProblem& problem, double tolerance, Result& result, Status otherwise,
              std::string_view reason);

/// Certifies z (by w as scratch) and keeps it in result if its residual is smaller than the one there.
template <class P>
bool keep_better(const P& problem, ConstVectorRef z, VectorRef w, Result& result) {
  const Certificate certificate = certify(problem, z, w);
  if (!(certificate.residual < result.certificate.residual) && !std::isnan(result.certificate.residual)) return false;
  result.z = z;
  result.w = w;
  result.certificate = certificate;
  return true;
}

/// LU with partial pivoting that keeps its memory and gives the same bits for any number of threads.
class DenseLu {
 public:
  /// Memory for matrices of up to n rows: smaller ones then allocate nothing.
  void reserve(Index n);
  /// Factors A(rows, rows) of a larger A. False if singular to working precision.
  bool factorize_principal(ConstMatrixRef A, const std::vector<Index>& rows);
  bool factorize(ConstMatrixRef A);
  void solve_in_place(VectorRef b) const;
  [[nodiscard]] Index size() const noexcept { return n_; }

 private:
  bool factorize_stored();

  Index n_ = 0;
  std::vector<double> a_;         // column-major, n x n
  std::vector<double> smallest_;  // below it the pivot of a column counts as zero
  std::vector<Index> swaps_;      // row exchanged with row k at step k
  std::vector<double> packed_;    // scratch
};

/// The basis that projected Gauss-Seidel sweeps from z = 0 arrive at: rows = {i : s_i z_i > w_i}. It ends where a sweep
/// leaves {i : z_i > 0} as it was, after max_sweeps, or where the numbers grow; a guess in any case. Needs a positive
/// diagonal, else false. Cost of a sweep: one column of M for every row that moves. z, w: scratch of any size.
bool guess_basis(const View& problem, Index max_sweeps, GrowingVector& z, GrowingVector& w, std::vector<Index>& rows);
bool guess_basis(const SparseProblem& problem, Index max_sweeps, GrowingVector& z, GrowingVector& w,
                 std::vector<Index>& rows);

/// With default options on data that are not validated.
void fischer_burmeister(const View& problem, double tolerance, Result& result);

}  // namespace nonsmooth::lcp::detail
