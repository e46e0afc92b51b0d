// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mechanical_impacts.hpp"
#include "next_mode.hpp"

namespace nonsmooth::events {

/// The mechanical subsystem in its mode: smooth mode, guards, impacts, the mode that follows, each a class of its own.
class MechanicalPart final : public ModePart {
 public:
  /// `model` has to live as long as this.
  MechanicalPart(const NonSmoothDynamicalSystem& model, const std::shared_ptr<const Layout>& layout,
                 const EventDrivenOptions& options);
  MechanicalPart(const MechanicalPart&) = delete;
  MechanicalPart& operator=(const MechanicalPart&) = delete;

  [[nodiscard]] bool empty() const noexcept { return model_.num_velocities() == 0; }
  void set_window(const TimeWindow& window) noexcept override { model_.set_window(window); }

  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override;
  [[nodiscard]] Index num_guards() const override { return guards_.size(); }
  void guards(double t, const Eigen::VectorXd& z, double* values) override;
  [[nodiscard]] std::string guard_name(Index guard) const override { return guards_.name(guard); }
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) override;
  [[nodiscard]] MechanicalGuards& zero_crossings() noexcept { return guards_; }
  void begin_step(double t, const Eigen::VectorXd& z) override;
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) override;
  /// See smooth::Turning.
  [[nodiscard]] double slip_begun(double t, const Eigen::VectorXd& z);
  void keep_slow_directions(double t, const Eigen::VectorXd& z);
  [[nodiscard]] double fastest_turn(double t, const Eigen::VectorXd& z, Eigen::VectorXd& finest);
  /// Before remove_drift(), after a step whose errors are controlled: the closed constraint of positions that is off by
  /// more than they explain, as one that jumps is, and by how much; else empty. No correction is right then.
  [[nodiscard]] std::string unexplained_gap(double t, const Eigen::VectorXd& z, double relative_tolerance);
  bool remove_drift(double t, Eigen::VectorXd& z) override { return stabilisation_.remove_drift(t, z); }
  [[nodiscard]] const std::string& lost_constraint() const noexcept { return stabilisation_.lost_constraint(); }
  /// Why the accelerations that were asked for last are not numbers, where a joint's friction is it; else empty.
  [[nodiscard]] const std::string& jammed() const noexcept { return mode_.jammed(); }
  void write(double t, const Eigen::VectorXd& z, State& state) override;

  using Other = NextMode::Other;
  [[nodiscard]] const std::vector<Other>& others() const noexcept { return next_.others(); }
  void write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& forces) const {
    next_.write_other(other, zdot, forces);
  }

  /// See NextMode and MechanicalImpacts.
  [[nodiscard]] const OneStepNSProblem& problem() const { return next_.problem(); }
  [[nodiscard]] const OneStepNSProblem& impact_problem() const { return impacts_.problem(); }
  [[nodiscard]] const MechanicalImpacts& impacts() const noexcept { return impacts_; }
  /// Forgets everything: the next resolve() is a beginning.
  void reset();
  /// What is left of the motion so far, and the same at (t, z) where it was saved; the window is that of then.
  void save(std::vector<double>& numbers);
  void resume(const std::vector<double>& numbers, double t, const Eigen::VectorXd& z);
  /// See MechanicalImpacts.
  void add_impulse(const Eigen::VectorXd& impulse) { impacts_.add_impulse(impulse); }
  [[nodiscard]] const std::vector<MechanicalModel::Impulse>& impulses() const noexcept { return model_.impulses(); }
  [[nodiscard]] MechanicalModel& model() noexcept { return model_; }
  [[nodiscard]] SmoothMode& mode() noexcept { return mode_; }
  /// See SmoothMode.
  void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const double* lambda,
                Eigen::VectorXd& r, double* rows) {
    if (!empty()) mode_.residual(t, z, zdot, lambda, r, rows);
  }
  [[nodiscard]] Index num_multipliers() const noexcept { return mode_.num_multipliers(); }
  [[nodiscard]] const Eigen::VectorXd& multipliers() const noexcept { return mode_.multipliers(); }
  /// See ConstraintStabilisation.
  void make_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what, bool initial = true) {
    if (!empty()) stabilisation_.make_consistent(t, z, repair, what, initial);
  }

 private:
  template <class Memory>
  void remember(Memory& memory) {
    memory(model_, tolerances_.speed_before, tolerances_.rounding, mode_, guards_, accumulations_, impacts_,
           beginning_);
  }
  [[nodiscard]] bool slides_in_space(std::size_t i) const;
  [[nodiscard]] std::vector<char> find_closed(const std::vector<Index>& crossed) const;
  [[nodiscard]] Resolution require_continuous(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed);
  [[nodiscard]] std::vector<char> find_resting(const std::vector<char>& closed);
  [[nodiscard]] std::vector<char> find_unloaded(const std::vector<Index>& crossed) const;
  [[nodiscard]] std::vector<char> find_slipping(const std::vector<Index>& crossed);

  // Onsets of slips (mechanical_part_onsets.cpp).
  /// What an instant is to each contact: that of its mechanism (mechanisms.hpp). Flags by contact.
  struct Happening {
    std::vector<Index> mechanism;
    std::vector<char> quiet;  ///< no impact or impulse, and no guard passed zero: an instant known before, or of others
    std::vector<char> margins;  ///< nothing but friction of contacts that came to its bound
    std::vector<char> stops;    ///< a slip came to its end
    bool only_margins = false;  ///< of all that happens
  };
  [[nodiscard]] Happening find_happening(const std::vector<char>& closed, const std::vector<char>& impacted,
                                         const std::vector<Index>& crossed) const;
  /// Slips of contacts that act on one another, as they begin at one instant together: rows and their velocities, the
  /// fastest slip of size 1. `first`: the speed that it begins with; 0: one just above
  /// what counts as none.
  struct Motion {
    std::vector<std::size_t> contacts;
    std::vector<Index> rows;
    Eigen::VectorXd velocities;
    double first = 0.0;
  };
  /// True where nothing else is to be decided.
  [[nodiscard]] bool begin_slips(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                 const Happening& happening, std::vector<char>& slips, std::vector<char>& holds,
                                 std::vector<Motion>& begin);
  [[nodiscard]] bool share_anew(double t, const Eigen::VectorXd& z, const Happening& happening,
                                std::vector<char>& slips, std::vector<char>& holds, std::vector<Motion>& begin);
  [[nodiscard]] bool hold_by_new_shares(double t, const Eigen::VectorXd& z, const Happening& happening,
                                        const std::vector<char>& held, bool is_all, std::vector<char>& holds);
  void begin_beside_others(const Happening& happening, const std::vector<char>& slips,
                           std::vector<Motion>& begin) const;
  void hold_at_first(const std::vector<char>& resting, const std::vector<char>& quiet);
  /// Contacts that stick, of the flagged ones.
  [[nodiscard]] std::vector<std::size_t> sticking(const std::vector<char>& flagged) const;
  void find_onsets(double t, const Eigen::VectorXd& z, const std::vector<char>& quiet, std::vector<char>& slips,
                   std::vector<char>& holds, std::vector<Motion>& begin);
  void begin_to_slip(const std::vector<std::size_t>& together, const EvenFriction& even, std::vector<char>& slips,
                     std::vector<char>& holds, std::vector<Motion>& begin);
  [[nodiscard]] Motion motion_of(const std::vector<std::size_t>& contacts, const Eigen::VectorXd& slips) const;
  void end_old_slips(double t, Eigen::VectorXd& z, const std::vector<char>& stops);
  void begin_motions(double t, Eigen::VectorXd& z, const std::vector<Motion>& begin);

  MechanicalModel model_;
  MechanicalTolerances tolerances_;
  SmoothMode mode_;
  ConstraintStabilisation stabilisation_;
  MechanicalGuards guards_;
  Accumulations accumulations_;
  MechanicalImpacts impacts_;
  DecisionByFlow decision_;
  NextMode next_;
  bool beginning_ = true;  ///< no mode was chosen since reset()
};

}  // namespace nonsmooth::events
