// SPDX-License-Identifier: Apache-2.0
// Every layout of Siconos's texts, written by hand, and the real files of the reference data.
#include <map>
#include <string>

#include "problem_files.hpp"

namespace nonsmooth::problem_files_layouts_test {
namespace {

using namespace nonsmooth::problem_files_test;

template <class Problem>
Problem read(const std::string& text) {
  return std::get<Problem>(read_problem_text(text, "f").problem);
}

const Eigen::Matrix2d expected_m{{2, 3}, {4, 5}};

TEST(SiconosLayouts, ADenseMatrixIsReadColumnByColumn) {
  const auto problem = read<lcp::Problem>("2\n0\n2\n2\n2\t2\n2 4\n3 5\n-1 +1e0\n");
  EXPECT_EQ(problem.M, expected_m);
  EXPECT_EQ(problem.q, Eigen::Vector2d(-1, 1));
}

TEST(SiconosLayouts, EveryStorageGivesTheSameMatrix) {
  const std::string q = "-1 1\n";
  EXPECT_EQ(read<lcp::Problem>("2\n1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n2 4 3 5\n" + q).M, expected_m);
  // Blocks out of order within a row, and a pointer list that ends before the last row.
  EXPECT_EQ(read<lcp::Problem>("2\n1\n2\n2\n4\n2\n2\n1 2\n1 2\n3\n4\n0 2 4\n1 0 0 1\n0\n3\n1\n2\n2\n4\n3\n5\n" + q).M,
            expected_m);
  EXPECT_EQ(read<lcp::Problem>("2\n1\n2\n2\n1\n2\n2\n1 2\n1 2\n2\n1\n0 1\n0\n0\n7\n" + q).M,
            (Eigen::MatrixXd{{7, 0}, {0, 0}}));
  const auto sparse = [&](const std::string& text) {
    return Eigen::MatrixXd(read<lcp::SparseProblem>("2\n2\n2\n2\n" + text + q).M);
  };
  EXPECT_EQ(sparse("1\nCSparse Version 3.1.9, May 4, 2016.  Copyright\ntriplet: 2-by-2, nzmax: 9 nnz: 5\n"
                   " 0 0 : 1\n 0 1 : 3\n 1 0 : 4\n 1 1 : 5\n 0 0 : 1\n"),
            expected_m);  // a duplicate is summed
  EXPECT_EQ(sparse("2\nCSparse\n2-by-2, nzmax: 4 nnz: 4, 1-norm: 8\n col 0 : locations 0 to 1\n 0 : 2\n 1 : 4\n"
                   " col 1 : locations 2 to 3\n 0 : 3\n 1 : 5\n"),
            expected_m);
  EXPECT_EQ(sparse("3\nCSparse\ncsr: 2-by-2, nzmax: 4 nnz: 4, 1-norm: 8\n row 0 : locations 0 to 1\n 0 : 2\n 1 : 3\n"
                   " row 1 : locations 2 to 3\n 0 : 4\n 1 : 5\n"),
            expected_m);
  EXPECT_EQ(sparse("4\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n 0 0 : 2\n 1 0 : 4\n"),
            (Eigen::MatrixXd{{2, 4}, {4, 0}}));
  // Empty columns have locations that end before they begin.
  EXPECT_EQ(sparse("2\nCSparse\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 4\n col 0 : locations 0 to -1\n"
                   " col 1 : locations 0 to 0\n 1 : 4\n"),
            (Eigen::MatrixXd{{0, 0}, {0, 4}}));
}

TEST(SiconosLayouts, ALargeAndMostlyEmptyBlockMatrixStaysSparse) {
  const auto text = [](int n) {
    const std::string size = std::to_string(n);
    std::string ends, zeros_to_n = "0", columns, blocks, q;
    for (int i = 0; i < n; ++i) {
      ends += std::to_string(i + 1) + ' ';
      zeros_to_n += ' ' + std::to_string(i + 1);
      columns += std::to_string(i) + ' ';
      blocks += std::to_string(i) + "\n2\n";
      q += "-1 ";
    }
    return size + "\n1\n" + size + '\n' + size + '\n' + size + '\n' + size + '\n' + size + '\n' + ends + '\n' + ends +
           '\n' + std::to_string(n + 1) + '\n' + size + '\n' + zeros_to_n + '\n' + columns + '\n' + blocks + q;
  };
  EXPECT_EQ(read<lcp::Problem>(text(1000)).M.rows(), 1000);
  EXPECT_EQ(read<lcp::SparseProblem>(text(1001)).M.nonZeros(), 1001);
}

TEST(SiconosLayouts, AnMlcpComesInOneMatrixInFourOrInBoth) {
  const auto expect = [](const mlcp::Problem& problem) {
    EXPECT_EQ(problem.A, Eigen::MatrixXd::Constant(1, 1, 1.0));
    EXPECT_EQ(problem.B, (Eigen::MatrixXd{{4, 5}, {7, 8}}));
    EXPECT_EQ(problem.C, (Eigen::MatrixXd{{2, 3}}));
    EXPECT_EQ(problem.D, (Eigen::MatrixXd{{6}, {9}}));
    EXPECT_EQ(problem.a, Eigen::VectorXd::Constant(1, -1.0));
    EXPECT_EQ(problem.b, Eigen::Vector2d(-2, -3));
  };
  const std::string one = "0\n3\n3\n3 3\n1 6 9\n2 4 7\n3 5 8\n-1 -2 -3\n";
  const std::string four = "1\n4 5\n7 8\n2 3\n6\n9\n-1\n-2 -3\n";
  expect(read<mlcp::Problem>("1\n0\n1\n2\n0 1 3\n0 1\n" + one));
  expect(read<mlcp::Problem>("0\n1\n1\n2\n" + four));
  expect(read<mlcp::Problem>("1\n1\n1\n2\n0 1 3\n0 1\n" + one + four));
  expect(read<mlcp::Problem>("1 2 3\n" + four));                  // before there were storages
  expect(read<mlcp::Problem>("1 2 3\n" + four + "0.5 0 1 2 0"));  // and with a solution appended: u, v, w
  expect(read<mlcp::Problem>("1\n1\n1\n2\n0 1 3\n0 1\n" + one + four + "0.5 0 1 2"));  // or all of it but the end
  // Interleaved: rows and columns 0 and 2 constrained, 1 free.
  const auto permuted =
      read<mlcp::Problem>("1\n0\n1\n2\n0 1 2 3\n1 0 1\n0\n3\n3\n3 3\n4 2 7\n6 1 9\n5 3 8\n-2 -1 -3\n");
  EXPECT_EQ(permuted.A(0, 0), 1.0);
  EXPECT_EQ(permuted.B, (Eigen::MatrixXd{{4, 5}, {7, 8}}));
  EXPECT_EQ(permuted.C, (Eigen::MatrixXd{{2, 3}}));
  EXPECT_EQ(permuted.D, (Eigen::MatrixXd{{6}, {9}}));
  EXPECT_EQ(permuted.a[0], -1.0);
  EXPECT_EQ(permuted.b, Eigen::Vector2d(-2, -3));
}

TEST(SiconosLayouts, ARectangularMlcpMayHaveAShortQ) {
  // Siconos writes q with n + m numbers although M has more rows; the rest of b is in the second storage.
  const auto problem =
      read<mlcp::Problem>("1\n1\n1\n1\n0 1 2\n0 1\n0\n3\n2\n3 2\n1 -1 1\n-1 -1 1\n0 7\n1\n1\n-1\n1\n0\n-5\n");
  EXPECT_EQ(problem.A, (Eigen::MatrixXd{{1}, {-1}}));
  EXPECT_EQ(problem.C, (Eigen::MatrixXd{{-1}, {-1}}));
  EXPECT_EQ(problem.a, Eigen::Vector2d(0, 7));
  EXPECT_EQ(problem.b, Eigen::VectorXd::Constant(1, -5.0));
}

TEST(SiconosLayouts, ConesAndFrictionMatchTheirBlocks) {
  // A sparse W whose entries lie in the blocks (0, 0), (1, 1) and (1, 0).
  const std::string W = "2\n6\n6\n1\nCSparse\ntriplet: 6-by-6, nzmax: 3 nnz: 3\n 0 2 : 7\n 3 3 : 8\n 4 1 : 9\n";
  const auto friction = read<mixed::Problem>("3\n2\n" + W + "1 2 3 4 5 6\n0.5 0\n1\n");
  EXPECT_EQ(friction.W.num_blocks(), 3);
  EXPECT_EQ(friction.W.uniform_size(), 3);
  EXPECT_EQ(friction.W.to_dense()(0, 2), 7.0);
  EXPECT_EQ(friction.W.to_dense()(3, 3), 8.0);
  EXPECT_EQ(friction.W.to_dense()(4, 1), 9.0);
  EXPECT_EQ(friction.K[0], (BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5}));
  const auto cones = read<mixed::Problem>("6\n2\n" + W + "1 2 3 4 5 6\n0 2 6\n0.5 1\n");
  EXPECT_EQ(cones.W.size(1), 4);
  EXPECT_EQ(cones.W.to_dense()(0, 2), 7.0);
  EXPECT_EQ(cones.K[1], (BlockSet{.kind = SetKind::SecondOrderCone, .mu = 1.0}));
}

TEST(SiconosLayouts, PlasticityHasTwoModelsAndAnOldForm) {
  const std::string rest = "0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n";
  EXPECT_EQ(read<mixed::Problem>("3\n1\n1\n" + rest + "0.5\n0.25\n").K[0],
            (BlockSet{.kind = SetKind::DruckerPrager, .mu = 0.5, .lift = 0.25}));
  EXPECT_EQ(read<mixed::Problem>("3\n1\n2\n" + rest + "0.5\n").K[0],
            (BlockSet{.kind = SetKind::VonMises, .radius = 0.5}));
  EXPECT_EQ(read<mixed::Problem>("3\n1\n" + rest + "0.5\n0.25\n").K[0],
            (BlockSet{.kind = SetKind::DruckerPrager, .mu = 0.5, .lift = 0.25}));
  // The flag that ends older files of friction is no lift.
  EXPECT_EQ(read<mixed::Problem>("3\n1\n" + rest + "0.5\n1\n").K[0], (BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.5}));
}

TEST(SiconosLayouts, AGenericProblemHasALawForEachBlock) {
  const auto problem = read<mixed::Problem>(
      "1\n6\n6\n4\n4\n4\n1 2 3 6\n1 2 3 6\n5\n4\n0 1 2 3 4\n0 1 2 3\n0\n1\n1\n1\n2\n1\n3\n1 0 0 0 1 0 0 0 1\n"
      "-1 -2 0.5 -1 0 0\n0\n2\n9\n4\n0.3\n");
  EXPECT_EQ(problem.K[0], (BlockSet{.kind = SetKind::Orthant}));
  EXPECT_EQ(problem.K[1], (BlockSet{.kind = SetKind::Free}));
  EXPECT_EQ(problem.K[2], (BlockSet{.kind = SetKind::Box, .lower = -1.0, .upper = 1.0}));
  EXPECT_EQ(problem.K[3], (BlockSet{.kind = SetKind::Coulomb3D, .mu = 0.3}));
}

TEST(SiconosLayouts, EveryRealFileHasItsClassAndSize) {
  const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
  if (root.empty() || !std::filesystem::is_directory(root / "data"))
    GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  const std::map<std::string, ProblemClass> folders = {{"lcp", ProblemClass::Lcp},
                                                       {"mlcp", ProblemClass::Mlcp},
                                                       {"relay", ProblemClass::Relay},
                                                       {"socp", ProblemClass::SocLcp},
                                                       {"generic", ProblemClass::Mixed},
                                                       {"plasticity", ProblemClass::Plasticity},
                                                       {"friction2d", ProblemClass::Friction},
                                                       {"friction3d", ProblemClass::Friction},
                                                       {"friction_global", ProblemClass::GlobalFriction},
                                                       {"rolling", ProblemClass::RollingFriction}};
  // Files that are of another class than their folder.
  const std::map<std::string, ProblemClass> others = {
      {"socp/Example1_Fc3D_SBM.dat", ProblemClass::Friction},
      {"generic/Example1_Fc3D_SBM.dat", ProblemClass::Friction},
      {"generic/GMP4.dat", ProblemClass::Friction},
      {"rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat", ProblemClass::GlobalRollingFriction},
      {"rolling/Chute-ndof-768-nc-4-3.hdf5", ProblemClass::GlobalRollingFriction}};
  const std::map<std::string, Index> rows = {{"lcp/lcp_CPS_1.dat", 2},
                                             {"lcp/lcp_obst2d_32x32.dat", 1024},
                                             {"lcp/lcp_trivial_block.dat", 9},
                                             {"mlcp/deltasigma_mlcp.dat", 221},
                                             {"mlcp/Rectangular_mlcp.dat", 3},
                                             {"relay/step_1x1.dat", 1},
                                             {"socp/Capsules-i122-1617.dat", 888},
                                             {"generic/GMP1.dat", 15},
                                             {"plasticity/plasticity_2d_footing_10.dat", 30},
                                             {"friction2d/fc2d_granularflowonwall_02020_00213.dat", 4040},
                                             {"friction3d/KaplasTower-i1061-4.hdf5.dat", 1710},
                                             {"friction3d/FrictionContact3D_1c.dat", 3},
                                             {"friction_global/gfc2d_granularflowonwall_00000_00117.dat", 900},
                                             {"rolling/rockfall_14_25792.dat", 70}};
  std::size_t sizes_seen = 0;
  for (const auto& [folder, problem_class] : folders) {
    if (!std::filesystem::is_directory(root / "data" / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(root / "data" / folder)) {
      const std::string name = folder + "/" + entry.path().filename().string();
      SCOPED_TRACE(name);
      const ProblemFile file = read_problem(entry.path());
      const auto other = others.find(name);
      EXPECT_EQ(to_string(class_of(file.problem)), to_string(other == others.end() ? problem_class : other->second));
      std::visit([](const auto& problem) { EXPECT_NO_THROW(problem.validate()); }, file.problem);
      if (const auto size = rows.find(name); size != rows.end()) {
        EXPECT_EQ(num_rows_of(file.problem), size->second);
        ++sizes_seen;
      }
    }
  }
  EXPECT_EQ(sizes_seen, rows.size());
}

// M v = q + H r, u = H^T v + b  in the file; A v = f + H^T r, u = H v + w  here.
TEST(SiconosLayouts, AGlobalFormHasItsMatrixHTurnedOver) {
  const auto problem = read<friction::GlobalProblem>(
      "2\n1\n0\n3\n3\n3 3\n1 0 0 0 2 0 0 0 4\n0\n3\n2\n3 2\n1 2 3 4 5 6\n7 8 9\n10 11\n0.5\n1\n");
  EXPECT_EQ(problem.H.toDense(), (Eigen::MatrixXd{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(problem.A.diagonal().eval(), Eigen::Vector3d(1, 2, 4));
  EXPECT_EQ(problem.f, Eigen::Vector3d(7, 8, 9));
  EXPECT_EQ(problem.w, Eigen::Vector2d(10, 11));
  EXPECT_EQ(problem.K[0], (BlockSet{.kind = SetKind::Coulomb2D, .mu = 0.5}));
}

TEST(SiconosLayouts, RollingFrictionHasTwoCoefficientsAContact) {
  const auto problem = read<mixed::Problem>(
      "5\n1\n0\n5\n5\n5 5\n1 0 0 0 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 1 0\n0 0 0 0 1\n-1 0 0 0 0\n0.3\n0.1\n");
  EXPECT_EQ(problem.K[0], (BlockSet{.kind = SetKind::Rolling, .mu = 0.3, .rolling = 0.1}));
}

TEST(SiconosLayouts, ARemarkIsTheTitle) {
  const std::filesystem::path root(NONSMOOTH_REFERENCE_DATA);
  if (root.empty() || !std::filesystem::is_directory(root / "data"))
    GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  EXPECT_EQ(read_problem(root / "data/lcp/lcp_CPS_1.dat").title,
            "Remark 4.1.14 CPS 2009\nset of solution is z_1 + z_2 = 1");
  EXPECT_EQ(read_problem(root / "data/lcp/lcp_exp_murty.dat").title, "from Murty (1988) chapter 6");
}

}  // namespace
}  // namespace nonsmooth::problem_files_layouts_test
