// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nonsmooth/io/field_mesh.hpp>

namespace nonsmooth::paraview {

/// What a part of a run keeps beside its steps, by path.
struct KeptTables {
  std::function<bool(const std::string&)> has;
  std::function<RunRows(const std::string&)> table;
  std::function<std::vector<std::string>(const std::string&)> texts;
};

/// The meshes of a part. @throws FormatError naming `file`, table and row; what reading throws
[[nodiscard]] std::vector<FieldMesh> read_meshes(const std::string& file, const KeptTables& kept);

}  // namespace nonsmooth::paraview
