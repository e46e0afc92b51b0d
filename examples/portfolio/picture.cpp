// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <string>

using namespace nonsmooth;

Picture picture(const Frontier& frontier, const std::filesystem::path& file) {
  const auto list = [](const Eigen::VectorXd& values) { return std::vector<double>(values.begin(), values.end()); };
  const double far = 0.4;
  Panel risks{.x = {.label = "risk [year^{-1/2}]", .low = 0.0, .high = far},
              .y = {.label = "expected return R [1/year]", .low = 0.0, .high = 0.13}};
  risks.series = {
      {.x = {0.0, far},
       .y = {frontier.riskless, frontier.riskless + frontier.slope * far},
       .label = "with lending",
       .style = Series::Style::Guide},
      {.x = frontier.risk, .y = frontier.R, .label = "frontier"},
      {.x = frontier.short_risk, .y = frontier.R, .label = "with short sales", .style = Series::Style::Dashed},
      {.x = frontier.kink_risk, .y = frontier.kink_R, .label = "kinks", .style = Series::Style::Markers},
      {.x = list(frontier.asset_risk),
       .y = list(frontier.asset_R),
       .label = "assets",
       .style = Series::Style::Markers}};
  Panel shares{.x = {.label = "expected return R [1/year]", .low = frontier.R.front(), .high = frontier.R.back()},
               .y = {.label = "share", .low = 0.0, .high = 1.0}};
  for (Index i = 0; i < frontier.tangency.size(); ++i) {
    Series line{.x = frontier.R, .label = "asset " + std::to_string(i + 1)};
    for (const Eigen::VectorXd& x : frontier.x) line.y.push_back(x[i]);
    shares.series.push_back(line);
  }
  for (const double R : frontier.kink_R)
    shares.series.push_back({.x = {R, R}, .y = {0.0, 1.0}, .style = Series::Style::Guide});
  return draw({.title = "Portfolios of least risk", .panels = {risks, shares}, .width = 720, .height = 760}, file);
}
