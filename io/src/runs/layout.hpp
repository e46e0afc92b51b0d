// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <nonsmooth/io/run_file.hpp>

/// Names of a run file's objects, for its reader and its writer; docs/runs.md says what they hold.
namespace nonsmooth::runs {

inline constexpr std::string_view format = "nonsmooth run";
inline constexpr int version = 1;

inline constexpr std::size_t solver_width = 32;  ///< bytes of an algorithm's name, padded with zeros

/// What the writer counts, behind the columns of a description.
inline constexpr std::array<std::string_view, 4> counted_columns = {"contacts", "first_contact", "events",
                                                                    "first_event"};

/// Columns of /contacts/values; the last three are there where contacts have forces of their own.
inline constexpr std::array<std::string_view, 13> contact_columns = {
    "point_x",   "point_y",   "point_z",   "normal_x", "normal_y", "normal_z", "gap",
    "impulse_x", "impulse_y", "impulse_z", "force_x",  "force_y",  "force_z"};
inline constexpr Index contact_numbers = 10, contact_numbers_with_forces = 13;
inline constexpr std::array<std::string_view, 5> contact_name_columns = {"first", "second", "source", "feature",
                                                                         "rows"};
inline constexpr Index contact_names = contact_name_columns.size();

inline constexpr std::array<std::string_view, 6> event_columns = {"t", "kind", "interaction", "row", "value", "end"};
inline constexpr Index event_numbers = event_columns.size();

/// Rows of /checkpoints/index: t, steps of the part before it, its first byte, its bytes.
inline constexpr Index checkpoint_numbers = 4;

/// The texts of /about, by name.
struct AboutText {
  const char* path;
  std::string RunAbout::*text;
};
inline constexpr std::array<AboutText, 8> about_texts = {{{"/about/name", &RunAbout::name},
                                                          {"/about/simulation", &RunAbout::simulation},
                                                          {"/about/program", &RunAbout::program},
                                                          {"/about/library", &RunAbout::version},
                                                          {"/about/units", &RunAbout::units},
                                                          {"/about/options", &RunAbout::options},
                                                          {"/about/notes", &RunAbout::notes},
                                                          {"/about/fingerprint", &RunAbout::fingerprint}}};

/// Columns of /model/systems and /model/interactions.
inline constexpr Index system_numbers = 5, interaction_numbers = 4;

/// Texts, each with its end behind it, but for the last perhaps.
inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace nonsmooth::runs
