// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/systems/differential_variational_inequality.hpp>

namespace nonsmooth {

/// A = df/dx, B = db/du, C = dG/dx, D = dG/du at a point, and which of them are no differences.
struct DviJacobians {
  Eigen::MatrixXd A, B, C, D;
  Eigen::MatrixXd D_terms{};  ///< of differences: the sizes that D is small against
  bool f_dx_given = false, b_du_given = false, G_dx_given = false, G_du_given = false;
};

/// The functions of a DifferentialVariationalInequality and their Jacobians, by differences where they are not given.
/// Throw CallableFailure naming `who`; values that are not finite come through.
class DviFunctions {
 public:
  DviFunctions(const DifferentialVariationalInequality& system, std::string who);

  [[nodiscard]] Index n() const noexcept { return n_; }
  [[nodiscard]] Index m() const noexcept { return m_; }
  [[nodiscard]] const std::string& who() const noexcept { return who_; }

  void f(double t, ConstVectorRef x, VectorRef value) const;
  void b(double t, ConstVectorRef x, ConstVectorRef u, VectorRef value);
  void G(double t, ConstVectorRef x, ConstVectorRef u, VectorRef value) const;
  void f_dx(double t, ConstVectorRef x, MatrixRef A) const;
  void b_du(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef B);
  void G_dx(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef C) const;
  void G_du(double t, ConstVectorRef x, ConstVectorRef u, MatrixRef D) const;
  /// The flags of `at`.
  void tell_given(DviJacobians& at) const;

 private:
  const DifferentialVariationalInequality& system_;
  std::string who_;
  Index n_, m_;
  Eigen::MatrixXd B_;
};

/// The index by the matrices, or which of them is neither zero nor definite. `intervals`: K is a product of intervals.
[[nodiscard]] DviIndex index_by(const DviJacobians& at, bool intervals);
/// index_of(), of functions that throw CallableFailure; K at t.
[[nodiscard]] DviIndex index_at(DviFunctions& functions, const vi::ConvexSet& K, double t, ConstVectorRef x,
                                ConstVectorRef u);

}  // namespace nonsmooth
