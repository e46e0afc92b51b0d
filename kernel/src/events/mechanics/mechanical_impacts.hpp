// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "accumulations.hpp"
#include "impact/impact_problem.hpp"
#include "rubbing_impulses.hpp"

namespace nonsmooth::events {

/// What an instant does to velocities: prescribed impulses, and impacts of the contacts that are closed.
class MechanicalImpacts {
 public:
  MechanicalImpacts(MechanicalModel& model, const MechanicalTolerances& tolerances, Accumulations& accumulations,
                    double impulse_step);

  /// Forgets impulses that were added, and the last problem.
  void reset() noexcept {
    num_pending_ = 0;
    forget_problem();
  }
  /// Jumps v by M^-1 impulse at the next instant, together with others that were added.
  void add_impulse(const Eigen::VectorXd& impulse);
  /// They act at (t, z); from here on percussions, and what impulses moved, are those of t.
  void apply_impulses(double t, Eigen::VectorXd& z, std::vector<Event>& log);
  /// True where they changed velocities of contact i, by H of the velocities evaluated last.
  [[nodiscard]] bool moved(std::size_t i) const;
  /// Flags in `impacted` the contacts that were hit; velocities in z, events in `log`. Newton's law, u+ = -e u-, lets a
  /// contact that separated approach (u+ < 0) where the impulses of others ask for one of its own: impacts follow at
  /// the same instant until none does.
  [[nodiscard]] Resolution solve(double t, Eigen::VectorXd& z, const std::vector<char>& closed,
                                 std::vector<char>& impacted, std::vector<Event>& log);
  template <class Memory>
  void remember(Memory& memory) {
    memory(percussions_, percussion_t_);
  }
  /// The last problem of impacts at the last instant; empty where there was none.
  [[nodiscard]] const OneStepNSProblem& problem() const;
  /// Energy that the impacts at the last instant gave [J], 0 where they gave none, and the name of a contact that did.
  [[nodiscard]] double gain() const noexcept { return gain_; }
  [[nodiscard]] const std::string& gaining() const noexcept { return gaining_; }
  /// Of the last call of solve(): of u by row, 64 eps of the sums of |W_kj p_j|: large where a light body between two
  /// contacts is pushed by both.
  [[nodiscard]] const Eigen::VectorXd& rounding() const noexcept { return rounding_; }
  /// Of the impacts at t, by row.
  [[nodiscard]] double percussion(double t, Index row) const { return t == percussion_t_ ? percussions_[row] : 0.0; }

 private:
  void forget_problem() noexcept {
    problem_.blocks.clear();
    written_ = true;
    gain_ = 0.0;
  }
  [[nodiscard]] std::vector<std::size_t> taking_part(const std::vector<char>& closed) const;
  /// Of the velocities evaluated last: before an impact, and by more than an impact leaves.
  [[nodiscard]] bool approach(const std::vector<std::size_t>& taking) const;
  [[nodiscard]] bool approach_again(const std::vector<std::size_t>& taking) const;
  [[nodiscard]] std::string places(const std::vector<std::size_t>& taking) const;
  /// One impact.
  [[nodiscard]] Resolution collide(double t, Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
                                   std::vector<char>& impacted, std::vector<Event>& log);

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  Accumulations& accumulations_;
  double impulse_step_;
  Eigen::VectorXd pending_;  ///< sum of the impulses that act at the next instant
  Index num_pending_ = 0;
  bool acted_ = false;                      ///< at the last instant, when `pending_` is the jump of v
  Eigen::VectorXd percussions_, rounding_;  ///< of the last instant, m
  double percussion_t_ = std::numeric_limits<double>::quiet_NaN();
  /// The last problem of impacts as it was solved, and as it is shown: written when somebody asks.
  struct Solved {
    impacts::ImpactProblem problem;
    impacts::ImpactResult result;
    std::vector<std::size_t> taking;  ///< contacts
    RubbedRows rubbed;                ///< where it was solved
  } last_;
  double gain_ = 0.0;
  std::string gaining_;
  mutable OneStepNSProblem problem_;
  mutable bool written_ = true;
};

}  // namespace nonsmooth::events
