// SPDX-License-Identifier: Apache-2.0
// The projection, gradient and threshold methods of the friction family on files of Siconos's collections.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <nonsmooth/io/problem_file.hpp>

#include <support/parameter_name.hpp>

#include "../numerics/friction/projection_methods.hpp"

namespace nonsmooth::friction_projection_files_test {
namespace {

class ProjectionMethodFiles : public ::testing::TestWithParam<problems::Method> {
 protected:
  void SetUp() override {
    if (std::string_view(NONSMOOTH_REFERENCE_DATA).empty())
      GTEST_SKIP() << "no reference data (NONSMOOTH_REFERENCE_DATA)";
  }

  /// Stops on the field's figure, as the collections report it.
  static void expect_solved(const char* file, double tolerance) {
    const auto path = std::filesystem::path(NONSMOOTH_REFERENCE_DATA) / "data" / "friction3d" / file;
    const auto problem = std::get<mixed::Problem>(read_problem(path).problem);
    const friction::Result result =
        GetParam().solve(problem, {.tolerance = tolerance, .measure = friction::Measure::NaturalMap});
    EXPECT_TRUE(result.ok()) << file << ": " << result.message();
    EXPECT_LE(result.figures.natural_map, tolerance) << file;
  }
};

TEST_P(ProjectionMethodFiles, SolvesSmallFiles) {
  for (const char* file :
       {"FC3D_Example1.dat", "FrictionContact3D_1c.dat", "Rover1039.dat", "Rover1040.dat", "Rover11035.dat",
        "Rover4144.dat", "Rover4396.dat", "Rover4609.dat", "NESpheres_10_1.dat", "Confeti-ex03-Fc3D-SBM.dat"})
    expect_solved(file, 1e-8);
}

TEST_P(ProjectionMethodFiles, SolvesCapsulesToWorkingTolerance) { expect_solved("Capsules-i100-1090.dat", 1e-4); }

INSTANTIATE_TEST_SUITE_P(All, ProjectionMethodFiles, ::testing::ValuesIn(problems::projection_methods()),
                         test::parameter_name);

}  // namespace
}  // namespace nonsmooth::friction_projection_files_test
