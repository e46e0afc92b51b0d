// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/kernel/sensitivity.hpp>

#include "smooth/collocation.hpp"
#include "smooth/stepper.hpp"

namespace nonsmooth::events {

/// X = d(own entries of z)/d(start, parameters) of a part of z that depends on no other part, n x (n + p):
///
///     X' = A X,  A = df/dz,  along the polynomial of each smooth step;   X+ = S X-  at an event at a zero of c,
///     S = D R + (f+ - R') grad c^T / c',
///
/// R the jump of the state, R' = D R f- + R_t and c' = grad c . f- + c_t their rates along the motion before. Where f
/// does not jump, S = D R. Where the jump is that of several things which do not see one another, each has its own c
/// and the entries of f+ - R' that it moves. Steps by Radau's method with five stages (order 9), halved until two
/// halves agree with the whole; differences of fourth order over eps^(1/5) of the size of z_k (differences::size_of),
/// known to 1e-12 of f where that is smooth.
class Variation {
 public:
  /// What is varied. Functions may be asked a little outside of the mode.
  struct Motion {
    std::vector<Index> entries;  ///< of z, n
    Index num_parameters = 0;    ///< p: X's last columns start from zero
    std::function<void(double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot)> rates;
    std::function<Index()> num_guards;
    std::function<void(double t, const Eigen::VectorXd& z, double* values)> guards;
    /// df/dz, n x n, zero when it comes in; false, or none: differences.
    std::function<bool(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A)> rates_dz{};
    /// grad c (n) and c_t of a guard; false, or none: differences.
    std::function<bool(Index guard, double t, const Eigen::VectorXd& z, Eigen::VectorXd& slope, double& by_time)>
        guard_dz{};
  };
  /// What met zero at a jump: c by the own entries of z (n), c', and the entries that move with it (n; empty: all).
  struct Crossing {
    Eigen::VectorXd slope;
    double rate = 0.0;
    std::vector<char> moves{};
    bool lands = false;  ///< what goes on stays at c = 0, so that little is left of a small c'
  };
  /// What a direction becomes where it is not a matrix that says it: S(a v) = a S(v) for a > 0.
  using DirectionMap = std::function<Eigen::VectorXd(ConstVectorRef)>;
  /// R: z after it.
  using Jump = std::function<void(double t, const Eigen::VectorXd& z, Eigen::VectorXd& z_after)>;

  /// `tolerance`: of X, relative, a step; `smallest`: size of coordinates of which nothing else is known.
  Variation(Motion motion, double tolerance, double smallest);

  void begin();
  /// The step just taken; counts when commit() is called.
  void along(const smooth::DensePolynomial& dense);
  void commit() { X_.swap(next_); }
  /// An instant at (t, z), the limit from before it, in the mode of then; `crossed`: its guards that are zero there.
  /// `first`: no time before it is asked.
  void before(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed, double first);
  /// The same behind it, in the mode that goes on. `met`: how many things happened; of several, `map` has what each
  /// direction becomes, and X is for those in which they stay together.
  void after(double t, const Eigen::VectorXd& z, Index met, DirectionMap map = {});
  /// The same where the state jumps at zeros of the `crossings`; none: of the first of the guards. `singly`: of several
  /// crossings the jump of each alone, where all orders of them end at z; at most 4 are looked at in turn.
  void after(double t, const Eigen::VectorXd& z, const Jump& jump, std::vector<Crossing> crossings,
             const std::vector<Jump>& singly = {});
  /// X by parameter k += (n), behind after().
  void add(Index parameter, const Eigen::VectorXd& change) { X_.col(size() + parameter) += change; }
  /// Nothing is known any more.
  void lose();

  [[nodiscard]] Index size() const noexcept { return static_cast<Index>(motion_.entries.size()); }
  [[nodiscard]] const std::vector<Index>& entries() const noexcept { return motion_.entries; }
  [[nodiscard]] const Eigen::MatrixXd& X() const noexcept { return X_; }
  [[nodiscard]] bool grazed() const noexcept { return grazed_; }
  [[nodiscard]] bool coincided() const noexcept { return coincided_; }
  /// X v for v of n entries, by the maps of instants at which several things met; NaN behind one that has none.
  [[nodiscard]] Eigen::VectorXd along(ConstVectorRef v) const;

 private:
  /// An instant with a map.
  struct Turn {
    Eigen::MatrixXd before;  ///< X from the turn before it, or the start
    DirectionMap map;
  };

  void gather(const Eigen::VectorXd& z, Eigen::VectorXd& own) const;
  void rates(double t, const Eigen::VectorXd& z, Eigen::VectorXd& own);
  void slopes(double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A);
  void step(const smooth::DensePolynomial& dense, double t, double h, const Eigen::MatrixXd& from, Eigen::MatrixXd& to);
  void halve(const smooth::DensePolynomial& dense, double t, double h, int depth, Eigen::MatrixXd& X);
  [[nodiscard]] Crossing crossing_of(Index guard);
  [[nodiscard]] Index guard_near_zero();
  void guard_values(double t, const Eigen::VectorXd& z) {
    values_.resize(motion_.num_guards());
    motion_.guards(t, z, values_.data());
  }
  void measure(const Eigen::VectorXd& z);
  [[nodiscard]] double size_of(double x, Index k) const;
  /// column k of `result` := d value / d z_k, value of any number of entries.
  template <class Value>
  void differentiate(const Eigen::VectorXd& z, Eigen::MatrixXd& result, Value&& value);
  /// d value(t, z)/dt at t_ by places before it and behind first_.
  template <class Value>
  [[nodiscard]] Eigen::VectorXd by_time(const Eigen::VectorXd& z, Value&& value);
  /// What directions become through the jumps of crossings_ in the order in which they meet them; none: not known.
  [[nodiscard]] DirectionMap in_turn(const std::vector<Jump>& singly);
  /// A turn here: X goes on to its left as before, and from the identity to its right once the instant is carried over.
  void turn(DirectionMap map);
  [[nodiscard]] bool is_same(const Eigen::VectorXd& carried) const;  ///< the rates behind
  [[nodiscard]] bool grazes(const Crossing& crossing) const;
  void carry(const Eigen::VectorXd& change, const Crossing& crossing, const Eigen::MatrixXd& from);

  Motion motion_;
  double tolerance_, smallest_;
  smooth::Collocation collocation_;
  Eigen::MatrixXd X_, next_;  ///< behind a turn with n columns more: X since then
  std::vector<Turn> turns_;
  bool grazed_ = false, coincided_ = false;
  bool undirected_ = false;  ///< something coincided of which no map is known

  // Of an instant, between before() and after().
  bool pending_ = false;
  double t_ = 0.0, first_ = 0.0;
  Eigen::VectorXd z_, f_before_;
  Index crossed_ = 0;
  std::vector<Crossing> crossings_;
  bool time_is_short_ = false;  ///< a derivative by time that is not zero had too little time before it

  Eigen::VectorXd largest_, in_step_;  ///< |z_k| met, and in the last step

  // Scratch.
  Eigen::VectorXd moved_, full_rate_, one_, other_, column_, values_, node_z_;
  Eigen::MatrixXd A_, system_, right_, whole_, half_, difference_;
  LuFactors factors_;
  std::vector<double> buffer_;
};

}  // namespace nonsmooth::events
