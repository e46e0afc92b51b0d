// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

using namespace nonsmooth;

Picture picture(const Network& network, const Shown& shown, const std::filesystem::path& file) {
  std::vector<double> toll, revenue, time;
  std::vector<std::vector<double>> flows(network.groups.size());
  for (double P = 16.0; P <= 56.0; P += 0.02) {
    toll.push_back(network.toll(P)), revenue.push_back(network.revenue(P)), time.push_back(network.all_time(P));
    for (std::size_t k = 0; k < flows.size(); ++k) flows[k].push_back(network.groups[k].flow(P));
  }
  const double most = 40.0;
  Panel earned{.x = {"toll [min]", 0.0, most}, .y = {.label = "revenue [1000 veh min/h]", .low = 0.0}};
  earned.series = {{.x = toll, .y = revenue, .label = "every toll"},
                   {.x = shown.local_toll,
                    .y = shown.local_revenue,
                    .label = "relaxation ends here",
                    .style = Series::Style::Markers},
                   {.x = {shown.best_toll},
                    .y = {shown.best_revenue},
                    .label = "branch and bound",
                    .style = Series::Style::Markers}};
  Panel spent{.x = {"toll [min]", 0.0, most}, .y = {.label = "time of all drivers [1000 veh min/h]"}};
  spent.series = {{.x = toll, .y = time, .label = "time on the road"},
                  {.x = {shown.planner_toll},
                   .y = {shown.planner_time},
                   .label = "the planner's toll",
                   .style = Series::Style::Markers}};
  Panel used{.x = {"toll [min]", 0.0, most}, .y = {.label = "flow on the toll road [1000 veh/h]", .low = 0.0}};
  for (std::size_t k = 0; k < flows.size(); ++k)
    used.series.push_back({.x = toll, .y = flows[k], .label = "group " + std::to_string(k + 1)});
  return draw(
      {.title = "A toll, and drivers who answer it", .panels = {earned, used, spent}, .width = 900, .height = 950},
      file);
}
