// SPDX-License-Identifier: Apache-2.0
#include "page_parts.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <nonsmooth/io/csv.hpp>
#include <scene_page.hpp>  // generated: kPage, kStyle, kScript

namespace nonsmooth::scene {

std::string page_text(const PageTexts& texts) {
  const std::array<std::pair<std::string_view, std::string_view>, 6> parts{{{"{{title}}", texts.title},
                                                                            {"{{style}}", kStyle},
                                                                            {"{{scene}}", texts.scene},
                                                                            {"{{data}}", texts.data},
                                                                            {"{{three}}", texts.three},
                                                                            {"{{script}}", kScript}}};
  std::string text;
  std::string_view rest = kPage;
  while (!rest.empty()) {
    const std::size_t at = rest.find("{{");
    text += rest.substr(0, at);
    if (at == std::string_view::npos) break;
    rest.remove_prefix(at);
    bool known = false;
    for (const auto& [mark, part] : parts) {
      if (!rest.starts_with(mark)) continue;
      text += part;
      rest.remove_prefix(mark.size());
      known = true;
      break;
    }
    if (known) continue;
    text += "{{";
    rest.remove_prefix(2);
  }
  return text;
}

std::string read_three(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> places;
  if (!path.empty())
    places.push_back(path);
  else
    places = {NONSMOOTH_THREE, "/usr/share/javascript/three/three.min.js"};
  std::string looked_at;
  for (const std::filesystem::path& place : places) {
    std::ifstream file(place, std::ios::binary);
    if (file) {
      std::string text{std::istreambuf_iterator<char>(file), {}};
      if (file && text.find("REVISION") != std::string::npos) return text;
    }
    if (!place.empty()) looked_at += (looked_at.empty() ? "" : ", ") + place.string();
  }
  throw FileError("three.min.js is not at " + looked_at +
                  ": the Debian package libjs-three has it; ViewOptions::three says where else");
}

}  // namespace nonsmooth::scene
