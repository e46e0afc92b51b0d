// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/row_kinds.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "joint_motion.hpp"

namespace nonsmooth::joints {

[[noreturn]] inline void refuse_system(const char* argument, const std::string& name, Index nq, Index nv,
                                       const char* expected) {
  throw InvalidArgument(argument,
                        name + " of " + std::to_string(nq) + " coordinates and " + std::to_string(nv) + " velocities",
                        expected);
}

/// @throws InvalidArgument for 0 and what is not finite.
inline double not_zero(const std::string& argument, double value) {
  check::finite(argument, value);
  if (value == 0.0) throw InvalidArgument(argument, "0", "a number that is not zero");
  return value;
}

/// @throws InvalidArgument unless > 0 and finite.
inline double positive(const std::string& argument, double value) {
  check::positive(argument, value);
  return value;
}

inline const RowMeaning kHeldRow{RowKind::Held};
inline RowMeaning rubbing_row(const char* law) { return {RowKind::Rubbing, law}; }
/// Of a contact: its gap, then its slip.
inline RowMeaning contact_row(Index row) { return {row == 0 ? RowKind::Gap : RowKind::Slip}; }
/// Of teeth that mesh, the rate that rubs behind.
inline RowMeaning meshing_row(Index row) { return row == 0 ? kHeldRow : rubbing_row("MeshFrictionLaw"); }

/// Relations of bodies whose rows do not change under a rigid motion that these have in common, but where the ground
/// stands for a body.
class RelationOfBodies {
 public:
  RelationOfBodies() = default;
  RelationOfBodies(const RelationOfBodies&) = default;
  RelationOfBodies& operator=(const RelationOfBodies&) = default;
  virtual ~RelationOfBodies() = default;
  /// The ground stands for one where `bodies` are linked.
  [[nodiscard]] virtual bool measures_ground(Index bodies) const = 0;
};

/// A relation of `Rows`, which have a kName, the numbers kLeast to kMost of bodies they are linked to, a count(), and
/// call put(i, Scalar) for each row at given bodies (SpaceBodies or PlaneBodies). meaning(i) says what a row is,
/// last_body() the last place that rows look at where it is not kMost - 1.
template <class Rows, class Bodies>
class JointRelation : public MechanicalRelation, public RelationOfRows, public RelationOfBodies {
 public:
  explicit JointRelation(Rows rows) : rows_(std::move(rows)) {}

  [[nodiscard]] bool measures_ground(Index bodies) const override {
    if constexpr (requires { rows_.last_body(); }) return rows_.last_body() >= bodies;
    return bodies < Rows::kMost;
  }

  [[nodiscard]] Index rows() const override { return rows_.count(); }
  [[nodiscard]] RowMeaning row_meaning(Index row) const override { return rows_.meaning(row); }
  [[nodiscard]] bool depends_on_time() const override { return false; }
  [[nodiscard]] bool is_joint() const override { return true; }
  [[nodiscard]] bool is_gradient(Index row) const override {
    if constexpr (requires { rows_.is_gradient(row); }) return rows_.is_gradient(row);
    return true;
  }
  void validate_system(const std::string& name, Index nq, Index nv) const override {
    if (nq != Bodies::kPositions || nv != Bodies::kVelocities) refuse_system(Rows::kName, name, nq, nv, Bodies::kBody);
  }
  void validate(Index n) const override { require_bodies(n, Bodies::kVelocities, "velocities"); }
  void h(double, ConstVectorRef q, VectorRef y) const override {
    require_bodies(q.size(), Bodies::kPositions, "coordinates");
    rows_(Bodies(q, false, nullptr), [&](Index i, const Scalar& row) { y[i] = row.value; });
  }
  void H(double, ConstVectorRef q, MatrixRef jacobian) const override {
    require_bodies(q.size(), Bodies::kPositions, "coordinates");
    rows_(Bodies(q, true, nullptr), [&](Index i, const Scalar& row) { jacobian.row(i) = row.gradient; });
  }
  void curvature(double, ConstVectorRef q, ConstVectorRef v, VectorRef value) const override {
    require_bodies(q.size(), Bodies::kPositions, "coordinates");
    rows_(Bodies(q, false, v.data()), [&](Index i, const Scalar& row) { value[i] = row.known_bias(); });
  }

 protected:
  void require_bodies(Index numbers, Index each, const char* of_what) const {
    if (numbers % each == 0 && numbers >= each * Rows::kLeast && numbers <= each * Rows::kMost) return;
    std::string expected = std::to_string(each) + " a body, of " + std::to_string(Rows::kLeast);
    if (Rows::kMost > Rows::kLeast) expected += " or " + std::to_string(Rows::kMost);
    expected += Rows::kMost > 1 ? " bodies" : " body";
    throw InvalidArgument(Rows::kName, std::to_string(numbers) + " " + of_what, expected);
  }

  Rows rows_;
};

}  // namespace nonsmooth::joints
