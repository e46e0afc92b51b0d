// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <internal/decompositions.hpp>

#include "least_norm.hpp"
#include "mechanical_model.hpp"
#include "smooth/guard_roots.hpp"

namespace nonsmooth::events {

/// Relative pivot below which closed rows depend on one another.
inline constexpr double kDependentRows = 1e-11;

/// What a contact does in a mode.
enum class ContactStatus : unsigned char {
  Open,   ///< no force
  Held,   ///< closed; with friction: sticking; Relay: velocity zero, force between its bounds
  Slide,  ///< closed and slipping, friction opposed to `direction`; Relay: force at a bound
  Idle,   ///< closed by what other contacts hold (a dependent row), without a force of its own
};

/// The mechanical half in its mode. With the closed rows J (normal rows; tangential ones where they stick; relays at
/// rest) and E the directions of their forces (a sliding contact's normal force brings friction along),
///
///     W_JJ lambda_J + b_J = 0,  W = H M^-1 E,  b = H a_free + c,    vdot = a_free + M^-1 E lambda,
///
/// lambda_J with the smallest sum of W_kk lambda_k^2 where rows depend on one another (LeastNorm).
class MechanicalPart final : public ModePart {
 public:
  MechanicalPart(const NonSmoothDynamicalSystem& model, const std::shared_ptr<const Layout>& layout,
                 const EventDrivenOptions& options);

  [[nodiscard]] bool empty() const noexcept { return model_.num_velocities() == 0; }
  void set_window(const TimeWindow& window) noexcept override;

  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) override;
  [[nodiscard]] Index num_guards() const override { return static_cast<Index>(guards_.size()); }
  void guards(double t, const Eigen::VectorXd& z, double* values) override;
  [[nodiscard]] std::string guard_name(Index guard) const override;
  void guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) override;
  /// True where nothing can happen along the polynomial that starts at z: all guards are gaps of affine contacts that
  /// stay open. Cheaper than FirstCrossing, and no less certain.
  [[nodiscard]] bool stays_open(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense);
  /// Guards::along() of a matrix with `rows` rows, the first of them these guards', where all are gaps of affine
  /// contacts; z: where the polynomial starts.
  [[nodiscard]] bool guards_along(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense, Index rows,
                                  Eigen::MatrixXd& coefficients);
  /// Guards::probing() of the gaps of open contacts that are not affine.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense);
  /// Their values; returns how many.
  Index probe(double t, const Eigen::VectorXd& z, double* values);
  void begin_step(double t, const Eigen::VectorXd& z) override;
  [[nodiscard]] Settled settle(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                               std::vector<Event>& log) override;
  bool remove_drift(double t, Eigen::VectorXd& z) override;
  /// After remove_drift(): the constraint that it could not bring back below the threshold, and its y; else empty.
  [[nodiscard]] const std::string& lost_constraint() const noexcept { return lost_constraint_; }
  void write(double t, const Eigen::VectorXd& z, State& state) override;

  /// Accelerations that satisfy the laws at the last settle() as well as those taken.
  struct Other {
    std::string subject;           ///< the interaction of a contact that they concern
    Eigen::VectorXd vdot, forces;  ///< packed; by row of the model
    Eigen::VectorXd lambda, w;     ///< of the problem of accelerations
    std::vector<Event> rows;       ///< contacts that do otherwise
  };
  [[nodiscard]] const std::vector<Other>& others() const noexcept { return others_; }
  /// Its entries of the rates of z = (positions; unknowns) and of State::forces.
  void write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd& forces) const;

  /// Forgets everything: the next settle() is a beginning.
  void reset();
  /// Jumps v by M^-1 impulse in the next settle(), together with others that were added.
  void add_impulse(const Eigen::VectorXd& impulse);
  void forget_impulses() noexcept { num_pending_ = 0; }
  [[nodiscard]] const std::vector<MechanicalModel::Impulse>& impulses() const noexcept { return model_.impulses(); }
  // For integrators that hold constraints themselves.
  [[nodiscard]] MechanicalModel& model() noexcept { return model_; }
  [[nodiscard]] const std::vector<Index>& active_rows() const noexcept { return active_rows_; }
  /// True where row k of active_rows() is a constraint of positions; the others are of velocities.
  [[nodiscard]] bool of_positions(std::size_t k) const;
  /// True where rows of active_rows() depend on one another, or did when the mode began; after rates().
  [[nodiscard]] bool redundant() const noexcept { return redundant_; }
  /// The mode with lambda_J among the unknowns, lambda of num_multipliers() entries as active_rows():
  ///
  ///     r = (qdot - v; M vdot - F - E lambda) in the entries of z,   rows = H vdot + c,
  ///
  /// rows of the same zeros that lambda of least norm satisfies where rows depend on one another. After rates().
  void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const double* lambda,
                Eigen::VectorXd& r, double* rows);
  [[nodiscard]] Index num_multipliers() const noexcept { return static_cast<Index>(active_rows_.size()); }
  /// lambda_J at the (t, z) of the last rates().
  [[nodiscard]] const Eigen::VectorXd& multipliers() const noexcept { return lambda_; }
  /// M^-1 E of the active rows at (t, z), with a_free, y, u, H there.
  const Eigen::MatrixXd& evaluate_constraints(double t, const Eigen::VectorXd& z);

  /// @throws InvalidArgument naming the interaction whose gap is negative, or whose bilateral rows are not at rest;
  /// `what` says whose state it is. With `repair` moves z along M^-1 H^T until every row holds; @throws likewise where
  /// that does not succeed.
  void make_consistent(double t, Eigen::VectorXd& z, bool repair, const char* what, bool initial = true);

 private:
  /// A function that stays above zero in the mode.
  struct Guard {
    enum class Kind : unsigned char { Gap, Normal, Speed, Margin, MarginSpace, Lower, Upper };
    Kind kind = Kind::Gap;
    Index contact = 0, row = 0;  ///< and the contact's first row
    double sign = 1.0;           ///< Margin: of which tangential force
    int zeros = 0;               ///< order of the zero at the start of the mode
    double offset = 0.0;         ///< round-off there, taken away
    double dip = 0.0;            ///< round-off of its terms
  };
  /// What is known of one contact.
  struct Memory {
    ContactStatus status = ContactStatus::Open;
    double longest_step = 0.0;  ///< likewise [s]
    double longest_way = 0.0;   ///< of q along a step, met while the contact was open and probed [unit of q]
    Eigen::Vector2d direction = Eigen::Vector2d::Zero();  ///< of the slip, one entry in the plane
    double last_impact = -std::numeric_limits<double>::infinity();
    double last_interval = std::numeric_limits<double>::infinity();  ///< between its last two impacts [s]
    double last_ratio = 1.0;                                         ///< of that one to the interval before it
    Index close = 0;      ///< impacts so far, one within round-off of t after the other
    Index geometric = 0;  ///< impacts so far whose intervals are a geometric sequence that falls; 0: they are not
  };
  /// The problem of accelerations on the resting contacts, and its answer.
  struct Accelerations {
    std::vector<std::size_t> contact;  ///< of each block
    std::vector<Index> first;          ///< row of each block in the problem
    std::vector<char> sticks;          ///< the block has its tangential rows
    ProductSet sets;                   ///< of the blocks
    std::vector<Index> rows;           ///< of the model, all blocks' in a row
    Eigen::VectorXd lambda, w;
    double largest_force = 0.0;  ///< of lambda, and of what would balance the largest acceleration met
    double largest_rate = 0.0;   ///< A
  };

  class WaysToGoOn;

  [[nodiscard]] const Contact& contact(std::size_t i) const { return model_.contacts()[i]; }

  // The smooth mode (mechanical_part.cpp).
  void set_active();
  void list_guards();
  void solve_mode(double t, const Eigen::VectorXd& z);
  void set_force_direction(std::size_t k);
  /// True where the factors of W_ show rows that depend on one another, to kDependentRows.
  [[nodiscard]] bool has_lost_rank() const;
  [[nodiscard]] Eigen::Vector2d slip_direction(std::size_t i) const;
  void evaluate_guards(double t, const Eigen::VectorXd& z);
  [[nodiscard]] double guard_value(const Guard& guard) const;
  [[nodiscard]] double position_tolerance(std::size_t i) const;
  [[nodiscard]] double velocity_tolerance(std::size_t i) const;

  // Closed rows kept closed (mechanical_drift.cpp).
  /// dv = M^-1 H^T mu with H M^-1 H^T mu = right on some rows; right_ holds the right-hand sides and becomes mu. Rows
  /// that depend on others before them, to round-off, are left out: dv is the same where the system has a solution.
  void solve_rows(const std::vector<Index>& rows, Eigen::VectorXd& dv);
  bool move_positions(double t, Eigen::VectorXd& z, const std::vector<char>& closed);

  // The instant (mechanical_settle.cpp).
  [[nodiscard]] std::vector<char> find_closed(const std::vector<Index>& crossed) const;
  [[nodiscard]] Settled solve_impacts(double t, Eigen::VectorXd& z, const std::vector<char>& closed,
                                      std::vector<char>& impacted, std::vector<Event>& log);
  /// The impact on those contacts at the (t, z) that was evaluated last; X = M^-1 H^T of its rows.
  [[nodiscard]] ImpactProblem impact_on(const std::vector<std::size_t>& taking, Eigen::MatrixXd& X) const;
  [[nodiscard]] Event event_of(EventKind kind, double t, std::size_t i, double value = 0.0) const;
  void log_changes(double t, const std::vector<Memory>& before, const std::vector<char>& impacted,
                   std::vector<Event>& log) const;
  void start_guards(double t, const Eigen::VectorXd& z);

  // Impacts that accumulate (accumulation.cpp).
  void remember_impact(std::size_t i, double t);
  /// After an impact on `taking`, its velocities in z: the contacts that go on closed though their law lets them leave,
  /// as what is left of their impacts is below the threshold. Logs an Accumulation for each.
  [[nodiscard]] std::vector<char> find_carried(double t, const Eigen::VectorXd& z, const ImpactProblem& impact,
                                               const std::vector<std::size_t>& taking, std::vector<Event>& log);
  /// The same of contacts that act on one another, the fastest of which approached with `approach`; adds to stays.
  void find_carried_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& taking,
                             double approach, std::vector<char>& stays, std::vector<Event>& log);
  /// What time-stepping finds on its way through the rest of a sequence of impacts.
  struct Passage {
    bool rests = false;    ///< it comes to rest where predicted
    double highest = 0.0;  ///< gap of the contacts asked for
  };
  [[nodiscard]] Passage step_through(double t, double flight, double end, Eigen::VectorXd z,
                                     const std::vector<std::size_t>& taking, const std::vector<std::size_t>& carried);
  [[nodiscard]] double rebound_height(std::size_t i, double t, const Eigen::VectorXd& z);
  [[nodiscard]] std::vector<Index> rows_at_rest() const;
  void hold_carried(double t, Eigen::VectorXd& z, const std::vector<char>& stays);

  // The mode that follows (mechanical_mode.cpp).
  [[nodiscard]] Settled choose_mode(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                    std::vector<char>& slips, std::vector<Event>& log);
  [[nodiscard]] Settled solve_accelerations(double t, const Eigen::VectorXd& z, const std::vector<char>& resting,
                                            const std::vector<char>& slips, Accelerations& answer,
                                            std::vector<Event>& log);
  void list_blocks(const std::vector<char>& resting, const std::vector<char>& slips, Accelerations& answer);
  [[nodiscard]] Eigen::MatrixXd accelerations_by_forces(const std::vector<char>& slips,
                                                        const Accelerations& answer) const;
  void measure_scales(const Eigen::MatrixXd& W, Accelerations& answer) const;
  [[nodiscard]] Settled no_accelerations(const ContactAnswer& solved, const Accelerations& answer) const;
  /// Sets the status of every contact of the answer; those that it leaves open go into `undecided`.
  void judge(const Accelerations& answer, std::vector<std::size_t>& undecided);

  // Other accelerations than those taken (mechanical_others.cpp).
  /// `answer`: without lambda and w; those of each other are W lambda + b.
  void note_others(const Eigen::MatrixXd& W, const Eigen::VectorXd& b, const std::vector<char>& slips,
                   const Accelerations& answer, const std::vector<Eigen::VectorXd>& lambdas);
  /// What their contacts do otherwise, once the mode is known.
  void tell_others(double t);

  // What the problem of accelerations leaves open (mechanical_ways.cpp).
  [[nodiscard]] Settled decide_by_flow(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& undecided);
  [[nodiscard]] std::vector<std::vector<std::size_t>> coupled(const std::vector<std::size_t>& items) const;
  [[nodiscard]] Settled decide_together(double t, const Eigen::VectorXd& z, const std::vector<std::size_t>& items);
  [[nodiscard]] bool depends_on_active(std::size_t i);

  MechanicalModel model_;
  EventThresholds thresholds_;
  double absolute_tolerance_ = 0.0, impulse_step_ = 0.0;
  bool fixed_step_ = false;
  std::vector<Memory> memory_;
  std::vector<Guard> guards_;
  Eigen::VectorXd pending_;  ///< sum of the impulses that act in the next settle()
  Index num_pending_ = 0;
  bool beginning_ = true;  ///< no mode was chosen since reset()

  std::vector<Index> active_rows_;           ///< J
  std::vector<std::size_t> active_contact_;  ///< which contact each belongs to
  std::vector<char> closed_flags_, open_flags_, all_flags_;
  std::vector<char> probed_flags_;  ///< open contacts that are not affine
  bool needs_velocities_ = false, needs_multipliers_ = false, only_affine_gaps_ = false;
  bool redundant_ = false, rank_known_ = false;  ///< active rows depend on one another; it was looked at
  Eigen::MatrixXd directions_;                   ///< n x |J|: M^-1 E
  Eigen::MatrixXd W_;
  Eigen::VectorXd lambda_, scratch_, vdot_;
  LuFactors factor_;
  LeastNorm least_norm_{kDependentRows};
  // Of solve_rows(), as large as all rows: drift is removed without allocations.
  std::vector<Index> position_rows_;
  Eigen::MatrixXd row_directions_, row_mobility_;  ///< n x m: M^-1 H^T; m x m: H M^-1 H^T, then its factor
  Eigen::VectorXd right_, correction_;             ///< m; n
  std::string lost_constraint_;
  Eigen::VectorXd forces_;  ///< lambda by row, m
  std::vector<Other> others_;
  Accelerations of_others_;       ///< the problem that they solve
  Eigen::VectorXd speed_before_;  ///< V before the last impact, m
  Eigen::VectorXd percussions_;   ///< of the last instant, m
  double percussion_t_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace nonsmooth::events
