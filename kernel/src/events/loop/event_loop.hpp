// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

#include "event_sensitivities.hpp"
#include "events/automata/automaton_part.hpp"
#include "events/filippov_part.hpp"
#include "events/first_order/first_order_part.hpp"
#include "events/mechanics/mechanical_part.hpp"
#include "model/guarded.hpp"
#include "schedule.hpp"
#include "smooth/guard_roots.hpp"
#include "smooth/onset_stepper.hpp"
#include "smooth/stepper.hpp"
#include "user_guards.hpp"

namespace nonsmooth::events {

/// The loop of event-driven simulation: a smooth step, its first crossing, the instant, again.
class EventLoop {
 public:
  EventLoop(NonSmoothDynamicalSystem model, EventDrivenOptions options, double t0);
  /// Another model, from where `before` stands.
  EventLoop(NonSmoothDynamicalSystem model, const EventLoop& before);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  [[nodiscard]] const State& state() const noexcept { return state_; }
  [[nodiscard]] const NonSmoothDynamicalSystem& model() const noexcept { return model_; }
  [[nodiscard]] const EventDrivenOptions& options() const noexcept { return options_; }
  [[nodiscard]] const std::vector<Event>& events() const noexcept { return events_; }
  [[nodiscard]] std::vector<Event> take_events() { return std::exchange(events_, {}); }
  [[nodiscard]] const Remarks& examination() const noexcept { return remarks_; }
  [[nodiscard]] const RunRemarks& findings() const noexcept { return findings_; }
  [[nodiscard]] const MechanicalPart& mechanics() const noexcept { return mechanics_; }
  [[nodiscard]] const FirstOrderPart& first_order() const noexcept { return first_order_; }
  [[nodiscard]] const std::vector<OtherMotion>& alternatives() const noexcept { return alternatives_; }
  /// Null without the option.
  [[nodiscard]] const EventSensitivities* sensitivities() const noexcept { return sensitivities_.get(); }
  void set_state(const State& state);
  /// See has_whole_history().
  [[nodiscard]] static bool is_whole(const State& state);
  /// True where the next call handles an instant first.
  /// A call of advance_to() has not returned: who asks is an observer, or an event's action.
  [[nodiscard]] bool running() const noexcept { return running_; }
  [[nodiscard]] bool waits() const noexcept { return phase_ == Phase::Instant || phase_ == Phase::Retry; }

  /// segment(start, end) after each smooth step.
  RunReport advance_to(double T, const std::function<bool(double, double)>& segment,
                       const EventDrivenObserver& observer);
  /// The state at t within the last smooth step.
  void evaluate(double t, State& state);
  /// The rates of the unknowns there, in the present mode.
  void rates(double t, Eigen::VectorXd& value);

 private:
  /// All subsystems' rates, and all guards: those of mechanics, of first-order systems, of FilippovSystems, of
  /// automata, of users.
  struct Flow final : smooth::RightHandSide {
    explicit Flow(EventLoop& owner) : loop(owner) {}
    [[nodiscard]] Index size() const override { return loop.z_.size(); }
    void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override;
    // The implicit form (implicit_form.cpp).
    [[nodiscard]] Index num_multipliers() const override;
    void consistent_rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot, Eigen::VectorXd& lambda) override;
    void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const Eigen::VectorXd& lambda,
                  Eigen::VectorXd& r) override;
    EventLoop& loop;
  };
  struct AllGuards final : smooth::Guards {
    explicit AllGuards(EventLoop& owner) : loop(owner) {}
    [[nodiscard]] Index size() const override;
    void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& values) override;
    bool along(const smooth::DensePolynomial& dense, Eigen::MatrixXd& coefficients) override;
    [[nodiscard]] Probing probing(const smooth::DensePolynomial& dense) override;
    void probe(double t, const Eigen::VectorXd& z, double* values) override;
    EventLoop& loop;
    bool part = false;  ///< of a step that was not resolved: looked at as closely as the longest

   private:
    Eigen::MatrixXd rows_;  // of first-order systems beside mechanics
  };
  struct SlipDirections final : smooth::Turning {
    explicit SlipDirections(EventLoop& owner) : loop(owner) {}
    double begun(double t, const Eigen::VectorXd& z) override { return loop.mechanics_.slip_begun(t, z); }
    void keep(double t, const Eigen::VectorXd& z) override { loop.mechanics_.keep_slow_directions(t, z); }
    void let_go() override { loop.mechanics_.mode().keep_slow_directions(false); }
    double fastest(double t, const Eigen::VectorXd& z, Eigen::VectorXd& finest) override {
      return loop.mechanics_.fastest_turn(t, z, finest);
    }
    EventLoop& loop;
  };
  /// True while it lives.
  struct Running {
    explicit Running(bool& flag) : flag_(flag) { flag_ = true; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { flag_ = false; }

   private:
    bool& flag_;
  };
  using Outcome = RunReport::Outcome;

  /// What a call finds at t_, and what run() does with it.
  enum class Phase : unsigned char {
    Smooth,   ///< a mode: the next step
    Instant,  ///< guards crossed, or an instant is due: it is resolved
    Retry,    ///< an instant at which a function failed before, with the users' events of then: it is resolved again
    Stopped,  ///< a terminal event at the start: told by the first call, then Smooth
    Failed,   ///< no mode: every call tells the same
  };
  /// What the stepper does with the next step.
  enum class Start : unsigned char {
    AfterInstant,  ///< begins at t_; guards have the zeros that the instant left
    Again,         ///< begins at t_: it is elsewhere, or has failed
    GoesOn,        ///< has its memory of the steps before
  };

  /// `state`: where it begins; null: the model's initial state, with what users' events do there.
  EventLoop(NonSmoothDynamicalSystem model, EventDrivenOptions options, double t0, const State* state);
  [[nodiscard]] std::unique_ptr<smooth::Stepper> make_stepper();
  /// `first`: users' events that are due at the state's t happen; a state that is set has had them.
  /// @throws InvalidArgument of a callable that failed, as of a state that is refused.
  void begin(const State& state, bool first);
  void start_from(const State& state, bool first);
  // Where a call ends, for another simulation to go on from (event_history.cpp).
  void save_history();
  /// False: the state has none, and nothing was done.
  bool resume(const State& state);
  template <class Memory>
  void remember(Memory& memory);
  [[nodiscard]] bool constraints_are_explained(RunReport& report);
  void run(double T, const std::function<bool(double, double)>& segment, const EventDrivenObserver& observer,
           RunReport& report);
  /// Actions of users' events at t_; what happened is appended. True where one is terminal.
  bool act(const std::vector<std::size_t>& users, std::vector<Event>& happened);
  /// Users' events that are due at t_, each once, and with `impulses` the prescribed impulses too.
  void add_due(std::vector<std::size_t>& users, bool impulses);
  void fail(const RunReport& report);
  /// The instant t_ at which `crossed_` guards (of all) passed zero and `due_` is due. False: the report says why.
  bool handle_instant(RunReport& report, const EventDrivenObserver& observer);
  bool resolve(double t, RunReport& report);
  void note_gain();
  /// Sliding that stands for a saw-tooth of an automaton, and how far it may be from it.
  void note_sliding();
  /// Where the guards of FilippovSystems begin, behind them those of automata, and of users.
  [[nodiscard]] Index first_of_filippov() const { return mechanics_.num_guards() + first_order_.num_guards(); }
  [[nodiscard]] Index first_of_automata() const { return first_of_filippov() + filippov_.num_guards(); }
  [[nodiscard]] Index first_of_users() const { return first_of_automata() + automata_.num_guards(); }
  /// Motions that go on from the instant t_ beside the one that was taken and written to state_.
  void note_other_motions();
  void open_window(double t);
  /// True where no guard falls through zero in the step just taken, as far as that is cheap to know.
  [[nodiscard]] bool nothing_crosses(const smooth::DensePolynomial& dense);
  /// The first event in the step just taken, which is shortened to it; or to a part of it where nothing happens, if
  /// that is all that can be told. False: the report says why.
  bool locate(RunReport& report);
  /// The crossing to round-off: the step just taken is shortened to it, crossed_ says what passes zero there. False:
  /// the integrator failed.
  bool polish(const smooth::Crossing& crossing, double step_end);
  /// Slopes of the guards, by the step just taken, at the zero t of one of them; earlier_ has their values at `aside`.
  [[nodiscard]] Eigen::VectorXd slopes_before(double t, Index guard, double& aside);
  void note_alternating();
  [[nodiscard]] bool chatters(RunReport& report);
  /// What an observer's `call` returns: whether the run goes on.
  template <class Call>
  bool show(RunReport& report, Call&& call) {
    bool goes_on = true;
    observed_ = &report;
    report.observer_threw = true;  // unless it returns, or the model throws that it asks (OfTheModel)
    guarded("the run", "an observer", [&] { goes_on = call(); });
    report.observer_threw = false;
    observed_ = nullptr;
    return goes_on;
  }
  /// What is thrown in its life is the model's, though an observer asked for it.
  class OfTheModel {
   public:
    explicit OfTheModel(EventLoop& loop) : report_(loop.observed_) { tell(false); }
    OfTheModel(const OfTheModel&) = delete;
    OfTheModel& operator=(const OfTheModel&) = delete;
    ~OfTheModel() {
      if (std::uncaught_exceptions() == before_) tell(true);
    }

   private:
    void tell(bool of_observer) {
      if (report_) report_->observer_threw = of_observer;
    }
    RunReport* report_;
    int before_ = std::uncaught_exceptions();
  };
  /// A function of the model, an action or an observer threw.
  void give_up(const char* what, RunReport& report);
  // For messages (places.cpp).
  [[nodiscard]] std::string name_of(const Event& event) const;
  [[nodiscard]] std::string name_of_user(std::size_t event) const;
  [[nodiscard]] std::string name_of_guard(Index guard) const;
  [[nodiscard]] std::string name_of_coordinate(Index entry) const;  ///< of z
  void tell_of_integrator(smooth::Outcome outcome, RunReport& report) const;
  void write(double t, const Eigen::VectorXd& z, State& state);

  NonSmoothDynamicalSystem model_;
  EventDrivenOptions options_;
  double t0_;  // where the schedule starts
  State state_, before_;
  bool running_ = false;
  RunReport* observed_ = nullptr;  // of the run, while it calls an observer
  std::vector<Event> events_, log_;
  Remarks remarks_;
  RunRemarks findings_, noticed_;  // of all instants, and of those that no report has told of
  std::vector<OtherMotion> alternatives_;
  MechanicalPart mechanics_;
  FirstOrderPart first_order_;
  FilippovPart filippov_;
  AutomatonPart automata_;
  std::unique_ptr<EventSensitivities> sensitivities_;
  Schedule schedule_;
  UserGuards user_;
  Flow flow_;
  AllGuards guards_;
  SlipDirections directions_;
  std::unique_ptr<smooth::Stepper> stepper_;
  smooth::FirstCrossing finder_;

  double t_ = 0.0;
  Eigen::VectorXd z_, zdot_, inside_, start_z_, values_, earlier_;
  std::vector<int> zeros_;
  Eigen::VectorXd dips_;
  std::vector<Index> crossed_, part_crossed_;
  std::vector<Schedule::Due> due_;
  Phase phase_ = Phase::Failed;
  Start start_ = Start::AfterInstant;
  std::vector<std::size_t> retry_;  // Retry: users' events of that instant
  double window_start_ = 0.0;       // of open_window()
  double next_instant_ = std::numeric_limits<double>::infinity();
  /// Up to here the last step was searched before it was cut short: a longer one would look less closely at the rest.
  double searched_ = -std::numeric_limits<double>::infinity();
  double last_instant_ = -std::numeric_limits<double>::infinity(), last_step_ = 0.0;
  Index in_a_row_ = 0;
  std::vector<std::string> alternating_;  ///< guards that were zero in the last of them, by name
  double end_ = 0.0;                      // T of the present call
  Index paced_ = 0;                       // instants that no schedule tells, since the later of those at pace_
  double pace_before_ = std::numeric_limits<double>::quiet_NaN();  // the two last instants at which paced_ was full
  double pace_ = std::numeric_limits<double>::quiet_NaN();
  RunReport failure_;  // Failed: why
};

}  // namespace nonsmooth::events
