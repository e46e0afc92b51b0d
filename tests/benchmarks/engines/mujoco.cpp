// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include <mujoco/mujoco.h>

namespace engines {
namespace {

/// The scene in MuJoCo's language. Its memory is dense: rows of constraints times velocities, so that it is asked for
/// no more contacts than fit into 2 GB.
std::string model_text(const Drop& drop) {
  const auto bodies = static_cast<long>(drop.poses.size());
  const long contacts = bodies >= 1000 ? 2733 : 8 * bodies;  // of three rows
  std::ostringstream text;
  text.precision(17);
  text << "<mujoco><size nconmax='" << contacts << "' njmax='" << 3 * contacts << "' nstack='"
       << std::min(400'000'000L, 20'000'000L + 100'000L * bodies) << "'/><option timestep='" << drop.step
       << "' gravity='0 0 " << -drop.gravity
       << "' solver='CG' cone='elliptic' impratio='10' iterations='100' tolerance='1e-12'/><default><geom friction='"
       << drop.friction << " 0.005 0.0001' condim='3' solref='" << 2.0 * drop.step
       << " 1' solimp='0.95 0.99 0.001'/></default><worldbody>";
  for (const Vector& n : {Vector{0.0, 0.0, 1.0}, Vector{1.0, 0.0, 0.0}, Vector{-1.0, 0.0, 0.0}, Vector{0.0, 1.0, 0.0},
                          Vector{0.0, -1.0, 0.0}}) {
    const double offset = n[2] > 0.0 ? 0.0 : -drop.half_width;
    text << "<geom type='plane' size='0 0 1' pos='" << offset * n[0] << ' ' << offset * n[1] << ' ' << offset * n[2]
         << "' zaxis='" << n[0] << ' ' << n[1] << ' ' << n[2] << "'/>";
  }
  for (const Pose& pose : drop.poses) {
    const auto& [x, q] = pose;
    text << "<body pos='" << x[0] << ' ' << x[1] << ' ' << x[2] << "' quat='" << q[0] << ' ' << q[1] << ' ' << q[2]
         << ' ' << q[3] << "'><freejoint/><geom mass='" << drop.mass << "' ";
    if (drop.radius > 0.0)
      text << "type='sphere' size='" << drop.radius << "'/></body>";
    else
      text << "type='box' size='" << drop.half_extents[0] << ' ' << drop.half_extents[1] << ' ' << drop.half_extents[2]
           << "'/></body>";
  }
  text << "</worldbody></mujoco>";
  return text.str();
}

class MuJoCo final : public Engine {
 public:
  explicit MuJoCo(const Drop& drop) {
    const std::string text = model_text(drop);
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    if (mj_makeEmptyFileVFS(files.get(), "drop.xml", static_cast<int>(text.size())) != 0)
      throw std::runtime_error("MuJoCo took no file");
    const int at = mj_findFileVFS(files.get(), "drop.xml");
    std::memcpy(files->filedata[at], text.data(), text.size());
    char error[1000] = "";
    model_ = mj_loadXML("drop.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
    data_ = mj_makeData(model_);
    if (data_ == nullptr) {
      mj_deleteModel(model_);
      throw std::runtime_error("MuJoCo: no memory of this size");
    }
  }
  ~MuJoCo() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MuJoCo(const MuJoCo&) = delete;
  MuJoCo& operator=(const MuJoCo&) = delete;

  void step() override { mj_step(model_, data_); }
  [[nodiscard]] long contacts() const override { return data_->ncon; }
  [[nodiscard]] Pose pose(std::size_t body) const override {
    const mjtNum* q = data_->qpos + 7 * body;
    return {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
  }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> mujoco(const Drop& drop) { return std::make_unique<MuJoCo>(drop); }

}  // namespace engines
