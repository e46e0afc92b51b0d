// SPDX-License-Identifier: Apache-2.0
// Reads VTK's XML files as their format says (appended, raw, zlib), apart from what writes them.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace nonsmooth::vtk_test {

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Array {
  std::string type;
  std::size_t components = 1, tuples = 0;
  std::vector<double> values;      ///< of numbers
  std::vector<std::string> texts;  ///< of texts
};

class VtkFile {
 public:
  explicit VtkFile(const std::filesystem::path& path) : all_(bytes_of(path)) {
    const std::string mark = "<AppendedData encoding=\"raw\">\n_";
    const std::size_t end = all_.find(mark);
    EXPECT_NE(end, std::string::npos) << path;
    data_ = end + mark.size();
    const std::string head = all_.substr(0, end);
    EXPECT_NE(head.find("byte_order=\"LittleEndian\" header_type=\"UInt32\" compressor=\"vtkZLibDataCompressor\""),
              std::string::npos);
    const std::regex tag("<(\\w+)((?: \\w+=\"[^\"]*\")*)/?>");
    std::string section;
    for (std::sregex_iterator at(head.begin(), head.end(), tag), none; at != none; ++at) {
      const std::map<std::string, std::string> attributes = attributes_of((*at)[2]);
      if ((*at)[1] == "DataArray") {
        arrays_[section + "/" + attributes.at("Name")] = read(attributes);
      } else {
        section = (*at)[1];
        if (section == "Piece") counts_ = attributes;
      }
    }
  }

  [[nodiscard]] std::size_t count(const std::string& what) const { return std::stoul(counts_.at(what)); }
  [[nodiscard]] bool has(const std::string& name) const { return arrays_.contains(name); }
  [[nodiscard]] const Array& array(const std::string& name) const {
    static const Array none;
    EXPECT_TRUE(has(name)) << name;
    return has(name) ? arrays_.at(name) : none;
  }
  [[nodiscard]] const std::vector<double>& values(const std::string& name) const { return array(name).values; }
  [[nodiscard]] const std::map<std::string, Array>& arrays() const { return arrays_; }

 private:
  static std::map<std::string, std::string> attributes_of(const std::string& text) {
    const std::regex attribute(" (\\w+)=\"([^\"]*)\"");
    std::map<std::string, std::string> all;
    for (std::sregex_iterator at(text.begin(), text.end(), attribute), none; at != none; ++at) all[(*at)[1]] = (*at)[2];
    return all;
  }

  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, all_.data() + at, sizeof value);
    return value;
  }

  [[nodiscard]] Array read(const std::map<std::string, std::string>& attributes) const {
    const std::size_t at = data_ + std::stoul(attributes.at("offset"));
    const std::uint32_t blocks = word(at), size = word(at + 4), last = word(at + 8);
    std::string bytes, block(size, '\0');
    std::size_t from = at + 12 + 4 * std::size_t{blocks};
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const std::uint32_t packed = word(at + 12 + 4 * std::size_t{b});
      uLongf unpacked = size;
      EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(block.data()), &unpacked,
                           reinterpret_cast<const Bytef*>(all_.data() + from), packed),
                Z_OK);
      EXPECT_EQ(unpacked, b + 1 == blocks && last > 0 ? last : size);
      bytes.append(block, 0, unpacked);
      from += packed;
    }
    Array array{.type = attributes.at("type"),
                .components = std::stoul(attributes.at("NumberOfComponents")),
                .tuples = std::stoul(attributes.at("NumberOfTuples")),
                .values = {},
                .texts = {}};
    if (array.type == "Float32") array.values = numbers<float>(bytes);
    if (array.type == "Float64") array.values = numbers<double>(bytes);
    if (array.type == "Int32") array.values = numbers<std::int32_t>(bytes);
    for (std::size_t k = 0; array.type == "String" && k < bytes.size(); k += array.texts.back().size() + 1) {
      array.texts.emplace_back(bytes.data() + k);
    }
    EXPECT_EQ(array.tuples * array.components, array.values.size() + array.texts.size()) << attributes.at("Name");
    return array;
  }

  template <class Number>
  static std::vector<double> numbers(const std::string& bytes) {
    std::vector<Number> values(bytes.size() / sizeof(Number));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Number));
    return {values.begin(), values.end()};
  }

  std::string all_;
  std::size_t data_ = 0;
  std::map<std::string, std::string> counts_;
  std::map<std::string, Array> arrays_;
};

/// The files of a .pvd, with their times.
inline std::vector<std::pair<double, std::filesystem::path>> collection(const std::filesystem::path& path) {
  const std::string text = bytes_of(path);
  const std::regex entry("<DataSet timestep=\"([^\"]*)\" part=\"0\" file=\"([^\"]*)\"/>");
  std::vector<std::pair<double, std::filesystem::path>> files;
  for (std::sregex_iterator at(text.begin(), text.end(), entry), none; at != none; ++at) {
    files.emplace_back(std::stod((*at)[1]), path.parent_path() / std::string((*at)[2]));
  }
  return files;
}

}  // namespace nonsmooth::vtk_test
