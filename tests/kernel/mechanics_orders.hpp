// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of mechanical models: measured orders of convergence.
#pragma once

#include "fitted_order.hpp"

namespace nonsmooth::mechanics {

/// Of the smooth runs: error = c h^p (1 + a h + ...) with |a h| <= 0.1 at the largest step. The logarithms leave a line
/// by at most log 1.1 = 0.095, at the coarse end; over five points (a spread of 4 log 2) the slope moves by at most
/// 0.095 * 2 / (10 log 2) = 0.03. Twice that is taken.
constexpr double kSmooth = 0.06;

}  // namespace nonsmooth::mechanics
