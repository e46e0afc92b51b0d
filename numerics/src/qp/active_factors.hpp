// SPDX-License-Identifier: Apache-2.0
// The orthogonal factors of the active rows in the metric of H; not installed.
#pragma once

#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::qp::detail {

/// With H = L L^T (n x n) and the normals N (n x q) of the active rows: J with J^T H J = I and J^T N = (R; 0), R upper
/// triangular. The first q columns of J are J_1, the others, a basis of {z : N^T z = 0}, J_2. Adding or dropping a
/// normal costs O(n (n - q)) or O(n q).
class ActiveFactors {
 public:
  /// Factors H, of which the lower triangle is used; no row is active. False where it is not positive definite: with
  /// H over sqrt(H_ii H_jj), a pivot of at most `smallest`. Nothing is allocated where n stands.
  bool factorize(ConstMatrixRef H, double smallest);
  void clear();  ///< no row is active

  /// The squares of |L^-1 e_j|, (H^-1)_jj, while no row is active.
  void inverse_diagonal(Eigen::VectorXd& squares) const { squares = inverse_.rowwise().squaredNorm(); }

  [[nodiscard]] Index size() const noexcept { return n_; }
  [[nodiscard]] Index num_active() const noexcept { return q_; }

  /// d := J^T normal.
  void transform(ConstVectorRef normal, Eigen::VectorXd& d) const;
  void transform_unit(Index j, double sign, Eigen::VectorXd& d) const;  ///< of sign e_j

  /// z = J_2 d_2: the step of x at which the multiplier of a new row with this d grows by 1.
  void step(const Eigen::VectorXd& d, Eigen::VectorXd& z) const;
  /// r = R^-1 d_1: what the other multipliers lose meanwhile.
  void multiplier_step(const Eigen::VectorXd& d, Eigen::VectorXd& r) const;
  /// |d_2|^2, and whether that is rounding: the normal is a combination of the active ones.
  [[nodiscard]] double free_part(const Eigen::VectorXd& d) const;
  [[nodiscard]] bool depends(const Eigen::VectorXd& d) const;

  void add(const Eigen::VectorXd& d);  ///< the row with this d becomes the last active one; it must not depend
  void drop(Index place);              ///< 0 <= place < q; those behind move up

  /// The step dx and the change du of the active multipliers with H dx - N du = -dual and N^T dx = -primal (q entries).
  void correct(const Eigen::VectorXd& dual, const Eigen::VectorXd& primal, Eigen::VectorXd& dx, Eigen::VectorXd& du);

 private:
  Index n_ = 0, q_ = 0;
  Eigen::MatrixXd J_, R_, inverse_;  // inverse_: L^-T
  Eigen::MatrixXd L_;
  Eigen::VectorXd scratch_, unit_;
};

}  // namespace nonsmooth::qp::detail
