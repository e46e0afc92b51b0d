// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "siconos_layouts.hpp"
#include "siconos_text.hpp"

namespace nonsmooth::problem_files {
namespace {

struct Fit {
  std::string_view layout;
  Reading reading;
};

std::string names(const std::vector<Fit>& fits) {
  std::string list;
  for (const Fit& fit : fits) list += (list.empty() ? "" : ", ") + std::string(fit.layout);
  return list;
}

}  // namespace

ProblemFile read_siconos_text(std::string_view text, std::string_view name, const ProblemClass* expected) {
  const TokenList tokens(text, name);
  if (tokens.size() == 0) throw FormatError(std::string(name) + ": found an empty file, expected a problem");
  MatrixCache matrices;
  std::vector<Fit> fits;
  std::string complaint;  // of the layout that got furthest, of those that are taken first if they got anywhere
  std::size_t furthest = 0;
  constexpr std::size_t past_the_sizes = 4;  // words: beyond, a layout that misses words is that of a text cut short
  constexpr std::size_t past_the_shape = 6;  // words: beyond, numbers and not only sizes were as the layout says
  bool cut_short = false;
  const auto found_one = [&] {  // what the layouts of less precedence give way to
    return std::any_of(fits.begin(), fits.end(), [&](const Fit& fit) {
      return expected == nullptr || class_of(fit.reading.problem) == *expected;
    });
  };
  for (const Layout& layout : layouts()) {
    const bool asked_for = expected != nullptr && layout.problem_class == *expected;
    if (layout.precedence != Precedence::First && found_one()) continue;
    if (layout.precedence == Precedence::Last && (cut_short || !fits.empty())) continue;
    Cursor cursor(tokens);
    std::string why;
    const bool must_be_named = layout.precedence == Precedence::IfExpected && !asked_for;
    try {
      Reading reading = layout.read(cursor, matrices);
      if (must_be_named && !reading.names_class) continue;
      std::visit([](const auto& problem) { problem.validate(); }, reading.problem);  // duplicates may sum to infinity
      fits.push_back({layout.name, std::move(reading)});
      continue;
    } catch (const FormatError& error) {
      why = error.what();
    } catch (const InvalidArgument& error) {  // from the checks of the problem and its sets
      why = std::string(name) + ": " + error.what();
    }
    if (must_be_named) continue;  // the layout it shares words with says what is wrong
    cut_short = cut_short || (cursor.ran_out() && cursor.position() > past_the_sizes);
    if (layout.precedence != Precedence::First && furthest > past_the_shape) continue;
    if (expected != nullptr && !asked_for) continue;
    if (complaint.empty() || cursor.position() > furthest) {
      furthest = cursor.position();
      complaint = why + " (read as " + std::string(layout.name) + ", which fits furthest)";
    }
  }
  if (std::any_of(fits.begin(), fits.end(), [](const Fit& fit) { return fit.reading.names_class; })) {
    std::erase_if(fits, [](const Fit& fit) { return !fit.reading.names_class; });
  }
  if (fits.empty() && complaint.empty()) {  // no layout of its own: a mixed problem is read as another class
    complaint = std::string(name) + ": found no layout that fits, expected class " + std::string(to_string(*expected));
  }
  if (fits.empty()) throw FormatError(complaint);
  const Fit* chosen = fits.size() == 1 ? &fits.front() : nullptr;
  if (expected != nullptr) {
    chosen = nullptr;
    for (const Fit& fit : fits) {
      if (class_of(fit.reading.problem) == *expected) chosen = chosen == nullptr ? &fit : chosen;
    }
    if (chosen == nullptr) {
      throw FormatError(std::string(name) + ": found a problem of class " +
                        std::string(to_string(class_of(fits.front().reading.problem))) + ", expected " +
                        std::string(to_string(*expected)));
    }
  }
  if (chosen == nullptr) {
    throw FormatError(std::string(name) + ": found a text that could be " + names(fits) + ", expected one class");
  }
  return {.problem = chosen->reading.problem, .format = FileFormat::SiconosText, .title = chosen->reading.title};
}

}  // namespace nonsmooth::problem_files
