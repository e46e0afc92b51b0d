// SPDX-License-Identifier: Apache-2.0
#include "frames.hpp"

#include <algorithm>

namespace nonsmooth::scene {

std::vector<Index> frames_of(const std::vector<double>& times, Index count) {
  const auto steps = static_cast<Index>(times.size());
  std::vector<Index> frames;
  if (steps <= count) {
    for (Index k = 0; k < steps; ++k) frames.push_back(k);
    return frames;
  }
  const double begin = times.front(), span = times.back() - times.front();
  for (Index f = 0; f < count; ++f) {
    const double t = begin + span * static_cast<double>(f) / static_cast<double>(count - 1);
    const Index next = std::min(steps - 1, std::lower_bound(times.begin(), times.end(), t) - times.begin());
    if (frames.empty() || next > frames.back()) frames.push_back(next);
  }
  if (frames.back() != steps - 1) frames.back() = steps - 1;
  return frames;
}

}  // namespace nonsmooth::scene
