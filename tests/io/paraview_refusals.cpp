// SPDX-License-Identifier: Apache-2.0
// What cannot be written for ParaView is refused with words, and leaves nothing.
#include <csignal>
#include <fstream>
#include <limits>

#include <sys/resource.h>

#include <gtest/gtest.h>

#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/io/scene.hpp>

#include "paraview_folder.hpp"
#include "paraview_scenes.hpp"
#include "run_processes.hpp"
#include "vtk_reader.hpp"

namespace nonsmooth::paraview_refusals_test {
namespace {

using problem_files_test::complaint;
using problem_files_test::contains;
using run_files_test::end_of;
using run_files_test::start_child;
using vtk_test::write_by_hand;

class ParaviewRefusals : public vtk_test::ParaviewFolders {};

TEST_F(ParaviewRefusals, MeshesThatDoNotFitAreRefused) {
  RecorderOptions options = vtk_test::with_meshes();
  const FieldMesh good{.name = "rod",
                       .system = "rod",
                       .nodes = Eigen::MatrixXd{{0.0, 1.0}, {0.0, 0.0}},
                       .cells = Eigen::Matrix<Index, 2, 1>(0, 1)};
  const auto told = [&](const FieldMesh& mesh) {
    return complaint<InvalidArgument>([&] { keep_mesh(mesh, options); });
  };
  FieldMesh bad = good;
  bad.name = "bodies";
  EXPECT_TRUE(contains(told(bad), "FieldMesh::name"));
  bad.name = "sheet";
  EXPECT_TRUE(contains(told(bad), "no other mesh")) << told(bad);
  bad = good;
  bad.cells(1, 0) = 2;
  EXPECT_TRUE(contains(told(bad), "FieldMesh::cells")) << told(bad);
  bad = good;
  bad.carries = FieldMesh::Carries::Positions;
  EXPECT_TRUE(contains(told(bad), "FieldMesh::components")) << told(bad);
  bad = good;
  bad.first = {0};
  EXPECT_TRUE(contains(told(bad), "FieldMesh::first")) << told(bad);
  EXPECT_NO_THROW(keep_mesh(good, options));
}

TEST_F(ParaviewRefusals, RefusesWithWords) {
  write_by_hand(file("run.h5"));
  const RunFile run(file("run.h5"));
  const auto refusal = [&](const ParaviewOptions& options) {
    return complaint<InvalidArgument>([&] { (void)write_paraview(run, out(), options); });
  };
  EXPECT_TRUE(contains(refusal({.frames = 1}), "ParaviewOptions::frames"));
  EXPECT_TRUE(contains(refusal({.compression = 10}), "ParaviewOptions::compression"));
  std::filesystem::create_directory(file("full"));
  std::ofstream(file("full/precious")) << "precious";
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)write_paraview(run, file("full")); }), "not empty"));
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)write_paraview(run, file("run.h5")); }), "run.h5"));
  EXPECT_EQ(vtk_test::bytes_of(file("full/precious")), "precious");
  EXPECT_TRUE(contains(complaint<FileError>([&] { (void)write_paraview(run, file("none/out")); }), "No such file"));
  EXPECT_FALSE(std::filesystem::exists(out()));
  // An empty folder is as good as none.
  std::filesystem::create_directory(out());
  EXPECT_EQ(write_paraview(run, out() / "").frames, 4);
  EXPECT_TRUE(std::filesystem::exists(out("scene.py")));

  const RunDescription empty{.about = {.simulation = "none"}};
  RunWriter(file("empty.h5"), empty).close();
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)write_paraview(RunFile(file("empty.h5")), file("no")); }),
                       "without steps"));
  RunWriter bare(file("bare.h5"), empty);
  const std::vector<double> t{0.0};
  bare.add({.values = t});
  bare.close();
  EXPECT_TRUE(contains(complaint<InvalidArgument>([&] { (void)write_paraview(RunFile(file("bare.h5")), file("no")); }),
                       "no numbers"));
  EXPECT_FALSE(std::filesystem::exists(file("no")));
}

TEST_F(ParaviewRefusals, ADamagedSceneIsNamedAndNothingIsWritten) {
  RunDescription description{.systems = {{"disk", 0, 3, 0, 3, false}}, .sizes = {3, 3}};
  describe_scene({.dimension = 2,
                  .geometries = {{.kind = SceneGeometry::Kind::Disk, .numbers = {0.5}, .size = 0.5}},
                  .shapes = {{.geometry = 0, .body = 7}}},
                 description);
  RunWriter writer(file("run.h5"), description);
  const std::vector<double> t{0.0}, q(3, 0.0);
  RunStep step{.values = t};
  step.arrays[0] = step.arrays[1] = q;
  writer.add(step);
  writer.close();
  const RunFile run(file("run.h5"));
  const std::string said = complaint<FormatError>([&] { (void)write_paraview(run, out()); });
  EXPECT_TRUE(contains(said, "run.h5: /scene/shapes, row 0")) << said;
  EXPECT_FALSE(std::filesystem::exists(out()));
  EXPECT_FALSE(std::filesystem::exists(file("out.partial")));
}

TEST_F(ParaviewRefusals, ADamagedMeshIsNamedByTableAndRow) {
  struct Damage {
    std::size_t table;  // of the first mesh: nodes, cells, carried
    Index row, column;
    double number;
    const char* said;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Damage& damage : {Damage{0, 2, 1, nan, "/meshes/nodes_0, row 2: found a number that is not finite"},
                               Damage{0, 1, 3, 0.5, "/meshes/nodes_0, row 1: found 0.5"},
                               Damage{1, 0, 3, 4.0, "/meshes/cells_0, row 0: found 4"},
                               Damage{2, 0, 0, 3.0, "/meshes/carried_0, row 0: found 3"},
                               Damage{2, 0, 1, 0.0, "/meshes/carried_0, row 0: found 0"},
                               Damage{2, 0, 1, 9.0, "/meshes/nodes_0: FieldMesh::components"}}) {
    RecorderOptions options = vtk_test::with_meshes();
    options.tables[damage.table].rows(damage.row, damage.column) = damage.number;
    options.file.overwrite = true;
    TimeStepping simulation(vtk_test::sheet_and_rod(), {.step = 0.1});
    Recorder(file("run.h5"), simulation, options).close();
    const RunFile run(file("run.h5"));
    const std::string said = complaint<FormatError>([&] { (void)meshes_of(run); });
    EXPECT_TRUE(contains(said, "run.h5: " + std::string(damage.said))) << said;
    EXPECT_EQ(complaint<FormatError>([&] { (void)write_paraview(run, out()); }), said);
    EXPECT_FALSE(std::filesystem::exists(out()));
  }
  // A table that is not there.
  RecorderOptions options = vtk_test::with_meshes();
  options.tables.erase(options.tables.begin() + 1);
  options.file.overwrite = true;
  TimeStepping simulation(vtk_test::sheet_and_rod(), {.step = 0.1});
  Recorder(file("run.h5"), simulation, options).close();
  const std::string said = complaint<FormatError>([&] { (void)meshes_of(RunFile(file("run.h5"))); });
  EXPECT_TRUE(contains(said, "/meshes/cells_0")) << said;
}

TEST_F(ParaviewRefusals, AFullDiskAndAMissingPermissionLeaveNothing) {
  write_by_hand(file("run.h5"));
  const pid_t full = start_child([&]() -> int {
    const RunFile run(file("run.h5"));
    const struct rlimit limit { 2000, 2000 };  // as a full disk does; bytes of one file
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string said = complaint<FileError>([&] { (void)write_paraview(run, out()); });
    return contains(said, "could not be written to the end") && contains(said, ".vtp") ? 7 : 0;
  });
  EXPECT_EQ(end_of(full), 7);
  std::filesystem::create_directory(file("locked"));
  std::filesystem::permissions(file("locked"), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const pid_t locked = start_child([&]() -> int {
    const RunFile run(file("run.h5"));
    if (::geteuid() == 0 && ::seteuid(65534) != 0) return 8;  // root may write anywhere
    const std::string said = complaint<FileError>([&] { (void)write_paraview(run, file("locked/out")); });
    return contains(said, "Permission denied") ? 7 : 0;
  });
  EXPECT_EQ(end_of(locked), 7);
  for (const auto& left : std::filesystem::directory_iterator(file("."))) {
    EXPECT_TRUE(left.path().extension() == ".h5" || left.path().filename() == "locked") << left;
  }
}

}  // namespace
}  // namespace nonsmooth::paraview_refusals_test
