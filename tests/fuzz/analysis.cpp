// SPDX-License-Identifier: Apache-2.0
// fuzz_analysis [instances] [seed] [first]: random matrices and linear complementarity systems whose classes are known
// by construction, through analysis::classify and the functions of analysis/linear_system.hpp.
//
// Fails if a verdict is wrong, a witness shows nothing, two verdicts contradict each other, or if more than a hundredth
// of what is known by construction is left NotKnown. Instance k alone: fuzz_analysis 1 SEED k.
// Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/analysis.hpp>

#include "../problems/analysis_matrices.hpp"
#include "../problems/analysis_systems.hpp"
#include "../problems/analysis_witnesses.hpp"
#include "judge.hpp"

namespace {

using namespace nonsmooth;

/// Verdicts on one property of one family.
struct Line {
  long holds = 0, fails = 0, not_known = 0, wrong = 0;
};

class Table {
 public:
  void start(long instance) { instance_ = instance; }

  void count(const std::string& family, const std::string& property, analysis::Verdict verdict, bool expected) {
    Line& line = lines_[family + ": " + property];
    ++due_;
    if (verdict == analysis::Verdict::NotKnown) {
      ++line.not_known;
      if (++missed_ <= 10)
        std::cout << "instance " << instance_ << ", " << family << ": " << property << ", not known\n";
      return;
    }
    ++(verdict == analysis::Verdict::Holds ? line.holds : line.fails);
    if ((verdict == analysis::Verdict::Holds) != expected) complain(line, family, property + ", wrong verdict");
  }

  /// `what` is empty where nothing is wrong.
  void check(const std::string& family, const std::string& what) {
    if (!what.empty()) complain(lines_[family + ": " + what], family, what);
  }

  [[nodiscard]] bool report() const {
    for (const auto& [name, line] : lines_) {
      std::cout << "  " << std::left << std::setw(72) << name << std::right << std::setw(8) << line.holds << " hold"
                << std::setw(8) << line.fails << " fail" << std::setw(6) << line.not_known << " not known"
                << std::setw(4) << line.wrong << " wrong\n";
    }
    const bool enough = missed_ * 100 <= due_;
    std::cout << wrong_ << " wrong, " << missed_ << " of " << due_ << " not known" << (enough ? "\n" : ": TOO MANY\n");
    return wrong_ == 0 && enough;
  }

 private:
  void complain(Line& line, const std::string& family, const std::string& what) {
    ++line.wrong;
    if (++wrong_ <= 20) std::cout << "instance " << instance_ << ", " << family << ": " << what << '\n';
  }

  std::map<std::string, Line> lines_;
  long instance_ = 0, due_ = 0, missed_ = 0, wrong_ = 0;
};

/// A verdict on all matrices within an error must not be refuted by one of them, whose entries are rounded as well.
std::string refuted(const Eigen::MatrixXd& M, const std::vector<problems::KnownClass>& known, std::mt19937_64& random) {
  const double share = std::pow(10.0, -static_cast<double>(random() % 16));
  const analysis::MatrixOptions options{.entry_error = share * M.cwiseAbs()};
  const analysis::MatrixClasses all = analysis::classify(M, options);
  std::uniform_real_distribution<double> inside(-0.8, 0.8);
  const Eigen::MatrixXd other = M + M.unaryExpr([&](double entry) { return inside(random) * share * std::abs(entry); });
  const analysis::MatrixClasses one = analysis::classify(other);
  for (const problems::KnownClass& c : known) {
    if (c.name == "singular") continue;  // to round-off, so of one matrix
    const analysis::Verdict of_all = (all.*c.member).verdict, of_one = (one.*c.member).verdict;
    if (of_all != analysis::Verdict::NotKnown && of_one != analysis::Verdict::NotKnown && of_all != of_one)
      return c.name;
  }
  return {};
}

void run_matrix(Table& table, std::mt19937_64& random) {
  const auto family = static_cast<int>(random() % problems::num_matrix_families);
  const problems::ClassifiedMatrix instance = problems::random_classified_matrix(family, random);
  const analysis::MatrixClasses classes = analysis::classify(instance.M);
  for (const problems::KnownClass& known : instance.known) {
    table.count(instance.name, known.name, (classes.*known.member).verdict, known.holds);
  }
  const std::string witness = problems::false_witness(instance.M, classes), clash = problems::contradiction(classes);
  table.check(instance.name, witness.empty() ? witness : "false witness, " + witness);
  if (random() % 4 == 0) {
    const std::string name = refuted(instance.M, instance.known, random);
    table.check(instance.name, name.empty() ? name : "refuted within entry_error, " + name);
  }
  table.check(instance.name, clash.empty() ? clash : "contradiction, " + clash);
}

void run_system(Table& table, std::mt19937_64& random) {
  const auto family = static_cast<int>(random() % problems::num_system_families);
  const problems::ClassifiedSystem instance = problems::random_classified_system(family, random);
  for (const problems::SystemVerdict& verdict : problems::judge_system(instance)) {
    table.count(instance.name, verdict.name, verdict.found, verdict.holds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = fuzz::arguments("fuzz_analysis", 2'000, 0, argc, argv);
  if (!arguments) return 2;
  Table table;
  for (long k = arguments->first; k < arguments->first + arguments->instances; ++k) {
    std::mt19937_64 random(arguments->seed * 1'000'003 + static_cast<std::uint64_t>(k));
    table.start(k);
    if (random() % 2 == 0) {
      run_matrix(table, random);
    } else {
      run_system(table, random);
    }
  }
  const bool hold = table.report();
  std::cout << arguments->instances << " instances from seed " << arguments->seed << (hold ? ": ok\n" : ": FAILED\n");
  return hold ? EXIT_SUCCESS : EXIT_FAILURE;
}
