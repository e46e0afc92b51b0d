// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "constraint_stabilisation.hpp"
#include "impact/impact_problem.hpp"

namespace nonsmooth::events {

/// Impacts that accumulate (Zeno): an infinite number of them in a finite time, at distances that fall as a geometric
/// sequence. The sequence is recognised, its end predicted, and what is left of it, once that is below the threshold,
/// is gone through by time-stepping (step() of workspace.hpp), which tells whether it comes to rest and how far from
/// the floor. From there the contact is closed, and the error of its gap is at most that height. What time-stepping
/// refuses is followed on, impact by impact.
class Accumulations {
 public:
  /// `user`: what `model` was read from, to live as long as this.
  Accumulations(const NonSmoothDynamicalSystem& user, MechanicalModel& model, const MechanicalTolerances& tolerances,
                ConstraintStabilisation& stabilisation);

  /// What is found at an impact, by contact.
  struct Carried {
    std::vector<char> stays;  ///< goes on closed though its law lets it leave: the rest of its impacts is too low
    std::vector<char> rests;  ///< rests behind the impact, beside one that stays
  };

  /// Forgets all impacts.
  void reset();
  void remember_impact(std::size_t i, double t);
  /// After an impact on `taking`, its velocities in z: the contacts that stay, as what is left of their impacts is
  /// below the threshold, and those that rest beside them. Logs an Accumulation for each that stays.
  [[nodiscard]] Carried find_carried(double t, const Eigen::VectorXd& z, const impacts::ImpactProblem& impact,
                                     const std::vector<std::size_t>& taking, std::vector<Event>& log);
  /// Takes away the velocities with which contacts that stay would leave; rows at rest remain so.
  void hold_carried(double t, Eigen::VectorXd& z, const std::vector<char>& stays);
  /// Impacts so far (memory.hpp).
  template <class Memory>
  void remember(Memory& memory) {
    memory(sequences_);
  }

 private:
  /// The impacts of one contact.
  struct Sequence {
    double last_impact = -std::numeric_limits<double>::infinity();
    double last_interval = std::numeric_limits<double>::infinity();  ///< between its last two impacts [s]
    double last_ratio = 1.0;                                         ///< of that one to the interval before it
    double restitution = -1.0;  ///< its departure by its approach at its last impact, in [0, 1]; < 0: it had none
    Index close = 0;            ///< impacts so far, one within round-off of t after the other
    Index geometric = 0;        ///< impacts so far whose intervals are a geometric sequence that falls; 0: they are not

    template <class Memory>
    void remember(Memory& memory) {
      memory(last_impact, last_interval, last_ratio, restitution, close, geometric);
    }
  };
  /// What time-stepping finds on its way through the rest of a sequence of impacts.
  struct Passage {
    bool rests = false;    ///< it comes to rest where predicted
    double highest = 0.0;  ///< gap of the contacts asked for
  };
  /// Bodies that act on one another as a model for step(), and where they are.
  struct Stepped {
    NonSmoothDynamicalSystem model;
    State state;
    std::vector<Index> rows;  ///< normal ones of the contacts asked for
  };
  /// find_carried() of contacts that act on one another, the fastest of which approached with `approach`; adds to
  /// those that stay. True where it does.
  bool find_carried_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
                             double approach, std::vector<char>& stays, std::vector<Event>& log);
  [[nodiscard]] Passage step_through(double t, double flight, double end, const Eigen::VectorXd& z,
                                     const std::vector<std::size_t>& taking, const std::vector<std::size_t>& carried);
  [[nodiscard]] Stepped stepped_island(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
                                       const std::vector<std::size_t>& carried) const;
  [[nodiscard]] std::vector<char> connected_systems(const std::vector<std::size_t>& taking) const;
  [[nodiscard]] Law stepped_law(std::size_t i) const;
  [[nodiscard]] double rebound_height(std::size_t i, double t, const Eigen::VectorXd& z);
  [[nodiscard]] std::vector<Index> rows_at_rest() const;

  const NonSmoothDynamicalSystem& user_;
  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  ConstraintStabilisation& stabilisation_;
  std::vector<Sequence> sequences_;  ///< by contact
};

}  // namespace nonsmooth::events
