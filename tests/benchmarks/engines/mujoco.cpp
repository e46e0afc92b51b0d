// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>

#include <mujoco/mujoco.h>
#include <benchmarks/timing.hpp>

namespace engines {
namespace {

/// Space for contacts. That of piles is dense, rows of constraints times velocities, so that it is asked for no more
/// contacts than fit into 2 GB.
void write_sizes(std::ostream& text, const Scene& scene) {
  const auto bodies = static_cast<long>(scene.bodies.size());
  const long asked = scene.most_contacts > 0 ? scene.most_contacts : 8 * bodies;
  const long contacts = bodies >= 1000 ? 2733 : asked;  // of three rows
  text << "<size nconmax='" << contacts << "' njmax='" << 3 * contacts << "' nstack='"
       << std::min(400'000'000L, 20'000'000L + 100'000L * bodies) << "'/>";
}

void write_options(std::ostream& text, const Scene& scene, Settings settings) {
  const bool regularised = settings == Settings::Default;
  text << "<option timestep='" << scene.step << "' gravity='0 0 " << -scene.gravity << "' iterations='100' solver='"
       << (settings == Settings::Piles ? "CG" : "Newton");
  if (!regularised) text << "' cone='elliptic' impratio='10' tolerance='1e-12";
  if (settings == Settings::Accurate) text << "' noslip_iterations='50' noslip_tolerance='1e-10";
  text << "'/><default><geom condim='" << (scene.friction > 0.0 ? 3 : 1) << "' friction='"
       << (scene.friction > 0.0 ? scene.friction : 1.0) << " 0.005 0.0001'";
  if (settings == Settings::Accurate && scene.restitution > 0.0) {
    // A spring and a damper whose half swing takes ten steps and leaves e of the velocity.
    const double frequency = std::numbers::pi / (10.0 * scene.step), logarithm = -std::log(scene.restitution);
    const double ratio = logarithm / std::hypot(std::numbers::pi, logarithm);
    text << " solref='" << -frequency * frequency << ' ' << -2.0 * ratio * frequency
         << "' solimp='0.9999 0.9999 0.001'";
  } else if (!regularised) {
    text << " solref='" << 2.0 * scene.step << " 1' solimp='0.95 0.99 0.001'";
  }
  text << "/></default>";
}

/// The scene in MuJoCo's language.
std::string model_text(const Scene& scene, Settings settings) {
  std::ostringstream text;
  text.precision(17);
  text << "<mujoco>";
  if (settings == Settings::Piles) write_sizes(text, scene);
  write_options(text, scene, settings);
  text << "<worldbody>";
  for (const auto& [n, offset] : scene.planes) {
    text << "<geom type='plane' size='0 0 1' pos='" << offset * n[0] << ' ' << offset * n[1] << ' ' << offset * n[2]
         << "' zaxis='" << n[0] << ' ' << n[1] << ' ' << n[2] << "'/>";
  }
  for (const Body& body : scene.bodies) {
    const auto& [x, q] = body.pose;
    text << "<body pos='" << x[0] << ' ' << x[1] << ' ' << x[2] << "' quat='" << q[0] << ' ' << q[1] << ' ' << q[2]
         << ' ' << q[3] << "'>" << (body.guided ? "<joint type='slide' axis='1 0 0'/>" : "<freejoint/>")
         << "<geom mass='" << body.mass << "' ";
    if (body.half_length > 0.0)
      text << "type='capsule' size='" << body.radius << ' ' << body.half_length << "'/></body>";
    else if (body.radius > 0.0)
      text << "type='sphere' size='" << body.radius << "'/></body>";
    else
      text << "type='box' size='" << body.half_extents[0] << ' ' << body.half_extents[1] << ' ' << body.half_extents[2]
           << "'/></body>";
  }
  text << "</worldbody></mujoco>";
  return text.str();
}

class MuJoCo final : public Engine {
 public:
  MuJoCo(const Scene& scene, Settings settings) {
    mju_user_warning = [](const char*) {};  // it would write a file
    const std::string text = model_text(scene, settings);
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size())) != 0)
      throw std::runtime_error("MuJoCo took no file");
    const int at = mj_findFileVFS(files.get(), "scene.xml");
    std::memcpy(files->filedata[at], text.data(), text.size());
    char error[1000] = "";
    model_ = mj_loadXML("scene.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
    data_ = mj_makeData(model_);
    if (data_ == nullptr) {
      mj_deleteModel(model_);
      throw std::runtime_error("MuJoCo: no memory of this size");
    }
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {  // body 0 is the world
      std::copy(scene.bodies[i].force.begin(), scene.bodies[i].force.end(), data_->xfrc_applied + 6 * (i + 1));
      starts_.push_back(scene.bodies[i].pose);
    }
  }
  ~MuJoCo() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MuJoCo(const MuJoCo&) = delete;
  MuJoCo& operator=(const MuJoCo&) = delete;

  double step() override {
    const double start = nonsmooth::benchmarks::cpu_seconds();
    mj_step(model_, data_);
    return nonsmooth::benchmarks::cpu_seconds() - start;
  }
  void set_velocity(std::size_t body, const Vector& velocity) override {
    std::copy_n(velocity.begin(), guided(body) ? 1 : 3, data_->qvel + model_->jnt_dofadr[body]);
  }
  [[nodiscard]] long contacts() const override { return data_->ncon; }
  [[nodiscard]] Motion motion(std::size_t body) const override {
    const mjtNum* q = data_->qpos + model_->jnt_qposadr[body];
    const mjtNum* v = data_->qvel + model_->jnt_dofadr[body];
    Motion result{starts_[body], {v[0], 0.0, 0.0}, {}};
    if (guided(body)) {
      result.pose.position[0] += q[0];
      return result;
    }
    result.pose = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
    std::copy_n(v, 3, result.velocity.begin());
    mju_rotVecQuat(result.spin.data(), v + 3, q + 3);  // from the body's axes
    return result;
  }

 private:
  /// Each body has one joint, in their order.
  [[nodiscard]] bool guided(std::size_t body) const { return model_->jnt_type[body] == mjJNT_SLIDE; }

  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<Pose> starts_;
};

}  // namespace

std::unique_ptr<Engine> mujoco(const Scene& scene, Settings settings) {
  return std::make_unique<MuJoCo>(scene, settings);
}

}  // namespace engines
