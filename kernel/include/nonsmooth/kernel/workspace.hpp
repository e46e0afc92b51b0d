// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/kernel/examination.hpp>
#include <nonsmooth/kernel/integrators.hpp>
#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/numerics/any_solver.hpp>

namespace nonsmooth {

struct OneStepNSProblem;

/// When something is nonlinear: iterate until, in each system, no unknown moves between two iterates by more than
/// tolerance (|z|_inf + |z_k|_inf + |z_free - z_k|_inf), Omega_i of bodies taken times sqrt(J_ii / m), and no
/// multiplier of a relation or law that is nonlinear in it by more than tolerance (1 + |lambda|_inf). Changes within
/// round-off, 64 eps of the terms that z is the sum of, count for nothing, as does a multiplier that moves no z and y
/// by more. From the 13th iterate on, where three were no nearer to the end, the answer of the linearisation before is
/// kept where its certificate in the new one is within the tolerance: velocities beside redundant friction may be known
/// to the root of the solver's tolerance only, so that answers jump about by more than Newton's corrections.
/// Certificate::residual is then up to `tolerance`.
struct NewtonOptions {
  double tolerance = 1e-9;    ///< > 0, relative; the last correction of a quadratic iteration is far below it
  Index max_iterations = 50;  ///< >= 1; 1 asks for the linearly implicit scheme, and nothing is checked
  /// A correction that is no smaller than the one before is taken back and halved, up to so many times in a row, then
  /// taken as it is, and the rest of the step goes undamped (natural monotonicity: Deuflhard 2004 [deuflhard2004]);
  /// >= 0. Not used beside laws that vary with the iterate, which keep it in bounds themselves.
  Index max_halvings = 8;
  /// Also converged where the 2-norm of M (v - v_k) - h (theta F + (1-theta) F_k) - H^T p of each nonlinear mechanical
  /// system is at most this [N s], M and F at the iterate and H^T p as its linearisation had it: saves the solve that
  /// confirms an iterate, but is relative to nothing and does not look at how relations changed. 0: not asked; >= 0.
  double residual_tolerance = 0.0;
};

/// What a step does whose problem or Newton loop does not reach its tolerance.
enum class OnFailure : unsigned char {
  Stop,  ///< the state stays where it was, the report says why
  /// The step is subdivided into two, each again in two where it must, TimeSteppingOptions::max_subdivisions deep. Of
  /// mechanics, impulses, percussions, projections and works of contacts are then the sums over the parts, and
  /// State::force is the mean over the whole step; where a compliance makes y depend on the force, it is the force at
  /// t_{k+1} as of a whole step, and the impulse h times that. Multipliers of first order are those at t_{k+1}.
  Subdivide,
  Accept,  ///< the best iterate is taken, the report counts it
};

/// Where the problem of a step is solved: for reactions alone (W = H A^-1 H^T formed), or for velocities and reactions
/// together, A and H as they are (friction::GlobalProblem, by friction::GlobalAutomatic with the tolerance and limits
/// of mixed::Automatic, or by an algorithm of that form as TimeSteppingOptions::solver): for bodies that touch in many
/// rows, finite elements, closed loops. Global knows mechanics with contact, friction and equalities, detected contacts
/// too. A step in which a row with a bounded or plastic set acts (RelayLaw, friction in joints) is solved in the
/// reduced form under mixed::Automatic; an algorithm of the global form alone refuses such laws. A step throws
/// InvalidArgument for these, for first-order interactions, compliance and laws of forces, naming the interaction. Its
/// certificate is that of friction::GlobalResult. Under mixed::Automatic it keeps its memory from step to step, but for
/// systems of more than 64 velocities that depend on each other, loops whose rows depend on others, and where
/// alternating directions or Newton's method on A and H are asked (from 120 rows on, where these are more than the
/// velocities that they act on).
enum class Form : unsigned char { Reduced, Global };

/// After each step, positions are moved back to y = 0 where a bilateral constraint drifted and to y >= 0 where a
/// contact penetrates, along A^-1 H^T: q := q + A^-1 H^T mu (by retract) with 0 = y or 0 <= y ⟂ mu >= 0 of the
/// linearised gaps, repeated until every y is within its tolerance. Of EqualityLaw and the normal rows of unilateral
/// contacts, detected ones too; not of compliant relations, laws of forces and systems under SchatzmanPaoli. The order
/// of the scheme stays. State::projection keeps mu. What gives mu is mixed::Automatic; of gaps alone
/// friction::GaussSeidel first, where that is the solver or they are more than its dense_limit: mu is then known to a
/// tenth of the deepest gap, as the next move sees what is left, and sweeps that do not end count where they halve it.
enum class Projection : unsigned char {
  None,
  Direct,  ///< of the active contacts; velocities stay what they are
  /// Of all contacts; velocities stay what they are. One that was not active and is moved apart still approaches, and
  /// is stopped by the next step, which begins at its gap of 0: for flows, where corners turn in that no row was about.
  All,
  /// Of all contacts: one that was not active and is found closed (mu > 0) joins the active set, and the step is made
  /// again until none is new. No contact is left penetrating by more than the tolerance but where the step ends with
  /// StepReport::Outcome::ProjectionLimit; one that joined may be left open by what a step of free motion would close.
  Combined,
  /// Not after the step but within it: the stabilisation of Gear, Gupta and Leimkuhler, mu and the impulses of one step
  /// that satisfies both levels, M U = H^T mu with U in q_{k+1}, y(q_{k+1}) = 0 of joints, 0 <= y(q_{k+1}) ⟂ mu >= 0 of
  /// contacts, linked or found at q_{k+1}, M, H and F there too. Of models with all mechanics under GeneralisedAlpha.
  WithinStep,
};
/// A gap within 16 eps of its own terms, what positions are rounded to, counts as closed too: 4e-7 m for terms of 1e8
/// m.
struct ProjectionOptions {
  Projection kind = Projection::None;
  double unilateral_tolerance = 1e-8;  ///< penetration that is left alone, > 0 [m]
  double bilateral_tolerance = 1e-8;   ///< drift that is left alone, > 0 [unit of y]
  /// Moves in a step, >= 1; more end it with StepReport::Outcome::ProjectionLimit. A contact source sees as far as its
  /// bodies move in a step, BodyContacts as far as two of them near each other: a gap between bodies at rest to each
  /// other is found when a move has closed it, so that a row of them with narrow gaps, pushed from one end, takes a
  /// move a body. Most steps take one or two; boxes that jam between others in a flow take 30 to 100, as each move
  /// opens some gaps and closes others.
  Index max_iterations = 100;
};

/// Islands of bodies at rest fall asleep: they are not moved, and nothing is solved for them until they wake. Off by
/// default, as it neglects something.
///
/// A body is at rest in a step if at its end, with w = A^-1 h F what the forces other than reactions (gravity, loads,
/// springs of its own) change in its velocity over the step,
///
///     v^T M v <= rest^2 w^T M w,
///
/// its kinetic energy against that of one step of free motion from rest: no unit and no size matters, and under gravity
/// alone |v| <= rest h g; h is TimeSteppingOptions::step, and shorter steps are not counted. An island is what contacts
/// and interactions tie together that act in this step or the one before, and a GeneralisedNewtonImpact those of its
/// contacts; the ground ties nothing, nor does a body all of whose velocities are prescribed. It falls asleep where all
/// its systems were at rest for `steps` steps in a row, what it touches is at rest too, and its systems are of those
/// that may sleep:
/// - mechanical, with at most 6 velocities and a constant M (RigidBody, PlanarBody, linear ones, as disks), under a
///   scheme of velocities (MoreauJean), no or all velocities prescribed;
/// - linked by relations that do not depend on time, to laws that are their block (NonSmoothLaw: of a fixed set or one
///   for rest and one for slip, without memory, shift or activity of their own): joints, NewtonImpactLaw,
///   NewtonImpactFrictionLaw, NewtonImpactRollingFrictionLaw, StaticKineticFrictionLaw, SpringDashpotLaw...;
/// - in no source of contacts that depends on time (ContactSource::depends_on_time()) or has other laws.
/// Islands with other systems never sleep. What moves in free fall, or about a minimum of energy, is not at rest for 3
/// steps in a row. Where the schemes of all mechanical systems are others, as StewartTrinkle, `rest` is refused: at
/// linearised gaps everything within reach acts, pressed or not, so that what passes by would wake an island in each
/// step; SchatzmanPaoli's velocities are differences of positions over two steps.
///
/// Of a step that fails nothing stays, sleep neither: who woke in it sleeps on in the state, and wakes again when it is
/// made in another way. Steps that OnFailure::Accept takes as they are end a row of steps at rest; the parts of those
/// that OnFailure::Subdivide makes are not counted, and who woke in one part is awake in the next. Projections move
/// nobody who sleeps.
///
/// Asleep: v = 0, q stays bit by bit. Impulses, of linked interactions and in State::contacts, are those at falling
/// asleep, times h over that step's; percussions and works are zero. problem() has no row of it. Sources of contacts
/// need not search between bodies that sleep. It wakes, whole, within the step in which
/// - a contact or an interaction acts between it and a system that is awake, or a prescribed body that moves; or one
///   that it leaned on begins to;
/// - w / h of one of its systems is off what it was at falling asleep by more than force_change, |.|^2 = x^T M x:
///   impulses, feedbacks and functions of time count as they act in the step;
/// - somebody wrote a velocity of it; also after State::wake(), an edit of the model (all wake), coordinates written
///   through TimeStepping::state() (all wake).
///
/// What is neglected: at most sum rest^2 w^T M w / 2 of energy at falling asleep (StepReport::energy_taken is what it
/// was, LedgerEntry::sleep); of a slow creep or roll, up to |v|_M = rest |w|_M; of forces,
/// changes up to force_change. Where a system's own damping dominates, h C > M, a body that stops changes w by up to
/// 2 rest of it: force_change is to be above that. Event-driven simulation has no steps and no such option.
///
/// Cost: awake, one pass over the systems a step, and their islands where some may fall asleep; asleep, F of each body.
struct SleepOptions {
  /// In [0, 0.5]; 0, the default: nobody falls asleep. Above what the solver leaves: 0.01 beside residuals of 1e-3.
  double rest = 0.0;
  Index steps = 100;           ///< >= 3; so long that what tips over or creeps unnoticed is seldom
  double force_change = 0.01;  ///< in (0, 1]; 0.01 is gravity that turns by 0.6 degrees
};

struct TimeSteppingOptions {
  /// For the systems of its order; systems of the other order get that order's default scheme.
  Integrator integrator = MoreauJean{};
  double step = 0.0;  ///< h > 0 [s]; no default: it is the user's choice of accuracy
  /// How one-step problems are solved: the options of any algorithm of mixed or friction, or its name in a registry
  /// with Limits. mixed::Automatic, the default, picks by family (blocks that are all contacts go to friction's
  /// automatic choice); its tolerance is Certificate::residual. Each starts from the multipliers of the step before. It
  /// and mixed::GaussSeidel keep their memory from step to step, the others allocate in each. A step throws
  /// InvalidArgument where the algorithm does not take the law of a row that acts, naming the row.
  AnySolver solver{};
  NewtonOptions newton{};
  OnFailure on_failure = OnFailure::Stop;
  int threads = 1;             ///< 1 to 4096; the state's bits do not depend on it
  Index max_subdivisions = 8;  ///< of OnFailure::Subdivide, in [1, 40]
  Form form = Form::Reduced;
  ProjectionOptions projection{};
  /// Equality rows of joints that share a loop count as depending on each other, in steps of both forms and in
  /// projections, where less than this is left of a row by the others: of its length in the metric of A^-1, so that
  /// units do not matter. They are then the nearest ones that depend exactly, their reactions those with the least sum
  /// of W_kk r_k^2; rows that contradict each other for other reasons than drift stay as they are, Infeasible. A loop
  /// whose rows depend on the manifold alone, as Bricard's, leaves it within a step by some (h omega)^2 of a length,
  /// and its rows are independent by as much: the default is that of h omega = 0.01. Where less is left for good, as of
  /// two bars nearly in line, what the row holds gives way by this part of a length, in which gaps change by its
  /// square: by the 1e-8 that a projection's tolerance leaves. In [0, 0.1]; 0: no row counts as dependent. Cost: a
  /// dense factorisation, m^3 / 3 of the m rows of a loop, in each step or iterate of Newton's in which H varies, and
  /// in each iteration of a projection; in loops of more than 400 rows a sparse one, which takes what is left of a row
  /// by those before it in its order. It is given up where it takes more than 32 MB, or dependent rows are made up of
  /// hundreds of others each; where no proof says that the dependent rows found are all, StepReport::unexamined_rows
  /// counts the loop's.
  double dependent_rows = 1e-4;
  /// What a simulation does with what it finds in its model and initial state; step() by itself examines nothing.
  Examination examination = Examination::Refuse;
  /// An initial state inside an obstacle or off an equality of mechanics is moved to the nearest (in the metric of the
  /// first step's iteration matrix) that is not, before the first step; otherwise a joint that is open is refused by
  /// the examination, and from all else the run starts, and a Remark tells.
  bool repair_initial_state = false;
  /// n > 0: TimeStepping makes every n-th step a second time, subdivided into two from the same start, and reports how
  /// far the two ends are apart; the state is that of the whole step, bit by bit. Functions of the model are called for
  /// these too. 0: never; >= 0.
  Index verify = 0;
  SleepOptions sleep{};
  /// Schemes of single systems, before `integrator`.
  std::vector<std::pair<SystemHandle, Integrator>> integrators{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// What became of one step.
struct StepReport {
  enum class Outcome : unsigned char {
    Completed,
    SolverFailed,
    NewtonLimit,
    CallableFailed,
    ProjectionLimit,
    StepUnderflow  ///< AdaptiveTimeStepping: the shortest step misses the accuracy; `detail` says where
  };

  Outcome outcome = Outcome::Completed;
  bool taken = true;               ///< the state advanced
  double t = 0.0;                  ///< the end of the step [s]
  Status solver = Status::Solved;  ///< of the one-step problem (Solved where there was none)
  bool at_round_off = false;  ///< of it: above its tolerance, by no more than rounding (mixed::Result::at_round_off)
  Certificate certificate;    ///< of it
  Index rows = 0;             ///< its size
  Index redundant_rows = 0;   ///< of these, equality rows that depend on others (TimeSteppingOptions::dependent_rows)
  Index unexamined_rows = 0;  ///< of these, equality rows of loops of more than 400, where others may depend too
  Index newton_iterations = 0;
  Index solver_iterations = 0;  ///< sweeps, pivots or Newton steps of the last one-step problem
  Index subdivisions = 0;       ///< steps that were subdivided into two (OnFailure::Subdivide), located instants too
  Index projections = 0;        ///< moves of positions, after a step or within it
  Index other_ends = 0;         ///< where the step might have ended as well: TimeStepping::alternatives()
  /// Deepest of the rigid contacts that act in the step, linked or found, as it begins: the largest -y of their normal
  /// rows [m, or the unit of y]; 0 where none is inside. What the step itself leaves, the next one tells. Without a
  /// projection, a contact that closes at u_N < 0 goes in by (2 - forecast - theta) h |u_N| at most, h |u_N| under the
  /// default scheme, and a step adds to it what its solution misses u_N+ = 0 by and what H turns. Of a subdivided step:
  /// over its parts.
  double penetration = 0.0;
  /// Fastest approach of these contacts: the largest -u_N, as the step begins or where its forces would bring it
  /// without reactions [m/s]; what rests approaches by g h. 0 where none does.
  double approach = 0.0;
  /// Its row of TimeStepping::problem(), for OneStepNSProblem::place() and origin(); -1: no contact is inside, or the
  /// deepest was in an earlier part of a subdivided step.
  Index deepest_row = -1;
  bool verified = false;  ///< it was made again, subdivided (TimeSteppingOptions::verify), and both succeeded
  /// Largest, over the systems, of |end - end of the subdivided step| / |way of the step|, for positions, velocities
  /// and states apart (2-norms); what is below 1e-9 of their size counts as round-off. Of the order of h or less in
  /// smooth motion; of the order of 1 where a jump or an impact falls into one of the two. 0 where the step was not
  /// verified.
  double subdivision_difference = 0.0;
  /// Largest, over first-order interactions that move a state by a thousandth of its size or more, of |lambda|_inf in
  /// the subdivided step over |lambda|_inf in the whole one: 2 where lambda is of size 1/h. 0 where there is none.
  double multiplier_growth = 0.0;
  Index asleep = 0;           ///< systems that sleep at its end (TimeSteppingOptions::sleep)
  Index fell_asleep = 0;      ///< of these, in this step
  Index woken = 0;            ///< systems that woke in it
  double energy_taken = 0.0;  ///< kinetic energy of those that fell asleep [J]
  /// Of a step that is not Completed: which callable failed and how; the worst row of the one-step problem, with its
  /// interaction and systems, or the rows that its proof of infeasibility names; what is furthest from convergence in
  /// Newton's loop; the worst row of the projection, with its y.
  std::string detail;
  /// The problem on which a step failed that was not taken, or its projection did: a copy, made of such a step alone,
  /// that stays with the report; of one that was subdivided in vain that of the whole step. Null where it failed on
  /// none. Of steps that OnFailure::Accept takes, TimeStepping::problem() shows it until the next one.
  std::shared_ptr<const OneStepNSProblem> problem;

  [[nodiscard]] bool ok() const noexcept { return outcome == Outcome::Completed; }
  explicit operator bool() const noexcept { return ok(); }
  [[nodiscard]] std::string message() const;
};

/// Caches of a step: factors, Jacobians, the assembled problem. Nothing in it changes a result: a state stepped with a
/// fresh workspace gives the same bits.
class Workspace {
 public:
  explicit Workspace(int threads = 1);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct Implementation;

 private:
  friend struct WorkspaceAccess;
  std::unique_ptr<Implementation> implementation_;
};

/// One step of length h from `state`, in place: a function of its arguments (options.step has to be valid, and is not
/// used).
/// The state's t may be written between steps: a grid of steps then starts there. Outputs have to be those of its
/// coordinates (update_outputs()).
/// @throws InvalidArgument if the state belongs to another revision of the model, has arrays of other sizes or holds
/// numbers that are not finite, or positions that are no configuration (an orientation that is no unit quaternion to
/// 1e-6: MechanicalSystem::validate_position), if the workspace was moved from, or where the scheme cannot integrate a
/// system with this h: an iteration matrix that is singular or not positive, with the step that would do.
StepReport step(const NonSmoothDynamicalSystem& model, const TimeSteppingOptions& options, double h, State& state,
                Workspace& workspace);

}  // namespace nonsmooth
