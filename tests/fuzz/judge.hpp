// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzzers of families of problems share: drawn instances go through a family's automatic choice and some more
// entries of its registry, and every verdict is judged by other code.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/status.hpp>

#include "../problems/law_distance.hpp"
#include "../problems/lcp.hpp"

namespace nonsmooth::fuzz {

using problems::Verdict;

/// How the solves of one class, or by one solver, ended.
struct Count {
  long solves = 0, solved = 0, at_round_off = 0, infeasible = 0, open = 0, refused = 0, wrong = 0;
  double seconds = 0.0;  // of CPU time
};

struct Tally {
  std::map<std::string, Count> by_class;   // automatic alone
  std::map<std::string, Count> by_solver;  // every entry
  long wrong = 0, due = 0, missed = 0;     // due: of a known class; missed: of these, automatic gave no verdict
};

/// One answer, whatever its family.
struct Answer {
  Status status = Status::NotRun;
  problems::Worth worth{};   // independent
  bool false_proof = false;  // Infeasible with a proof that does not hold
  std::string message{};
  bool at_round_off = false;
};

struct Instance {
  std::string family, name;
  Index rows;
  Verdict verdict;
  bool known_class;
};

/// The largest problem an entry takes; 0: any.
template <class Entry>
Index largest(const Entry& entry) {
  if constexpr (requires { entry.max_rows; }) return entry.max_rows;
  return 0;
}

class Judge {
 public:
  /// `others` of the registry beside automatic; answers are to have a residual of `tolerance`.
  Judge(std::uint64_t seed, long others, double tolerance) : seed_(seed), others_(others), tolerance_(tolerance) {}

  /// Runs automatic and `others` drawn entries of `registry`; solve(entry) gives an Answer.
  template <class Registry, class Solve>
  void run(const Instance& instance, const Registry& registry, std::mt19937_64& random, Solve&& solve) {
    judge(instance, registry.front(), true, solve);
    for (long k = 0; k < others_ && registry.size() > 1; ++k) {
      const auto& entry = registry[1 + random() % (registry.size() - 1)];
      if (largest(entry) > 0 && instance.rows > largest(entry)) continue;
      if (entry.name == "enumeration" && instance.rows > 8) continue;  // 2^n bases
      judge(instance, entry, false, solve);
    }
  }
  /// One more solver, outside the registry.
  template <class Solve>
  void also(const Instance& instance, std::string_view name, Solve&& solve) {
    judge(instance, Named{name}, false, [&](const Named&) { return solve(); });
  }
  /// The only solver of an instance.
  template <class Solve>
  void one(const Instance& instance, std::string_view name, Solve&& solve) {
    judge(instance, Named{name}, true, [&](const Named&) { return solve(); });
  }
  void next(long index) { index_ = index; }
  [[nodiscard]] long index() const { return index_; }
  /// The planted solution solves, or the generator is at fault: round-off of q and of the products in it.
  void check_planted(const Instance& instance, const problems::Worth& worth) {
    if (worth.residual <= 1e-13 || worth.rows <= 1e-13) return;
    ++tallies_[instance.family].wrong;
    report(instance, "the generator", "planted, does not solve", {.worth = worth});
  }
  void check_planted_proof(const Instance& instance, bool holds) {
    if (holds) return;
    ++tallies_[instance.family].wrong;
    report(instance, "the generator", "planted proof, does not hold", {});
  }
  [[nodiscard]] const std::map<std::string, Tally>& tallies() const { return tallies_; }

 private:
  struct Named {
    std::string_view name;
  };

  template <class Entry, class Solve>
  void judge(const Instance& instance, const Entry& entry, bool automatic, Solve&& solve) {
    Tally& tally = tallies_[instance.family];
    Count count{.solves = 1};
    const std::clock_t start = std::clock();
    Answer answer;
    bool refused = false;
    try {
      answer = solve(entry);
    } catch (const InvalidArgument& refusal) {  // a set or a symmetry that the algorithm says it does not take
      refused = true;
      answer.message = refusal.what();
    }
    count.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const bool solved = answer.status == Status::Solved, infeasible = answer.status == Status::Infeasible;
    count.solved = solved, count.infeasible = infeasible, count.refused = refused;
    count.at_round_off = solved && answer.at_round_off;
    count.open = !refused && !solved && !infeasible;
    const char* what = nullptr;
    const bool known = instance.verdict != Verdict::Unknown;
    if (solved && !problems::keeps_promise(answer.worth, tolerance_)) what = "called solved";
    if (solved && known && instance.verdict != Verdict::Solvable) what = "called solved, has no solution";
    if (infeasible && ((known && instance.verdict != Verdict::Infeasible) || answer.false_proof)) what = "false proof";
    if (what != nullptr) {
      count.wrong = 1;
      ++tally.wrong;
      report(instance, entry.name, what, answer);
    }
    if (automatic && instance.known_class) {
      ++tally.due;
      if (!solved && !infeasible) {
        ++tally.missed;
        report(instance, entry.name, "no verdict", answer);
      }
    }
    const auto add = [&count](Count& sum) {
      sum.solves += count.solves, sum.solved += count.solved, sum.at_round_off += count.at_round_off;
      sum.infeasible += count.infeasible;
      sum.open += count.open, sum.refused += count.refused, sum.wrong += count.wrong, sum.seconds += count.seconds;
    };
    if (automatic) add(tally.by_class[instance.name]);
    add(tally.by_solver[std::string(entry.name)]);
  }

  void report(const Instance& instance, std::string_view solver, const char* what, const Answer& answer) const {
    std::cout << what << ": seed " << seed_ << " instance " << index_ << " (" << instance.family << ", "
              << instance.name << ", n = " << instance.rows << ") by " << solver << ": " << answer.message
              << "; independent residual " << answer.worth.residual << ", of its rows " << answer.worth.rows
              << ", growth " << answer.worth.growth << '\n';
  }

  std::uint64_t seed_;
  long others_, index_ = 0;
  double tolerance_;
  std::map<std::string, Tally> tallies_;
};

template <class Result>
[[nodiscard]] Answer answer_of(const Result& result, const problems::Worth& worth, bool proof_holds) {
  return {result.status, worth, result.status == Status::Infeasible && !proof_holds, result.message(),
          result.at_round_off};
}

inline void print(const std::string& title, const std::map<std::string, Count>& counts) {
  std::cout << title << '\n';
  for (const auto& [name, c] : counts) {
    std::cout << "  " << std::left << std::setw(52) << name << std::right << std::setw(8) << c.solves << " solves"
              << std::setw(8) << c.solved << " solved" << std::setw(5) << c.at_round_off << " of them at round-off"
              << std::setw(7) << c.infeasible << " infeasible" << std::setw(7) << c.open << " open" << std::setw(6)
              << c.refused << " refused" << std::setw(4) << c.wrong << " wrong" << std::setw(9) << std::fixed
              << std::setprecision(2) << c.seconds << " s\n"
              << std::defaultfloat << std::setprecision(6);
  }
}

/// A whole number of at least `low`, to the last character.
inline std::optional<long> whole_number(std::string_view text, long low) {
  long value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < low) return std::nullopt;
  return value;
}

/// [instances] [seed] [first] [others] of a command line.
struct Arguments {
  long instances, first, others;
  std::uint64_t seed;
};

/// Empty, and the reason on the standard error, for one that cannot be used.
inline std::optional<Arguments> arguments(const char* program, long instances, long others, int argc, char** argv) {
  const char* const names[] = {"instances", "seed", "first", "others"};
  const long lowest[] = {1, 0, 0, 0};
  long values[] = {instances, 1, 0, others};
  for (int i = 1; i < argc; ++i) {
    const auto value = i <= 4 ? whole_number(argv[i], lowest[i - 1]) : std::nullopt;
    if (!value) {
      std::cerr << program << " [instances] [seed] [first] [others]: found '" << argv[i] << "'";
      if (i <= 4) std::cerr << ", expected " << names[i - 1] << ", a whole number >= " << lowest[i - 1];
      std::cerr << '\n';
      return std::nullopt;
    }
    values[i - 1] = *value;
  }
  return Arguments{values[0], values[2], values[3], static_cast<std::uint64_t>(values[1])};
}

/// draw_and_run(judge, random) for each instance, then the tables; exit status 0, or 1 where an answer is wrong or a
/// family leaves more than a hundredth of the problems of known classes without verdict.
template <class DrawAndRun>
int fuzz(const Arguments& arguments, double tolerance, const DrawAndRun& draw_and_run) {
  Judge judge(arguments.seed, arguments.others, tolerance);
  for (long k = arguments.first; k < arguments.first + arguments.instances; ++k) {
    std::mt19937_64 random(arguments.seed * 1'000'003 + static_cast<std::uint64_t>(k));
    judge.next(k);
    draw_and_run(judge, random);
  }
  bool hold = true;
  for (const auto& [family, tally] : judge.tallies()) {
    print(family + ", automatic by class", tally.by_class);
    print(family + ", by solver", tally.by_solver);
    const bool enough = tally.missed * 100 <= tally.due;
    hold = hold && tally.wrong == 0 && enough;
    std::cout << family << ": " << tally.wrong << " wrong, " << tally.missed << " of " << tally.due
              << " of known classes without verdict" << (enough ? "\n\n" : ": TOO MANY\n\n");
  }
  std::cout << arguments.instances << " instances from seed " << arguments.seed << (hold ? ": ok\n" : ": FAILED\n");
  return hold ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace nonsmooth::fuzz
