// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../hdf5.hpp"
#include "chunked_set.hpp"
#include "planes.hpp"

namespace nonsmooth::runs {

/// What appended sets of a file share.
struct AppendContext {
  hid_t file = -1;
  int level = 1;  ///< of compression
  ChunkEncoder encoder{1};
  std::function<void(std::size_t bytes)> reserve;  ///< before so many bytes more are written
  bool raised = false;  ///< a data set has more rows than were written: no room then is none to close the file
  std::function<void(bool)> check;  ///< throws where false
};

/// A data set that grows by whole chunks: rows wait in memory until write(). A session of HDF5 has to live in the
/// constructor and in write().
class AppendedSet {
 public:
  /// by_column: each column has chunks of its own, and waits by itself. Else chunks have `chunk_columns` columns, so
  /// that what is encoded together stays in a cache; 0: all of them. many: ChunkEncoder::encode().
  AppendedSet(AppendContext& context, std::string path, ChunkedType type, Index columns, Index chunk_rows,
              bool by_column, bool many = false, Index chunk_columns = 0);

  /// A row of values of 8 bytes, where columns have no chunks of their own.
  template <class Value>
  void append(std::span<const Value> row);
  /// Whether rows are written as they come, by write_row() in place of append(): chunks have one.
  [[nodiscard]] bool takes_rows() const noexcept { return chunk_rows_ == 1 && width_ == 8 && !by_column_; }
  /// A row that is written at once from where it lies, and shows with the next write().
  void write_row(std::span<const double> row);
  /// Room for so many rows more of a column that has its own chunks, to be written before the next call; added() counts
  /// them when all columns have them.
  template <class Value>
  Value* grow(std::size_t column, std::size_t rows);
  void added(std::size_t rows) noexcept { waiting_ += static_cast<Index>(rows); }
  /// Rows of bytes.
  void append_bytes(std::string_view bytes);

  [[nodiscard]] Index waiting() const noexcept { return waiting_; }
  [[nodiscard]] Index end() const noexcept { return begin_ + waiting_; }  ///< rows, those that wait among them
  void abandon() noexcept { set_.release(); }                             ///< leaves it open

  /// Bytes that write() takes on the disk at most.
  [[nodiscard]] std::size_t room() const noexcept { return room(waiting_); }
  /// Writes what waits, once there is room for it. Chunks that are full are done; what is left is written as a chunk
  /// that is not full and waits on, to be written again, or with `close_chunk` is filled up with zeros, so that it is
  /// done too.
  void write(bool close_chunk);
  [[nodiscard]] bool is_full() const noexcept { return waiting_ >= chunk_rows_; }  ///< a chunk of it at least
  /// Writes the chunks that are full, which show with the next write().
  void write_full();

 private:
  /// Bytes that keep their memory, also what a later grow() does not write to at once.
  struct Waiting {
    std::vector<char> bytes;
    std::size_t used = 0;

    char* grow(std::size_t count);
    void drop(std::size_t count);  ///< the first ones
  };

  [[nodiscard]] std::size_t row_bytes() const noexcept;  ///< of what waits together
  [[nodiscard]] std::size_t room(Index rows) const noexcept;
  void set_rows(Index rows);
  void drop(Index rows);
  void write_chunk(Index first);
  void write_bytes(Index first, Index column, std::span<const char> bytes);
  [[nodiscard]] std::span<const char> gather(const Waiting& from, Index first, Index column);

  AppendContext* context_;
  std::string path_;
  Hdf5Handle set_;
  std::size_t width_;
  Index columns_, chunk_rows_, chunk_columns_;
  bool by_column_, many_, unflushed_ = false;
  Index begin_ = 0, waiting_ = 0;         ///< rows that are done, and behind them those that wait
  std::vector<Waiting> columns_waiting_;  ///< by column, or all in one
  std::vector<char> chunk_;               ///< of rows or columns that do not lie as they are to be written
};

}  // namespace nonsmooth::runs
