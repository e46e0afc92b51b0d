// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "constraint_stabilisation.hpp"
#include "smooth/guard_probes.hpp"
#include "smooth/guard_roots.hpp"
#include "smooth_mode.hpp"

namespace nonsmooth::events {

/// A function that stays above zero in the mode; its zero crossing ends it.
struct MechanicalGuard {
  enum class Kind : unsigned char { Gap, Normal, Speed, Margin, MarginSpace, Lower, Upper, MarginJoint };
  Kind kind = Kind::Gap;
  std::size_t contact = 0;
  Index row = 0;        ///< the contact's first
  double sign = 1.0;    ///< Margin: of which tangential force; margins of moments are divided by their lever
  int zeros = 0;        ///< order of the zero at the start of the mode
  double offset = 0.0;  ///< round-off there, taken away
  double dip = 0.0;     ///< round-off of its terms

  template <class Memory>
  void remember(Memory& memory) {
    memory(zeros, offset, dip);
  }
};

/// Zero-crossing functions of the smooth mode: gaps of open contacts, forces and slips of closed ones.
class MechanicalGuards {
 public:
  MechanicalGuards(MechanicalModel& model, const MechanicalTolerances& tolerances, SmoothMode& mode,
                   ConstraintStabilisation& stabilisation, bool fixed_step);

  /// As at the beginning of a motion.
  void reset();
  /// Those of the statuses that contacts have.
  void list();
  /// Which of them start at zero, and to which order; after the mode was taken at (t, z).
  void start(double t, const Eigen::VectorXd& z);

  [[nodiscard]] const std::vector<MechanicalGuard>& all() const noexcept { return guards_; }
  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(guards_.size()); }
  /// Forces, slips and gaps at (t, z), for value().
  void evaluate(double t, const Eigen::VectorXd& z);
  [[nodiscard]] double value(const MechanicalGuard& guard) const {
    return guard.kind == MechanicalGuard::Kind::Gap ? model_.y[guard.row] - guard.offset : value_of_mode(guard);
  }
  [[nodiscard]] std::string name(Index guard) const;

  /// Looks, along the polynomial that starts at z, at those gaps alone that may close first, by the speed of their
  /// bodies, and at those whose steepness is not known. The others keep the value that they have at z, until list() or
  /// the next call.
  void look_near(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense);
  /// Takes in those that may close before t. True where there are any: what was found without them, at t, is to be
  /// looked for again.
  [[nodiscard]] bool take_in(double t);
  /// Gaps may be left out in this mode: values at the end of a step are not those of the next one's start.
  [[nodiscard]] bool may_leave_out() const noexcept { return may_leave_out_; }
  /// True where nothing can happen along the polynomial that starts at z: all guards are gaps of affine contacts that
  /// stay open. Cheaper than FirstCrossing, and no less certain.
  [[nodiscard]] bool stays_open(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense);
  /// Guards::along() of a matrix with `rows` rows, the first of them these guards', where all are gaps of affine
  /// contacts; z: where the polynomial starts.
  [[nodiscard]] bool along(const Eigen::VectorXd& z, const smooth::DensePolynomial& dense, Index rows,
                           Eigen::MatrixXd& coefficients);
  /// Guards::probing() of the gaps of open contacts that are not affine.
  [[nodiscard]] smooth::Guards::Probing probing(const smooth::DensePolynomial& dense);
  /// Of the statuses that contacts have (memory.hpp).
  template <class Memory>
  void remember(Memory& memory) {
    if constexpr (Memory::reads) list();
    for (MechanicalGuard& guard : guards_) memory(guard);
    memory(longest_step_, longest_way_);
  }
  /// Their values; returns how many.
  Index probe(double t, const Eigen::VectorXd& z, double* values);

 private:
  /// Of guards that are no gaps.
  [[nodiscard]] double value_of_mode(const MechanicalGuard& guard) const;
  void add(MechanicalGuard::Kind kind, std::size_t i, double sign = 1.0);
  void add_friction(std::size_t i);
  void evaluate_idle_gaps(double t, const Eigen::VectorXd& z);
  /// Of a guard that starts at zero, at what does not tell how it leaves.
  [[nodiscard]] double noise_of_zero(const MechanicalGuard& guard, double largest_force) const;

  MechanicalModel& model_;
  const MechanicalTolerances& tolerances_;
  SmoothMode& mode_;
  ConstraintStabilisation& stabilisation_;
  bool fixed_step_;
  std::vector<MechanicalGuard> guards_;
  std::vector<char> probed_;  ///< open contacts that are not affine
  std::vector<char> near_;    ///< open contacts but for those left out, where left_out_
  bool may_leave_out_ = false, left_out_ = false;
  std::vector<double> closes_, in_order_;  ///< before when a gap stays open, by contact; those of known steepness
  bool needs_multipliers_ = false, only_affine_gaps_ = false;
  std::vector<Index> rows_;
  /// Met while the contact was open and probed: of steps [s], of q along a step [unit of q].
  std::vector<smooth::LongestSoFar> longest_step_, longest_way_;
};

}  // namespace nonsmooth::events
