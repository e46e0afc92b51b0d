// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "fclib.hpp"

namespace nonsmooth::problem_files {

/// HDF5 files of the form before 1.8 (superblock 0 or 1, groups as symbol tables), which carries no checksums: parsed
/// here, for the HDF5 library crashes on some damaged ones. Only what FCLIB uses: groups, contiguous or compact lists
/// of little-endian integers and doubles, texts of fixed length, and attributes of one integer. No byte is read without
/// a check that it is there, no structure is followed more often than a sound file needs, and all that is read is no
/// more than the file holds.
/// Source: The HDF Group, HDF5 File Format Specification 3.0.
class OldHdf5 : public DataSets {
 public:
  /// `bytes`, the whole file, must outlive this. @throws FormatError.
  OldHdf5(std::string_view bytes, std::string name);

  [[nodiscard]] bool exists(const std::string& path) const override;
  [[nodiscard]] bool is_written(const std::string& path) const override;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& path) const override;
  [[nodiscard]] std::vector<double> reals(const std::string& path) const override;
  [[nodiscard]] std::string text(const std::string& path) const override;
  [[nodiscard]] std::optional<std::int64_t> attribute(const std::string& path, std::string_view key) const override;

 private:
  struct Message {
    unsigned type = 0;
    std::string_view data;
  };
  struct DataType {
    unsigned kind = 0;  ///< 0 integer, 1 real, 3 text
    std::size_t size = 0;
    bool has_sign = false;
    bool supported = false;
  };
  struct Data {
    DataType type;
    std::size_t count = 0;
    std::string_view bytes;
    bool written = true;
  };
  using Members = std::map<std::string, std::uint64_t, std::less<>>;

  [[nodiscard]] std::string_view bytes(std::uint64_t address, std::uint64_t size, const std::string& path) const;
  [[nodiscard]] std::vector<Message> messages(std::uint64_t header, const std::string& path) const;
  /// Its members and the addresses of their headers; none for what is no group.
  [[nodiscard]] const Members& members(std::uint64_t header, const std::string& path) const;
  void add_members(std::uint64_t node, unsigned above, std::string_view names, const std::string& path,
                   Members& members) const;
  /// The address of an object's header; nothing where it is not there.
  [[nodiscard]] std::optional<std::uint64_t> find(const std::string& path) const;
  [[nodiscard]] DataType data_type(std::string_view message) const;
  [[nodiscard]] std::size_t extent(std::string_view message, const std::string& path) const;
  [[nodiscard]] Data data(const std::string& path) const;
  /// The same, and every entry has its bytes.
  [[nodiscard]] Data whole_data(const std::string& path) const;

  std::string_view file_;
  std::uint64_t root_ = 0;
  mutable std::map<std::uint64_t, Members> groups_;
  mutable std::size_t num_members_ = 0;  ///< nodes and entries followed, of all groups together
  mutable std::uint64_t left_ = 0;       ///< bytes of data that may still be read
};

}  // namespace nonsmooth::problem_files
