// SPDX-License-Identifier: Apache-2.0
// What the active set methods share; not installed.
#pragma once

#include <string_view>
#include <vector>

#include "active_factors.hpp"
#include "internal.hpp"

namespace nonsmooth::qp::detail {

/// One active row or bound: sign 1 at its lower, -1 at its upper bound; `fixed` where both are equal.
struct Active {
  Index constraint = 0;  // i: row i; m + j: the bounds of x_j
  double sign = 1.0;
  bool fixed = false;

  friend bool operator==(const Active&, const Active&) = default;
};

/// When a method stops, and how it calls itself.
struct ActiveSetLimits {
  std::string_view solver;
  double tolerance;
  Index max_steps;
  double time_limit;
};

/// Active rows and bounds of a dense program, their factors, and the outer loop: where Q is singular, minimisers of
/// 1/2 x^T H x + g^T x with H = Q + rho I, g = c - rho centre around the last one (proximal points), else of the
/// program itself. A method derives and says how it minimises.
class WorkingSet {
 public:
  virtual ~WorkingSet() = default;

  /// From the active set of what is in `result`, where it has the sizes of the problem. `same_matrices`: Q and A are
  /// those of the last call. Allocates nothing where n and m stand, but for proofs.
  void solve(const Problem& given, const ActiveSetLimits& limits, bool same_matrices, Result& result);

 protected:
  using Vector = Eigen::VectorXd;
  enum class End : unsigned char { Optimal, Infeasible, Steps, Time, Lost };

  /// x and the multipliers at the minimiser for H and g, from the working set that stands. Infeasible: `ray` is proven.
  virtual End minimise(const ActiveSetLimits& limits, const nonsmooth::detail::Deadline& deadline) = 0;

  [[nodiscard]] double low(Index k) const { return k < m ? row_lower(*problem, k) : lower(*problem, k - m); }
  [[nodiscard]] double high(Index k) const { return k < m ? row_upper(*problem, k) : upper(*problem, k - m); }
  [[nodiscard]] double bound(const Active& a) const { return a.sign > 0.0 ? low(a.constraint) : high(a.constraint); }
  [[nodiscard]] double value(Index k) const { return value(k, x); }
  [[nodiscard]] double value(Index k, const Vector& at_x) const {
    return k < m ? normals.col(k).dot(at_x) : at_x[k - m];
  }
  /// d := J^T times the normal that points inside.
  void transform(const Active& a);
  void add(const Active& a);  ///< with the d that transform() left
  void drop(Index place);
  /// Adds what has a bound there and does not depend on those that are active. False where it does not.
  bool try_to_add(Index k, double sign);
  void correct();  ///< one step of refinement of x and the multipliers at the active set
  void place();    ///< x and the multipliers at the active set
  /// The multiplier of the wrong sign that is largest, beyond rounding; -1: none.
  [[nodiscard]] Index worst_sign() const;

  const Problem* problem = nullptr;
  Index n = 0, m = 0, iterations = 0;
  ActiveFactors factors;
  Eigen::MatrixXd H, normals;  // normals: A^T, n x m
  Vector lengths;              // of the normals of rows and bounds in the metric of H^-1, by its diagonal
  Vector norms, g, x, multipliers, d, ray;
  Vector dx, du;
  std::vector<Active> active;
  std::vector<signed char> side;  // of each constraint: the sign if active, else 0

 private:
  void resize();
  bool factorize();
  void measure_normals();
  void shift();
  void start(const Result& from);
  void gather(Result& result);
  void certify(Result& result) { certify_result(*problem, scratch, result); }

  bool regular = false;  // H = Q
  // The wish that the factors stand for, while no step has changed them: a start with the same needs no others, and the
  // bits are those of new ones.
  std::vector<Active> wish, last_wish;
  bool untouched = false;
  double rho = 0.0;
  Vector centre, dual, primal;
  nonsmooth::detail::Buffer scratch;
};

}  // namespace nonsmooth::qp::detail
