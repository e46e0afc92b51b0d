// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nonsmooth/io/affine_quasi_vi.hpp>

#include "fields.hpp"

namespace nonsmooth::problem_files {

/// Blocks: a group of lists, one entry a block.
void write_sets(FieldSink& sink, const std::string& group, const ProductSet& K);
[[nodiscard]] ProductSet read_sets(const FieldSource& source, const std::string& group);
/// True if a block has a parameter that came with version 2.
[[nodiscard]] bool has_later_parameters(const ProductSet& K);

/// A group "K" of groups "0", "1", ..., one a part.
void write_parts(FieldSink& sink, const std::vector<AffineVi::Part>& parts);
[[nodiscard]] std::vector<AffineVi::Part> read_parts(const FieldSource& source);

/// Beside the sides of polyhedra, "K/0/B" and "K/0/D"; read_slopes gives none where no side moves.
void write_slopes(FieldSink& sink, const std::vector<AffineQuasiVi::Slopes>& slopes);
[[nodiscard]] std::vector<AffineQuasiVi::Slopes> read_slopes(const FieldSource& source,
                                                             const std::vector<AffineVi::Part>& parts);

}  // namespace nonsmooth::problem_files
