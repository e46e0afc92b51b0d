// SPDX-License-Identifier: Apache-2.0
#include "page_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>

namespace nonsmooth::scene {
namespace {

using Kind = SceneGeometry::Kind;

constexpr std::size_t kManyBodies = 1000;  // above, turns of balls are not kept
constexpr std::size_t kLookedAt = 60;      // frames, for the box
constexpr std::size_t kNamedOutside = 3;
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

/// Puts the shapes of all parts together: one that is the same in the next part goes on, one that is changed, gone or
/// new ends or begins there.
class ShapesOverParts {
 public:
  explicit ShapesOverParts(PageBodies& bodies) : bodies_(bodies) {}

  /// The next part; `numbers`: of its systems among all bodies.
  void add(const Scene& from, const std::vector<Index>& numbers, Index part) {
    std::vector<Index> geometries;
    for (std::size_t g = 0; g < from.geometries.size(); ++g) geometries.push_back(number_of(from.geometries[g], g));
    Going next;
    for (SceneShape shape : from.shapes) {
      shape.geometry = geometries[static_cast<std::size_t>(shape.geometry)];
      if (shape.body >= 0) shape.body = numbers[static_cast<std::size_t>(shape.body)];
      std::vector<Index>& before = going_[key_of(shape)];
      Index number = static_cast<Index>(bodies_.scene.shapes.size());
      if (before.empty()) {
        bodies_.scene.shapes.push_back(shape);
        bodies_.spans.push_back({part, part});
      } else {
        number = before.back();
        before.pop_back();
        bodies_.spans[static_cast<std::size_t>(number)].last = part;
      }
      next[key_of(shape)].push_back(number);
    }
    going_ = std::move(next);
  }

 private:
  using Key = std::tuple<Index, Index, Index, std::array<double, 7>>;
  using Going = std::map<Key, std::vector<Index>>;  // shapes of the part before that are not found again yet

  static Key key_of(const SceneShape& shape) {
    std::array<double, 7> place{};
    Eigen::Vector3d::Map(place.data()) = shape.position;
    Eigen::Vector4d::Map(place.data() + 3) = shape.orientation;
    return {shape.geometry, shape.body, shape.material, place};
  }
  /// Where a geometry is among all; most parts have them in the order of the first.
  Index number_of(const SceneGeometry& geometry, std::size_t likely) {
    std::vector<SceneGeometry>& all = bodies_.scene.geometries;
    if (likely < all.size() && all[likely] == geometry) return static_cast<Index>(likely);
    const auto at = std::find(all.begin(), all.end(), geometry);
    const auto number = static_cast<Index>(at - all.begin());
    if (at == all.end()) all.push_back(geometry);
    return number;
  }

  PageBodies& bodies_;
  Going going_;
};

}  // namespace

PageBodies page_bodies(const RunFile& run) {
  PageBodies bodies;
  std::map<std::pair<std::string, Index>, Index> known;
  const auto parts = static_cast<Index>(run.parts().size());
  ShapesOverParts shapes(bodies);
  for (Index p = 0; p < parts; ++p) {
    const Scene scene = read_scene(run, p);
    bodies.of_system.push_back(number_systems(run.parts()[static_cast<std::size_t>(p)], scene, known, bodies.names));
    bodies.there.resize(bodies.names.size(), {p, p});
    for (const Index body : bodies.of_system.back()) {
      if (body >= 0) bodies.there[static_cast<std::size_t>(body)].last = p;
    }
    bodies.dimension = std::max(bodies.dimension, scene.dimension);
    shapes.add(scene, bodies.of_system.back(), p);
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

namespace {

/// Where bodies are, by axis.
struct Extent {
  std::array<double, 3> low, high;

  Extent() {
    low.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
  }
  void add(const std::array<double, 3>& position) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], position[axis]);
      high[axis] = std::max(high[axis], position[axis]);
    }
  }
};

/// The box that most of some places need, by axis, and no larger than that of all.
PageBox box_around(std::array<std::vector<double>, 3>& values, Extent all, double largest) {
  PageBox box;
  double widest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double>& of_axis = values[axis];
    if (of_axis.empty()) {
      of_axis.push_back(0.0);
      all.low[axis] = all.high[axis] = 0.0;
    }
    std::sort(of_axis.begin(), of_axis.end());
    const auto last = static_cast<double>(of_axis.size() - 1);
    const double low = of_axis[static_cast<std::size_t>(kOutside * last)];
    const double high = of_axis[static_cast<std::size_t>((1.0 - kOutside) * last)];
    const double margin = kMargin * (high - low);
    box.low[axis] = std::max(all.low[axis], low - margin) - largest;
    box.high[axis] = std::min(all.high[axis], high + margin) + largest;
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

}  // namespace

PageBox box_of(const RunFile& run, const PageBodies& bodies, const std::vector<Index>& steps) {
  std::array<std::vector<double>, 3> values;  // of some frames, for what most bodies need
  Extent all;
  std::vector<Extent> own(bodies.names.size());
  std::vector<Index> nowhere(bodies.names.size(), -1);  // the first step without a finite position
  const double largest = bodies.sizes.empty() ? 0.0 : *std::max_element(bodies.sizes.begin(), bodies.sizes.end());
  const std::size_t stride = std::max<std::size_t>(1, steps.size() / kLookedAt);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto part = static_cast<std::size_t>(run.part_of(steps[k]));
    const Eigen::VectorXd q = run.positions(steps[k]);
    const std::vector<RunSystem>& systems = run.parts()[part].systems;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const Index body = bodies.of_system[part][s];
      if (body < 0) continue;
      const Placement place = placement_of(q.data() + systems[s].q, systems[s].nq);
      if (!place.is_somewhere()) {
        Index& first = nowhere[static_cast<std::size_t>(body)];
        if (first < 0) first = steps[k];
        continue;
      }
      all.add(place.position);
      own[static_cast<std::size_t>(body)].add(place.position);
      for (std::size_t axis = 0; axis < 3 && k % stride == 0; ++axis) values[axis].push_back(place.position[axis]);
    }
  }
  PageBox box = box_around(values, all, largest);
  for (std::size_t b = 0; b < own.size(); ++b) {
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      inside = inside && !(own[b].low[axis] < box.low[axis]) && !(own[b].high[axis] > box.high[axis]);
    if (!inside) box.outside.push_back(static_cast<Index>(b));
    if (nowhere[b] >= 0) box.nowhere.push_back({static_cast<Index>(b), nowhere[b]});
  }
  return box;
}

namespace {

/// The first names of so many, `text_of(k)` for the k-th.
template <class Text>
std::string first_of(std::size_t count, Text text_of) {
  std::string names;
  for (std::size_t k = 0; k < std::min(kNamedOutside, count); ++k) names += (k > 0 ? ", " : "") + text_of(k);
  return names + (count > kNamedOutside ? ", ..." : "");
}

}  // namespace

std::string told_outside(const PageBox& box, const PageBodies& bodies, const std::vector<double>& times) {
  const auto name = [&](Index body) { return bodies.names[static_cast<std::size_t>(body)]; };
  const std::size_t leaving = box.outside.size(), lost = box.nowhere.size();
  const std::string names = first_of(leaving, [&](std::size_t k) { return name(box.outside[k]); });
  std::string told;
  if (leaving == 1) told = names + " leaves the box that is shown and stands at its side then";
  if (leaving > 1) {
    told = std::to_string(leaving) + " bodies leave the box that is shown and stand at its side then: " + names;
  }
  if (lost == 0) return told;
  if (leaving > 0) told += "; ";
  const std::string lost_names = first_of(lost, [&](std::size_t k) {
    std::ostringstream text;
    text << name(box.nowhere[k].body) << (lost == 1 ? " has no finite position" : "")
         << " from t = " << times[static_cast<std::size_t>(box.nowhere[k].step)];
    return text.str();
  });
  if (lost == 1) return told + lost_names + " and is not drawn then";
  return told + std::to_string(lost) + " bodies have no finite position and are not drawn then: " + lost_names;
}

}  // namespace nonsmooth::scene
