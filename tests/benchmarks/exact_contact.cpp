// SPDX-License-Identifier: Apache-2.0
// Scenes whose motion is known: how far off time-stepping is, what a step costs, and how far off rigid-body engines are
// where they are installed. SI units, g = 9.81. Everything rests for 0.5 s before it is pushed.
//
//   slope     box of 0.2 x 0.2 x 0.1 m on 20 degrees: mu = 0.5 holds it for 10 s; mu = 0.3 lets it slide for 2 s
//   straight  the same box pushed at 2 m/s over a plane, mu = 0.5, at 0, 22.5 and 45 degrees
//   thrown    a cube of 0.2 m pushed at 6 m/s, mu = 0.5: it stops after v^2 / (2 mu g) and stays flat
//   rolling   a ball of 0.1 m pushed at 2 m/s, mu = 0.3: it rolls from 2 v / (7 mu g) on, at 5/7 v
//   grasp     a capsule of 45 g between two pads, mu = 0.7, pressed by 12 and by 60 N: it hangs for 10 s
//   heavy     a cube of 0.2 m on one that is 1 to 1000 times lighter, edges on edges and 1 mm aside, 5 s
//   bouncing  a ball of 0.1 m dropped from 1 m, e = 0.9: apex n at 0.81^n, 12 s
//   tower     ten cubes of 0.2 m, edges on edges and up to 1 mm aside, 30 s
//
// One code measures all, on positions, orientations and velocities alone: gaps and ways are of the bodies' corners and
// centres. Exits nonzero where a step of ours fails or a stack of ours falls.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <benchmarks/engines/known_motions.hpp>
#include <benchmarks/engines/our_engine.hpp>

namespace {

using namespace nonsmooth;
using namespace nonsmooth::benchmarks;
using Eigen::Vector3d;
using engines::Engine;

constexpr double kRest = 0.5, kDegree = std::numbers::pi / 180.0;
constexpr double kFallen = std::numeric_limits<double>::infinity();

using Maker = std::function<std::unique_ptr<Engine>(const engines::Scene&)>;
/// What a code came to in a scene, each with its name.
using Figures = std::vector<std::pair<std::string, double>>;

/// Goes on for T and says what a step took [us].
template <class Observer>
double run(Engine& engine, double T, double h, Observer&& observer) {
  const auto steps = static_cast<long>(std::lround(T / h));
  double total = 0.0;
  for (long k = 1; k <= steps; ++k) {
    total += engine.step();
    observer(static_cast<double>(k) * h);
  }
  return 1e6 * total / static_cast<double>(steps);
}

void rest(Engine& engine, double h) {
  (void)run(engine, kRest, h, [](double) {});
}

Figures slope(const Maker& make, double h) {
  const double a = 20.0 * kDegree;
  const Vector3d half(0.1, 0.1, 0.05), normal(std::sin(a), 0.0, std::cos(a)), downhill(std::cos(a), 0.0, -std::sin(a));
  Figures figures;
  for (const bool holds : {true, false}) {
    engines::Scene scene = on_plane(holds ? 0.5 : 0.3, 0.0, h);
    scene.planes[0].normal = plain(normal);
    scene.bodies.push_back(box(1.0, half, half[2] * normal, a));
    const auto engine = make(scene);
    const Vector3d start = place(engine->motion(0));
    Vector3d middle = start;
    double highest = 0.0;
    const double T = holds ? 10.0 : 2.0;
    const double cost = run(*engine, T, h, [&](double t) {
      const engines::Motion now = engine->motion(0);
      highest = std::max(highest, gaps_over_plane(now, half, normal).highest);
      if (t < 0.5 * T + 0.5 * h) middle = place(now);
    });
    const Vector3d end = place(engine->motion(0));
    if (holds) {
      figures.emplace_back("slope, mu = 0.5: way in 10 s [m]", downhill.dot(end - start));
      figures.emplace_back("... creeps in the last 5 s [m/s]", downhill.dot(end - middle) / (0.5 * T));
      figures.emplace_back("... CPU [us a step]", cost);
    } else {
      const double exact = 0.5 * kGravity * (std::sin(a) - scene.friction * std::cos(a)) * T * T;
      figures.emplace_back("slope, mu = 0.3: way off by, of it", downhill.dot(end - start) / exact - 1.0);
      figures.emplace_back("... lifts a corner by [m]", highest);
    }
  }
  return figures;
}

Figures straight(const Maker& make, double h) {
  const Vector3d half(0.1, 0.1, 0.05);
  const double speed = 2.0, mu = 0.5, exact = speed * speed / (2.0 * mu * kGravity);
  Figures figures;
  for (const double degrees : {0.0, 22.5, 45.0}) {
    const double a = degrees * kDegree;
    engines::Scene scene = on_plane(mu, 0.0, h);
    scene.bodies.push_back(box(1.0, half, {0.0, 0.0, half[2]}));
    const auto engine = make(scene);
    rest(*engine, h);
    const Vector3d start = place(engine->motion(0));
    engine->set_velocity(0, plain(speed * Vector3d(std::cos(a), std::sin(a), 0.0)));
    double yaw = 0.0;
    (void)run(*engine, 2.0, h, [&](double) {
      const Eigen::Matrix3d R = turn(engine->motion(0));
      yaw = std::max(yaw, std::abs(std::atan2(R(1, 0), R(0, 0))));
    });
    const Vector3d way = place(engine->motion(0)) - start;
    char angle[16];
    std::snprintf(angle, sizeof angle, "%.1f", degrees);
    figures.emplace_back(std::string("pushed at ") + angle + " degrees: way off by, of it",
                         std::hypot(way[0], way[1]) / exact - 1.0);
    figures.emplace_back("... bends by [degrees]", std::atan2(way[1], way[0]) / kDegree - degrees);
    figures.emplace_back("... turns by [degrees]", yaw / kDegree);
  }
  return figures;
}

Figures thrown(const Maker& make, double h) {
  const Vector3d half = Vector3d::Constant(0.1);
  const double speed = 6.0, mu = 0.5, exact = speed * speed / (2.0 * mu * kGravity);
  engines::Scene scene = on_plane(mu, 0.0, h);
  scene.bodies.push_back(box(1.0, half, {0.0, 0.0, half[2]}));
  const auto engine = make(scene);
  rest(*engine, h);
  const Vector3d start = place(engine->motion(0));
  engine->set_velocity(0, {speed, 0.0, 0.0});
  double highest = 0.0;
  const double cost = run(*engine, 2.0, h, [&](double) {
    highest = std::max(highest, gaps_over_plane(engine->motion(0), half, Vector3d::UnitZ()).highest);
  });
  return {{"cube at 6 m/s: way off by, of mu g h^2",
           (place(engine->motion(0))[0] - start[0] - exact) / (mu * kGravity * h * h)},
          {"... lifts a corner by [m]", highest},
          {"... CPU [us a step]", cost}};
}

Figures rolling(const Maker& make, double h) {
  const double radius = 0.1, speed = 2.0, mu = 0.3;
  engines::Scene scene = on_plane(mu, 0.0, h);
  scene.bodies.push_back(ball(radius, radius));
  const auto engine = make(scene);
  rest(*engine, h);
  engine->set_velocity(0, {speed, 0.0, 0.0});
  double rolls = 0.0, before = speed;
  (void)run(*engine, 2.0, h, [&](double t) {
    const engines::Motion now = engine->motion(0);
    const double slip = now.velocity[0] - radius * now.spin[1], threshold = 0.01 * speed;
    if (rolls == 0.0 && slip < threshold) rolls = t - h * (threshold - slip) / (before - slip);
    before = slip;
  });
  return {{"ball: rolls off by, of its time", rolls / (0.99 * 2.0 * speed / (7.0 * mu * kGravity)) - 1.0},
          {"... velocity off by, of it", engine->motion(0).velocity[0] / (5.0 / 7.0 * speed) - 1.0}};
}

Figures grasp(const Maker& make, double h) {
  const double radius = 0.01, half_length = 0.02, height = 1.0;
  const Vector3d pad(0.01, 0.03, 0.03);
  Figures figures;
  for (const double force : {12.0, 60.0}) {
    engines::Scene scene = on_plane(0.7, 0.0, h);
    engines::Body capsule;  // along x, held at its two ends
    capsule.mass = 0.045;
    capsule.radius = radius;
    capsule.half_length = half_length;
    capsule.pose = {{0.0, 0.0, height}, {std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0}};
    scene.bodies.push_back(capsule);
    for (const double side : {-1.0, 1.0}) {
      scene.bodies.push_back(box(0.5, pad, {side * (half_length + radius + pad[0]), 0.0, height}));
      scene.bodies.back().force = {-side * force, 0.0, 0.0};
      scene.bodies.back().guided = true;
    }
    const auto engine = make(scene);
    rest(*engine, h);
    const double start = place(engine->motion(0))[2];
    const double cost = run(*engine, 10.0, h, [](double) {});
    const double end = place(engine->motion(0))[2];
    figures.emplace_back("grasp of " + std::to_string(static_cast<int>(force)) + " N: slips in 10 s by [m]",
                         std::abs(end - height) < pad[2] ? start - end : kFallen);
    if (force > 50.0) figures.emplace_back("... CPU [us a step]", cost);
  }
  return figures;
}

/// Cubes on one another, each `aside` of the one below in turn.
Figures stack(const Maker& make, const std::string& name, const std::vector<double>& masses, double aside, double h,
              double T) {
  const double half = 0.1;
  engines::Scene scene = on_plane(0.5, 0.0, h);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    scene.bodies.push_back(box(masses[i], Vector3d::Constant(half),
                               {aside * static_cast<double>(i % 2), 0.5 * aside * static_cast<double>(i % 3),
                                half * static_cast<double>(2 * i + 1)}));
  }
  const auto engine = make(scene);
  const std::size_t count = masses.size();
  std::vector<Vector3d> starts;
  for (std::size_t i = 0; i < count; ++i) starts.push_back(place(engine->motion(i)));
  double deepest = 0.0, moved = 0.0;
  bool stands = true;
  const double cost = run(*engine, T, h, [&](double) {
    std::vector<engines::Motion> now;
    for (std::size_t i = 0; i < count; ++i) {
      now.push_back(engine->motion(i));
      const Vector3d way = place(now[i]) - starts[i];
      moved = std::max(moved, way.head<2>().norm());
      stands = stands && way.norm() < half;
    }
    deepest = std::max(deepest, -gaps_over_plane(now[0], Vector3d::Constant(half), Vector3d::UnitZ()).lowest);
    for (std::size_t i = 1; i < count; ++i) deepest = std::max(deepest, -gap_between(now[i - 1], now[i], half));
  });
  return {
      {name + (aside > 0.0 ? ", 1 mm aside" : ", edges on edges") + ": moves aside by [m]", stands ? moved : kFallen},
      {"... penetrates by [m]", stands ? deepest : kFallen},
      {"... CPU [us a step]", cost}};
}

Figures bouncing(const Maker& make, double h) {
  const double radius = 0.1, drop = 1.0, e = 0.9;
  engines::Scene scene = on_plane(0.0, e, h);
  scene.bodies.push_back(ball(radius, radius + drop));
  const auto engine = make(scene);
  std::vector<double> apexes;
  double before = 0.0, lowest = kGravity * drop, gained = 0.0;
  (void)run(*engine, 12.0, h, [&](double) {
    const engines::Motion motion = engine->motion(0);
    const double v = motion.velocity[2], now = kGravity * (motion.pose.position[2] - radius) + 0.5 * v * v;
    if (before > 0.0 && v <= 0.0) {  // energies are compared at apexes: contacts of some engines are springs
      apexes.push_back(now / (kGravity * drop));
      gained = std::max(gained, now - lowest);
      lowest = std::min(lowest, now);
    }
    before = v;
  });
  Figures figures;
  for (const std::size_t n : {1u, 5u, 20u}) {
    const std::string name = "apex " + std::to_string(n) + " off by, of it";
    figures.emplace_back((n == 1 ? "ball dropped, e = 0.9: " : "... ") + name,
                         n <= apexes.size() ? apexes[n - 1] / std::pow(e * e, static_cast<double>(n)) - 1.0
                                            : std::numeric_limits<double>::quiet_NaN());
  }
  figures.emplace_back("... gains from apex to apex at most [J]", gained);
  return figures;
}

std::vector<std::function<Figures(const Maker&)>> scenes(double h) {
  std::vector<std::function<Figures(const Maker&)>> result;
  for (const auto& scene : {slope, straight, thrown, rolling, grasp})
    result.emplace_back([=](const Maker& make) { return scene(make, h); });
  for (const double aside : {0.0, 1e-3}) {
    for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) {
      const std::string name = "cube on one " + std::to_string(static_cast<int>(ratio)) + " times lighter";
      result.emplace_back([=](const Maker& make) { return stack(make, name, {1.0, ratio}, aside, h, 5.0); });
    }
  }
  result.emplace_back([=](const Maker& make) { return bouncing(make, h); });
  for (const double aside : {0.0, 1e-3})
    result.emplace_back(
        [=](const Maker& make) { return stack(make, "ten cubes", std::vector<double>(10, 1.0), aside, h, 30.0); });
  return result;
}

struct Code {
  std::string name;
  Maker make;
};

std::vector<Code> others([[maybe_unused]] engines::Settings settings) {
  std::vector<Code> result;
#ifdef NONSMOOTH_HAVE_ODE
  result.push_back({"ODE", [=](const engines::Scene& scene) { return engines::ode(scene, settings); }});
#endif
#ifdef NONSMOOTH_HAVE_BULLET
  for (const auto& [name, precision] :
       {std::pair{"Bullet", engines::Precision::Single}, {"Bullet, double", engines::Precision::Double}})
    result.push_back({name, [settings, precision = precision](const engines::Scene& scene) {
                        return engines::bullet(scene, settings, precision);
                      }});
#endif
#ifdef NONSMOOTH_HAVE_MUJOCO
  result.push_back({"MuJoCo", [=](const engines::Scene& scene) { return engines::mujoco(scene, settings); }});
#endif
  return result;
}

bool wrong = false;  // a step of ours failed, or a stack fell

/// All scenes by one code.
Figures all_scenes(const Maker& make, double h) {
  Figures result;
  for (const auto& scene : scenes(h)) {
    const Figures figures = scene(make);
    result.insert(result.end(), figures.begin(), figures.end());
  }
  return result;
}

Figures our_figures(double h) {
  const auto failed = [](const std::string& message) {
    if (!wrong) std::printf("FAILED: %s\n", message.c_str());
    wrong = true;
  };
  Figures result =
      all_scenes([&](const engines::Scene& scene) { return std::make_unique<OurEngine>(scene, 1e-12, failed); }, h);
  for (const auto& [name, value] : result) wrong = wrong || std::isinf(value);
  return result;
}

void print_table(const Figures& ours, double h, engines::Settings settings) {
  const std::vector<Code> codes = others(settings);
  std::vector<Figures> columns{ours};
  std::printf(
      "\nh = %.6f s, %s\n\n| scene | ours |", h,
      settings == engines::Settings::Default ? "engines as they come" : "engines with their most exact settings");
  for (const Code& code : codes) std::printf(" %s |", code.name.c_str());
  std::printf("\n| --- | ---: |");
  for (std::size_t i = 0; i < codes.size(); ++i) std::printf(" ---: |");
  std::printf("\n");
  for (const Code& code : codes) columns.push_back(all_scenes(code.make, h));
  for (std::size_t row = 0; row < ours.size(); ++row) {
    std::printf("| %s |", ours[row].first.c_str());
    for (const Figures& column : columns) {
      const double value = column[row].second;
      if (std::isinf(value))
        std::printf(" falls |");
      else if (std::isnan(value))
        std::printf(" none |");
      else
        std::printf(" %.2g |", value);
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--benchmark_list_tests") {  // as the other programs that measure
    std::puts("slope, straight, thrown, rolling, grasp, heavy, bouncing, tower");
    return 0;
  }
  for (const double h : {1.0 / 240.0, 1e-3}) {
    const Figures ours = our_figures(h);
    for (const auto settings : {engines::Settings::Default, engines::Settings::Accurate})
      print_table(ours, h, settings);
    std::fflush(stdout);
  }
  return wrong ? 1 : 0;
}
