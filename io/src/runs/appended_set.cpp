// SPDX-License-Identifier: Apache-2.0
#include "appended_set.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace nonsmooth::runs {

AppendedSet::AppendedSet(AppendContext& context, std::string path, ChunkedType type, Index columns, Index chunk_rows,
                         bool by_column, bool many, Index chunk_columns)
    : context_(&context),
      path_(std::move(path)),
      width_(type == ChunkedType::Byte ? 1 : 8),
      columns_(columns),
      chunk_rows_(chunk_rows),
      chunk_columns_(by_column           ? 1
                     : chunk_columns > 0 ? std::min(chunk_columns, columns)
                                         : columns),
      by_column_(by_column),
      many_(many),
      columns_waiting_(by_column ? static_cast<std::size_t>(columns) : 1) {
  const bool list = columns == 1;
  const std::array<hsize_t, 2> size{0, static_cast<hsize_t>(columns)};
  const std::array<hsize_t, 2> largest{H5S_UNLIMITED, static_cast<hsize_t>(columns)};
  const std::array<hsize_t, 2> chunk{static_cast<hsize_t>(chunk_rows), static_cast<hsize_t>(chunk_columns_)};
  const int dimensions = list ? 1 : 2;
  const Hdf5Handle space(H5Screate_simple(dimensions, size.data(), largest.data()), H5Sclose);
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  context.check(space.valid() && properties.valid() && H5Pset_chunk(properties.id(), dimensions, chunk.data()) >= 0 &&
                H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER) >= 0 &&
                H5Pset_obj_track_times(properties.id(), false) >= 0 &&
                (width_ == 1 || H5Pset_shuffle(properties.id()) >= 0) &&
                H5Pset_deflate(properties.id(), static_cast<unsigned>(context.level)) >= 0);
  const hid_t own = type == ChunkedType::Real      ? H5T_IEEE_F64LE
                    : type == ChunkedType::Integer ? H5T_STD_I64LE
                    : type == ChunkedType::Natural ? H5T_STD_U64LE
                                                   : H5T_STD_U8LE;
  set_ = Hdf5Handle(H5Dcreate2(context.file, path_.c_str(), own, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                    H5Dclose);
  context.check(set_.valid());
}

char* AppendedSet::Waiting::grow(std::size_t count) {
  if (used + count > bytes.size()) bytes.resize(std::max(used + count, 2 * bytes.size()));
  used += count;
  return bytes.data() + used - count;
}

void AppendedSet::Waiting::drop(std::size_t count) {
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(count), bytes.begin() + static_cast<std::ptrdiff_t>(used),
            bytes.begin());
  used -= count;
}

template <class Value>
void AppendedSet::append(std::span<const Value> row) {
  static_assert(sizeof(Value) == 8);
  if (!row.empty()) std::memcpy(columns_waiting_.front().grow(row.size_bytes()), row.data(), row.size_bytes());
  ++waiting_;
}

template void AppendedSet::append(std::span<const double>);
template void AppendedSet::append(std::span<const std::int64_t>);
template void AppendedSet::append(std::span<const std::uint64_t>);

template <class Value>
Value* AppendedSet::grow(std::size_t column, std::size_t rows) {
  static_assert(sizeof(Value) == 8);
  return reinterpret_cast<Value*>(columns_waiting_[column].grow(8 * rows));  // of memory of operator new: aligned
}

template double* AppendedSet::grow(std::size_t, std::size_t);
template std::int64_t* AppendedSet::grow(std::size_t, std::size_t);

void AppendedSet::append_bytes(std::string_view bytes) {
  std::copy(bytes.begin(), bytes.end(), columns_waiting_.front().grow(bytes.size()));
  waiting_ += static_cast<Index>(bytes.size()) / columns_;
}

std::size_t AppendedSet::row_bytes() const noexcept {
  return width_ * static_cast<std::size_t>(by_column_ ? 1 : columns_);
}

/// A stream takes an eighth more than what it stands for at most: a byte that shows once has a code of 9 bits. Chunks
/// begin on a page.
std::size_t AppendedSet::room(Index rows) const noexcept {
  constexpr std::size_t kPage = 4096, kHead = 1024;
  const auto chunks = static_cast<std::size_t>((rows + chunk_rows_ - 1) / chunk_rows_) *
                      static_cast<std::size_t>((columns_ + chunk_columns_ - 1) / chunk_columns_);
  const std::size_t bytes = width_ * static_cast<std::size_t>(chunk_rows_ * chunk_columns_);
  return chunks * ((bytes + bytes / 8 + kHead + kPage - 1) / kPage * kPage);
}

void AppendedSet::set_rows(Index rows) {
  const std::array<hsize_t, 2> size{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns_)};
  context_->check(H5Dset_extent(set_.id(), size.data()) >= 0);
}

void AppendedSet::drop(Index rows) {
  const std::size_t bytes = static_cast<std::size_t>(rows) * row_bytes();
  for (Waiting& column : columns_waiting_) column.drop(std::min(bytes, column.used));
  begin_ += rows;
  waiting_ = std::max<Index>(waiting_ - rows, 0);
}

void AppendedSet::write_bytes(Index first, Index column, std::span<const char> bytes) {
  const std::span<const char> encoded = context_->encoder.encode(bytes, width_, many_);
  context_->reserve(encoded.size());
  const std::array<hsize_t, 2> offset{static_cast<hsize_t>(begin_ + first), static_cast<hsize_t>(column)};
  context_->check(H5Dwrite_chunk(set_.id(), H5P_DEFAULT, 0, offset.data(), encoded.size(), encoded.data()) >= 0);
}

/// A chunk of rows from `first` and columns from `column` on, filled up with zeros.
std::span<const char> AppendedSet::gather(const Waiting& from, Index first, Index column) {
  const Index own = by_column_ ? 1 : columns_, rows = std::min(chunk_rows_, waiting_ - first);
  const std::size_t wide = width_ * static_cast<std::size_t>(chunk_columns_);
  const std::size_t taken = width_ * static_cast<std::size_t>(std::min(chunk_columns_, own - column));
  chunk_.resize(static_cast<std::size_t>(chunk_rows_) * wide);
  const char* source =
      from.bytes.data() + static_cast<std::size_t>(first) * row_bytes() + width_ * static_cast<std::size_t>(column);
  char* to = chunk_.data();
  for (Index r = 0; r < rows; ++r, source += row_bytes(), to += wide) {
    std::memcpy(to, source, taken);
    std::memset(to + taken, 0, wide - taken);
  }
  std::memset(to, 0, chunk_.size() - static_cast<std::size_t>(to - chunk_.data()));
  return chunk_;
}

/// Rows from `first` of those that wait on, filled up with zeros to whole chunks.
void AppendedSet::write_chunk(Index first) {
  const bool lies = waiting_ - first >= chunk_rows_ && (by_column_ || chunk_columns_ == columns_);
  for (std::size_t j = 0; j < columns_waiting_.size(); ++j) {
    const Waiting& from = columns_waiting_[j];
    if (lies) {
      write_bytes(first, static_cast<Index>(j),
                  {from.bytes.data() + static_cast<std::size_t>(first) * row_bytes(),
                   static_cast<std::size_t>(chunk_rows_) * row_bytes()});
      continue;
    }
    for (Index column = 0; column < (by_column_ ? 1 : columns_); column += chunk_columns_)
      write_bytes(first, static_cast<Index>(j) + column, gather(from, first, column));
  }
}

void AppendedSet::write(bool close_chunk) {
  if (waiting_ == 0) {
    if (unflushed_) context_->check(H5Dflush(set_.id()) >= 0);
    unflushed_ = false;
    return;
  }
  const Index whole = (waiting_ + chunk_rows_ - 1) / chunk_rows_ * chunk_rows_;
  context_->reserve(room());
  context_->raised = true;
  set_rows(begin_ + (close_chunk ? whole : waiting_));
  for (Index first = 0; first < waiting_; first += chunk_rows_) write_chunk(first);
  context_->check(H5Dflush(set_.id()) >= 0);
  unflushed_ = false;
  drop(close_chunk ? whole : waiting_ / chunk_rows_ * chunk_rows_);
}

void AppendedSet::write_row(std::span<const double> row) {
  context_->reserve(room(1));
  set_rows(begin_ + 1);
  const auto wide = static_cast<std::size_t>(chunk_columns_);
  for (std::size_t column = 0; column < row.size(); column += wide) {
    std::span<const double> numbers = row.subspan(column, std::min(wide, row.size() - column));
    const std::span<const char> bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
    if (numbers.size() < wide) {  // the last chunk, filled up with zeros
      chunk_.assign(8 * wide, 0);
      std::copy(bytes.begin(), bytes.end(), chunk_.begin());
    }
    write_bytes(0, static_cast<Index>(column), numbers.size() < wide ? std::span<const char>(chunk_) : bytes);
  }
  unflushed_ = true;
  ++begin_;
}

void AppendedSet::write_full() {
  const Index full = waiting_ / chunk_rows_ * chunk_rows_;
  if (full == 0) return;
  context_->reserve(room(full));
  set_rows(begin_ + full);
  for (Index first = 0; first < full; first += chunk_rows_) write_chunk(first);
  unflushed_ = true;
  drop(full);
}

}  // namespace nonsmooth::runs
