// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/kernel/sensitivity.hpp>
#include <nonsmooth/kernel/simulation.hpp>
#include <nonsmooth/kernel/smooth_integrators.hpp>

namespace nonsmooth {

/// What happened at an instant.
enum class EventKind : unsigned char {
  Impact,   ///< a contact closed with a velocity: value = its normal impulse [N s]
  Closing,  ///< a contact closed without one
  Opening,  ///< a contact opened
  Stick,    ///< a contact, or a relay on a velocity, began to stick
  Slip,     ///< it began to slip, or slips the other way
  /// A row of a first-order law went to another branch: value = the branch (-1 lower, 0 between, 1 upper). Of a
  /// FilippovSystem: row = the switching function, value = its sign from here on, 0 where x slides along its surface.
  Switch,
  Jump,     ///< a first-order state was re-initialised: value = the multiplier's impulse
  Impulse,  ///< a prescribed impulse acted
  User,     ///< an event of EventDrivenOptions::events
  /// Several motions satisfy the laws, and one was taken. Mechanics (Painlevé): several accelerations. First order: one
  /// event a row and other motion, value = the branch that the row has there (as of Switch). A HybridAutomaton,
  /// `system`: one an other transition, row. EventDriven::alternatives() has the others.
  Ambiguity,
  /// Impacts that accumulate were carried through: value = bound of the gap's error [m]. Of a FilippovSystem: switches
  /// that accumulate where surfaces meet were, value = how far x was from there [unit of x].
  Accumulation,
  Transition,  ///< a HybridAutomaton, `system`, changed its mode: row = the transition, value = the mode it leads to
};

/// One thing that happened.
struct Event {
  EventKind kind = EventKind::User;
  double t = 0.0;                   ///< [s]
  InteractionHandle interaction{};  ///< of kinds that concern one
  Index row = 0;                    ///< of the interaction, or which user's event
  double value = 0.0;               ///< see EventKind
  double end = 0.0;                 ///< Accumulation: the instant at which the sequence ends [s]
  SystemHandle system{};            ///< Transition, Ambiguity of an automaton: whose
};

/// An event of the user's own: at given instants, or where a function of the state passes zero. At such an instant
/// functions of time may jump (right-hand sides, bounds): between instants they are asked inside the open interval
/// only, 16 eps |t| away from its ends.
struct UserEvent {
  enum class Direction : unsigned char { Falling, Rising, Both };

  std::string name{};
  std::vector<double> instants{};  ///< [s], any order; those before the start are refused
  double first = 0.0;              ///< a periodic event happens at first + k period [s], k = 0, 1...
  double period = 0.0;             ///< > 0: periodic [s]
  /// A zero-crossing function of t, q, v, x of the state; none: instants only.
  std::function<double(const State& state)> guard{};
  Direction direction = Direction::Both;  ///< of the guard's passage
  /// > 0: the guard goes below zero and comes back, or above, in no shorter time: then no passage is lost. 0: not
  /// known; what lasts a hundredth of a step is seen all the same. Cost: two evaluations a feature, 100 a step at
  /// least.
  double smallest_feature = 0.0;               ///< [s]
  std::function<void(State& state)> action{};  ///< may write q, v, x; none: the event is recorded only
  bool terminal = false;                       ///< the run stops there
};

/// The thresholds that a problem may ask to change, relative to the magnitudes of the row they judge: L of its gap, the
/// largest |H||q| met; V of its velocity, |H||v|; A of its acceleration, the largest |H||M^-1 F| met.
struct EventThresholds {
  /// A gap within position L is closed. Above round-off of the integration, below gaps that matter: 1e-10.
  double position = 1e-10;
  /// A velocity within velocity V is zero: neither an impact nor slip.
  double velocity = 1e-9;
  /// An acceleration within acceleration A, a multiplier within acceleration times the largest among bodies that closed
  /// contacts connect, is zero: the next derivative decides.
  double acceleration = 1e-9;
  /// Accumulating impacts are carried through where the next rebound is no higher than accumulation L (or 512 eps L).
  double accumulation = 1e-12;
  Index accumulation_impacts = 4;  ///< impacts of a contact at intervals in geometric sequence before that; least is 4
  /// So many instants in a row within 1e-12 of one another (relative to |t| and the step before them) are chattering.
  /// So is a steady pace over 200 times as many, scheduled ones left out, at which more than 1e8 are ahead in the call.
  Index chattering_events = 200;
};

/// A motion that satisfies the laws from an instant on as well as the one that was taken.
struct OtherMotion {
  double t = 0.0;               ///< the instant [s]
  Eigen::VectorXd rates;        ///< vdot and xdot right after it, as EventDriven::rates() has those taken
  Eigen::VectorXd multipliers;  ///< right after it, as State::multipliers of first-order rows, State::forces of others
  /// Where its rows differ from those of the motion taken, as what would have happened at t: Switch with the branch;
  /// Opening, Closing, Stick, Slip of contacts; Transition of an automaton.
  std::vector<Event> rows;
};

/// What is done at an instant from which several motions go on, with different x': of a FilippovSystem wherever they
/// are found, of first-order rows where multipliers that no constraint determines move the state, of a HybridAutomaton
/// where several transitions are due at once.
enum class OnAmbiguity : unsigned char {
  Stop,  ///< the run ends with Outcome::Ambiguous, alternatives() has all motions
  /// Relays: multipliers stay where they were. FilippovSystem: the motion on the most surfaces, as Utkin goes.
  /// HybridAutomaton: the first of them in its list; Utkin, Moments and ImplicitLimit likewise.
  First,
  /// The least |x'| of the hull's part that goes on. Relays: of all values of one multiplier, the others held.
  LeastNorm,
  /// FilippovSystem: the motion on the most surfaces, with a step function alpha_j of each, as
  /// FilippovMeaning::MultiAffine has it (equivalent control; bilinear interpolation: Alexander & Seidman 1998
  /// [alexander1998]). Relays: as First.
  Utkin,
  /// The same by moments on two surfaces (Dieci & Difonzo 2015 [dieci2015]), elsewhere as Utkin. Relays: as First.
  Moments,
  Choose,  ///< what EventDrivenOptions::choose says
  /// FilippovSystem: the motion that the implicit step of length h takes as h -> 0, theta of
  ///
  ///     0 <= theta_i ⟂ g_i - mu >= 0,  sum theta = 1,   g_i = -sum_j S_ij dc_j/dt,   dc_j/dt = sum_i theta_i w_ji,
  ///
  /// i the fields that touch x, S_ij the sign of c_j in i, w_ji its rate along field i (the mode by a linear
  /// complementarity problem, Stewart 1990 [stewart1990]). Every motion listed solves it to first order, and each whole
  /// set between them does; of these the one that Lemke's method (lcp::Lemke) ends at, an extreme point: as implicit
  /// steps do that are solved so, and the same one always. Where that motion does not go on by its higher derivatives
  /// or is not in the set that FilippovMeaning::MultiAffine means: as Utkin. Relays: as First. HybridAutomaton: as
  /// First.
  ImplicitLimit,
};

struct EventDrivenOptions {
  SmoothIntegrator integrator = DormandPrince{};
  double relative_tolerance = 1e-10;  ///< of a step, each coordinate; in [1e-14, 1)
  double absolute_tolerance = 1e-12;  ///< > 0 [unit of the coordinate]
  double step = 0.0;                  ///< > 0: fixed, errors not looked at; required by GeneralisedAlpha [s]
  double largest_step = 0.0;          ///< 0: no bound [s]
  EventThresholds thresholds{};
  std::vector<UserEvent> events{};
  /// Initial states that violate a bilateral constraint or lie inside an obstacle: moved to the nearest (in the metric
  /// of M) that does not, or refused by InvalidArgument, which names the interaction. Joints (is_joint()) that are open
  /// by no more than closed_joint (link_joint.hpp) are closed so in either case, and after an action of a UserEvent.
  bool repair_initial_state = false;
  /// Impulse step of a contact under LiuZhaoBrogliatoImpactLaw [N s]; 0: chosen so that the result is converged.
  double impulse_step = 0.0;
  /// What is done with what the model shows before the first instant: see EventDriven::examination().
  Examination examination = Examination::Refuse;
  OnAmbiguity on_ambiguity = OnAmbiguity::Stop;
  /// Of OnAmbiguity::Choose: which of the motions goes on, by its place in the list.
  std::function<Index(const std::vector<OtherMotion>& motions)> choose{};
  /// EventDriven::sensitivity(). Each step then costs some 100 evaluations of the rates an unknown, unless the fields
  /// of a FilippovSystem come with Jacobians.
  bool sensitivities = false;

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// One smooth step, to be evaluated anywhere inside: valid during the observer's call.
class SmoothSegment {
 public:
  [[nodiscard]] double start() const noexcept { return start_; }
  [[nodiscard]] double end() const noexcept { return end_; }
  /// q, v, x, outputs and forces at t in [start, end], to the order of the integrator's dense output.
  void evaluate(double t, State& state) const { evaluate_(object_, t, state); }
  /// vdot and xdot there, in the mode of the step: see EventDriven::rates().
  void rates(double t, Eigen::VectorXd& value) const { rates_(object_, t, value); }

 private:
  friend class EventDriven;
  using Evaluate = void (*)(void*, double, State&);
  using Rates = void (*)(void*, double, Eigen::VectorXd&);
  SmoothSegment(double start, double end, Evaluate at, Rates rates_at, void* object)
      : start_(start), end_(end), evaluate_(at), rates_(rates_at), object_(object) {}
  double start_, end_;
  Evaluate evaluate_;
  Rates rates_;
  void* object_;
};

/// What happened at one instant; valid during the observer's call.
struct Instant {
  const std::vector<Event>& events;
  const State& before;  ///< limit from the left
  const State& after;   ///< limit from the right
};

/// What a run shows while it goes on; any may be missing, one that returns false stops the run.
struct EventDrivenObserver {
  std::function<bool(const SmoothSegment&)> segment{};
  std::function<bool(const Instant&)> instant{};
  /// The state at every t = k output_step (k integer) that the call goes through, by the segments' dense output; where
  /// such a t is an instant, the limit from the left. Before `segment`.
  std::function<bool(const State&)> output{};
  double output_step = 0.0;  ///< > 0 where there is `output` [s]
};

/// Event-driven simulation: smooth phases integrated to high order, events located to round-off.
///
///     in a mode (a status for every row):  M vdot = F + H^T lambda,  the closed rows at rest (acceleration 0),
///                                          M xdot = f + B lambda,    the closed rows y = 0;
///     at an event: index sets I ⊃ I_c = {g = 0} ⊃ I_s = {g = 0, u_N = 0} (sticking I_r, sliding I_t below), impacts
///     where I_c \ I_s approaches, then the problem of accelerations on I_s, which tells the next mode.
///
/// Events are first passages of gaps, multipliers, sliding velocities, margins of sticking and user's guards through
/// zero, found by bounds on the steps' polynomials. Systems: Lagrangian (linear, general), RigidBody and PlanarBody,
/// MechanicalSystem; first order (linear, general, sparse), FilippovSystem, HybridAutomaton. Relations: joints, pairs
/// of shapes, linear, scleronomous, rheonomous, MechanicalRelation; first-order linear. Of a ContactSource, all pairs
/// that it may find (ContactSource::pairs), which model() has in its place. Laws: NewtonImpactLaw,
/// NewtonImpactFrictionLaw, NewtonImpactRollingFrictionLaw, StaticKineticFrictionLaw, PoissonImpactLaw,
/// LiuZhaoBrogliatoImpactLaw, EqualityLaw, RelayLaw, friction in joints (laws/joint_friction.hpp), SpringDamperLaw,
/// ActuatorLaw and any other ForceLaw, which is part of F, and a GeneralisedNewtonImpact or GeneralisedNewtonRule;
/// first order: ComplementarityLaw, RelayLaw, EqualityLaw, MixedComplementarityLaw, NormalConeLaw, PiecewiseLinearLaw.
/// Matrices are dense: meant for up to some hundreds of coordinates. Source: Acary & Brogliato 2008, chapter 8
/// [acarybrogliato2008]; Pfeiffer & Glocker 1996 [pfeifferglocker1996].
class EventDriven : public Simulation {
 public:
  /// Takes a copy of the model, examines it (EventDrivenOptions::examination) and resolves its initial state: impacts
  /// and jumps at t0 happen here.
  /// @throws InvalidArgument for an empty model, bad options, what event-driven simulation does not know (naming the
  /// system or interaction, with the reason), a remark that is refused, an inconsistent initial state, a user's instant
  /// before t0, a function of the model that throws there (naming it).
  EventDriven(NonSmoothDynamicalSystem model, EventDrivenOptions options = {}, double t0 = 0.0);
  ~EventDriven() override;
  EventDriven(EventDriven&&) noexcept;
  EventDriven& operator=(EventDriven&&) noexcept;

  // Of a simulation that was moved from, everything below throws InvalidArgument.
  [[nodiscard]] const State& state() const override;
  /// Where the model had sources of contacts, with the pairs that they may find linked in their place.
  [[nodiscard]] const NonSmoothDynamicalSystem& model() const override;
  [[nodiscard]] const EventDrivenOptions& options() const;
  /// Everything that happened so far, in order.
  [[nodiscard]] const std::vector<Event>& events() const override;
  /// The same, and none is kept: for runs of many events.
  [[nodiscard]] std::vector<Event> take_events();

  /// What was found in the model and its initial state before the first instant, and was not refused. Of first-order
  /// islands that are linear with constant matrices (descriptor systems up to index 1), of up to 200 states and rows:
  ///
  ///     RelativeDegree   rows with an unbounded multiplier that acts on y'' first (2: the run ends with NoMode where
  ///     it
  ///                      is needed; equalities too) or on higher derivatives (3 and more: refused, but equalities);
  ///     Unreached        multipliers that act on no derivative of y;
  ///     Ambiguity        D + h C B, h -> 0, is neither a P-matrix nor monotone: several motions may go on from an
  ///                      instant, or none (of more than 10 rows: it is no P-matrix for certain);
  ///     Interpenetration where repair_initial_state moved it: the depth, or the distance. Refused without, by its row.
  ///
  /// Nothing with Examination::Off. Cost: that of TimeStepping's, a few evaluations of a mode.
  [[nodiscard]] const Remarks& examination() const override;
  /// The problem of accelerations at the last instant, which told the mode that goes on:
  ///
  ///     w = W lambda + b = udot,  b = H a_free + c,  W = H M^-1 E,      -ŵ in N_K(lambda),
  ///
  /// on the contacts that rest, E = H^T with the friction of those that slip brought along by their normal force. Of
  /// several solved one after the other, the last. Where slips start from rest, or end beside others, on contacts that
  /// share loads, the mode is told by these accelerations solved anew with loads of equal springs: r and u here are
  /// then those before that. Where nothing rests, mode_problem(). Empty of a state that was set and went on without an
  /// instant.
  [[nodiscard]] const OneStepNSProblem& problem() const override;
  /// The problem of impacts at the last instant: W = H M^-1 H^T, q = u- + e u-, K the laws'; r: percussions. Rows of
  /// joints that rub, whose friction an impact jolts, have q = u- and K a box or a ball of the bound that the reactions
  /// r of their joint make. With Poisson's law or that of Liu, Zhao and Brogliato q is u-, u is u+, and there is no
  /// certificate, as they are not of this form. Empty where nothing was hit.
  [[nodiscard]] const OneStepNSProblem& impact_problem() const;
  /// The problem of all first-order rows at the last instant, which tells the branches of the mode that goes on: one
  /// implicit Euler step from x+, so short that only what is lost at once counts,
  ///
  ///     y = W lambda + q,  W = D + h C P,  q = C (x+ + h g) + e(t + h),     -y in N_K(lambda),
  ///
  /// with xdot = g + P lambda, P = M^-1 B. As h -> 0, rows of relative degree 0 are the law at x+, those of relative
  /// degree 1 that start from y = 0 the law between ydot = y / h and lambda. h is 1e-6 over
  /// the fastest rate or a hundredth of that by each further try: (W - D)_ij = h (C P)_ij to 4 eps W_ij. A law's own
  /// unknowns follow the rows of its relation. Constraints of descriptor systems follow all others; C, D, P are what
  /// their algebraic unknowns leave. What round-off left of a zero that was found is taken from q. Of several steps,
  /// the last. Where no motion has the branches that it tells, others near them are tried, and state() has those found.
  /// Empty without rows, where rows that switched without end come to rest, and of a state that was set and went on
  /// without an instant.
  [[nodiscard]] const OneStepNSProblem& mode_problem() const;
  /// The problem of a jump at the last instant (consistent reinitialisation): x+ = x- + P r with
  ///
  ///     y+ = W r + q,  W = C P,  q = C x- + e + D lambda+,     -y+ in N_K(r),
  ///
  /// K the recession cones of the laws' sets: r >= 0 of a diode, 0 of a relay, any of an equality, as no impulse has a
  /// bounded multiplier. lambda+: the multipliers right after, as of State::multipliers. r is found in the mode, as
  /// D r = 0 leaves fewer unknowns. Solved where the certificate's residual is at most 1e-11, or its error what the
  /// mode takes for zero: EventThresholds::position and acceleration times the terms of y. Of jumps one after the
  /// other r is their sum. Where a later one lifts a row that an earlier one pushed, it is no solution: the status is
  /// Stalled, the certificate says how far off it is, and x+ = x- + P r all the same. Empty where x did not jump.
  [[nodiscard]] const OneStepNSProblem& jump_problem() const;
  /// What was noticed so far: see RunReport::findings.
  [[nodiscard]] const RunRemarks& findings() const override;
  /// Of the last instant from which several motions go on: those not taken. Empty where there was none, and after
  /// set_state(). First-order rows: other branches of up to six rows that are
  /// zero or between their bounds; of a multiplier that no constraint determines and that moves the state, which may
  /// have any value in an interval: the motions at both ends. Contacts: the other accelerations, as far as they are
  /// enumerated (eight rows, friction in the plane). A FilippovSystem: motions on other surfaces, and the extreme
  /// points of those on the same. Where the run ended with Outcome::Ambiguous, none was taken: all are listed.
  [[nodiscard]] const std::vector<OtherMotion>& alternatives() const;

  /// vdot of mechanics [m/s^2, rad/s^2] and xdot of first-order systems [unit of x / s] at state(), in the order of
  /// State::unknowns (Layout::System::z): those of the present mode, M vdot = F + H^T lambda with the closed rows at
  /// rest, so behind an instant that was handled the limits from the right. Of a run that an observer stopped before an
  /// instant, the limits from the left. rates_of() has the same from a state alone.
  /// @throws InvalidArgument where no mode goes on from the state (NoMode, ImpactUnsolved), or what a function of the
  /// model throws, by its name.
  [[nodiscard]] Eigen::VectorXd rates() const;
  /// The same of one system. @throws likewise, and for a stale handle.
  [[nodiscard]] Eigen::VectorXd rates(SystemHandle system) const;

  /// d(q, v)(t) or dx(t) of a system by its own start, since the start, the last set_state() or edit(), right behind
  /// the instant there: S = d(after)/d(before) of an event at a zero of c,
  ///
  ///     Phi' = (df/dz) Phi between events,   Phi+ = S Phi-,   S = D R + (f+ - D R f- - R_t) grad c^T / (c_t + grad c .
  ///     f-),
  ///
  /// R the impact, the identity of switches; where x' does not jump (ends of sliding, contacts that open) S = I. Where
  /// the start is on a surface that x slides along, or in contact: by directions along it. NaN behind an instant at
  /// which a function of the model failed. To parameters: as states with p' = 0. Differences, where no Jacobian is
  /// given (f_dx of all first-order systems, of a FilippovSystem's field), are of fourth order, known to 1e-11 of the
  /// rates: of coordinates that are no smaller than absolute_tolerance / relative_tolerance, over whose size f changes.
  /// Impacts and switches at a scheduled instant, as of a user's event: see Sensitivity::coincided. Sources: Leine &
  /// Nijmeijer 2004 [leinenijmeijer2004].
  ///
  /// For FilippovSystems, first-order systems whose rows are relays, and mechanics under NewtonImpactLaw and RelayLaw
  /// on velocities; the constructor refuses other rows and systems, and users' events with actions, by name.
  /// @throws InvalidArgument without EventDrivenOptions::sensitivities, and for a handle that is not of the model.
  [[nodiscard]] Sensitivity sensitivity(SystemHandle system) const;
  /// The same by the start of another system.
  [[nodiscard]] Sensitivity sensitivity(SystemHandle of, SystemHandle by) const;
  /// lim (x(t; x0 + a v) - x(t; x0)) / a for a -> 0+, v a direction in which the system starts: transition * v, but
  /// where x met several surfaces of a FilippovSystem at one instant (Sensitivity::coincided) and the order in which
  /// motions beside it meet them depends on v. There each order has its own product of saltation matrices, and sliding
  /// between them its own field; what comes of v is found by the motion of the constant fields and planes that the
  /// system is there to first order. Up to four impacts at one instant that H M^-1 H^T does not couple, behind which
  /// all their contacts are open, likewise have the product of their matrices in the order of v. NaN of other impacts
  /// at one instant (coupled ones mostly have no derivative, as x(t) jumps with their order), and where a motion beside
  /// goes on otherwise or in several ways. Cost: a few smooth steps an instant at which surfaces met.
  /// @throws InvalidArgument likewise, and for a direction of another size or that is not finite.
  [[nodiscard]] Eigen::VectorXd directional_sensitivity(SystemHandle system, ConstVectorRef direction) const;
  /// d(q, v)(t) of a system by the coefficient of restitution of a contact, of all its rows together. @throws
  /// InvalidArgument likewise, and for an interaction without NewtonImpactLaw.
  [[nodiscard]] Eigen::VectorXd restitution_sensitivity(SystemHandle of, InteractionHandle contact) const;

  /// Replaces the state. One that advance_to() left, of the same model, options and users' functions (which cannot be
  /// compared), goes on with the same bits (see EventHistory); any other is resolved, as the start of a motion. @throws
  /// InvalidArgument if it belongs to another revision, or is inconsistent.
  void set_state(const State& state) override;

  using Simulation::advance_to;
  /// Goes on until t = T, and shows more. What set_state() needs to go on is kept at the end of each call: some numbers
  /// a row, of implicit integrators the square of the number of unknowns. @throws InvalidArgument if T is before the
  /// present time or not finite.
  RunReport advance_to(double T, const EventDrivenObserver& observer);

 protected:
  RunReport run(double T, Call call, void* observer) override;

  /// The state is carried over and resolved as one that set_state() gets; events and findings are kept.
  /// @throws InvalidArgument also where an instant at the present time is not handled yet, and from an observer or an
  /// event's action.
  void adopt(NonSmoothDynamicalSystem model) override;

 private:
  struct Implementation;
  [[nodiscard]] Implementation& implementation() const;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
