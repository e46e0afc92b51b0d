// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include <nonsmooth/kernel/integrators/generalised_alpha.hpp>

namespace nonsmooth {

/// Explicit Runge-Kutta pairs of Dormand and Prince for smooth phases that are not stiff. Order 8 (error estimates of
/// order 5 and 3, 12 evaluations a step, 3 more for dense output of order 7) is the default, as events are located to
/// round-off and tolerances are tight; order 5 (6 evaluations, dense output of order 4) is for right-hand sides that
/// are not smooth enough for it. Source: Hairer, Nørsett, Wanner 1993, sections II.5 and II.6 [hairer1993].
struct DormandPrince {
  int order = 8;  ///< 8 or 5

  friend bool operator==(const DormandPrince&, const DormandPrince&) = default;
};

/// Radau IIA with three stages, order 5, for stiff smooth phases: the collocation polynomial is the dense output.
/// Jacobians are forward differences of the mode's right-hand side. Source: Hairer & Wanner 1996, section IV.8
/// [hairer1996].
struct RadauIIA {
  friend bool operator==(const RadauIIA&, const RadauIIA&) = default;
};

/// CVODE of SUNDIALS with variable order and step; there where the library was built with it (`Cvode::available()`).
/// Steps that begin or end at an event are those of DormandPrince or, with Bdf, of RadauIIA, as CVODE begins with order
/// 1, whose errors are no smaller than what a contact that opens moves, and ends on interpolated values.
/// Source: Hindmarsh et al. 2005, SUNDIALS [hindmarsh2005].
struct Cvode {
  enum class Method : unsigned char {
    Adams,  ///< not stiff, order up to 12
    Bdf,    ///< stiff, order up to 5
  };
  Method method = Method::Adams;

  /// True where this build has it; options that ask for it are refused otherwise.
  [[nodiscard]] static bool available() noexcept;
  friend bool operator==(const Cvode&, const Cvode&) = default;
};

/// IDA of SUNDIALS: backward differentiation formulas of variable order, up to 5, and variable step, on the implicit
/// form of a mode, with the multipliers of its closed rows among the unknowns,
///
///     qdot = v,   M(q) vdot = F(t, q, v) + H^T lambda,   H vdot + c = 0,
///     M xdot = f(t, x) + B lambda,   C x + D lambda + e = 0,
///
/// friction of sliding contacts along with their normal force; rows of the last that hold no lambda are differentiated
/// once. Of index 1 in (vdot, xdot, lambda). For stiff phases: closed rows are solved for together with the state, not
/// eliminated before. Steps that begin or end at an event are RadauIIA's, as with Cvode: runs of many events are for
/// RadauIIA alone. Errors are controlled of q, v and x; Jacobians are dense forward differences. There where the
/// library was built with SUNDIALS (`Ida::available()`). Source: Hindmarsh et al. 2005, SUNDIALS [hindmarsh2005].
struct Ida {
  /// True where this build has it; options that ask for it are refused otherwise.
  [[nodiscard]] static bool available() noexcept;
  friend bool operator==(const Ida&, const Ida&) = default;
};

/// How smooth phases are integrated.
using SmoothIntegrator = std::variant<DormandPrince, RadauIIA, Cvode, GeneralisedAlpha, Ida>;

}  // namespace nonsmooth
