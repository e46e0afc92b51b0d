// SPDX-License-Identifier: Apache-2.0
#include "old_hdf5.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hdf5_file.hpp"

namespace nonsmooth::problem_files {
namespace {

// Messages of an object header.
constexpr unsigned space_message = 0x01, type_message = 0x03, layout_message = 0x08, filter_message = 0x0B,
                   attribute_message = 0x0C, continuation_message = 0x10, group_message = 0x11;
constexpr std::uint64_t no_address = ~std::uint64_t{0};
/// Of the nodes and entries of all groups, and of the parts of one header: a sound file has far fewer.
constexpr std::size_t most_members = 100'000, most_parts = 1000, longest_name = 255;

/// The first `size` <= 8 bytes at `at`, which are there.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

unsigned byte_at(std::string_view bytes, std::size_t at) noexcept { return static_cast<unsigned char>(bytes[at]); }

std::size_t padded(std::size_t size) noexcept { return (size + 7) / 8 * 8; }

/// Integers of 4 or 8 bytes, little-endian, in two's complement where they have a sign.
std::int64_t integer_at(std::string_view bytes, std::size_t index, std::size_t size, bool has_sign) noexcept {
  const std::uint64_t value = number_at(bytes, index * size, size);
  if (size == 4 && has_sign) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int64_t>(value);
}

}  // namespace

bool is_old_hdf5(std::string_view bytes) noexcept {
  return is_hdf5(bytes) && bytes.size() > 8 && (bytes[8] == 0 || bytes[8] == 1);
}

OldHdf5::OldHdf5(std::string_view bytes, std::string name)
    : DataSets(std::move(name)), file_(bytes), left_(bytes.size()) {
  const std::size_t base = bytes.size() > 8 && bytes[8] == 1 ? 28 : 24;  // version 1 has four more bytes
  constexpr std::size_t root_entry = 32;                                 // behind `base`: four addresses
  if (!is_old_hdf5(bytes) || bytes.size() < base + root_entry + 16 || byte_at(bytes, 13) != 8 ||
      byte_at(bytes, 14) != 8 || number_at(bytes, base, 8) != 0) {
    fail("/", "another head of the file", "one of HDF5's older form with addresses of 8 bytes");
  }
  if (const std::uint64_t end = number_at(bytes, base + 16, 8); end > bytes.size()) {
    fail("/", std::to_string(bytes.size()) + " bytes", std::to_string(end) + ", as its head says");
  }
  root_ = number_at(bytes, base + root_entry + 8, 8);
}

std::string_view OldHdf5::bytes(std::uint64_t address, std::uint64_t size, const std::string& path) const {
  if (address > file_.size() || size > file_.size() - address) {
    fail(path, "an address beyond the end of the file", "one within");
  }
  return file_.substr(address, size);
}

std::vector<OldHdf5::Message> OldHdf5::messages(std::uint64_t header, const std::string& path) const {
  const std::string_view head = bytes(header, 16, path);
  if (byte_at(head, 0) != 1) fail(path, "another object header", "one of version 1");
  std::size_t left = number_at(head, 2, 2);
  std::vector<std::string_view> parts = {bytes(header + 16, number_at(head, 8, 4), path)};
  std::vector<Message> all;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::string_view part = parts[k];
    for (; part.size() >= 8 && left > 0; --left) {
      const unsigned type = static_cast<unsigned>(number_at(part, 0, 2));
      const std::size_t size = number_at(part, 2, 2);
      if (size > part.size() - 8) fail(path, "a message longer than its header", "one within");
      const bool shared = (byte_at(part, 4) & 2) != 0;
      const std::string_view body = part.substr(8, size);
      if (type == continuation_message) {
        if (size < 16 || parts.size() >= most_parts) fail(path, "a broken continuation of the header", "a sound one");
        parts.push_back(bytes(number_at(body, 0, 8), number_at(body, 8, 8), path));
      } else if (!shared) {
        all.push_back({type, body});
      }
      part.remove_prefix(8 + size);
    }
  }
  return all;
}

void OldHdf5::add_members(std::uint64_t node, unsigned above, std::string_view names, const std::string& path,
                          Members& members) const {
  const std::string_view head = bytes(node, 24, path);
  if (!head.starts_with("TREE") || head[4] != 0 || byte_at(head, 5) >= above) {
    fail(path, "a broken list of members", "a tree of them");
  }
  const unsigned level = byte_at(head, 5);
  const std::size_t entries = number_at(head, 6, 2);
  const std::string_view children = bytes(node + 24, 16 * entries + 8, path);
  for (std::size_t k = 0; k < entries; ++k) {
    if (++num_members_ > most_members) fail(path, "too many members", "at most " + std::to_string(most_members));
    const std::uint64_t child = number_at(children, 16 * k + 8, 8);
    if (level > 0) {
      add_members(child, level, names, path, members);
      continue;
    }
    const std::string_view leaf = bytes(child, 8, path);
    if (!leaf.starts_with("SNOD") || leaf[4] != 1) fail(path, "a broken list of members", "a node of symbols");
    const std::size_t symbols = number_at(leaf, 6, 2);
    const std::string_view table = bytes(child + 8, 40 * symbols, path);
    for (std::size_t s = 0; s < symbols; ++s) {
      if (++num_members_ > most_members) fail(path, "too many members", "at most " + std::to_string(most_members));
      const std::uint64_t name_at = number_at(table, 40 * s, 8), header = number_at(table, 40 * s + 8, 8);
      const std::size_t end = name_at < names.size() ? names.find('\0', name_at) : std::string_view::npos;
      if (end == std::string_view::npos || end - name_at > longest_name) {
        fail(path, "a member without a name, or with a long one", "at most " + std::to_string(longest_name) + " bytes");
      }
      members.emplace(names.substr(name_at, end - name_at), header);
    }
  }
}

const OldHdf5::Members& OldHdf5::members(std::uint64_t header, const std::string& path) const {
  const auto known = groups_.find(header);
  if (known != groups_.end()) return known->second;
  Members all;
  for (const Message& message : messages(header, path)) {
    if (message.type != group_message) continue;
    if (message.data.size() < 16) fail(path, "a broken group", "a group");
    const std::string_view heap = bytes(number_at(message.data, 8, 8), 32, path);
    if (!heap.starts_with("HEAP") || heap[4] != 0) fail(path, "a broken list of names", "a heap of names");
    const std::string_view names = bytes(number_at(heap, 24, 8), number_at(heap, 8, 8), path);
    constexpr unsigned deepest = 16;
    add_members(number_at(message.data, 0, 8), deepest, names, path, all);
    break;
  }
  return groups_.emplace(header, std::move(all)).first->second;
}

std::optional<std::uint64_t> OldHdf5::find(const std::string& path) const {
  std::uint64_t header = root_;
  for (std::size_t begin = 1; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const Members& inside = members(header, path.substr(0, begin - 1) + "/");
    const auto found = inside.find(std::string_view(path).substr(begin, end - begin));
    if (found == inside.end()) return std::nullopt;
    if (found->second == no_address) fail(path.substr(0, end), "a link to elsewhere", "an object of this file");
    header = found->second;
    begin = end + 1;
  }
  return header;
}

bool OldHdf5::exists(const std::string& path) const { return find(path).has_value(); }

OldHdf5::DataType OldHdf5::data_type(std::string_view message) const {
  DataType type;
  if (message.size() < 8) return type;
  type.kind = byte_at(message, 0) & 15;
  type.size = number_at(message, 4, 4);
  const unsigned bits = byte_at(message, 1);
  if (type.kind == 3) {
    type.supported = type.size > 0;
  } else if (type.kind == 0 && message.size() >= 12) {  // every bit used, the least byte first
    type.has_sign = (bits & 8) != 0;
    type.supported = (type.size == 4 || type.size == 8) && (bits & 1) == 0 && number_at(message, 8, 2) == 0 &&
                     number_at(message, 10, 2) == 8 * type.size;
  } else if (type.kind == 1 && message.size() >= 20) {  // IEEE 754 double, the least byte first
    type.supported = type.size == 8 && (bits & 0x41) == 0 && byte_at(message, 2) == 63 &&
                     number_at(message, 8, 4) == (64u << 16) && byte_at(message, 12) == 52 &&
                     byte_at(message, 13) == 11 && byte_at(message, 14) == 0 && byte_at(message, 15) == 52 &&
                     number_at(message, 16, 4) == 1023;
  }
  return type;
}

std::size_t OldHdf5::extent(std::string_view message, const std::string& path) const {
  const unsigned version = message.size() >= 4 ? byte_at(message, 0) : 0;
  const std::size_t first = version == 1 ? 8 : 4;
  const unsigned rank = version > 0 ? byte_at(message, 1) : 2;
  if ((version != 1 && version != 2) || rank > 1 || message.size() < first + 8 * rank ||
      (version == 2 && byte_at(message, 3) > 1)) {
    fail(path, "another shape", "a list");
  }
  return rank == 0 ? 1 : number_at(message, first, 8);
}

OldHdf5::Data OldHdf5::data(const std::string& path) const {
  const auto header = find(path);
  if (!header) fail(path, "nothing", "a data set");
  Data data;
  std::string_view space, layout;
  for (const Message& message : messages(*header, path)) {
    if (message.type == type_message) data.type = data_type(message.data);
    if (message.type == space_message) space = message.data;
    if (message.type == layout_message) layout = message.data;
    if (message.type == filter_message) fail(path, "filtered data", "contiguous data");
  }
  if (!data.type.supported) fail(path, "another type", "little-endian integers or doubles, or a text of fixed length");
  data.count = extent(space, path);
  constexpr unsigned compact = 0, contiguous = 1;
  if (layout.size() < 4 || (byte_at(layout, 0) != 3 && byte_at(layout, 0) != 4) || byte_at(layout, 1) > contiguous) {
    fail(path, "chunks, or another layout", "contiguous data");
  }
  if (byte_at(layout, 1) == compact) {
    const std::size_t size = number_at(layout, 2, 2);
    if (size > layout.size() - 4) fail(path, "data longer than its message", "data within");
    data.bytes = layout.substr(4, size);
  } else {
    if (layout.size() < 18) fail(path, "a broken layout", "contiguous data");
    const std::uint64_t address = number_at(layout, 2, 8), size = number_at(layout, 10, 8);
    data.written = address != no_address;
    if (data.written) data.bytes = bytes(address, size, path);
  }
  return data;
}

OldHdf5::Data OldHdf5::whole_data(const std::string& path) const {
  const Data data = this->data(path);
  if (data.count > data.bytes.size() / data.type.size) {
    fail(path, std::to_string(data.count) + " entries", "as many as the file has bytes for");
  }
  const std::uint64_t size = data.count * data.type.size;
  if (size > left_) fail(path, "more data than the file has bytes", "objects with data of their own");
  left_ -= size;
  return data;
}

bool OldHdf5::is_written(const std::string& path) const { return data(path).written; }

std::vector<std::int64_t> OldHdf5::integers(const std::string& path) const {
  const Data found = whole_data(path);
  if (found.type.kind != 0) fail(path, "another type", "integers of 4 or 8 bytes");
  std::vector<std::int64_t> value(found.count);
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = integer_at(found.bytes, i, found.type.size, found.type.has_sign);
  }
  return value;
}

std::vector<double> OldHdf5::reals(const std::string& path) const {
  const Data found = whole_data(path);
  if (found.type.kind != 1) fail(path, "another type", "numbers of 8 bytes");
  std::vector<double> value(found.count);
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = std::bit_cast<double>(number_at(found.bytes, 8 * i, 8));
  return value;
}

std::string OldHdf5::text(const std::string& path) const {
  const Data found = whole_data(path);
  if (found.type.kind != 3 || found.count != 1) fail(path, "another type", "one text of fixed length");
  const std::string_view value = found.bytes.substr(0, found.type.size);
  return std::string(value.substr(0, value.find('\0')));
}

std::optional<std::int64_t> OldHdf5::attribute(const std::string& path, std::string_view key) const {
  const auto header = find(path);
  if (!header) return std::nullopt;
  for (const Message& message : messages(*header, path)) {
    if (message.type != attribute_message || message.data.size() < 8 || byte_at(message.data, 0) != 1) continue;
    const std::size_t name_size = number_at(message.data, 2, 2), type_size = number_at(message.data, 4, 2);
    const std::size_t type_at = 8 + padded(name_size), space_at = type_at + padded(type_size);
    const std::size_t value_at = space_at + padded(number_at(message.data, 6, 2));
    if (value_at > message.data.size()) fail(path, "a broken attribute", "a sound one");
    const std::string_view name = message.data.substr(8, name_size);
    if (name.substr(0, name.find('\0')) != key) continue;
    const DataType type = data_type(message.data.substr(type_at, type_size));
    const std::size_t count = extent(message.data.substr(space_at, value_at - space_at), path);
    if (!type.supported || type.kind != 0 || count != 1 || message.data.size() - value_at < type.size) {
      return std::nullopt;
    }
    return integer_at(message.data.substr(value_at), 0, type.size, type.has_sign);
  }
  return std::nullopt;
}

}  // namespace nonsmooth::problem_files
