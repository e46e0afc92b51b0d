// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/convolution/problem.hpp>

namespace nonsmooth::convolution {

/// What z does on w, where w is a gap [m] and z the contact force behind it [N]: the work of each step,
///
///     contact_n = p_n·(d w)_n / h = free_n + body_n,
///     free_n = p_n·(d q)_n / h,     body_n = p_n·(d (k*z))_n / h,                                 [J]
///
/// with the difference of the rule: (d x)_n = x_n - x_{n-1}, under Bdf2 3/2 x_n - 2 x_{n-1} + 1/2 x_{n-2}, where k*z is
/// 0 for t <= 0 and q takes x_1 - x_0 in the first step.
///
/// In continuous time z ⟂ w makes z·w' = 0, so that contact does no work. Of the steps, p_n·w_n = 0 leaves
/// contact_n = -p_n·w_{n-1} / h, which goes to 0 with h where z has no atom. It is <= 0, and not 0 only in steps that
/// end a flight, where w_{n-1} >= 0: with bounds 0 and infinity, but for the first step of a q(0) < 0, whose atom
/// pushes the gap open; not under Bdf2, nor with other bounds, where p_n·w_n is not 0. body_n is what the deformation
/// takes: where k' is of positive type (Re s K(s) >= 0 for Re s > 0: a passive body) its sums from the start are >= 0,
/// and with Bdf1 and Bdf2 those of the steps too: Re delta(zeta) >= 0 for |zeta| <= 1. That needs the rule's own
/// difference: of sums of p_n·(x_n - x_{n-1}) it is not true under Bdf2.
struct ContactWork {
  Eigen::VectorXd contact, free, body;  ///< N entries each
};

/// @throws InvalidArgument for a result without steps.
[[nodiscard]] ContactWork contact_work(const Result& result);

}  // namespace nonsmooth::convolution
