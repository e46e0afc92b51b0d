// SPDX-License-Identifier: Apache-2.0
#include "dump_title.hpp"

#include <algorithm>
#include <charconv>

#include "dump_words.hpp"

namespace nonsmooth {
namespace {

/// The number at the front of a text; nothing where there is none.
template <class Number>
std::optional<Number> leading(std::string_view text) {
  Number value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// What stands behind the last `key`; nothing where it is not there.
std::optional<std::string_view> behind(std::string_view line, std::string_view key) {
  const std::size_t place = line.rfind(key);
  if (place == std::string_view::npos) return std::nullopt;
  return line.substr(place + key.size());
}

void read_remark(std::string_view line, DumpTitle& title) {
  if (line.starts_with("step ")) title.step = leading<Index>(line.substr(5));
  if (const auto t = behind(line, "t = ")) title.t = leading<double>(*t).value_or(title.t);
}

void read_run(std::string_view line, DumpTitle& title) {
  line.remove_prefix(dump_words::run.size());
  std::uint64_t run = 0;
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), run, 16);
  if (error == std::errc{} && stop == line.data() + line.size()) title.run = run;
}

/// "velocity, 2 rows, infeasible by closed form after 0 iterations, residual 1"
bool read_answer(std::string_view line, DumpTitle& title) {
  const std::size_t rows = line.find(dump_words::rows), after = line.rfind(dump_words::after),
                    iterations = line.rfind(dump_words::iterations);
  if (rows == std::string_view::npos || after == std::string_view::npos || iterations == std::string_view::npos ||
      after < rows || iterations < after)
    return false;
  const std::string_view answer = line.substr(rows + dump_words::rows.size(), after - rows - dump_words::rows.size());
  const std::size_t by = answer.find(dump_words::by);
  title.status = answer.substr(0, by);
  if (by != std::string_view::npos) title.solver = answer.substr(by + dump_words::by.size());
  title.iterations = leading<Index>(line.substr(after + dump_words::after.size())).value_or(0);
  title.residual = leading<double>(line.substr(iterations + dump_words::iterations.size())).value_or(title.residual);
  return true;
}

void read_command(std::string_view line, DumpTitle& title) {
  if (const auto name = behind(line, dump_words::solver)) title.algorithm = name->substr(0, name->find('"'));
  if (const auto tolerance = behind(line, dump_words::tolerance)) title.tolerance = leading<double>(*tolerance);
}

}  // namespace

std::optional<DumpTitle> read_dump_title(std::string_view title) {
  DumpTitle found;
  bool is_dump = false;
  while (!title.empty()) {
    const std::string_view line = title.substr(0, title.find('\n'));
    title.remove_prefix(std::min(title.size(), line.size() + 1));
    if (line.starts_with(dump_words::level)) {
      is_dump = read_answer(line, found) || is_dump;
    } else if (line.starts_with(dump_words::run)) {
      read_run(line, found);
    } else if (line.starts_with(dump_words::command)) {
      read_command(line, found);
    } else if (!is_dump) {
      read_remark(line, found);
    }
  }
  if (!is_dump) return std::nullopt;
  return found;
}

}  // namespace nonsmooth
