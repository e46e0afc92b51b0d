// SPDX-License-Identifier: Apache-2.0
// What the solvers of mixed complementarity problems share; not installed.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <Eigen/SparseCore>

#include <internal/round_off.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/mcp/problem.hpp>

#include "box_function.hpp"
#include "linear_algebra/dense_lu.hpp"
#include "linear_algebra/sparse/band_factors.hpp"

namespace nonsmooth::mcp::detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The nearest point of [lower, upper].
inline double clamp(double x, double lower, double upper) { return x < lower ? lower : (x > upper ? upper : x); }
inline void clamp(const Problem& problem, VectorRef x) {
  for (Index i = 0; i < x.size(); ++i) x[i] = clamp(x[i], problem.lower[i], problem.upper[i]);
}

/// J = F'(x), dense or sparse as the map has it, and the factors of diag(a) + diag(b) J. Of a sparse J that is
/// symmetric, as those of obstacles are, these are Cholesky's of J + diag(a / b), where a, b >= 0 and it has them:
/// cheaper than LU by several times. Rows whose b is rounding beside a leave it before, x_i = r_i / a_i. What stays is
/// factored as it lies where it lies near its diagonal, and else in an order that is kept.
class Jacobian {
 public:
  explicit Jacobian(const Problem& problem);

  [[nodiscard]] std::optional<NotFinite> evaluate(const Problem& problem, ConstVectorRef x, ConstVectorRef f);

  void multiply_transposed(const Eigen::VectorXd& y, Eigen::VectorXd& out) const;  ///< out = J^T y
  void terms(ConstVectorRef x, VectorRef out) const;                               ///< out = |J||x|
  /// J_ii where that is positive, else the largest entry of the row by an unknown that is not fixed, else 0.
  void slopes(VectorRef s) const;
  /// Sparse, with a positive diagonal and no positive entry beside it.
  [[nodiscard]] bool has_signs_of_m() const;
  [[nodiscard]] Eigen::MatrixXd dense() const;
  [[nodiscard]] const Eigen::SparseMatrix<double>& sparse() const noexcept { return sparse_; }  ///< J, sparse
  [[nodiscard]] Eigen::SparseMatrix<double> sparse(const Eigen::VectorXd& added) const;  ///< J + diag(added), J sparse

  /// False if singular to working precision: solve() must not be called then.
  [[nodiscard]] bool factorize(const Eigen::VectorXd& a, const Eigen::VectorXd& b);
  void solve(VectorRef x) const;  ///< x := (diag(a) + diag(b) J)^-1 x
  /// True if the last factors were Cholesky's. Then J is symmetric, and relax() may be called.
  [[nodiscard]] bool by_cholesky() const noexcept { return by_cholesky_; }
  /// Projected Gauss-Seidel sweeps, each forward and back, from z on  -(f + J (z - x)) in N_[l,h](z).
  void relax(const Problem& problem, ConstVectorRef x, ConstVectorRef f, int sweeps, VectorRef z) const;

 private:
  /// Where things are in the pattern that J had last, which most problems never change.
  struct Places {
    std::vector<int> outer, inner;  // the pattern
    std::vector<int> diagonal;      // of each J_jj its entry, -1: none
    std::vector<int> mirror;        // of each entry that of J^T; empty: the pattern is not symmetric

    void find(const Eigen::SparseMatrix<double>& J);
  };

  [[nodiscard]] bool is_symmetric() const;  ///< exactly, with every diagonal entry in its pattern
  [[nodiscard]] bool factorize_symmetric(const Eigen::VectorXd& a, const Eigen::VectorXd& b);
  [[nodiscard]] bool factorize_band(const Eigen::VectorXd& a, const Eigen::VectorXd& b);
  [[nodiscard]] bool factorize_ordered(const Eigen::VectorXd& a, const Eigen::VectorXd& b);
  void solve_symmetric(VectorRef x) const;
  [[nodiscard]] bool left(Index i) const noexcept { return place_[static_cast<std::size_t>(i)] < 0; }

  [[nodiscard]] bool moves(Index j) const noexcept { return moves_.size() == 0 || moves_[j]; }

  bool is_sparse_;
  Eigen::Array<bool, Eigen::Dynamic, 1> moves_;  // of each unknown; empty: all do
  Eigen::MatrixXd dense_, newton_;
  nonsmooth::detail::DenseLu lu_;
  Eigen::SparseMatrix<double> sparse_, sparse_newton_, diagonal_;
  SparseFactorization sparse_lu_;
  Places places_;
  bool symmetric_ = false, definite_ = true, by_cholesky_ = false;  // definite_: no factors have failed yet
  Eigen::SparseMatrix<double> symmetric_newton_;
  Eigen::VectorXd divisors_;       // b_i, of rows that left a_i
  std::vector<int> place_, kept_;  // of each row among those that stay, -1: it left; and those that stay
  std::vector<int> reach_;         // of the columns that stay, the last row
  bool by_band_ = false;           // the factors are those of the band
  nonsmooth::detail::BandFactors band_;
  mutable Eigen::VectorXd kept_part_;
  SparseFactorization cholesky_{Structure::SymmetricPositiveDefinite};
};

/// Asks F for a solve: counts, and keeps what was not finite last.
class Evaluator {
 public:
  Evaluator(const Problem& problem, Result& result) : problem_(problem), result_(result), jacobian_(problem) {}

  [[nodiscard]] bool value(ConstVectorRef x, VectorRef f);             ///< false: not finite
  [[nodiscard]] bool jacobian_at(ConstVectorRef x, ConstVectorRef f);  ///< false: not finite; then J is unspecified
  [[nodiscard]] Jacobian& jacobian() noexcept { return jacobian_; }
  [[nodiscard]] const std::optional<NotFinite>& not_finite() const noexcept { return not_finite_; }
  void forget_not_finite() noexcept { not_finite_.reset(); }

 private:
  const Problem& problem_;
  Result& result_;
  Jacobian jacobian_;
  std::optional<NotFinite> not_finite_;
};

/// The scale of the certificate but for its floor: Problem::scale, or from F at P(0) and P(start); 0 where neither says
/// anything. `values`: how often F was asked.
[[nodiscard]] double data_scale(const Problem& problem, Index& values);

/// s_i of the certificate from J's slopes (in place), the size of F and the map's sizes.
void finish_slopes(const Problem& problem, double scale, VectorRef s);

/// The certificate from F and J at x.
[[nodiscard]] Certificate certify(const Problem& problem, double data_scale, ConstVectorRef x, ConstVectorRef f,
                                  const Jacobian& jacobian, double floor = -1.0);

/// True if the certificate allows Solved: a scale that is nothing but round-off, which grows with x, vouches for
/// nothing but an error of 0.
[[nodiscard]] bool within(const Certificate& certificate, double tolerance) noexcept;

/// @throws InvalidArgument: a Jacobian that differences at x deny.
void check_jacobian_at(const Problem& problem, const Eigen::VectorXd& x);

/// The start of a solve: the options' where there is one, else the problem's, within the bounds. @throws
/// InvalidArgument: `start` (named) has another size; with `check_jacobian` as check_jacobian_at().
[[nodiscard]] Eigen::VectorXd start_of(const Problem& problem, const std::string& argument,
                                       const Eigen::VectorXd& start, bool check_jacobian);
/// F and J there, which the evaluator keeps. @throws InvalidArgument: one of them is not finite.
void evaluate_start(const Problem& problem, Evaluator& evaluator, const Eigen::VectorXd& x, Eigen::VectorXd& f);

/// Keeps (x, f) in the result if its certificate is better than the one there. True once that is within the tolerance.
bool keep(ConstVectorRef x, ConstVectorRef f, const Certificate& certificate, double tolerance, Result& result);

/// Status and reason of result.x, whose certificate stands.
void conclude(const Problem& problem, double tolerance, const Evaluator& evaluator, Result& result, Status otherwise,
              std::string_view reason);

}  // namespace nonsmooth::mcp::detail
