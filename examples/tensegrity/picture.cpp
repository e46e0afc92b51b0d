// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <utility>
#include <vector>

#include "prism.hpp"

using namespace nonsmooth;

namespace {

// Seen from the side and a little above, moved aside.
std::pair<double, double> seen(const Eigen::Vector3d& point, double aside) {
  const double turn = 0.35, lift = 0.2;
  return {std::cos(turn) * point[0] + std::sin(turn) * point[1] + aside,
          point[2] + lift * (std::cos(turn) * point[1] - std::sin(turn) * point[0])};
}

}  // namespace

Picture picture(const std::vector<Shot>& shots, const Table& fall, const Table& push,
                const std::filesystem::path& file) {
  constexpr std::size_t kShown = 8;
  constexpr double kAside = 0.95, kNaN = std::numeric_limits<double>::quiet_NaN();
  Panel scene{.x = {.label = "0.95 m more every 50 ms [m]", .low = -0.5, .high = kAside * (kShown - 1) + 0.5},
              .y = {.label = "z [m]", .low = -0.1, .high = 1.5},
              .same_units = true};
  scene.series.push_back({.x = {-0.5, kAside * (kShown - 1) + 0.5}, .y = {0.0, 0.0}, .style = Series::Style::Guide});
  scene.segments = {.widest = 4.0, .colour = {.label = "tension [N]"}};
  Series struts;
  const auto all = cables();
  for (std::size_t k = 0; k < kShown && 7 + k < shots.size(); ++k) {
    const Shot& shot = shots[7 + k];  // from before it lands
    const double aside = kAside * static_cast<double>(k);
    for (std::size_t i = 0; i < 3; ++i) {
      for (const Eigen::Vector3d& end : {shot.low[i], shot.high[i]}) {
        const auto [x, y] = seen(end, aside);
        struts.x.push_back(x), struts.y.push_back(y);
      }
      struts.x.push_back(kNaN), struts.y.push_back(kNaN);
    }
    for (std::size_t i = 0; i < 9; ++i) {
      const auto end = [&](std::size_t strut, bool high) {
        return seen(high ? shot.high[strut] : shot.low[strut], aside);
      };
      const auto [x_0, y_0] = end(all[i].first, all[i].first_high);
      const auto [x_1, y_1] = end(all[i].second, all[i].second_high);
      scene.segments.x_0.push_back(x_0), scene.segments.y_0.push_back(y_0);
      scene.segments.x_1.push_back(x_1), scene.segments.y_1.push_back(y_1);
      scene.segments.value.push_back(shot.tension[i]);
    }
  }
  scene.series.push_back(struts);
  const auto &t = fall.column("t"), &t_push = push.column("t");
  Panel tension =
      time_series(t, "tension [N]", {{fall.column("vertical"), "vertical"}, {fall.column("horizontal"), "horizontal"}});
  Panel height = time_series(t, "height of the centre [m]", {{fall.column("height")}});
  Panel slack = time_series(t, "slack cables", {{fall.column("slack")}});
  for (Panel* panel : {&tension, &height, &slack}) panel->x.low = 0.3, panel->x.high = 1.5;
  Panel lean = time_series(t_push, "lean, pushed [rad]", {{push.column("beta"), "in space"}});
  lean.series.push_back(
      {.x = t_push, .y = push.column("exact beta"), .label = "two equations", .style = Series::Style::Dashed});
  return draw({.title = "A prism of three struts and nine cables falls",
               .panels = {scene, height, tension, slack, lean},
               .width = 1000,
               .height = 1300},
              file);
}
