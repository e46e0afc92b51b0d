// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "newton.hpp"

namespace nonsmooth {

/// Bounds of friction in joints that make themselves, within Newton's iteration of a step.
///
/// x: multipliers of the joints, which give the bounds; G(x): those that solve the step with these bounds. Sought is
/// x = G(x). Where held and rubbing rows do not depend on one another there is one: G(x) is unique (a problem of given
/// bounds is strictly convex) and continuous in the bounds, and it is bounded, as from a bound on the joint sticks and
/// G no longer changes; so G maps a ball into itself (Brouwer). Contacts with friction beside are not convex, and leave
/// that open. There may be several x where friction takes more of its reaction than there is: rest beside a motion, by
/// where x begins. By steps a joint that jams stops, by an impulse.
///
/// x := G(x) converges by |G'| alone: slowly as friction makes nearly all of its reaction, not at all where it takes
/// more of it than there is. Here f = G(x) - x is made zero along the last two differences (Anderson),
///
///     x := G - a_1 (G - G_1) - a_2 (G - G_2),    |f - a_1 (f - f_1) - a_2 (f - f_2)| least,
///
/// each joint's rows measured by its largest multiplier. Where f grows along x (G' > 1, a joint that jams on the way to
/// where it sticks) x goes on by 2, 4, 8... times f. After a step that did not make |f| a fourth comes x := G(x).
/// Source: Walker & Ni 2011 [walker2011].
class BoundSearch {
 public:
  explicit BoundSearch(NewtonCaches& newton)
      : x_{&newton.lambda_base, &newton.z_base}, G_{&newton.lambda_full, &newton.z_full} {}

  /// Moves the iterate: z to that of the solution, multipliers as above, of all that is no joint to the solution's.
  void move(const RelationCaches& relations, const StepSolution& solution, Iterate& iterate);

 private:
  Eigen::VectorXd* x_[2];  ///< the last two x, the latest first; memory that nothing else needs in such a step
  Eigen::VectorXd* G_[2];
  int known_ = 0;
  bool plain_ = true;
  double last_ = 0.0, leap_ = 1.0;
};

}  // namespace nonsmooth
