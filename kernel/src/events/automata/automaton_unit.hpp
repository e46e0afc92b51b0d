// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "events/mode_part.hpp"
#include "filippov/chattering.hpp"
#include "model/switched/hybrid_automaton.hpp"

namespace nonsmooth::events {

/// One HybridAutomaton in its mode: the guards of the transitions that leave it, and its invariant. Its rates are those
/// of a first-order system (FirstOrderPart), as f reads the mode that is the last of its states.
///
/// At an instant a transition is taken where its guard was found to rise through zero, is above zero, or is zero
/// (within EventThresholds::accumulation of its terms) and rises along the mode's own field by the first of two
/// derivatives that tells; then the next from the new mode, until none is. A pair (mode, x) that comes again is a cycle
/// without end. What neither derivative decides is left to the search along the next step, which comes back here where
/// the guard rises. Where a saw-tooth begins that is fast (HybridAutomaton::sliding_interval), the transition leads to
/// the mode that slides in its place, and from there on the distance of both motions is followed.
class AutomatonUnit {
 public:
  /// Where its numbers are.
  struct Place {
    SystemHandle handle{};
    Index z = 0, unknown = 0;              ///< first of its states in z, and in State::unknowns
    Index num_unknowns = 0, num_rows = 0;  ///< of the model
  };
  /// One of several transitions at an instant.
  struct Motion {
    Index transition = 0, to = 0;
    Eigen::VectorXd x, rate;  ///< right after it, by the field of the mode that it leads to
  };
  /// A time in which x slid, or slides, in the place of a saw-tooth.
  struct Stretch {
    Index mode = -1;            ///< the sliding mode; -1: none
    double from = 0.0;          ///< its start [s]
    double distance = 0.0;      ///< the largest bound so far
    double t = 0.0, eta = 0.0;  ///< where it was followed to, and |eta| there
    Eigen::VectorXd x{};        ///< there
    bool told = false;          ///< that it began, by this unit

    template <class Memory>
    void remember(Memory& memory) {
      memory(mode, from, distance, t, eta, x);
    }
  };

  AutomatonUnit(std::shared_ptr<const AutomatonFields> fields, std::string name, Place place,
                const EventDrivenOptions& options);

  void set_window(const TimeWindow& window) noexcept { window_ = window; }
  [[nodiscard]] Index num_guards() const noexcept { return static_cast<Index>(watched_.size()); }
  void guards(double t, const Eigen::VectorXd& z, double* values);
  [[nodiscard]] std::string guard_name(Index guard) const;
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips);
  bool remove_drift(double t, Eigen::VectorXd& z);
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log);
  void reset();
  template <class Memory>
  void remember(Memory& memory, const Eigen::VectorXd& z);  // automaton_part.cpp

  [[nodiscard]] const std::vector<Motion>& others() const noexcept { return others_; }
  [[nodiscard]] Event event_of(double t, const Motion& motion) const;
  /// tell(subject, stretch, begins) of stretches since the last call; of one that goes on every time.
  template <class Tell>
  void tell_sliding(Tell&& tell) {
    const auto subject = [&](const Stretch& one) { return name_ + ": " + fields_->mode(one.mode).name; };
    for (const Stretch& one : ended_) tell(subject(one), one, !one.told);
    ended_.clear();
    if (now_.mode < 0) return;
    tell(subject(now_), now_, !now_.told);
    now_.told = true;
  }
  void write_rate(const Motion& motion, Eigen::VectorXd& unknown_rates) const {
    unknown_rates.segment(place_.unknown, fields_->n()) = motion.rate;
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] Index unknown() const noexcept { return place_.unknown; }

 private:
  /// value = sign c - offset: -g of a transition, I of the mode.
  struct Watched {
    Index transition = -1;  ///< -1: the invariant
    double sign = -1.0;
    int zeros = 0;
    double offset = 0.0;

    template <class Memory>
    void remember(Memory& memory) {
      memory(zeros, offset);
    }
  };
  /// What is known of a function at (t, x), along the field of the present mode.
  struct Reading {
    double value = 0.0, terms = 0.0;       ///< c; the magnitudes it is taken from, with the largest |x| met
    double slope = 0.0, slope_zero = 0.0;  ///< dc/dt along the field; a slope that is none
    double curvature = 0.0;                ///< d2c/dt2; 0 where it is differences' noise
    /// 1 rises, -1 falls, 0 not known.
    [[nodiscard]] int direction() const noexcept {
      if (std::abs(slope) > slope_zero) return slope > 0.0 ? 1 : -1;
      return curvature > 0.0 ? 1 : curvature < 0.0 ? -1 : 0;
    }
  };

  void gather(const Eigen::VectorXd& z);
  [[nodiscard]] const SwitchingFunction& function_of(const Watched& watched) const;
  [[nodiscard]] double value_of(const SwitchingFunction& function, double t, const Eigen::VectorXd& x);
  /// dc/dt along the field of the present mode, whose terms it returns; gradient_ and rate_ are left.
  double slope_of(const SwitchingFunction& function, double t, const Eigen::VectorXd& x, double& slope);
  [[nodiscard]] double terms_of(const SwitchingFunction& function, double t, const Eigen::VectorXd& x);
  void field(Index m, double t, const Eigen::VectorXd& x, Eigen::VectorXd& value);
  [[nodiscard]] Reading read(const SwitchingFunction& function, double t);
  void watch_mode();
  void begin_watch(double t);

  // The instant (automaton_instant.cpp).
  [[nodiscard]] std::vector<Motion> enabled(double t, const std::vector<Index>& crossed);
  /// Which of several is taken; -1: none.
  [[nodiscard]] Index chosen(double t, const std::vector<Motion>& motions);
  /// The next transition, into path_. False: there is none, or `resolution` says why the run ends.
  bool go_on(double t, const std::vector<Index>& crossed, std::vector<Event>& log, Resolution& resolution);
  /// A motion by the transition k, to the mode that slides where that begins.
  [[nodiscard]] Motion motion_by(Index k, double t);
  void begin_stretch(double t);
  void resume_stretch();
  void end_stretch();
  /// The bound up to (t, x_): |eta|' = mu |eta| + |B| d by Runge and Kutta's method of fourth order.
  void follow(double t);
  [[nodiscard]] bool invariant_ends(double t, bool crossed);
  [[nodiscard]] bool returns_at_once(double t);
  [[nodiscard]] Resolution without_exit(double t);
  [[nodiscard]] std::string text_of_state(double t) const;
  [[nodiscard]] std::string text_of(const Motion& motion) const;
  [[nodiscard]] std::string text_of_path(std::size_t first) const;

  std::shared_ptr<const AutomatonFields> fields_;
  std::string name_;
  Place place_;
  EventThresholds thresholds_;
  OnAmbiguity on_ambiguity_;
  std::function<Index(const std::vector<OtherMotion>&)> choose_;
  TimeWindow window_;

  Index mode_ = -1;  ///< whose guards are watched; -1: none yet
  std::vector<Watched> watched_;
  Eigen::VectorXd largest_;  ///< |x|
  std::vector<Motion> others_;
  Stretch now_;
  std::vector<Stretch> ended_;
  std::unique_ptr<filippov::Chattering> chattering_;  ///< of the present stretch

  /// Where an instant came by: mode and x before a transition.
  struct Visit {
    Index mode = 0;
    Eigen::VectorXd x;
    Index transition = 0;
  };
  std::vector<Visit> path_;
  Eigen::VectorXd x_, rate_, later_, middle_, gradient_;
};

}  // namespace nonsmooth::events
