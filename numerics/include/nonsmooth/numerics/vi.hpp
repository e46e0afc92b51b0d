// SPDX-License-Identifier: Apache-2.0
/// @file
/// Variational inequalities: every algorithm of the family, quasi-variational ones beside them.
///
///     vi::Problem problem{F, vi::Ball{center, 1.0}};                  // F: a NonlinearMap
///     const vi::Result result = vi::solve(problem);                   // or vi::solve(problem, vi::Extragradient{})
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/vi/automatic.hpp>
#include <nonsmooth/numerics/vi/cao_ferris.hpp>
#include <nonsmooth/numerics/vi/convex_set.hpp>
#include <nonsmooth/numerics/vi/extragradient.hpp>
#include <nonsmooth/numerics/vi/forward_backward_forward.hpp>
#include <nonsmooth/numerics/vi/hyperplane_projection.hpp>
#include <nonsmooth/numerics/vi/josephy_newton.hpp>
#include <nonsmooth/numerics/vi/moving_set.hpp>
#include <nonsmooth/numerics/vi/problem.hpp>
#include <nonsmooth/numerics/vi/projection.hpp>
#include <nonsmooth/numerics/vi/quasi.hpp>
#include <nonsmooth/numerics/vi/quasi_registry.hpp>
#include <nonsmooth/numerics/vi/registry.hpp>
#include <nonsmooth/numerics/vi/semismooth_newton.hpp>

namespace nonsmooth::vi {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);

}  // namespace nonsmooth::vi
