// SPDX-License-Identifier: Apache-2.0
// lcp_fuzz [instances] [seed]: random problems through every solver; fails if any answer called Solved is above the
// tolerance by an independent certificate, if a proof of infeasibility meets a solvable problem, or if the automatic
// choice leaves more than a hundredth of the problems of a known class without their verdict.
#include <cstdlib>
#include <iostream>

#include <nonsmooth/numerics/lcp.hpp>

#include "../problems/lcp.hpp"

int main(int argc, char** argv) {
  using namespace nonsmooth;
  const long instances = argc > 1 ? std::atol(argv[1]) : 10'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  constexpr double tolerance = 1e-10;
  // The two certificates differ by the rounding of w in double precision: 64 eps, relative to the same scale, and by
  // n eps |M||z| / |q|, which the floor bounds only where it is the scale; hence twice the tolerance.
  constexpr double bound = 2.0 * tolerance;
  long wrong = 0;
  long without_verdict = 0;
  lcp::Workspace workspace;
  lcp::Result warm;
  for (long k = 0; k < instances; ++k) {
    std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(k));
    const Index n = 1 + static_cast<Index>(random() % 12);
    const std::uint64_t own = random();
    problems::Lcp lcp;
    switch (random() % 10) {  // a fifth degenerate, a fifth rank-deficient, a tenth unsolvable, some of no class
      case 0:
        lcp = problems::random_spd(n, own, 0.4);
        break;
      case 1:
        lcp = problems::random_p(n, own, 0.4);
        break;
      case 2:
      case 3:
        lcp = problems::random_psd(n, own);
        break;
      case 4:
        lcp = problems::random_infeasible(n, own);
        break;
      case 5:
        lcp = problems::rescaled(problems::random_spd(n, own), own, 12.0);
        break;
      case 6:
        lcp.name = "any";
        lcp.problem.M = problems::normal_matrix(random, n, n);
        problems::plant(lcp, random, 0.2);
        break;
      case 7:
        lcp = problems::random_spd(n, own);
        break;
      default:
        lcp = problems::random_p(n, own);
        break;
    }
    const auto judge = [&](const lcp::Result& result, std::string_view solver) {
      const bool false_solution = result.status == Status::Solved &&
                                  !(problems::independent_residual(lcp.problem.M, lcp.problem.q, result.z) <= bound);
      const bool false_proof = result.status == Status::Infeasible && lcp.verdict == problems::Verdict::Solvable;
      if (!false_solution && !false_proof) return;
      ++wrong;
      std::cout << "instance " << k << " (" << lcp.name << ", n = " << n << "), " << solver << ": " << result.message()
                << ", independent residual " << problems::independent_residual(lcp.problem.M, lcp.problem.q, result.z)
                << '\n';
    };
    for (const lcp::Entry& entry : lcp::registry()) {
      if (entry.name == "enumeration" && n > 6) continue;
      const lcp::Result result = entry.solver.solve(lcp.problem, tolerance);
      judge(result, entry.name);
      if (entry.name == "automatic" && lcp.name != "any" && result.status != Status::Solved &&
          result.status != Status::Infeasible) {
        ++without_verdict;
        std::cout << "no verdict: instance " << k << " (" << lcp.name << ", n = " << n << "): " << result.message()
                  << '\n';
      }
    }
    workspace.solve({lcp.problem.M, lcp.problem.q}, tolerance, false, warm);
    judge(warm, "workspace");
  }
  std::cout << instances << " instances, " << wrong << " wrong, " << without_verdict << " without verdict\n";
  return wrong == 0 && without_verdict * 100 <= instances ? EXIT_SUCCESS : EXIT_FAILURE;
}
