// SPDX-License-Identifier: Apache-2.0
/// @file
/// Convolution complementarity problems: kernels, their weights, the steps, and what contact does to the energy.
///
///     const convolution::Problem problem{.kernel = convolution::LaplaceKernel{transform}, .q = q, .horizon = 2.0};
///     const convolution::Result result = convolution::solve(problem, {.steps = 1000});
///     if (!result) std::cerr << result.message() << '\n';
#pragma once

#include <nonsmooth/numerics/convolution/energy.hpp>
#include <nonsmooth/numerics/convolution/kernel.hpp>
#include <nonsmooth/numerics/convolution/problem.hpp>
#include <nonsmooth/numerics/convolution/reduction.hpp>
#include <nonsmooth/numerics/convolution/stepping.hpp>
#include <nonsmooth/numerics/convolution/weights.hpp>
