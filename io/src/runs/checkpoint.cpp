// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/checkpoint.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include <nonsmooth/kernel/event_driven.hpp>
#include <nonsmooth/kernel/event_history.hpp>
#include <nonsmooth/kernel/filtered_contacts.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "../number.hpp"
#include "../replaced_file.hpp"
#include "checkpoint_head.hpp"
#include "differing_lines.hpp"
#include "options_text.hpp"

namespace nonsmooth {
namespace {

constexpr std::string_view kHdf5Signature("\x89HDF\r\n\x1a\n", 8);

bool is_event_driven(const Simulation& simulation) { return dynamic_cast<const EventDriven*>(&simulation) != nullptr; }

void require_kind(const std::string& own, const runs::CheckpointHead& head, const std::string& from) {
  if (own != head.simulation)
    throw InvalidArgument("restore: simulation", own, head.simulation + ", of which " + from + " is");
}

void require_model(const std::string& own, const runs::CheckpointHead& head, const std::string& from) {
  const std::string difference = runs::differing_lines(own, head.fingerprint);
  if (difference.empty()) return;
  throw InvalidArgument("restore: model", difference,
                        "the model that " + from +
                            " is of, with its edits; functions are compared at t = 0 and the "
                            "initial values only, feedbacks not at all");
}

void require_options(const runs::CheckpointHead& own, const runs::CheckpointHead& head, const std::string& from) {
  std::string difference = runs::differing_lines(own.options, head.options, "threads = ");
  if (own.version != head.version)
    difference += (difference.empty() ? "" : " / ") + ("version " + own.version) +
                  " of the library (in the checkpoint " + head.version + ")";
  if (difference.empty()) return;
  throw InvalidArgument("restore: options", difference,
                        "those of " + from + ", for the same bits; RestoreOptions::other_options goes on with others");
}

/// The state is what the simulation has now, and how it goes on.
bool was_taken(const Simulation& simulation, const State& state) {
  const State& now = simulation.state();
  return is_event_driven(simulation) ? now.events.of == state.events.of : hash_of(now) == hash_of(state);
}

/// Of the model, with the filters of its sources, which have no line of their own in a fingerprint.
std::vector<std::string> functions_of(const NonSmoothDynamicalSystem& model, const std::string& fingerprint) {
  std::vector<std::string> found = runs::functions_in(fingerprint);
  for (std::size_t i = 0; i < model.sources().size(); ++i) {
    const ContactSource& source = *model.sources()[i];
    if (&FilteredContacts::under(source) != &source)
      found.push_back("source " + std::to_string(i) + ": filter, not asked");
  }
  return found;
}

}  // namespace

namespace runs {

CheckpointHead head_of(const Simulation& simulation) {
  return {.version = NONSMOOTH_VERSION,
          .simulation = kind_of(simulation),
          .options = options_of(simulation),
          .fingerprint = fingerprint_text(simulation.model())};
}

std::string fingerprint_text(const NonSmoothDynamicalSystem& model) {
  std::string text;
  for (const std::string& line : fingerprint_of(model)) text.append(text.empty() ? "" : "\n").append(line);
  return text;
}

void require_whole(const Simulation& simulation) {
  if (!is_event_driven(simulation) || has_whole_history(simulation.state())) return;
  throw InvalidArgument("checkpoint: EventDriven", "a state that the next step depends on not alone",
                        "one between two calls of advance_to(), of a run that did not fail; under Cvode and Ida at an "
                        "instant, where they start anew (UserEvent::instants makes one)");
}

}  // namespace runs

Checkpoint checkpoint_of(const Simulation& simulation) {
  runs::require_whole(simulation);
  Checkpoint checkpoint;
  runs::write_checkpoint(runs::head_bytes(runs::head_of(simulation)), simulation.state(), checkpoint.bytes);
  return checkpoint;
}

void save_checkpoint(const std::filesystem::path& path, const Simulation& simulation) {
  const Checkpoint checkpoint = checkpoint_of(simulation);
  replace_file(path, [&](std::ostream& stream) {
    stream.write(checkpoint.bytes.data(), static_cast<std::streamsize>(checkpoint.bytes.size()));
  });
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path.string() + ": cannot be opened");
  std::string bytes(kHdf5Signature.size(), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file && bytes == kHdf5Signature) return last_checkpoint(RunFile(path));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  bytes.append(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) throw FileError(path.string() + ": cannot be read");
  return {.bytes = std::move(bytes), .from = path.string()};
}

Checkpoint last_checkpoint(const RunFile& run) {
  const auto count = static_cast<Index>(run.checkpoints().size());
  const std::string name = run.parts().front().path.string();
  if (count == 0) {
    throw InvalidArgument("last_checkpoint: run", name + " without a checkpoint",
                          "one that a Recorder with checkpoint_every > 0, or checkpoint(), wrote");
  }
  return {.bytes = run.checkpoint(count - 1), .from = name + ", checkpoint " + std::to_string(count - 1)};
}

std::string RestoreReport::message() const {
  constexpr std::size_t kMost = 4;
  std::string text = "goes on from " + from + ", at t = " + number(t, 9) + " s";
  if (functions.empty()) return text;
  text += "; functions of the model cannot be compared: those asked gave the same at t = 0 and the initial values";
  for (std::size_t i = 0; i < std::min(functions.size(), kMost); ++i) text += (i == 0 ? " (" : "; ") + functions[i];
  if (functions.size() > kMost) text += "; and " + std::to_string(functions.size() - kMost) + " more";
  return text + ")";
}

RestoreReport restore(Simulation& simulation, const Checkpoint& checkpoint, const RestoreOptions& options) {
  const runs::CheckpointReader reader(checkpoint.bytes, checkpoint.from);
  const runs::CheckpointHead own = runs::head_of(simulation);
  require_kind(own.simulation, reader.head(), checkpoint.from);
  require_model(own.fingerprint, reader.head(), checkpoint.from);
  if (!options.other_options) require_options(own, reader.head(), checkpoint.from);
  const State state = reader.state(simulation.state().layout());
  const State before = simulation.state();
  try {
    simulation.set_state(state);
  } catch (...) {
    simulation.set_state(before);
    throw;
  }
  if (options.other_options || was_taken(simulation, state))
    return {.from = checkpoint.from, .t = state.t, .functions = functions_of(simulation.model(), own.fingerprint)};
  simulation.set_state(before);
  throw InvalidArgument("restore: model", "functions that give other outputs y and u at the state of the checkpoint",
                        "those of the model that " + checkpoint.from + " is of");
}

RestoreReport restore(Simulation& simulation, const std::filesystem::path& path, const RestoreOptions& options) {
  return restore(simulation, read_checkpoint(path), options);
}

}  // namespace nonsmooth
