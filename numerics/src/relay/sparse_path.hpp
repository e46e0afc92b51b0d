// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "dictionary.hpp"
#include "internal.hpp"
#include "linear_algebra/sparse/updated_factors.hpp"

namespace nonsmooth::relay::detail {

/// The piecewise linear path from a point that solves nothing to a solution,
///
///     M z + q - w + v = t r,   l <= z <= u,   0 <= w ⟂ z - l >= 0,   0 <= v ⟂ u - z >= 0,
///
/// from t = 1, where the start (z, w, v) fulfils it by the choice of r, to t = 0. One of each (z_i, w_i, v_i) is basic:
/// z_i between its bounds, w_i at the lower one, v_i at the upper one; but for one row, whose place t has. A basic
/// variable that comes to a bound leaves, what complements it enters; t may rise and fall. Ties are broken
/// lexicographically by those of a perturbed right-hand side. The basis is sparse factors with updates.
/// Source: Dirkse, Ferris 1995 [dirkse1995]; Cao, Ferris 1996 [cao1996].
class SparsePath {
 public:
  /// The problem outlives the path; its data are near 1, and it has been validated.
  explicit SparsePath(const SparseProblem& problem);

  /// Puts the path's start at places and z (of rows between, which may be beyond their bounds; then they are at these),
  /// w and v there what they have to be and `lift` more (n entries; empty: nothing more). The path may come from
  /// infinity, along a ray t >= 1 that the caller knows to leave every basic variable within its bounds, as Lemke's
  /// does with lift > 0 and every bounded row at a bound; t has no limit then. False where the basis is singular.
  [[nodiscard]] bool start(const Places& places, ConstVectorRef z, ConstVectorRef lift, bool from_infinity);

  /// Breakdown also where the path comes back to the t of its start.
  [[nodiscard]] PivotEnd run(Index max_pivots, Index refactor_every, const nonsmooth::detail::Deadline& deadline);

  [[nodiscard]] Index pivots() const { return pivots_; }
  [[nodiscard]] const Places& places() const { return places_; }  ///< rows between: those with a basic z
  /// z part of a secondary ray, within the directions that the box leaves.
  [[nodiscard]] const Eigen::VectorXd& ray() const { return ray_; }
  void extract(VectorRef z) const;

 private:
  /// A variable: z_i, w_i, v_i of a row, or t.
  enum class Kind : unsigned char { Z, W, V, T };
  struct Variable {
    Kind kind = Kind::T;
    Index row = -1;
    friend bool operator==(const Variable&, const Variable&) = default;
  };
  struct Entering {
    Variable variable;
    double direction = 1.0, room = 0.0;  ///< which way it moves, and how far to its other bound
  };
  struct Leaving {
    Index position = -1;  ///< in the basis; -1: the entering variable comes to its other bound
    double step = 0.0, perturbed = 0.0;
  };

  [[nodiscard]] double lower(const Variable& variable) const;
  [[nodiscard]] double upper(const Variable& variable) const;
  [[nodiscard]] double value_where_it_is(const Variable& variable) const;
  void add_column(const Variable& variable, double factor, VectorRef sum) const;  ///< sum += factor column
  [[nodiscard]] bool refactor();
  [[nodiscard]] Entering complement_of(const Variable& left);
  [[nodiscard]] std::optional<PivotEnd> find_leaving(const Entering& entering, Leaving& leaving);
  void ratio_test(const Entering& entering, double threshold, Leaving& leaving);
  void move(const Entering& entering, const Leaving& leaving);
  void set_ray(const Entering& entering);

  const SparseProblem& p_;
  const Index n_;
  Places places_;                // of rows whose z is not basic: where it is; Between otherwise
  std::vector<Variable> basic_;  // by position
  Eigen::VectorXd r_, p0_;       // of t, entries up to 1; the perturbation of the right-hand side
  Eigen::VectorXd x_, perturbed_, column_, step_, ray_;
  double t_ = 0.0;       // where it is while it is not basic
  double t_most_ = 0.0;  // a path that comes back to its t is a loop, but for one from infinity
  nonsmooth::detail::UpdatedFactors factors_;
  std::vector<Eigen::Triplet<double>> entries_;
  std::vector<Index> tied_;
  Index pivots_ = 0, since_refactor_ = 0;
  bool fresh_ = false;
};

}  // namespace nonsmooth::relay::detail
