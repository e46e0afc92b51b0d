// SPDX-License-Identifier: Apache-2.0
/// @file
/// Linear complementarity problems: every algorithm of the family.
///
///     lcp::Problem problem{M, q};
///     const lcp::Result result = lcp::solve(problem);            // or lcp::solve(problem, lcp::Lemke{})
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/lcp/automatic.hpp>
#include <nonsmooth/numerics/lcp/block_principal_pivoting.hpp>
#include <nonsmooth/numerics/lcp/enumeration.hpp>
#include <nonsmooth/numerics/lcp/fischer_burmeister.hpp>
#include <nonsmooth/numerics/lcp/horizontal.hpp>
#include <nonsmooth/numerics/lcp/interior_point.hpp>
#include <nonsmooth/numerics/lcp/keller.hpp>
#include <nonsmooth/numerics/lcp/lemke.hpp>
#include <nonsmooth/numerics/lcp/lemke_howson.hpp>
#include <nonsmooth/numerics/lcp/min_newton.hpp>
#include <nonsmooth/numerics/lcp/multigrid.hpp>
#include <nonsmooth/numerics/lcp/murty.hpp>
#include <nonsmooth/numerics/lcp/primal_dual_active_set.hpp>
#include <nonsmooth/numerics/lcp/problem.hpp>
#include <nonsmooth/numerics/lcp/reformulations.hpp>
#include <nonsmooth/numerics/lcp/registry.hpp>
#include <nonsmooth/numerics/lcp/splitting.hpp>
#include <nonsmooth/numerics/lcp/switched.hpp>
#include <nonsmooth/numerics/lcp/vertical.hpp>
#include <nonsmooth/numerics/lcp/workspace.hpp>

namespace nonsmooth::lcp {

/// solve(problem, Automatic{}).
[[nodiscard]] Result solve(const Problem& problem);
[[nodiscard]] Result solve(const SparseProblem& problem);

}  // namespace nonsmooth::lcp
