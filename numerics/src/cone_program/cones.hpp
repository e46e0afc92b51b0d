// SPDX-License-Identifier: Apache-2.0
// The algebra of R^l_+ x Q_1 x ... x Q_k; not installed.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <nonsmooth/numerics/cone_program/problem.hpp>

namespace nonsmooth::cone_program::detail {

/// Calls each(first, size) for every cone; rows of the orthant are cones of one row.
template <class Each>
void for_cones(const Problem& problem, Each&& each) {
  for (Index i = 0; i < problem.orthant; ++i) each(i, Index{1});
  Index first = problem.orthant;
  for (const Index size : problem.cones) {
    each(first, size);
    first += size;
  }
}

/// |(v_1, ...)| whose squares neither overflow nor underflow.
template <class V>
double side(const V& v) {
  const auto rest = v.tail(v.size() - 1);
  const double largest = rest.cwiseAbs().maxCoeff();
  return largest > 0.0 ? largest * (rest / largest).norm() : largest;
}

/// v_0 - |(v_1, ...)|, positive inside the cone.
template <class V>
double depth(const V& v) {
  return v.size() == 1 ? v[0] : v[0] - side(v);
}

/// v_0^2 - |(v_1, ...)|^2 without cancellation.
template <class V>
double determinant(const V& v) {
  if (v.size() == 1) return v[0] * v[0];
  const double rest = v.tail(v.size() - 1).norm();
  return (v[0] - rest) * (v[0] + rest);
}

/// u o v of Jordan's algebra: (u^T v; u_0 v_1 + v_0 u_1).
inline Eigen::VectorXd jordan(const Problem& problem, const Eigen::VectorXd& u, const Eigen::VectorXd& v) {
  Eigen::VectorXd product(u.size());
  for_cones(problem, [&](Index first, Index size) {
    product[first] = u.segment(first, size).dot(v.segment(first, size));
    for (Index k = first + 1; k < first + size; ++k) product[k] = u[first] * v[k] + v[first] * u[k];
  });
  return product;
}

/// The x with u o x = v, u inside K.
inline Eigen::VectorXd jordan_solve(const Problem& problem, const Eigen::VectorXd& u, const Eigen::VectorXd& v) {
  Eigen::VectorXd x(u.size());
  for_cones(problem, [&](Index first, Index size) {
    if (size == 1) {
      x[first] = v[first] / u[first];
      return;
    }
    const auto tail_u = u.segment(first + 1, size - 1);
    const auto tail_v = v.segment(first + 1, size - 1);
    const double zeta = tail_u.dot(tail_v);
    x[first] = (u[first] * v[first] - zeta) / determinant(u.segment(first, size));
    x.segment(first + 1, size - 1) = (tail_v - x[first] * tail_u) / u[first];
  });
  return x;
}

/// The longest t with v + t d in K, v inside.
inline double longest_step(const Problem& problem, const Eigen::VectorXd& v, const Eigen::VectorXd& d) {
  double longest = std::numeric_limits<double>::infinity();
  for_cones(problem, [&](Index first, Index size) {
    if (size == 1) {
      if (d[first] < 0.0) longest = std::min(longest, -v[first] / d[first]);
      return;
    }
    // The least positive root of det(v + t d) = a t^2 + 2 b t + c, and v_0 + t d_0 >= 0 before it.
    const auto tail_v = v.segment(first + 1, size - 1), tail_d = d.segment(first + 1, size - 1);
    const double a = determinant(d.segment(first, size)), b = v[first] * d[first] - tail_v.dot(tail_d);
    const double c = determinant(v.segment(first, size));
    const double under = b * b - a * c;
    if (a >= 0.0 && (b >= 0.0 || under <= 0.0)) return;
    const double root = std::sqrt(std::max(under, 0.0));
    longest = std::min(longest, b < 0.0 ? c / (root - b) : (b + root) / -a);
  });
  return longest;
}

/// Nesterov and Todd's W of (s, z) inside K: W z = W^-1 s, cone by cone eta (w_0, w_1^T; w_1, I + w_1 w_1^T / (1 +
/// w_0)) with a w of determinant 1.
struct Scaling {
  Eigen::VectorXd w, eta, inverse_eta;  // w: m entries, of cones of one row 1; eta, 1 / eta: at the first row of each

  bool compute(const Problem& problem, const Eigen::VectorXd& s, const Eigen::VectorXd& z) {
    w.resize(s.size());
    eta.setZero(s.size());
    inverse_eta.setZero(s.size());
    bool inside = true;
    for_cones(problem, [&](Index first, Index size) {
      const auto own_s = s.segment(first, size), own_z = z.segment(first, size);
      const double det_s = determinant(own_s), det_z = determinant(own_z);
      if (!(depth(own_s) > 0.0) || !(depth(own_z) > 0.0) || !(det_s > 0.0) || !(det_z > 0.0)) {
        inside = false;
        return;
      }
      eta[first] = std::pow(det_s / det_z, 0.25);
      inverse_eta[first] = 1.0 / eta[first];
      w[first] = 1.0;
      if (size == 1) return;
      const double root_s = std::sqrt(det_s), root_z = std::sqrt(det_z);
      const double gamma = std::sqrt(0.5 * (1.0 + own_s.dot(own_z) / (root_s * root_z)));
      const auto tail = (own_s.tail(size - 1) / root_s - own_z.tail(size - 1) / root_z) / (2.0 * gamma);
      w.segment(first + 1, size - 1) = tail;
      w[first] = std::sqrt(1.0 + w.segment(first + 1, size - 1).squaredNorm());
    });
    return inside;
  }

  /// W v, or W^-1 v.
  [[nodiscard]] Eigen::VectorXd apply(const Problem& problem, const Eigen::VectorXd& v, bool inverse) const {
    Eigen::VectorXd result(v.size());
    apply(problem, v.data(), inverse, result.data());
    return result;
  }
  /// W^-1 of each column; `result` has the size of `columns`.
  void apply_inverse(const Problem& problem, const Eigen::MatrixXd& columns, Eigen::MatrixXd& result) const {
    for (Index j = 0; j < columns.cols(); ++j) apply(problem, columns.col(j).data(), true, result.col(j).data());
  }

 private:
  /// `result` may be v.
  void apply(const Problem& problem, const double* v, bool inverse, double* result) const {
    const double sign = inverse ? -1.0 : 1.0;
    const Eigen::VectorXd& factor = inverse ? inverse_eta : eta;
    for (Index i = 0; i < problem.orthant; ++i) result[i] = factor[i] * v[i];
    Index first = problem.orthant;
    for (const Index size : problem.cones) {
      const double own = factor[first], head = w[first], v_head = v[first];
      double zeta = 0.0;
      for (Index k = first + 1; k < first + size; ++k) zeta += w[k] * v[k];
      const double along = sign * v_head + zeta / (1.0 + head);
      result[first] = own * (head * v_head + sign * zeta);
      for (Index k = first + 1; k < first + size; ++k) result[k] = own * (v[k] + along * w[k]);
      first += size;
    }
  }
};

}  // namespace nonsmooth::cone_program::detail
