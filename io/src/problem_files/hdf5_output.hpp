// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/types.hpp>

#include "hdf5_handle.hpp"

namespace nonsmooth::problem_files {

/// Creates objects in a new file. @throws FileError.
class Hdf5Writer {
 public:
  Hdf5Writer(hid_t file, std::string name) : file_(file), name_(std::move(name)) {
    // Times of creation would make two files of one problem differ.
    dataset_properties_ = {H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
    group_properties_ = {H5Pcreate(H5P_GROUP_CREATE), H5Pclose};
    check(dataset_properties_.valid() && group_properties_.valid());
    check(H5Pset_obj_track_times(dataset_properties_.id(), false) >= 0);
    check(H5Pset_obj_track_times(group_properties_.id(), false) >= 0);
  }

  void group(const char* path) {
    check(Hdf5Handle(H5Gcreate2(file_, path, H5P_DEFAULT, group_properties_.id(), H5P_DEFAULT), H5Gclose).valid());
  }

  /// The groups above a path, where they are not there.
  void require_groups(const std::string& path) {
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
      const std::string above = path.substr(0, end);
      if (H5Lexists(file_, above.c_str(), H5P_DEFAULT) <= 0) group(above.c_str());
    }
  }

  /// Rows of a table, one behind the other.
  void table(const std::string& path, const double* data, Index rows, Index columns) {
    dataset(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, two_dimensions(rows, columns),
            rows * columns > 0 ? data : nullptr);
  }
  void integer_table(const std::string& path, const std::vector<std::int64_t>& value, Index columns) {
    dataset(path, H5T_STD_I64LE, H5T_NATIVE_INT64, two_dimensions(static_cast<Index>(value.size()) / columns, columns),
            value.empty() ? nullptr : value.data());
  }

  void bytes(const std::string& path, const std::string& value) {
    dataset(path, H5T_STD_U8LE, H5T_NATIVE_UINT8, value.data(), static_cast<Index>(value.size()));
  }

  void reals(const std::string& path, const double* data, Index size) {
    dataset(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, data, size);
  }
  void reals(const std::string& path, ConstVectorRef value) { reals(path, value.data(), value.size()); }

  void integers(const std::string& path, const std::vector<std::int64_t>& value) {
    dataset(path, H5T_STD_I64LE, H5T_NATIVE_INT64, value.data(), static_cast<Index>(value.size()));
  }

  /// As 32-bit numbers, which all fit.
  void small_integers(const std::string& path, const std::vector<std::int32_t>& value) {
    dataset(path, H5T_STD_I32LE, H5T_NATIVE_INT32, value.data(), static_cast<Index>(value.size()));
  }

  /// One text with its closing zero.
  void text(const std::string& path, const std::string& value) {
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    check(type.valid() && space.valid() && H5Tset_size(type.id(), value.size() + 1) >= 0);
    dataset(path, type.id(), type.id(), space, value.c_str());
  }

  /// Strings of `width` bytes one after the other.
  void strings(const std::string& path, const std::string& bytes, std::size_t width) {
    const Hdf5Handle type = string_type(width);
    dataset(path, type.id(), type.id(), bytes.data(), static_cast<Index>(bytes.size() / width));
  }

  void attribute(const char* object, const char* key, std::string_view value) {
    const Hdf5Handle type = string_type(value.size());
    attribute(object, key, type.id(), type.id(), value.data());
  }
  void attribute(const char* object, const char* key, std::int64_t value) {
    attribute(object, key, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
  }
  /// A list of one 32-bit number.
  void small_attribute(const char* object, const char* key, std::int32_t value) {
    constexpr hsize_t one = 1;
    const Hdf5Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    attribute(object, key, H5T_STD_I32LE, H5T_NATIVE_INT32, space, &value);
  }

  void check(bool success) const {
    if (!success) throw FileError(name_ + ": could not be written to the end");
  }

 private:
  static Hdf5Handle two_dimensions(Index rows, Index columns) {
    const hsize_t size[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    return {H5Screate_simple(2, size, nullptr), H5Sclose};
  }

  void dataset(const std::string& path, hid_t file_type, hid_t memory_type, const void* data, Index size) {
    const auto extent = static_cast<hsize_t>(size);
    const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    dataset(path, file_type, memory_type, space, size > 0 ? data : nullptr);
  }

  void dataset(const std::string& path, hid_t file_type, hid_t memory_type, const Hdf5Handle& space, const void* data) {
    check(space.valid());
    Hdf5Handle set(
        H5Dcreate2(file_, path.c_str(), file_type, space.id(), H5P_DEFAULT, dataset_properties_.id(), H5P_DEFAULT),
        H5Dclose);
    check(set.valid());
    if (data != nullptr) check(H5Dwrite(set.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    check(set.close());
  }

  void attribute(const char* object, const char* key, hid_t file_type, hid_t memory_type, const void* data) {
    attribute(object, key, file_type, memory_type, Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose), data);
  }

  void attribute(const char* object, const char* key, hid_t file_type, hid_t memory_type, const Hdf5Handle& space,
                 const void* data) {
    const Hdf5Handle owner(H5Oopen(file_, object, H5P_DEFAULT), H5Oclose);
    check(owner.valid() && space.valid());
    const Hdf5Handle value(H5Acreate2(owner.id(), key, file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(value.valid() && H5Awrite(value.id(), memory_type, data) >= 0);
  }

  Hdf5Handle string_type(std::size_t width) const {
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    check(type.valid() && H5Tset_size(type.id(), width) >= 0 && H5Tset_strpad(type.id(), H5T_STR_NULLPAD) >= 0 &&
          H5Tset_cset(type.id(), H5T_CSET_UTF8) >= 0);
    return type;
  }

  hid_t file_;
  std::string name_;
  Hdf5Handle dataset_properties_, group_properties_;
};

/// Calls write(writer) on a new file at this very path, in the form of HDF5 1.8 with checksums, or in the older one.
/// @throws FileError.
template <class Write>
void write_new_hdf5(const std::filesystem::path& path, bool checksums, Write write) {
  const Hdf5Session session;
  const Hdf5Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (!properties.valid() || H5Pset_obj_track_times(properties.id(), false) < 0) {
    throw FileError(path.string() + ": HDF5 could not be started");
  }
  // From 1.8 on, everything but the data carries a checksum: a damaged file is noticed, and our reader asks for it.
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const H5F_libver_t oldest = checksums ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST;
  if (!access.valid() || H5Pset_libver_bounds(access.id(), oldest, H5F_LIBVER_V18) < 0) {
    throw FileError(path.string() + ": HDF5 could not be started");
  }
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.id(), access.id()), H5Fclose);
  if (!file.valid()) throw FileError(path.string() + ": cannot be opened for writing");
  {
    Hdf5Writer writer(file.id(), path.string());
    write(writer);
    writer.check(H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0);
  }
  if (!file.close()) throw FileError(path.string() + ": could not be written to the end");
}

}  // namespace nonsmooth::problem_files
