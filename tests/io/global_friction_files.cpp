// SPDX-License-Identifier: Apache-2.0
// Every file of the reference collection in global form, solved and certified at 1e-4 and 1e-8.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/friction/global_admm.hpp>
#include <nonsmooth/numerics/friction/global_automatic.hpp>
#include <nonsmooth/numerics/friction/global_proximal_newton.hpp>

namespace nonsmooth::friction::global_friction_files_test {
namespace {

struct File {
  std::string name;
  GlobalProblem problem;
};

/// The global problems of the collection; empty where there is none.
const std::vector<File>& global_files() {
  static const std::vector<File> files = [] {
    std::vector<File> found;
    const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
    for (const char* folder : {"friction_global", "rolling"}) {
      const std::filesystem::path path = root / "data" / folder;
      if (root.empty() || !std::filesystem::is_directory(path)) continue;
      for (const auto& entry : std::filesystem::directory_iterator(path)) {
        ProblemFile file = read_problem(entry.path());
        if (auto* problem = std::get_if<GlobalProblem>(&file.problem))
          found.push_back({entry.path().filename().string(), std::move(*problem)});
      }
    }
    return found;
  }();
  return files;
}

template <class Options>
class GlobalFiles : public testing::Test {};
using Algorithms = testing::Types<GlobalAutomatic, GlobalProximalNewton, GlobalAdmm>;
TYPED_TEST_SUITE(GlobalFiles, Algorithms);

TYPED_TEST(GlobalFiles, AreSolvedAndCertified) {
  if (global_files().empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  for (const Measure measure : {Measure::Certificate, Measure::NaturalMap})
    for (const double tolerance : {1e-4, 1e-8})
      for (const File& file : global_files()) {
        const GlobalResult result = solve(file.problem, TypeParam{.tolerance = tolerance, .measure = measure});
        ASSERT_TRUE(result) << file.name << " at " << tolerance << ": " << result.message();
        Eigen::VectorXd u(file.problem.w.size());
        double balance = 0.0;
        const Certificate certificate = certify(file.problem, result.v, result.r, u, balance);
        EXPECT_LE(balance, tolerance) << file.name;
        if (measure == Measure::Certificate) {
          EXPECT_LE(certificate.residual, tolerance) << file.name;
        } else if (file.problem.w.size() > 0) {
          EXPECT_LE(result.figures.natural_map, tolerance) << file.name;
        }
      }
}

TEST(GlobalFilesReduced, FormsHaveTheSameVelocities) {
  if (global_files().empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  for (const File& file : global_files()) {
    if (file.problem.w.size() == 0) continue;
    const GlobalResult result = solve(file.problem);
    const Problem reduced = to_reduced(file.problem);
    Eigen::VectorXd u(reduced.q.size());
    const Certificate certificate = mixed::certify(reduced, result.r, u);
    // H v + w = W r + q in exact arithmetic: each side rounds by no more than its round_off, times the condition of A's
    // blocks, below 1e4 in these files.
    EXPECT_LT((u - result.u).cwiseAbs().maxCoeff(), 1e4 * (certificate.round_off + result.certificate.round_off))
        << file.name;
  }
}

}  // namespace
}  // namespace nonsmooth::friction::global_friction_files_test
