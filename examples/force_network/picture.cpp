// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "silo.hpp"

using namespace nonsmooth;

Picture picture(const Silo& silo, const Eigen::VectorXd& r, const std::filesystem::path& file) {
  Panel panel{.x = {.label = "x [m]", .low = 0.0, .high = 2.0 * a * columns}, .y = {.label = "y [m]", .low = 0.0}};
  for (std::size_t c = 0; c < silo.contacts.size(); ++c) {
    const Contact& contact = silo.contacts[c];
    const auto end = static_cast<std::size_t>(contact.second);
    const bool wall = contact.first < 0;
    SegmentScene& chains = panel.segments;
    chains.x_0.push_back(wall ? contact.x : silo.x[static_cast<std::size_t>(contact.first)]);
    chains.y_0.push_back(wall ? contact.y : silo.y[static_cast<std::size_t>(contact.first)]);
    chains.x_1.push_back(silo.x[end]);
    chains.y_1.push_back(silo.y[end]);
    chains.value.push_back(std::max(0.0, r[2 * static_cast<Index>(c)]) / h);
  }
  panel.segments.colour = {.label = "normal force [N]", .low = 0.0};
  panel.disks = {.x = silo.x, .y = silo.y, .radius = std::vector<double>(silo.x.size(), a)};
  return draw({.title = "Forces in a silo", .panels = {panel}, .width = 470, .height = 560}, file);
}

Picture distribution(const std::vector<double>& forces, const std::string& name, const std::filesystem::path& file) {
  const auto count = static_cast<double>(forces.size());
  const double mean = std::accumulate(forces.begin(), forces.end(), 0.0) / count;
  Series share{.label = name};
  for (std::size_t i = 0; i < forces.size() && forces[i] > 0.0; ++i) {
    share.x.push_back(forces[i] / mean);
    share.y.push_back(static_cast<double>(i + 1) / count);
  }
  const Panel panel{.x = {.label = "normal impulse / its mean"},
                    .y = {.label = "share of the contacts with more", .logarithmic = true},
                    .series = {share}};
  return draw({.title = "Distribution of the forces", .panels = {panel}}, file);
}
