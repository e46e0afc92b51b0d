// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "prepared_law.hpp"

namespace nonsmooth {

/// What a row u = H v + h_t does in a motion, by its law; what it measures is its RowKind, by its relation.
enum class RowRole : unsigned char {
  Normal,         ///< of a contact or a stop: first row of what is unilateral or of a cone
  Tangential,     ///< behind it
  Bilateral,      ///< held: u = 0, y = 0 but for drift
  JointFriction,  ///< bounded behind rows that are held
  Spring,         ///< a force of y and u
  Prescribed,     ///< a velocity of a system, without a law
  Other,          ///< what shifts u by itself, has rows of its own, or takes another set
};

/// Coulomb's cone of a built-in law, or of a user's.
[[nodiscard]] bool is_cone(const PreparedLaw& law);

/// Of a row by its number within the block: a Spring is that of a force law, or of a law that has a stiffness and is
/// neither unilateral nor a cone. What else is beside the block is for who asks: compliance of a contact
/// (LawShape::stiffness), of the relation.
[[nodiscard]] RowRole role_of(const PreparedLaw& law, Index row_of_block);

}  // namespace nonsmooth
