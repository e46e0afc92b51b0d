// SPDX-License-Identifier: Apache-2.0
// Sparse mixed problems: certificates beside the dense ones', and a circuit too large for a dense matrix.

#include <gtest/gtest.h>

#include <nonsmooth/numerics/error.hpp>
#include <nonsmooth/numerics/mlcp.hpp>

#include <problems/mlcp.hpp>

namespace nonsmooth::mlcp_sparse_test {
namespace {

/// A ladder of n resistors of 1 ohm, at whose nodes ideal diodes to ground hang, fed by a current I into node 1 and out
/// of node n: node potentials u, diode currents v >= 0 from ground, w = u >= 0. Kirchhoff: G u = v + I (e_1 - e_n), G
/// the ladder's conductances with 1e-3 S to ground at each node. At the source u > 0; near the sink diodes conduct.
mlcp::SparseProblem diode_ladder(Index n, double current) {
  std::vector<Eigen::Triplet<double>> G;
  for (Index i = 0; i < n; ++i) {
    const int k = static_cast<int>(i);
    G.emplace_back(k, k, 1e-3 + (i > 0 ? 1.0 : 0.0) + (i + 1 < n ? 1.0 : 0.0));
    if (i > 0) G.emplace_back(k, k - 1, -1.0);
    if (i + 1 < n) G.emplace_back(k, k + 1, -1.0);
  }
  mlcp::SparseProblem problem;
  problem.A.resize(n, n);
  problem.A.setFromTriplets(G.begin(), G.end());
  problem.C.resize(n, n);
  problem.C.setIdentity();
  problem.C *= -1.0;
  problem.D.resize(n, n);
  problem.D.setIdentity();
  problem.B.resize(n, n);
  problem.a = Eigen::VectorXd::Zero(n);
  problem.a[0] = -current;
  problem.a[n - 1] = current;
  problem.b = Eigen::VectorXd::Zero(n);
  return problem;
}

TEST(MlcpSparse, CertificateIsThatOfTheDenseProblem) {
  const mlcp::SparseProblem sparse = diode_ladder(6, 1.0);
  const mlcp::Problem dense{Eigen::MatrixXd(sparse.A),
                            Eigen::MatrixXd(sparse.B),
                            Eigen::MatrixXd(sparse.C),
                            Eigen::MatrixXd(sparse.D),
                            sparse.a,
                            sparse.b};
  const Eigen::VectorXd u = Eigen::VectorXd::LinSpaced(6, 1.0, -0.5), v = Eigen::VectorXd::LinSpaced(6, -0.2, 0.6);
  Eigen::VectorXd w(6), w_dense(6);
  const Certificate one = certify(sparse, u, v, w), other = certify(dense, u, v, w_dense);
  EXPECT_NEAR(one.error, other.error, 1e-15);  // sums of four terms of size 1
  EXPECT_NEAR(one.scale, other.scale, 1e-15);
  EXPECT_EQ(one.worst_row, other.worst_row);
  EXPECT_EQ(w, w_dense);
}

TEST(MlcpSparse, LadderOfDiodes) {
  // The current leaves through the ladder's conductances to ground where u > 0, and comes from the diodes where u = 0:
  // all diodes together give what the sink takes less what reaches it. With I = 1: sum v = 1 + 1e-3 sum u - 1.
  for (const Index n : {10, 100, 1000}) {
    const mlcp::SparseProblem problem = diode_ladder(n, 1.0);
    const mlcp::Result result = solve(problem, mlcp::Automatic{});
    ASSERT_TRUE(result.ok()) << n << ": " << result.message();
    // Kirchhoff's law of all nodes, each to 1e-10 of a current of 1.
    EXPECT_NEAR(result.v.sum(), 1e-3 * result.u.sum(), 1e-10 * static_cast<double>(n)) << n;
    EXPECT_GT(result.v[n - 1], 0.0) << "the diode at the sink conducts";
    EXPECT_GT(result.u[0], 0.0) << "the one at the source blocks";
    EXPECT_EQ(result.v[0], 0.0);
  }
}

TEST(MlcpSparse, AlgorithmsWithoutThisStorageSaySo) {
  const mlcp::SparseProblem problem = diode_ladder(3, 1.0);
  for (const char* name : {"active set", "elimination", "enumeration"}) {
    try {
      (void)mlcp::find(name).solver.solve(problem);
      FAIL() << name;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("sparse"), std::string::npos) << error.what();
    }
  }
}

TEST(MlcpSparse, ShapesAreNamed) {
  mlcp::SparseProblem problem = diode_ladder(3, 1.0);
  problem.C.resize(3, 2);
  try {
    problem.validate();
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("mlcp::Problem::C"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace nonsmooth::mlcp_sparse_test
