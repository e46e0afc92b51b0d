// SPDX-License-Identifier: Apache-2.0
// The certificate of a cone program whose data are looked at once; not installed.
#pragma once

#include <nonsmooth/numerics/cone_program/problem.hpp>

namespace nonsmooth::cone_program::detail {

/// What the data alone say of sizes.
struct DataSizes {
  using Vector = Eigen::VectorXd;

  explicit DataSizes(const Problem& problem);

  Vector X, Y, Z;           // X_j = max_i |right_i| / |M_ij| of A and G; Y_i = max_j |c_j| / |A_ij|, Z of G alike
  Vector A_rows, G_rows;    // max_j |A_ij| X_j and max_j |G_ij| X_j
  Vector columns;           // the larger of max_i |A_ij| Y_i and max_i |G_ij| Z_i
  Vector asked_y, asked_z;  // the larger of Y_i and |c|_inf / max_j |A_ij|, of G alike; 0 where a row is
  double largest_of_G = 0.0;

 private:
  /// Into X and `multipliers`, and max_j |M_ij|.
  Vector look(const Problem& problem, const Eigen::SparseMatrix<double>& M, const Vector& right, Vector& multipliers);
};

/// certify() of many (x, y, z) of one program: its data are looked at once.
class Certifier {
 public:
  /// `problem` stays where it is and as it is.
  explicit Certifier(const Problem& problem) : problem_(problem), sizes_(problem) {}

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  /// As cone_program::certify, of vectors of the right sizes. Two passes through the entries of A and G.
  [[nodiscard]] Certificate certify(ConstVectorRef x, ConstVectorRef y, ConstVectorRef z, VectorRef s,
                                    Figures& figures) const;

 private:
  const Problem& problem_;
  DataSizes sizes_;
};

}  // namespace nonsmooth::cone_program::detail
