// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <sstream>

using namespace nonsmooth;

namespace {

std::string rounded(double value) {
  std::ostringstream text;
  text.precision(3);
  text << value;
  return text.str();
}

}  // namespace

double Road::time(double v) const { return free + slope * std::pow(v, power); }

Network braess(bool bridge) {
  Network network{
      .places = {{0.0, 0.5}, {0.5, 1.0}, {0.5, 0.0}, {1.0, 0.5}},
      .roads = {{0, 1, 0.0, 10.0, 1.0}, {0, 2, 50.0, 1.0, 1.0}, {1, 3, 50.0, 1.0, 1.0}, {2, 3, 0.0, 10.0, 1.0}},
      .demand = Eigen::VectorXd{{6, 0, 0, 0}},
      .goal = 3};
  if (bridge) network.roads.push_back({1, 2, 10.0, 1.0, 1.0});
  return network;
}

Network city(const std::vector<int>& bridges) {
  const int columns = 11, rows = 7, river = 4;  // between the columns 4 and 5
  Network network{.demand = Eigen::VectorXd::Ones(columns * rows), .goal = 3 * columns + 8};
  network.demand[network.goal] = 0.0;
  // As the Bureau of Public Roads has it: 15 % more time where the flow is the capacity, growing with its fourth power.
  const double capacity = 10.0;
  const auto street = [&](int from, int to) {
    for (const auto& [i, j] : {std::pair{from, to}, {to, from}})
      network.roads.push_back({i, j, 1.0, 0.15 / std::pow(capacity, 4), 4.0});
  };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int here = row * columns + column;
      network.places.emplace_back(column, row);
      const bool wet = column == river, bridge = std::find(bridges.begin(), bridges.end(), row) != bridges.end();
      if (column + 1 < columns && (!wet || bridge)) street(here, here + 1);
      if (row + 1 < rows) street(here, here + columns);
    }
  }
  return network;
}

double Traffic::mean_time() const { return spent() / network.demand.sum(); }

double Traffic::spent() const {
  double time = 0.0;
  for (std::size_t e = 0; e < network.roads.size(); ++e) {
    const double flow = v[static_cast<Index>(e)];
    time += flow * network.roads[e].time(flow);
  }
  return time;
}

Picture picture(const std::vector<Traffic>& all, const std::filesystem::path& file) {
  Figure figure{.title = "Where nobody gains by another route", .width = 1000, .height = 760, .columns = 2};
  for (const Traffic& traffic : all) {
    Panel panel{.x = {.label = traffic.name + ": " + rounded(traffic.mean_time()) + " min a vehicle"},
                .same_units = true};
    std::map<std::pair<int, int>, double> both_ways;
    for (std::size_t e = 0; e < traffic.network.roads.size(); ++e) {
      const Road& road = traffic.network.roads[e];
      both_ways[std::minmax(road.from, road.to)] += traffic.v[static_cast<Index>(e)];
    }
    for (const auto& [ends, flow] : both_ways) {
      const auto place = [&](int i) { return traffic.network.places[static_cast<std::size_t>(i)]; };
      panel.segments.x_0.push_back(place(ends.first).first);
      panel.segments.y_0.push_back(place(ends.first).second);
      panel.segments.x_1.push_back(place(ends.second).first);
      panel.segments.y_1.push_back(place(ends.second).second);
      panel.segments.value.push_back(std::max(0.0, flow));
    }
    const bool small = traffic.network.places.size() < 10;
    const double most = small ? 4.0 : 25.0;  // the same scale for both networks of a row
    panel.segments.widest = 14.0 * *std::max_element(panel.segments.value.begin(), panel.segments.value.end()) / most;
    panel.segments.colour = {.label = "vehicles/min", .low = 0.0, .high = most};
    if (!small)
      panel.series.push_back({.x = {4.4, 4.6, 4.6, 4.4, 4.4},
                              .y = {-0.4, -0.4, 6.4, 6.4, -0.4},
                              .label = "river",
                              .style = Series::Style::Bodies});
    for (std::size_t i = 0; i < traffic.network.places.size(); ++i) {
      const bool goal = static_cast<int>(i) == traffic.network.goal;
      panel.disks.x.push_back(traffic.network.places[i].first);
      panel.disks.y.push_back(traffic.network.places[i].second);
      panel.disks.radius.push_back((small ? 0.03 : 0.12) * (goal ? 2.0 : 1.0));
    }
    figure.panels.push_back(panel);
  }
  return draw(figure, file);
}
