// SPDX-License-Identifier: Apache-2.0
// Folders for ParaView, read back by a reader of the test's own (vtk_reader.hpp) and held against the run.
#include <nonsmooth/io/paraview.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <nonsmooth/io/scene.hpp>

#include "paraview_folder.hpp"
#include "paraview_scenes.hpp"
#include "vtk_reader.hpp"

namespace nonsmooth::paraview_files_test {
namespace {

using problem_files_test::contains;
using vtk_test::collection;
using vtk_test::VtkFile;
using vtk_test::write_by_hand;

class Paraview : public vtk_test::ParaviewFolders {};

Eigen::Vector3d vector_at(const std::vector<double>& values, std::size_t k) {
  return {values.at(3 * k), values.at(3 * k + 1), values.at(3 * k + 2)};
}

TEST_F(Paraview, BodiesAndFieldsHaveTheBitsOfTheRun) {
  TimeStepping simulation(vtk_test::falling_bodies(), {.step = 5e-3});
  const RunFile run = record(simulation, 0.4);
  const ParaviewReport report = write_paraview(run, out(), {.doubles = true});
  EXPECT_EQ(report.frames, run.num_steps());
  EXPECT_EQ(report.bodies, 8);
  EXPECT_EQ(report.left_out, "");
  const auto files = collection(out("bodies.pvd"));
  const std::vector<double> times = run.times(), kinetic = run.column("kinetic");
  ASSERT_EQ(files.size(), times.size());
  for (std::size_t k = 0; k < files.size(); ++k) {
    EXPECT_EQ(files[k].first, times[k]);
    const VtkFile data(files[k].second);
    EXPECT_EQ(data.values("FieldData/TimeValue"), std::vector<double>{times[k]});
    EXPECT_EQ(data.values("FieldData/step"), std::vector<double>{static_cast<double>(k)});
    problem_files_test::expect_same(data.values("FieldData/kinetic").at(0), kinetic[k]);
    ASSERT_EQ(data.count("NumberOfPoints"), 8U);
    ASSERT_EQ(data.count("NumberOfVerts"), 8U);
    const Eigen::VectorXd q = run.positions(static_cast<Index>(k)), v = run.unknowns(static_cast<Index>(k));
    for (Index b = 0; b < 8; ++b) {
      const auto i = static_cast<std::size_t>(b);
      EXPECT_EQ(vector_at(data.values("Points/Points"), i), q.segment<3>(7 * b));
      EXPECT_EQ(Eigen::Vector4d::Map(data.values("PointData/orientation").data() + 4 * b), q.segment<4>(7 * b + 3));
      EXPECT_EQ(vector_at(data.values("PointData/velocity"), i), v.segment<3>(6 * b));
      EXPECT_EQ(data.values("PointData/speed").at(i), v.segment<3>(6 * b).norm());
      EXPECT_EQ(data.values("PointData/body").at(i), static_cast<double>(b));
      EXPECT_EQ(data.array("PointData/name").texts.at(i), "body " + std::to_string(b));
      // R(Q) Omega, by the matrix of the quaternion: some ten roundings of numbers below |Omega| apart.
      const Eigen::Vector4d p = q.segment<4>(7 * b + 3);
      const double w = p[0], x = p[1], y = p[2], z = p[3];
      const Eigen::Matrix3d R{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                              {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                              {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
      const Eigen::Vector3d angular = v.segment<3>(6 * b + 3);
      EXPECT_LE((vector_at(data.values("PointData/angular_velocity"), i) - R * angular).norm(),
                20 * std::numeric_limits<double>::epsilon() * angular.norm());
    }
  }
}

TEST_F(Paraview, MeshesCarryTheNumbersOfTheirSystems) {
  SystemHandle rod_of_model;
  TimeStepping simulation(vtk_test::sheet_and_rod(&rod_of_model), {.step = 0.1});
  Recorder recorder(file("run.h5"), simulation, vtk_test::with_meshes());
  ASSERT_TRUE(simulation.advance_to(0.3, recorder));
  // A revision without the rod: its mesh is empty from there on.
  simulation.edit([&](NonSmoothDynamicalSystem& model) { model.remove(rod_of_model); });
  ASSERT_TRUE(simulation.advance_to(0.5, recorder));
  recorder.close();
  const RunFile run(file("run.h5"));
  const std::vector<FieldMesh> meshes = meshes_of(run);
  ASSERT_EQ(meshes.size(), 2U);
  EXPECT_EQ(meshes[0].first, (std::vector<Index>{-1, 0, 2, 4}));
  EXPECT_EQ(meshes[1].first, (std::vector<Index>{0, 1, 2}));
  // The second file alone, the run from there on, has them too.
  const RunFile further(run_part_path(file("run.h5"), 1));
  const std::vector<FieldMesh> later = meshes_of(further);
  ASSERT_EQ(later.size(), 2U);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(later[m].name, meshes[m].name);
    EXPECT_EQ(later[m].system, meshes[m].system);
    EXPECT_EQ(later[m].carries, meshes[m].carries);
    EXPECT_EQ(later[m].nodes, meshes[m].nodes);
    EXPECT_EQ(later[m].cells, meshes[m].cells);
    EXPECT_EQ(later[m].first, meshes[m].first);
  }
  EXPECT_EQ(write_paraview(further, file("further"), {.doubles = true}).frames, further.num_steps());
  const auto moved = collection(file("further/sheet.pvd"));
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_EQ(vector_at(VtkFile(moved[1].second).values("PointData/q"), 1).head<2>(), further.positions(1).head<2>());
  const ParaviewReport report = write_paraview(run, out(), {.doubles = true});
  EXPECT_EQ(report.left_out, "mesh 'temperatures' in 2 frames without a system 'rod' of so many numbers");
  const auto sheets = collection(out("sheet.pvd")), rods = collection(out("temperatures.pvd"));
  ASSERT_EQ(sheets.size(), 6U);
  ASSERT_EQ(rods.size(), 6U);
  for (std::size_t k = 0; k < sheets.size(); ++k) {
    const auto step = static_cast<Index>(k);
    const Eigen::VectorXd q = run.positions(step), z = run.unknowns(step);
    const VtkFile sheet(sheets[k].second), rod(rods[k].second);
    const double X[3][2] = {{1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}};
    EXPECT_EQ(sheet.count("NumberOfPolys"), 1U);
    EXPECT_EQ(vector_at(sheet.values("Points/Points"), 0), Eigen::Vector3d::Zero());
    EXPECT_EQ(vector_at(sheet.values("PointData/v"), 0), Eigen::Vector3d::Zero());
    for (Index i = 0; i < 3; ++i) {
      const auto node = static_cast<std::size_t>(i) + 1;
      EXPECT_EQ(vector_at(sheet.values("Points/Points"), node),
                Eigen::Vector3d(X[i][0] + q[2 * i], X[i][1] + q[2 * i + 1], 0.0));
      EXPECT_EQ(vector_at(sheet.values("PointData/q"), node), Eigen::Vector3d(q[2 * i], q[2 * i + 1], 0.0));
      EXPECT_EQ(vector_at(sheet.values("PointData/v"), node), Eigen::Vector3d(z[2 * i], z[2 * i + 1], 0.0));
    }
    if (run.part_of(step) == 1) {
      EXPECT_EQ(rod.count("NumberOfPoints"), 0U);
      continue;
    }
    EXPECT_EQ(rod.count("NumberOfLines"), 2U);
    EXPECT_EQ(vector_at(rod.values("Points/Points"), 2), Eigen::Vector3d(2.0, 0.0, -1.0));
    EXPECT_EQ(rod.values("PointData/x"), (std::vector<double>{z[6], z[7], z[8]}));
  }
}

TEST_F(Paraview, MeshesThatLieInThePlaneAreSeenFromAbove) {
  for (const double z : {0.0, -1.0}) {
    TimeStepping simulation(vtk_test::sheet_and_rod(), {.step = 0.1});
    RecorderOptions options{.file = {.overwrite = true}};
    keep_mesh({.name = "rod",
               .system = "rod",
               .nodes = Eigen::MatrixXd{{0.0, 1.0, 2.0}, {0.0, 0.0, 0.0}, {z, z, z}},
               .cells = Eigen::Matrix<Index, 2, 2>{{0, 1}, {1, 2}}},
              options);
    Recorder(file("run.h5"), simulation, options).close();
    const std::filesystem::path folder = z == 0.0 ? file("flat") : file("deep");
    (void)write_paraview(RunFile(file("run.h5")), folder);
    std::ifstream script(folder / "scene.py");
    const std::string text{std::istreambuf_iterator<char>(script), {}};
    EXPECT_TRUE(contains(text, z == 0.0 ? "PLANE = True" : "PLANE = False")) << text;
  }
}

TEST_F(Paraview, ContactsAndNetworkAreThoseOfTheRun) {
  TimeStepping simulation(vtk_test::falling_bodies(), {.step = 5e-3});
  const RunFile run = record(simulation, 0.4);
  const ParaviewReport report = write_paraview(run, out(), {.doubles = true});
  const auto files = collection(out("contacts.pvd")), networks = collection(out("network.pvd")),
             bodies = collection(out("bodies.pvd"));
  ASSERT_EQ(files.size(), static_cast<std::size_t>(run.num_steps()));
  ASSERT_EQ(networks.size(), files.size());
  std::size_t most = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const VtkFile data(files[k].second), network(networks[k].second), body(bodies[k].second);
    const std::vector<ActingContact> contacts = run.contacts(static_cast<Index>(k));
    ASSERT_EQ(data.count("NumberOfPoints"), contacts.size());
    most = std::max(most, contacts.size());
    const Eigen::VectorXd q = run.positions(static_cast<Index>(k));
    std::vector<Eigen::Vector3d> sums(8, Eigen::Vector3d::Zero());
    std::size_t line = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const ActingContact& contact = contacts[c];
      EXPECT_EQ(vector_at(data.values("Points/Points"), c), contact.point);
      EXPECT_EQ(vector_at(data.values("PointData/force"), c), contact.force);
      EXPECT_EQ(vector_at(data.values("PointData/normal"), c), contact.normal);
      EXPECT_EQ(data.values("PointData/gap").at(c), contact.gap);
      EXPECT_EQ(data.values("PointData/first").at(c), static_cast<double>(contact.first));
      EXPECT_EQ(data.values("PointData/second").at(c), static_cast<double>(contact.second));
      // |f|^2 = f_n^2 + f_t^2, by some roundings and a normal of length 1 to 1e-15.
      const double normal = data.values("PointData/normal_force").at(c),
                   tangential = data.values("PointData/tangential_force").at(c), norm = contact.force.norm();
      EXPECT_NEAR(normal, contact.force.dot(contact.normal), 1e-15 * norm);
      EXPECT_NEAR(std::hypot(normal, tangential), norm, 1e-14 * norm);
      sums[static_cast<std::size_t>(contact.first)] += contact.force;
      if (contact.second >= 0) sums[static_cast<std::size_t>(contact.second)] -= contact.force;
      if (norm == 0.0) continue;
      const Eigen::Vector3d centre = q.segment<3>(7 * contact.first);
      const Eigen::Vector3d other = contact.second < 0 ? contact.point : q.segment<3>(7 * contact.second);
      EXPECT_EQ(vector_at(network.values("Points/Points"), 2 * line), centre);
      EXPECT_EQ(vector_at(network.values("Points/Points"), 2 * line + 1), other);
      EXPECT_EQ(network.values("CellData/normal_force").at(line), normal);
      EXPECT_EQ(network.values("CellData/gap").at(line), contact.gap);
      EXPECT_EQ(network.values("CellData/second").at(line), static_cast<double>(contact.second));
      EXPECT_EQ(network.values("PointData/force_norm").at(2 * line), norm);
      EXPECT_EQ(network.values("PointData/force_norm").at(2 * line + 1), norm);
      ++line;
    }
    ASSERT_EQ(network.count("NumberOfLines"), line);
    for (std::size_t l = 0; l < 2 * line; ++l) {
      EXPECT_EQ(network.values("Lines/connectivity").at(l), static_cast<double>(l));
    }
    for (std::size_t l = 0; l < line; ++l) {
      EXPECT_EQ(network.values("Lines/offsets").at(l), static_cast<double>(2 * l + 2));
    }
    for (std::size_t b = 0; b < 8; ++b) EXPECT_EQ(vector_at(body.values("PointData/contact_force"), b), sums[b]);
  }
  EXPECT_GT(most, 8U);  // it did come to rest
  EXPECT_EQ(report.most_contacts, static_cast<Index>(most));
}

TEST_F(Paraview, WhatIsNotDrawnIsALineOfValues) {
  TimeStepping simulation(vtk_test::falling_bodies(), {.step = 5e-3});
  const RunFile run = record(simulation, 0.05);
  (void)write_paraview(run, out(), {.doubles = true});
  const auto files = collection(out("values.pvd"));
  ASSERT_EQ(files.size(), static_cast<std::size_t>(run.num_steps()));
  for (std::size_t k = 0; k < files.size(); ++k) {
    const VtkFile data(files[k].second);
    const Eigen::VectorXd q = run.positions(static_cast<Index>(k)).tail(3),
                          v = run.unknowns(static_cast<Index>(k)).tail(3);
    EXPECT_EQ(data.values("PointData/q"), std::vector<double>(q.begin(), q.end()));
    EXPECT_EQ(data.values("PointData/v"), std::vector<double>(v.begin(), v.end()));
    EXPECT_TRUE(std::isnan(data.values("PointData/x").at(0)));
    EXPECT_EQ(data.values("PointData/entry"), (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(data.array("PointData/name").texts.at(2), "chain");
    EXPECT_EQ(data.values("Lines/connectivity"), (std::vector<double>{0, 1, 1, 2}));
    EXPECT_EQ(vector_at(data.values("Points/Points"), 2), Eigen::Vector3d(2, 0, 0));
  }
}

TEST_F(Paraview, ACircuitHasValuesAlone) {
  TimeStepping simulation(vtk_test::oscillator(), {.step = 0.05});
  const RunFile run = record(simulation, 1.0);
  const ParaviewReport report = write_paraview(run, out(), {.doubles = true});
  EXPECT_EQ(report.bodies, 0);
  for (const char* none : {"bodies.pvd", "shapes.vtp", "ground.vtp", "contacts.pvd", "network.pvd"}) {
    EXPECT_FALSE(std::filesystem::exists(out(none))) << none;
  }
  const auto files = collection(out("values.pvd"));
  ASSERT_EQ(files.size(), 21U);
  for (std::size_t k = 0; k < files.size(); ++k) {
    const VtkFile data(files[k].second);
    const Eigen::VectorXd x = run.unknowns(static_cast<Index>(k));
    EXPECT_EQ(data.values("PointData/x"), std::vector<double>(x.begin(), x.end()));
    EXPECT_TRUE(std::isnan(data.values("PointData/q").at(0)));
  }
}

TEST_F(Paraview, PlanarRunsLieInThePlane) {
  TimeStepping simulation(vtk_test::falling_disks(), {.step = 5e-3});
  const RunFile run = record(simulation, 0.3);
  (void)write_paraview(run, out(), {.doubles = true});
  const auto files = collection(out("bodies.pvd")), contacts = collection(out("contacts.pvd"));
  ASSERT_EQ(files.size(), static_cast<std::size_t>(run.num_steps()));
  const Eigen::VectorXd q = run.positions(run.num_steps() - 1), v = run.unknowns(run.num_steps() - 1);
  const VtkFile last(files.back().second);
  for (Index b = 0; b < 4; ++b) {
    const auto i = static_cast<std::size_t>(b);
    EXPECT_EQ(vector_at(last.values("Points/Points"), i), Eigen::Vector3d(q[3 * b], q[3 * b + 1], 0.0));
    EXPECT_EQ(vector_at(last.values("PointData/velocity"), i), Eigen::Vector3d(v[3 * b], v[3 * b + 1], 0.0));
    EXPECT_EQ(vector_at(last.values("PointData/angular_velocity"), i), Eigen::Vector3d(0.0, 0.0, v[3 * b + 2]));
    EXPECT_EQ(last.values("PointData/orientation").at(4 * i), std::cos(0.5 * q[3 * b + 2]));
    EXPECT_EQ(last.values("PointData/orientation").at(4 * i + 3), std::sin(0.5 * q[3 * b + 2]));
  }
  EXPECT_GT(VtkFile(contacts.back().second).count("NumberOfPoints"), 3U);
  EXPECT_TRUE(contains(vtk_test::bytes_of(out("scene.py")), "PLANE = True"));
}

TEST_F(Paraview, NumbersOfFourBytesAreTheNearest) {
  TimeStepping simulation(vtk_test::falling_bodies(), {.step = 5e-3});
  const RunFile run = record(simulation, 0.05);
  (void)write_paraview(run, out(), {.contacts = false, .compression = 9});
  EXPECT_FALSE(std::filesystem::exists(out("contacts.pvd")));
  const VtkFile last(collection(out("bodies.pvd")).back().second);
  EXPECT_EQ(last.array("Points/Points").type, "Float32");
  const Eigen::VectorXd q = run.positions(run.num_steps() - 1);
  for (Index b = 0; b < 8; ++b) {
    EXPECT_EQ(vector_at(last.values("Points/Points"), static_cast<std::size_t>(b)),
              q.segment<3>(7 * b).cast<float>().cast<double>());
  }
}

TEST_F(Paraview, BodiesComeAndStepsAtOneTimeAreOne) {
  write_by_hand(file("run.h5"));
  const RunFile run(file("run.h5"));
  ASSERT_EQ(run.num_steps(), 6);
  const ParaviewReport report = write_paraview(run, out(), {.doubles = true});
  EXPECT_EQ(report.frames, 4);
  EXPECT_EQ(report.bodies, 2);
  EXPECT_TRUE(contains(report.left_out, "2 steps at the time of a later one")) << report.left_out;
  EXPECT_TRUE(contains(report.left_out, "1 bodies or contacts")) << report.left_out;
  const auto files = collection(out("bodies.pvd"));
  ASSERT_EQ(files.size(), 4U);
  const std::vector<double> bodies{1, 1, 2, 1}, steps{0, 2, 3, 5};
  for (std::size_t k = 0; k < 4; ++k) {
    const VtkFile data(files[k].second);
    EXPECT_EQ(files[k].first, 0.25 * static_cast<double>(k));
    EXPECT_EQ(static_cast<double>(data.count("NumberOfPoints")), bodies[k]);
    EXPECT_EQ(data.values("FieldData/step").at(0), steps[k]);
  }
  const VtkFile both(files[2].second), contacts(collection(out("contacts.pvd"))[2].second);
  EXPECT_EQ(both.array("PointData/name").texts, (std::vector<std::string>{"old <&\">", "new"}));
  EXPECT_EQ(both.values("PointData/contacts"), (std::vector<double>{1, 0}));
  EXPECT_EQ(contacts.values("PointData/impulse"), (std::vector<double>{0.5, 0, 0}));
  EXPECT_EQ(contacts.values("PointData/second"), std::vector<double>{-1});
  const VtkFile shapes(out("shapes.vtp"));
  const std::vector<double>& owners = shapes.values("PointData/body");
  EXPECT_EQ(std::count(owners.begin(), owners.end(), 0.0), std::count(owners.begin(), owners.end(), 1.0));
}

TEST_F(Paraview, FramesAreThinnedEvenly) {
  TimeStepping simulation(vtk_test::falling_disks(), {.step = 0.01});
  const RunFile run = record(simulation, 1.0);
  ASSERT_EQ(run.num_steps(), 101);
  EXPECT_EQ(write_paraview(run, out(), {.frames = 11}).frames, 11);
  const auto files = collection(out("bodies.pvd"));
  ASSERT_EQ(files.size(), 11U);
  // Every tenth step, or its neighbour where 0.1 f is rounded.
  for (std::size_t f = 0; f < 11; ++f) EXPECT_NEAR(files[f].first, 0.1 * static_cast<double>(f), 0.0101);
  EXPECT_EQ(files.back().first, run.times().back());
}

}  // namespace
}  // namespace nonsmooth::paraview_files_test
