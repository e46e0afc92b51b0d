// SPDX-License-Identifier: Apache-2.0
/// @file
/// What can be said about a nonsmooth model before it runs: classes of matrices, and of linear complementarity systems;
/// and how far two of its solutions are apart, where they jump.
///
///     const analysis::MatrixClasses classes = analysis::classify(D);
///     if (classes.p.holds()) ...                                       // lambda is a Lipschitz function of x
///     const analysis::WellPosedness solutions = analysis::examine_solutions({A, B, C, D});
#pragma once

#include <nonsmooth/numerics/analysis/graph_distance.hpp>
#include <nonsmooth/numerics/analysis/linear_system.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>
#include <nonsmooth/numerics/analysis/theorem.hpp>
#include <nonsmooth/numerics/analysis/verdict.hpp>
