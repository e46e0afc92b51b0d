// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/recorder.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "../sentence.hpp"
#include "checkpoint_head.hpp"
#include "description.hpp"
#include "failed_step.hpp"
#include "model_description.hpp"
#include "options_text.hpp"
#include "record_queue.hpp"
#include "step_record.hpp"

namespace nonsmooth {
namespace {

using runs::StepRecord;

constexpr std::size_t kQueueBytes = 24 << 20, kLeastQueue = 2, kMostQueue = 256;

std::string this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).filename().string();
}

}  // namespace

void RecorderOptions::validate() const {
  if (every < 1) throw InvalidArgument("RecorderOptions::every", std::to_string(every), ">= 1");
  if (checkpoint_every < 0)
    throw InvalidArgument("RecorderOptions::checkpoint_every", std::to_string(checkpoint_every), ">= 0");
  file.validate();
}

struct Recorder::Implementation {
  std::filesystem::path path;
  const Simulation* simulation;
  bool of_events;  ///< the simulation is an EventDriven
  RecorderOptions options;
  RunAbout about;

  // Of the simulation's thread.
  std::uint64_t revision = 0;
  Index part = 0, seen = 0, recorded = 0;
  std::string ending = "closed";  ///< of the last call
  bool has_ended = false;         ///< that call, and nothing was recorded since
  bool in_call = false;           ///< a call has shown a state, and not told its end
  std::uint32_t call = 0;         ///< that call: Simulation::calls()
  int exceptions = std::uncaught_exceptions();
  std::exception_ptr handled = std::current_exception();
  std::optional<runs::FailedStepKeeper> failed_steps;
  runs::StepCopier copier;
  std::unique_ptr<runs::RecordQueue<StepRecord>> queue;
  std::string fingerprint;                  ///< of this revision; empty: not made yet
  std::shared_ptr<const std::string> head;  ///< of its checkpoints; null: not made yet

  // Of the writer's thread.
  std::optional<RunWriter> writer;
  std::atomic<bool> failed = false, flush_asked = false;
  std::atomic<Index> done = 0;         ///< steps in whole chunks of the files: a kill does not take them
  std::atomic<Index> chunk_steps = 1;  ///< of the present part
  Index steps_before = 0;              ///< of the parts before
  std::string failure;                 ///< before `failed` is set
  bool told = false;
  std::string checkpoint_bytes;
  std::thread thread;
  bool closed = false;

  Implementation(std::filesystem::path at, const Simulation& of, RecorderOptions given)
      : path(std::move(at)),
        simulation(&of),
        of_events(dynamic_cast<const EventDriven*>(&of) != nullptr),
        options(std::move(given)),
        copier(of, options) {}
  ~Implementation() {
    if (!thread.joinable()) return;
    queue->close();
    thread.join();
  }

  void begin();
  [[nodiscard]] RunDescription describe();
  [[nodiscard]] RunWriterOptions file_options(const RunDescription& description) const;
  [[nodiscard]] const std::shared_ptr<const std::string>& checkpoint_head();
  void record(const State& state, const StepReport& step, bool whole = false);
  void record_whole();
  void keep_whole(const State& state, bool whole, StepRecord& record);
  void write_all();
  void write(StepRecord& record);
  void tell();
  [[nodiscard]] std::string ending_unsaid();
};

void Recorder::Implementation::begin() {
  if (of_events && options.checkpoint_every > 0) {
    throw InvalidArgument("RecorderOptions::checkpoint_every",
                          std::to_string(options.checkpoint_every) + " of EventDriven",
                          "0: its state is whole between calls of advance_to(), where Recorder::checkpoint() keeps it");
  }
  about = {.name = options.name,
           .simulation = runs::kind_of(*simulation),
           .program = options.program.empty() ? this_program() : options.program,
           .version = NONSMOOTH_VERSION,
           .units = options.units,
           .options = options.options.empty() ? runs::options_of(*simulation) : options.options,
           .notes = options.notes,
           .fingerprint = {},
           .seed = options.seed,
           .run = 0};
  std::random_device random;
  about.run = (std::uint64_t{random()} << 32) ^ random();
  if (options.failed_step) failed_steps.emplace(*simulation, path, about.run);
  const State& state = simulation->state();
  const RunDescription description = describe();
  writer.emplace(path, description, file_options(description));
  const std::size_t numbers =
      static_cast<std::size_t>(state.positions.size() + 2 * state.unknowns.size() + 6 * state.outputs.size());
  const std::size_t bytes =
      8 * numbers + 3 * state.layout()->systems.size() * (sizeof(ActingContact) + sizeof(ContactMemory));
  const std::size_t most = std::clamp(static_cast<std::size_t>(writer->chunk_steps()), kLeastQueue, kMostQueue);
  queue = std::make_unique<runs::RecordQueue<StepRecord>>(
      std::clamp(kQueueBytes / std::max<std::size_t>(bytes, 1), kLeastQueue, most));
  copier.begin_revision(state, queue->ring());
  chunk_steps = writer->chunk_steps();
  revision = state.layout()->revision;
  thread = std::thread([this] { write_all(); });
  StepReport none;
  none.certificate = {};
  record(state, none);
}

RunDescription Recorder::Implementation::describe() {
  fingerprint = runs::fingerprint_text(simulation->model());
  head.reset();
  about.fingerprint = options.fingerprint.empty() ? fingerprint : options.fingerprint;
  RunDescription description = runs::describe_model(simulation->model(), options.shapes, simulation->state());
  description.about = about;
  description.part = part;
  description.contact_forces = of_events;
  description.tables.insert(description.tables.end(), options.tables.begin(), options.tables.end());
  description.texts.insert(description.texts.end(), options.texts.begin(), options.texts.end());
  return description;
}

/// A checkpoint writes the chunk that is not full, and the place of what it was before is not taken again: a chunk has
/// no more steps than there are between two of them.
RunWriterOptions Recorder::Implementation::file_options(const RunDescription& description) const {
  RunWriterOptions own = options.file;
  if (description.part > 0) own.overwrite = false;  // what the old run had is gone: a file there is somebody's
  if (own.chunk_steps > 0 || options.checkpoint_every == 0) return own;
  const Index between = std::max<Index>(options.checkpoint_every / options.every, 1);
  own.chunk_steps = std::min(runs::chosen_chunk_steps(description), between);
  return own;
}

const std::shared_ptr<const std::string>& Recorder::Implementation::checkpoint_head() {
  if (!head) {
    head = std::make_shared<const std::string>(runs::head_bytes({.version = about.version,
                                                                 .simulation = about.simulation,
                                                                 .options = runs::options_of(*simulation),
                                                                 .fingerprint = fingerprint}));
  }
  return head;
}

void Recorder::Implementation::tell() {
  if (!failed) return;
  told = true;
  throw FileError(failure);
}

/// How the run ended, as far as it shows, where close() is told nothing: an observer that calls this one and does not
/// pass ended() on leaves it to the simulation, which knows how its last call ended.
std::string Recorder::Implementation::ending_unsaid() {
  if (has_ended) return ending;
  if (std::uncaught_exceptions() > exceptions) return "ended by an exception";
  if (const std::exception_ptr now = std::current_exception(); now && now != handled) {
    try {
      std::rethrow_exception(now);
    } catch (const std::exception& error) {
      return std::string("ended by an exception: ") + error.what();
    } catch (...) {
      return "ended by an exception";
    }
  }
  if (!in_call) return ending;
  if (simulation->calls() != call)
    return "closed; how its call ended is not known, as a later one, which it was not shown, came to t = " +
           number(simulation->state().t, 9) + " s";
  const RunReport* const last = simulation->last_report();
  if (!last) return "closed, but the last call has no end: an exception left it";
  RunReport report = *last;
  if (failed_steps && report.problem) {
    failed_steps->end(report);
    std::fprintf(stderr, "Recorder: %s\n", failed_steps->told().c_str());
    return runs::ending_of(report, failed_steps->told());
  }
  return runs::ending_of(report, {});
}

/// `whole`: with a checkpoint behind it, whatever its number.
void Recorder::Implementation::record(const State& state, const StepReport& step, bool whole) {
  if (closed) throw FileError(path.string() + ": the recorder is closed");
  tell();
  if (failed_steps && !step.ok()) failed_steps->look_at(state, step);
  has_ended = false;
  const bool anew = state.layout()->revision != revision;
  const Index number = seen++;
  copier.see_events();
  const bool keeps = number % options.every == 0 || anew;
  const bool due = options.checkpoint_every > 0 && number > 0 && number % options.checkpoint_every == 0;
  if (!keeps && !due && !whole) return;
  if (anew) {
    revision = state.layout()->revision;
    ++part;
    queue->wait_empty();
    copier.begin_revision(state, queue->ring());
  }
  if (keeps) queue->wait([this] { return failed || recorded - done < chunk_steps; });
  StepRecord& next = queue->next();
  next.step = keeps;
  next.part.reset();
  if (keeps) copier.copy(state, step, recorded == 0, next);
  if (anew) next.part = describe();
  keep_whole(state, due || whole, next);
  queue->push();
  if (keeps) ++recorded;
}

/// The simulation's present state, which may have been recorded as a step.
void Recorder::Implementation::record_whole() {
  if (closed) throw FileError(path.string() + ": the recorder is closed");
  tell();
  runs::require_whole(*simulation);
  const State& state = simulation->state();
  if (state.layout()->revision != revision) return record(state, {}, true);
  StepRecord& next = queue->next();
  next.part.reset();
  next.step = false;
  keep_whole(state, true, next);
  queue->push();
}

void Recorder::Implementation::keep_whole(const State& state, bool whole, StepRecord& record) {
  record.whole.reset();
  if (!whole) return;
  record.whole = checkpoint_head();
  record.state = state;
}

void Recorder::Implementation::write(StepRecord& record) {
  if (record.part) {
    writer->close("the model was edited");
    steps_before += writer->num_steps();
    try {
      writer.emplace(run_part_path(path, record.part->part), *record.part, file_options(*record.part));
    } catch (const FileError& error) {
      writer.reset();
      throw FileError(std::string(error.what()) + "; " + std::to_string(steps_before) +
                      " steps are in the files before");
    }
    chunk_steps = writer->chunk_steps();
  }
  if (record.step) {
    const RunStep step = copier.complete(record);
    record.contacts.for_each_part([this](std::span<const ActingContact> some) { writer->add_contacts(some); });
    writer->add(step);
  }
  if (!record.whole) return;
  runs::write_checkpoint(*record.whole, record.state, checkpoint_bytes);
  writer->add_checkpoint(record.state.t, checkpoint_bytes);
}

/// What the writer's thread does. Behind a failure it only empties the queue.
void Recorder::Implementation::write_all() {
  const auto patience = std::chrono::milliseconds(20);
  auto last_flush = std::chrono::steady_clock::now();
  const auto attempt = [this](const auto& action) {
    if (failed) return;
    try {
      action();
    } catch (const std::exception& error) {
      failure = error.what();
      failed = true;
    }
  };
  while (!queue->ends()) {
    if (StepRecord* const record = queue->oldest(patience)) {
      attempt([&] {
        write(*record);
        done = steps_before + writer->num_whole();
      });
      queue->pop();
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    const double age = std::chrono::duration<double>(now - last_flush).count();
    const bool old = options.file.flush_after > 0.0 && age > options.file.flush_after;
    if (flush_asked || old) {
      attempt([&] { writer->flush(); });
      last_flush = now;
      flush_asked = false;
      flush_asked.notify_all();
    }
  }
}

Recorder::Recorder(const std::filesystem::path& path, const Simulation& simulation, RecorderOptions options) {
  options.validate();
  implementation_ = std::make_unique<Implementation>(path, simulation, std::move(options));
  implementation_->begin();
}

Recorder::~Recorder() {
  if (!implementation_ || implementation_->closed) return;
  try {
    close();
  } catch (const std::exception& error) {
    if (!implementation_->told) std::fprintf(stderr, "Recorder: %s\n", error.what());
  }
}
Recorder::Recorder(Recorder&&) noexcept = default;

void Recorder::operator()(const State& state, const StepReport& step) {
  implementation_->in_call = true;
  implementation_->call = implementation_->simulation->calls();
  implementation_->record(state, step);
}
void Recorder::ended(RunReport& report) {
  Implementation& own = *implementation_;
  if (own.failed_steps && !own.closed) own.failed_steps->end(report);
  saw_end(report);
}
void Recorder::saw_end(const RunReport& report) {
  Implementation& own = *implementation_;
  own.ending = runs::ending_of(report, own.failed_steps ? own.failed_steps->told() : std::string());
  own.has_ended = true;
  own.in_call = false;
}
void Recorder::record(const StepReport& step) { implementation_->record(implementation_->simulation->state(), step); }
void Recorder::checkpoint() { implementation_->record_whole(); }

void Recorder::flush() {
  Implementation& own = *implementation_;
  if (own.closed) return;
  own.queue->wait_empty();
  own.flush_asked = true;
  own.flush_asked.wait(true);
  own.tell();
}

void Recorder::close(std::string_view end) {
  Implementation& own = *implementation_;
  if (own.closed) return;
  own.closed = true;
  own.queue->close();
  own.thread.join();
  const bool was_told = own.told;
  std::string ending = end.empty() ? own.ending_unsaid() : std::string(end);
  if (own.failed_steps && !own.failed_steps->to_tell().empty()) {
    std::fprintf(stderr, "Recorder: %s\n", own.failed_steps->to_tell().c_str());
    ending = with_sentence(std::move(ending), own.failed_steps->to_tell());
  }
  try {
    if (own.writer) own.writer->close(ending);  // none: the file of a revision could not be begun
  } catch (const FileError& error) {
    if (!own.failed) own.failure = error.what();
    own.failed = true;
  }
  if (!own.failed) return;
  own.told = was_told;
  throw FileError(own.failure);
}

const std::filesystem::path& Recorder::path() const { return implementation_->path; }
Index Recorder::num_steps() const { return implementation_->recorded; }

}  // namespace nonsmooth
