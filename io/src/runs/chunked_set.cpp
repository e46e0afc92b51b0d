// SPDX-License-Identifier: Apache-2.0
#include "chunked_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "planes.hpp"

namespace nonsmooth::runs {

static_assert(std::endian::native == std::endian::little, "numbers of run files are read as they are");

using problem_files::Hdf5Objects;

namespace {

bool has_type(hid_t set, ChunkedType type) {
  const Hdf5Handle own(H5Dget_type(set), H5Tclose);
  if (!own.valid()) return false;
  const hid_t expected = type == ChunkedType::Real      ? H5T_IEEE_F64LE
                         : type == ChunkedType::Integer ? H5T_STD_I64LE
                         : type == ChunkedType::Natural ? H5T_STD_U64LE
                                                        : H5T_STD_U8LE;
  return H5Tequal(own.id(), expected) > 0;
}

/// Shuffle (of numbers) and deflate, or nothing. Returns whether there are filters; sets `known` to whether it is so.
bool filters_of(hid_t properties, std::size_t width, bool& known) {
  const int count = H5Pget_nfilters(properties);
  if (count == 0) return false;
  std::array<H5Z_filter_t, 2> found{};
  for (int i = 0; i < count && i < 2; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    found[static_cast<std::size_t>(i)] =
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config);
  }
  known = width == 8 ? count == 2 && found[0] == H5Z_FILTER_SHUFFLE && found[1] == H5Z_FILTER_DEFLATE
                     : count == 1 && found[0] == H5Z_FILTER_DEFLATE;
  return true;
}

}  // namespace

ChunkedSet::ChunkedSet(hid_t file, const Hdf5Objects& objects, std::string path, ChunkedType type, Index columns)
    : path_(std::move(path)), width_(type == ChunkedType::Byte ? 1 : 8) {
  if (!objects.exists(path_)) objects.fail(path_, "nothing", "a data set");
  set_ = Hdf5Handle(H5Dopen2(file, path_.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set_.valid()) objects.fail(path_, "no data set", "a data set");
  if (!has_type(set_.id(), type)) {
    objects.fail(path_, "another type",
                 type == ChunkedType::Real      ? "numbers of 8 bytes"
                 : type == ChunkedType::Integer ? "integers of 8 bytes"
                 : type == ChunkedType::Natural ? "natural numbers of 8 bytes"
                                                : "bytes");
  }
  const Hdf5Handle properties(H5Dget_create_plist(set_.id()), H5Pclose), space(H5Dget_space(set_.id()), H5Sclose);
  if (!properties.valid() || !space.valid()) objects.fail(path_, "a data set without a head", "a data set");
  dimensions_ = H5Sget_simple_extent_ndims(space.id());
  std::array<hsize_t, 2> size{1, 1}, chunk{1, 1};
  if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE || dimensions_ < 1 || dimensions_ > 2 ||
      H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) != dimensions_ ||
      H5Pget_layout(properties.id()) != H5D_CHUNKED ||
      H5Pget_chunk(properties.id(), dimensions_, chunk.data()) != dimensions_) {
    objects.fail(path_, "another shape", "a list or a table that grows by chunks");
  }
  constexpr hsize_t most = hsize_t{1} << 31;
  if (chunk[0] == 0 || chunk[1] == 0 || chunk[0] > most || chunk[1] > most || chunk[0] * chunk[1] > most / width_ ||
      size[1] > most || size[0] > hsize_t{1} << 48) {
    objects.fail(path_, std::to_string(size[0]) + " rows in chunks of " + std::to_string(chunk[0]), "smaller ones");
  }
  bool known = true;
  filtered_ = filters_of(properties.id(), width_, known);
  if (!known || H5Pget_external_count(properties.id()) != 0)
    objects.fail(path_, "other filters, or data kept elsewhere", "shuffle and deflate, or none");
  rows_ = static_cast<Index>(size[0]);
  columns_ = static_cast<Index>(size[1]);
  chunk_rows_ = static_cast<Index>(chunk[0]);
  chunk_columns_ = static_cast<Index>(chunk[1]);
  if (columns >= 0 && columns_ != columns)
    objects.fail(path_, std::to_string(columns_) + " columns", std::to_string(columns));
}

void ChunkedSet::refresh(const Hdf5Objects& objects) {
  std::array<hsize_t, 2> size{1, 1};
  const bool fresh = H5Drefresh(set_.id()) >= 0;
  const Hdf5Handle space(H5Dget_space(set_.id()), H5Sclose);
  if (!fresh || !space.valid() || H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) != dimensions_)
    objects.fail(path_, "a head that cannot be read again", "that of a data set which grows");
  rows_ = std::max(rows_, static_cast<Index>(size[0]));
}

bool ChunkedSet::is_readable(const Hdf5Objects& objects, Index row) const {
  try {
    for (Index column = 0; column < columns_; column += chunk_columns_) (void)chunk(objects, row, column);
  } catch (const FormatError&) {
    return false;
  }
  return true;
}

void ChunkedSet::load(const Hdf5Objects& objects, Index row, Index column, Chunk& chunk) const {
  const auto place = [&] {
    return path_ + ", rows " + std::to_string(row) + " to " + std::to_string(row + chunk_rows_ - 1);
  };
  const std::array<hsize_t, 2> offset{static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
  hsize_t stored = 0;
  if (H5Dget_chunk_storage_size(set_.id(), offset.data(), &stored) < 0 || stored == 0)
    objects.fail(place(), "a chunk that was never written", "one");
  const std::size_t size = static_cast<std::size_t>(chunk_rows_ * chunk_columns_) * width_;
  const bool fits = filtered_ ? size <= largest_decoded(stored) : size == stored;
  if (stored > objects.file_size() || !fits)
    objects.fail(place(), std::to_string(stored) + " bytes", "a chunk of " + std::to_string(size));
  chunk.row = -1;
  chunk.bytes.resize(size);
  encoded_.resize(filtered_ ? stored : 0);
  std::uint32_t mask = 0;
  void* const bytes = filtered_ ? encoded_.data() : chunk.bytes.data();
  if (H5Dread_chunk(set_.id(), H5P_DEFAULT, offset.data(), &mask, bytes) < 0)
    objects.fail(place(), "a chunk that cannot be read", "one");
  if (mask != 0 || (filtered_ && !decode_chunk(encoded_, width_, planes_, chunk.bytes)))
    objects.fail(place(), "a chunk that is damaged", "one that its checksum fits");
  chunk.row = row;
  chunk.rows = rows_;
}

const ChunkedSet::Chunk& ChunkedSet::chunk(const Hdf5Objects& objects, Index row, Index column) const {
  const Index first = chunk_begin(row), first_column = column - column % chunk_columns_;
  const auto place = static_cast<std::size_t>(first_column / chunk_columns_);
  if (last_.size() <= place) last_.resize(place + 1);
  Chunk& found = last_[place];
  if (found.row == first && row < found.rows) return found;
  for (int tries = 2;; --tries) {  // the last chunk of a file that is written at this moment may be half of each
    try {
      load(objects, first, first_column, found);
      return found;
    } catch (const FormatError&) {
      if (tries == 0 || !objects.grows()) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

template <class Value>
void ChunkedSet::read(const Hdf5Objects& objects, Index begin, Index end, Index first, Index count,
                      std::vector<Value>& values) const {
  static_assert(sizeof(Value) == 8);
  if (begin >= end || count == 0) return;
  const std::size_t old = values.size();
  const auto width = static_cast<std::size_t>(count);
  for (Index row = begin; row < end;) {  // so that a file cannot ask for more than it has chunks
    const Index stop = std::min(end, chunk_begin(row) + chunk_rows_);
    values.resize(old + static_cast<std::size_t>(stop - begin) * width);
    for (Index column = first; column < first + count;) {
      const Index last = std::min(first + count, column - column % chunk_columns_ + chunk_columns_);
      const Chunk& from = chunk(objects, row, column);
      for (Index r = row; r < stop; ++r) {
        const Index at = (r - from.row) * chunk_columns_ + column % chunk_columns_;
        std::memcpy(values.data() + old + static_cast<std::size_t>((r - begin) * count + column - first),
                    from.bytes.data() + 8 * at, static_cast<std::size_t>(8 * (last - column)));
      }
      column = last;
    }
    row = stop;
  }
}

template void ChunkedSet::read(const Hdf5Objects&, Index, Index, Index, Index, std::vector<double>&) const;
template void ChunkedSet::read(const Hdf5Objects&, Index, Index, Index, Index, std::vector<std::int64_t>&) const;
template void ChunkedSet::read(const Hdf5Objects&, Index, Index, Index, Index, std::vector<std::uint64_t>&) const;

void ChunkedSet::read_bytes(const Hdf5Objects& objects, Index begin, Index end, std::string& bytes) const {
  for (Index row = begin; row < end;) {
    const Index stop = std::min(end, chunk_begin(row) + chunk_rows_);
    const Chunk& from = chunk(objects, row, 0);
    if (chunk_columns_ != columns_) objects.fail(path_, "chunks of some columns", "of all");
    bytes.append(from.bytes.data() + (row - from.row) * columns_, static_cast<std::size_t>((stop - row) * columns_));
    row = stop;
  }
}

}  // namespace nonsmooth::runs
