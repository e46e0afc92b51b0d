// SPDX-License-Identifier: Apache-2.0
// How steps of the piles of rigid_piles.cpp are solved.
#pragma once

#include <nonsmooth/kernel/time_stepping.hpp>
#include <nonsmooth/numerics/friction/gauss_seidel.hpp>
#include <problems/dropped_bodies.hpp>

namespace nonsmooth::benchmarks {

using problems::DroppedBodies;

constexpr double kStep = 1.0 / 240.0;  ///< [s]
constexpr Index kSweeps = 30;          ///< of a fixed number
constexpr double kTolerance = 1e-3;    ///< of certified answers
constexpr double kOfGaps = 1e-2;       ///< at linearised gaps, where h times it is a depth and not a rate

inline TimeSteppingOptions fixed_sweeps(Index sweeps) {
  TimeSteppingOptions options;
  options.step = kStep;
  options.solver = friction::GaussSeidel{.tolerance = 1e-12,
                                         .max_iterations = sweeps,
                                         .relaxation = 1.0,
                                         .extrapolate = false,
                                         .freeze = false,
                                         .check_every = sweeps};
  options.newton.max_iterations = 1;  // boxes: linearly implicit
  options.on_failure = OnFailure::Accept;
  options.examination = Examination::Off;
  return options;
}

inline TimeSteppingOptions certified() {
  TimeSteppingOptions options;
  options.step = kStep;
  options.solver = mixed::Automatic{.tolerance = kTolerance};
  options.examination = Examination::Off;
  return options;
}

/// What a projection leaves: 1e-5 of a radius, of boxes of the least half edge [m].
inline double depth_left(const DroppedBodies& scene) {
  const bool spheres = scene.kind == DroppedBodies::Kind::Spheres;
  return 1e-5 * (spheres ? DroppedBodies::radius : DroppedBodies::half_extents.minCoeff());
}

/// The same, with positions that are projected, those of all contacts.
inline TimeSteppingOptions kept_apart(const DroppedBodies& scene) {
  TimeSteppingOptions options = certified();
  options.projection.kind = Projection::Combined;
  options.projection.unilateral_tolerance = depth_left(scene);
  options.on_failure = OnFailure::Accept;
  return options;
}

/// The same by moves of positions alone: no step is solved again.
inline TimeSteppingOptions kept_all(const DroppedBodies& scene) {
  TimeSteppingOptions options = kept_apart(scene);
  options.projection.kind = Projection::All;
  return options;
}

/// At linearised gaps, which no body enters in the first place: sweeps until the certificate says kOfGaps.
inline TimeSteppingOptions position_level() {
  TimeSteppingOptions options = certified();
  options.integrator = StewartTrinkle{};
  options.solver = friction::GaussSeidel{.tolerance = kOfGaps, .max_iterations = 20'000, .conjugate = true};
  options.newton.max_iterations = 1;  // boxes: linearly implicit
  options.on_failure = OnFailure::Accept;
  return options;
}

/// The same to a tenth of that, with what `sweeps` do in a step, and with positions projected where something enters
/// all the same.
inline TimeSteppingOptions position_exact() {
  TimeSteppingOptions options = position_level();
  options.solver = friction::GaussSeidel{.tolerance = 0.1 * kOfGaps, .max_iterations = 20'000, .conjugate = true};
  return options;
}
inline TimeSteppingOptions position_sweeps() {
  TimeSteppingOptions options = fixed_sweeps(kSweeps);
  options.integrator = StewartTrinkle{};
  return options;
}
inline TimeSteppingOptions position_apart(const DroppedBodies& scene) {
  TimeSteppingOptions options = position_level();
  options.projection.kind = Projection::All;
  options.projection.unilateral_tolerance = depth_left(scene);
  return options;
}

/// The same where steps are made again with what joined: few do, as all within reach have a row from the start.
inline TimeSteppingOptions position_joined(const DroppedBodies& scene) {
  TimeSteppingOptions options = position_apart(scene);
  options.projection.kind = Projection::Combined;
  return options;
}

/// On the way to rest: as far as a hundred sweeps lead.
inline TimeSteppingOptions loose() {
  TimeSteppingOptions options = position_level();
  options.solver = friction::GaussSeidel{.tolerance = kOfGaps, .max_iterations = 100, .conjugate = true};
  return options;
}

/// A fixed number of sweeps, islands below 1 cm/s asleep.
inline TimeSteppingOptions asleep() {
  TimeSteppingOptions options = fixed_sweeps(kSweeps);
  options.sleep.rest = 0.01 / (kStep * DroppedBodies::gravity);
  return options;
}

}  // namespace nonsmooth::benchmarks
