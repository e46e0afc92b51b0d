// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/numerics/sets.hpp>

#include "decision_by_flow.hpp"
#include "impact/impact_problem.hpp"

namespace nonsmooth::events {

/// The mode that follows an instant: the problem of accelerations on the resting contacts, and what its answer makes of
/// them.
class NextMode {
 public:
  NextMode(MechanicalModel& model, const MechanicalTolerances& tolerances, SmoothMode& mode, DecisionByFlow& decision)
      : model_(model), tolerances_(tolerances), mode_(mode), decision_(decision) {}

  /// Sets the statuses of resting contacts. `slips`: those whose direction of slip is known; others are added. `holds`:
  /// those whose friction is known to hold, at its bound or not. `unloaded`: those whose normal force came to zero.
  /// `stops`: those of mechanisms where a slip came to its end.
  [[nodiscard]] Resolution choose(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                  std::vector<char>& slips, const std::vector<char>& holds,
                                  const std::vector<char>& unloaded, const std::vector<char>& stops,
                                  std::vector<Event>& log);
  /// What contacts do otherwise than `before`. `beginning`: the mode is the first of a motion.
  void log_changes(double t, const ContactStates& before, const std::vector<char>& impacted, bool beginning,
                   std::vector<Event>& log) const;

  // Other accelerations than those taken (next_mode_others.cpp).
  /// Accelerations that satisfy the laws at the last instant as well.
  struct Other {
    std::string subject;           ///< the interaction of a contact that they concern
    Eigen::VectorXd vdot, forces;  ///< packed; by row of the model
    Eigen::VectorXd lambda, w;     ///< of the problem of accelerations
    std::vector<Event> rows;       ///< contacts that do otherwise
  };
  [[nodiscard]] const std::vector<Other>& others() const noexcept { return others_; }
  /// Before an instant: its problem is none yet, and nothing is known of other accelerations.
  void begin() noexcept {
    others_.clear();
    problem_.blocks.clear();
    written_ = true;
  }
  /// The last problem of accelerations at the last instant; empty where nothing rests.
  [[nodiscard]] const OneStepNSProblem& problem() const;
  /// What their contacts do otherwise, once the mode is known.
  void tell_others(double t, bool beginning);
  /// Entries of the rates of z = (positions; unknowns) and of State::forces.
  void write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& forces) const;

 private:
  /// The problem of accelerations on the resting contacts, and its answer.
  struct Accelerations {
    std::vector<std::size_t> contact;  ///< of each block
    std::vector<Index> first;          ///< row of each block in the problem
    std::vector<char> sticks;          ///< the block has its tangential rows
    struct Friction {
      std::size_t block = 0, contact = 0;
      Index first = 0;  ///< row in the problem
    };
    std::vector<Friction> friction;    ///< within blocks, of contacts that may stick: against sliding, turning
    ProductSet sets;                   ///< of the blocks
    std::vector<Index> rows;           ///< of the model, all blocks' in a row
    Eigen::MatrixXd W;                 ///< H M^-1 E, of contacts that slip with their friction
    Eigen::VectorXd b, lambda, w;      ///< w = W lambda + b
    std::vector<std::size_t> rubbing;  ///< joints that slip: no blocks
    /// By block, of its mechanism: of lambda, and of what would balance the largest acceleration met; A.
    std::vector<double> largest_force, largest_rate;
  };
  [[nodiscard]] bool leave_torn(std::vector<char>& stay) const;
  void find_slips(const std::vector<char>& resting, const std::vector<char>& stops, std::vector<char>& slips);
  [[nodiscard]] Resolution solve(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                 const std::vector<char>& slips, Accelerations& answer, std::vector<Event>& log);
  void list_blocks(const std::vector<char>& resting, const std::vector<char>& slips, Accelerations& answer);
  void list_contact(std::size_t i, const std::vector<char>& slips, Accelerations& answer);
  [[nodiscard]] BlockSet set_of(const Accelerations& answer) const;
  [[nodiscard]] Eigen::MatrixXd accelerations_by_forces(const std::vector<char>& slips,
                                                        const Accelerations& answer) const;
  /// Contacts that are known to stick hold, whatever their accelerations say.
  void hold_known(const std::vector<char>& holds, std::vector<std::size_t>& undecided);
  [[nodiscard]] Eigen::MatrixXd accelerations_by_rubbing(const Accelerations& answer);
  void measure_scales(Accelerations& answer) const;
  /// By solve_contact_problem(), until the bounds of friction in joints are those of the answer's own reactions. Its b
  /// gets what joints that slip push.
  [[nodiscard]] impacts::ContactAnswer solve_rubbing(Accelerations& answer);
  [[nodiscard]] Resolution no_accelerations(const impacts::ContactAnswer& solved, const Accelerations& answer) const;
  /// Sets the status of every contact of the answer; those that it leaves open go into `undecided`.
  void judge(const Accelerations& answer, std::vector<std::size_t>& undecided);
  /// `load`: the normal force by which it is judged.
  void judge_contact(const Accelerations& answer, std::size_t block, double load, std::vector<std::size_t>& undecided);
  /// Of friction that may stick: `bound` of its size, `zero` of that, `still` of the slip's rate.
  void judge_friction(std::size_t i, ConstVectorRef friction, ConstVectorRef slip, double bound, double zero,
                      double still, std::vector<std::size_t>& undecided);
  /// Shares friction of those of `contacts` that stick as evenly as it can be, where by that all of them can.
  [[nodiscard]] bool share_evenly(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& contacts);
  /// Rows of an answer by who bears what: normal forces and equality rows carry; friction and bounded rows are given.
  struct Loads {
    struct Bounded {
      Index block = 0, row = 0;
      double friction = 0.0;
    };
    Eigen::MatrixXd G;                         ///< H M^-1 H^T
    std::vector<Index> rows, carrying, given;  ///< of what is closed; normal forces and equality rows; the others
    ProductSet sets;                           ///< of `rows`
    std::vector<Bounded> bounded;              ///< contacts, and the rows of their normal forces
    LoadShares shares{kDependentRows};
    Eigen::VectorXd lambda;  ///< of `carrying`
    /// lambda beside the given rows of that answer.
    void share(const Accelerations& answer);
  };
  [[nodiscard]] Loads list_loads(const Accelerations& answer) const;
  /// Where friction that starts from rest depends on how contacts share their loads, by shares as those of the mode;
  /// each mechanism for itself: those where something slides, or those where nothing does and something is undecided.
  /// False where the answer has these shares.
  bool settle_loads(bool sliding, const std::vector<char>& holds, Accelerations& answer,
                    std::vector<std::size_t>& undecided);
  [[nodiscard]] bool settle_together(const std::vector<char>& holds, Accelerations& answer,
                                     std::vector<std::size_t>& undecided);
  /// Blocks of the answer, and what it has of joints that slip, by mechanism.
  struct Together {
    std::vector<Index> blocks;
    std::vector<std::size_t> rubbing;
  };
  [[nodiscard]] std::vector<Together> by_mechanism(const Accelerations& answer) const;
  [[nodiscard]] static Accelerations part_of(const Accelerations& answer, const Together& together);
  [[nodiscard]] static bool solve_with_loads(const Loads& loads, Accelerations& answer);
  void hold_loads(double t, const Eigen::VectorXd& z, const Accelerations& answer, std::vector<std::size_t>& undecided);
  void unload(const std::vector<char>& unloaded, std::vector<std::size_t>& undecided);
  void hold_friction(double t, const Eigen::VectorXd& z, std::vector<std::size_t>& undecided);
  void note_others(const std::vector<char>& slips, const Accelerations& answer,
                   const std::vector<Eigen::VectorXd>& lambdas);

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  SmoothMode& mode_;
  DecisionByFlow& decision_;
  Eigen::VectorXd forces_;  ///< by row, of the last iterate of solve_rubbing()
  std::vector<Other> others_;
  Accelerations of_others_;  ///< the problem that they solve
  /// The last problem of accelerations as it was solved, and as it is shown: written when somebody asks, as most runs
  /// ask for none.
  struct Solved {
    Eigen::MatrixXd W;
    Eigen::VectorXd b, lambda;
    ProductSet sets;
    std::vector<std::size_t> contact;  ///< of each block
    Status status = Status::NotRun;
    std::string_view solver;
  } last_;
  mutable OneStepNSProblem problem_;
  mutable bool written_ = true;
};

}  // namespace nonsmooth::events
