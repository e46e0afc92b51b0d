// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_writer.hpp>
#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/kernel/simulation.hpp>

namespace nonsmooth {

struct RecorderOptions {
  std::string name{}, units = "SI", notes{};  ///< RunAbout
  std::string program{};                      ///< empty: the file name of this one, where the system tells it
  std::string options{};      ///< of the simulation, in words; empty: scheme, step and tolerances are written
  std::string fingerprint{};  ///< of the model; empty: fingerprint_of() it, part by part
  std::uint64_t seed = 0;     ///< of the program's random numbers, to be kept with the run
  Index every = 1;            ///< steps; of an event-driven run states that are shown, instants among them
  bool contacts = true;       ///< with point, normal, gap, force and impulse: most of a large run's bytes
  bool hashes = true;         ///< hash_of() each state, by which runs are compared
  bool energies = true;       ///< kinetic and potential
  /// Every so many steps the State is kept whole, so that restore() goes on from it (checkpoint.hpp): a run that was
  /// killed loses no more than these and its last chunk. 0: never. Of TimeStepping; of EventDriven
  /// Recorder::checkpoint() does it. Where file.chunk_steps is 0, no chunk has more steps.
  Index checkpoint_every = 0;
  /// The problem on which a run fails (RunReport::problem) is written to failed_step_path(), beside the run, in the
  /// place of one of that name; before that, the first of a step that failed and was taken (OnFailure::Accept), or that
  /// was recorded by hand. The report, explain_failure() and the end of a run that failed say so; where there is no
  /// report, Recorder::close().
  bool failed_step = true;
  /// Drawn beside the shapes of the model's sources, as those of bodies that joints alone link; in each part whose
  /// model has their bodies.
  std::vector<DrawnShape> shapes{};
  std::vector<RunTable> tables{};  ///< what else is to be kept, in the file of each part
  std::vector<RunTexts> texts{};
  RunWriterOptions file{};

  void validate() const;  ///< @throws InvalidArgument naming the field
};

/// Keeps a run in a file, state by state: an observer of every simulation.
///
///     Recorder recorder("pile.h5", simulation, {.name = "a pile of boxes"});
///     simulation.advance_to(T, recorder);
///     recorder.close();
///
/// The state that the simulation has at first is step 0 of the run. A later revision of the model (Simulation::edit)
/// starts the next file, NAME.1.h5; RunFile reads all as one run. What is written of a step: docs/runs.md.
///
/// The simulation's thread copies the state and its contacts into a queue; another thread hashes, compresses and
/// writes. The simulation waits where a step more would make the steps that are in no chunk written whole, in the
/// queue or at the writer, more than a chunk has (RunWriterOptions::chunk_steps): no step is left out, and a run that
/// is killed loses at most its last chunk, whatever the writer had to wait for.
/// After the second step the simulation's thread allocates nothing for the recorder, but where there are more contacts
/// than ever before.
///
/// What goes wrong in writing (a full disk, a folder that is gone) ends the run at its next step by FileError, which
/// TimeStepping lets through and EventDriven reports as CallableFailed; what was written before is whole.
class Recorder {
 public:
  /// `simulation` has to stay where it is as long as the recorder. @throws FileError: a file that exists (unless
  /// options.file.overwrite), a folder that is not there, a missing permission; InvalidArgument: bad options,
  /// checkpoint_every of an EventDriven, whose state is not whole while it runs.
  Recorder(const std::filesystem::path& path, const Simulation& simulation, RecorderOptions options = {});
  ~Recorder();  ///< closes; what goes wrong then and was not told is told on standard error
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) = delete;

  /// What advance_to() calls. @throws FileError what went wrong in writing
  void operator()(const State& state, const StepReport& step);
  /// What advance_to() calls at its end: keeps for close() how the run ended, and the problem on which it failed
  /// (RecorderOptions::failed_step), which the report's detail then names; or why that could not be written.
  void ended(RunReport& report);
  /// What observe() calls behind that: how the run ended, with what the other observers said of it.
  void saw_end(const RunReport& report);
  /// The simulation's present state, e.g. behind TimeStepping::step().
  void record(const StepReport& step = {});

  /// Keeps the simulation's present state whole, behind the steps recorded so far: between calls of advance_to().
  /// @throws as checkpoint_of(), and FileError
  void checkpoint();

  /// Waits until all that was recorded is in the file. @throws FileError
  void flush();
  /// The same, and closes the file. `end` is kept in it; empty: how the last call ended, as "closed" where it reached
  /// its T, "stopped by an observer at t = 0.25 s", "ended by Ctrl-C (SIGINT) after the step to t = 0.25 s"
  /// (StopOnSignal), "failed at t = 0.25 s: ...". Where states were recorded since and an exception destroys the
  /// recorder, or is being handled: "ended by an exception", in a handler with what it says. Of one that was handled
  /// before: "closed, but the last call has no end: an exception left it". Where an observer calls this one and does
  /// not pass ended() on, as a lambda, the end is that of Simulation::last_report(), and the problem of a run that
  /// failed is written then; where a later call, of which it saw nothing, has another report, the end says so. A failed
  /// step that no report told, as so or behind TimeStepping::step(), is told on standard error.
  /// @throws FileError
  void close(std::string_view end = {});

  [[nodiscard]] const std::filesystem::path& path() const;  ///< of the first file
  [[nodiscard]] Index num_steps() const;                    ///< recorded, in all parts

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
