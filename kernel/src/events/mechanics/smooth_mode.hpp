// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <internal/decompositions.hpp>

#include "contact_state.hpp"
#include "even_friction.hpp"
#include "load_shares.hpp"
#include "mechanical_tolerances.hpp"
#include "rubbing_friction.hpp"

namespace nonsmooth::events {

/// Relative pivot below which closed rows depend on one another.
inline constexpr double kDependentRows = 1e-11;

/// Mechanics between instants. With the closed rows J (normal rows; tangential ones where they stick; relays at rest)
/// and E the directions of their forces (a sliding contact's normal force brings friction along),
///
///     W_JJ lambda_J + b_J = 0,  W = H M^-1 E,  b = H a_free + c,    vdot = a_free + M^-1 E lambda,
///
/// where rows depend on one another lambda_J as equal springs would have it, whether contacts slide or stick
/// (LoadShares): with the smallest sum of W_kk lambda_k^2 where none slides. Of the friction of contacts that stick
/// then that with the smallest sum of lambda_k^2 / (mu lambda_N): as long as some multipliers keep within the cones,
/// contacts should not slip, and what two of them can carry is taken from the one that has more. Where one comes to its
/// bound while others have not, shares are found by which none does (even_friction.hpp): lambda_k^2 / (share mu
/// lambda_N) from there on.
///
/// Contacts with a cohesion pull by it while they are closed, in a_free; their lambda is what is beside it.
///
/// Joints that rub push with -beta_g d_g along the slips d_g of their groups, beta = bound(lambda, beta): lambda_J is
/// linear in beta (rubbing_friction.hpp).
class SmoothMode {
 public:
  SmoothMode(MechanicalModel& model, const MechanicalTolerances& tolerances);

  /// Unilateral contacts open, all others held.
  void reset();
  [[nodiscard]] ContactStates& states() noexcept { return states_; }
  [[nodiscard]] const ContactStates& states() const noexcept { return states_; }
  /// Lists the closed rows; after statuses changed.
  void activate();

  /// lambda and vdot at (t, z).
  void solve(double t, const Eigen::VectorXd& z);
  /// M^-1 E of the active rows at (t, z), with a_free, y, u, H there.
  const Eigen::MatrixXd& evaluate_constraints(double t, const Eigen::VectorXd& z);
  /// The mode with lambda_J among the unknowns, lambda of num_multipliers() entries as active_rows():
  ///
  ///     r = (qdot - v; M vdot - F - E lambda) in the entries of z,   rows = H vdot + c,
  ///
  /// rows of the same zeros that lambda of least norm satisfies where rows depend on one another. After solve().
  void residual(double t, const Eigen::VectorXd& z, const Eigen::VectorXd& zdot, const double* lambda,
                Eigen::VectorXd& r, double* rows);

  [[nodiscard]] const std::vector<Index>& active_rows() const noexcept { return active_rows_; }
  /// The contact of active row k.
  [[nodiscard]] std::size_t active_contact(std::size_t k) const { return active_contact_[k]; }
  /// True where row k of active_rows() is a constraint of positions; the others are of velocities.
  [[nodiscard]] bool of_positions(std::size_t k) const;
  /// True where rows of active_rows() depend on one another, or did when the mode began; after solve().
  [[nodiscard]] bool redundant() const noexcept { return redundant_; }
  [[nodiscard]] Index num_multipliers() const noexcept { return static_cast<Index>(active_rows_.size()); }
  /// Flags by contact: closed; open, or idle.
  [[nodiscard]] const std::vector<char>& closed() const noexcept { return closed_; }
  [[nodiscard]] const std::vector<char>& open() const noexcept { return open_; }
  [[nodiscard]] bool has_closed() const noexcept { return has_closed_; }
  /// Of the closed contacts (mechanisms.hpp).
  [[nodiscard]] const std::vector<Index>& mechanism() const noexcept { return mechanism_; }
  /// Statuses, and what is known of the mode (memory.hpp).
  template <class Memory>
  void remember(Memory& memory) {
    memory(states_);
    if constexpr (Memory::reads) activate();
    memory(redundant_, rank_known_, forces_);
  }
  /// Of the slip of a contact, from its velocity where that is in space and more than round-off.
  [[nodiscard]] Eigen::Vector3d slip_direction(std::size_t i) const;
  /// Of what slides in space with hardly a velocity at the last evaluate_velocities(), the direction stays as it is, as
  /// that of a slip that begins, until the next call; false: of nothing.
  void keep_slow_directions(bool keeps);
  /// What a normal force of 1 at a contact that slips, or turns (of its Turning one), brings along, on top of `push`.
  void add_friction(std::size_t i, Eigen::Ref<Eigen::VectorXd> push) const;

  // Of the last solve().
  [[nodiscard]] const Eigen::VectorXd& multipliers() const noexcept { return lambda_; }     ///< lambda_J
  [[nodiscard]] const Eigen::VectorXd& forces() const noexcept { return forces_; }          ///< lambda by row, m
  [[nodiscard]] const Eigen::VectorXd& accelerations() const noexcept { return vdot_; }     ///< vdot, packed
  [[nodiscard]] const Eigen::MatrixXd& directions() const noexcept { return directions_; }  ///< M^-1 E, n x |J|

  /// The same where trial states of a step, which are made again shorter, are none of its states.
  /// @throws CallableFailure where a joint jams.
  void solve_of_motion(double t, const Eigen::VectorXd& z);
  /// Which joint that slips has no friction that repeats in the last solve(), whose accelerations are NaN; else empty.
  [[nodiscard]] const std::string& jammed() const noexcept { return friction_.jammed(); }

  /// M^-1 of what the friction of joints that slip pushes at (t, z), by the reactions of the mode there: solve().
  void rubbing_accelerations(double t, const Eigen::VectorXd& z, Eigen::VectorXd& accelerations);
  [[nodiscard]] bool rubs() const noexcept { return !rubbing_.empty(); }

  /// The multipliers among those that solve a step or an instant where rows depend on one another: `solve(shares,
  /// lambda)` finds them for given LoadShares, by mobilities alone, then by the bounds of friction in joints and
  /// against turning that these give, then by those of contacts that these give. After evaluate_constraints(), by its
  /// directions.
  template <class Solve>
  void share_multipliers(Solve&& solve, Eigen::VectorXd& lambda) {
    find_mobilities();
    share(solve, lambda);
  }

  /// Of a joint that slips: what its friction pushes along, -H^T d of the slip d, for a bound of 1.
  void set_rubbing_direction(std::size_t i, Eigen::Ref<Eigen::VectorXd> push) const;

  /// Friction of `contacts`, all of which stick and act on one another, at the last solve(), shared as evenly as it can
  /// be: EvenFriction by contact, its friction stacked. No rows of their own are shared: its ratio is 0.
  [[nodiscard]] EvenFriction even_out(const std::vector<std::size_t>& contacts) const;

 private:
  [[nodiscard]] bool pushes(std::size_t i) const;
  [[nodiscard]] double push_of(std::size_t i) const;
  /// Friction of joints that slip into lambda_, forces_ and vdot_, lambda_ being without: by least norm or by factors.
  void add_rubbing(bool shared);
  void push_rubbing(ConstVectorRef multipliers);
  /// What acts on the first row of a contact whatever lambda is: the force of a relay at its bound, a cohesion.
  [[nodiscard]] double known_force(std::size_t i) const;
  void set_force_direction(std::size_t k);
  /// Friction of contact i, or against its turning, that its normal force brings along.
  [[nodiscard]] bool slides(std::size_t i) const {
    return model_.contact(i).num_slip_rows() > 0 && states_[i].status == ContactStatus::Slide;
  }
  [[nodiscard]] bool has_lost_rank() const;

  // Shares (smooth_mode_shares.cpp).
  /// True of the normal force of a contact that slides, or turns.
  [[nodiscard]] bool brings_friction(std::size_t k) const;
  /// M^-1 H^T of normal forces that bring friction along, without it.
  void find_directions_at_rest();
  /// W_ of directions_.
  void find_mobilities();
  /// lambda of W_ lambda = right, where rows may depend on one another.
  void share_out(const Eigen::VectorXd& right, Eigen::VectorXd& lambda);
  template <class Solve>
  void share(Solve&& solve, Eigen::VectorXd& lambda) {
    share_by_mobilities();
    solve(shares_, lambda);
    if (share_by_weights(lambda)) solve(shares_, lambda);
    if (share_by_capacities(lambda)) solve(shares_, lambda);
  }
  void share_by_mobilities();
  [[nodiscard]] std::size_t mechanism_of(Index k) const {
    return static_cast<std::size_t>(mechanism_[active_contact_[static_cast<std::size_t>(k)]]);
  }
  /// By the bounds of friction in joints and against turning; false where none of it sticks.
  [[nodiscard]] bool share_by_weights(const Eigen::VectorXd& lambda);
  /// By these and by the bounds of friction of contacts: the normal forces among lambda are those of the mode already.
  /// False where no two contacts stick.
  [[nodiscard]] bool share_by_capacities(const Eigen::VectorXd& lambda);
  void compute_shares();
  /// Sets weights_ by the reactions among lambda; false where no friction in joints or against turning sticks.
  [[nodiscard]] bool find_weights(const Eigen::VectorXd& lambda);
  /// Sets capacities_ by the normal forces among lambda; false where no two contacts of a mechanism stick.
  [[nodiscard]] bool find_capacities(const Eigen::VectorXd& lambda);

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  ContactStates states_;
  std::vector<Index> active_rows_;           ///< J
  std::vector<std::size_t> active_contact_;  ///< which contact each belongs to
  std::vector<char> closed_, open_;
  std::vector<Index> mechanism_;  ///< by contact
  bool has_closed_ = false;
  bool redundant_ = false, rank_known_ = false;  ///< active rows depend on one another; it was looked at
  Eigen::MatrixXd directions_, W_;
  Eigen::MatrixXd at_rest_, G_;  ///< M^-1 H^T, of the columns sliding_ alone; H M^-1 H^T of the active rows
  std::vector<Index> sliding_;   ///< active rows: normal forces that bring friction along
  Eigen::VectorXd lambda_, forces_, vdot_, scratch_, push_;
  Eigen::VectorXd weights_, reactions_;  ///< of the rows of friction in joints that stick; by row of the model
  Eigen::VectorXd capacities_;  ///< mu lambda_N of the rows of friction that sticks, by the largest of its mechanism
  /// By mechanism: what all that is held has; the largest capacity, and how many stick.
  std::vector<double> held_, largest_;
  std::vector<int> sticking_;
  std::vector<std::size_t> rubbing_;  ///< contacts that are Rubbing and slip
  Eigen::MatrixXd rubbed_;            ///< M^-1 E of these, n x |rubbing_|
  Eigen::MatrixXd gained_;            ///< lambda_J by a bound of 1 each, |J| x |rubbing_|
  Eigen::Matrix3Xd slips_;            ///< units along them
  RubbingFriction friction_;
  LuFactors factor_;
  LoadShares shares_{kDependentRows};
};

}  // namespace nonsmooth::events
