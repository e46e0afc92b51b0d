// SPDX-License-Identifier: Apache-2.0
// Roots, integrals and motions for references, by Boost's algorithms.
#pragma once

#include <functional>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::problems {

/// The zero of a continuous f between low and high, where its signs differ, to 4 eps of it. Alefeld, Potra, Shi 1995,
/// algorithm 748 of the ACM. @throws std::domain_error where the signs are the same.
double root_between(const std::function<double(double)>& f, double low, double high);

/// The integral of a smooth f from low to high by Gauss and Kronrod's rule of 31 nodes, halved until its two sums
/// differ by 1e-14 of the integral of |f|. The ends are never asked for.
double integral_between(const std::function<double(double)>& f, double low, double high);

/// z' = f(t, z) from z at begin: z at end, by Fehlberg's method of order 7(8) with an error of 1e-14 + 1e-14 |z| a
/// step.
Eigen::VectorXd solve_ode(const std::function<void(double t, ConstVectorRef z, VectorRef rate)>& f,
                          const Eigen::VectorXd& z, double begin, double end);

}  // namespace nonsmooth::problems
