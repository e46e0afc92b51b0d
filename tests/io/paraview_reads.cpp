// SPDX-License-Identifier: Apache-2.0
// Folders for ParaView read back by ParaView itself (paraview_reads.py in pvpython), against what the run says: in
// space with contacts, in the plane, of a circuit.
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/recorder.hpp>

#include "paraview_scenes.hpp"
#include "problem_files.hpp"

namespace nonsmooth::paraview_reads_test {
namespace {

using problem_files_test::Files;

constexpr int kNoNumpy = 77, kNoParaview = 127;

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ",\n") + item;
  return "[" + text + "]";
}

std::string json(double number) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.17g", number);
  return text.data();
}
template <class Numbers>
std::string json(const Numbers& numbers) {
  std::vector<std::string> items;
  for (const double number : numbers) items.push_back(json(number));
  return list(items);
}

/// What paraview_reads.py is told of a body's shape; empty: the system is not drawn.
using ShapeText = std::string (*)(Index system);

class ParaviewReads : public Files {
 protected:
  /// Records a run to T, writes its folder and what is expected of it; the folder, quoted.
  std::string folder_of(Simulation& simulation, double T, const std::string& name, ShapeText shape,
                        const std::function<void()>& edit = {}, RecorderOptions options = {}) const {
    options.name = name;
    Recorder recorder(file(name + ".h5"), simulation, options);
    if (edit) {
      EXPECT_TRUE(simulation.advance_to(0.5 * T, recorder));
      edit();
    }
    EXPECT_TRUE(simulation.advance_to(T, recorder));
    recorder.close();
    const RunFile run(file(name + ".h5"));
    (void)write_paraview(run, file(name));
    const std::vector<double> times = run.times();
    std::vector<double> shown;
    std::vector<std::string> steps;
    for (std::size_t k = 0; k < times.size(); ++k) {
      if (k + 1 < times.size() && times[k + 1] == times[k]) continue;  // the same state in the next file
      shown.push_back(times[k]);
      steps.push_back(step_of(run, static_cast<Index>(k), shape));
    }
    std::ofstream(file(name + ".json")) << "{\"times\": " << json(shown) << ", \"values\": \""
                                        << (run.parts()[0].systems.back().first_order ? "x" : "q")
                                        << "\", \"steps\": " << list(steps) << "}";
    return " '" + file(name).string() + "'";
  }

 private:
  static std::string meshes_at(const RunFile& run, Index step) {
    const Eigen::VectorXd q = run.positions(step), z = run.unknowns(step);
    std::vector<std::string> meshes;
    for (const FieldMesh& mesh : meshes_of(run)) {
      const std::vector<RunSystem>& systems = run.parts()[0].systems;
      const RunSystem& system = mesh.system == systems[0].name ? systems[0] : systems[1];
      std::vector<std::string> points, values;
      for (Index i = 0; i < mesh.nodes.cols(); ++i) {
        const Index first = mesh.first[static_cast<std::size_t>(i)];
        Eigen::Vector3d value = Eigen::Vector3d::Zero();
        for (Index k = 0; k < mesh.components && first >= 0; ++k)
          value[k] = system.first_order ? z[system.z + first + k] : q[system.q + first + k];
        const Eigen::Vector3d place = mesh.nodes.col(i);
        points.push_back(json(system.first_order ? place : place + value));
        values.push_back(system.first_order ? json(value[0]) : json(value));
      }
      meshes.push_back("{\"name\": \"" + mesh.name + "\", \"field\": \"" + (system.first_order ? "x" : "q") +
                       "\", \"cells\": " + std::to_string(mesh.cells.cols()) + ", \"points\": " + list(points) +
                       ", \"values\": " + list(values) + "}");
    }
    return list(meshes);
  }

  static std::string step_of(const RunFile& run, Index step, ShapeText shape) {
    const Eigen::VectorXd q = run.positions(step), z = run.unknowns(step);
    std::vector<std::string> bodies, contacts;
    std::vector<Eigen::Vector3d> places;
    std::vector<double> values;
    const std::vector<RunSystem>& systems = run.parts()[static_cast<std::size_t>(run.part_of(step))].systems;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const RunSystem& system = systems[s];
      const std::string text = shape(static_cast<Index>(s));
      if (text.empty()) {
        const auto& array = system.first_order ? z : q;
        for (Index k = 0; k < system.n; ++k) values.push_back(array[(system.first_order ? system.z : system.q) + k]);
        continue;
      }
      Eigen::Vector3d place = Eigen::Vector3d::Zero(), velocity = Eigen::Vector3d::Zero();
      Eigen::Vector4d turn;
      if (system.nq == 7) {
        place = q.segment<3>(system.q);
        turn = q.segment<4>(system.q + 3);
        velocity = z.segment<3>(system.z);
      } else {
        place.head<2>() = q.segment<2>(system.q);
        turn = {std::cos(0.5 * q[system.q + 2]), 0.0, 0.0, std::sin(0.5 * q[system.q + 2])};
        velocity.head<2>() = z.segment<2>(system.z);
      }
      places.push_back(place);
      bodies.push_back("{\"name\": \"" + system.name + "\", \"position\": " + json(place) + ", \"turn\": " +
                       json(turn) + ", \"velocity\": " + json(velocity) + ", \"shape\": " + text + "}");
    }
    for (const ActingContact& contact : run.contacts(step)) {
      Eigen::VectorXd ends(6);
      ends << places.at(static_cast<std::size_t>(contact.first)),
          (contact.second < 0 ? contact.point : places.at(static_cast<std::size_t>(contact.second)));
      contacts.push_back("{\"point\": " + json(contact.point) + ", \"force\": " + json(contact.force) +
                         ", \"gap\": " + json(contact.gap) + ", \"ends\": " + json(ends) + "}");
    }
    return "{\"step\": " + std::to_string(step) + ", \"bodies\": " + list(bodies) +
           ", \"contacts\": " + list(contacts) + ", \"values\": " + json(values) +
           ", \"meshes\": " + meshes_at(run, step) + "}";
  }
};

TEST_F(ParaviewReads, WhatTheRunSays) {
  TimeStepping space(vtk_test::falling_bodies(), {.step = 5e-3}), plane(vtk_test::falling_disks(), {.step = 5e-3}),
      circuit(vtk_test::oscillator(), {.step = 0.05}), meshes(vtk_test::sheet_and_rod(), {.step = 0.1});
  const ShapeText in_space = [](Index body) -> std::string {
    if (body == 8) return "";                      // the chain
    if (body == 7) return R"({"kind": "other"})";  // of two shapes
    return body % 2 == 0 ? R"({"kind": "ball", "radius": 0.1})" : R"({"kind": "box", "half": [0.08, 0.06, 0.04]})";
  };
  const ShapeText in_plane = [](Index body) -> std::string {
    return body == 3 ? R"({"kind": "other"})" : R"({"kind": "disk", "radius": 0.1})";
  };
  const ShapeText nowhere = [](Index) -> std::string { return ""; };
  // A disk that comes in the middle of the run: its shape is not there before.
  TimeStepping grows(vtk_test::falling_disks(), {.step = 0.01});
  const auto edit = [&] {
    grows.edit([](NonSmoothDynamicalSystem& model) {
      const auto late = model.add(PlanarBody{.position = {0.0, 1.0}, .velocity = {0.0, -1.0}, .name = "late"});
      model.detect(PlanarContacts({{late, {{.shape = Disk{0.1}}}}}, {}, NewtonImpactFrictionLaw{.friction = 0.4}));
    });
  };
  const std::string folders = folder_of(space, 0.3, "space", in_space) + folder_of(plane, 0.3, "plane", in_plane) +
                              folder_of(circuit, 2.0, "circuit", nowhere) +
                              folder_of(grows, 0.2, "grows", in_plane, edit) +
                              folder_of(meshes, 0.5, "meshes", nowhere, {}, vtk_test::with_meshes());
  const int status = std::system(("pvpython '" NONSMOOTH_TEST_FOLDER "/io/paraview_reads.py'" + folders).c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == kNoNumpy || code == kNoParaview) {
    GTEST_SKIP()
        << "pvpython is not here, or has no numpy: the Debian packages paraview, python3-paraview, python3-numpy";
  }
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace nonsmooth::paraview_reads_test
