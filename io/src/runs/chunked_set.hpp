// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nonsmooth/numerics/types.hpp>

#include "../problem_files/hdf5_objects.hpp"

namespace nonsmooth::runs {

/// Values of a data set that grows.
enum class ChunkedType : unsigned char { Real, Integer, Natural, Byte };

/// A data set that a run grows by chunks, read chunk by chunk: nothing is allocated that the file's own bytes do not
/// cover, and chunks are decoded here, where what is damaged has a name. A session of HDF5 has to live in each call.
class ChunkedSet {
 public:
  /// columns < 0: any number. @throws FormatError
  ChunkedSet(hid_t file, const problem_files::Hdf5Objects& objects, std::string path, ChunkedType type, Index columns);

  [[nodiscard]] Index rows() const noexcept { return rows_; }  ///< as of the last refresh()
  [[nodiscard]] Index columns() const noexcept { return columns_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Whether the chunks of a row are whole.
  [[nodiscard]] bool is_readable(const problem_files::Hdf5Objects& objects, Index row) const;
  /// The first row of the chunk that has this one.
  [[nodiscard]] Index chunk_begin(Index row) const noexcept { return row - row % chunk_rows_; }
  /// Asks for the present number of rows of a file that grows.
  void refresh(const problem_files::Hdf5Objects& objects);

  /// Rows [begin, end) of columns [first, first + count), row by row, appended to `values`, 8 bytes a value.
  /// @throws FormatError naming the chunk.
  template <class Value>
  void read(const problem_files::Hdf5Objects& objects, Index begin, Index end, Index first, Index count,
            std::vector<Value>& values) const;
  /// Rows [begin, end), whole, of bytes.
  void read_bytes(const problem_files::Hdf5Objects& objects, Index begin, Index end, std::string& bytes) const;

 private:
  struct Chunk {
    Index row = -1, rows = 0;  ///< its first row; how many were there when it was read
    std::vector<char> bytes;
  };
  const Chunk& chunk(const problem_files::Hdf5Objects& objects, Index row, Index column) const;
  void load(const problem_files::Hdf5Objects& objects, Index row, Index column, Chunk& chunk) const;

  std::string path_;
  Hdf5Handle set_;
  std::size_t width_ = 8;
  bool filtered_ = false;
  Index rows_ = 0, columns_ = 1, chunk_rows_ = 1, chunk_columns_ = 1;
  int dimensions_ = 1;
  mutable std::vector<Chunk> last_;  ///< the last chunk read, of each column of chunks
  mutable std::vector<unsigned char> planes_;
  mutable std::vector<char> encoded_;
};

}  // namespace nonsmooth::runs
