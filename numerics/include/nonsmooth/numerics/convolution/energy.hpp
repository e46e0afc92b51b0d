// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nonsmooth/numerics/convolution/problem.hpp>

namespace nonsmooth::convolution {

/// What z does on w, where w is a gap [m] and z the contact force behind it [N]: the work of each step,
///
///     contact_n = p_n·(w_n - w_{n-1}) / h = free_n + body_n,
///     free_n = p_n·(q(t_n) - q(t_{n-1})) / h,     body_n = p_n·((k*z)_n - (k*z)_{n-1}) / h.      [J]
///
/// In continuous time z ⟂ w makes z·w' = 0, so that contact does no work; of the steps, p_n·w_n = 0 leaves
/// contact_n = -p_n·w_{n-1} / h <= 0, which is not 0 only in steps that end a flight, and goes to 0 with h where z has
/// no atom there. body_n is what the deformation takes: where k' is of positive type (Re s K(s) >= 0 for Re s > 0: a
/// passive body) its sums from the start are >= 0, and with Bdf1 and Bdf2 those of the steps too, as both are A-stable.
struct ContactWork {
  Eigen::VectorXd contact, free, body;  ///< N entries each
};

/// @throws InvalidArgument for a result without steps.
[[nodiscard]] ContactWork contact_work(const Result& result);

}  // namespace nonsmooth::convolution
