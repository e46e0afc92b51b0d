// SPDX-License-Identifier: Apache-2.0
// fuzz_analysis [instances] [seed] [first]: random matrices and linear complementarity systems whose classes are known
// by construction, through analysis::classify and the functions of analysis/linear_system.hpp.
//
// Fails if a verdict is wrong, a witness shows nothing, two verdicts contradict each other, or if more than a hundredth
// of what is known by construction is left NotKnown. Instance k alone: fuzz_analysis 1 SEED k.
// Exit status: 0, 1 if it fails, 2 for an argument that cannot be used.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <nonsmooth/numerics/analysis.hpp>

#include "../problems/analysis_matrices.hpp"
#include "../problems/analysis_systems.hpp"
#include "../problems/analysis_witnesses.hpp"
#include "judge.hpp"
#include "verdict_table.hpp"

namespace {

using namespace nonsmooth;
using fuzz::Table;

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
