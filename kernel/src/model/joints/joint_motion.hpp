// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <nonsmooth/numerics/error.hpp>

#include "joint_frames.hpp"
#include "model/bodies/rotation.hpp"

/// What moves with bodies, with its derivatives. Of a quantity y(q): the value; the gradient H, dy/dt = H v (of no
/// columns where it is not asked for); at a velocity v the rate H v, the bias (d/dt H) v, and the size of the terms
/// that the bias is a sum of, whose rounding it has (zero: not known). Fixed memory.
namespace nonsmooth::joints {

inline constexpr int kMostVelocities = 18;  ///< of three bodies in space

struct Scalar {
  using Gradient = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMostVelocities>;
  double value = 0.0;
  Gradient gradient;
  double rate = 0.0, bias = 0.0, bias_terms = 0.0;

  /// The bias, or zero where that is no more than the rounding of its terms: rows that depend on one another would have
  /// it contradict zeros.
  [[nodiscard]] double known_bias() const {
    return std::abs(bias) <= 16.0 * std::numeric_limits<double>::epsilon() * bias_terms ? 0.0 : bias;
  }
};

struct Vector {
  using Gradient = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, kMostVelocities>;
  Eigen::Vector3d value;
  Gradient gradient;
  Eigen::Vector3d rate, bias;
  double bias_terms = 0.0;
};

inline Vector operator-(const Vector& a, const Vector& b) {
  return {a.value - b.value, a.gradient - b.gradient, a.rate - b.rate, a.bias - b.bias, a.bias_terms + b.bias_terms};
}
inline Scalar operator-(const Scalar& a, const Scalar& b) {
  return {a.value - b.value, a.gradient - b.gradient, a.rate - b.rate, a.bias - b.bias, a.bias_terms + b.bias_terms};
}
inline Scalar operator+(const Scalar& a, const Scalar& b) {
  return {a.value + b.value, a.gradient + b.gradient, a.rate + b.rate, a.bias + b.bias, a.bias_terms + b.bias_terms};
}
inline Scalar operator*(double factor, const Scalar& a) {
  return {factor * a.value, factor * a.gradient, factor * a.rate, factor * a.bias, std::abs(factor) * a.bias_terms};
}
inline Scalar component(const Vector& a, Index i) {
  return {a.value[i], a.gradient.row(i), a.rate[i], a.bias[i], a.bias_terms};
}
/// Of a dot or cross product: each entry of one factor meets at most one of the other.
inline double product_terms(const Vector& a, const Vector& b) {
  return a.value.norm() * b.bias_terms + b.value.norm() * a.bias_terms + 2.0 * a.rate.norm() * b.rate.norm();
}
inline Scalar dot(const Vector& a, const Vector& b) {
  return {a.value.dot(b.value),
          a.value.transpose().lazyProduct(b.gradient) + b.value.transpose().lazyProduct(a.gradient),
          a.value.dot(b.rate) + b.value.dot(a.rate),
          a.value.dot(b.bias) + b.value.dot(a.bias) + 2.0 * a.rate.dot(b.rate), product_terms(a, b)};
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {rotation::cross(a.value, b.value),
          rotation::skew(a.value).lazyProduct(b.gradient) - rotation::skew(b.value).lazyProduct(a.gradient),
          rotation::cross(a.value, b.rate) - rotation::cross(b.value, a.rate),
          rotation::cross(a.value, b.bias) - rotation::cross(b.value, a.bias) + 2.0 * rotation::cross(a.rate, b.rate),
          product_terms(a, b)};
}
/// |a|, of an a that is not zero.
inline Scalar length(const Vector& a) {
  const double value = a.value.norm();
  const Eigen::Vector3d n = a.value / value;
  const double rate = n.dot(a.rate);
  return {value, n.transpose().lazyProduct(a.gradient), rate,
          n.dot(a.bias) + (a.rate.squaredNorm() - rate * rate) / value, a.bias_terms + a.rate.squaredNorm() / value};
}
inline Scalar sine(const Scalar& a) {
  const double s = std::sin(a.value), c = std::cos(a.value);
  return {s, c * a.gradient, c * a.rate, c * a.bias - s * a.rate * a.rate, a.bias_terms + a.rate * a.rate};
}
/// The angle of (c, s), in [-pi, pi]. Of a unit quaternion c^2 + s^2 is cos^2 of half the angle between the axes.
/// @throws InvalidArgument where both are zero (c^2 + s^2 < 1e-12), as of opposite axes: no angle is defined.
inline Scalar angle_of(const Scalar& s, const Scalar& c, const char* of_none = "axes opposite",
                       const char* expected = "axes that point the same way, which a joint starts from") {
  const double n = s.value * s.value + c.value * c.value, turned = c.value * s.rate - s.value * c.rate;
  if (n < 1e-12) {
    throw InvalidArgument("an angle about the axis of two frames", of_none, expected);
  }
  const double growth = 2.0 * (c.value * c.rate + s.value * s.rate);
  return {
      std::atan2(s.value, c.value), (c.value * s.gradient - s.value * c.gradient) / n, turned / n,
      (c.value * s.bias - s.value * c.bias) / n - turned * growth / (n * n),
      (std::abs(c.value) * s.bias_terms + std::abs(s.value) * c.bias_terms) / n + std::abs(turned * growth) / (n * n)};
}

/// Bodies in space, those of a link, at q and (for rates and biases) v; a number past the last stands for the ground.
class SpaceBodies {
 public:
  static constexpr Index kPositions = 7, kVelocities = 6;
  static constexpr const char* kBody = "bodies in space, of 7 and 6";

  /// With gradients, or (v of q.size() / 7 * 6 entries) with rates and biases, or (v empty) values alone.
  SpaceBodies(ConstVectorRef q, bool gradients, const double* v) : count_(q.size() / kPositions) {
    columns_ = gradients ? count_ * kVelocities : 0;
    for (Index i = 0; i < count_; ++i) {
      Body& body = bodies_[i];
      body.place = q.segment<3>(kPositions * i);
      body.quaternion = q.segment<4>(kPositions * i + 3);
      body.rotation = rotation::matrix_of_any_length(body.quaternion);
      if (v == nullptr) continue;
      body.velocity = Eigen::Map<const Eigen::Vector3d>(v + kVelocities * i);
      body.spin = Eigen::Map<const Eigen::Vector3d>(v + kVelocities * i + 3);
    }
  }
  [[nodiscard]] Index count() const { return count_; }

  [[nodiscard]] Vector point(Index i, const Eigen::Vector3d& local) const {
    Vector result = direction(i, local);
    if (i >= count_) return result;
    result.value += bodies_[i].place;
    result.rate += bodies_[i].velocity;
    if (columns_ > 0) result.gradient.middleCols<3>(kVelocities * i).setIdentity();
    return result;
  }

  [[nodiscard]] Vector direction(Index i, const Eigen::Vector3d& local) const {
    Vector result{local, Vector::Gradient::Zero(3, columns_), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    if (i >= count_) return result;
    const Body& body = bodies_[i];
    const Eigen::Matrix3d turned = -body.rotation * rotation::skew(local);
    result.value = body.rotation * local;
    result.rate = turned * body.spin;
    result.bias = body.rotation * (rotation::skew(body.spin) * (rotation::skew(body.spin) * local));
    result.bias_terms = body.spin.squaredNorm() * local.norm();
    if (columns_ > 0) result.gradient.middleCols<3>(kVelocities * i + 3) = turned;
    return result;
  }

  /// What of body i is at a place in space. The bias is that of its velocity while the place moves at `rate`.
  [[nodiscard]] Vector carried(Index i, const Eigen::Vector3d& place, const Eigen::Vector3d& rate) const {
    Vector result{place, Vector::Gradient::Zero(3, columns_), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    if (i >= count_) return result;
    const Body& body = bodies_[i];
    const Eigen::Vector3d lever = place - body.place, omega = body.rotation * body.spin;
    result.rate = body.velocity + rotation::cross(omega, lever);
    result.bias = rotation::cross(omega, rate - body.velocity);
    result.bias_terms = omega.norm() * (rate.norm() + body.velocity.norm());
    if (columns_ == 0) return result;
    result.gradient.middleCols<3>(kVelocities * i).setIdentity();
    result.gradient.middleCols<3>(kVelocities * i + 3) = -rotation::skew(lever) * body.rotation;
    return result;
  }

  /// Of body i, as columns.
  [[nodiscard]] Eigen::Matrix3d axes(Index i) const {
    return i < count_ ? bodies_[i].rotation : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  }

  /// The angular velocity of body i, in the axes of space, as a rate: its value is zero, as of no coordinate.
  [[nodiscard]] Vector spin(Index i) const {
    Vector result{Eigen::Vector3d::Zero(), Vector::Gradient::Zero(3, columns_), Eigen::Vector3d::Zero(),
                  Eigen::Vector3d::Zero()};
    if (i >= count_) return result;
    result.rate = bodies_[i].rotation * bodies_[i].spin;
    if (columns_ > 0) result.gradient.middleCols<3>(kVelocities * i + 3) = bodies_[i].rotation;
    return result;
  }

  /// Half the angle by which the first frame, of body i, is turned about its axis against the second, of body j, in
  /// [-pi, pi]: alpha = atan2(P_z, P_w) of the relative quaternion P = G_j* G_i of the frames in space, or -G_j* G_i
  /// where their signs are opposite at the start, so that alpha is zero there. From
  ///     dP/dt = (P w_i - w_j P) / 2,    d^2P/dt^2 = -(|w_i|^2 + |w_j|^2) P / 4 - w_j P w_i / 2    (spins constant),
  /// w the spins in the axes of the frames.
  [[nodiscard]] Scalar half_angle(Index i, Index j, const PlacedPair& frames) const {
    const Placed &frame_i = frames.first, &frame_j = frames.second;
    Eigen::Vector4d P = rotation::product(rotation::conjugate(turned_by(j, frame_j)), turned_by(i, frame_i));
    if (frames.opposite) P = -P;
    Scalar c{P[0], Scalar::Gradient::Zero(columns_)}, s{P[3], Scalar::Gradient::Zero(columns_)};
    const Eigen::Vector4d w_i = spin_in(i, frame_i), w_j = spin_in(j, frame_j);
    const Eigen::Vector4d rate = 0.5 * (rotation::product(P, w_i) - rotation::product(w_j, P));
    const Eigen::Vector4d bias =
        -0.25 * (w_i.squaredNorm() + w_j.squaredNorm()) * P - 0.5 * rotation::product(w_j, rotation::product(P, w_i));
    c.rate = rate[0], s.rate = rate[3], c.bias = bias[0], s.bias = bias[3];
    c.bias_terms = s.bias_terms = 0.25 * std::pow(w_i.norm() + w_j.norm(), 2);
    if (columns_ > 0 && i < count_) {
      c.gradient.middleCols<3>(kVelocities * i + 3) = (-0.5 * frame_i.axes * P.tail<3>()).transpose();
      s.gradient.middleCols<3>(kVelocities * i + 3) =
          (0.5 * frame_i.axes * Eigen::Vector3d(-P[2], P[1], P[0])).transpose();
    }
    if (columns_ > 0 && j < count_) {
      c.gradient.middleCols<3>(kVelocities * j + 3) = (0.5 * frame_j.axes * P.tail<3>()).transpose();
      s.gradient.middleCols<3>(kVelocities * j + 3) =
          (-0.5 * frame_j.axes * Eigen::Vector3d(P[2], -P[1], P[0])).transpose();
    }
    return angle_of(s, c);
  }

 private:
  struct Body {
    Eigen::Vector3d place;
    Eigen::Vector4d quaternion;
    Eigen::Matrix3d rotation;
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
  };

  [[nodiscard]] Eigen::Vector4d turned_by(Index i, const Placed& frame) const {
    return i < count_ ? rotation::product(bodies_[i].quaternion, frame.quaternion) : frame.quaternion;
  }
  [[nodiscard]] Eigen::Vector4d spin_in(Index i, const Placed& frame) const {
    Eigen::Vector4d result = Eigen::Vector4d::Zero();
    if (i < count_) result.tail<3>() = frame.axes.transpose() * bodies_[i].spin;
    return result;
  }

  Index count_, columns_ = 0;
  Body bodies_[3];
};

/// Bodies in the plane; vectors have a third component of zero.
class PlaneBodies {
 public:
  static constexpr Index kPositions = 3, kVelocities = 3;
  static constexpr const char* kBody = "bodies in the plane, of 3 and 3";

  PlaneBodies(ConstVectorRef q, bool gradients, const double* v) : q_(q), v_(v), count_(q.size() / kPositions) {
    columns_ = gradients ? count_ * kVelocities : 0;
  }
  [[nodiscard]] Index count() const { return count_; }

  [[nodiscard]] Vector point(Index i, const Eigen::Vector3d& local) const {
    Vector result = direction(i, local);
    if (i >= count_) return result;
    result.value.head<2>() += q_.segment<2>(kPositions * i);
    if (v_ != nullptr) result.rate.head<2>() += Eigen::Map<const Eigen::Vector2d>(v_ + kVelocities * i);
    if (columns_ > 0) result.gradient.topRows<2>().middleCols<2>(kVelocities * i).setIdentity();
    return result;
  }

  [[nodiscard]] Vector direction(Index i, const Eigen::Vector3d& local) const {
    Vector result{local, Vector::Gradient::Zero(3, columns_), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    result.value[2] = 0.0;
    if (i >= count_) return result;
    const double angle = q_[kPositions * i + 2], c = std::cos(angle), s = std::sin(angle);
    const double spin = v_ != nullptr ? v_[kVelocities * i + 2] : 0.0;
    result.value << c * local[0] - s * local[1], s * local[0] + c * local[1], 0.0;
    const Eigen::Vector3d turned(-result.value[1], result.value[0], 0.0);
    result.rate = spin * turned;
    result.bias = -spin * spin * result.value;
    result.bias_terms = spin * spin * result.value.norm();
    if (columns_ > 0) result.gradient.col(kVelocities * i + 2) = turned;
    return result;
  }

  /// What of body i is at a place. The bias is that of its velocity while the place moves at `rate`.
  [[nodiscard]] Vector carried(Index i, const Eigen::Vector3d& place, const Eigen::Vector3d& rate) const {
    Vector result{place, Vector::Gradient::Zero(3, columns_), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    if (i >= count_) return result;
    const Eigen::Vector3d turned(q_[kPositions * i + 1] - place[1], place[0] - q_[kPositions * i], 0.0);
    if (v_ != nullptr) {
      const double* const v = v_ + kVelocities * i;
      result.rate = Eigen::Vector3d(v[0], v[1], 0.0) + v[2] * turned;
      result.bias = v[2] * Eigen::Vector3d(v[1] - rate[1], rate[0] - v[0], 0.0);
      result.bias_terms = std::abs(v[2]) * (rate.head<2>().norm() + std::hypot(v[0], v[1]));
    }
    if (columns_ == 0) return result;
    result.gradient.topRows<2>().middleCols<2>(kVelocities * i).setIdentity();
    result.gradient.col(kVelocities * i + 2) = turned;
    return result;
  }

  /// Of body i, as columns.
  [[nodiscard]] Eigen::Matrix3d axes(Index i) const {
    Eigen::Matrix3d result = Eigen::Matrix3d::Identity();
    if (i >= count_) return result;
    const double angle = q_[kPositions * i + 2], c = std::cos(angle), s = std::sin(angle);
    result.topLeftCorner<2, 2>() << c, -s, s, c;
    return result;
  }

  /// As of SpaceBodies, about the third axis.
  [[nodiscard]] Vector spin(Index i) const {
    Vector result{Eigen::Vector3d::Zero(), Vector::Gradient::Zero(3, columns_), Eigen::Vector3d::Zero(),
                  Eigen::Vector3d::Zero()};
    if (i >= count_) return result;
    if (v_ != nullptr) result.rate[2] = v_[kVelocities * i + 2];
    if (columns_ > 0) result.gradient(2, kVelocities * i + 2) = 1.0;
    return result;
  }

  /// The angle of a body, which counts its turns.
  [[nodiscard]] Scalar angle(Index i) const {
    Scalar result{0.0, Scalar::Gradient::Zero(columns_)};
    if (i >= count_) return result;
    result.value = q_[kPositions * i + 2];
    if (v_ != nullptr) result.rate = v_[kVelocities * i + 2];
    if (columns_ > 0) result.gradient[kVelocities * i + 2] = 1.0;
    return result;
  }

 private:
  ConstVectorRef q_;
  const double* v_;
  Index count_, columns_ = 0;
};

}  // namespace nonsmooth::joints
