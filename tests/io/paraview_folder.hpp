// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/io/paraview.hpp>
#include <nonsmooth/io/recorder.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/io/scene.hpp>

#include "problem_files.hpp"

namespace nonsmooth::vtk_test {

/// Runs that are recorded, and the folder of one.
class ParaviewFolders : public problem_files_test::Files {
 protected:
  RunFile record(Simulation& simulation, double T) const {
    Recorder recorder(file("run.h5"), simulation, {.name = "run"});
    EXPECT_TRUE(simulation.advance_to(T, recorder));
    recorder.close();
    return RunFile(file("run.h5"));
  }
  [[nodiscard]] std::filesystem::path out(const std::string& name = "") const { return file("out/" + name); }
};

/// A run by hand: a disk that is there, and one that comes in the second file; a position that is no number; two steps
/// at one time, as events have.
inline void write_by_hand(const std::filesystem::path& path) {
  Scene scene{.dimension = 2, .geometries = {{.kind = SceneGeometry::Kind::Disk, .numbers = {0.5}, .size = 0.5}}};
  RunDescription description;
  description.about = {.name = "by hand", .simulation = "EventDriven", .run = 5};
  description.columns = {"t", "length", "kinetic"};
  description.contact_forces = true;
  double t = 0.0;
  for (Index part = 0; part < 2; ++part) {
    description.part = part;
    description.systems.push_back({part == 0 ? "old <&\">" : "new", 3 * part, 3, 3 * part, 3, false});
    description.sizes = {3 * (part + 1), 3 * (part + 1), 0, 0, 0, 0, 0};
    scene.shapes.push_back({.geometry = 0, .body = part});
    description.tables.clear();
    describe_scene(scene, description);
    RunWriter writer(run_part_path(path, part), description);
    for (Index k = 0; k < 3; ++k) {
      std::vector<double> q, v;
      for (Index b = 0; b <= part; ++b) {
        q.insert(q.end(), {static_cast<double>(b), t, 0.0});
        v.insert(v.end(), {0.0, 1.0, 0.0});
      }
      if (part == 1 && k == 2) q[3] = std::numeric_limits<double>::quiet_NaN();
      const std::vector<ActingContact> contacts{{.point = {0.0, t, 0.0},
                                                 .normal = {0.0, 1.0, 0.0},
                                                 .force = {0.0, 2.0, 0.0},
                                                 .impulse = {0.5, 0.0, 0.0},
                                                 .first = 0}};
      const std::vector<double> values{t, 0.1, 1.0};
      RunStep step{.values = values, .contacts = contacts};
      step.arrays[0] = q;
      step.arrays[1] = v;
      writer.add(step);
      if (k != 1) t += 0.25;  // the second and the third step of a part are at one time
    }
    writer.close();
  }
}

}  // namespace nonsmooth::vtk_test
