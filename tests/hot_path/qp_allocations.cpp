// SPDX-License-Identifier: Apache-2.0
// Parametric quadratic programs in DualActiveSetWorkspace call neither malloc nor its kin from the second one on.
#include <gtest/gtest.h>

#include <hot_path/allocation_guard.hpp>

#include <nonsmooth/numerics/qp.hpp>
#include <problems/lcp.hpp>
#include <problems/qp.hpp>

namespace nonsmooth {
namespace {

TEST(QpAllocations, DualActiveSetWorkspace) {
  for (const Index rank : {-1, 10, 0}) {  // strictly convex; singular and linear, by proximal points
    problems::Qp qp = problems::planted_qp({.n = 20, .m = 40, .rank = rank, .equations = 3}, 3);
    std::mt19937_64 random(7);
    std::vector<Eigen::VectorXd> changes;
    for (int k = 0; k < 10; ++k) changes.push_back(0.01 * problems::normal_matrix(random, 40, 1));
    const qp::DualActiveSet options;
    qp::DualActiveSetWorkspace workspace;
    qp::Result result;
    workspace.solve(qp.problem, options, false, result);
    const test::AllocationCount count;
    for (const Eigen::VectorXd& change : changes) {
      qp.problem.c += change.head(20);
      qp.problem.row_upper += change.cwiseAbs();
      workspace.solve(qp.problem, options, true, result);
    }
    EXPECT_EQ(count.now(), 0) << "rank " << rank;
    EXPECT_TRUE(result) << result.message();
  }
}

}  // namespace
}  // namespace nonsmooth
