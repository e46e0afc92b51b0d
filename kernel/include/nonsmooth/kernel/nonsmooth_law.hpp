// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth {

/// 0 <= y ⟂ lambda >= 0, row by row: ideal diodes and their kin (first-order relations).
struct ComplementarityLaw {};

/// Newton's impact law, row by row: where the gap is closed, 0 <= u+ + e u- ⟂ p >= 0.
struct NewtonImpactLaw {
  double restitution = 0.0;  ///< e in [0, 1] [-]
};

/// Newton's impact with Coulomb friction in the plane, two rows (N, T) a contact: û = u+ + e u- in both rows,
/// |p_T| <= mu p_N, sliding opposed to the slip.
struct NewtonImpactFrictionLaw {
  double restitution = 0.0;             ///< normal e_N in [0, 1] [-]
  double friction = 0.0;                ///< mu >= 0 [-]
  double tangential_restitution = 0.0;  ///< e_T in [0, 1] [-]; 0, as friction dissipates unless the data say otherwise
};

/// y = 0 (first order) or u = 0 (mechanics, velocity level), multiplier of any sign.
struct EqualityLaw {};

/// -y in N_[lower,upper](lambda), row by row: lambda = lower where y > 0, upper where y < 0, between where y = 0. In
/// mechanics y is the velocity u and the bounds are those of the force [N].
struct RelayLaw {
  double lower = -1.0;
  double upper = 1.0;
};

/// What a user derives from for a new law: a set a block of rows, and the shift that the velocity before the step adds.
class NonSmoothLaw {
 public:
  virtual ~NonSmoothLaw() = default;
  NonSmoothLaw() = default;
  NonSmoothLaw(const NonSmoothLaw&) = default;
  NonSmoothLaw& operator=(const NonSmoothLaw&) = default;

  [[nodiscard]] virtual Index block_size() const { return 1; }     ///< rows a block; a relation has a multiple of it
  [[nodiscard]] virtual BlockSet set() const = 0;                  ///< in impulses (mechanics) or lambda (first order)
  [[nodiscard]] virtual bool unilateral() const { return false; }  ///< active only where the forecast gap is closed
  /// shift += what is added to u+ before the law: -û in N_K(r) with û made from u+ + shift.
  /// Called from several threads at once where the simulation has several.
  virtual void add_shift(ConstVectorRef u_minus, VectorRef shift) const { (void)u_minus, (void)shift; }
};

}  // namespace nonsmooth
