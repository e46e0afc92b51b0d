// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nonsmooth/kernel/contact_materials.hpp>
#include <nonsmooth/kernel/interaction.hpp>
#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::describe {

/// The rows of a contact under each of a source's laws, by their numbers. `refused` says what is expected instead of a
/// law of so many rows, with friction against rolling or without; nullptr: it is taken.
/// @throws InvalidArgument, with `source` in the argument: fewer laws than `pairs` name, a law that is refused.
[[nodiscard]] std::vector<Index> rows_of_laws(const char* source, const std::vector<Law>& laws,
                                              const ContactMaterials& pairs,
                                              const char* (*refused)(Index rows, bool rolling));

}  // namespace nonsmooth::describe
