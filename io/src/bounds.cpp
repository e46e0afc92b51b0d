// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/bounds.hpp>

#include <algorithm>

#include "number.hpp"

namespace nonsmooth {

void Bounds::near(std::string what, double value, double expected, double tolerance) {
  within(std::move(what), value, expected - tolerance, expected + tolerance);
}

void Bounds::within(std::string what, double value, double low, double high) {
  hold_ = hold_ && value >= low && value <= high;
  lines_.push_back({std::move(what), value, low, high});
}

std::string Bounds::report() const {
  std::size_t width = 0;
  for (const Line& line : lines_) width = std::max(width, line.what.size());
  std::string text;
  for (const Line& line : lines_) {
    const bool ok = line.value >= line.low && line.value <= line.high;
    text += line.what + std::string(width - line.what.size() + 2, ' ') + number(line.value, 10) + "  in [" +
            number(line.low, 10) + ", " + number(line.high, 10) + (ok ? "]  ok\n" : "]  OUTSIDE\n");
  }
  return text;
}

}  // namespace nonsmooth
