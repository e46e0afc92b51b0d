// SPDX-License-Identifier: Apache-2.0
// The picture of what example_lcp prints:
//
//     example_lcp | example_lcp_picture lcp.png
#include <iostream>

#include <nonsmooth/io/figure.hpp>

using namespace nonsmooth;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "Usage: example_lcp | example_lcp_picture FILE\n";
    return 2;
  }
  Series string{.label = "string"}, pressure;
  for (double x = 0.0, u = 0.0, w = 0.0; std::cin >> x >> u >> w;) {
    string.x.push_back(x);
    string.y.push_back(u);
    pressure.x.push_back(x);
    pressure.y.push_back(w);
  }
  const Series table{.x = {0.0, 1.0}, .y = {-1.0, -1.0}, .label = "table", .style = Series::Style::Guide};
  const Axis across{.label = "x [1]", .low = 0.0, .high = 1.0};
  const Picture picture = draw({.title = "String pressed on a table",
                                .panels = {{.x = across, .y = {.label = "deflection u [1]"}, .series = {string, table}},
                                           {.x = across, .y = {.label = "pressure w [1]"}, .series = {pressure}}},
                                .width = 720,
                                .height = 520},
                               argv[1]);
  if (!picture) std::cerr << picture.message() << '\n';
  return picture.status == Picture::Status::Failed ? 1 : 0;
}
