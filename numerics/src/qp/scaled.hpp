// SPDX-License-Identifier: Apache-2.0
// A quadratic program in units of its own; not installed.
#pragma once

#include <memory>
#include <vector>

#include "internal.hpp"

namespace nonsmooth::qp::detail {

/// The program with x = D x', rows times E and the objective times f, so that the largest entry of each row and column
/// of (Q A^T; A 0) is near 1 (Ruiz 2001) and the largest |c_j| is 1 at most: own = (f D Q D, f D c, E A D, bounds
/// alike). y = E y' / f. `unit`, a power of two, is one more unit of x, which leaves the entries of A as they are. The
/// last rows, in blocks of the sizes of `cones`, have one E a block.
template <class P>
struct Scaled {
  explicit Scaled(P problem, const std::vector<Index>& cones = {}, double unit = 1.0);

  P own;
  Eigen::VectorXd columns, rows;  // D, E
  double objective = 1.0;         // f

  /// The least size other than 0 that bounds ask of x' or A x', where it is beyond 1e6, else 1. Starts and
  /// regularisations are those of x' near 1 and may not reach there. A unit as large makes every x' that is near 1
  /// less than what tolerances see: nothing to begin with.
  [[nodiscard]] double large_unit() const;
  [[nodiscard]] Eigen::VectorXd x(const Eigen::VectorXd& scaled) const { return columns.cwiseProduct(scaled); }
  [[nodiscard]] Eigen::VectorXd y(const Eigen::VectorXd& scaled) const { return rows.cwiseProduct(scaled) / objective; }

 private:
  void take_unit(double unit);  // x' := x' / unit, rows alike
};

/// The factors of
///
///     ( Q + diag(p)    A^T     )
///     (     A        -diag(r)  ),    p, r > 0.
///
/// An infinite p_j fixes x_j, an infinite r_i leaves out row i: their steps are 0.
template <class P>
class Quasidefinite {
 public:
  explicit Quasidefinite(const P& problem);
  ~Quasidefinite();
  /// False where a factor broke down.
  bool factorize(const Eigen::VectorXd& p, const Eigen::VectorXd& r);
  /// Solves for right-hand sides (f, g) in place; up to three steps of refinement.
  void solve(Eigen::VectorXd& f, Eigen::VectorXd& g);

 private:
  struct Engine;
  void multiply(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& to_f, Eigen::VectorXd& to_g) const;

  const P& problem_;
  Eigen::VectorXd p_, r_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace nonsmooth::qp::detail
