// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <nonsmooth/kernel/event_driven.hpp>

#include "dynamics/system_caches.hpp"
#include "events/mode_part.hpp"
#include "impact/impact_problem.hpp"
#include "laws/reaction_bounds.hpp"
#include "model/equations/relation_evaluator.hpp"
#include "model/equations/time_differences.hpp"
#include "model/linked_systems.hpp"
#include "smooth/stepper.hpp"

/// The mechanical subsystem of a model as event-driven simulation reads it.
namespace nonsmooth::events {

/// One contact, its friction against rolling or against spinning, one bilateral row, one relay on a velocity, rows of a
/// joint that rub together, or one prescribed velocity.
struct Contact {
  enum class Kind : unsigned char {
    Bilateral,   ///< y = 0
    Prescribed,  ///< v_component = velocity(t)
    Unilateral,  ///< 0 <= y, rows (N), (N, T) or (N, T1, T2)
    Turning,     ///< |lambda| <= friction lambda_N of the contact before it, against u: rows (R), (R1, R2) or (S)
    Relay,       ///< -u in N_[lower,upper](lambda)
    Rubbing,     ///< |lambda| <= bound(reaction of the joint), lambda against u: 1 to 3 rows
  };
  Kind kind = Kind::Unilateral;
  Index interaction = -1;   ///< in the layout; -1: prescribed
  Index local = 0;          ///< first row within the interaction
  Index row = 0, size = 1;  ///< rows in the arrays of the model
  impacts::ImpactContact::Rule rule = impacts::ImpactContact::Rule::Newton;
  double restitution = 0.0, tangential_restitution = 0.0;
  Index matrix = -1, in_matrix = 0;  ///< of coefficients of restitution, and which row there; -1: none
  Index coefficients = -1;           ///< of restitution, by a user's function; -1: none
  double kinetic_friction = 0.0, static_friction = 0.0;  ///< coefficients; static >= kinetic; Turning: lengths [m]
  std::size_t num_turning = 0;           ///< Unilateral: contacts behind it that are its friction against turning
  std::size_t behind = 0;                ///< Turning: how far before it its contact is in the list
  Index normal_row = 0;                  ///< Unilateral, Turning: N of the contact
  double rolling = 0.0, spinning = 0.0;  ///< Unilateral: of its Turning ones, as impacts have them [m]
  Index impact_rows = 1;                 ///< size, with the rows of its Turning ones
  /// mu_2 / mu of elliptic friction, s: row T2 is s u_T2 and p_T2 / s, in which the ellipse is a disk and work the
  /// same.
  double second_unit = 1.0;
  /// Pulls while the contact is closed: its force is lambda - cohesion e_N, lambda as without [N].
  double cohesion = 0.0;
  double impact_stiffness = 1.0, impact_exponent = 1.5;
  double lower = 0.0, upper = 0.0;  ///< Relay [N]
  const PrescribedVelocity* prescribed = nullptr;
  Index column = 0;                          ///< Prescribed: of v
  const ReactionBounds* reaction = nullptr;  ///< Rubbing: which gives the bound
  Index joint = 0, joint_rows = 0,
        group = 0;      ///< Rubbing: first row and number of those of the joint, which of its groups
  bool affine = false;  ///< y = H q + b with constants

  [[nodiscard]] bool frictional() const noexcept { return kind == Kind::Unilateral && static_friction > 0.0; }
  /// Rows of the velocities at which it may slip: (T), (T1, T2), of a relay its own; none where nothing rubs.
  [[nodiscard]] Index first_slip_row() const noexcept { return kind == Kind::Unilateral ? row + 1 : row; }
  [[nodiscard]] Index num_slip_rows() const noexcept {
    if (kind == Kind::Turning) return static_friction > 0.0 ? size : 0;
    return bounds_its_force() ? size : frictional() ? size - 1 : 0;
  }
  /// Nothing but a force within bounds, which no impulse of its own has.
  [[nodiscard]] bool bounds_its_force() const noexcept {
    return kind == Kind::Relay || kind == Kind::Rubbing || kind == Kind::Turning;
  }
  /// Rubbing: the set of several rows, a ball, has the held row before them as its first (von Mises).
  [[nodiscard]] Index lead() const noexcept { return kind == Kind::Rubbing && size > 1 ? 1 : 0; }
  /// Rubbing: of the forces (1) or impulses (0) of all rows of the model.
  /// Turning: of these forces.
  [[nodiscard]] double bound_by(const Eigen::VectorXd& forces, double preloads = 1.0) const {
    if (kind == Kind::Turning) return static_friction * forces[normal_row];
    return reaction->bound(group, forces.segment(joint, joint_rows), preloads);
  }
  /// Relay that moves to that side: its force.
  [[nodiscard]] double bound(double direction) const noexcept { return direction > 0.0 ? lower : upper; }
  /// What a velocity of its row r is times, and a reaction divided by, in the arrays of the model.
  [[nodiscard]] double unit(Index r) const noexcept { return r == 2 ? second_unit : 1.0; }
};

/// Systems, relations and laws of the mechanical subsystem:
///
///     M(q) vdot = F(t, q, v) + H^T lambda,   y = h(t, q),   u = H v + h_t,   w = udot = H vdot + c,
///
/// all velocities packed into one vector v of size n, all rows of the contacts into one of size m; dense. Rows T2 of
/// elliptic friction are in their Contact::unit, but for y. A contact's Turning ones stand right behind it. Arrays are
/// valid for the (t, z) that was evaluated last. Cost of an evaluation: the user's callables, a solve with each M that
/// is not constant, O(n) per closed row.
class MechanicalModel {
 public:
  /// @throws InvalidArgument for what event-driven simulation does not know.
  MechanicalModel(const NonSmoothDynamicalSystem& model, std::shared_ptr<const Layout> layout);
  MechanicalModel(const MechanicalModel&) = delete;
  MechanicalModel& operator=(const MechanicalModel&) = delete;

  [[nodiscard]] Index num_velocities() const noexcept { return n_; }
  [[nodiscard]] Index num_rows() const noexcept { return m_; }
  [[nodiscard]] const std::vector<Contact>& contacts() const noexcept { return contacts_; }
  [[nodiscard]] const Contact& contact(std::size_t i) const { return contacts_[i]; }
  [[nodiscard]] const Layout& layout() const noexcept { return *layout_; }
  [[nodiscard]] const std::shared_ptr<const Layout>& shared_layout() const noexcept { return layout_; }
  /// The systems that a contact acts on, by number in the layout.
  void append_systems(const Contact& contact, std::vector<Index>& systems) const;
  [[nodiscard]] const std::string& name(const Contact& contact) const;
  /// E of Contact::matrix.
  [[nodiscard]] const Eigen::MatrixXd& impact_matrix(Index matrix) const {
    return impact_matrices_[static_cast<std::size_t>(matrix)];
  }
  /// All velocities of a system are prescribed: no impulse moves it.
  [[nodiscard]] bool is_held(Index system) const { return held_[static_cast<std::size_t>(system)] != 0; }
  /// E_ij by Contact::coefficients. @throws CallableFailure of the function.
  [[nodiscard]] double coefficient(std::size_t i, std::size_t j) const;
  /// "floor on ball", "row 2 of floor on ball and box": with the row where the interaction has several contacts.
  [[nodiscard]] std::string place_of(const Contact& contact) const;
  [[nodiscard]] InteractionHandle handle(const Contact& contact) const;

  /// What happens at contact i.
  [[nodiscard]] Event event_of(EventKind kind, double t, std::size_t i, double value = 0.0) const;

  void set_window(const TimeWindow& window) noexcept;
  [[nodiscard]] const TimeWindow& window() const noexcept { return window_; }

  /// v from z.
  void gather(const Eigen::VectorXd& z);
  void scatter_velocities(Eigen::VectorXd& z) const;                             ///< v to z
  void scatter_rates(const Eigen::VectorXd& vdot, Eigen::VectorXd& zdot) const;  ///< qdot = T(q) v, vdot
  void move_positions(const Eigen::VectorXd& w, Eigen::VectorXd& z) const;       ///< by retract; w packed as v is
  /// qdot = T(q) w at z; rates are resized to the positions.
  void position_rates(const Eigen::VectorXd& z, const Eigen::VectorXd& w, Eigen::VectorXd& rates) const;
  /// Some system has a retract of its own.
  [[nodiscard]] bool has_manifolds() const noexcept { return !manifolds_.empty(); }
  /// Positions on manifolds := retract(q, 0), which normalises them if it ever does. True where one moved.
  bool normalise(Eigen::VectorXd& z) const;
  void gather_rates(const Eigen::VectorXd& zdot, Eigen::VectorXd& vdot) const;  ///< vdot, packed
  /// r = (qdot - T(q) v; M vdot - F - push) in the entries of z, push packed; after evaluate_dynamics().
  void balance(const Eigen::VectorXd& zdot, const Eigen::VectorXd& push, Eigen::VectorXd& r);

  /// M and a_free = M^-1 F at (t, z), forces of ForceLaw in F.
  void evaluate_dynamics(double t, const Eigen::VectorXd& z);
  /// y of the rows of contacts whose flag is set.
  void evaluate_gaps(double t, const Eigen::VectorXd& z, const std::vector<char>& wanted);
  void evaluate_gaps(double t, const Eigen::VectorXd& z) { evaluate_gaps(t, z, all_); }
  /// Relations that follow their outputs go on from those of a state, or from those at (t, z) where a step begins.
  void follow(const State& state);
  void follow(double t, const Eigen::VectorXd& z);
  /// Of s^k, k >= 1, in y(t0 + s h), s in [0, 1], of a row of an affine contact, along z's polynomial.
  [[nodiscard]] double coefficient(Index row, Index k, const smooth::DensePolynomial& dense) const;
  /// A lower bound of y(t0 + s h) - y(t0), s in [0, 1], of a row of an affine contact, along z's polynomial: the sum of
  /// the negative coefficients above the constant.
  [[nodiscard]] double lowest_change(Index row, const smooth::DensePolynomial& dense) const;
  /// Of the contact's relation.
  [[nodiscard]] bool is_joint(const Contact& contact) const;
  /// Of the contact's relation; 0: not known.
  [[nodiscard]] double smallest_feature(const Contact& contact) const;
  /// Of the contact's relation, of its bodies; 0: not known.
  [[nodiscard]] double steepness(const Contact& contact) const;
  /// False where y is a function of q alone.
  [[nodiscard]] bool depends_on_time(const Contact& contact) const;
  /// Bounds of the way that the positions of the contact's bodies go along z's polynomial (2-norm), and of d(way)/ds,
  /// s in [0, 1]: mean and largest of the norms of the Bernstein coefficients of their derivative.
  struct Pace {
    double way = 0.0, fastest = 0.0;  ///< [unit of q]
  };
  [[nodiscard]] Pace pace(const Contact& contact, const smooth::DensePolynomial& dense);
  /// H, u and y of the flagged contacts.
  void evaluate_velocities(double t, const Eigen::VectorXd& z, const std::vector<char>& wanted);
  void evaluate_velocities(double t, const Eigen::VectorXd& z) { evaluate_velocities(t, z, all_); }
  /// After evaluate_velocities() of all contacts at a state that the motion has: trial states of an integrator may give
  /// anything. @throws InvalidArgument naming the relation and its function whose value is not finite.
  void require_finite(double t) const;
  /// c of the flagged contacts at the state of the last evaluate_velocities() of them.
  void evaluate_curvatures(double t, const std::vector<char>& wanted);
  void evaluate_curvatures(double t) { evaluate_curvatures(t, all_); }

  /// Interactions under a ForceLaw, by number in the layout, and their first rows here: they are no contacts.
  struct Force {
    Index interaction = 0, row = 0;
  };
  [[nodiscard]] const std::vector<Force>& forces() const noexcept { return forces_; }
  /// Their y, u and forces at (t, z) into the state.
  void write_forces(double t, const Eigen::VectorXd& z, State& state);

  /// M^-1 x of packed velocities, in place; after evaluate_dynamics().
  void solve_mass(Eigen::Ref<Eigen::VectorXd> x) const;
  /// A force that is known, on a row: into a_free.
  void push(Index row, double force);

  /// The sums of absolute terms that make u (V), and y (L): the largest that was met, as a closing gap has none left.
  [[nodiscard]] double position_scale(Index row) const;
  [[nodiscard]] double velocity_scale(Index row) const;
  /// V, the largest that was met: of a slip that has come to its end none is left.
  [[nodiscard]] double largest_velocity(Index row) const;
  /// |H| |a_free| of a row, A: the largest that was met, as forces that pass zero have none left.
  [[nodiscard]] double acceleration_scale(Index row) const;
  /// Takes what was evaluated last, and the positions of z, into the largest met: of states that the motion has.
  void note_scales(const Eigen::VectorXd& z);
  void forget_scales();

  /// Scales, and the accelerations without closed rows that were evaluated last (memory.hpp).
  template <class Memory>
  void remember(Memory& memory) {
    memory(a_free, magnitude_, acceleration_, fastest_);
    for (Drive& drive : drives_) memory(drive.found_at, drive.step.length, drive.step.reach);
  }

  /// Instants and impulses that users prescribe: packed velocities.
  struct Impulse {
    double instant = 0.0;
    Eigen::VectorXd impulse;
  };
  [[nodiscard]] const std::vector<Impulse>& impulses() const noexcept { return impulses_; }

  Eigen::VectorXd v, a_free, y, u, c;  ///< n, n, m, m, m
  Eigen::MatrixXd H;                   ///< m x n

 private:
  Eigen::VectorXd followed_;  ///< y that relations follow, m
  void add_impact_matrices(const NonSmoothDynamicalSystem& model);
  void add_coefficient_rules(const NonSmoothDynamicalSystem& model);

  struct PackedVelocity {
    Index system = 0, q = 0, z = 0;  ///< in the layout; in z, q where qdot = v
  };
  struct Positions {
    Index q = 0, nq = 0;  ///< in z
  };
  struct LinkedBody : LinkedSystem {
    Index first = 0;  ///< in packed velocities
  };
  struct Link {
    std::shared_ptr<const MechanicalRelation> relation;
    RelationEvaluator evaluator;
    Index row = 0, rows = 0, contact = 0, contacts = 0;
    std::vector<LinkedBody> bodies{};
    Eigen::VectorXd q{}, v{};
    Eigen::MatrixXd H{};
    bool plain = true;                        ///< as many positions as velocities in each body
    bool constant = false;                    ///< H
    const Eigen::VectorXd* offset = nullptr;  ///< b of y = H q + b, which nobody need be asked for; null: y is h's
    const ForceLaw* force = nullptr;          ///< of what is a force: no contacts
    Index interaction = 0;
    bool in_units = false;  ///< some of its contacts have one
  };
  void add_systems(const NonSmoothDynamicalSystem& model);
  void add_link(const NonSmoothDynamicalSystem::InteractionRecord& interaction, Index index);
  /// A prescribed velocity, and the step of its differences, found at found_at (drives.cpp).
  struct Drive {
    const PrescribedVelocity* prescribed = nullptr;
    double found_at = std::numeric_limits<double>::quiet_NaN();
    differences::Step step{};
    std::string body{};

    [[nodiscard]] double velocity(double t) const;
  };
  /// dv/dt at t within the window, from within: fourth order, by the step that the drive's own rate and the round-off
  /// of t leave, which takes some 80 calls where it is looked for, 5 else.
  [[nodiscard]] double rate(Drive& drive, double t) const;
  /// v(t), its limit from within the window where it jumps at t.
  [[nodiscard]] double velocity(Drive& drive, double t) const;
  [[nodiscard]] const Link& link_of(const Contact& contact) const;
  /// The positions of the link's bodies at z.
  const Eigen::VectorXd& positions(Link& link, const Eigen::VectorXd& z) const {
    stack_positions(link.bodies, z.data(), link.q.data());
    return link.q;
  }
  const Eigen::VectorXd& velocities(Link& link, const Eigen::VectorXd& z) const {
    stack_unknowns(link.bodies, z.data() + layout_->num_positions, link.v.data());
    return link.v;
  }
  void write_jacobian(const Link& link);  ///< into H
  /// Rows of a link, as the relation gives them, in the units of its contacts.
  template <class Rows>
  void take_units(const Link& link, Rows&& rows) const {
    for (Index i = link.contact; link.in_units && i < link.contact + link.contacts; ++i) {
      const Contact& contact = contacts_[static_cast<std::size_t>(i)];
      if (contact.second_unit != 1.0) rows.row(contact.local + 2) *= contact.second_unit;
    }
  }
  /// |H| |q| and |H| |v| of a row of the link; q on manifolds, whose coordinates are not those of H: the largest entry
  /// by the sum.
  struct Magnitudes {
    double length = 0.0, speed = 0.0;
  };
  [[nodiscard]] Magnitudes magnitudes(const Link& link, Index row, const Eigen::VectorXd& z) const;
  /// y and q of a link.
  void evaluate_gaps(Link& link, double t, const Eigen::VectorXd& z);
  /// H, u and y of a link, and the scales of its rows.
  void evaluate_velocities(Link& link, double t, const Eigen::VectorXd& z);
  /// F += H^T lambda of the links that are forces.
  void add_forces(double t, const Eigen::VectorXd& z);
  [[nodiscard]] bool is_wanted(const Link& link, const std::vector<char>& wanted) const;

  std::shared_ptr<const Layout> layout_;
  SystemCaches systems_;                ///< of mechanics
  std::vector<Index> first_;            ///< by system: in packed velocities; -1: of first order
  std::vector<PackedVelocity> packed_;  ///< by packed velocity
  std::vector<Positions> manifolds_;    ///< of systems with a retract of their own
  std::vector<Link> links_;
  std::vector<Force> forces_;
  Eigen::VectorXd force_of_row_;  ///< lambda of these, m
  std::vector<Eigen::MatrixXd> impact_matrices_;
  std::vector<std::shared_ptr<const GeneralisedNewtonRule::Coefficient>> coefficient_rules_;
  std::vector<ImpactingContact> impacting_;  ///< by contact, where there are rules
  std::vector<char> held_;                   ///< by system in the layout
  std::vector<Contact> contacts_;
  std::vector<Drive> drives_;  ///< of contacts that are Prescribed, in order
  std::vector<Impulse> impulses_;
  std::vector<std::string> prescribed_names_;
  Index n_ = 0, m_ = 0;
  TimeWindow window_;
  Eigen::VectorXd length_;              // |H| |q| or |h| of each row, where they were evaluated last
  Eigen::VectorXd magnitude_;           // the largest of it along the motion
  Eigen::VectorXd acceleration_;        // |H| |a_free| of each row, the largest so far
  Eigen::VectorXd speed_;               // |H| |v| + |h_t| of each row
  Eigen::VectorXd fastest_;             // |H| |v| of each row, the largest so far
  std::vector<char> all_;               // contacts
  Eigen::VectorXd F_, positions_;       // packed; on manifolds, as gathered last
  Eigen::VectorXd pushed_, inertia_;    // scratch of push() and balance()
  Eigen::VectorXd controls_, squares_;  // scratch of pace()
};

}  // namespace nonsmooth::events
