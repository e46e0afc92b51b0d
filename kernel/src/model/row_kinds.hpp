// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/kernel/relation.hpp>
#include <nonsmooth/kernel/row_kinds.hpp>

namespace nonsmooth::describe {

/// What a relation, as it was linked or of a model's record, says of its rows; nullptr: nothing.
[[nodiscard]] const RelationOfRows* rows_of(const Relation& relation);

/// Each row is of a kind that its place in a block of the law takes, where both say so, and a row that rubs is of the
/// joint that the law is for. @throws InvalidArgument naming the row of `interaction`, a name or empty.
void check_row_kinds(const std::string& interaction, const Relation& relation, const NonSmoothLaw& law, LawUse use);

}  // namespace nonsmooth::describe
