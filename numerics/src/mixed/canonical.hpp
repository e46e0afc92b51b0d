// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elliptic, cohesive and rolling blocks, and boxes with a unit, in the units where they are canonical ones (see
// BlockSet), and the way back.

#include <limits>
#include <utility>

#include <internal/deadline.hpp>
#include <nonsmooth/numerics/mixed/problem.hpp>

#include "internal.hpp"

namespace nonsmooth::mixed::internal {

/// Of a block that may be one in other units than the canonical ones.
inline constexpr Index most_scaled_rows = 6;

/// The canonical set of a block of n rows; `scale` receives its n entries of D. The shift on row N is set.cohesion.
[[nodiscard]] BlockSet canonical_set(const BlockSet& set, Index n, double* scale) noexcept;

/// r' = D^-1 (r + c e_N) and u' = D u of one block of n rows, D as canonical_set() gives it.
inline void scale_block(const BlockSet& set, const double* scale, const double* r, const double* u, Index n,
                        double* scaled_r, double* scaled_u) noexcept {
  for (Index i = 0; i < n; ++i) {
    scaled_r[i] = (r[i] + (i == 0 ? set.cohesion : 0.0)) / scale[i];
    scaled_u[i] = u[i] * scale[i];
  }
}

/// r = D r' - c e_N, u' = D u: the units of a product of sets alone, for the reduced and for the global form.
class CanonicalScaling {
 public:
  CanonicalScaling() = default;
  explicit CanonicalScaling(const ProductSet& K) { assign(K); }
  /// Allocates only beyond the largest K so far.
  void assign(const ProductSet& K);

  [[nodiscard]] const ProductSet& sets() const noexcept { return K_; }          ///< the canonical ones
  [[nodiscard]] const GrowingVector& scale() const noexcept { return scale_; }  ///< the diagonal of D, > 0
  [[nodiscard]] const GrowingVector& shift() const noexcept { return shift_; }  ///< c on rows N, else 0

  void to_canonical(VectorRef r) const;             ///< r' := D^-1 (r + c e_N)
  void from_canonical(VectorRef r) const;           ///< r := D r' - c e_N
  void velocity_to_canonical(VectorRef u) const;    ///< u' := D u
  void velocity_from_canonical(VectorRef u) const;  ///< u := D^-1 u'
  void proof_from_canonical(VectorRef y) const;     ///< y := D y', for y·u = y'·u'

 private:
  ProductSet K_;
  GrowingVector scale_, shift_;
};

/// W' = D W D, q' = D (q - W c e_N) of a problem whose sets are not all canonical: a copy of W, refilled in place.
class CanonicalForm {
 public:
  CanonicalForm() = default;
  explicit CanonicalForm(const Problem& problem) { assign(problem, false); }

  /// `same_matrix` promises W and K of the last call.
  void assign(const Problem& problem, bool same_matrix);

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] const CanonicalScaling& scaling() const noexcept { return scaling_; }

  /// A result of problem() as one of the problem assigned; its certificate stays that of the canonical form, the
  /// field's figures are taken anew in the given units.
  template <class AnyResult>
  void restore(const Problem& given, AnyResult& result) const {
    restore(result);
    if constexpr (requires { result.figures; }) {
      if (result.r.size() == problem_.W.rows() && result.u.size() == problem_.W.rows())
        result.figures = friction_figures(given, result.r, result.u);
    }
  }
  template <class AnyResult>
  void restore(AnyResult& result) const {
    if (result.r.size() == problem_.W.rows()) scaling_.from_canonical(result.r);
    if (result.u.size() == problem_.W.rows()) scaling_.velocity_from_canonical(result.u);
    if (result.proof.size() == problem_.W.rows()) scaling_.proof_from_canonical(result.proof);
    if constexpr (requires { result.hyperstaticity; }) {
      if (result.hyperstaticity && result.hyperstaticity->minimum_norm_r.size() == problem_.W.rows())
        scaling_.from_canonical(result.hyperstaticity->minimum_norm_r);
    }
  }

 private:
  CanonicalScaling scaling_;
  Problem problem_;
  GrowingVector product_;
};

/// What a public solve() does with a problem that is not canonical: the same solve() on the canonical form. `options`
/// may have a `start` in the problem's own units; a start of another size is left to solve() to refuse. Where options
/// stop on the field's figure, that is the one in the given units: the solve goes on from where it was until that
/// holds.
template <class Options>
[[nodiscard]] auto solve_canonical(const Problem& problem, Options options) {
  const CanonicalForm form(problem);
  if constexpr (requires { options.start; }) {
    if (options.start.size() == problem.W.rows()) form.scaling().to_canonical(options.start);
  }
  const nonsmooth::detail::Deadline deadline([&] {
    if constexpr (requires { options.time_limit; }) return options.time_limit;
    return std::numeric_limits<double>::infinity();
  }());
  auto result = solve(form.problem(), std::as_const(options));
  form.restore(problem, result);
  if constexpr (requires { result.figures.natural_map, options.measure, options.start, options.time_limit; }) {
    const double tolerance = options.tolerance;
    const auto loose = [&] {
      return options.measure == decltype(options.measure)::NaturalMap && result.ok() &&
             !(result.figures.natural_map <= tolerance);
    };
    for (int again = 0; again < 3 && loose(); ++again) {
      options.tolerance *= 0.5 * tolerance / result.figures.natural_map;
      options.time_limit = deadline.remaining();
      options.start = result.r;
      form.scaling().to_canonical(options.start);
      const Index before = result.iterations;
      result = solve(form.problem(), std::as_const(options));
      result.iterations += before;
      form.restore(problem, result);
    }
    if (loose()) end(result, Status::Stalled, "the figure in the problem's own units is above the tolerance");
  }
  return result;
}

/// The same for a workspace's door: result.r is the start where it has the right size. `run(problem, result)`.
template <class AnyResult, class Run>
void solve_canonical(const Problem& problem, CanonicalForm& form, bool same_matrix, AnyResult& result, Run&& run) {
  form.assign(problem, same_matrix);
  if (result.r.size() == problem.W.rows()) form.scaling().to_canonical(result.r);
  run(form.problem(), result);
  form.restore(problem, result);
}

}  // namespace nonsmooth::mixed::internal
