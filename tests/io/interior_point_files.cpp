// SPDX-License-Identifier: Apache-2.0
// The interior point method, reduced and global, on files of Siconos's collections.

#include <gtest/gtest.h>

#include <filesystem>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/numerics/friction/global_interior_point.hpp>
#include <nonsmooth/numerics/friction/interior_point.hpp>

namespace nonsmooth::interior_point_files_test {
namespace {

using friction::Measure;

class InteriorPointFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(NONSMOOTH_REFERENCE_DATA).empty())
      GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  }

  static AnyProblem read(const char* file) {
    return read_problem(std::filesystem::path(NONSMOOTH_REFERENCE_DATA) / "data" / file).problem;
  }
};

// The field's figure to 1e-8: planar and spatial, towers, walls, balls with masses over three decades, moments.
TEST_F(InteriorPointFiles, SolvesReducedFiles) {
  for (const char* file :
       {"friction2d/FrictionContactProblem00237.dat", "friction2d/fc2d_granularflowonwall_00667_00000.dat",
        "friction3d/BoxesStack1-i100000-32.hdf5.dat", "friction3d/Capsules-i100-1090.dat",
        "friction3d/KaplasTower-i1061-4.hdf5.dat", "friction3d/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5",
        "friction3d/OneObject-i100000-316.hdf5.dat", "friction3d/Rover4613.dat", "friction3d/spheres_100_s1_heavy.dat",
        "friction3d/wall_5x4_s1_push.dat", "rolling/RFC3D_cube_1.dat", "rolling/rockfall_14_25792.dat"}) {
    const auto problem = std::get<mixed::Problem>(read(file));
    const friction::Result result =
        friction::solve(problem, friction::InteriorPoint{.tolerance = 1e-8, .measure = Measure::NaturalMap});
    EXPECT_TRUE(result.ok()) << file << ": " << result.message();
    Eigen::VectorXd u(problem.q.size());
    static_cast<void>(mixed::certify(problem, result.r, u));
    EXPECT_LE(mixed::friction_figures(problem, result.r, u).natural_map, 1e-8) << file;
  }
}

TEST_F(InteriorPointFiles, SolvesConeProgramsOutside) {
  for (const char* file : {"friction3d/BoxesStack1-i100000-32.hdf5.dat", "friction3d/Confeti-ex03-Fc3D-SBM.dat",
                           "friction3d/Rover1039.dat", "friction3d/wall_5x4_s1_static.dat"}) {
    const auto problem = std::get<mixed::Problem>(read(file));
    const friction::Result result =
        friction::solve(problem, friction::InteriorPoint{.tolerance = 1e-8,
                                                         .measure = Measure::NaturalMap,
                                                         .term = friction::InteriorPoint::DeSaxce::Outside});
    EXPECT_TRUE(result.ok()) << file << ": " << result.message();
    EXPECT_LE(result.figures.natural_map, 1e-8) << file;
  }
}

TEST_F(InteriorPointFiles, SolvesGlobalFiles) {
  for (const char* file :
       {"friction_global/Box_Stacks-i0122-82-5.hdf5", "friction_global/CubeH8.hdf5",
        "friction_global/GFC3D_TwoRods1.dat", "friction_global/gfc2d_granularflowonwall_00069_00350.dat",
        "rolling/Chute-ndof-768-nc-4-3.hdf5"}) {
    const auto problem = std::get<friction::GlobalProblem>(read(file));
    const friction::GlobalResult result =
        friction::solve(problem, friction::GlobalInteriorPoint{.tolerance = 1e-8, .measure = Measure::NaturalMap});
    EXPECT_TRUE(result.ok()) << file << ": " << result.message();
    EXPECT_LE(result.figures.natural_map, 1e-8) << file;
    EXPECT_LE(result.balance, 1e-8) << file;
  }
}

}  // namespace
}  // namespace nonsmooth::interior_point_files_test
