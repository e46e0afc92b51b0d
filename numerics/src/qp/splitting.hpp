// SPDX-License-Identifier: Apache-2.0
// The alternating direction method of multipliers on copies of rows and unknowns, as quadratic programs and cone
// programs have it; not installed.
#pragma once

#include <vector>

#include "scaled.hpp"

namespace nonsmooth::qp::detail {

/// Copies that stay within their sets, their multipliers (of the sign of y: pushing up) and weights rho. The set of a
/// row is [low, high]; of the last rows, in blocks of these sizes, it is high - Q, Q the second-order cone.
struct Copies {
  Eigen::VectorXd low, high, value, multiplier, rho, change;
  std::vector<Index> cones{};

  void resize(Index size);
  void weigh(double base);
  /// The copy and its multiplier after `now`, what the copy should equal. `change` is what the multiplier gained.
  void update(const Eigen::VectorXd& now);

 private:
  void project(Eigen::VectorXd& moved) const;
};

/// The iteration
///
///     ( Q + sigma I + rho_w     A^T    ) (  x )   ( sigma x - c + rho_w w + s )
///     (       A              -rho_t^-1 ) ( -y ) = (      t + y / rho_t        ),
///
/// over-relaxed by 1.6, then t and w are projected and y and s take what is left; in the units of `scaled`.
template <class P>
class Splitting {
 public:
  /// `cones`: the blocks that the last rows are in; row_upper is the tip of each, row_lower -inf.
  explicit Splitting(const P& problem, const std::vector<Index>& cones = {});

  /// One iteration; new factors before it where rho has changed. False where these broke down.
  [[nodiscard]] bool iterate();
  /// rho by what is behind: the primal or the dual residual, each over its own terms.
  void adapt();
  [[nodiscard]] bool finite() const { return x.allFinite() && t.multiplier.allFinite(); }

  Scaled<P> scaled;
  Copies t, w;              // of A x, of x
  Eigen::VectorXd x, step;  // the iterate and what it has moved by

 private:
  bool factorize();

  Quasidefinite<P> system_;
  double rho_ = 0.1;
  bool stale_ = true;
};

}  // namespace nonsmooth::qp::detail
