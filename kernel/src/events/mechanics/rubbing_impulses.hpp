// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "impact/impact_problem.hpp"
#include "mechanical_model.hpp"

namespace nonsmooth::events {

/// What was found of joints that rub in an impact: rows behind those of the impact's problem.
struct RubbedRows {
  std::vector<std::size_t> contacts;
  Eigen::VectorXd bounds;            ///< of each
  Eigen::VectorXd u_minus, impulse;  ///< by row
  Eigen::MatrixXd W;                 ///< of all rows, H M^-1 H^T

  /// The impact and these rows as one problem, with the origin of each: -u+ in the normal cone of |tau| <= bound at
  /// tau, the bound that of the answer; of several rows a ball behind the row that its joint holds.
  void write(const impacts::ImpactProblem& problem, const impacts::ImpactResult& solved,
             const std::vector<std::size_t>& taking, const MechanicalModel& model, OneStepNSProblem& written) const;
};

/// Friction of joints in an impact that jolts them: beside the impulses p of the contacts and of what joints hold,
///
///     v+ = v- + M^-1 (H^T p + H_g^T tau_g),    |tau_g| <= bound_g(p, tau),   tau_g against u_g+ with that size,
///
/// without preloads, which have no impulse. Found by turns, p with tau known and each tau_g as its law has it with all
/// others known: until no tau changes. tau is not thrown back: by each law a contact gives back what it does without
/// tau (impacts::with_given_back), as in a step of time-stepping.
class RubbingImpulses {
 public:
  /// The model at the (t, z) that was evaluated last, with M; contacts that take part.
  RubbingImpulses(const MechanicalModel& model, const std::vector<std::size_t>& taking);
  /// The answer of the contacts, and v+. X = M^-1 H^T of their rows, as the problem has them.
  [[nodiscard]] impacts::ImpactResult solve(const impacts::ImpactProblem& problem, const Eigen::MatrixXd& X,
                                            const Eigen::VectorXd& v_minus, Eigen::VectorXd& v_plus);
  /// Adds tau to the rows of the joints.
  void add_to(Eigen::VectorXd& percussions) const;
  /// Of the last solve(), which was solved.
  [[nodiscard]] RubbedRows rows(const impacts::ImpactProblem& problem) const;

 private:
  struct Group {
    std::size_t number = 0;  ///< of its contact
    const Contact* contact = nullptr;
    Eigen::MatrixXd H, X;  ///< of its rows; M^-1 H^T
    Eigen::VectorXd u_minus, impulse;
    Eigen::MatrixXd mobility, axes;  ///< H M^-1 H^T; its eigenvectors
    Eigen::VectorXd along;           ///< its eigenvalues, those of zero at round-off

    /// tau that its law has where u is the velocity without it.
    [[nodiscard]] Eigen::VectorXd impulse_on(const Eigen::VectorXd& u, double bound) const;
  };
  /// The largest change of an impulse, and v along with it; `largest`: of the bounds.
  [[nodiscard]] double turn(const Eigen::VectorXd& v_minus, Eigen::VectorXd& v_plus, Eigen::VectorXd& pushed,
                            double& largest);

  const MechanicalModel& model_;
  std::vector<Index> rows_;  ///< of the contacts, in the order of the problem
  std::vector<Group> groups_;
  Eigen::VectorXd impulses_;  ///< by row of the model
};

}  // namespace nonsmooth::events
