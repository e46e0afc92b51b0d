// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nonsmooth/io/problem_file.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

/// A whole State as bytes, with what it is of: the model's fingerprint (nonsmooth/kernel/fingerprint.hpp), the options
/// of the simulation, the version of this library. The layout of the bytes: docs/runs.md.
struct Checkpoint {
  std::string bytes{};
  std::string from = "checkpoint";  ///< stands for it in messages: the name of its file
};

/// The present state of a simulation, between two calls of advance_to(). Of TimeStepping an observer may take it too.
/// @throws InvalidArgument of EventDriven where the next step depends on more than the state has: while advance_to()
/// runs, after a run that failed, and within a phase that CVODE or IDA integrates (has_whole_history()).
[[nodiscard]] Checkpoint checkpoint_of(const Simulation& simulation);

/// The same into a file, over what is there; the file appears under its name when it is complete.
/// @throws likewise, and FileError
void save_checkpoint(const std::filesystem::path& path, const Simulation& simulation);

/// Of save_checkpoint()'s file; of a run's, the last checkpoint. Its bytes are looked at by restore().
/// @throws FileError; as last_checkpoint()
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

/// The last state of a run that was kept whole (RecorderOptions::checkpoint_every, Recorder::checkpoint()).
/// @throws InvalidArgument where there is none; FormatError where the file is damaged
[[nodiscard]] Checkpoint last_checkpoint(const RunFile& run);

struct RestoreOptions {
  /// The simulation has other options (scheme, step, solver, tolerances, users' events) or is of another version of the
  /// library: it goes on from the state, but not with the same bits, and EventDriven begins a motion. False, the
  /// default: refused, naming what differs.
  bool other_options = false;
};

/// What a simulation goes on from, and what of its model was not compared.
struct RestoreReport {
  std::string from{};  ///< Checkpoint::from
  double t = 0.0;      ///< of its state [s]
  /// Of the model: "system 0, mass: F"; of those that were not even asked "system 0, mass: feedback, not asked".
  std::vector<std::string> functions{};

  /// One sentence: from where, and of a model with functions that these cannot be compared.
  [[nodiscard]] std::string message() const;
};

/// The simulation gets the state of a checkpoint and goes on from there with the bits of a run that never stopped. Its
/// driver has made the model as it was then, with all edits; where they did not commute, in their order.
///
///     TimeStepping simulation(model(), {.step = 1e-3});
///     if (std::filesystem::exists("pile.state")) restore(simulation, "pile.state");
///     while (simulation.state().t < T && simulation.advance_to(std::min(T, simulation.state().t + 10.0)))
///       save_checkpoint("pile.state", simulation);
///
/// Systems, interactions, sources of contacts and rules of impacts are compared, with their names, sizes and constants.
/// Functions cannot be: they are asked at t = 0 and the initial values (fingerprint_of()), and where they give other
/// outputs at the state itself, that is refused too; the report says so and names them.
/// @throws InvalidArgument: another kind of simulation; a model that differs, with the first lines that do; options
/// that differ; outputs y or u that are not those of the state. FormatError: bytes that were cut off, damaged or of
/// something else, with the place. The simulation is then what it was.
RestoreReport restore(Simulation& simulation, const Checkpoint& checkpoint, const RestoreOptions& options = {});
/// Of read_checkpoint(path). @throws likewise, and FileError
RestoreReport restore(Simulation& simulation, const std::filesystem::path& path, const RestoreOptions& options = {});

}  // namespace nonsmooth
