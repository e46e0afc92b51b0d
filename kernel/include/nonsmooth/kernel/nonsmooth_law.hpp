// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nonsmooth/numerics/sets.hpp>

namespace nonsmooth {

/// The relation that a law is linked to.
struct LawUse {
  bool first_order = false;  ///< between first-order systems; otherwise mechanical
  bool compliant = false;    ///< mechanical, with y = h(q, lambda)
};

/// At which level the first row of a block is written; the others are at the level of velocities.
enum class LawLevel : unsigned char {
  Velocity,  ///< of u+ (mechanics) or y (first order); of a relation with a compliance taken as Rate
  Position,  ///< of y_{k+1}
  Rate,      ///< of the mean of dy/dt over the step: u+ and the change of what compliance gives
};

/// How often a law is asked for its block.
enum class LawVaries : unsigned char {
  Never,  ///< once, when it is linked
  Slip,   ///< in each step, from whether u- slips: one block at rest, one at any slip; EventDriven knows both
  Step,   ///< in each step, from what is known at t_k; TimeStepping only
  /// At each iterate of Newton's, which it has to keep in bounds itself, as the iteration is not damped then; likewise.
  Iterate,
};

/// Whether a block acts in a step.
enum class Activity : unsigned char { Acts, Rests, WhereClosed };

/// What ties velocities before and after an impact.
struct ImpactRule {
  enum class Kind : unsigned char {
    None,              ///< multipliers are forces; no impacts
    Newton,            ///< û = u+ + e u-, which the step adds by itself; EventDriven knows it
    Poisson,           ///< compression and expansion; of a set that is Coulomb's cone or one row
    LiuZhaoBrogliato,  ///< energies that contacts store; one row, frictionless
    Other,             ///< what the set and `shift` make of it; TimeStepping only
  };
  Kind kind = Kind::None;
  double restitution = 0.0;             ///< of the first row of a block [-]
  double tangential_restitution = 0.0;  ///< of the others [-]
  double stiffness = 1.0;               ///< LiuZhaoBrogliato, as its law says
  double exponent = 1.5;                ///< likewise
};

/// What a law is, read once when it is linked.
struct LawShape {
  Index size = 1;       ///< rows of the relation a block; a relation has a multiple of it
  Index auxiliary = 0;  ///< rows of the law's own a block
  Index memory = 0;     ///< entries of State::law_memory a block
  LawLevel level = LawLevel::Velocity;
  LawVaries varies = LawVaries::Never;
  bool unilateral = false;  ///< active where the forecast gap (row 0 of y) is closed; otherwise in every step
  bool decides = false;     ///< of a unilateral law: `activity` is asked
  bool shifts = false;      ///< `shift` is called; a law of one part
  bool in_forces = false;   ///< mechanics: sets, coupling and offset are of forces, and the step scales them by h
  /// k of a spring in y + (d / k) u + lambda / k at the level of positions [N/m], 0: none. Unilateral, it acts where
  /// y_k <= 0 or y_k + h u_k <= 0.
  double stiffness = 0.0;
  double damping = 0.0;  ///< d >= 0 of a dashpot beside it [N s/m]
  ImpactRule impact{};
};

/// What one block of rows obeys: (y; 0) + coupling (lambda; zeta) + offset, part by part in the sets of `parts`, with
/// zeta the unknowns of auxiliary rows. Its sizes stay as they were when the law was linked.
struct LawBlock {
  struct Part {
    BlockSet set;
    Index size = 1;
    /// Of VonMises: u_0 = 0 is the rate of a constraint y_0 = 0, whose drift a projection takes away, as of Free parts.
    bool first_held = false;
  };
  std::vector<Part> parts{};     ///< size + auxiliary rows together, those of the relation first
  Eigen::MatrixXd coupling{};    ///< (size + auxiliary)^2; empty: none
  Eigen::VectorXd offset{};      ///< size + auxiliary; empty: none
  Eigen::VectorXd linearised{};  ///< of laws that vary with the iterate: what they keep from one iterate to the next
};

/// What a law is evaluated in. Vectors are of one block, `shape().size` entries where nothing else is said, and valid
/// during the call. A law that is linked is asked for its block at rest: all zero, h = 0, first iterate.
struct LawContext {
  LawUse use{};
  double h = 0.0;                  ///< length of the step [s]
  double t = 0.0;                  ///< t_k [s]
  double last_step = 0.0;          ///< length of the step before [s]; 0: none
  double forecast = 0.5;           ///< part of h by which gaps are looked ahead (MoreauJean::forecast) [-]
  double theta = 0.5;              ///< of the scheme [-]
  double position = 0.5;           ///< of u_{k+1} beside u_k in y_{k+1} - y_k (mechanics, SchemeCoefficients) [-]
  double relation_weight = 1.0;    ///< of x_{k+1} beside x_k in y (first order) [-]
  double multiplier_weight = 1.0;  ///< of r_{k+1} beside r_k (first order) [-]
  ConstVectorRef y;                ///< at t_k
  ConstVectorRef u;                ///< u- = u at t_k [m/s]; zero of first order
  ConstVectorRef multiplier;       ///< of the step before: impulse [N s], or lambda of first order
  ConstVectorRef memory;           ///< `shape().memory` entries, as `commit` left them
  bool first = true;               ///< iterate: nothing was solved yet in this step
  ConstVectorRef iterate;          ///< the multiplier at the iterate, where the law varies with it; else that of t_k
  /// Of newton_error alone, by row, in the unit of its multiplier: sum_k |H_k| z_k / (H A^-1 H^T), z_k the size of
  /// unknown k in the step (before, after, and what forces change): the multiplier that by itself changes u by as much
  /// as the terms that u is the sum of. Infinity where it changes nothing. What is small beside it is so in any units.
  ConstVectorRef multiplier_scale = Eigen::Map<const Eigen::VectorXd>(nullptr, 0);
};

class NonSmoothLaw;
class ForceLaw;

/// Blocks of laws of one class, in the order of their interactions: what one stage of a step asks at once.
class LawBatch {
 public:
  struct Stage;  // internal, as is Place
  struct Place;
  explicit LawBatch(const Stage& stage);

  [[nodiscard]] Index size() const noexcept;  ///< i below it in what follows
  [[nodiscard]] const NonSmoothLaw& law(Index i) const;
  [[nodiscard]] LawContext context(Index i) const;
  [[nodiscard]] LawBlock& block(Index i) const;                  ///< of laws that vary
  [[nodiscard]] VectorRef shift(Index i) const;                  ///< in `shifts`, zero before
  [[nodiscard]] VectorRef memory(Index i) const;                 ///< in `commits`
  [[nodiscard]] Index asked() const noexcept { return asked_; }  ///< internal: the last, for messages

 private:
  [[nodiscard]] const Place& place(Index i) const;

  const Stage* stage_;
  mutable Index asked_;
};

/// A nonsmooth law between y (or u) and its multiplier, on blocks of rows: what the built-in ones are, and what a user
/// derives from for a new one. Immutable: models share it, and several threads may call it at once. What it throws
/// while a step is taken fails the step, with the text.
class NonSmoothLaw {
 public:
  virtual ~NonSmoothLaw() = default;
  NonSmoothLaw() = default;
  NonSmoothLaw(const NonSmoothLaw&) = default;
  NonSmoothLaw& operator=(const NonSmoothLaw&) = default;

  [[nodiscard]] virtual std::string name() const { return "a user's NonSmoothLaw"; }  ///< for messages
  /// @throws InvalidArgument for a parameter out of range, or where the law cannot be what `use` says.
  [[nodiscard]] virtual LawShape shape(LawUse use) const = 0;
  /// The block: empty at the first call, then as the law left it at the last (of a contact found anew, as it was when
  /// it was linked). In impulses (mechanics; `in_forces`: forces) or lambda (first order). When: LawVaries, for each
  /// block of rows whether it acts or not. What a block keeps counts within one step alone: a workspace may be a fresh
  /// one, so what is to last is in State::law_memory.
  virtual void block(const LawContext& context, LawBlock& block) const = 0;
  /// LawShape::decides: whether a block acts, at the start of each step. WhereClosed leaves it to the step: where
  /// y + forecast h u <= 0, or what rests is lifted by rounding alone.
  [[nodiscard]] virtual Activity activity(const LawContext& /*context*/) const { return Activity::WhereClosed; }
  /// LawShape::shifts: shift += what is added to u+ before the law, -û in N_K(r) with û made from u+ + shift [m/s].
  /// In each step, for blocks that act.
  virtual void shift(const LawContext& /*context*/, VectorRef /*shift*/) const {}
  /// LawShape::memory > 0: memory as of t_k becomes that of t_{k+1}. After each step, with y, u and the multiplier of
  /// t_{k+1}, and once for a block that is new, with memory zero, h = 0 and what it starts from. `context.memory` is
  /// the same storage: what is needed of the old values is read before new ones are written.
  virtual void commit(const LawContext& /*context*/, VectorRef /*memory*/) const {}
  /// LawVaries::Iterate: how far the multiplier that the step gave (context.iterate) lies from the point that `block`
  /// is a linearisation about, against `tolerance`: <= 1 ends Newton's iteration as far as the law is concerned.
  [[nodiscard]] virtual double newton_error(double /*tolerance*/, const LawContext& /*context*/,
                                            const LawBlock& /*block*/) const {
    return 0.0;
  }

  /// The law as one whose multiplier is a function of t, y and u (laws/force.hpp); nullptr: another.
  [[nodiscard]] virtual const ForceLaw* force_law() const { return nullptr; }

  /// The same for all blocks whose laws are of this class, of interactions or of contacts found: called on one of them,
  /// once a stage. Each loops over its batch; a law of many blocks may do what they share once.
  virtual void blocks(const LawBatch& batch) const;
  virtual void activities(const LawBatch& batch, std::span<Activity> activities) const;
  virtual void shifts(const LawBatch& batch) const;
  virtual void commits(const LawBatch& batch) const;
  virtual void newton_errors(double tolerance, const LawBatch& batch, std::span<double> errors) const;
};

}  // namespace nonsmooth
