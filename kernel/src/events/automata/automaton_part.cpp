// SPDX-License-Identifier: Apache-2.0
#include "automaton_part.hpp"

#include <algorithm>

#include <nonsmooth/numerics/error.hpp>

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

/// In the order of the layout.
std::vector<AutomatonUnit> units_of(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options) {
  std::vector<AutomatonUnit> units;
  const Layout& layout = *model.layout();
  for (const Layout::System& place : layout.systems) {
    const auto& record = model.systems()[place.slot];
    const auto* process = dynamic_cast<const AutomatonProcess*>(record.first_order);
    if (!process) continue;
    check_inputs(model, place.slot, process->fields()->n());
    units.emplace_back(process->fields(), record.name,
                       AutomatonUnit::Place{.handle = {layout.model, place.slot, record.generation},
                                            .z = layout.num_positions + place.z,
                                            .unknown = place.z,
                                            .num_unknowns = layout.num_unknowns,
                                            .num_rows = layout.num_rows},
                       options);
  }
  return units;
}

}  // namespace

AutomatonPart::AutomatonPart(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options)
    : PartOfUnits(units_of(model, options), options.step > 0.0, "a HybridAutomaton"),
      num_positions_(model.layout()->num_positions) {}

smooth::Guards::Probing AutomatonPart::probing(const smooth::DensePolynomial& dense, double least) {
  return probing_of(num_guards(), dense, least);
}

Index AutomatonPart::probe(double t, const Eigen::VectorXd& z, double* values) {
  guards(t, z, values);
  return num_guards();
}

bool AutomatonPart::remove_drift(double t, Eigen::VectorXd& z) {
  bool moved = false;
  for (AutomatonUnit& unit : units_) moved = unit.remove_drift(t, z) || moved;
  return moved;
}

std::vector<AutomatonPart::Other> AutomatonPart::others(double t) const {
  std::vector<Other> list;
  for (const AutomatonUnit& unit : units_)
    for (const AutomatonUnit::Motion& motion : unit.others())
      list.push_back({&unit, &motion, {unit.event_of(t, motion)}});
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
  memory(largest_, mode_, now_);
  if constexpr (Memory::reads) {
    ended_.clear();
    if (now_.mode >= fields_->num_modes() || (now_.mode >= 0 && !fields_->sliding(now_.mode))) now_ = {};
    if (now_.mode >= 0) resume_stretch();
    if (mode_ >= 0) mode_ = fields_->mode_of(z[place_.z + fields_->n()]);
    watched_.clear();
    if (mode_ >= 0) watch_mode();
  }
  for (Watched& one : watched_) memory(one);
}

void AutomatonPart::append(std::vector<double>& numbers, const Eigen::VectorXd& z) { append_units(numbers, z); }

void AutomatonPart::resume(std::vector<double>& numbers, const Eigen::VectorXd& z) { resume_units(numbers, z); }

}  // namespace nonsmooth::events
