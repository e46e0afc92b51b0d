// SPDX-License-Identifier: Apache-2.0
// What the relay solvers share; not installed.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <internal/deadline.hpp>
#include <internal/round_off.hpp>
#include <nonsmooth/numerics/relay/problem.hpp>

#include "end_infeasible.hpp"
#include "keep_better.hpp"
#include "linear_algebra/dense_lu.hpp"
#include "relative_rows.hpp"
#include "solved_to_round_off.hpp"

namespace nonsmooth::relay {

/// A look at a problem that copies nothing; not validated.
struct View {
  ConstMatrixRef M;
  ConstVectorRef q, lower, upper;
};

/// The view's form of the public function.
[[nodiscard]] Certificate certify(const View& problem, ConstVectorRef z, VectorRef w, double floor = -1.0);

namespace detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline View view(const Problem& problem) { return View{problem.M, problem.q, problem.lower, problem.upper}; }
inline const SparseProblem& view(const SparseProblem& problem) { return problem; }  // copies nothing either

/// The nearest point of [lower, upper].
inline double clamp(double z, double lower, double upper) { return z < lower ? lower : (z > upper ? upper : z); }
template <class P>
void clamp(const P& problem, VectorRef z) {
  for (Index i = 0; i < z.size(); ++i) z[i] = clamp(z[i], problem.lower[i], problem.upper[i]);
}

/// s (z - P(z - w/s)) of one row; lets a NaN of w through.
template <class Real>
Real row_error(Real s, Real z, Real w, double lower, double upper) {
  if (lower > -infinity) {
    const Real below = s * (z - lower);
    if (below < w) w = below;
  }
  if (upper < infinity) {
    const Real above = s * (z - upper);
    if (above > w) w = above;
  }
  return w;
}

/// A sum of products in extended precision with what it may have lost: an error-free transformation, term by term.
class ExtendedSum {
 public:
  explicit ExtendedSum(double start) : value_(start) {}
  void add(double a, double b) {
    const double product = a * b;
    add(product);
    add(std::fma(a, b, -product));  // what the product lost, exactly
  }
  [[nodiscard]] long double value() const { return value_; }
  [[nodiscard]] long double lost() const { return lost_; }

 private:
  void add(double term) {
    const long double sum = value_ + term;
    const long double back = sum - value_;
    lost_ += std::abs((value_ - (sum - back)) + (term - back));
    value_ = sum;
  }
  long double value_;
  long double lost_ = 0.0L;
};

/// The running worst of a certificate. A NaN counts as worse than everything.
class Worst {
 public:
  Worst() { c_.error = 0.0; }
  /// reference: the row at the point of the box nearest to 0; bound: the row's sum of absolute values.
  void add(Index row, double error, double q, double reference, double bound);
  [[nodiscard]] Certificate finish(double floor);

 private:
  Certificate c_;
  double scale_ = 0.0;
  double magnitude_ = 0.0;
  nonsmooth::detail::RelativeRows relative_;
};

/// s_i of the certificate for every row.
void row_scales(const View& problem, VectorRef s);
void row_scales(const SparseProblem& problem, VectorRef s);

/// True if the certificate allows Solved. Where round-off of M z + q is not small beside the data, the errors are
/// summed again in extended precision, what that loses included, and measured by the data alone: a large z does not
/// count.
bool within(const View& problem, double tolerance, ConstVectorRef z, Certificate& certificate);
bool within(const SparseProblem& problem, double tolerance, ConstVectorRef z, Certificate& certificate);

/// Turns an open result Solved where its errors are the rounding of its own terms (../solved_to_round_off.hpp).
template <class P>
void tell_round_off(const P& problem, Result& result) {
  if (result.status != Status::Solved)
    nonsmooth::detail::tell_round_off(problem.lower.allFinite() && problem.upper.allFinite(), result);
}

/// Certifies result.z, fills w, certificate, status and reason; as lcp::detail::conclude. z is put within its bounds.
void conclude(const View& problem, double tolerance, Result& result, Status otherwise, std::string_view reason);
void conclude(const SparseProblem& problem, double tolerance, Result& result, Status otherwise,
              std::string_view reason);

using nonsmooth::detail::keep_better;

/// The view's form of the public function.
bool proves_infeasible(const View& problem, ConstVectorRef y, double tolerance = -1.0);
bool proves_infeasible(const SparseProblem& problem, ConstVectorRef y, double tolerance = -1.0);

/// Result::reason of a solution whose rows between their bounds are dependent.
inline constexpr std::string_view least_norm_reason =
    "the certificate is at or below the tolerance; dependent rows: the least-norm one of many solutions";

/// Where z_i is: a row between its bounds has w_i = 0. Free rows are always Between.
enum class Place : signed char { Lower = -1, Between = 0, Upper = 1 };
using Places = std::vector<Place>;

/// z of given places: bounds where they say so, M_bb z_b = -(q + M z_rest)_b between them, with one refinement.
class Partition {
 public:
  explicit Partition(const View& problem) : p_(problem) {}

  /// w = M z + q. False if M_bb is singular to working precision; z and w are then unspecified.
  bool solve(const Places& places, VectorRef z, VectorRef w);

  /// The z_b of least norm (rows and columns equilibrated) where M_bb is singular; false if the rows contradict.
  bool solve_least(const Places& places, VectorRef z, VectorRef w);

 private:
  void collect(const Places& places, VectorRef z);
  void multiply(ConstVectorRef z, VectorRef w) const;

  View p_;
  std::vector<Index> rows_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd weights_, step_;
  nonsmooth::detail::DenseLu lu_;
};

/// A value whose sign is round-off counts as zero: 64 eps of the largest terms of M z + q, as in the certificate.
inline double sign_floor(ConstVectorRef q, ConstVectorRef w) {
  return 64.0 * eps * std::max(q.cwiseAbs().maxCoeff(), (w - q).cwiseAbs().maxCoeff());
}

/// What a row of a polyhedron {z in [l, u] : rows of M z + q} asks for.
enum class RowKind : unsigned char { Nothing, AtLeastZero, AtMostZero, Zero };

/// Looks for a proof that no z in [l, u] meets the signs that every solution has; turns result Infeasible if there is.
/// Where some z does and result is not Solved, its reason says so, unless all combinations have been tried.
bool prove_infeasible(const View& problem, double time_limit, Result& result);

/// Turns y into a proof by proves_infeasible() where round-off is all that it lacks: entries at round-off become zeros,
/// and y moves to the null space of the columns that are zero up to 1e-8. False if that is not enough.
bool refine_proof(const View& problem, Eigen::VectorXd& y);

/// Finds a point of the places' polyhedron: w = 0 between, signs of w at the bounds. For singular M_bb.
bool point_of(const View& problem, const Places& places, double time_limit, Eigen::VectorXd& z);

/// The algorithms with given options on data that are not validated.
void lemke(const View& problem, double tolerance, Index max_pivots, double time_limit, Result& result);
void active_set(const View& problem, double tolerance, Index max_steps, double time_limit, ConstVectorRef start,
                Result& result);
void semismooth_newton(const View& problem, double tolerance, Index max_steps, double time_limit, Result& result);
/// Ends Stalled once `work` counted operations are spent. max_combinations as in Enumeration.
void enumerate(const View& problem, double tolerance, Index max_combinations, double work, double time_limit,
               Result& result);
void automatic(const View& problem, double tolerance, Index max_iterations, double time_limit, Result& result);

/// Product of 1 (free), 2 (one bound) and 3 (two bounds) over the rows, as a double.
double num_bases(const View& problem);

/// @throws InvalidArgument naming `argument` where enumeration would have more than max_bases combinations to try.
void check_num_bases(const std::string& argument, double bases, Index max_bases);

}  // namespace detail
}  // namespace nonsmooth::relay
