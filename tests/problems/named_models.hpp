// SPDX-License-Identifier: Apache-2.0
#pragma once

// All models of this folder by name, for what goes through every one of them.

#include <ostream>
#include <vector>

#include <problems/models.hpp>

namespace nonsmooth::problems {

struct NamedModel {
  const char* name;
  Model (*make)();
  const char* card = nullptr;  ///< of the validation, whose run adds contacts before steps; null: none

  friend void PrintTo(const NamedModel& model, std::ostream* out) { *out << model.name; }
};

const std::vector<NamedModel>& mechanical_models();
const std::vector<NamedModel>& bodies_in_space();  ///< q on a manifold
const std::vector<NamedModel>& piles();  ///< friction in space is a user's law, which only time-stepping knows
const std::vector<NamedModel>& waves();  ///< impacts as waves, without a closed form
const std::vector<NamedModel>& first_order_models();

}  // namespace nonsmooth::problems
