// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <ostream>
#include <unordered_set>
#include <utility>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_series.hpp>

#include "json.hpp"
#include "number.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace nonsmooth::command {
namespace {

/// What a column or an entry of two runs is apart.
struct Deviation {
  std::string name;
  double worst = 0.0;         ///< |a - b| / max(1e-12, largest |b|); infinity where one is no number
  Index at = -1, first = -1;  ///< the step of the worst; the first one beyond the tolerance
};

/// Reads the steps [0, steps) of both in blocks.
template <class Visit>  // visit(first step, rows of a, rows of b)
void in_blocks(const RunSeries& a, const RunSeries& b, Index steps, const Visit& visit) {
  constexpr Index block = 64;
  for (Index from = 0; from < steps; from += block) {
    const Index to = std::min(steps, from + block);
    visit(from, a.rows(from, to), b.rows(from, to));
  }
}

bool same_number(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// One for each name, in their order; `at` is -1 where nothing differs.
std::vector<Deviation> deviations_of(const RunSeries& a, const RunSeries& b, Index steps, double tolerance) {
  const std::vector<std::string>& names = a.names();
  std::vector<Deviation> found(names.size());
  std::vector<double> largest(names.size(), 1e-12);
  for (std::size_t c = 0; c < names.size(); ++c) found[c].name = names[c];
  in_blocks(a, b, steps, [&](Index, const RunRows&, const RunRows& of_b) {
    for (Index k = 0; k < of_b.rows(); ++k) {
      for (std::size_t c = 0; c < names.size(); ++c) {
        const double value = std::abs(of_b(k, static_cast<Index>(c)));
        if (std::isfinite(value)) largest[c] = std::max(largest[c], value);
      }
    }
  });
  in_blocks(a, b, steps, [&](Index from, const RunRows& of_a, const RunRows& of_b) {
    for (Index k = 0; k < of_b.rows(); ++k) {
      for (std::size_t c = 0; c < names.size(); ++c) {
        const double x = of_a(k, static_cast<Index>(c)), y = of_b(k, static_cast<Index>(c));
        if (same_number(x, y)) continue;
        double apart = std::abs(x - y) / largest[c];
        if (std::isnan(apart)) apart = std::numeric_limits<double>::infinity();
        Deviation& one = found[c];
        if (one.at < 0 || apart > one.worst) {
          one.worst = apart;
          one.at = from + k;
        }
        if (one.first < 0 && (apart > tolerance || tolerance == 0.0)) one.first = from + k;
      }
    }
  });
  return found;
}

/// The first step whose hashes differ where both runs have one; -1: none.
Index first_other_hash(const RunFile& a, const RunFile& b, Index steps) {
  const std::vector<std::uint64_t> first = a.hashes(0, steps), second = b.hashes(0, steps);
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] != second[k] && first[k] != 0 && second[k] != 0) return static_cast<Index>(k);
  }
  return -1;
}

struct Comparison {
  std::vector<Deviation> deviations;  ///< of what differs, the worst first
  std::vector<std::string> only_first, only_second;
  Index steps = 0, compared = 0, first = -1, first_hash = -1;
  bool lengths_differ = false;
  double tolerance = 0.0;
};

Comparison compare_runs(const RunFile& a, const RunFile& b, double tolerance) {
  Comparison all;
  all.steps = std::min(a.num_steps(), b.num_steps());
  all.lengths_differ = a.num_steps() != b.num_steps();
  all.tolerance = tolerance;
  const std::vector<std::string> first = series_names(a), second = series_names(b);
  const std::unordered_set<std::string> in_first(first.begin(), first.end()), in_second(second.begin(), second.end());
  std::vector<std::string> common;
  for (const std::string& name : first) (in_second.contains(name) ? common : all.only_first).push_back(name);
  for (const std::string& name : second) {
    if (!in_first.contains(name)) all.only_second.push_back(name);
  }
  all.compared = static_cast<Index>(common.size());
  for (Deviation& one : deviations_of(RunSeries(a, common), RunSeries(b, common), all.steps, tolerance)) {
    if (one.at < 0) continue;
    if (one.first >= 0) all.first = all.first < 0 ? one.first : std::min(all.first, one.first);
    all.deviations.push_back(std::move(one));
  }
  std::stable_sort(all.deviations.begin(), all.deviations.end(),
                   [](const Deviation& x, const Deviation& y) { return x.worst > y.worst; });
  all.first_hash = first_other_hash(a, b, all.steps);
  return all;
}

bool same(const Comparison& all) {
  return all.first < 0 && (all.tolerance > 0.0 || all.first_hash < 0) && !all.lengths_differ &&
         all.only_first.empty() && all.only_second.empty();
}

void print_json(const Comparison& all, std::ostream& out) {
  for (const Deviation& one : all.deviations) {
    out << JsonObject()
               .add("name", one.name)
               .add("worst", one.worst)
               .add("step", one.at)
               .add("first_step", one.first)
               .text()
        << '\n';
  }
  out << JsonObject()
             .add("same", same(all))
             .add("steps", all.steps)
             .add("columns", all.compared)
             .add("first_step", all.first)
             .add("first_other_hash", all.first_hash)
             .text()
      << '\n';
}

void print_text(const Comparison& all, const RunFile& a, const RunFile& b, std::ostream& out) {
  constexpr std::size_t most = 20;
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    out << what << names.size() << ":";
    for (std::size_t k = 0; k < std::min(most, names.size()); ++k) out << ' ' << printable(names[k]);
    out << (names.size() > most ? " ...\n" : "\n");
  };
  list("only in the first, ", all.only_first);
  list("only in the second, ", all.only_second);
  if (all.lengths_differ)
    out << "steps: " << a.num_steps() << " and " << b.num_steps() << "; " << all.steps << " compared\n";
  for (std::size_t k = 0; k < std::min(most, all.deviations.size()); ++k) {
    const Deviation& one = all.deviations[k];
    out << printable(one.name) << ": apart by " << number(one.worst, 3) << " of its size at step " << one.at;
    if (one.first >= 0) out << ", from step " << one.first << " on";
    out << '\n';
  }
  if (all.deviations.size() > most) out << all.deviations.size() - most << " more differ\n";
  if (all.first_hash >= 0) out << "states differ from step " << all.first_hash << " on (hashes)\n";
  if (all.deviations.empty() && same(all))
    out << "the same bits: " << all.compared << " columns over " << all.steps << " steps\n";
  else if (same(all))
    out << "within the tolerance: " << all.compared << " columns over " << all.steps << " steps\n";
}

}  // namespace

ExitCode compare(const CompareArguments& arguments, const Streams& streams) {
  const RunFile first(arguments.first), second(arguments.second);
  const Comparison all = compare_runs(first, second, arguments.tolerance);
  if (arguments.json)
    print_json(all, streams.out);
  else
    print_text(all, first, second, streams.out);
  return same(all) ? success : not_solved;
}

}  // namespace nonsmooth::command
