// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "impact_problem.hpp"

namespace nonsmooth::impacts {

/// Of the largest speed: what is left of approaches where plastic contacts come to rest after ever smaller cycles, and
/// with impulse_step = 0 what the energy left then could still change of them.
inline constexpr double left_by_multiple_impact = 1e-10;

/// A multiple impact with compliant contacts whose stiffnesses enter through their ratios only: the law of Liu, Zhao
/// and Brogliato with a bi-stiffness restitution at each contact (Liu, Zhao, Brogliato 2008 [liu2008]).
///
/// Contact i has the force F_i = K_i d_i^eta_i at the indentation d_i >= 0, so the energy E_i = K_i d_i^(eta_i + 1) /
/// (eta_i + 1). With v_i its relative velocity (v_i < 0 closes it), positions held, while anything moves inwards or
/// stores energy:
///
///     dv = W dp,   dp_i = F_i dt,   dE_i = -v_i dp_i if v_i <= 0,   dE_i = -v_i dp_i / e_i^2 if v_i > 0,
///
/// so a contact that unloads gives back e_i^2 of what it took. e_i = 0 loses E_i where v_i = 0. A contact that is empty
/// starts again as soon as v_i < 0. Where all
/// eta_i are equal any common factor of the K_i leaves p as it is.
///
/// impulse_step = 0: those equations in t and d_i by an embedded Runge-Kutta pair of order 5 [hairer1993], local errors
/// of 1e-12 of the problem's scales; the end of an unloading, the start of a loading and the change between them are
/// located to round-off, a change and its reverse in one step by a bound on the cubic through its ends. Eta_i may
/// differ. A contact that is past zero in velocity (indentation) by 64 eps of the terms of v_0 + W p (of its scale)
/// changes where it was past by half of that, with all others that are past by a quarter there: redundant contacts (W
/// singular) and those that are alike change together, and what round-off makes of velocities near zero changes
/// nothing. impulse_step > 0: explicit steps of that length in the impulse of the primary contact (the one with most
/// energy, else the fastest to close), dp_i = (F_i / F_primary) dp, as published, with its thresholds of 2.2e-16 in the
/// units of the data for energies and velocities, to which a chain is sensitive; first order. All eta_i must be equal.
///
/// Solved: all contacts are empty and separate (or move inwards by less than 1e-10 of the largest speed), and the
/// kinetic energy lost is what the contacts' restitutions took, to 1e-9 of the energy before (impulse_step = 0).
/// IterationLimit: 1e6 steps, tried ones included, as of a body that contacts with e = 1 clamp from opposite sides.
/// Cost: one product W dp a step; some hundred steps for a few contacts of like stiffness, growing with the ratio of
/// the contacts' own times. Called by solve_impact(), which checks the data.
[[nodiscard]] ImpactResult solve_multiple_impact(const ImpactProblem& problem);

}  // namespace nonsmooth::impacts
