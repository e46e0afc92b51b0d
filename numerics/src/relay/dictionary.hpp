// SPDX-License-Identifier: Apache-2.0
// Complementary pivoting on a box; not installed.
#pragma once

#include <string_view>
#include <vector>

#include <internal/decompositions.hpp>
#include <nonsmooth/numerics/linear_algebra/growing_vector.hpp>

#include "growing_matrix.hpp"
#include "internal.hpp"

namespace nonsmooth::relay::detail {

enum class PivotEnd : unsigned char { Complementary, Ray, Limit, TimeLimit, Breakdown };

/// Lemke::max_pivots, and what its 0 takes.
inline Index pivot_limit(Index max_pivots, Index n) { return max_pivots > 0 ? max_pivots : 50 * n + 1000; }

/// The status and the reason of pivots that ended so without an answer.
struct Unsolved {
  Status status = Status::Stalled;
  std::string_view reason;
};
constexpr Unsolved unsolved(PivotEnd end) {
  switch (end) {
    case PivotEnd::Limit:
      return {Status::IterationLimit, "max_pivots reached"};
    case PivotEnd::TimeLimit:
      return {Status::TimeLimit, "time_limit reached"};
    case PivotEnd::Breakdown:
      return {Status::NumericalFailure, "a basis became singular"};
    case PivotEnd::Ray:
      return {Status::Stalled, "a secondary ray, which proves nothing for this matrix"};
    case PivotEnd::Complementary:
      break;
  }
  return {Status::Stalled, "the final basis is too ill-conditioned for the tolerance"};
}

/// conclude() by how the pivots ended.
template <class P>
void conclude_pivoting(const P& problem, double tolerance, PivotEnd end, Result& result) {
  conclude(problem, tolerance, result, unsolved(end).status, unsolved(end).reason);
}

/// The dictionary  s = q + M z + c t  (basic variables as affine functions of the nonbasic ones) after scaling,
/// shifting to the starting corner and mirroring of the rows that start at their upper bound, so that every row with
/// bounds has z in [0, h] and starts at 0. Variables are numbered z_0..z_{n-1}, s_0..s_{n-1}, then t.
///
/// A row with bounds: z = 0, s >= 0, or s = 0, or z = h, s <= 0, with s = w + t. A free row that found no pivot among
/// the free columns is paired with a free column: with sigma = +-1, s = w + sigma t and
///     sigma z >= 0,  0 <= sigma s <= 2 t,  z s = 0,
/// where sigma flips as sigma s reaches 2 t. For t = 0 this is w = 0, for large t it is z = 0.
///
/// Keeps its memory, but that of free rows which find no pivot, and of factors of another size than the last ones.
class Dictionary {
 public:
  void prepare(const View& problem, bool equilibrate);
  PivotEnd run(Index max_pivots, Index refactor_every, const nonsmooth::detail::Deadline& deadline);

  [[nodiscard]] Index pivots() const noexcept { return pivots_; }
  void extract(const View& problem, VectorRef z) const;
  void places(Places& out) const;

 private:
  enum class Kind : unsigned char { Bounded, Free, Fixed };
  /// What stops the entering variable: row -1 is that variable itself; `far` the bound that is not 0.
  struct Stop {
    Index row = -1;
    bool far = false;
    double slack = 0.0, rate = 0.0;  // slack - rate theta >= 0
  };

  [[nodiscard]] std::size_t at(Index i) const { return static_cast<std::size_t>(i); }
  [[nodiscard]] Index artificial() const noexcept { return 2 * n_; }
  [[nodiscard]] bool is_free_slack(Index v) const {
    return v >= n_ && v < 2 * n_ && kind_[at(v - n_)] == Kind::Free && partner_[at(v)] >= 0;
  }
  void scale(const View& problem, bool equilibrate);
  void scale_bounded();
  void cross_free();
  void pair_rest(std::vector<Index>& rows, std::vector<Index>& columns);
  void exchange(Index row, Index column);
  bool refresh();
  /// t as large as it has to be for every basic variable to be within its bounds; false: at 0 they are.
  [[nodiscard]] bool cover();
  double stops(Index column, double delta, double t_rate, std::vector<Stop>& out, double& ratio);
  void gradient(const Stop& stop, Index column, double delta);
  /// Of stops_, ties broken by the lexicographic rule; t's own before all.
  [[nodiscard]] const Stop& first_stop(Index column, double delta);
  /// The variable of the stop leaves for the entering one, of this value, or comes to its other bound. False: no pivot.
  [[nodiscard]] bool leave_at(const Stop& stop, Index column, double value);
  /// The complement of what left enters: its column and direction. False: it has none.
  [[nodiscard]] bool enter_complement(Index leaving, Index& column, double& delta);
  [[nodiscard]] bool smaller(const std::vector<double>& a, const std::vector<double>& b) const;
  void flip(Index free_row);

  Index n_ = 0;
  bool equilibrate_ = true;
  GrowingMatrix<> M_, T_;
  GrowingVector q_, h_, x_, rows_, columns_, start_, covering_, column_;
  double q_scale_ = 1.0;
  std::vector<Kind> kind_;
  std::vector<Index> basic_, nonbasic_;  // variable of each row, of each column
  std::vector<Index> where_;             // of each variable: its row if basic, else -1 - its column
  std::vector<Index> partner_;           // the variable complementary to each; -1 for t, fixed and crossed ones
  std::vector<double> low_, high_;       // of each variable while basic
  std::vector<char> at_upper_;           // of each z while nonbasic
  std::vector<double> sigma_;            // of each free row
  std::vector<Index> free_slacks_;       // rows paired, not crossed
  std::vector<Stop> stops_;
  std::vector<double> row_a_, row_b_;
  GrowingMatrix<> basis_, rest_;  // of refresh()
  LuFactors factors_;
  GrowingVector row_, factor_;                             // scratch
  std::vector<Index> bounded_, free_rows_, free_columns_;  // of the start
  double t_ = 0.0;                                         // while nonbasic
  Index pivots_ = 0;
};

}  // namespace nonsmooth::relay::detail
