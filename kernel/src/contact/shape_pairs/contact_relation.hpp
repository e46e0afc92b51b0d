// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "model/joints/joint_relation.hpp"
#include "moving.hpp"
#include "pair_skins.hpp"

/// Rows of a contact of two shapes, from where these are nearest and how that moves.
namespace nonsmooth::shape_pairs {

using joints::PlaneBodies;
using joints::SpaceBodies;

/// Where two shapes are nearest.
struct Nearest {
  double gap = 0.0;
  Moving normal;               ///< a unit, from the second to the first
  Moving on_first, on_second;  ///< the closest points, as they move along the surfaces
  bool several = false;        ///< they are two of several that are as near: no rows follow
};

/// Row d . s of the relative velocity s: d turns, s is that of points that move.
inline joints::Scalar along(const Moving& d, const joints::Vector& s, double value) {
  return {value, d.value.transpose().lazyProduct(s.gradient), d.value.dot(s.rate),
          d.value.dot(s.bias) + d.rate.dot(s.rate)};
}

/// A Geometry says where two shapes are nearest, may have tangents of its own, knows the greatest number of bodies, its
/// smallest_feature(), its steepness() and its passage_depth(), and throws by refuse_several() where it may have
/// several closest points. Rows (N), then those that slide, then of relative angular velocities those about the
/// tangents (R), about the normal (S), as their number says (contact_rows::axis_of; 3 in the plane: N, T, R).
template <class Geometry>
struct ContactRows {
  static constexpr Index kLeast = 1, kMost = Geometry::kMost;
  static constexpr const char* kName = "a pair of shapes: its bodies";

  Geometry geometry;
  Index rows = 1;
  PairSkins skins{};

  [[nodiscard]] Index count() const { return rows; }
  [[nodiscard]] static RowMeaning meaning(Index row) { return joints::contact_row(row); }
  /// How many rows are N or slide.
  template <class Bodies>
  [[nodiscard]] Index sliding() const {
    return std::min(rows, Bodies::kPositions == PlaneBodies::kPositions ? Index{2} : contact_rows::kSlidingRows);
  }
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
    for (Index row = 1; row < sliding<Bodies>(); ++row) put(row, along(tangent(bodies, at.normal, row - 1), slip, 0.0));
    for (Index row = sliding<Bodies>(); row < rows; ++row)
      put(row, along(axis(bodies, at.normal, row), bodies.spin(0) - bodies.spin(1), 0.0));
  }
  /// What a row behind those that slide is about.
  [[nodiscard]] Moving axis(const SpaceBodies& bodies, const Moving& normal, Index row) const {
    const Index k = contact_rows::axis_of(row, rows);
    return k == 0 ? normal : tangent(bodies, normal, k - 1);
  }
  [[nodiscard]] static Moving axis(const PlaneBodies&, const Moving&, Index) { return {Eigen::Vector3d::UnitZ()}; }
  [[nodiscard]] Moving tangent(const SpaceBodies& bodies, const Moving& normal, Index k) const {
    if (skins.elliptic) return tangent_on_grain(normal, moving(bodies.direction(skins.grain_of, skins.grain)), k);
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

/// Of surfaces that rest on their bodies, or of conveyors: then h_t = t . (A_1 V_1 - A_2 V_2) of the rows of T, d .
/// (A_1 Omega_1 - A_2 Omega_2) of those about axes d, and its rate is part of their curvature.
template <class Geometry, class Bodies>
class ContactRelation final : public joints::JointRelation<ContactRows<Geometry>, Bodies>, public PairOfShapes {
  using Base = joints::JointRelation<ContactRows<Geometry>, Bodies>;

 public:
  ContactRelation(Geometry geometry, Index rows, PairSkins skins = {})
      : Base({std::move(geometry), rows, std::move(skins)}) {}

  [[nodiscard]] std::shared_ptr<const MechanicalRelation> with(PairSkins skins) const override {
    return std::make_shared<const ContactRelation>(this->rows_.geometry, this->rows_.rows, std::move(skins));
  }
  [[nodiscard]] bool depends_on_time() const override { return this->rows_.rows > 1 && this->rows_.skins.move(); }
  void h_t(double t, ConstVectorRef q, VectorRef value) const override {
    value.setZero();
    if (!depends_on_time()) return;
    this->require_bodies(q.size(), Bodies::kPositions, "coordinates");
    const Bodies bodies(q, false, nullptr);
    const Nearest at = this->rows_.nearest(bodies);
    for_conveyors(bodies, at, [&](Index i, const SurfaceField& conveyor, Index row, const Moving& direction) {
      const Eigen::Vector3d& place = i == 0 ? at.on_first.value : at.on_second.value;
      const double along = direction.value.dot(surface_velocity(conveyor, bodies, i, place, t));
      value[row] += i == 0 ? along : -along;
    });
  }
  void curvature(double t, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    Base::curvature(t, q, v, value);
    if (!depends_on_time()) return;
    const Bodies bodies(q, false, v.data());
    const Nearest at = this->rows_.nearest(bodies);
    for_conveyors(bodies, at, [&](Index i, const SurfaceField& conveyor, Index row, const Moving& direction) {
      const double rate = surface_rate(conveyor, bodies, i, direction, i == 0 ? at.on_first : at.on_second, t);
      value[row] += i == 0 ? rate : -rate;
    });
  }

  [[nodiscard]] RowMeaning row_meaning(Index row) const override {
    const ContactRows<Geometry>& rows = this->rows_;
    if (row < rows.template sliding<Bodies>()) return rows.meaning(row);
    const bool rolls = Bodies::kPositions == PlaneBodies::kPositions || contact_rows::axis_of(row, rows.rows) > 0;
    return {rolls ? RowKind::Roll : RowKind::Spin};
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
  /// Calls give(i, V, row, direction) for each surface that moves and each row that it changes.
  template <class Give>
  void for_conveyors(const Bodies& bodies, const Nearest& at, Give&& give) const {
    const ContactRows<Geometry>& rows = this->rows_;
    const Index sliding = rows.template sliding<Bodies>();
    for (const Index i : {0, 1}) {
      const auto k = static_cast<std::size_t>(i);
      for (Index row = 1; rows.skins.velocities[k] && row < sliding; ++row)
        give(i, rows.skins.velocities[k], row, rows.tangent(bodies, at.normal, row - 1));
      for (Index row = sliding; rows.skins.spins[k] && row < rows.rows; ++row)
        give(i, rows.skins.spins[k], row, rows.axis(bodies, at.normal, row));
    }
  }
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
