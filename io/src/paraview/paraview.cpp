// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/paraview.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <internal/check.hpp>
#include <scene_script.hpp>  // generated: kSceneScript

#include "../json.hpp"
#include "../number.hpp"
#include "../replaced_file.hpp"
#include "../scene/frames.hpp"
#include "../scene/page_bodies.hpp"
#include "frame_data.hpp"
#include "mesh_frames.hpp"
#include "vtk_file.hpp"

namespace nonsmooth {
namespace {

using paraview::FrameBodies;
using paraview::FrameContacts;
using paraview::MeshFrames;
using paraview::PolyData;
using paraview::SceneExtent;
using paraview::VtkArray;
using paraview::VtkEncoder;
using scene::PageBodies;

/// A new folder that is made beside its name, and gets this when it is complete; without commit() nothing is left.
class NewFolder {
 public:
  explicit NewFolder(std::filesystem::path path) : path_(std::move(path)) {
    if (!path_.has_filename()) path_ = path_.parent_path();  // "NAME/"
    std::error_code error;
    if (std::filesystem::exists(path_, error) && !std::filesystem::is_empty(path_, error)) {
      throw FileError(path_.string() + ": exists and is not empty; another name is needed, or to remove it");
    }
    partial_ = path_;
    partial_ += ".partial";
    if (!std::filesystem::create_directory(partial_, error)) {
      throw FileError(partial_.string() + ": cannot be made: " +
                      (error ? error.message() : "it exists; another program that ended may have left it"));
    }
  }
  ~NewFolder() {
    std::error_code error;
    if (!committed_) std::filesystem::remove_all(partial_, error);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return partial_; }
  [[nodiscard]] const std::filesystem::path& name() const { return path_; }
  void commit() {
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) throw FileError(path_.string() + ": " + error.message());
    committed_ = true;
  }

 private:
  std::filesystem::path path_, partial_;
  bool committed_ = false;
};

/// A data set over time: NAME.pvd and NAME/NAME_0000.vtp, ...
class FrameSeries {
 public:
  FrameSeries(std::string name, const std::filesystem::path& folder, ParaviewReport& report)
      : name_(std::move(name)), folder_(folder), report_(report) {
    std::error_code error;
    std::filesystem::create_directory(folder / name_, error);
    if (error) throw FileError((folder / name_).string() + ": " + error.message());
  }
  void add(double t, const PolyData& data) {
    std::string number = std::to_string(files_.size());
    if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
    const std::string file = name_ + "/" + name_ + "_" + number + ".vtp";
    report_.bytes += paraview::write_poly_data(data, folder_ / file);
    ++report_.files;
    files_.emplace_back(t, file);
  }
  void finish() const {
    report_.bytes += paraview::write_collection(files_, folder_ / (name_ + ".pvd"));
    ++report_.files;
  }

 private:
  std::string name_;
  const std::filesystem::path& folder_;
  ParaviewReport& report_;
  std::vector<std::pair<double, std::string>> files_;
};

/// The last step at each time: ParaView shows one data set a time. A time that is no number, or that goes back, is
/// none.
std::vector<Index> steps_of_their_own_time(const std::vector<double>& times) {
  std::vector<Index> steps;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!std::isfinite(times[k])) continue;
    const double last = steps.empty() ? -HUGE_VAL : times[static_cast<std::size_t>(steps.back())];
    if (times[k] < last) continue;
    if (times[k] == last) steps.pop_back();
    steps.push_back(static_cast<Index>(k));
  }
  return steps;
}

std::vector<Index> frames_among(const std::vector<Index>& steps, const std::vector<double>& times, Index count) {
  std::vector<double> own;
  for (const Index step : steps) own.push_back(times[static_cast<std::size_t>(step)]);
  std::vector<Index> frames = scene::frames_of(own, count);
  for (Index& frame : frames) frame = steps[static_cast<std::size_t>(frame)];
  return frames;
}

/// The numbers that a run has of each step.
class StepColumns {
 public:
  explicit StepColumns(const RunFile& run) : names_(run.columns()) {
    for (const std::string& name : names_) values_.push_back(run.column(name));
  }
  [[nodiscard]] std::vector<VtkArray> at(Index step, const VtkEncoder& encoder) const {
    const auto k = static_cast<std::size_t>(step);
    std::vector<VtkArray> arrays{encoder.doubles("step", {static_cast<double>(step)})};
    for (std::size_t c = 0; c < names_.size(); ++c) {
      arrays.push_back(encoder.doubles(names_[c] == "t" ? "TimeValue" : names_[c], {values_[c][k]}));
    }
    return arrays;
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::vector<double>> values_;
};

/// Nine of ten are smaller; 1 where there are none above 0.
double typical(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !(value > 0.0); });
  if (values.empty()) return 1.0;
  const auto place = static_cast<std::ptrdiff_t>(0.9 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

void replace_all(std::string& text, std::string_view mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
    text.replace(at, mark.size(), by);
  }
}

/// What the frames have in common, and what was met in them.
class Export {
 public:
  Export(const RunFile& run, const ParaviewOptions& options)
      : run_(run), encoder_(options.compression, options.doubles), bodies_(scene::page_bodies(run)) {
    const std::vector<double> times = run.times();
    const std::vector<Index> steps = steps_of_their_own_time(times);
    if (steps.empty()) throw InvalidArgument("write_paraview: run", "a run without steps", "one with at least one");
    frames_ = frames_among(steps, times, options.frames);
    for (const Index frame : frames_) times_.push_back(times[static_cast<std::size_t>(frame)]);
    report_.steps = static_cast<Index>(times.size());
    report_.frames = static_cast<Index>(frames_.size());
    report_.bodies = static_cast<Index>(bodies_.names.size());
    if (steps.size() < times.size()) {
      tell(std::to_string(times.size() - steps.size()) + " steps at the time of a later one, of which it is taken");
    }
    const auto parts = static_cast<Index>(run.parts().size());
    keep_first_shapes(parts - 1);
    for (Index part = 0; part < parts; ++part) undrawn_.push_back(paraview::undrawn_systems(run, bodies_, part));
    has_values_ = std::any_of(undrawn_.begin(), undrawn_.end(), [](const auto& list) { return !list.empty(); });
    if (options.contacts) {
      const std::vector<double> counts = run.column("contacts");
      has_contacts_ = std::any_of(counts.begin(), counts.end(), [](double count) { return count > 0.0; });
    }
    for (FieldMesh& mesh : meshes_of(run)) meshes_.emplace_back(std::move(mesh), encoder_);
    if (!has_bodies() && !has_values_) {
      throw InvalidArgument("write_paraview: run", "a run whose systems have no numbers", "bodies, or other systems");
    }
  }

  ParaviewReport write(const std::filesystem::path& path) {
    NewFolder folder(path);
    write_scene(folder.folder());
    write_frames(folder.folder());
    write_script(folder);
    folder.commit();
    for (const MeshFrames& mesh : meshes_) {
      if (mesh.missing() > 0)
        tell("mesh '" + mesh.mesh().name + "' in " + std::to_string(mesh.missing()) + " frames without a system '" +
             mesh.mesh().system + "' of so many numbers");
    }
    if (not_finite_ > 0) {
      tell(std::to_string(not_finite_) + " bodies or contacts of frames, whose numbers are not finite");
    }
    return report_;
  }

 private:
  /// Of a run without bodies: all its meshes lie in z = 0.
  [[nodiscard]] bool is_plane() const {
    if (bodies_.dimension != 0 || meshes_.empty()) return bodies_.dimension == 2;
    return std::all_of(meshes_.begin(), meshes_.end(), [](const MeshFrames& one) {
      const FieldMesh& mesh = one.mesh();
      const bool moves = mesh.carries != FieldMesh::Carries::Values && mesh.components == 3;
      return !moves && (mesh.nodes.rows() == 2 || mesh.nodes.row(2).isZero(0.0));
    });
  }
  [[nodiscard]] bool has_bodies() const { return !bodies_.names.empty(); }
  void tell(const std::string& left_out) { report_.left_out += (report_.left_out.empty() ? "" : "; ") + left_out; }

  /// Files of shapes have no times: each body, and the ground, keeps what it came with.
  void keep_first_shapes(Index last_part) {
    Index changes = 0;
    std::vector<SceneShape> first;
    for (std::size_t s = 0; s < bodies_.scene.shapes.size(); ++s) {
      const SceneShape& shape = bodies_.scene.shapes[s];
      const scene::PartSpan own = bodies_.spans[s], all = shape.body < 0
                                                              ? scene::PartSpan{0, last_part}
                                                              : bodies_.there[static_cast<std::size_t>(shape.body)];
      if (own.first == all.first) first.push_back(shape);
      if (own.first != all.first || own.last != all.last) ++changes;
    }
    bodies_.scene.shapes = std::move(first);
    if (changes > 0) {
      tell("changes of " + std::to_string(changes) +
           " shapes with revisions of the model: bodies and ground keep those that they came with");
    }
  }

  void write_scene(const std::filesystem::path& folder) {
    if (bodies_.dimension == 0) return;
    const scene::PageBox box = scene::box_of(run_, bodies_, frames_);
    const Eigen::Vector3d low = Eigen::Vector3d::Map(box.low.data()), high = Eigen::Vector3d::Map(box.high.data());
    extent_ = {.middle = 0.5 * (low + high), .reach = 0.6 * (high - low).norm()};
    if (bodies_.dimension == 2) extent_.middle.z() = 0.0;
    for (const auto& [name, of_ground] : {std::pair{"shapes.vtp", false}, std::pair{"ground.vtp", true}}) {
      const PolyData shapes = paraview::shapes_of(bodies_.scene, of_ground, extent_, encoder_);
      if (shapes.num_points == 0) continue;
      report_.bytes += paraview::write_poly_data(shapes, folder / name);
      ++report_.files;
    }
  }

  void write_frames(const std::filesystem::path& folder) {
    const StepColumns columns(run_);
    std::optional<FrameSeries> bodies, contacts, network, values;
    if (has_bodies()) bodies.emplace("bodies", folder, report_);
    if (has_contacts_) {
      contacts.emplace("contacts", folder, report_);
      network.emplace("network", folder, report_);
    }
    if (has_values_) values.emplace("values", folder, report_);
    std::vector<std::optional<FrameSeries>> meshes(meshes_.size());
    for (std::size_t m = 0; m < meshes.size(); ++m) meshes[m].emplace(meshes_[m].mesh().name, folder, report_);
    paraview::FrameWriter writer(bodies_, encoder_);
    const bool impulses = run_.about().simulation == "EventDriven";
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      const std::vector<VtkArray> field = columns.at(frames_[f], encoder_);
      const auto add = [&](std::optional<FrameSeries>& series, PolyData data) {
        data.field_data = field;
        series->add(times_[f], data);
      };
      const FrameBodies there = paraview::bodies_at(run_, bodies_, frames_[f]);
      const FrameContacts acting = has_contacts_ ? paraview::contacts_at(run_, bodies_, frames_[f]) : FrameContacts{};
      look_at(there, acting);
      if (bodies) add(bodies, writer.bodies(there, acting));
      if (contacts) add(contacts, writer.contacts(acting, impulses));
      if (network) add(network, writer.network(there, acting));
      if (values) {
        const auto part = static_cast<std::size_t>(run_.part_of(frames_[f]));
        add(values, paraview::values_at(run_, undrawn_[part], frames_[f], encoder_));
      }
      for (std::size_t m = 0; m < meshes.size(); ++m) add(meshes[m], meshes_[m].at(run_, frames_[f]));
    }
    for (const std::optional<FrameSeries>* series : {&bodies, &contacts, &network, &values}) {
      if (*series) (*series)->finish();
    }
    for (const std::optional<FrameSeries>& series : meshes) series->finish();
  }

  void look_at(const FrameBodies& bodies, const FrameContacts& contacts) {
    not_finite_ += bodies.not_finite + contacts.not_finite;
    report_.most_contacts = std::max(report_.most_contacts, static_cast<Index>(contacts.contacts.size()));
    if (!bodies.speeds.empty()) fastest_.push_back(*std::max_element(bodies.speeds.begin(), bodies.speeds.end()));
    std::vector<double> forces;
    for (const ActingContact& contact : contacts.contacts) forces.push_back(contact.force.norm());
    if (!forces.empty()) pressing_.push_back(typical(std::move(forces)));
  }

  void write_script(const NewFolder& folder) {
    std::string script(paraview::kSceneScript);
    std::error_code error;
    const std::filesystem::path place = std::filesystem::absolute(folder.name(), error);
    replace_all(script, "{{folder}}", json_string(place.string()));
    replace_all(script, "{{speed}}", number(typical(fastest_)));
    replace_all(script, "{{force}}", number(typical(pressing_)));
    replace_all(script, "{{reach}}", number(extent_.reach));
    std::string meshes;
    for (const MeshFrames& one : meshes_) meshes += (meshes.empty() ? "" : ", ") + json_string(one.mesh().name);
    replace_all(script, "{{meshes}}", "[" + meshes + "]");
    replace_all(script, "{{plane}}", is_plane() ? "True" : "False");
    replace_file(folder.folder() / "scene.py", [&](std::ostream& file) { file << script; });
    report_.bytes += script.size();
    ++report_.files;
  }

  const RunFile& run_;
  VtkEncoder encoder_;
  PageBodies bodies_;
  std::vector<Index> frames_;
  std::vector<double> times_, fastest_, pressing_;
  std::vector<std::vector<Index>> undrawn_;  ///< by part
  std::vector<MeshFrames> meshes_;
  bool has_values_ = false, has_contacts_ = false;
  SceneExtent extent_;
  Index not_finite_ = 0;
  ParaviewReport report_;
};

}  // namespace

void ParaviewOptions::validate() const {
  check::at_least("ParaviewOptions::frames", frames, 2);
  check::within("ParaviewOptions::compression", compression, 0, 9);
}

ParaviewReport write_paraview(const RunFile& run, const std::filesystem::path& folder, const ParaviewOptions& options) {
  options.validate();
  return Export(run, options).write(folder);
}

}  // namespace nonsmooth
