// SPDX-License-Identifier: Apache-2.0
// VTK's XML files (VTK File Formats, kitware.com): a head in XML, behind it the arrays as bytes ("appended, raw"),
// which the head refers to by their offsets.
#include "vtk_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <ostream>
#include <utility>

#include "../markup.hpp"
#include "../number.hpp"
#include "../replaced_file.hpp"
#include "../zlib_stream.hpp"

namespace nonsmooth::paraview {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

void append_word(std::string& bytes, std::size_t value) {
  const auto word = static_cast<std::uint32_t>(value);
  std::array<char, sizeof word> raw;
  std::memcpy(raw.data(), &word, sizeof word);
  bytes.append(raw.data(), raw.size());
}

/// A piece of the middle keeps more than four fifths of its size: deflating all of it takes longer than all else.
bool looks_random(std::span<const char> bytes) {
  constexpr std::size_t piece = 16384;
  if (bytes.size() <= 4 * piece) return false;
  std::string packed;
  return 5 * deflate_into(packed, bytes.subspan(bytes.size() / 2, piece), 1) > 4 * piece;
}

constexpr const char* byte_order() { return std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian"; }

/// The head of a file and the arrays that it refers to.
class Head {
 public:
  void text(const std::string& text) { head_ += text; }
  void array(const VtkArray& array) {
    head_ += "<DataArray type=\"" + std::string(array.type) + "\" Name=\"" + escape_markup(array.name) +
             "\" NumberOfComponents=\"" + std::to_string(array.components) + "\" NumberOfTuples=\"" +
             std::to_string(array.tuples) + "\" format=\"appended\" offset=\"" + std::to_string(offset_) + "\"/>\n";
    offset_ += array.bytes->size();
    arrays_.push_back(array.bytes.get());
  }
  void arrays(const char* element, const std::vector<VtkArray>& list) {
    head_ += "<" + std::string(element) + ">\n";
    for (const VtkArray& one : list) array(one);
    head_ += "</" + std::string(element) + ">\n";
  }
  void cells(const char* element, const VtkCells& cells) {
    if (cells.count > 0) arrays(element, {cells.points, cells.ends});
  }
  /// @return bytes
  std::uintmax_t write(const std::filesystem::path& path) {
    head_ += "<AppendedData encoding=\"raw\">\n_";
    const std::string foot = "\n</AppendedData>\n</VTKFile>\n";
    replace_file(path, [&](std::ostream& file) {
      file << head_;
      for (const std::string* bytes : arrays_) file.write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
      file << foot;
    });
    return head_.size() + offset_ + foot.size();
  }

 private:
  std::string head_;
  std::size_t offset_ = 0;
  std::vector<const std::string*> arrays_;
};

}  // namespace

std::shared_ptr<const std::string> VtkEncoder::deflated(std::span<const char> bytes) const {
  const std::size_t blocks = (bytes.size() + kBlock - 1) / kBlock;
  const int level = compression_ == 1 && looks_random(bytes) ? 0 : compression_;
  std::string encoded, packed;
  append_word(encoded, blocks);
  append_word(encoded, kBlock);
  append_word(encoded, bytes.size() % kBlock);
  std::string all;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::span<const char> block = bytes.subspan(b * kBlock, std::min(kBlock, bytes.size() - b * kBlock));
    const std::size_t size = deflate_into(packed, block, level);
    append_word(encoded, size);
    all.append(packed, 0, size);
  }
  encoded += all;
  return std::make_shared<const std::string>(std::move(encoded));
}

template <class Number>
VtkArray VtkEncoder::array(std::string name, const char* type, Index components,
                           const std::vector<Number>& values) const {
  const std::span<const char> bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  return {std::move(name), type, components, static_cast<Index>(values.size()) / components, deflated(bytes)};
}

VtkArray VtkEncoder::numbers(std::string name, Index components, const std::vector<double>& values) const {
  if (doubles_) return array(std::move(name), "Float64", components, values);
  return array(std::move(name), "Float32", components, std::vector<float>(values.begin(), values.end()));
}

VtkArray VtkEncoder::doubles(std::string name, const std::vector<double>& values) const {
  return array(std::move(name), "Float64", 1, values);
}

VtkArray VtkEncoder::integers(std::string name, const std::vector<std::int32_t>& values) const {
  return array(std::move(name), "Int32", 1, values);
}

VtkArray VtkEncoder::texts(std::string name, const std::vector<std::string>& values) const {
  std::string bytes;  // with a zero behind each
  for (const std::string& value : values) bytes.append(value.c_str()).push_back('\0');
  return {std::move(name), "String", 1, static_cast<Index>(values.size()), deflated(bytes)};
}

VtkCells vtk_cells(const VtkEncoder& encoder, Index corners, const std::vector<std::int32_t>& points) {
  const Index count = static_cast<Index>(points.size()) / corners;
  std::vector<std::int32_t> ends(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < ends.size(); ++k)
    ends[k] = static_cast<std::int32_t>((k + 1) * static_cast<std::size_t>(corners));
  return {count, encoder.integers("connectivity", points), encoder.integers("offsets", ends)};
}

VtkCells vtk_cells_in_order(const VtkEncoder& encoder, Index corners, Index count) {
  std::vector<std::int32_t> points(static_cast<std::size_t>(corners * count));
  for (std::size_t k = 0; k < points.size(); ++k) points[k] = static_cast<std::int32_t>(k);
  return vtk_cells(encoder, corners, points);
}

std::uintmax_t write_poly_data(const PolyData& data, const std::filesystem::path& path) {
  Head head;
  head.text("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"" +
            std::string(byte_order()) +
            "\" header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n");
  if (!data.field_data.empty()) head.arrays("FieldData", data.field_data);
  head.text("<Piece NumberOfPoints=\"" + std::to_string(data.num_points) + "\" NumberOfVerts=\"" +
            std::to_string(data.vertices.count) + "\" NumberOfLines=\"" + std::to_string(data.lines.count) +
            "\" NumberOfStrips=\"0\" NumberOfPolys=\"" + std::to_string(data.polygons.count) + "\">\n");
  head.arrays("PointData", data.point_data);
  if (!data.cell_data.empty()) head.arrays("CellData", data.cell_data);
  head.arrays("Points", {data.points});
  head.cells("Verts", data.vertices);
  head.cells("Lines", data.lines);
  head.cells("Polys", data.polygons);
  head.text("</Piece>\n</PolyData>\n");
  return head.write(path);
}

std::uintmax_t write_collection(const std::vector<std::pair<double, std::string>>& files,
                                const std::filesystem::path& path) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "<Collection>\n";
  for (const auto& [t, file] : files) {
    text += "<DataSet timestep=\"" + number(t) + "\" part=\"0\" file=\"" + escape_markup(file) + "\"/>\n";
  }
  text += "</Collection>\n</VTKFile>\n";
  replace_file(path, [&](std::ostream& stream) { stream << text; });
  return text.size();
}

}  // namespace nonsmooth::paraview
