// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/disjoint_sets.hpp>

#include "newton.hpp"

namespace nonsmooth {

/// Bounds of friction in joints that make themselves, within Newton's iteration of a step.
///
/// x: multipliers of the joints, which give the bounds; G(x): those that solve the step with these bounds. Sought is
/// x = G(x). Where held and rubbing rows do not depend on one another there is one: G(x) is unique (a problem of given
/// bounds is strictly convex) and continuous in the bounds, and it is bounded, as from a bound on the joint sticks and
/// G no longer changes; so G maps a ball into itself (Brouwer). Contacts with friction beside are not convex, and leave
/// that open: the same bounds have several answers there, and a solver that begins anew changes between them even at x
/// = G(x). Where that shows (Patience) the step goes on from its last answer, which is kept while it is one. There may
/// be several x where friction takes more of its reaction than there is: rest beside a motion, by where x begins. By
/// steps a joint that jams stops, by an impulse.
///
/// x := G(x) converges by |G'| alone: slowly as friction makes nearly all of its reaction, not at all where it takes
/// more of it than there is. Here f = G(x) - x is made zero along the last two differences (Anderson),
///
///     x := G - a_1 (G - G_1) - a_2 (G - G_2),    |f - a_1 (f - f_1) - a_2 (f - f_2)| least,
///
/// each joint's rows measured by its largest multiplier, each mechanism by itself: what is not joined with one another
/// would need as many differences as there are mechanisms. A mechanism: systems that laws of two sides join; contacts
/// do not. Where f grows along x (G' > 1, a joint that jams on the way to where it sticks) x goes on by 2, 4, 8...
/// times f. After a step that did not make |f| a fourth comes x := G(x). Source: Walker & Ni 2011 [walker2011].
///
/// Rows of joints that turn move with z, so that G is one of (x, z): where that is felt, as in long steps of fast
/// chains or near dead centres, differences in x alone mislead. So behind `kUnknownsFrom` iterates z is a part of x,
/// its velocities measured by the largest of the mechanism, also without reactions. The growth that leaps are for stays
/// that along multipliers.
class BoundSearch {
 public:
  /// Before the first iterate of a step. `lengths`: lengths_of_unknowns(); both are kept.
  void begin(const RelationCaches& relations, const Layout& layout, const Eigen::VectorXd& lengths,
             NewtonCaches& newton);
  /// Moves the iterate: multipliers of joints and, later on, unknowns of their mechanisms as above, all else to the
  /// solution's.
  void move(const RelationCaches& relations, const StepSolution& solution, Iterate& iterate);

 private:
  struct Mechanism {
    // Products of f and of its differences, and how f grows along x.
    double ff = 0.0, f1 = 0.0, f2 = 0.0, d11 = 0.0, d12 = 0.0, d22 = 0.0, growth = 0.0;
    double last = 0.0, leap = 1.0;  ///< ff of the last iterate; by how much of f x goes on
    double a1 = 0.0, a2 = 0.0;
    bool plain = true, rubs = false;  ///< has joints whose bounds are sought
  };
  [[nodiscard]] Mechanism& mechanism_of(const RelationCaches& relations, const InteractionPlan& joint);
  void add_products(const InteractionPlan& joint, const Eigen::VectorXd& G, const Eigen::VectorXd& x,
                    Mechanism& mechanism) const;
  void add_products(const StepSolution& solution, const Iterate& iterate, std::size_t number);
  void choose(Mechanism& mechanism) const;
  void move_unknowns(const StepSolution& solution, Iterate& iterate);
  /// Calls visit(k) for the unknowns of a mechanism.
  template <class Visit>
  void for_unknowns(std::size_t number, Visit visit) const;

  Eigen::VectorXd* x_[2] = {};  ///< the last two x, the latest first; memory that nothing else needs in such a step
  Eigen::VectorXd* G_[2] = {};
  Eigen::VectorXd z_[2], solved_[2];  ///< the same of z
  const Layout* layout_ = nullptr;
  const Eigen::VectorXd* lengths_ = nullptr;
  int known_ = 0;
  Index iterates_ = 0;
  DisjointSets systems_{0};
  std::vector<Index> begin_, members_;
  std::vector<Mechanism> mechanisms_;
};

}  // namespace nonsmooth
