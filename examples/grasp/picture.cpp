// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>

using namespace nonsmooth;

namespace {

/// Seen from above [mm]: each finger's force across the axis, drawn up to where it acts, 5 mm/N; the pull from the
/// axis.
Panel seen(const Eigen::VectorXd& x, double pull, const std::string& label) {
  Panel panel{.x = {label, -110.0, 110.0}, .y = {"y [mm]", -95.0, 95.0}, .same_units = true};
  Series circle{.label = "cylinder", .style = Series::Style::Bodies}, load{.label = "pull"};
  for (int degrees = 0; degrees <= 360; degrees += 5) {
    circle.x.push_back(40.0 * std::cos(degrees * std::numbers::pi / 180.0));
    circle.y.push_back(40.0 * std::sin(degrees * std::numbers::pi / 180.0));
  }
  for (const double part : {0.0, 1.0, 0.8})
    load.x.push_back(5.0 * pull * part), load.y.push_back(part == 0.8 ? 3.0 : 0.0);
  load.x.insert(load.x.end(), {5.0 * pull, 4.0 * pull}), load.y.insert(load.y.end(), {0.0, -3.0});
  panel.series = {circle, load};
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector3d at = 40.0 * outwards(i), along = Eigen::Vector3d::UnitZ().cross(outwards(i));
    const Eigen::Vector3d tail = at + 5.0 * (x[3 * i] * outwards(i) - x[3 * i + 1] * along);
    panel.segments.x_0.push_back(tail[0]), panel.segments.y_0.push_back(tail[1]);
    panel.segments.x_1.push_back(at[0]), panel.segments.y_1.push_back(at[1]);
    panel.segments.value.push_back(x[3 * i]);
  }
  panel.segments.colour = {.label = "normal force [N]", .low = 0.0, .high = 9.0};
  return panel;
}

}  // namespace

Picture picture(const Shown& shown, const std::filesystem::path& file) {
  Panel curves{.x = {.label = "pull H [N]"}, .y = {.label = "hardest finger [N]", .low = 0.0}};
  curves.series = {{.x = shown.H, .y = shown.towards_form, .label = "closed form", .style = Series::Style::Guide},
                   {.x = shown.H, .y = shown.away_form, .style = Series::Style::Guide},
                   {.x = shown.H, .y = shown.towards, .label = "towards a finger", .style = Series::Style::Markers},
                   {.x = shown.H, .y = shown.away, .label = "away from it", .style = Series::Style::Markers}};
  Panel directions{.x = {.label = "direction of the pull [deg]", .low = 0.0, .high = 360.0},
                   .y = {.label = "hardest finger [N]", .low = 0.0}};
  std::vector<double> degrees;
  for (int angle = 0; angle <= 360; angle += 5) degrees.push_back(angle);
  for (std::size_t k = 0; k < shown.turned.size(); ++k)
    directions.series.push_back({.x = degrees, .y = shown.turned[k], .label = std::to_string(2 * k + 2) + " N"});
  return draw({.title = "How hard three fingers must press",
               .panels = {seen(shown.pulled_towards, 6.0, "pulled towards a finger: x [mm]"),
                          seen(shown.pulled_away, -6.0, "pulled away from it: x [mm]"), curves, directions},
               .width = 1000,
               .height = 820,
               .columns = 2},
              file);
}
