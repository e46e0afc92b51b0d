// SPDX-License-Identifier: Apache-2.0
// fuzz_complementarity [instances] [seed] [first] [others]: random problems of the families lcp (dense and sparse),
// relay, mlcp and mixed, each through the family's automatic choice and `others` (2) more entries of its registry.
// A fifth is degenerate, a fifth rank-deficient, a fifth has units over 12 decades, a tenth has no solution.
//
// Fails if an answer called Solved is above the tolerance by an independent certificate, if a proof of infeasibility is
// false, if a problem without a solution is called Solved, or if automatic leaves more than a hundredth of the
// problems of a class known to be solvable without their verdict. Instance k alone: fuzz_complementarity 1 SEED k.
// Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <string_view>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp/registry.hpp>
#include <nonsmooth/numerics/relay/registry.hpp>

#include "../problems/cones.hpp"

namespace {

using namespace nonsmooth;
using problems::Boxed;
using problems::Cones;
using problems::MatrixClass;
using problems::Verdict;

constexpr double tolerance = 1e-10;
// The two certificates differ by the rounding of w in double precision: 64 eps, relative to the same scale, and by
// n eps |M||z| / |q|, which the floor bounds only where it is the scale; hence twice the tolerance.
constexpr double bound = 2.0 * tolerance;

/// How the solves of one class, or by one solver, ended.
struct Count {
  long solves = 0, solved = 0, infeasible = 0, open = 0, refused = 0, wrong = 0;
  double seconds = 0.0;
};

struct Tally {
  std::map<std::string, Count> by_class;   // automatic alone
  std::map<std::string, Count> by_solver;  // every entry
  long wrong = 0, due = 0, missed = 0;     // due: of a known class; missed: of these, automatic gave no verdict
};

/// One answer, whatever its family.
struct Answer {
  Status status = Status::NotRun;
  double residual = 0.0;     // independent
  bool false_proof = false;  // Infeasible with a proof that does not hold
  std::string message{};
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
  Judge(std::uint64_t seed, long others) : seed_(seed), others_(others) {}

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
    struct Named {
      std::string_view name;
    };
    judge(instance, Named{name}, false, [&](const Named&) { return solve(); });
  }
  void next(long index) { index_ = index; }
  /// The planted solution solves, or the generator is at fault: round-off of q, 1e-13 with the scale of the
  /// certificate.
  void check_planted(const Instance& instance, double residual) {
    if (residual <= 1e-13) return;
    ++tallies_[instance.family].wrong;
    report(instance, "the generator", "planted, does not solve", {.residual = residual});
  }
  [[nodiscard]] const std::map<std::string, Tally>& tallies() const { return tallies_; }

 private:
  template <class Entry, class Solve>
  void judge(const Instance& instance, const Entry& entry, bool automatic, Solve&& solve) {
    Tally& tally = tallies_[instance.family];
    Count count{.solves = 1};
    const auto start = std::chrono::steady_clock::now();
    Answer answer;
    bool refused = false;
    try {
      answer = solve(entry);
    } catch (const InvalidArgument& refusal) {  // a set or a symmetry that the algorithm says it does not take
      refused = true;
      answer.message = refusal.what();
    }
    count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool solved = answer.status == Status::Solved, infeasible = answer.status == Status::Infeasible;
    count.solved = solved, count.infeasible = infeasible, count.refused = refused;
    count.open = !refused && !solved && !infeasible;
    const char* what = nullptr;
    if (solved && !(answer.residual <= bound)) what = "called solved";
    if (solved && instance.verdict != Verdict::Solvable) what = "called solved, has no solution";
    if (infeasible && (instance.verdict != Verdict::Infeasible || answer.false_proof)) what = "false proof";
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
      sum.solves += count.solves, sum.solved += count.solved, sum.infeasible += count.infeasible;
      sum.open += count.open, sum.refused += count.refused, sum.wrong += count.wrong, sum.seconds += count.seconds;
    };
    if (automatic) add(tally.by_class[instance.name]);
    add(tally.by_solver[std::string(entry.name)]);
  }

  void report(const Instance& instance, std::string_view solver, const char* what, const Answer& answer) const {
    std::cout << what << ": seed " << seed_ << " instance " << index_ << " (" << instance.family << ", "
              << instance.name << ", n = " << instance.rows << ") by " << solver << ": " << answer.message
              << "; independent residual " << answer.residual << '\n';
  }

  std::uint64_t seed_;
  long others_, index_ = 0;
  std::map<std::string, Tally> tallies_;
};

template <class Result>
Answer answer_of(const Result& result, double residual, bool proof_holds) {
  return {result.status, residual, result.status == Status::Infeasible && !proof_holds, result.message()};
}

/// What an instance is made with: a fifth each degenerate and over 12 decades, a tenth without a solution.
struct Recipe {
  problems::Draw draw;
  MatrixClass kind;
  bool unsolvable;
  explicit Recipe(std::mt19937_64& random) {
    draw.n = 1 + static_cast<Index>(random() % 30);
    draw.degenerate = random() % 5 == 0 ? 0.4 : 0.0;
    draw.decades = random() % 5 == 0 ? 12.0 : 0.0;
    unsolvable = random() % 10 == 0;
    kind = static_cast<MatrixClass>(random() % problems::num_matrix_classes);
  }
};

Boxed boxed(const Recipe& recipe, bool lcp, std::mt19937_64& random) {
  Boxed result;
  if (!recipe.unsolvable) {
    result = problems::random_boxed(recipe.kind, recipe.draw, lcp, random);
  } else if (recipe.draw.n >= 2 && random() % 4 == 0) {
    result = problems::random_unsolvable(recipe.draw.n, random);
  } else {
    result = problems::random_infeasible_boxed(recipe.draw, lcp, random);
  }
  if (!recipe.unsolvable && recipe.draw.decades > 0.0) result.name += ", 12 decades";
  return result;
}

/// The hot loop's door, which starts from the last answer of the same size.
struct Warm {
  lcp::Workspace workspace;
  lcp::Result result;
};

void run_lcp(Judge& judge, bool sparse, Warm& warm, std::mt19937_64& random) {
  const Boxed instance = boxed(Recipe(random), true, random);
  const lcp::Problem problem{instance.problem.M, instance.problem.q};
  const auto answer = [&](const lcp::Result& result) {
    return answer_of(result, problems::independent_residual(instance.problem, result.z),
                     problems::independent_proof(instance.problem, result.proof));
  };
  const Instance what{sparse ? "lcp, sparse" : "lcp", instance.name, problem.q.size(), instance.verdict,
                      instance.known_class};
  if (instance.z.size() > 0) judge.check_planted(what, problems::independent_residual(instance.problem, instance.z));
  const lcp::SparseProblem thin = problems::sparse(problem);
  judge.run(what, lcp::registry(), random, [&](const lcp::Entry& entry) {
    const Limits limits{.tolerance = tolerance};
    const bool as_sparse = entry.solver.sparse() && (sparse || !entry.solver.dense());
    return answer(as_sparse ? entry.solver.solve(thin, limits) : entry.solver.solve(problem, limits));
  });
  if (sparse) return;
  judge.also(what, "workspace, warm", [&] {
    warm.workspace.solve({problem.M, problem.q}, tolerance, false, warm.result);
    return answer(warm.result);
  });
}

void run_relay(Judge& judge, std::mt19937_64& random) {
  const Boxed instance = boxed(Recipe(random), false, random);
  const Instance what{"relay", instance.name, instance.problem.q.size(), instance.verdict, instance.known_class};
  if (instance.z.size() > 0) judge.check_planted(what, problems::independent_residual(instance.problem, instance.z));
  judge.run(what, relay::registry(), random, [&](const relay::Entry& entry) {
    const relay::Result result = entry.solver.solve(instance.problem, Limits{.tolerance = tolerance});
    return answer_of(result, problems::independent_residual(instance.problem, result.z),
                     problems::independent_proof(instance.problem, result.proof));
  });
}

void run_mlcp(Judge& judge, std::mt19937_64& random) {
  const Boxed instance = boxed(Recipe(random), false, random);
  std::vector<Index> rows;
  const mlcp::Problem problem = problems::to_mlcp(instance.problem, rows);
  const Instance what{"mlcp", instance.name, instance.problem.q.size(), instance.verdict, instance.known_class};
  if (instance.z.size() > 0) judge.check_planted(what, problems::independent_residual(instance.problem, instance.z));
  judge.run(what, mlcp::registry(), random, [&](const mlcp::Entry& entry) {
    const mlcp::Result result = entry.solver.solve(problem, Limits{.tolerance = tolerance});
    Eigen::VectorXd z(problem.num_free() + problem.num_constrained()), y(result.proof.size());
    for (Index i = 0; i < z.size(); ++i) {
      const Index to = rows[static_cast<std::size_t>(i)], n = problem.num_free();
      z[to] = i < n ? result.u[i] : result.v[i - n];
      if (y.size() == z.size()) y[to] = result.proof[i];
    }
    return answer_of(result, problems::independent_residual(instance.problem, z),
                     problems::independent_proof(instance.problem, y));
  });
}

void run_mixed(Judge& judge, std::mt19937_64& random) {
  const Recipe recipe(random);
  const Index blocks = 1 + recipe.draw.n / 3;
  const bool rank_deficient = random() % 5 == 0;
  Cones cones;
  Boxed boxed;  // the planted infeasible problems, which are of rows alone
  std::string kinds = "orthants";
  if (recipe.unsolvable) {
    cones = problems::random_infeasible_cones(recipe.draw.n, boxed, random);
  } else {
    using enum SetKind;
    const std::pair<const char*, std::vector<SetKind>> choices[] = {
        {"free, orthant, box", {Free, Orthant, Box}},
        {"coulomb 2d", {Orthant, Coulomb2D}},
        {"coulomb 3d", {Free, Orthant, Coulomb3D}},
        {"second-order cone", {Box, SecondOrderCone}},
        {"plasticity", {DruckerPrager, VonMises}},
        {"every set", {Free, Orthant, Box, SecondOrderCone, Coulomb2D, Coulomb3D, DruckerPrager, VonMises}}};
    const auto& choice = choices[random() % std::size(choices)];
    kinds = choice.first;
    cones = problems::random_cones(blocks, choice.second, rank_deficient, recipe.draw.degenerate > 0.0,
                                   recipe.draw.decades, random);
    cones.name = kinds + ", " + cones.name + (recipe.draw.decades > 0.0 ? ", 12 decades" : "");
  }
  const Instance what{"mixed", cones.name, cones.problem.q.size(), cones.verdict, cones.known_class};
  if (cones.r.size() > 0) judge.check_planted(what, problems::independent_residual(cones, cones.r));
  judge.run(what, mixed::registry(), random, [&](const mixed::Entry& entry) {
    const mixed::Result result = entry.solver.solve(cones.problem, Limits{.tolerance = tolerance});
    const bool proof_holds =
        cones.verdict == Verdict::Infeasible && problems::independent_proof(boxed.problem, result.proof);
    return answer_of(result, problems::independent_residual(cones, result.r), proof_holds);
  });
}

void print(const std::string& title, const std::map<std::string, Count>& counts) {
  std::cout << title << '\n';
  for (const auto& [name, c] : counts) {
    std::cout << "  " << std::left << std::setw(52) << name << std::right << std::setw(8) << c.solves << " solves"
              << std::setw(8) << c.solved << " solved" << std::setw(7) << c.infeasible << " infeasible" << std::setw(7)
              << c.open << " open" << std::setw(6) << c.refused << " refused" << std::setw(4) << c.wrong << " wrong"
              << std::setw(9) << std::fixed << std::setprecision(2) << c.seconds << " s\n"
              << std::defaultfloat << std::setprecision(6);
  }
}

/// A whole number of at least `low`, to the last character.
std::optional<long> whole_number(std::string_view text, long low) {
  long value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size() || value < low) return std::nullopt;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const names[] = {"instances", "seed", "first", "others"};
  const long lowest[] = {1, 0, 0, 0};
  long values[] = {10'000, 1, 0, 2};
  for (int i = 1; i < argc; ++i) {
    const auto value = i <= 4 ? whole_number(argv[i], lowest[i - 1]) : std::nullopt;
    if (!value) {
      std::cerr << "fuzz_complementarity [instances] [seed] [first] [others]: found '" << argv[i] << "'";
      if (i <= 4) std::cerr << ", expected " << names[i - 1] << ", a whole number >= " << lowest[i - 1];
      std::cerr << '\n';
      return 2;
    }
    values[i - 1] = *value;
  }
  const long instances = values[0], first = values[2];
  const auto seed = static_cast<std::uint64_t>(values[1]);
  Judge judge(seed, values[3]);
  Warm warm;
  for (long k = first; k < first + instances; ++k) {
    std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(k));
    judge.next(k);
    switch (random() % 10) {
      case 0:
      case 1:
      case 2:
        run_lcp(judge, false, warm, random);
        break;
      case 3:
        run_lcp(judge, true, warm, random);
        break;
      case 4:
      case 5:
        run_relay(judge, random);
        break;
      case 6:
      case 7:
        run_mlcp(judge, random);
        break;
      default:
        run_mixed(judge, random);
        break;
    }
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
  std::cout << instances << " instances from seed " << seed << (hold ? ": ok\n" : ": FAILED\n");
  return hold ? EXIT_SUCCESS : EXIT_FAILURE;
}
