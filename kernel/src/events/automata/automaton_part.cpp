// SPDX-License-Identifier: Apache-2.0
#include "automaton_part.hpp"

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

#include "model/memory.hpp"

namespace nonsmooth::events {
namespace {

/// No relation's r may act on an automaton, as guards are judged along f_m alone. @throws InvalidArgument
void check_inputs(const NonSmoothDynamicalSystem& model, std::uint32_t slot, Index n) {
  for (const Layout::Interaction& place : model.layout()->interactions) {
    const auto& record = model.interactions()[place.slot];
    const FirstOrderLinearRelation* linear = record.first_order ? record.first_order->linear() : nullptr;
    const bool linked = std::find(record.systems.begin(), record.systems.end(), slot) != record.systems.end();
    if (!linear || linear->B.empty() || !linked) continue;
    const std::string argument = "FirstOrderLinearRelation::B of " + record.name, &name = model.systems()[slot].name;
    if (linear->B.function()) {
      throw InvalidArgument(argument, "a function of time, of a relation with " + name + ", a HybridAutomaton",
                            "numbers: the rows of an automaton have to be zeros at all times");
    }
    const Eigen::MatrixXd B = linear->B.to_dense(linear->B.rows(), false);
    Index row = 0;  // of B, where the states of a system begin
    for (const std::uint32_t own : record.systems) {
      const Index size = model.systems()[own].n;
      for (Index k = 0; own == slot && k < size && row + k < B.rows(); ++k) {
        if (B.row(row + k).isZero(0.0)) continue;
        throw InvalidArgument(argument,
                              (k == n ? "an input to the mode" : "an input to state " + std::to_string(k)) + " of " +
                                  name + ", a HybridAutomaton",
                              "rows of zeros there: what acts on an automaton belongs into the f of its modes, along "
                              "which guards are judged, and transitions alone change a mode");
      }
      row += size;
    }
  }
}

}  // namespace

AutomatonPart::AutomatonPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options)
    : num_positions_(model.layout()->num_positions), fixed_step_(options.step > 0.0) {
  const Layout& layout = *model.layout();
  for (const Layout::System& place : layout.systems) {
    const auto& record = model.systems()[place.slot];
    const auto* process = dynamic_cast<const AutomatonProcess*>(record.first_order);
    if (!process) continue;
    check_inputs(model, place.slot, process->fields()->n());
    units_.emplace_back(process->fields(), record.name,
                        AutomatonUnit::Place{.handle = {layout.model, place.slot, record.generation},
                                             .z = layout.num_positions + place.z,
                                             .unknown = place.z,
                                             .num_unknowns = layout.num_unknowns,
                                             .num_rows = layout.num_rows},
                        options);
  }
}

void AutomatonPart::set_window(const TimeWindow& window) noexcept {
  window_ = window;
  for (AutomatonUnit& unit : units_) unit.set_window(window);
}

Index AutomatonPart::num_guards() const {
  Index count = 0;
  for (const AutomatonUnit& unit : units_) count += unit.num_guards();
  return count;
}

void AutomatonPart::guards(double t, const Eigen::VectorXd& z, double* values) {
  for (AutomatonUnit& unit : units_) {
    unit.guards(t, z, values);
    values += unit.num_guards();
  }
}

std::string AutomatonPart::guard_name(Index guard) const {
  for (const AutomatonUnit& unit : units_) {
    if (guard < unit.num_guards()) return unit.guard_name(guard);
    guard -= unit.num_guards();
  }
  return "a HybridAutomaton";
}

void AutomatonPart::guard_starts(double t, const Eigen::VectorXd& z, bool fresh, int* zeros, double* dips) {
  for (AutomatonUnit& unit : units_) {
    unit.guard_starts(t, z, fresh, zeros, dips);
    zeros += unit.num_guards();
    dips += unit.num_guards();
  }
}

smooth::Guards::Probing AutomatonPart::probing(const smooth::DensePolynomial& dense, double least) {
  const Index count = num_guards();
  if (count == 0) return {};
  const double usual = fixed_step_ ? 0.0 : longest_step_.places(dense.h, dense.h);
  return {.guards = count, .places = std::max(usual, least)};
}

Index AutomatonPart::probe(double t, const Eigen::VectorXd& z, double* values) {
  guards(t, z, values);
  return num_guards();
}

Resolution AutomatonPart::resolve(double t, Eigen::VectorXd& z, const std::vector<Index>& crossed,
                                  std::vector<Event>& log) {
  Index first = 0;
  Resolution worst;
  for (AutomatonUnit& unit : units_) {
    const Index end = first + unit.num_guards();
    std::vector<Index> own;
    for (const Index guard : crossed)
      if (guard >= first && guard < end) own.push_back(guard - first);
    first = end;
    const Resolution resolution = unit.resolve(t, z, own, log);
    if (worst && !resolution) worst = resolution;
  }
  return worst;
}

bool AutomatonPart::remove_drift(double, Eigen::VectorXd& z) {
  bool moved = false;
  for (AutomatonUnit& unit : units_) moved = unit.remove_drift(z) || moved;
  return moved;
}

void AutomatonPart::reset() {
  longest_step_ = {};
  for (AutomatonUnit& unit : units_) unit.reset();
}

std::vector<AutomatonPart::Other> AutomatonPart::others(double t) const {
  std::vector<Other> list;
  for (const AutomatonUnit& unit : units_)
    for (const AutomatonUnit::Motion& motion : unit.others())
      list.push_back({&unit, &motion, {unit.event_of(t, motion.transition)}});
  return list;
}

void AutomatonPart::write_other(const Other& other, Eigen::VectorXd& zdot, Eigen::VectorXd&) const {
  Eigen::VectorXd rates = zdot.tail(zdot.size() - num_positions_);
  other.unit->write_rate(*other.motion, rates);
  zdot.tail(rates.size()) = rates;
}

/// `z` has the mode that is read.
template <class Memory>
void AutomatonUnit::remember(Memory& memory, const Eigen::VectorXd& z) {
  memory(largest_, mode_);
  if constexpr (Memory::reads) {
    if (mode_ >= 0) mode_ = fields_->mode_of(z[place_.z + fields_->n()]);
    watched_.clear();
    if (mode_ >= 0) watch_mode();
  }
  for (Watched& one : watched_) memory(one);
}

void AutomatonPart::append(std::vector<double>& numbers, const Eigen::VectorXd& z) {
  if (units_.empty()) return;
  std::vector<double> own;
  memory::Writer memory(own);
  memory(longest_step_);
  for (AutomatonUnit& unit : units_) unit.remember(memory, z);
  numbers.insert(numbers.end(), own.begin(), own.end());
  numbers.push_back(static_cast<double>(own.size()));
}

void AutomatonPart::resume(std::vector<double>& numbers, const Eigen::VectorXd& z) {
  if (units_.empty() || numbers.empty()) return;
  const auto count = static_cast<std::size_t>(numbers.back());
  numbers.pop_back();
  if (count > numbers.size())
    throw InvalidArgument("State::events", "fewer numbers than the model has", "what a simulation wrote");
  const std::vector<double> own(numbers.end() - static_cast<std::ptrdiff_t>(count), numbers.end());
  numbers.resize(numbers.size() - count);
  memory::Reader memory(own);
  memory(longest_step_);
  for (AutomatonUnit& unit : units_) unit.remember(memory, z);
}

}  // namespace nonsmooth::events
