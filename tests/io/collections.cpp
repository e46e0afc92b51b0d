// SPDX-License-Identifier: Apache-2.0
// Every file of the collections of real problems, by the automatic choice of its class.
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/lcp.hpp>
#include <nonsmooth/numerics/mixed.hpp>
#include <nonsmooth/numerics/mlcp.hpp>
#include <nonsmooth/numerics/relay.hpp>

namespace nonsmooth::collections_test {
namespace {

constexpr double kTolerance = 1e-10;  // what is asked of every file

std::vector<std::filesystem::path> files(std::initializer_list<const char*> families) {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
  for (const char* family : families) {
    const std::filesystem::path folder = root / "data" / family;
    if (root.empty() || !std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

struct Outcome {
  Status status = Status::NotRun;
  Certificate certificate;  // recomputed here
  bool proof = false;
  std::string message;
};

Outcome outcome(const AnyProblem& any) {
  return std::visit(
      [](const auto& problem) {
        using P = std::decay_t<decltype(problem)>;
        Outcome o;
        const auto take = [&o](const auto& result, const Certificate& certificate) {
          o.status = result.status;
          o.message = result.message();
          o.certificate = certificate;
        };
        if constexpr (std::is_same_v<P, mixed::Problem>) {
          const auto result = mixed::solve(problem, mixed::Automatic{.tolerance = kTolerance});
          Eigen::VectorXd u(problem.q.size());
          take(result, mixed::certify(problem, result.r, u));
        } else if constexpr (std::is_same_v<P, friction::GlobalProblem>) {
          const auto reduced = friction::to_reduced(problem);
          const auto result = mixed::solve(reduced, mixed::Automatic{.tolerance = kTolerance});
          Eigen::VectorXd u(reduced.q.size());
          take(result, mixed::certify(reduced, result.r, u));
        } else if constexpr (std::is_same_v<P, mlcp::Problem>) {
          const auto result = mlcp::solve(problem, mlcp::Automatic{.tolerance = kTolerance});
          Eigen::VectorXd w(problem.b.size());
          take(result, mlcp::certify(problem, result.u, result.v, w));
          o.proof = result.proof.size() > 0 && mlcp::proves_infeasible(problem, result.proof);
        } else if constexpr (std::is_same_v<P, relay::Problem>) {
          const auto result = relay::solve(problem, relay::Automatic{.tolerance = kTolerance});
          Eigen::VectorXd w(problem.q.size());
          take(result, relay::certify(problem, result.z, w));
        } else if constexpr (std::is_same_v<P, lcp::Problem> || std::is_same_v<P, lcp::SparseProblem>) {
          const auto result = lcp::solve(problem, lcp::Automatic{.tolerance = kTolerance});
          Eigen::VectorXd w(problem.q.size());
          take(result, lcp::certify(problem, result.z, w));
          o.proof = result.proof.size() > 0 && lcp::proves_infeasible(problem, result.proof);
        }
        return o;
      },
      any);
}

/// The field's two accuracies, on what the certificate says and on the field's own figure.
TEST(Collections, EveryFrictionFileIsSolvedByAutomatic) {
  const auto paths = files({"friction2d", "friction3d", "friction_global", "rolling"});
  if (paths.empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  for (const auto& path : paths) {
    SCOPED_TRACE(path.filename().string());
    const AnyProblem any = read_problem(path).problem;
    for (const double tolerance : {1e-4, 1e-8}) {
      if (const auto* global = std::get_if<friction::GlobalProblem>(&any)) {
        const auto result = friction::solve(*global, friction::GlobalAutomatic{.tolerance = tolerance});
        EXPECT_EQ(result.status, Status::Solved) << result.message();
        Eigen::VectorXd u(global->w.size());
        double balance = 0.0;
        EXPECT_LE(friction::certify(*global, result.v, result.r, u, balance).residual, tolerance);
        EXPECT_LE(balance, tolerance);
        continue;
      }
      const auto& problem = std::get<friction::Problem>(any);
      for (const auto measure : {friction::Measure::Certificate, friction::Measure::NaturalMap}) {
        const auto result = friction::solve(problem, friction::Automatic{.tolerance = tolerance, .measure = measure});
        EXPECT_EQ(result.status, Status::Solved) << result.message();
        Eigen::VectorXd u(problem.q.size());
        const Certificate certificate = mixed::certify(problem, result.r, u);
        EXPECT_LE(measure == friction::Measure::Certificate ? certificate.residual
                                                            : mixed::friction_figures(problem, result.r, u).natural_map,
                  tolerance);
      }
    }
  }
}

TEST(Collections, EveryFileIsSolvedByAutomatic) {
  const auto paths = files({"lcp", "mlcp", "relay", "socp", "generic", "plasticity"});
  if (paths.empty()) GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  for (const auto& path : paths) {
    const std::string name = path.parent_path().filename().string() + '/' + path.filename().string();
    SCOPED_TRACE(name);
    const Outcome o = outcome(read_problem(path).problem);
    if (o.status == Status::Infeasible) {
      EXPECT_TRUE(o.proof) << o.message;
      continue;
    }
    EXPECT_EQ(o.status, Status::Solved) << o.message;
    // The certificate is deterministic: recomputing it gives what the solver saw, up to the extended precision that
    // guards Solved where the rounding of w matters, at most the round-off of w itself.
    EXPECT_LE(o.certificate.error, kTolerance * o.certificate.scale + o.certificate.round_off / 64.0) << o.message;
  }
}

}  // namespace
}  // namespace nonsmooth::collections_test
