// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <Eigen/Core>

#include <nonsmooth/kernel/handles.hpp>

namespace nonsmooth {

/// Newton's impact law with a matrix of coefficients, for contacts that are hit at once (generalised Newton law):
///
///     0 <= u+ + E min(u-, 0) ⟂ p >= 0,   u, p in N^m: the normal rows of the contacts, in their order,
///
/// in the place of the law's own e u- in these rows; friction and tangential rows stay as the contacts' laws say.
/// E_ij is what an approach of contact j asks of contact i as departure: E = diag(e) is Newton's law for contacts that
/// approach, (0 1; 1 0) sends the last of three balls away and stops the others, as the reversed identity does for N
/// equal ones. Contacts that separate before (u-_j > 0) ask for nothing, and of contacts that are open (in a step:
/// whose forecast gap is) neither row nor column counts. E >= 0, so that what is asked for is no penetration.
///
/// Where all p > 0, u+ = -E u- and the kinetic energy of the relative motion changes from u-^T W^-1 u- / 2 to
/// u-^T E^T W^-1 E u- / 2: none is gained, whatever u- is, where restitution_energy_ratio() <= 1. Both simulations know
/// it: TimeStepping under MoreauJean. Sources: Brogliato 2016, chapter 6 [brogliato2016]; Glocker 2001, chapter 8
/// [glocker2001].
struct GeneralisedNewtonImpact {
  std::vector<InteractionHandle> contacts{};  ///< m >= 1 mechanical ones of one block each, under a law of Newton's
  Eigen::MatrixXd restitution{};              ///< E, m x m, finite, >= 0 [-]
};

}  // namespace nonsmooth
