// SPDX-License-Identifier: Apache-2.0
// Quasi-variational inequalities through the command: planted ones are solved from their files, with the certificate
// recomputed from what was written; that there is no solution is proven.
#include <cmath>

#include <gtest/gtest.h>

#include <catalogue.hpp>
#include <nonsmooth/numerics/vi/quasi_registry.hpp>

#include "helpers.hpp"

namespace nonsmooth::command_test::quasi_test {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

/// Numbers of the rows of a file of --solution whose lines begin with `kind`, in this column.
VectorXd column(const std::string& csv, std::string_view kind, int index) {
  std::vector<double> all;
  for (const std::string& row : lines(csv)) {
    if (!row.starts_with(kind) || row.find_first_of("xk") == 0) continue;
    std::istringstream stream(row + ",");
    std::string cell;
    for (int k = 0; k <= index; ++k) std::getline(stream, cell, ',');
    if (!cell.empty()) all.push_back(std::stod(cell));
  }
  return Eigen::Map<const VectorXd>(all.data(), static_cast<Index>(all.size()));
}

/// x* = (1, -2, 3, 1/2, 1, -1) is the only solution: z* = x* - t - T x* = (0.8, -1.3, 2.6, -0.7, 1, -1) lies on the
/// border of a box, a ball and a polyhedron whose sides move, and -F(x*) = n is normal to it there. M = 2 I + N with
/// |N| < 0.35 and |T| < 0.2 in the Frobenius norm, and the sides move the point of the polyhedron by less than 0.25 a
/// unit of x. So the projection with t = 1/2 contracts by 0.35 / 2 + sqrt(0.2^2 + 0.25^2) < 0.5.
AffineQuasiVi planted(bool sparse) {
  const VectorXd x{{1, -2, 3, 0.5, 1, -1}}, n{{2, -1.5, 1.8, 2.4, 3, 2}};
  MatrixXd M = 2.0 * MatrixXd::Identity(6, 6), T = MatrixXd::Zero(6, 6);
  M(0, 1) = 0.2;
  M(1, 0) = -0.2;
  M(3, 4) = 0.1;
  M(5, 2) = 0.1;
  T(0, 1) = 0.1;
  T(1, 3) = -0.1;
  T(2, 0) = 0.1;
  const VectorXd z{{0.8, -1.3, 2.6, -0.7, 1, -1}};
  const MatrixXd A{{1, 0}}, C{{1, 1}};
  AffineQuasiVi::Slopes slopes{.B = MatrixXd::Zero(1, 6), .D = MatrixXd::Zero(1, 6)};
  slopes.B(0, 2) = 0.1;
  slopes.D(0, 0) = 0.1;
  const double infinity = std::numeric_limits<double>::infinity();
  AffineQuasiVi problem{
      .base = {.M = M,
               .q = -n - M * x,
               .parts = {vi::Box{VectorXd{{-infinity, -1.3}}, VectorXd{{0.8, 1}}},
                         vi::Ball{.center = VectorXd{{1.7, -1.9}}, .radius = 1.5},
                         vi::Polyhedron{
                             .A = A, .b = A * z.tail(2) - slopes.B * x, .C = C, .d = C * z.tail(2) - slopes.D * x}}},
      .slopes = {{}, {}, slopes},
      .T = T,
      .t = x - z - T * x};
  if (sparse) {
    problem.base.M = Eigen::SparseMatrix<double>(M.sparseView());
    problem.T = Eigen::SparseMatrix<double>(T.sparseView());
  }
  return problem;
}

TEST(Quasi, APlantedProblemIsSolvedFromItsFile) {
  const Folder folder;
  const std::string csv = folder.at("solution.csv");
  for (const bool sparse : {false, true}) {
    for (const char* name : {"planted.txt", "planted.h5"}) {
      const std::string file = folder.write(name, planted(sparse));
      const vi::QuasiProblem problem = std::get<AffineQuasiVi>(read_problem(file).problem).problem();
      for (const vi::QuasiEntry& entry : vi::quasi_registry()) {
        SCOPED_TRACE(std::string(name) + ", " + std::string(entry.name) + (sparse ? ", sparse" : ""));
        const Outcome outcome = run(
            {"solve", "--json", file, "--solver", std::string(entry.name), "--tolerance", "1e-11", "--solution", csv});
        ASSERT_EQ(outcome.code, command::success) << outcome.out << outcome.err;
        EXPECT_EQ(members(outcome.out)["class"], "quasi");
        EXPECT_EQ(members(outcome.out)["status"], "solved");
        EXPECT_EQ(members(outcome.out)["size"], "6");
        const std::string text = read_text(csv);
        EXPECT_EQ(lines(text)[0], "x,w");
        const VectorXd x = column(text, "", 0);
        ASSERT_EQ(x.size(), 6);
        VectorXd w(6);
        EXPECT_LE(vi::certify(problem, x, w).residual, 1e-11);
        EXPECT_EQ(w, column(text, "", 1));
        // |x - x*| <= rho |e| / (1 - c), as of a contraction by c: |e|_inf <= 1e-11 max |F| with max |F| below 20 and
        // rho near 1/2; 1 - c > 0.5.
        EXPECT_LE((x - VectorXd{{1, -2, 3, 0.5, 1, -1}}).norm(), 1e-9);
      }
    }
  }
}

TEST(Quasi, ThatNoPointIsInItsOwnSetIsProven) {
  // Each wants to be 1 above the other.
  const Folder folder;
  const std::string csv = folder.at("proof.csv");
  const std::string file = folder.write_text(
      "overbid.txt",
      "nonsmooth-problem 5\nclass quasi\nM dense 2 2  1 0  0 1\nq vector 2  3 -4\nK/0 set polyhedron\n"
      "K/0/A dense 2 2  -1 0  0 -1\nK/0/b vector 2  -1 -1\nK/0/B dense 2 2  0 -1  -1 0\nend\n");
  const AffineQuasiVi problem = std::get<AffineQuasiVi>(read_problem(file).problem);
  for (const vi::QuasiEntry& entry : vi::quasi_registry()) {
    const Outcome outcome = run({"solve", "--json", file, "--solver", std::string(entry.name), "--solution", csv});
    EXPECT_EQ(outcome.code, command::not_solved) << entry.name;
    EXPECT_EQ(members(outcome.out)["status"], "infeasible") << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("no x lies in its own K(x)"), std::string::npos) << outcome.err;
    const std::string text = read_text(csv);
    EXPECT_EQ(lines(text)[0], "kind,index,x,w,proof");
    EXPECT_TRUE(proves_infeasible(problem, column(text, "set", 4)));
  }
}

TEST(Quasi, SolversAndDataAreListed) {
  const Outcome listed = run({"solvers", "quasi"});
  EXPECT_EQ(listed.code, command::success);
  for (const char* name : {"automatic", "quasi projection", "quasi fixed point"}) {
    EXPECT_NE(listed.out.find(name), std::string::npos) << name << listed.out;
  }
  EXPECT_EQ(listed.out.find("extragradient"), std::string::npos) << listed.out;
  const Folder folder;
  const std::string file = folder.write("planted.h5", planted(true));
  const std::string info = run({"info", file}).out;
  for (const char* said : {"quasi", "6 rows", "sparse", "1 upper bound", "1 box", "1 ball of 2 rows",
                           "1 moving polyhedron of 2 rows", "1 translation of 6 rows"}) {
    EXPECT_NE(info.find(said), std::string::npos) << said << '\n' << info;
  }
  const Outcome refused = run({"solve", file, "--solver", "extragradient"});
  EXPECT_EQ(refused.code, command::bad_input);
  EXPECT_NE(refused.err.find("one for quasi problems of this kind: automatic"), std::string::npos) << refused.err;
}

// 1 <= z_0 <= 1/2 + x_1, 1 <= z_1 <= 1/2 + x_0 has no point at x = 0. Of F = x - (3, 1.2) x_1 = 1.2 and x_0 = 1/2 + x_1
// is the only solution: 1.2 is within the bounds of z_1 wherever x_0 >= 0.7, and as x_0 >= 1 it is.
TEST(Quasi, ASetWithoutAPointAtZeroIsNoObstacle) {
  const Folder folder;
  const std::string csv = folder.at("solution.csv");
  AffineQuasiVi::Slopes slopes{.B = MatrixXd::Zero(4, 2)};
  slopes.B(2, 1) = slopes.B(3, 0) = 1.0;
  AffineQuasiVi problem{.base = {.M = MatrixXd(MatrixXd::Identity(2, 2)),
                                 .q = VectorXd{{-3, -1.2}},
                                 .parts = {vi::Polyhedron{.A = MatrixXd{{-1, 0}, {0, -1}, {1, 0}, {0, 1}},
                                                          .b = VectorXd{{-1, -1, 0.5, 0.5}}}}},
                        .slopes = {slopes}};
  for (const bool moved : {false, true}) {  // along by t + T x too, which adds (1/4, x_0 / 8)
    if (moved) {
      problem.t = VectorXd{{0.25, 0}};
      problem.T = MatrixXd{{0, 0}, {0.125, 0}};
    }
    const std::string file = folder.write("empty_at_zero.txt", problem);
    // z_1 = x_1 - x_0 / 8 = 1.2 - x_0 / 8 is at its lower bound 1 if x_0 > 1.6: then x_1 = 1 + x_0 / 8, x_0 = 3/4 + x_1
    // = 2.
    const VectorXd solution = moved ? VectorXd{{2, 1.25}} : VectorXd{{1.7, 1.2}};
    for (const vi::QuasiEntry& entry : vi::quasi_registry()) {
      const Outcome outcome = run({"solve", "--json", file, "--solver", std::string(entry.name), "--solution", csv});
      ASSERT_EQ(outcome.code, command::success) << outcome.out << outcome.err;
      const VectorXd x = column(read_text(csv), "", 0), w = column(read_text(csv), "", 1);
      EXPECT_LT((x - solution).norm(), 1e-6)
          << x.transpose();  // 1e-8 of |F| = 3, over what a contraction by 7/8 leaves
      EXPECT_LT((w - (x + problem.base.q)).norm(), 1e-12);
    }
  }
}

}  // namespace
}  // namespace nonsmooth::command_test::quasi_test
