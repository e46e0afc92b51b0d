// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/field_mesh.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nonsmooth/numerics/error.hpp>

#include "../scene/checked_table.hpp"
#include "mesh_tables.hpp"

namespace nonsmooth {
namespace {

constexpr Index kMostComponents = 9, kMostPlace = Index{1} << 53;  // integers up to it are doubles
constexpr std::array<std::string_view, 6> kTaken = {"bodies", "shapes", "ground", "contacts", "network", "values"};

/// Tables of mesh `number`: nodes (position, place of the first number), cells, and what is carried, how many numbers.
std::string path_of(Index number, const char* table) {
  return std::string("/meshes/") + table + "_" + std::to_string(number);
}

void require(bool good, const char* field, const std::string& found, const char* expected) {
  if (!good) throw InvalidArgument(std::string("FieldMesh::") + field, found, expected);
}

std::string size_of(Index rows, Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

Index first_of(const FieldMesh& mesh, Index node) {
  return mesh.first.empty() ? mesh.components * node : mesh.first[static_cast<std::size_t>(node)];
}

FieldMesh read_mesh(const std::string& file, const paraview::KeptTables& kept, Index number) {
  const auto read = [&](const char* path) { return kept.table(path); };
  const scene::CheckedTable nodes(file, read, path_of(number, "nodes"), 4);
  const scene::CheckedTable carried(file, read, path_of(number, "carried"), 2);
  const RunRows corners = kept.table(path_of(number, "cells"));
  const scene::CheckedTable cells(file, read, path_of(number, "cells"), corners.cols());
  const std::vector<std::string> names = kept.texts(path_of(number, "names"));
  if (carried.size() != 1) carried.refuse(0, std::to_string(carried.size()) + " rows", "one");
  if (names.size() != 2) carried.refuse(0, std::to_string(names.size()) + " names", "those of the mesh and its system");
  FieldMesh mesh{.name = names[0],
                 .system = names[1],
                 .carries = static_cast<FieldMesh::Carries>(carried.whole(0, 0, 0, 2)),
                 .components = carried.whole(0, 1, 1, kMostComponents)};
  mesh.nodes.resize(3, nodes.size());
  mesh.cells.resize(corners.cols(), cells.size());
  for (Index i = 0; i < nodes.size(); ++i) {
    for (Index k = 0; k < 3; ++k) mesh.nodes(k, i) = nodes.number(i, k);
    mesh.first.push_back(nodes.whole(i, 3, -1, kMostPlace));
  }
  for (Index c = 0; c < cells.size(); ++c) {
    for (Index k = 0; k < corners.cols(); ++k) mesh.cells(k, c) = cells.whole(c, k, 0, nodes.size() - 1);
  }
  try {
    mesh.validate();
  } catch (const InvalidArgument& error) {
    throw FormatError(file + ": " + path_of(number, "nodes") + ": " + error.what());
  }
  return mesh;
}

}  // namespace

void FieldMesh::validate() const {
  const bool named = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  require(named && std::find(kTaken.begin(), kTaken.end(), name) == kTaken.end(), "name", "'" + name + "'",
          "letters, digits, _ and -, and none of bodies, shapes, ground, contacts, network, values");
  require(!system.empty(), "system", "no name", "the name of a system");
  require(components >= 1 && components <= kMostComponents, "components", std::to_string(components), "1 to 9");
  require(carries == Carries::Values || components == 2 || components == 3, "components", std::to_string(components),
          "2 or 3 of positions and displacements");
  require((nodes.rows() == 2 || nodes.rows() == 3) && nodes.cols() > 0 && nodes.allFinite(), "nodes",
          size_of(nodes.rows(), nodes.cols()), "2 x n or 3 x n finite numbers, n > 0");
  require(cells.rows() >= 2 && cells.rows() <= 4 && cells.cols() > 0, "cells", size_of(cells.rows(), cells.cols()),
          "2 x m, 3 x m or 4 x m nodes, m > 0");
  require(cells.minCoeff() >= 0 && cells.maxCoeff() < nodes.cols(), "cells",
          std::to_string(cells.minCoeff() < 0 ? cells.minCoeff() : cells.maxCoeff()), "numbers of nodes, from 0");
  require(first.empty() || static_cast<Index>(first.size()) == nodes.cols(), "first",
          std::to_string(first.size()) + " places", "one a node, or none");
  for (const Index place : first) require(place >= -1, "first", std::to_string(place), "-1, or from 0 on");
}

void keep_mesh(const FieldMesh& mesh, RecorderOptions& options) {
  mesh.validate();
  Index number = 0;
  for (const RunTexts& texts : options.texts) {
    if (texts.path != path_of(number, "names")) continue;
    require(texts.texts.front() != mesh.name, "name", "'" + mesh.name + "'", "one that no other mesh of the run has");
    ++number;
  }
  RunRows nodes = RunRows::Zero(mesh.nodes.cols(), 4), carried(1, 2);
  nodes.leftCols(mesh.nodes.rows()) = mesh.nodes.transpose();
  for (Index i = 0; i < nodes.rows(); ++i) nodes(i, 3) = static_cast<double>(first_of(mesh, i));
  carried << static_cast<double>(mesh.carries), static_cast<double>(mesh.components);
  options.tables.push_back({path_of(number, "nodes"), std::move(nodes)});
  options.tables.push_back({path_of(number, "cells"), mesh.cells.transpose().cast<double>()});
  options.tables.push_back({path_of(number, "carried"), std::move(carried)});
  options.texts.push_back({path_of(number, "names"), {mesh.name, mesh.system}});
}

std::vector<FieldMesh> paraview::read_meshes(const std::string& file, const KeptTables& kept) {
  std::vector<FieldMesh> meshes;
  for (Index number = 0; kept.has(path_of(number, "nodes")); ++number) meshes.push_back(read_mesh(file, kept, number));
  return meshes;
}

std::vector<FieldMesh> meshes_of(const RunFile& run) {
  return paraview::read_meshes(run.parts().front().path.string(),
                               {.has = [&](const std::string& path) { return run.has(0, path); },
                                .table = [&](const std::string& path) { return run.table(0, path); },
                                .texts = [&](const std::string& path) { return run.texts(0, path); }});
}

}  // namespace nonsmooth
