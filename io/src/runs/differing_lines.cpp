// SPDX-License-Identifier: Apache-2.0
#include "differing_lines.hpp"

#include <algorithm>
#include <vector>

#include "layout.hpp"

namespace nonsmooth::runs {
namespace {

constexpr std::size_t kMostLines = 4, kMostFields = 3, kMostText = 160;

std::string shortened(std::string_view text) {
  if (text.size() <= kMostText) return std::string(text);
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // not within a letter of UTF-8
  return std::string(text.substr(0, end)) + "...";
}

/// Of a field "name = value" that differs from another one behind `common` bytes: its name, and what is near to there.
std::string near_difference(std::string_view field, std::size_t common) {
  const std::size_t value = field.find(" = ") + 3;
  constexpr std::size_t kBefore = 40;
  if (field.size() <= kMostText || common < value + kBefore) return shortened(field);
  std::size_t from = common - kBefore;
  while (from < common && (static_cast<unsigned char>(field[from]) & 0xc0U) == 0x80U) ++from;
  return std::string(field.substr(0, value)) + "..." + shortened(field.substr(from));
}

struct FieldsOfLine {
  std::string_view head;
  std::vector<std::string_view> fields;

  explicit FieldsOfLine(std::string_view line) {
    if (const std::size_t colon = line.find(": "); colon != std::string_view::npos && colon < line.find(" = ")) {
      head = line.substr(0, colon);
      line.remove_prefix(colon + 2);
    }
    while (!line.empty()) {
      const std::size_t end = std::min(line.find("; "), line.size());
      fields.push_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 2, line.size()));
    }
  }
};

std::string difference(std::string_view here, std::string_view there) {
  const FieldsOfLine own(here), other(there);
  if (own.head != other.head) return shortened(own.head) + ", where the checkpoint has " + shortened(other.head);
  std::string text(own.head.empty() ? "" : shortened(own.head) + ": ");
  std::size_t told = 0;
  for (std::size_t i = 0; i < std::max(own.fields.size(), other.fields.size()); ++i) {
    const std::string_view one = i < own.fields.size() ? own.fields[i] : "nothing";
    const std::string_view two = i < other.fields.size() ? other.fields[i] : "nothing";
    if (one == two) continue;
    if (told == kMostFields) return text + ", and more";
    const auto parted = std::mismatch(one.begin(), one.end(), two.begin(), two.end());
    const auto common = static_cast<std::size_t>(parted.first - one.begin());
    text += (told++ == 0 ? "" : ", ") + near_difference(one, common) + " (in the checkpoint " +
            near_difference(two, common) + ")";
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text, std::string_view ignored) {
  std::vector<std::string> lines = split(text, '\n');
  if (!ignored.empty()) std::erase_if(lines, [&](const std::string& line) { return line.starts_with(ignored); });
  return lines;
}

}  // namespace

std::string differing_lines(const std::string& here, const std::string& checkpoint, std::string_view ignored) {
  const std::vector<std::string> own = lines_of(here, ignored), other = lines_of(checkpoint, ignored);
  const auto head_of = [](const std::string& line) { return shortened(line.substr(0, line.find(": "))); };
  std::string text;
  std::size_t told = 0, differ = 0;
  for (std::size_t i = 0; i < std::max(own.size(), other.size()); ++i) {
    if (i < own.size() && i < other.size() && own[i] == other[i]) continue;
    ++differ;
    if (told == kMostLines) continue;
    text += told++ == 0 ? "" : " / ";
    if (i >= other.size()) {
      text += head_of(own[i]) + ", which the checkpoint has not";
    } else if (i >= own.size()) {
      text += "no " + head_of(other[i]) + ", which the checkpoint has";
    } else {
      text += difference(own[i], other[i]);
    }
  }
  if (differ > told) text += " / and " + std::to_string(differ - told) + " more";
  return text;
}

std::vector<std::string> functions_in(const std::string& fingerprint) {
  std::vector<std::string> found;
  for (const std::string& line : split(fingerprint, '\n')) {
    const FieldsOfLine own(line);
    for (const std::string_view field : own.fields) {
      if (field.find("a function") == std::string_view::npos) continue;
      found.push_back(shortened(own.head) + ": " + std::string(field.substr(0, field.find(" = "))) +
                      (field.find("a function, not asked") == std::string_view::npos ? "" : ", not asked"));
    }
  }
  return found;
}

}  // namespace nonsmooth::runs
