// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "conveyor.hpp"
#include "model/joints/joint_relation.hpp"

/// Rows of a contact of two shapes, from where these are nearest and how that moves.
namespace nonsmooth::shape_pairs {

using joints::PlaneBodies;
using joints::SpaceBodies;

/// A place or a direction in space, and its rate.
struct Moving {
  Eigen::Vector3d value = Eigen::Vector3d::Zero(), rate = Eigen::Vector3d::Zero();
};
inline Moving moving(const joints::Vector& a) { return {a.value, a.rate}; }
/// a / |a|, and |a|. Of a zero a the second axis, at rest.
inline Moving unit_of(const Moving& a, double& length) {
  length = a.value.norm();
  if (length == 0.0) return {Eigen::Vector3d::UnitY(), Eigen::Vector3d::Zero()};
  const Eigen::Vector3d n = a.value / length;
  return {n, (a.rate - n.dot(a.rate) * n) / length};
}
/// a + s n.
inline Moving shifted(const Moving& a, double s, const Moving& n) {
  return {a.value + s * n.value, a.rate + s * n.rate};
}

/// Where two shapes are nearest.
struct Nearest {
  double gap = 0.0;
  Moving normal;               ///< a unit, from the second to the first
  Moving on_first, on_second;  ///< the closest points, as they move along the surfaces
  bool several = false;        ///< they are two of several that are as near: no rows follow
};

/// The tangent k of a normal that turns, by the least turn from (2, 3, 6) / 7 to it: t_k = e_k - e_k . n / (1 + e . n)
/// (e + n).
inline Moving turned_tangent(const Moving& n, int k) {
  static const Eigen::Vector3d pole = Eigen::Vector3d(2.0, 3.0, 6.0) / 7.0;
  static const Eigen::Vector3d tangents[2] = {Eigen::Vector3d(3.0, -6.0, 2.0) / 7.0,
                                              Eigen::Vector3d(6.0, 2.0, -3.0) / 7.0};
  const Eigen::Vector3d &e = tangents[k], sum = pole + n.value;
  const double a = 1.0 / std::max(1.0 + pole.dot(n.value), 1e-12), along = e.dot(n.value);
  const double turn = a * (e.dot(n.rate) - along * a * pole.dot(n.rate));
  return {e - along * a * sum, -turn * sum - along * a * n.rate};
}

/// Row d . s of the relative velocity s: d turns, s is that of points that move.
inline joints::Scalar along(const Moving& d, const joints::Vector& s, double value) {
  return {value, d.value.transpose().lazyProduct(s.gradient), d.value.dot(s.rate),
          d.value.dot(s.bias) + d.rate.dot(s.rate)};
}

/// A Geometry says where two shapes are nearest, may have tangents of its own, knows the greatest number of bodies, its
/// smallest_feature(), its steepness() and its passage_depth(), and throws by refuse_several() where it may have
/// several closest points.
template <class Geometry>
struct ContactRows {
  static constexpr Index kLeast = 1, kMost = Geometry::kMost;
  static constexpr const char* kName = "a pair of shapes: its bodies";

  Geometry geometry;
  Index rows = 1;

  [[nodiscard]] Index count() const { return rows; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::contact_row(row); }
  template <class Bodies>
  [[nodiscard]] Nearest nearest(const Bodies& bodies) const {
    Nearest at = geometry(bodies);
    if constexpr (requires { Geometry::refuse_several(); }) {
      if (at.several) Geometry::refuse_several();
    }
    return at;
  }
  template <class Bodies, class Put>
  void operator()(const Bodies& bodies, Put&& put) const {
    const Nearest at = nearest(bodies);
    const joints::Vector slip = bodies.carried(0, at.on_first.value, at.on_first.rate) -
                                bodies.carried(1, at.on_second.value, at.on_second.rate);
    put(0, along(at.normal, slip, at.gap));
    for (Index row = 1; row < rows; ++row) put(row, along(tangent(bodies, at.normal, row - 1), slip, 0.0));
  }
  [[nodiscard]] Moving tangent(const SpaceBodies& bodies, const Moving& normal, Index k) const {
    if constexpr (requires { geometry.tangent(bodies, k); }) {
      return geometry.tangent(bodies, k);
    } else {
      return turned_tangent(normal, static_cast<int>(k));
    }
  }
  [[nodiscard]] static Moving tangent(const PlaneBodies&, const Moving& normal, Index) {
    return {{normal.value[1], -normal.value[0], 0.0}, {normal.rate[1], -normal.rate[0], 0.0}};
  }
};

/// On ground that rests, or on a conveyor: then h_t = -t . V of the rows of T, and its rate is part of their curvature.
template <class Geometry, class Bodies>
class ContactRelation final : public joints::JointRelation<ContactRows<Geometry>, Bodies>, public OnGround {
  using Base = joints::JointRelation<ContactRows<Geometry>, Bodies>;

 public:
  ContactRelation(Geometry geometry, Index rows, SurfaceField conveyor = {})
      : Base({std::move(geometry), rows}), conveyor_(std::move(conveyor)) {}

  [[nodiscard]] std::shared_ptr<const MechanicalRelation> on_conveyor(SurfaceField velocity) const override {
    return std::make_shared<const ContactRelation>(this->rows_.geometry, this->rows_.rows, std::move(velocity));
  }
  [[nodiscard]] bool depends_on_time() const override { return static_cast<bool>(conveyor_); }
  void h_t(double t, ConstVectorRef q, VectorRef value) const override {
    value.setZero();
    if (!conveyor_) return;
    this->require_bodies(q.size(), Bodies::kPositions, "coordinates");
    const Bodies bodies(q, false, nullptr);
    const Nearest at = this->rows_.nearest(bodies);
    const Eigen::Vector3d velocity = conveyor_(at.on_second.value, t);
    for (Index row = 1; row < this->rows_.rows; ++row)
      value[row] = -this->rows_.tangent(bodies, at.normal, row - 1).value.dot(velocity);
  }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    Base::curvature(t, q, v, value);
    if (!conveyor_) return;
    const Bodies bodies(q, false, v.data());
    const Nearest at = this->rows_.nearest(bodies);
    const Eigen::Vector3d velocity = conveyor_(at.on_second.value, t);
    for (Index row = 1; row < this->rows_.rows; ++row) {
      const Moving tangent = this->rows_.tangent(bodies, at.normal, row - 1);
      value[row] -= tangent.rate.dot(velocity);
      value[row] -= rate_of(conveyor_, tangent.value, at.on_second.value, at.on_second.rate, t);
    }
  }

  [[nodiscard]] bool is_gradient(Index row) const override { return row == 0; }
  [[nodiscard]] double smallest_feature() const override { return this->rows_.geometry.smallest_feature(); }
  [[nodiscard]] double passage_depth() const override { return this->rows_.geometry.passage_depth(); }
  [[nodiscard]] double steepness(Index systems) const override { return this->rows_.geometry.steepness(systems); }
  void h(double, ConstVectorRef q, VectorRef y) const override {
    this->require_bodies(q.size(), Bodies::kPositions, "coordinates");
    y.setZero();
    y[0] = this->rows_.geometry(Bodies(q, false, nullptr)).gap;
  }

 private:
  SurfaceField conveyor_;  ///< none: the ground rests
};

/// Of shapes that lie on one side of a surface, however deep.
inline constexpr double kNeverBehind = std::numeric_limits<double>::infinity();
/// MechanicalRelation::passage_depth() where nothing is known of it.
inline constexpr double kDepthUnknown = std::numeric_limits<double>::quiet_NaN();

/// How far points of two bodies, `arm` from their centres at most, come nearer on a way of q: a quaternion goes half
/// the turn, so that a point moves by sqrt(1 + 4 arm^2) |q'| at most, and two by sqrt(2) times that.
inline double steepness_of(double arm) { return std::numbers::sqrt2 * std::sqrt(1.0 + 4.0 * arm * arm); }

/// The way of q over which they come nearer by half a radius of curvature: there a gap has no more than one dip, which
/// is resolved where it is looked at twice.
inline double feature_of(double radius, double arm) { return 0.5 * radius / steepness_of(arm); }

}  // namespace nonsmooth::shape_pairs
