// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_writer.hpp>

#include "problem_files.hpp"

namespace nonsmooth::run_files_test {

using problem_files_test::complaint;
using problem_files_test::contains;
using problem_files_test::Files;

/// A run made by hand: two bodies in the plane and a circuit, one interaction. Every number is a function of the step
/// and its place, so that a reader can tell any of them apart.
struct HandmadeRun {
  RunDescription description;
  std::uint64_t id = 0;

  explicit HandmadeRun(Index part = 0) {
    description.about = {.name = "handmade",
                         .simulation = "TimeStepping",
                         .program = "test",
                         .version = "0",
                         .units = "SI",
                         .options = "step = 0.5\nsolver = by hand",
                         .notes = "zwei Körper",
                         .fingerprint = "abc",
                         .seed = 0xfedcba9876543210U,
                         .run = 0x8000000000000001U};
    description.part = part;
    description.systems = {{"left", 0, 3, 0, 3, false}, {"right", 3, 3, 3, 3, false}, {"circuit", 0, 0, 6, 2, true}};
    description.interactions = {{"stop", "NewtonImpactLaw", 0, 1, 0, false, {0}},
                                {"diode", "ComplementarityLaw", 1, 1, 1, true, {2}}};
    description.sizes = {6, 8, 3, 3, 3, 3, 0};
    description.columns = {"t", "length", "kinetic"};
    description.tables = {{"/scene/shapes", RunRows{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}}};
    description.texts = {{"/scene/names", {"disk", "", "box"}}};
  }

  /// Bits of their own for every place: small, large, negative, subnormal, not a number.
  static double value(std::size_t array, Index step, Index entry) {
    if (step % 7 == 3 && entry == 1) return std::numeric_limits<double>::denorm_min();
    if (step % 7 == 4 && entry == 1) return -std::numeric_limits<double>::infinity();
    if (step % 7 == 5 && entry == 1) return std::numeric_limits<double>::quiet_NaN();
    return std::sin(1.0 + static_cast<double>(step)) * std::pow(10.0, static_cast<double>(array) - 3.0) +
           static_cast<double>(entry);
  }
  static std::uint64_t hash(Index step) { return 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(step + 1); }
  static std::string solver(Index step) { return step % 3 == 0 ? "" : "pivots" + std::to_string(step % 3); }

  static std::vector<ActingContact> contacts(Index step) {
    std::vector<ActingContact> list(static_cast<std::size_t>(step % 5));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto s = static_cast<double>(step), k = static_cast<double>(i);
      list[i] = {.point = {s, k, 0.0},
                 .normal = {std::cos(s), std::sin(s), 0.0},
                 .gap = -1e-9 * k,
                 .force = Eigen::Vector3d::Zero(),
                 .impulse = {s * k, 0.25, -0.0},
                 .first = 1,
                 .second = i % 2 == 0 ? Index{-1} : Index{0},
                 .source = i == 0 ? Index{-1} : Index{2},
                 .feature = 0xffffffffffffff00U + i,
                 .rows = 2};
      list[i].force = list[i].impulse / 0.5;
    }
    return list;
  }
  static std::vector<RunEvent> events(Index step) {
    if (step % 4 != 1) return {};
    return {{static_cast<double>(step), 2, 0, 0, 1.5, 0.0}, {static_cast<double>(step), 8, -1, 1, -2.5, 7.0}};
  }

  /// Steps [begin, end) of the run.
  void add_to(RunWriter& writer, Index begin, Index end) const {
    for (Index step = begin; step < end; ++step) {
      const std::vector<double> values = {0.5 * static_cast<double>(step), 0.5, std::exp(-static_cast<double>(step))};
      std::array<std::vector<double>, num_run_arrays> arrays;
      const std::string name = solver(step);
      const auto contacts_now = contacts(step);
      const auto events_now = events(step);
      RunStep now{.values = values, .hash = hash(step), .solver = name, .contacts = contacts_now, .events = events_now};
      for (std::size_t a = 0; a < num_run_arrays; ++a) {
        for (Index i = 0; i < description.sizes[a]; ++i) arrays[a].push_back(value(a, step, i));
        now.arrays[a] = arrays[a];
      }
      writer.add(now);
    }
  }

  static bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }

  /// Steps [begin, end) of a run that is read are those that were written, bit for bit.
  static void expect_steps(const RunFile& run, Index begin, Index end) {
    const std::vector<double> t = run.column("t", begin, end), kinetic = run.column("kinetic", begin, end);
    const auto hashes = run.hashes(begin, end);
    const auto solvers = run.solvers(begin, end);
    for (Index step = begin; step < end; ++step) {
      const auto k = static_cast<std::size_t>(step - begin);
      ASSERT_EQ(t[k], 0.5 * static_cast<double>(step));
      ASSERT_TRUE(same_bits(kinetic[k], std::exp(-static_cast<double>(step))));
      ASSERT_EQ(hashes[k], hash(step));
      ASSERT_EQ(solvers[k], solver(step));
      ASSERT_EQ(run.contacts(step), contacts(step)) << "step " << step;
      ASSERT_EQ(run.events(step), events(step)) << "step " << step;
      const RunPart& part = run.parts()[static_cast<std::size_t>(run.part_of(step))];
      for (std::size_t a = 0; a < num_run_arrays; ++a) {
        const Eigen::VectorXd row = run.row(static_cast<RunArray>(a), step);
        ASSERT_EQ(row.size(), part.sizes[a]);
        for (Index i = 0; i < row.size(); ++i)
          ASSERT_TRUE(same_bits(row[i], value(a, step, i))) << "step " << step << ", array " << a << ", entry " << i;
      }
    }
  }
};

}  // namespace nonsmooth::run_files_test
