// SPDX-License-Identifier: Apache-2.0
#include "interior_cones.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nonsmooth::friction::internal {
namespace {

using Vector = Eigen::Vector3d;

/// x_0^2 - |x_T|^2 without the cancellation of squares.
double determinant(const Vector& x) {
  const double tail = x.tail<2>().norm();
  return (x[0] - tail) * (x[0] + tail);
}

Vector reflected(const Vector& x) { return {x[0], -x[1], -x[2]}; }

}  // namespace

FrictionCones::FrictionCones(const ProductSet& K) { prepare(K); }

void FrictionCones::prepare(const ProductSet& K) {
  K_ = &K;
  cones_.clear();
  vanishing_.clear();
  vanishing_block_.clear();
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    const auto cone = [&](Index tail, Index rows, double bound) {
      if (bound > 0.0) return cones_.push_back({b, o, o + tail, rows, bound});
      for (Index i = 0; i < rows; ++i) {
        vanishing_.push_back(o + tail + i);
        vanishing_block_.push_back(b);
      }
    };
    const std::size_t before = cones_.size();
    switch (K[b].kind) {
      case SetKind::Orthant:
        for (Index i = 0; i < n; ++i) cones_.push_back({b, o + i, o + i, 0, 1.0});
        break;
      case SetKind::Coulomb2D:
      case SetKind::Coulomb3D:
        cone(1, n - 1, K[b].mu);
        break;
      case SetKind::Rolling: {
        const Index sliding = n == 3 ? 1 : 2, rolling = n == 3 ? 1 : (n >= 5 ? 2 : 0);
        cone(1, sliding, K[b].mu);
        if (rolling > 0) cone(1 + sliding, rolling, K[b].rolling);
        if (n == 4 || n == 6) cone(n - 1, 1, K[b].spinning);
        break;
      }
      default:
        break;
    }
    const bool contact = K[b].kind != SetKind::Orthant && K[b].kind != SetKind::Free;
    if (contact && cones_.size() == before) cones_.push_back({b, o, o, 0, 1.0});  // r_N >= 0 is left
  }
}

void FrictionCones::to_cones(ConstVectorRef r, ConePoint& x) const {
  x.resize(size());
  x.setZero();
  for (Index j = 0; j < size(); ++j) {
    const Cone& cone = cones_[static_cast<std::size_t>(j)];
    x(0, j) = cone.mu * r[cone.normal];
    for (Index i = 0; i < cone.rows; ++i) x(1 + i, j) = r[cone.tail + i];
  }
}

void FrictionCones::add_velocity(const ConePoint& y, VectorRef u) const {
  for (Index j = 0; j < size(); ++j) {
    const Cone& cone = cones_[static_cast<std::size_t>(j)];
    u[cone.normal] += cone.mu * y(0, j);
    for (Index i = 0; i < cone.rows; ++i) u[cone.tail + i] += y(1 + i, j);
  }
}

void FrictionCones::erase_vanishing(VectorRef D) const {
  for (const Index row : vanishing_) D[row] = 0.0;
}

void FrictionCones::move_inside(double size, VectorRef r) const {
  for (const Cone& cone : cones_) {
    const double tail = cone.rows > 0 ? r.segment(cone.tail, cone.rows).norm() : 0.0;
    r[cone.normal] = std::max(r[cone.normal], (tail + size) / cone.mu);
  }
}

void FrictionCones::assemble(const GrowingMatrix<3>& D, mixed::internal::BlockDiagonal& B) const {
  const ProductSet& K = *K_;
  for (Index b = 0; b < K.num_blocks(); ++b) std::fill_n(B.block(b), K.size(b) * K.size(b), 0.0);
  for (Index j = 0; j < size(); ++j) {
    const Cone& cone = cones_[static_cast<std::size_t>(j)];
    const Index o = K.offset(cone.block), n = K.size(cone.block);
    const auto row = [&](Index i) { return (i == 0 ? cone.normal : cone.tail + i - 1) - o; };
    const auto G = [&](Index i) { return i == 0 ? cone.mu : 1.0; };
    double* values = B.block(cone.block);
    for (Index k = 0; k <= cone.rows; ++k)
      for (Index i = 0; i <= cone.rows; ++i) values[row(k) * n + row(i)] += G(i) * D(i, 3 * j + k) * G(k);
  }
  for (std::size_t i = 0; i < vanishing_.size(); ++i) {
    const Index b = vanishing_block_[i], row = vanishing_[i] - K.offset(b);
    B.block(b)[row * K.size(b) + row] = 1.0;
  }
}

void NesterovTodd::update(const Vector& x, const Vector& y) {
  const double size_x = std::sqrt(determinant(x)), size_y = std::sqrt(determinant(y));
  const Vector unit_x = x / size_x, unit_y = y / size_y;
  // w halves the way from J y to x: (2 w w^T - J) unit_y = unit_x.
  const Vector w = (unit_x + reflected(unit_y)) / std::sqrt(2.0 * (1.0 + unit_x.dot(unit_y)));
  theta = std::sqrt(size_x / size_y);
  v = w;
  v[0] += 1.0;
  v /= std::sqrt(2.0 * (w[0] + 1.0));
  const Vector back = reflected(w) / theta;
  H = 2.0 * back * back.transpose();
  H(0, 0) -= 1.0 / (theta * theta);
  H(1, 1) += 1.0 / (theta * theta);
  H(2, 2) += 1.0 / (theta * theta);
  lambda = scale(y);
}

Vector NesterovTodd::scale(const Vector& y) const { return theta * (2.0 * v.dot(y) * v - reflected(y)); }

Vector NesterovTodd::unscale(const Vector& x) const {
  const Vector back = reflected(v);
  return (2.0 * back.dot(x) * back - reflected(x)) / theta;
}

Vector jordan_product(const Vector& a, const Vector& b) {
  return {a.dot(b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
}

Vector jordan_quotient(const Vector& a, const Vector& c) {
  Vector b;
  b[0] = reflected(a).dot(c) / determinant(a);
  b.tail<2>() = (c.tail<2>() - b[0] * a.tail<2>()) / a[0];
  return b;
}

double step_to_boundary(const Vector& x, const Vector& dx) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // det(x + t dx) = a t^2 + 2 b t + c.
  const double a = dx[0] * dx[0] - dx.tail<2>().squaredNorm(), b = reflected(x).dot(dx), c = determinant(x);
  double t = dx[0] < 0.0 ? -x[0] / dx[0] : infinity;
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return t;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b));
  if (a != 0.0 && q / a > 0.0) t = std::min(t, q / a);
  if (q != 0.0 && c / q > 0.0) t = std::min(t, c / q);
  return t;
}

}  // namespace nonsmooth::friction::internal
