// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <internal/disjoint_sets.hpp>
#include <nonsmooth/kernel/workspace.hpp>

#include "impact/impact_problem.hpp"
#include "impact/poisson_impact.hpp"
#include "stepping/problem/one_step_solver.hpp"

namespace nonsmooth {

/// Impacts of laws that are no inclusion between u+, u- and one impulse (PoissonImpactLaw, LiuZhaoBrogliatoImpactLaw),
/// in a step. The law alone says what the velocity is after the impact, from u- = u_k and without the forces of the
/// step:
///
///     u_I = u_k + W p_I,   p_I by the law, on the contacts that act (their forecast gap is closed),
///
/// and sigma, made of it, takes the place that -e u- has for Newton's law in the problem of the step,
///
///     u+ = W p + q,   0 <= u_N+ - sigma_N ⟂ p_N >= 0,   Coulomb friction |p_T| <= mu p_N against u_T+ - sigma_T,
///
/// sigma_N = u_IN where p_IN > 0, else sigma = 0: what is not hit is free to go. sigma_T = u_IT where p_IT is inside
/// the cone, of a contact that slides there and that no other acts on with what the forces do to its slip
/// (brake_by_forces() of the source), as a slip that turned is held by nothing; on its boundary it is the least for
/// which p_IT opposes u_IT - sigma_T, 0 where p_IT opposes the slip. So p_I and u_I solve the problem without forces,
/// and a force changes them by what it does in h. As the boundary counts what is inside by no more than the friction
/// that these forces may ask for, mu |q_N
/// - u_kN| / W_NN and |q_T - u_kT| / W_TT: p_IT of a slip that turned in the impact is a little inside, and friction
/// that held u_IT would drive that slip. One frictionless contact: Newton's law.
///
/// W and H are those of the step, of Liu, Zhao and Brogliato's law the symmetric part of W: gyroscopic forces over h,
/// which are skew, do no work in an impact. Joints between bodies that are hit hold in both, those with friction too,
/// under each of the two laws. Contacts that are linked and those found anew are one set. What acts on one another by W
/// is an island; there is an impact in an island where some contact approaches faster than the forces of this step
/// explain, and faster than rounding:
///
///     -u_kN > max(0, u_kN - q_N),   -u_kN > 64 eps max |u_k|.
///
/// Elsewhere sigma = 0, so that a contact that rests does not jump whatever e is, and bounces end where they are as
/// slow as what the forces do in h. Contacts of other impact laws may act beside: of a model in which they meet in no
/// impact nothing is refused, a step in which they do throws. In an island with an impact all of its contacts take
/// part, those at rest too, as at an instant of EventDriven; forces with bounds (relays, springs, friction in joints)
/// do not: they exert no impulse in no time. As h -> 0 the step gives what EventDriven does at an instant, with an
/// error of O(h), of forces over h and of W and H at the step's configuration. Cost where there is an impact: two
/// problems of the size of its islands, of Poisson's law; of Liu, Zhao and Brogliato's what solve_multiple_impact()
/// takes for each island, dense, with memory taken anew.
struct StepImpact {
  bool found = false;        ///< some island has an impact: known at the first iterate of a step
  std::vector<char> taking;  ///< by active block
  DisjointSets islands{0};   ///< of active blocks
  std::vector<char> hit;     ///< by island: some contact approaches, of whatever law
  std::vector<char> own;     ///< by island: it has contacts of these laws, and then no others with an impact law
  std::vector<char> wave;    ///< by island: its contacts have the law of Liu, Zhao and Brogliato
  std::vector<Index> begin, members;
  impacts::BlockSelection rows;
  impacts::PoissonImpact poisson;
  mixed::Workspace solver;
  impacts::ImpactProblem waves;  ///< of one island, dense: the law of Liu, Zhao and Brogliato
  BlockSparseMatrix of_waves;
  GrowingVector u, shift;  ///< u_I of the rows that take part; -sigma, by row of the step's problem
};

namespace stages {

/// What a model is to say of such laws. @throws InvalidArgument with a scheme at the level of positions, with
/// Form::Global, with sets that such a law cannot have, naming the interaction.
void check_separate_impacts(const TimeSteppingOptions& options, const RelationCaches& relations,
                            const ContactSearch& search);
/// Which of the blocks that act take part in an impact at the start of the step; after assemble(), at its W and q.
/// @throws InvalidArgument naming two contacts of an island with an impact, the one of such a law, the other of
/// another.
void find_impact(const StepView& step, const ActingRows& acting, const OneStepNSProblem& problem, StepImpact& impact);
/// Shifts the blocks that take part by -sigma, q with them (once more at a later iterate, whose q has the shift of the
/// one before). False where the impact was not solved: then the problem's outcome is that of its phase, and `detail`
/// says where.
[[nodiscard]] bool solve_impact(const TimeSteppingOptions& options, const StepView& step, const ActingRows& acting,
                                StepImpact& impact, ActiveSet& active, OneStepSolver& one_step, std::string& detail);

}  // namespace stages
}  // namespace nonsmooth
