// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>

namespace nonsmooth {

/// What a model is made of, in words: a line a system, interaction, source of contacts, matrix and rule of impacts, in
/// the order of the layout. Two models whose lines are the same take each other's states, as that of a driver that is
/// started again has to (checkpoint.hpp). A line is
///
///     system 0, wheel: class = nonsmooth::RigidBodySystem; nq = 7; n = 6; q0 = [...]; M = diagonal [...]; F = [...]
///
/// its number and name, then fields with "; " between: the class, as the compiler calls it, sizes, constants. Numbers
/// are written so that reading gives the same double; more than 64 of a field stand as their hash (FNV-1a).
///
/// - Systems: initial values; of linear ones their matrices; of others M, F, F_q and F_v, or f, at t = 0 and the
/// initial
///   values (matrices of n > 1024 only where they are sparse); whether a gyroscopic moment is implicit; what is
///   prescribed.
/// - Interactions: systems, relation (matrices of linear ones; of others y, H and h_t, or h and g, at t = 0 and the
///   initial values, without multipliers), shape, sets, coupling and offset of the law at rest and where it slides, up
///   to which slip it sticks, its impact rule, its force at (y, u) = (0, 0), (1, 0) and (0, 1), its sets where all that
///   it varies with is 1 and where it remembers 0, 1e-9, 1e-6, 1e-3.
/// - Sources: bodies, laws, shapes (drawn_shapes()) by a hash, what is found at the initial values by a hash; of
///   BodyContacts, PlanarContacts and DiskContacts, filtered or not, the laws of pairs of materials and the excluded
///   pairs of bodies by a hash.
///
/// Functions cannot be compared: they are asked at t = 0 and the initial values alone, where a line says "a function",
/// and feedbacks, filters and rules of impacts not at all. Nor can what a class of the user's own keeps for itself, but
/// for what it makes of the above. What a function throws is its value.
///
/// Cost: a call of each function, n more of a force whose derivatives are differences; one search of each source.
[[nodiscard]] std::vector<std::string> fingerprint_of(const NonSmoothDynamicalSystem& model);

}  // namespace nonsmooth
