// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "contact_problem.hpp"

/// What happens to velocities at an impact: small dense problems.
namespace nonsmooth::impacts {

/// One contact of an impact: rows first .. first + size - 1, (N), (N, T) or (N, T1, T2), where it `turns` those of
/// NewtonImpactRollingFrictionLaw; or bilateral rows of any number.
///
/// Newton: every contact that takes part satisfies its law at once, also one that separates before (u_N- > 0).
/// Poisson: compression and expansion (see poisson_impact.hpp). Both agree for one contact without friction.
struct ImpactContact {
  enum class Rule : unsigned char {
    Bilateral,         ///< u+ = 0 in all rows
    Newton,            ///< 0 <= u_N+ + e u_N- ⟂ p_N >= 0, Coulomb friction on u_T+ + e_T u_T-
    Poisson,           ///< compression to u_N = 0, then an expansion that gives back at least e of its impulse
    LiuZhaoBrogliato,  ///< compliant distribution of energies (see multiple_impact.hpp), no friction; bilateral rows
                       ///< hold all along
  };
  Index first = 0, size = 1;
  Rule rule = Rule::Newton;
  double restitution = 0.0;              ///< e >= 0; in [0, 1] but for Newton [-]
  double tangential_restitution = 0.0;   ///< e_T in [-1, 1], Newton [-]
  double friction = 0.0;                 ///< mu >= 0, sizes of 2 and more [-]
  bool turns = false;                    ///< Newton: friction against rolling and spinning, of 3 to 6 rows
  double rolling = 0.0, spinning = 0.0;  ///< >= 0, where it turns [m]
  double stiffness = 1.0;                ///< LiuZhaoBrogliato: > 0; ratios alone matter where exponents agree
  double at_rest = 0.0;                  ///< approach, or motion of bilateral rows, that is none [m/s]
  bool by_matrix = false;                ///< Newton: ImpactProblem::E stands for its own e
  double exponent = 1.5;                 ///< LiuZhaoBrogliato: >= 1 (Hertz 3/2, springs 1)
};

/// u+ = u- + W p with the law of each contact. Contacts own all rows in order. W is symmetric positive semidefinite
/// [1/kg].
struct ImpactProblem {
  Eigen::MatrixXd W;
  Eigen::VectorXd u_minus;
  std::vector<ImpactContact> contacts;
  /// By contact: 0 <= u+ + E min(u-, 0) ⟂ p >= 0 in the normal rows of contacts with `by_matrix`. Empty: there is none.
  Eigen::MatrixXd E;
  double impulse_step = 0.0;  ///< LiuZhaoBrogliato: of the primary contact [N s]; 0: chosen from the data
};

struct ImpactResult {
  Status status = Status::NotRun;
  Eigen::VectorXd p, u_plus;
  double energy_change = 0.0;  ///< sum p (u+ + u-) / 2, <= 0 for laws that dissipate [J]
  /// Largest energy_change of an island above 1e-8 of its terms, where energy grows [J], and its contact that does
  /// most.
  double gain = 0.0;
  Index gaining = -1;
  double stored_energy = 0.0;  ///< largest sum of the contacts' potential energies on the way, LZB; islands add [J]
  std::string detail;          ///< why it is not Solved
};

/// By islands: contacts that W connects (islands.hpp) are solved together, others apart, so only those have to have
/// laws that can act together; an island where no velocity is below -64 eps of the largest one (bilateral: none is
/// above) is left as it is, p = 0.
///
/// Solved only where the law holds to round-off of the data (LZB: see multiple_impact.hpp): Certificate::residual of
/// (p, u) at most 1e-11 or its error at most its round_off. With redundant contacts p is not unique, u+ is (without
/// friction); with friction, Newton's law on redundant contacts may have no solution. Cost: that of
/// solve_contact_problem(), Poisson's law twice; a contact with friction has a second set of tangential rows then.
/// @throws InvalidArgument sizes, values out of range or not finite, contacts that leave rows out, friction with
/// LiuZhaoBrogliato, e_T != 0 with Poisson, friction against turning with other laws than Newton's; in one island
/// different laws of unilateral contacts.
[[nodiscard]] ImpactResult solve_impact(const ImpactProblem& problem);
/// What has to be added to the velocities u behind a contact that an impact hit with p, rows (N), (N, T) or (N, T1, T2)
/// and Coulomb's friction mu, so that p is an answer of its law without restitution: -u_N; of a contact that sticks
/// -u_T too, of one that slides what is not opposed to its friction. One slides where |p_T| is at least mu p_N less
/// `slack` [unit of p].
void write_given_back(double mu, ConstVectorRef p, ConstVectorRef u, double slack, VectorRef shift);
/// The problem whose answer is that of `problem` (with the impulses of `solved`) while nothing else pushes, by
/// inclusions in one impulse without restitution: -û in N_K(p), û = u+ + what each contact gives back, which stays as
/// it is where other impulses change u+. Contacts that were not hit give back nothing, but for Newton's e u-.
[[nodiscard]] ImpactProblem with_given_back(const ImpactProblem& problem, const ImpactResult& solved);
/// By row of its contacts with the law of Liu, Zhao and Brogliato, what the answer may leave of u where a contact comes
/// to rest: twice left_by_multiple_impact of the largest |u-| of its island, for the approach and for the energy that
/// are left; 0 of other rows, and with impulse_step > 0.
[[nodiscard]] Eigen::VectorXd left_by_solver(const ImpactProblem& problem);
/// gain and gaining of an answer p, u_plus.
void find_gain(const ImpactProblem& problem, ImpactResult& result);
/// Its K, and q: u- + e u- of contacts with Newton's law, u- of the others.
[[nodiscard]] ProductSet laws(const ImpactProblem& problem);
[[nodiscard]] Eigen::VectorXd before_with_restitution(const ImpactProblem& problem);
/// Level and solver of a one-step problem that was written of it; takes the certificate where a law is not of its form.
void name_impact(const ImpactProblem& problem, OneStepNSProblem& written);
/// The same as a one-step problem of level Impact, without its blocks: q = u- + e u- and u = u+ + e u- where Newton's
/// law holds, with its certificate; q = u- and u = u+ of contacts with other laws, and then no certificate (NaN), as
/// these laws are not of its form.
void write_impact(const ImpactProblem& problem, const ImpactResult& solved, OneStepNSProblem& written);

}  // namespace nonsmooth::impacts
