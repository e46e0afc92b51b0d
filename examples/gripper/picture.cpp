// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "grasp.hpp"

using namespace nonsmooth;

namespace {

// The box, a jaw and the palm as they are seen along x.
Panel seen(const Run& run, const State& x) {
  Panel panel{.x = {"y [m]", -0.25, 0.25}, .y = {"z [m]", 0.0, 0.45}, .same_units = true};
  panel.series.push_back({.x = {-0.25, 0.25}, .y = {0.0, 0.0}, .style = Series::Style::Ground});
  const double palm = kReach + kPalm[2];
  for (const auto& [body, half, above] :
       {std::tuple{run.box, kHalf, 0.0}, {run.jaws[0], kJaw, 0.0}, {run.hand, kPalm, palm}}) {
    const auto q = x.q(body);
    const double angle = 2.0 * std::atan2(q[4], q[3]), c = std::cos(angle), s = std::sin(angle);
    Series outline{.style = Series::Style::Bodies};
    for (const auto& [a, b] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}}) {
      const double along = a * half[1], up = above + b * half[2];
      outline.x.push_back(q[1] + c * along - s * up);
      outline.y.push_back(q[2] + s * along + c * up);
    }
    panel.series.push_back(outline);
  }
  return panel;
}

}  // namespace

Picture picture(const Run& run, const std::filesystem::path& file) {
  std::vector<Panel> panels;
  for (const State& x : run.shown) panels.push_back(seen(run, x));
  return draw({.title = "A box taken, lifted, turned and put back",
               .panels = panels,
               .width = 800,
               .height = 640,
               .columns = 2},
              file);
}
