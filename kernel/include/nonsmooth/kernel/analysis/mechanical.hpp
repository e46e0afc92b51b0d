// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>

namespace nonsmooth::analysis {

/// Painlevé's bound of one contact with Coulomb friction, alone on its mechanism: with G = H M^-1 H^T after bilateral
/// constraints are eliminated,
///
///     mu < G_NN / |G_NT|:    one acceleration for every force; else, for some forces several or none.
///
/// With friction against rolling and spinning: mu |G_NT| + rolling |G_NR| + spinning |G_NS| < G_NN. The margin is what
/// all coefficients together may be multiplied by.
/// Source: Génot & Brogliato 1999 [genot1999].
struct FrictionBound {
  std::string contact;    ///< "rows 0 and 1 of foot"
  double friction = 0.0;  ///< mu; the larger one where it holds more than it brakes, or is elliptic
  bool known = true;      ///< false: bilateral rows hold the normal, G_NN = 0
  double bound = 0.0;     ///< mu margin, of mu with the others in their ratio to it; infinity too where mu = 0
  double margin = 0.0;    ///< G_NN / (mu |G_NT| + rolling |G_NR| + spinning |G_NS|); infinity where that is 0
  double gap = 0.0;       ///< of the contact at the state [m]
  [[nodiscard]] bool above() const noexcept { return known && !(margin > 1.0); }
};

/// A bilateral row that depends on others: H_row = sum coefficient H_of_term. Those others are independent and none can
/// be left out, so that they and the row are a smallest dependent set.
struct RowDependence {
  struct Term {
    std::string row;           ///< "row 3 of hinge"
    double coefficient = 0.0;  ///< [unit of the dependent row by unit of this one]
  };
  std::string row;
  std::vector<Term> terms;
};

/// Interactions with bilateral rows that lead from system to system and back.
struct KinematicLoop {
  std::vector<std::string> interactions;  ///< one after the other
  /// systems[k] between interactions k and k + 1, the last before the first; "the ground" also where the loop closes
  /// over a body of whose velocities some are prescribed.
  std::vector<std::string> systems;
};

/// Bodies that interactions and contacts tie together, at a state (t, q, v):
///
///     M vdot = F(t, q, v) + H^T lambda,    u = H v + h_t,    W = H M^-1 H^T of the rows that act there.
///
/// Bilateral are EqualityLaw's rows of rigid relations and prescribed velocities; closed is a gap within 1e-10 of the
/// absolute terms |H||q| + |y| (|H| + |y| on manifolds), or negative. Rows are scaled by their norms in the metric of
/// diag(M): units do not matter. One counts as dependent on those before it where less than 1e-10 of it is left, 1e-6
/// where H is a function, as it may come from differences.
struct MechanicalIsland {
  std::vector<std::string> systems, interactions;
  Index velocities = 0;
  Index bilateral = 0;    ///< rows
  Index unilateral = 0;   ///< contacts, detected ones too
  Index closed = 0;       ///< of these
  Index others = 0;       ///< rows of other laws, and with compliance: relays, springs, plasticity
  bool may_meet = false;  ///< a contact source may tie these bodies to others, and to the ground, while the model runs
  bool constant = true;   ///< M, C, K and H are
  bool driven = false;    ///< a function of time, a prescribed motion or a feedback is among the data
  std::string why_not;    ///< where it was not examined; all below is then empty

  Index degrees_of_freedom = 0;        ///< velocities less the rank of the bilateral rows: mobility
  Index counted_freedoms = 0;          ///< velocities less the bilateral rows: Gruebler's count, which rank corrects
  Index hyperstatic_degree = 0;        ///< bilateral rows less their rank
  Index hyperstatic_contacts = 0;      ///< the same with the normal rows of closed contacts, less the one above
  std::vector<std::string> redundant;  ///< bilateral rows that depend on those before them
  std::vector<RowDependence> dependences;  ///< of these, what each depends on
  /// A basis of the loops of systems and of the interactions that hold them bilaterally, "the ground" among them where
  /// an interaction acts on one system alone.
  std::vector<KinematicLoop> loops;
  std::vector<std::string> contradicting;  ///< of these, what asks for another position or velocity than the others
  std::vector<std::string> inside;         ///< contacts whose gap is negative
  std::vector<std::string> unreached;      ///< rows on which no velocity acts: H = 0
  std::vector<FrictionBound> friction;     ///< of each contact with friction, closed or not
  std::vector<std::string> acting;         ///< rows of W: bilateral, of closed contacts, of laws without compliance
  Eigen::MatrixXd W;
  Eigen::VectorXd spectrum;                 ///< eigenvalues of W, ascending
  WellPosedness solutions;                  ///< of the motion
  Verdict unique_step = Verdict::NotKnown;  ///< the velocity after a short step of Moreau-Jean's is unique
  std::string_view unique_step_reason = "not known";
  /// Eigenvalues [1/s] of the linearised motion that bilateral constraints leave free: contacts open, compliant rows
  /// without force, or with (empty: there are none). Those below 1e-8 of the largest are round-off.
  Eigen::VectorXcd free_rates, sprung_rates;
  std::string_view rates_why_not;  ///< where they are empty
  /// Speed at which the gaps that are open and closing would be met under the present acceleration, the largest [m/s].
  /// Of the contacts of interactions, and of detected ones that touch.
  double approach = 0.0;
};

}  // namespace nonsmooth::analysis
