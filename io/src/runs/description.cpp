// SPDX-License-Identifier: Apache-2.0
#include "description.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/error.hpp>

#include "layout.hpp"

namespace nonsmooth::runs {
namespace {

constexpr Index kChunkBytes = 1 << 20, kMostSteps = 4096;

/// Of /steps/values.
Index values_bytes(const RunDescription& description) {
  return 8 * static_cast<Index>(description.columns.size() + counted_columns.size());
}

/// Each with its end behind it; an end inside a text would be two texts.
std::string join(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) bytes += text.substr(0, text.find('\0')) + '\0';
  return bytes;
}

}  // namespace

Index chosen_chunk_steps(const RunDescription& description) {
  Index bytes = values_bytes(description) + 8 + static_cast<Index>(solver_width);
  for (const Index size : description.sizes) bytes += 8 * size;
  return std::clamp<Index>(kChunkBytes / bytes, 1, kMostSteps);
}

Index widest_row(const RunDescription& description) {
  return std::max(values_bytes(description), 8 * *std::max_element(description.sizes.begin(), description.sizes.end()));
}

void check_description(const RunDescription& description) {
  const auto require = [](bool good, const char* field, const std::string& found, const char* expected) {
    if (!good) throw InvalidArgument(std::string("RunDescription::") + field, found, expected);
  };
  require(description.part >= 0, "part", std::to_string(description.part), "0, 1, ...");
  require(!description.columns.empty() && description.columns.front() == "t", "columns",
          description.columns.empty() ? "none" : "'" + description.columns.front() + "' first", "'t' first");
  std::size_t length = 0;
  for (const std::string& name : description.columns) {
    length += name.size() + 1;
    const bool counted = std::find(counted_columns.begin(), counted_columns.end(), name) != counted_columns.end();
    require(!name.empty() && name.find_first_of(std::string_view(" \0", 2)) == std::string::npos && !counted, "columns",
            "'" + name + "'", "a name without spaces that is none of the writer's own");
  }
  require(length < 32'000, "columns", std::to_string(length) + " bytes of names", "less than 32000");
  for (const Index size : description.sizes) require(size >= 0, "sizes", std::to_string(size), "none below 0");
  const auto inside = [](Index first, Index count, Index size) {
    return first >= 0 && count >= 0 && first + count <= size;
  };
  for (const RunSystem& system : description.systems) {
    require(inside(system.q, system.nq, description.sizes[0]) && inside(system.z, system.n, description.sizes[1]),
            "systems", "the numbers of '" + system.name + "'", "some of RunDescription::sizes");
  }
  const Index rows = *std::max_element(description.sizes.begin() + 2, description.sizes.end());
  const auto count = static_cast<Index>(description.systems.size());
  for (const RunInteraction& interaction : description.interactions) {
    require(inside(interaction.row, interaction.rows, rows) &&
                inside(interaction.row + interaction.rows, interaction.auxiliary, rows) &&
                std::all_of(interaction.systems.begin(), interaction.systems.end(),
                            [&](Index system) { return system >= 0 && system < count; }),
            "interactions", "the rows or systems of '" + interaction.name + "'", "some of the description's");
  }
}

void write_description(problem_files::Hdf5Writer& writer, const RunDescription& description) {
  writer.attribute("/", "format", format);
  writer.attribute("/", "version", std::int64_t{version});
  writer.attribute("/", "part", std::int64_t{description.part});
  writer.attribute("/", "run", static_cast<std::int64_t>(description.about.run));
  writer.attribute("/", "seed", static_cast<std::int64_t>(description.about.seed));
  writer.group("/about");
  for (const AboutText& one : about_texts) writer.bytes(one.path, description.about.*one.text);
  writer.group("/model");
  writer.integers("/model/sizes", {description.sizes.begin(), description.sizes.end()});
  std::vector<std::string> names, laws;
  std::vector<std::int64_t> numbers, begin = {0}, linked;
  for (const RunSystem& one : description.systems) {
    names.push_back(one.name);
    numbers.insert(numbers.end(), {one.q, one.nq, one.z, one.n, one.first_order ? 1 : 0});
  }
  writer.bytes("/model/system_names", join(names));
  writer.integer_table("/model/systems", numbers, system_numbers);
  names.clear();
  numbers.clear();
  for (const RunInteraction& one : description.interactions) {
    names.push_back(one.name);
    laws.push_back(one.law);
    numbers.insert(numbers.end(), {one.row, one.rows, one.auxiliary, one.first_order ? 1 : 0});
    linked.insert(linked.end(), one.systems.begin(), one.systems.end());
    begin.push_back(static_cast<std::int64_t>(linked.size()));
  }
  writer.bytes("/model/interaction_names", join(names));
  writer.bytes("/model/laws", join(laws));
  writer.integer_table("/model/interactions", numbers, interaction_numbers);
  writer.integers("/model/linked_begin", begin);
  writer.integers("/model/linked", linked);
  for (const RunTable& table : description.tables) {
    writer.require_groups(table.path);
    writer.table(table.path, table.rows.data(), table.rows.rows(), table.rows.cols());
  }
  for (const RunTexts& texts : description.texts) {
    writer.require_groups(texts.path);
    writer.bytes(texts.path, join(texts.texts));
  }
}

std::size_t described_bytes(const RunDescription& description) {
  std::size_t bytes = 0;
  for (const AboutText& one : about_texts) bytes += (description.about.*one.text).size();
  for (const RunSystem& one : description.systems) bytes += one.name.size() + 1 + 8 * system_numbers;
  for (const RunInteraction& one : description.interactions) {
    bytes += one.name.size() + one.law.size() + 2 + 8 * (interaction_numbers + 1 + one.systems.size());
  }
  for (const RunTable& table : description.tables) bytes += 8 * static_cast<std::size_t>(table.rows.size());
  for (const RunTexts& texts : description.texts) {
    for (const std::string& text : texts.texts) bytes += text.size() + 1;
  }
  return bytes;
}

}  // namespace nonsmooth::runs
