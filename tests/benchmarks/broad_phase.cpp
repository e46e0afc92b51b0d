// SPDX-License-Identifier: Apache-2.0
// Pairs of balls that may touch in dense piles of 10^3 to 3 10^5 (problems/dense_balls.hpp), all alike and from 1 to 10
// in radius: how many are looked at and found for each ball, and how much CPU time that takes.

#include <cstdio>
#include <string_view>
#include <vector>

#include <benchmarks/timing.hpp>
#include <contact/broad_phase.hpp>
#include <problems/dense_balls.hpp>

namespace {

using namespace nonsmooth;

void run(Index count, double largest) {
  const problems::DenseBalls pile(count, largest);
  const auto ball_at = [&pile](Index i) { return pile.balls[static_cast<std::size_t>(i)]; };
  std::vector<Index> memory;
  const broad_phase::CellGrid<3, decltype(ball_at)> grid(count, ball_at, 0, memory);
  Index records = 0, found = 0;
  grid.for_each_run(
      [&records](Index, const broad_phase::Ball<3>&, Index first, Index last) { records += last - first; });
  std::vector<double> times;
  for (int turn = 0; turn < 9; ++turn) {
    const double start = benchmarks::cpu_seconds();
    const auto [begin, end] =
        broad_phase::touching_pairs<3>(count, ball_at, 0, memory, [](Index, Index) { return true; });
    times.push_back(benchmarks::cpu_seconds() - start);
    found = end - begin;
  }
  const auto balls = static_cast<double>(count);
  std::printf("%7td balls, radii from 1 to %2.0f: %6.1f looked at, %5.1f touch, %6.0f ns for each ball\n", count,
              largest, static_cast<double>(records / broad_phase::kRecord<3>) / balls,
              static_cast<double>(found) / balls, 1e9 * benchmarks::median(times) / balls);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--benchmark_list_tests") {  // as the other programs that measure
    std::puts("balls of one radius, of radii from 1 to 10");
    return 0;
  }
  for (const double largest : {1.0, 10.0}) {
    for (const Index count : {1'000, 3'000, 10'000, 30'000, 100'000, 300'000}) run(count, largest);
  }
  return 0;
}
