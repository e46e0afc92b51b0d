// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/numerics/relay.hpp>

#include "events/mode_part.hpp"
#include "first_order_data.hpp"
#include "first_order_mode.hpp"
#include "smooth/guard_probes.hpp"
#include "smooth/guard_roots.hpp"

namespace nonsmooth::events {

/// The first-order subsystem in its mode (see FirstOrderData and FirstOrderMode).
///
/// A mode is found from one implicit Euler step so short that only what is lost at once counts: the problem on
/// intervals with D + h C P. A state off the constraints of the mode found jumps to them along P Lambda, the limit
/// h -> 0, where the law admits the impulse (no impulse has a bounded multiplier). The mode is believed once its guards
/// say so: each positive, or zero and rising along the mode's own flow, in the first of the derivatives up to the third
/// that tells. Where the step's answer does not pass, the branches of the rows at zero are tried, nearest first.
/// Sources: Acary, Bonnefon & Brogliato 2011 [acarybonnefonbrogliato2011]; Pang & Stewart 2008 [pangstewart2008].
class FirstOrderPart final : public ModePart {
 public:
  /// @throws InvalidArgument as FirstOrderData.
  FirstOrderPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options);

  [[nodiscard]] bool empty() const noexcept { return data_.n == 0; }

  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override;
  [[nodiscard]] Index num_guards() const override { return static_cast<Index>(guards_.size()); }
  void guards(double t, const Eigen::VectorXd& z, double* values) override;
  [[nodiscard]] std::string guard_name(Index guard) const override;
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) override;
  /// As smooth::Guards::along().
  [[nodiscard]] bool guards_along(const smooth::DensePolynomial& dense, Eigen::MatrixXd& coefficients) const;
  /// Guards::probing(): all guards, where e(t) or b(t) may have pulses that no step of an integrator resolves, in
  /// `least` places or more.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense, double least);
  /// The guards that the last probing() asked for; how many.
  Index probe(double t, const Eigen::VectorXd& z, double* values);
  [[nodiscard]] Resolution resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                   std::vector<Event>& log) override;
  bool remove_drift(double t, Eigen::VectorXd& z) override;
  void write(double t, const Eigen::VectorXd& z, State& state) override;
  /// State::unknowns of descriptor systems from what of them is in z, in the present mode; where there is none they
  /// stay.
  void complete(double t, const Eigen::VectorXd& z, Eigen::VectorXd& unknowns);

  /// The mode with the multipliers of the rows between their bounds among the unknowns:
  ///
  ///     r = xdot - g - P lambda^ in the entries of z,   rows: FirstOrderMode::closed_rows().
  ///
  /// Both sides of M xdot = f + B lambda are multiplied by M^-1, which is constant.
  void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const double* lambda,
                Eigen::VectorXd& r, double* rows);
  [[nodiscard]] Index num_multipliers() const noexcept {
    return mode_ ? static_cast<Index>(mode_->between().size()) : 0;
  }
  void multipliers(double t, const Eigen::VectorXd& z, double* lambda);  ///< in the mode at (t, z)

  /// A motion that goes on from the last resolve() as well as that of the mode: rates of x, multipliers, and where its
  /// rows are on another branch, as events of kind Switch.
  struct Other {
    Eigen::VectorXd rate, lambda;
    std::vector<Event> rows;
  };
  [[nodiscard]] const std::vector<Other>& others() const noexcept { return others_; }
  /// Its entries of the rates of z = (positions; unknowns) and of State::multipliers.
  void write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& multipliers) const;

  /// Of the last instant, written when somebody asks: see EventDriven.
  [[nodiscard]] const OneStepNSProblem& mode_problem() const;
  [[nodiscard]] const OneStepNSProblem& jump_problem() const;

  /// Forgets the mode and the largest states met: the next resolve() is a beginning.
  void reset() {
    mode_shown_.forget();
    jump_shown_.forget();
    mode_ = nullptr;
    guards_.clear();
    largest_.resize(0);
    longest_step_ = {};
  }

  /// As MechanicalPart's.
  void save(std::vector<double>& numbers);
  void resume(const std::vector<double>& numbers);

  /// -1 at the lower bound, 0 between, 1 at the upper bound, row by row; empty before resolve().
  [[nodiscard]] std::vector<signed char> branches() const {
    return mode_ ? mode_->status() : std::vector<signed char>{};
  }
  [[nodiscard]] const FirstOrderData& data() const noexcept { return data_; }

 private:
  /// value = sign s[entry] - bound - offset, s = (lambda^; y^).
  struct Guard {
    Index entry = 0, row = 0;
    double sign = 1.0, bound = 0.0;
    int zeros = 0;
    double offset = 0.0;  ///< round-off where the guard starts from zero, taken away

    template <class Memory>
    void remember(Memory& memory) {
      memory(zeros, offset);
    }
  };
  enum class Verdict : unsigned char { Valid, Jump, Invalid };

  // Values in the mode (first_order_part.cpp).
  void values(FirstOrderMode& mode, double t, const Eigen::VectorXd& x);  ///< s_, and g_ where it was needed
  void flow_rates(FirstOrderMode& mode, double t, const Eigen::VectorXd& x, Eigen::VectorXd& xdot);
  void constraint_rate(FirstOrderMode& mode, double t, const Eigen::VectorXd& x);  ///< into rate_
  /// True where time enters by b(t) and e(t) alone, so that the mode's maps are constant.
  [[nodiscard]] bool has_constant_maps(const FirstOrderMode& mode) const noexcept {
    return data_.drift_linear && !data_.matrices_vary && !mode.needs_constraint_rate();
  }
  [[nodiscard]] double guard_terms(const FirstOrderMode& mode, const Guard& guard, const Eigen::VectorXd& x) const;
  /// True where e(t) and b(t) in so many places of a step are those of functions that interpolants follow.
  [[nodiscard]] bool is_resolved(const smooth::DensePolynomial& dense, double places);
  template <class Memory>
  void remember(Memory& memory) {
    memory(resolved_at_, largest_, last_lambda_, longest_step_, difference_step_, own_rate_, time_rate_);
  }
  static std::vector<Guard> guards_of(const FirstOrderMode& mode, const FirstOrderData& data);
  void activate(FirstOrderMode& mode, std::vector<Guard> guards);

  // Time scales and the implicit step (first_order_candidates.cpp).
  void choose_snapshot();
  FirstOrderMode& mode_of(const std::vector<signed char>& status);
  void measure_rates(double t, const Eigen::VectorXd& x);
  [[nodiscard]] double time_rate(double t, const Eigen::VectorXd& x);
  [[nodiscard]] Eigen::VectorXd terms_of_rates(Index size, bool with_drift, const Eigen::VectorXd& x) const;
  [[nodiscard]] double flow_rate(FirstOrderMode& mode) const;
  void scale_step(double h);
  [[nodiscard]] std::optional<std::vector<signed char>> implicit_step(double t, double h, const Eigen::VectorXd& x);

  // The instant (first_order_resolution.cpp).
  [[nodiscard]] bool find_mode(double t, Eigen::VectorXd& x);
  [[nodiscard]] Verdict judge(FirstOrderMode& mode, double t, Eigen::VectorXd& x);
  [[nodiscard]] Verdict project(FirstOrderMode& mode, double t, Eigen::VectorXd& x);
  [[nodiscard]] bool guards_hold(FirstOrderMode& mode, double t, const Eigen::VectorXd& x);
  [[nodiscard]] bool derivatives_hold(FirstOrderMode& mode, double t, const Eigen::VectorXd& x,
                                      const std::vector<std::size_t>& at_zero);
  [[nodiscard]] int leading_order(Index i, bool& doubtful) const;
  void flow_of_guards(FirstOrderMode& mode, double t, double h, const Eigen::VectorXd& x,
                      const std::vector<std::size_t>& at_zero);
  [[nodiscard]] Verdict try_neighbours(double t, const std::vector<signed char>& start, bool jumps, Eigen::VectorXd& x);
  [[nodiscard]] bool rests(double t, Eigen::VectorXd& x);
  [[nodiscard]] bool is_exact(const FirstOrderMode& mode, Index row) const;

  // Problems that are shown (first_order_problems.cpp).
  /// What jump_problem() is written from beside C, D, P of the snapshot: vectors. x is right after the jump.
  void keep_jump(double t, const Eigen::VectorXd& x);

  // Other motions (first_order_ambiguity.cpp).
  /// Logs an Ambiguity for each row that another motion from here has on another branch; the mode found stays.
  void log_alternatives(double t, const Eigen::VectorXd& x, std::vector<Event>& log);
  /// The motions at both ends of what each multiplier that no constraint determines may be, the others held.
  void find_ends_of_held(double t, const Eigen::VectorXd& x);
  void add_end_of_held(Index row, double bound, double t, const Eigen::VectorXd& x);
  /// Each multiplier that is held goes to where |x'| is least between its ends, the others held.
  void hold_least_norm(double t, const Eigen::VectorXd& x);
  /// What is done where held multipliers move x (OnAmbiguity).
  [[nodiscard]] Resolution settle_held(double t, const Eigen::VectorXd& x);
  /// False where the problem of the implicit step has one answer whatever the state: its matrix is P, or monotone.
  [[nodiscard]] bool may_be_ambiguous();
  [[nodiscard]] Event event_of(EventKind kind, double t, Index row, double value) const;
  void log_changes(double t, std::vector<Event>& log) const;
  void runge_kutta_step(FirstOrderMode& mode, double t, double h, Eigen::VectorXd& x);

  FirstOrderData data_;
  EventThresholds thresholds_;
  OnAmbiguity on_ambiguity_;
  struct Snapshot {
    FirstOrderData::Matrices values;
    std::map<std::vector<signed char>, std::unique_ptr<FirstOrderMode>> modes;
    std::optional<bool> may_be_ambiguous;
  };
  std::vector<Snapshot> snapshots_;
  std::size_t snapshot_ = 0;
  Index last_stamp_ = 0;
  FirstOrderMode* mode_ = nullptr;
  double resolved_at_ = 0.0;  ///< when it was found
  std::vector<Guard> guards_;
  double difference_step_ = 0.0;       ///< of time, for dc/dt [s]
  bool fixed_step_;                    ///< the user chose the step, and with it how closely guards are looked at
  bool probes_ = false;                ///< what the last probing() asked for
  smooth::LongestSoFar longest_step_;  ///< [s]

  // The fast path of constant maps: xdot = A x + a0 + Ae e(t) + T beta(t), guards = Gx x + g0 + Ge e(t) + Gb beta(t).
  bool constant_maps_ = false;
  Eigen::VectorXd drift_constant_, guard_constant_;
  Eigen::MatrixXd drift_of_offsets_, guard_map_, guard_of_offsets_, guard_of_drive_;

  // Scratch.
  Eigen::VectorXd x_, lambda_, y_, xdot_, s_, g_, beta_, rate_, c_, c_terms_, unused_, e_, impulse_, impulse_terms_,
      sampled_;
  Eigen::VectorXd k1_, k2_, k3_, k4_, stage_, moved_;
  Eigen::MatrixXd flow_powers_;  ///< of guards along a flow, five coefficients each
  Eigen::VectorXd flow_terms_;
  Eigen::MatrixXd samples_;  ///< of e(t) and b(t), five places
  Eigen::VectorXd largest_sample_, largest_difference_;

  // Of the instant that is being resolved.
  std::vector<signed char> before_;  ///< branches until here; empty: none
  std::vector<char> exact_;          ///< rows whose guard of the mode until here is zero by having been found so
  Eigen::VectorXd exact_value_;      ///< what round-off left of it, of rows at a bound
  Eigen::MatrixXd jacobian_;         ///< dg/dx
  double norm_of_G_ = -1.0;          ///< of jacobian_; < 0: not known yet
  double own_rate_ = 0.0, time_rate_ = 0.0;  ///< of the systems by themselves, and of functions of time [1/s]
  Eigen::VectorXd total_impulse_, last_lambda_;
  /// Rows and columns of its problem are scaled.
  struct ImplicitStep {
    relay::Problem problem;
    Eigen::VectorXd scale;
    double length = 0.0;  ///< for which its matrix was made, where C, D and P are constant; 0: none
    Status status = Status::NotRun;
    std::string_view solver;
  };
  ImplicitStep step_, tried_;  ///< the last that gave a candidate, and one in work
  struct Jump {
    Eigen::VectorXd x, e, lambda, impulse;  ///< x: before it; lambda: right after
  } jump_;
  struct Shown {
    OneStepNSProblem problem;
    bool solved = false, written = false;  ///< at the last instant

    void forget() noexcept {
      problem.blocks.clear();
      solved = false;
    }
    void renew() noexcept {
      solved = true;
      written = false;
    }
  };
  mutable Shown mode_shown_, jump_shown_;
  bool jumped_ = false;
  Eigen::VectorXd
      largest_;  ///< |x| of each coordinate, the largest met: states that pass zero have no size of their own
  std::vector<Guard> candidate_guards_;
  std::vector<char> suspects_;  ///< rows that a try found at or below zero
  std::vector<Other> others_;
  std::string refusal_;         ///< of the last mode that is not usable
  std::vector<char> violated_;  ///< by row: a candidate failed its guard, since resolve() began
};

}  // namespace nonsmooth::events
