// SPDX-License-Identifier: Apache-2.0
// Prints the worst deviation of each card; with --write FILE also replaces the table in FILE (docs/validation.md).
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>

#include <support/document_table.hpp>

#include "../cards.hpp"

namespace {

using namespace nonsmooth;
using namespace nonsmooth::validation;

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// One line a bound: which columns and times it covers.
std::string scope(const Card& card, const Bound& bound) {
  std::string text;
  if (bound.columns.size() == card.columns.size()) {
    text = "all";
  } else if (bound.columns.size() > 6) {
    text = bound.columns.front() + " … " + bound.columns.back();
  } else if (!bound.columns.empty()) {
    for (const std::string& column : bound.columns) text += (text.empty() ? "" : ", ") + column;
  } else {
    text = card.bounds.size() > 1 && bound.from == 0.0 && std::isinf(bound.until) ? "the others" : "all";
  }
  if (!std::isinf(bound.until)) text += ", t ≤ " + number("%g", bound.until);
  if (bound.from > 0.0) text += ", t ≥ " + number("%g", bound.from);
  return text;
}

/// @returns false if a card deviates by more than its tolerance or could not be run.
bool table(std::ostream& out) {
  bool good = true;
  out << "| card | columns, times | tolerance | worst deviation | in column | at t [s] | held | this code [µs a step] "
         "| "
         "independent code [µs a step] |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Card& card : cards()) {
    const Comparison comparison = compare(card);
    if (!comparison.failure.empty()) {
      out << "| " << card.name << " | " << comparison.failure << " | | | | | no | | |\n";
      good = false;
      continue;
    }
    const double time = microseconds_per_step(card);
    bool first = true;
    for (const Deviation& deviation : comparison.deviations) {
      good = good && deviation.within();
      const std::string& difference = deviation.bound->difference;
      const std::string verdict = !deviation.within()                   ? "no"
                                  : !difference.empty()                 ? "differs, because " + difference
                                  : deviation.bound->derivation.empty() ? "yes"
                                                                        : "open";
      out << "| " << (first ? card.name : "") << " | " << scope(card, *deviation.bound) << " | "
          << number("%.0e", deviation.bound->tolerance) << " | " << number("%.1e", deviation.worst) << " | "
          << deviation.column << " | " << number("%g", deviation.t) << " | " << verdict << " | "
          << (first ? number("%.2f", time) : "") << " | " << (first ? number("%.1f", card.reference_microseconds) : "")
          << " |\n";
      first = false;
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool write = argc == 3 && std::strcmp(argv[1], "--write") == 0;
  if (argc != 1 && !write) {
    std::cerr << "usage: validation_table [--write docs/validation.md]\n";
    return 2;
  }
  if (reference_file(cards().front()).empty()) {
    std::cerr << "reference trajectories are not there: configure with -DNONSMOOTH_REFERENCE_DATA=<folder>\n";
    return 1;
  }
  std::ostringstream text;
  const bool good = table(text);
  std::cout << text.str();
  if (write && !test::replace_table(argv[2], text.str())) return 2;
  return good ? 0 : 1;
}
