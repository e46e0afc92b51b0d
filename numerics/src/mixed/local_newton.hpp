// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/linear_algebra/factorization.hpp>
#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth::mixed::local {

/// The solution of one block  u = W r + b, -û in N_K(r)  for a cone or a cylinder of any size and any W, singular and
/// unsymmetric ones included: apex and stick in closed form, flow by a semismooth Newton method from the last r, with
/// projected steps where Newton's are refused. Keeps its memory.
class BlockNewton {
 public:
  /// W is n x n, column-major, and must stay alive. False where W is zero: nothing local can change u.
  [[nodiscard]] bool prepare(const double* W, const BlockSet& set, Index n);

  /// From r; b of n entries. Ends at the best r found, whatever its error: a sweep's certificate decides. Looks at the
  /// deadline before each factorization and each projected step.
  void solve(const double* b, double* r, const detail::Deadline& deadline);

 private:
  [[nodiscard]] bool apex(const double* b) const noexcept;
  [[nodiscard]] bool stick(const double* b, double* r);
  [[nodiscard]] double evaluate(const double* b, const double* r) noexcept;  ///< fills u_ and e_; |e|^2
  [[nodiscard]] bool newton_step(const double* r);                           ///< step_ = -J^-1 e
  [[nodiscard]] bool wide_newton_step();                                     ///< its linear algebra for a wide block
  /// From r with |e|^2 = value; keeps the best.
  double newton(const double* b, double* r, double value, const detail::Deadline& deadline);
  void projected_step(double rho, const double* from, double* r) noexcept;
  void keep(const double* r, double value) noexcept;
  [[nodiscard]] bool converged(const double* b, double factor) const noexcept;
  [[nodiscard]] double* at(Index part) noexcept { return memory_.data() + part; }

  const double* W_ = nullptr;
  BlockSet set_;
  Index n_ = 0;
  double rho_ = 1.0, cautious_rho_ = 1.0;  // n / tr W; 1 / |W|
  bool factored_ = false;                  // the factors of W were tried
  bool regular_ = false;                   // W has factors
  DenseFactorization wide_factors_{Structure::General, Backend::Eigen}, wide_J_{Structure::General, Backend::Eigen};
  std::vector<double> memory_;
  std::vector<Index> pivots_;
  std::vector<double> rho_rows_;
  double *factors_ = nullptr, *J_ = nullptr, *A_ = nullptr, *C_ = nullptr, *scratch_ = nullptr;
  double *u_ = nullptr, *e_ = nullptr, *step_ = nullptr, *trial_ = nullptr, *best_ = nullptr, *slow_ = nullptr;
  double best_value_ = 0.0;
};

}  // namespace nonsmooth::mixed::local
