// SPDX-License-Identifier: Apache-2.0
// fuzz_obstacles [instances] [seed] [first]: random event-driven models whose first event is an obstacle, a user's
// guard or a pulse in a first-order row, of widths from 1e-6 of the way to all of it, against an independent search
// along the motion, which is known in closed form until then (obstacles.hpp).
//
// Fails if an event is invented, if one is lost whose width the model was told (`smallest_feature`), or which is as
// wide as a hundredth of the longest step's path; the others lost are counted. Instance k alone: fuzz_obstacles 1 SEED
// k. Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include <nonsmooth/kernel.hpp>

#include "judge.hpp"
#include "obstacle_models.hpp"

namespace {

using namespace nonsmooth;
using namespace nonsmooth::fuzz;

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Lower ends of the classes of widths, of the longest step's path.
constexpr std::array kClasses{1.0, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 0.0};
constexpr double kPromised = 0.01;

struct Count {
  long found = 0, lost = 0, invented = 0;
};

class Table {
 public:
  /// `width` of the longest step's path.
  void count(const std::string& family, bool given, double width, long Count::*what) {
    const auto at = std::find_if(kClasses.begin(), kClasses.end(), [&](double low) { return width >= low; });
    const auto k = static_cast<std::size_t>(std::min(at, kClasses.end() - 1) - kClasses.begin());
    ++(classes_[given ? 1 : 0][k].*what);
    ++(families_[family].*what);
    const bool wrong = what == &Count::invented || (what == &Count::lost && (given || width >= kPromised));
    if (!wrong) return;
    ++wrong_;
    if (wrong_ > 40) return;
    std::cout << "instance " << instance << ", " << family << (given ? " of known width " : " of width ") << width
              << (what == &Count::lost ? ": lost\n" : ": invented\n");
  }
  void fail(const std::string& why) {
    ++wrong_;
    if (wrong_ <= 40) std::cout << "instance " << instance << ": " << why << '\n';
  }

  [[nodiscard]] bool report() const {
    for (const bool given : {true, false}) {
      std::cout << (given ? "width known to the simulation\n" : "width not known\n")
                << "  width / path of longest step     found      lost  invented\n";
      for (std::size_t k = 0; k < kClasses.size(); ++k) line("from " + text(kClasses[k]), classes_[given ? 1 : 0][k]);
    }
    std::cout << "all\n";
    for (const auto& [name, counted] : families_) line(name, counted);
    std::cout << quiet << " without an event and with none found, " << doubtful << " grazes left open, " << wrong_
              << " wrong\n";
    return wrong_ == 0;
  }

  long instance = 0, quiet = 0, doubtful = 0;

 private:
  static std::string text(double x) {
    std::ostringstream out;
    out << x;
    return out.str();
  }
  static void line(const std::string& name, const Count& c) {
    std::cout << "  " << std::left << std::setw(28) << name << std::right << std::setw(10) << c.found << std::setw(10)
              << c.lost << std::setw(10) << c.invented << '\n';
  }

  std::array<std::array<Count, kClasses.size()>, 2> classes_{};
  std::map<std::string, Count> families_;
  long wrong_ = 0;
};

/// The way of the coordinates from a to b.
double way_of(const std::vector<Path>& coordinates, double a, double b) {
  constexpr int kPieces = 32;
  double way = 0.0;
  for (int k = 0; k < kPieces; ++k) {
    double square = 0.0;
    for (const Path& path : coordinates) {
      const double difference = path.at(a + (b - a) * (k + 1) / kPieces) - path.at(a + (b - a) * k / kPieces);
      square += difference * difference;
    }
    way += std::sqrt(square);
  }
  return way;
}

/// What a run did until its first instant.
struct Run {
  std::optional<double> event;
  std::vector<std::pair<double, double>> steps;  ///< of the run, and of one where nothing is found that cuts them short
  std::string failure;
};

Run run(const ObstacleModel& instance) {
  Run result;
  EventDriven simulation(instance.model, instance.options);
  const auto first_instant = [&](const Instant& at) {
    result.event = at.after.t;
    return false;
  };
  const auto note_step = [&](const SmoothSegment& segment) {
    result.steps.emplace_back(segment.start(), segment.end());
    return true;
  };
  const auto report =
      simulation.advance_to(instance.end, EventDrivenObserver{.segment = note_step, .instant = first_instant});
  if (!report.ok()) result.failure = report.message();
  EventDrivenOptions options = instance.options;
  options.events.clear();
  EventDriven(instance.free, options).advance_to(instance.end, EventDrivenObserver{.segment = note_step});
  return result;
}

/// The dip's width over the longest step's that were taken until then.
double relative_width(const Dip& dip, const Run& run) {
  double longest_way = 0.0, longest_time = 0.0;
  for (const auto& [start, end] : run.steps) {
    if (start > dip.certain) continue;
    longest_time = std::max(longest_time, end - start);
    longest_way = std::max(longest_way, way_of(dip.coordinates, start, end));
  }
  const double in_time = longest_time > 0.0 ? (dip.left - dip.certain) / longest_time : 1.0;
  if (dip.coordinates.empty()) return in_time;
  const double in_way = longest_way > 0.0 ? way_of(dip.coordinates, dip.certain, dip.left) / longest_way : 1.0;
  return dip.in_time ? std::max(in_time, in_way) : in_way;
}

void judge(Table& table, std::mt19937_64& random) {
  const ObstacleModel instance = random_obstacle_model(random);
  if (instance.dips.empty()) return;
  const Run result = run(instance);
  const double tolerance = 1e-13 * instance.end;
  const auto first_certain = std::min_element(instance.dips.begin(), instance.dips.end(),
                                              [](const Dip& a, const Dip& b) { return a.certain < b.certain; });
  const auto first_possible = std::min_element(instance.dips.begin(), instance.dips.end(),
                                               [](const Dip& a, const Dip& b) { return a.possible < b.possible; });
  if (!result.failure.empty()) return table.fail(result.failure);
  if (result.event && *result.event < first_possible->possible - tolerance) {
    return table.count(first_possible->family, instance.given, relative_width(*first_possible, result),
                       &Count::invented);
  }
  if (std::isinf(first_certain->certain)) {
    ++(std::isinf(first_possible->possible) ? table.quiet : table.doubtful);
    return;
  }
  const bool found = result.event && *result.event <= first_certain->certain + tolerance;
  table.count(first_certain->family, instance.given, relative_width(*first_certain, result),
              found ? &Count::found : &Count::lost);
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = fuzz::arguments("fuzz_obstacles", 1'000, 0, argc, argv);
  if (!arguments) return 2;
  Table table;
  for (long k = arguments->first; k < arguments->first + arguments->instances; ++k) {
    std::mt19937_64 random(arguments->seed * 1'000'003 + static_cast<std::uint64_t>(k));
    table.instance = k;
    try {
      judge(table, random);
    } catch (const std::exception& error) {
      table.fail(error.what());
    }
  }
  const bool hold = table.report();
  std::cout << arguments->instances << " instances from seed " << arguments->seed << (hold ? ": ok\n" : ": FAILED\n");
  return hold ? EXIT_SUCCESS : EXIT_FAILURE;
}
