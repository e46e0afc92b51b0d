// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth::paraview {

/// An array of a file of VTK, its bytes as they lie there: number of blocks, bytes of a block, bytes of the last one if
/// it is shorter, deflated bytes of each, then the blocks. Shared, as what stays from frame to frame is encoded once.
struct VtkArray {
  std::string name{};
  const char* type = "Float32";
  Index components = 1, tuples = 0;
  std::shared_ptr<const std::string> bytes{};
};

/// Makes arrays of numbers.
class VtkEncoder {
 public:
  VtkEncoder(int compression, bool doubles) : compression_(compression), doubles_(doubles) {}

  /// As wide as was asked for; `values` tuple by tuple.
  [[nodiscard]] VtkArray numbers(std::string name, Index components, const std::vector<double>& values) const;
  [[nodiscard]] VtkArray doubles(std::string name, const std::vector<double>& values) const;
  [[nodiscard]] VtkArray integers(std::string name, const std::vector<std::int32_t>& values) const;
  [[nodiscard]] VtkArray texts(std::string name, const std::vector<std::string>& values) const;

 private:
  template <class Number>
  [[nodiscard]] VtkArray array(std::string name, const char* type, Index components,
                               const std::vector<Number>& values) const;
  [[nodiscard]] std::shared_ptr<const std::string> deflated(std::span<const char> bytes) const;

  int compression_;
  bool doubles_;
};

/// Cells of `corners` points each, which `points` tells one cell after another.
struct VtkCells {
  Index count = 0;
  VtkArray points{}, ends{};
};
[[nodiscard]] VtkCells vtk_cells(const VtkEncoder& encoder, Index corners, const std::vector<std::int32_t>& points);
/// A cell each of `corners` points in order, `count` of them.
[[nodiscard]] VtkCells vtk_cells_in_order(const VtkEncoder& encoder, Index corners, Index count);

/// What a .vtp file holds: points, cells on them, and arrays of either and of the whole.
struct PolyData {
  Index num_points = 0;
  VtkArray points{};
  VtkCells vertices{}, lines{}, polygons{};
  std::vector<VtkArray> point_data{}, cell_data{}, field_data{};
};

/// @return its bytes. @throws FileError
std::uintmax_t write_poly_data(const PolyData& data, const std::filesystem::path& path);
/// A series of files over time, by paths relative to `path`. @return its bytes. @throws FileError
std::uintmax_t write_collection(const std::vector<std::pair<double, std::string>>& files,
                                const std::filesystem::path& path);

}  // namespace nonsmooth::paraview
