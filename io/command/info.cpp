// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <sstream>

#include "description.hpp"
#include "dump_title.hpp"
#include "json.hpp"
#include "number.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

std::string blocks_json(const std::vector<BlockCount>& blocks) {
  std::string json;
  for (const BlockCount& block : blocks) {
    json += (json.empty() ? "" : ", ") +
            JsonObject().add("set", block.set).add("rows", block.rows).add("count", block.count).text();
  }
  return "[" + json + "]";
}

void print_json(const std::string& name, const ProblemFile& file, const Description& description, std::ostream& out) {
  out << JsonObject()
             .add("file", name)
             .add("class", to_string(class_of(file.problem)))
             .add("format", to_string(file.format))
             .add("size", description.rows)
             .add("unknowns", description.unknowns)
             .add("storage", description.storage)
             .add("nonzeros", description.nonzeros)
             .add("symmetric", description.symmetric())
             .add_raw("blocks", blocks_json(description.blocks))
             .add("q_norm", description.q_norm)
             .add("title", file.title)
             .text()
      << '\n';
}

std::string counted(Index count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::string blocks_text(const std::vector<BlockCount>& blocks) {
  std::string text;
  for (const BlockCount& block : blocks) {
    if (!text.empty()) text += ", ";
    text += std::to_string(block.count) + " " + block.set;
    if (block.rows > 1) text += " of " + counted(block.rows, "row");
  }
  return text;
}

/// The first line of the title (the others are shown of dumped problems alone), cut where a terminal's line would end.
std::string short_title(const std::string& title) {
  constexpr std::size_t longest = 100;
  const std::string line = printable(std::string_view(title).substr(0, title.find_first_of("\r\n")));
  if (width(line) <= longest) return line;
  std::string cut;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < line.size() && characters < longest; ++characters) {
    const std::size_t length = utf8_character(line, at);
    cut += line.substr(at, length);
    at += length;
  }
  return cut + " ...";
}

void print_text(const std::string& name, const ProblemFile& file, const Description& description, std::ostream& out) {
  const auto line = [&out](std::string_view key) -> std::ostream& {
    return out << "  " << key << std::string(11 - key.size(), ' ');
  };
  out << printable(name) << '\n';
  line("class") << to_string(class_of(file.problem)) << '\n';
  line("format") << to_string(file.format) << '\n';
  line("size") << counted(description.rows, "row");
  if (description.unknowns != description.rows) out << ", " << counted(description.unknowns, "unknown");
  out << '\n';
  line("storage") << description.storage << '\n';
  line("nonzeros") << description.nonzeros << " of " << description.rows * description.unknowns << '\n';
  line("symmetric") << (description.symmetric() ? "yes" : "no");
  if (description.asymmetry < 0.01 && !description.symmetric()) {
    out << ", by " << number(description.asymmetry, 2) << " of the largest entry";
  }
  out << '\n';
  line("sets") << blocks_text(description.blocks) << '\n';
  line("|q|") << number(description.q_norm, 6) << " (largest entry)\n";
  if (!file.title.empty()) line("title") << short_title(file.title) << '\n';
  if (!read_dump_title(file.title)) return;
  std::istringstream lines(file.title);
  std::string further;
  std::getline(lines, further);
  while (std::getline(lines, further)) line("") << printable(further) << '\n';
}

}  // namespace

ExitCode info(const InfoArguments& arguments, const Streams& streams) {
  return tell_files(arguments.files, arguments.json, streams, [&](const std::string& name, std::ostream& out) {
    const ProblemFile file = read(name, arguments.problem_class);
    const Description description = describe(file.problem);
    if (arguments.json) return print_json(name, file, description, out);
    print_text(name, file, description, out);
  });
}

}  // namespace nonsmooth::command
