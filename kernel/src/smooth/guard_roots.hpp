// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

#include "guard_probes.hpp"
#include "stepper.hpp"

/// The first zero of several guard functions along a step, with bounds instead of samples.
namespace nonsmooth::smooth {

/// m guards at (t, z); a mode is left when one of them falls through zero.
class Guards {
 public:
  virtual ~Guards() = default;
  [[nodiscard]] virtual Index size() const = 0;
  virtual void operator()(double t, const Eigen::VectorXd& z, Eigen::VectorXd& values) = 0;
  /// Guards that are affine in z, and depend on t through z alone, may say so: writes their polynomials along `dense`,
  /// guard_i = sum over k of coefficients(i, k) s^k, size() x (at least dense.degree + 1). False: not all are.
  virtual bool along(const DensePolynomial& dense, Eigen::MatrixXd& coefficients) {
    return static_cast<void>(dense), static_cast<void>(coefficients), false;
  }
  /// Those guards that the motion does not feel (the shape of an obstacle, a user's function): no step size of an
  /// integrator resolves their dips, so that they are looked at in `places` of the step, evenly (GuardProbes).
  struct Probing {
    Index guards = 0;
    double places = 0.0;
  };
  [[nodiscard]] virtual Probing probing(const DensePolynomial& dense) { return static_cast<void>(dense), Probing{}; }
  /// Their values.
  virtual void probe(double t, const Eigen::VectorXd& z, double* values) {
    static_cast<void>(t), static_cast<void>(z), static_cast<void>(values);
  }
};

/// A guard's first passage from positive to negative values on a step.
struct Crossing {
  double t = 0.0;       ///< of the guard's zero along the polynomial [s]
  double before = 0.0;  ///< the guard is not negative at or just before here; before <= t
  Index guard = 0;
  std::vector<Index> tied;  ///< other guards whose zero may lie between `before` and t
};

/// A guard that no interpolant follows on a 1/1024 of the step, at values far above round-off.
struct Unresolved {
  double t = 0.0;     ///< up to here no guard crosses
  Index guard = 0;    ///< it
  double size = 0.0;  ///< its largest value seen there
};

/// first() finds the earliest downward passage of any guard along a dense polynomial.
///
/// On an interval each guard is interpolated at Chebyshev-Lobatto nodes (degree 8) and written in Bernstein form, whose
/// coefficients bound it from both sides (Bernstein 1912; Lane & Riesenfeld 1981 [lane1981]). No sign change of the
/// coefficients, by more than the interpolation error that the decay of the Chebyshev coefficients tells: no zero,
/// proved for the interpolant. Otherwise the interval is halved, left half first, until the coefficients change sign
/// once (one zero: Descartes' rule), or the interval is below round-off of t, or 1/1024 of the step or less and the
/// guard changes less there than counts as zero (below): its first place below that is then the crossing. So a guard
/// that dips below zero and comes back within one step is found, and nothing depends on how steps fall. The zero is
/// then bracketed on the guard itself to 4 eps max(|t0|, |t0 + h|), or to one bit of t.
///
/// zeros[i]: order of the zero that guard i is known to have at the step's start (0: none; 1: it leaves zero with a
/// slope; 2: with a curvature; 4 at most). It is divided out, so that an event just handled is not found again; a guard
/// that then starts negative crosses at the start. Empty: none. dips[i] (same units as guard i, >= 0): a guard whose
/// minimum is above -dips[i] does not cross (what round-off makes of a graze); 4 eps of the guard's largest value on
/// the step are added. Empty: zero. A guard without zero at the start that starts negative, or at zero and falls,
/// crosses at the start. `tied` names those guards whose zeros round-off cannot tell from the one found.
///
/// What is certain: of guards that are polynomials themselves (Guards::along, up to degree 8) the bounds are theirs,
/// with nothing but round-off left out. They are let go at once where the Bernstein coefficients of the whole step say
/// so. Of other guards it is assumed that an interpolant which agrees with them at two places off its nodes, to the
/// error that the decay of its coefficients tells, agrees everywhere (else its error is 64 times what was seen there):
/// a dip narrower than the distances of these eleven places, next to values that show nothing of it, is not seen. For
/// guards that the integrator resolves with the motion that is enough; the others are probed too, and where that shows
/// them rough the step is halved until pieces are 4 cells of the probing.
///
/// Guards without zeros at the start that are 32 times as far from zero as they differ at both ends and the places off
/// the nodes are let go at once; so are those that stay above 1e3 times the last two of five Chebyshev coefficients,
/// and what is seen off the nodes. Cost where nothing crosses: then 4 and 7, else 11 evaluations for all guards
/// together; a crossing takes 20 to 80.
///
/// Intervals of 1/1024 of the step on which a guard is still not resolved end the search without an answer, unless its
/// values there are below 16 times its tolerance: unresolved() tells, and the step has to be taken in parts. Allocates
/// nothing once the number of guards was as large, but for Crossing::tied.
/// @throws InvalidArgument a guard's value that is not finite; zeros or dips of another size, or out of range.
class FirstCrossing {
 public:
  /// `goes_on`: the guards are the same functions as in the last call, and the step starts where that one's ended, so
  /// that their values there may be taken over.
  [[nodiscard]] std::optional<Crossing> first(Guards& guards, const DensePolynomial& dense,
                                              const std::vector<int>& zeros, const Eigen::VectorXd& dips,
                                              bool goes_on = false);
  /// After a first() without a crossing: up to where that is certain, if not to the end.
  [[nodiscard]] const std::optional<Unresolved>& unresolved() const noexcept { return unresolved_; }
  /// Values that are not resolved, up to a few times those told, count as noise from here on, until forget_noise().
  void count_as_noise(const Unresolved& what);
  void forget_noise() noexcept { floors_.setZero(); }
  /// True where no guard falls through zero along the polynomial, without a closer look: for guards that are
  /// polynomials themselves and have no zero at the start. Cheaper than first(), which needs not be asked then.
  [[nodiscard]] bool stays_clear(Guards& guards, const DensePolynomial& dense);
  /// Of all guards together, since this object was made.
  [[nodiscard]] Index evaluations() const noexcept { return evaluations_; }
  /// What the next first() takes over (memory.hpp).
  template <class Memory>
  void remember(Memory& memory) {
    memory(floors_, end_known_, known_end_);
    if (!end_known_) return;
    if constexpr (!Memory::reads) values_ = raw_.col(num_nodes - 1);
    memory(values_);
    if constexpr (Memory::reads) {
      raw_.resize(values_.size(), num_nodes);
      raw_.col(num_nodes - 1) = values_;
    }
  }

 private:
  static constexpr Index num_nodes = 9;

  /// A piece of the step still to be looked at; s in [0, 1].
  struct Piece {
    double a, b;
    int depth;
  };

  enum class Sight : unsigned char {
    Clear,     ///< no guard falls below its level on the piece
    Isolated,  ///< every candidate falls once
    Open,      ///< to be seen from nearer
  };

  void check_arguments(const std::vector<int>& zeros, const Eigen::VectorXd& dips) const;
  void prepare(const std::vector<int>& zeros, const Eigen::VectorXd& dips);
  [[nodiscard]] double time(double s) const;
  void evaluate(double s);
  bool nodes_stay_clear(bool goes_on);
  [[nodiscard]] bool all_far() const;
  [[nodiscard]] bool coefficients_stay_clear(const Eigen::VectorXi& orders) const;
  /// True where interpolants are the guards themselves.
  [[nodiscard]] bool exact() const { return polynomial_ && dense_->degree < num_nodes; }
  [[nodiscard]] bool searched_at_once(const std::vector<int>& zeros, const Eigen::VectorXd& dips, bool goes_on);
  [[nodiscard]] Sight look_at(const Piece& piece);
  [[nodiscard]] std::optional<Crossing> crossing_on(const Piece& piece, bool isolated);
  void evaluate_checks(const Piece& piece);
  bool check_interpolants(const Piece& piece);
  void interpolate(const Piece& piece);
  void find_candidates(const Piece& piece);
  [[nodiscard]] bool isolated(const Piece& piece) const;
  [[nodiscard]] bool tells_no_more(const Piece& piece) const;
  [[nodiscard]] double level(Index i, double s) const;
  [[nodiscard]] double interpolated_zero(Index i, const Piece& piece) const;
  [[nodiscard]] double first_negative_node(const Piece& piece, Index& guard) const;
  void remember_positive(const Piece& piece);
  void remember_positive_candidates(const Piece& piece);
  [[nodiscard]] Crossing polish(Index guard, double guess, double negative);
  void find_ties(Crossing& crossing, double s, double width, const Piece& piece);

  Guards* guards_ = nullptr;
  const DensePolynomial* dense_ = nullptr;
  Index evaluations_ = 0, num_guards_ = 0;
  bool every_other_known_ = false;  // raw_ has columns 0, 2, 4, 6, 8 of the whole step
  bool checks_known_ = false;       // checks_ are of the whole step
  double known_end_ = 0.0;          // t of column 8, where that is known
  bool end_known_ = false;          // column 8 of raw_ is the guards' values at known_end_
  bool polynomial_ = false;         // the guards are coefficients_ along the step
  double resolution_ = 0.0;         // of s: round-off of t over h
  Eigen::VectorXd z_, values_;
  Eigen::MatrixXd coefficients_;
  Eigen::VectorXi orders_;                      // of the zeros at the start
  Eigen::VectorXd tolerances_;                  // dips + noise
  Eigen::VectorXd noise_, errors_;              // of the guards' values; of the interpolants on this piece
  Eigen::VectorXd last_positive_, last_value_;  // the last s with a positive value, -1 for none; that value
  Eigen::Matrix<double, Eigen::Dynamic, num_nodes> nodal_, raw_, chebyshev_, bernstein_;
  Eigen::Matrix<double, Eigen::Dynamic, 2> checks_;  // values off the nodes
  Eigen::VectorXd floors_;                           // of what counts as noise
  GuardProbes probes_;
  std::vector<Index> candidates_;
  std::optional<Unresolved> unresolved_;
  std::array<Piece, 64> pieces_{};  // depth first: one right half waits on each depth
};

}  // namespace nonsmooth::smooth
