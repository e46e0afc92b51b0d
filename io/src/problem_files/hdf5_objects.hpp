// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/io/problem_file.hpp>

#include "fields.hpp"
#include "hdf5_file.hpp"
#include "hdf5_handle.hpp"
#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {

/// Looks at the bytes of a file before the library does: `size` of them at `address`, or as many as there are.
using PeekBytes = std::function<std::string(std::uint64_t address, std::size_t size)>;

/// How an object header of HDF5 1.8 or later begins, which has a checksum.
inline constexpr std::string_view checked_header = "OHDR";

inline std::uint64_t little_endian(std::string_view bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Of superblocks of version 2 and 3 (HDF5 File Format Specification 3.0): where the file ends is told at byte 28.
/// @throws FormatError: `size` of them are there, and they are fewer.
inline void require_whole(const std::string& name, const PeekBytes& peek, std::uint64_t size) {
  constexpr std::size_t superblock_size = 48, version_at = 8, offset_size_at = 9, end_at = 28;
  const std::string head = peek(0, superblock_size);
  if (!is_hdf5(head)) return;
  const auto cut_off = [&](const std::string& expected) {
    throw FormatError(name + ": found " + std::to_string(size) + " bytes, expected " + expected +
                      ": the file was cut off");
  };
  if (head.size() < superblock_size) cut_off(std::to_string(superblock_size) + " of the superblock alone");
  if ((head[version_at] != 2 && head[version_at] != 3) || head[offset_size_at] != 8) return;
  const std::uint64_t end = little_endian(std::string_view(head).substr(end_at, 8));
  if (end > size) cut_off(std::to_string(end) + ", as byte " + std::to_string(end_at) + " says");
}

/// The library trusts the heads of older files, which have no checksum, more than damaged files deserve (it crashes on
/// some), so they are turned away before it sees them. Layout of the superblock: HDF5 File Format Specification 3.0. A
/// file of `size` bytes that was cut off before its head is told as that.
inline void require_checksums(const std::string& name, const PeekBytes& peek, std::uint64_t size) {
  constexpr std::size_t superblock_size = 48, version_at = 8, offset_size_at = 9, base_at = 12, root_at = 36;
  const std::string head = peek(0, superblock_size);
  if (!is_hdf5(head) || head.size() < superblock_size || (head[version_at] != 2 && head[version_at] != 3) ||
      head[offset_size_at] != 8 || little_endian(std::string_view(head).substr(base_at, 8)) != 0 ||
      peek(little_endian(std::string_view(head).substr(root_at, 8)), 4) != checked_header) {
    require_whole(name, peek, size);
    throw FormatError(name +
                      ": found an HDF5 file without checksums in its heads, expected one of the format of HDF5 "
                      "1.8 or later (h5py: libver='latest')");
  }
}

/// Reads objects of a file that nothing is believed of: no size is allocated that the file's own bytes do not cover, no
/// link leaves the file, no filter runs, and all that is read is no more than the file holds: objects that share their
/// data cannot multiply it.
class Hdf5Objects {
 public:
  Hdf5Objects(hid_t file, std::string name, std::uint64_t file_size, const PeekBytes& peek)
      : file_(file), name_(std::move(name)), file_size_(file_size), left_(file_size), peek_(peek) {}

  [[nodiscard]] std::uint64_t file_size() const noexcept { return file_size_; }
  /// A file that somebody writes while it is read: it has more bytes than it had.
  void grow(std::uint64_t file_size) {
    grows_ = true;
    left_ += file_size - std::min(file_size, file_size_);
    file_size_ = std::max(file_size, file_size_);
  }
  /// What is read again counts anew: of a reader that is asked by somebody, not by the file.
  void begin_anew() const noexcept { left_ = file_size_; }
  [[nodiscard]] bool grows() const noexcept { return grows_; }

  [[noreturn]] void fail(const std::string& path, const std::string& found, const std::string& expected) const {
    throw FormatError(name_ + ", " + path + ": found " + found + ", expected " + expected);
  }

  /// A hard link of this name in the group above it, which exists.
  [[nodiscard]] bool exists(const std::string& path) const {
    if (H5Lexists(file_, path.c_str(), H5P_DEFAULT) <= 0) return false;
#if H5_VERSION_GE(1, 12, 0)
    H5L_info1_t info;
    const herr_t status = H5Lget_info1(file_, path.c_str(), &info, H5P_DEFAULT);
#else
    H5L_info_t info;
    const herr_t status = H5Lget_info(file_, path.c_str(), &info, H5P_DEFAULT);
#endif
    if (status < 0) fail(path, "a broken link", "an object");
    if (info.type != H5L_TYPE_HARD) fail(path, "a link to elsewhere", "an object of this file");
    if (peek_(info.u.address, checked_header.size()) != checked_header) {
      fail(path, "a head without checksum", "one of the format of HDF5 1.8 or later");
    }
    return true;
  }

  void require_group(const std::string& path) const {
    if (!exists(path)) fail(path, "nothing", "a group");
    if (!Hdf5Handle(H5Gopen2(file_, path.c_str(), H5P_DEFAULT), H5Gclose).valid()) {
      fail(path, "no group", "a group");
    }
  }

  [[nodiscard]] std::string text(const std::string& object, const char* key, bool required = true) const {
    const std::string place = object + ", attribute '" + key + "'";
    const Hdf5Handle owner(H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose);
    if (!owner.valid()) fail(object, "nothing", "an object");
    if (H5Aexists(owner.id(), key) <= 0) {
      if (required) fail(place, "nothing", "a text");
      return {};
    }
    const Hdf5Handle attribute(H5Aopen(owner.id(), key, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) fail(place, "an attribute that cannot be opened", "a text");
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    if (!type.valid() || !space.valid() || H5Tget_class(type.id()) != H5T_STRING ||
        H5Tis_variable_str(type.id()) != 0 || H5Sget_simple_extent_npoints(space.id()) != 1) {
      fail(place, "another type", "one text of fixed length");
    }
    const std::size_t size = H5Tget_size(type.id());
    if (size == 0 || size > file_size_) fail(place, std::to_string(size) + " bytes", "no more than the file has");
    std::string value(size + 1, '\0');
    const Hdf5Handle memory_type = memory_text(type.id(), size);
    if (!memory_type.valid() || H5Aread(attribute.id(), memory_type.id(), value.data()) < 0) {
      fail(place, "a text that cannot be read", "a text");
    }
    value.resize(std::min(value.find_last_not_of('\0') + 1, size));
    return value;
  }

  [[nodiscard]] std::int64_t version() const {
    const auto value = integer("/", "version");
    if (!value) fail("/, attribute 'version'", "nothing", "an integer");
    return *value;
  }

  /// An attribute; nothing where there is none of this name.
  [[nodiscard]] std::optional<std::int64_t> integer(const std::string& object, const char* key) const {
    const std::string place = object + ", attribute '" + key + "'";
    const Hdf5Handle owner(H5Oopen(file_, object.c_str(), H5P_DEFAULT), H5Oclose);
    if (!owner.valid() || H5Aexists(owner.id(), key) <= 0) return std::nullopt;
    const Hdf5Handle attribute(H5Aopen(owner.id(), key, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) fail(place, "an attribute that cannot be opened", "an integer");
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
    std::int64_t value = 0;
    if (!type.valid() || !space.valid() || H5Tget_class(type.id()) != H5T_INTEGER || H5Tget_size(type.id()) > 8 ||
        H5Sget_simple_extent_npoints(space.id()) != 1 || H5Aread(attribute.id(), H5T_NATIVE_INT64, &value) < 0) {
      fail(place, "another type", "one integer");
    }
    return value;
  }

  /// Whatever they are, NaN too.
  [[nodiscard]] std::vector<double> numbers(const std::string& path) const {
    const Hdf5Handle set = open(path);
    const std::size_t size = extent(path, set.id(), H5T_FLOAT, sizeof(double));
    std::vector<double> value(size);
    read(path, set.id(), H5T_NATIVE_DOUBLE, size, value.data());
    return value;
  }

  [[nodiscard]] std::vector<double> reals(const std::string& path) const {
    std::vector<double> value = numbers(path);
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (std::isnan(value[i])) fail(path, "NaN at entry " + std::to_string(i), "numbers");
    }
    return value;
  }

  [[nodiscard]] std::vector<double> finite_reals(const std::string& path) const {
    std::vector<double> value = reals(path);
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (std::isinf(value[i])) fail(path, "an infinity at entry " + std::to_string(i), "finite numbers");
    }
    return value;
  }

  [[nodiscard]] Eigen::VectorXd vector(const std::string& path) const { return as_vector(finite_reals(path)); }
  [[nodiscard]] Eigen::VectorXd bounds(const std::string& path) const { return as_vector(reals(path)); }

  /// At least `smallest` of them, each from `low` to `high`.
  [[nodiscard]] std::vector<Index> integers(const std::string& path, std::size_t smallest, Index low,
                                            Index high) const {
    const Hdf5Handle set = open(path);
    const std::size_t size = extent(path, set.id(), H5T_INTEGER, 8);
    std::vector<std::int64_t> value(size);
    read(path, set.id(), H5T_NATIVE_INT64, size, value.data());
    if (size < smallest) fail(path, std::to_string(size) + " entries", "at least " + std::to_string(smallest));
    for (std::size_t i = 0; i < size; ++i) {
      if (value[i] < low || value[i] > high) {
        fail(path, std::to_string(value[i]) + " at entry " + std::to_string(i),
             std::to_string(low) + " to " + std::to_string(high));
      }
    }
    return {value.begin(), value.end()};
  }

  /// 0 first, never falling, or always rising.
  [[nodiscard]] std::vector<Index> rising(const std::string& path, bool strictly) const {
    std::vector<Index> value = integers(path, 1, 0, largest_size);
    if (value.front() != 0) fail(path, std::to_string(value.front()) + " at entry 0", "0");
    for (std::size_t i = 1; i < value.size(); ++i) {
      if (value[i] < value[i - 1] + (strictly ? 1 : 0)) {
        fail(path, std::to_string(value[i]) + " at entry " + std::to_string(i),
             (strictly ? "more than " : "at least ") + std::to_string(value[i - 1]));
      }
    }
    return value;
  }

  /// A table of numbers, whatever they are, row by row.
  [[nodiscard]] Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> table(
      const std::string& path) const {
    const Hdf5Handle set = open(path);
    const std::vector<hsize_t> size = shape(path, set.id(), H5T_FLOAT, sizeof(double), 2);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> value(static_cast<Index>(size[0]),
                                                                                 static_cast<Index>(size[1]));
    read(path, set.id(), H5T_NATIVE_DOUBLE, static_cast<std::size_t>(value.size()), value.data());
    return value;
  }

  /// A table of so many integers a row, row by row.
  [[nodiscard]] std::vector<std::int64_t> integer_table(const std::string& path, Index columns) const {
    const Hdf5Handle set = open(path);
    const std::vector<hsize_t> size = shape(path, set.id(), H5T_INTEGER, 8, 2);
    if (size[1] != static_cast<hsize_t>(columns))
      fail(path, std::to_string(size[1]) + " columns", std::to_string(columns));
    std::vector<std::int64_t> value(size[0] * size[1]);
    read(path, set.id(), H5T_NATIVE_INT64, value.size(), value.data());
    return value;
  }

  [[nodiscard]] std::string bytes(const std::string& path) const {
    const Hdf5Handle set = open(path);
    std::string value(extent(path, set.id(), H5T_INTEGER, 1), '\0');
    read(path, set.id(), H5T_NATIVE_UINT8, value.size(), value.data());
    return value;
  }

  /// Texts of set_kind_width bytes, their closing zeros taken off.
  [[nodiscard]] std::vector<std::string> words(const std::string& path) const {
    const Hdf5Handle set = open(path);
    const std::size_t size = extent(path, set.id(), H5T_STRING, set_kind_width);
    const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose);
    const Hdf5Handle memory_type = memory_text(type.id(), set_kind_width);
    if (!memory_type.valid()) fail(path, "another type", "texts of fixed length");
    std::string bytes(size * set_kind_width, '\0');
    read(path, set.id(), memory_type.id(), size, bytes.data());
    std::vector<std::string> value(size);
    for (std::size_t i = 0; i < size; ++i) {
      value[i] = bytes.substr(i * set_kind_width, set_kind_width);
      value[i].resize(value[i].find_last_not_of('\0') + 1);
    }
    return value;
  }

  /// True if the data of this set were ever written.
  [[nodiscard]] bool is_written(const std::string& path) const {
    const Hdf5Handle set = open(path);
    H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
    return H5Dget_space_status(set.id(), &status) >= 0 && status != H5D_SPACE_STATUS_NOT_ALLOCATED;
  }

  /// A data set of one text of fixed length, up to its first zero.
  [[nodiscard]] std::string text_set(const std::string& path) const {
    const Hdf5Handle set = open(path);
    const Hdf5Handle type(H5Dget_type(set.id()), H5Tclose), space(H5Dget_space(set.id()), H5Sclose);
    if (!type.valid() || !space.valid() || H5Tget_class(type.id()) != H5T_STRING ||
        H5Tis_variable_str(type.id()) != 0 || H5Sget_simple_extent_npoints(space.id()) != 1) {
      fail(path, "another type", "one text of fixed length");
    }
    require_plain(path, set.id());
    const std::size_t size = H5Tget_size(type.id());
    if (size == 0 || size > file_size_) fail(path, std::to_string(size) + " bytes", "no more than the file has");
    charge(path, size);
    std::string value(size, '\0');
    const Hdf5Handle memory_type = memory_text(type.id(), size);
    if (!memory_type.valid()) fail(path, "another type", "one text of fixed length");
    read(path, set.id(), memory_type.id(), 1, value.data());
    value.resize(std::min(value.find('\0'), size));
    return value;
  }

  void require_size(const std::string& path, std::size_t found, Index expected) const {
    if (static_cast<Index>(found) == expected) return;
    fail(path, std::to_string(found) + " entries", std::to_string(expected));
  }

 private:
  static Eigen::VectorXd as_vector(const std::vector<double>& value) {
    return Eigen::Map<const Eigen::VectorXd>(value.data(), static_cast<Index>(value.size()));
  }

  /// The file's own text type, so that nothing is converted between character sets, with our size and padding.
  static Hdf5Handle memory_text(hid_t file_type, std::size_t size) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    const H5T_cset_t characters = H5Tget_cset(file_type);
    if (!type.valid() || characters < 0 || H5Tset_size(type.id(), size) < 0 ||
        H5Tset_strpad(type.id(), H5T_STR_NULLPAD) < 0 || H5Tset_cset(type.id(), characters) < 0) {
      return {};
    }
    return type;
  }

  [[nodiscard]] Hdf5Handle open(const std::string& path) const {
    if (!exists(path)) fail(path, "nothing", "a data set");
    Hdf5Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.valid()) fail(path, "no data set", "a data set");
    return set;
  }

  /// The data of this set lie in this file, one after the other, as they are.
  void require_plain(const std::string& path, hid_t set) const {
    const Hdf5Handle properties(H5Dget_create_plist(set), H5Pclose);
    if (!properties.valid()) fail(path, "a data set without a head", "a data set");
    const H5D_layout_t layout = H5Pget_layout(properties.id());
    if ((layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) || H5Pget_external_count(properties.id()) != 0 ||
        H5Pget_nfilters(properties.id()) != 0) {
      fail(path, "chunks, filters or data kept elsewhere", "contiguous data");
    }
  }

  /// The number of entries of a list of plain values of this class whose bytes lie in this file.
  std::size_t extent(const std::string& path, hid_t set, H5T_class_t type_class, std::size_t largest_entry) const {
    return static_cast<std::size_t>(shape(path, set, type_class, largest_entry, 1).front());
  }

  /// The same of a list, or of a table in two dimensions.
  std::vector<hsize_t> shape(const std::string& path, hid_t set, H5T_class_t type_class, std::size_t largest_entry,
                             int dimensions) const {
    const Hdf5Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
    if (!type.valid() || !space.valid()) fail(path, "a data set without a head", "a data set");
    const std::size_t entry = H5Tget_size(type.id());
    const bool exact = type_class != H5T_INTEGER;
    if (H5Tget_class(type.id()) != type_class || entry == 0 || entry > largest_entry ||
        (exact && entry != largest_entry) || (type_class == H5T_STRING && H5Tis_variable_str(type.id()) != 0)) {
      fail(path, "another type",
           type_class == H5T_FLOAT     ? "numbers of 8 bytes"
           : type_class == H5T_INTEGER ? "integers of at most " + std::to_string(largest_entry) + " bytes"
                                       : "texts of " + std::to_string(set_kind_width) + " bytes");
    }
    std::vector<hsize_t> size(static_cast<std::size_t>(dimensions));
    if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE || H5Sget_simple_extent_ndims(space.id()) != dimensions ||
        H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) != dimensions) {
      fail(path, "another shape", dimensions == 1 ? "a list" : "a table");
    }
    require_plain(path, set);
    hsize_t count = 1;
    for (const hsize_t one : size) {
      if (one > file_size_ / entry / std::max<hsize_t>(count, 1))
        fail(path, std::to_string(one) + " entries", "as many as the file has bytes for");
      count *= one;
    }
    if (count > 0 && H5Dget_storage_size(set) != count * entry)
      fail(path, std::to_string(count) + " entries", "as many as the file has bytes for");
    charge(path, count * entry);
    return size;
  }

  void charge(const std::string& path, std::uint64_t bytes) const {
    if (bytes > left_) fail(path, "more data than the file has bytes", "objects with data of their own");
    left_ -= bytes;
  }

  void read(const std::string& path, hid_t set, hid_t memory_type, std::size_t size, void* value) const {
    if (size == 0 || H5Dread(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0) return;
    fail(path, "data that cannot be read", std::to_string(size) + " entries");
  }

  hid_t file_;
  std::string name_;
  std::uint64_t file_size_;
  mutable std::uint64_t left_;  ///< bytes that may still be read
  const PeekBytes& peek_;
  bool grows_ = false;
};

/// Opens a copy of a file in memory, with checksums as require_checksums says, and calls read(its identifier, peek).
void with_hdf5_image(std::span<const char> bytes, const std::string& name,
                     const std::function<void(hid_t file, const PeekBytes& peek)>& read);

/// FCLIB's layout in a file with checksums; see fclib.hpp.
[[nodiscard]] bool has_fclib(const Hdf5Objects& objects);
[[nodiscard]] ProblemFile read_new_fclib(hid_t file, const std::string& name, std::uint64_t size,
                                         const PeekBytes& peek);

}  // namespace nonsmooth::problem_files
