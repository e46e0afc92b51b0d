// SPDX-License-Identifier: Apache-2.0
#include "page_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <Eigen/Geometry>

namespace nonsmooth::scene {
namespace {

using Kind = SceneGeometry::Kind;

constexpr std::size_t kManyBodies = 1000;  // above, turns of balls are not kept
constexpr std::size_t kLookedAt = 60;      // steps, for the box
constexpr double kOutside = 0.002, kMargin = 0.5;

/// Of the positions of a body with so many coordinates.
Index axes_of(Index nq) { return nq >= 6 ? 3 : std::min<Index>(nq, 2); }

/// Where the systems of a part go among the bodies of all.
std::vector<Index> number_systems(const RunPart& part, const Scene& scene,
                                  std::map<std::pair<std::string, Index>, Index>& known,
                                  std::vector<std::string>& names) {
  std::vector<char> drawn(part.systems.size(), 0);
  for (const SceneShape& shape : scene.shapes) {
    if (shape.body >= 0) drawn[static_cast<std::size_t>(shape.body)] = 1;
  }
  std::map<std::string, Index> seen;
  std::vector<Index> numbers(part.systems.size(), -1);
  for (std::size_t s = 0; s < part.systems.size(); ++s) {
    const std::string& name = part.systems[s].name;
    const Index place = seen[name]++;
    if (drawn[s] == 0) continue;
    const auto [at, is_new] = known.try_emplace({name, place}, static_cast<Index>(names.size()));
    if (is_new) names.push_back(name.empty() ? "body " + std::to_string(s) : name);
    numbers[s] = at->second;
  }
  return numbers;
}

/// The shapes of a part that no part before had.
void add_shapes(const Scene& from, const std::vector<Index>& numbers, Scene& all) {
  for (SceneShape shape : from.shapes) {
    const SceneGeometry& geometry = from.geometries[static_cast<std::size_t>(shape.geometry)];
    const auto at = std::find(all.geometries.begin(), all.geometries.end(), geometry);
    shape.geometry = static_cast<Index>(at - all.geometries.begin());
    if (at == all.geometries.end()) all.geometries.push_back(geometry);
    if (shape.body >= 0) shape.body = numbers[static_cast<std::size_t>(shape.body)];
    all.shapes.push_back(shape);
  }
}

}  // namespace

PageBodies page_bodies(const RunFile& run) {
  PageBodies bodies;
  std::map<std::pair<std::string, Index>, Index> known;
  const auto parts = static_cast<Index>(run.parts().size());
  for (Index p = 0; p < parts; ++p) {
    const Scene scene = read_scene(run, p);
    const std::size_t before = bodies.names.size();
    bodies.of_system.push_back(number_systems(run.parts()[static_cast<std::size_t>(p)], scene, known, bodies.names));
    bodies.dimension = std::max(bodies.dimension, scene.dimension);
    if (p == 0) {
      add_shapes(scene, bodies.of_system.back(), bodies.scene);
    } else {  // of later parts, what came
      Scene news = scene;
      std::erase_if(news.shapes, [&](const SceneShape& shape) {
        return shape.body < 0 ||
               bodies.of_system.back()[static_cast<std::size_t>(shape.body)] < static_cast<Index>(before);
      });
      add_shapes(news, bodies.of_system.back(), bodies.scene);
    }
  }
  bodies.sizes.assign(bodies.names.size(), 0.0);
  std::vector<char> round(bodies.names.size(), 1);
  for (const SceneShape& shape : bodies.scene.shapes) {
    if (shape.body < 0) continue;
    const auto b = static_cast<std::size_t>(shape.body);
    const SceneGeometry& geometry = bodies.scene.geometries[static_cast<std::size_t>(shape.geometry)];
    bodies.sizes[b] = std::max(bodies.sizes[b], shape.position.norm() + geometry.size);
    if ((geometry.kind != Kind::Sphere && geometry.kind != Kind::Disk) || shape.position.norm() > 0.0) round[b] = 0;
  }
  for (std::size_t b = 0; b < round.size(); ++b) {
    if (round[b] == 0 || round.size() <= kManyBodies) bodies.turning.push_back(static_cast<Index>(b));
  }
  return bodies;
}

Placement placement_of(const double* q, Index nq) {
  Placement place;
  const Index coordinates = axes_of(nq);
  for (Index k = 0; k < coordinates; ++k) place.position[static_cast<std::size_t>(k)] = q[k];
  if (nq == 7) {
    for (Index k = 0; k < 4; ++k) place.turn[static_cast<std::size_t>(k)] = q[3 + k];
  } else if (nq == 3) {
    place.angle = q[2];
    place.turn = {std::cos(0.5 * q[2]), 0.0, 0.0, std::sin(0.5 * q[2])};
  }
  return place;
}

Motion motion_of(const double* z, Index n, Index nq, const Placement& place) {
  Motion motion;
  for (Index k = 0; k < std::min(axes_of(nq), n); ++k) motion.velocity[k] = z[k];
  if (nq == 7 && n == 6) {
    const auto& [w, x, y, p] = place.turn;
    motion.angular = Eigen::Quaterniond(w, x, y, p) * Eigen::Vector3d(z[3], z[4], z[5]);
  } else if (nq == 3 && n == 3) {
    motion.angular.z() = z[2];
  }
  return motion;
}

std::uint8_t speed_code(double speed, double largest) {
  if (!(speed > 0.0) || !(largest > 0.0)) return 0;  // NaN too
  const double code = 255.0 + 254.0 / speed_decades * std::log10(speed / largest);
  return static_cast<std::uint8_t>(std::lround(std::clamp(code, 0.0, 255.0)));
}

std::uint16_t PageBox::place(double value, std::size_t axis) const {
  const double share = (value - low[axis]) / (high[axis] - low[axis]);
  if (!(share > 0.0)) return 1;  // NaN too
  return static_cast<std::uint16_t>(1 + std::lround(65534.0 * std::min(share, 1.0)));
}

PageBox box_of(const RunFile& run, const PageBodies& bodies, const std::vector<Index>& steps) {
  std::array<std::vector<double>, 3> values;  // of some frames, for what most bodies need
  std::array<double, 3> lowest, highest;      // of all
  lowest.fill(std::numeric_limits<double>::infinity());
  highest.fill(-std::numeric_limits<double>::infinity());
  double largest = 0.0;
  for (const double size : bodies.sizes) largest = std::max(largest, size);
  const std::size_t stride = std::max<std::size_t>(1, steps.size() / kLookedAt);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Index part = run.part_of(steps[k]);
    const Eigen::VectorXd q = run.positions(steps[k]);
    const std::vector<RunSystem>& systems = run.parts()[static_cast<std::size_t>(part)].systems;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      if (bodies.of_system[static_cast<std::size_t>(part)][s] < 0) continue;
      const Placement place = placement_of(q.data() + systems[s].q, systems[s].nq);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double x = place.position[axis];
        if (!std::isfinite(x)) continue;
        lowest[axis] = std::min(lowest[axis], x);
        highest[axis] = std::max(highest[axis], x);
        if (k % stride == 0) values[axis].push_back(x);
      }
    }
  }
  PageBox box;
  double widest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double>& of_axis = values[axis];
    if (of_axis.empty()) {
      of_axis.push_back(0.0);
      lowest[axis] = highest[axis] = 0.0;
    }
    std::sort(of_axis.begin(), of_axis.end());
    const auto last = static_cast<double>(of_axis.size() - 1);
    const double low = of_axis[static_cast<std::size_t>(kOutside * last)];
    const double high = of_axis[static_cast<std::size_t>((1.0 - kOutside) * last)];
    const double margin = kMargin * (high - low);
    box.low[axis] = std::max(lowest[axis], low - margin) - largest;
    box.high[axis] = std::min(highest[axis], high + margin) + largest;
    widest = std::max(widest, box.high[axis] - box.low[axis]);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {  // no side of length zero
    const double least = widest > 0.0 ? 1e-3 * widest : 1.0;
    if (box.high[axis] - box.low[axis] >= least) continue;
    const double middle = 0.5 * (box.low[axis] + box.high[axis]);
    box.low[axis] = middle - 0.5 * least;
    box.high[axis] = middle + 0.5 * least;
  }
  return box;
}

}  // namespace nonsmooth::scene
