// SPDX-License-Identifier: Apache-2.0
#include "event_sensitivities.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <internal/at.hpp>
#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "events/first_order/first_order_slopes.hpp"
#include "meeting_map.hpp"

namespace nonsmooth::events {
namespace {

[[noreturn]] void refuse(const std::string& found, const char* expected) {
  throw InvalidArgument("EventDrivenOptions::sensitivities", found, expected);
}

void require_mechanics(MechanicalPart& mechanics, const Layout& layout) {
  if (mechanics.empty()) return;
  for (const Layout::System& system : layout.systems) {
    if (!system.first_order && system.nq != system.n)
      refuse("the rotations of " + system.name, "coordinates with q' = v: derivatives on manifolds are not known");
  }
  if (!mechanics.impulses().empty()) refuse("prescribed impulses", "none");
  for (const Contact& one : mechanics.model().contacts()) {
    const bool impact = one.kind == Contact::Kind::Unilateral && one.rule == impacts::ImpactContact::Rule::Newton &&
                        !one.frictional() && one.size == 1 && one.matrix < 0 && one.coefficients < 0;
    if (impact || one.kind == Contact::Kind::Relay) continue;
    refuse(mechanics.model().place_of(one),
           "NewtonImpactLaw without a rule of several contacts, or RelayLaw: impacts with friction, bilateral "
           "constraints and other laws have no derivative here");
  }
}

void require_first_order(const FirstOrderPart& first_order) {
  if (first_order.empty()) return;
  const FirstOrderData& data = first_order.data();
  if (data.has_descriptors()) refuse("a descriptor system", "regular masses");
  for (std::size_t k = 0; k < data.rows.size(); ++k) {
    if (!(std::isfinite(data.rows[k].lower) && std::isfinite(data.rows[k].upper)))
      refuse(data.place_of(static_cast<Index>(k)), "RelayLaw: states may jump where multipliers have no bound");
  }
}

}  // namespace

EventSensitivities::EventSensitivities(const NonSmoothDynamicalSystem& model, const EventDrivenOptions& options,
                                       MechanicalPart& mechanics, FirstOrderPart& first_order, FilippovPart& filippov,
                                       const AutomatonPart& automata)
    : layout_(model.layout().get()),
      mechanics_(&mechanics),
      first_order_(&first_order),
      filippov_(&filippov),
      tolerance_(options.relative_tolerance),
      smallest_(options.absolute_tolerance / options.relative_tolerance),
      impact_(mechanics.model()) {
  for (std::size_t k = 0; k < options.events.size(); ++k) {
    const std::string& name = options.events[k].name;
    if (!options.events[k].action) continue;
    refuse("the action of event " + (name.empty() ? std::to_string(k) : name),
           "events without: nobody knows its derivative");
  }
  if (!automata.units().empty())
    refuse("the automaton " + automata.units().front().name(), "systems without transitions, or a FilippovSystem");
  require_mechanics(mechanics, *layout_);
  require_first_order(first_order);
  if (!mechanics.empty()) add_mechanics();
  if (!first_order.empty()) add_first_order(model);
  for (FilippovUnit& unit : filippov.units()) add_filippov(unit);
}

void EventSensitivities::add_mechanics() {
  Variation::Motion motion;
  for (Index k = 0; k < layout_->num_positions; ++k) motion.entries.push_back(k);
  for (const Layout::System& system : layout_->systems)
    for (Index k = 0; k < system.n && !system.first_order; ++k)
      motion.entries.push_back(layout_->num_positions + system.z + k);
  motion.num_parameters = static_cast<Index>(mechanics_->model().contacts().size());
  motion.rates = [part = mechanics_](double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    part->rates(t, z, zdot);
  };
  motion.num_guards = [part = mechanics_] { return part->num_guards(); };
  motion.guards = [part = mechanics_](double t, const Eigen::VectorXd& z, double* values) {
    part->guards(t, z, values);
  };
  has_mechanics_ = true;
  guards_.push_back(motion.num_guards);
  units_.push_back(nullptr);
  variations_.emplace_back(std::move(motion), tolerance_, smallest_);
}

void EventSensitivities::add_first_order(const NonSmoothDynamicalSystem& model) {
  Variation::Motion motion;
  const std::vector<FilippovUnit>& units = filippov_->units();
  for (const Layout::System& system : layout_->systems) {
    const Index first = layout_->num_positions + system.z;
    const bool other = std::any_of(units.begin(), units.end(), [&](const FilippovUnit& u) { return u.z() == first; });
    for (Index k = 0; k < system.n && system.first_order && !other; ++k) motion.entries.push_back(first + k);
  }
  motion.rates = [part = first_order_](double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) {
    part->rates(t, z, zdot);
  };
  motion.rates_dz = [part = first_order_, slopes = std::make_shared<FirstOrderSlopes>(model)](
                        double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A) {
    return (*slopes)(t, z, part->branches(), A);
  };
  motion.num_guards = [part = first_order_] { return part->num_guards(); };
  motion.guards = [part = first_order_](double t, const Eigen::VectorXd& z, double* values) {
    part->guards(t, z, values);
  };
  guards_.push_back(motion.num_guards);
  units_.push_back(nullptr);
  variations_.emplace_back(std::move(motion), tolerance_, smallest_);
}

void EventSensitivities::add_filippov(FilippovUnit& unit) {
  Variation::Motion motion;
  for (Index k = 0; k < unit.fields().n(); ++k) motion.entries.push_back(unit.z() + k);
  FilippovUnit* const own = &unit;
  motion.rates = [own](double t, const Eigen::VectorXd& z, Eigen::VectorXd& zdot) { own->rates(t, z, zdot); };
  motion.num_guards = [own] { return own->num_guards(); };
  motion.guards = [own](double t, const Eigen::VectorXd& z, double* values) { own->guards(t, z, values); };
  motion.rates_dz = [own](double t, const Eigen::VectorXd& z, Eigen::MatrixXd& A) { return own->rates_dz(t, z, A); };
  motion.guard_dz = [own](Index guard, double t, const Eigen::VectorXd& z, Eigen::VectorXd& slope, double& by_time) {
    return own->surface_slope(guard, t, z, slope, by_time);
  };
  guards_.push_back(motion.num_guards);
  units_.push_back(own);
  variations_.emplace_back(std::move(motion), tolerance_, smallest_);
}

void EventSensitivities::begin() {
  known_ = false;
  for (Variation& variation : variations_) variation.begin();
}

void EventSensitivities::along(const smooth::DensePolynomial& dense) {
  for (Variation& variation : variations_) variation.along(dense);
  for (Variation& variation : variations_) variation.commit();
}

void EventSensitivities::before(double t, const Eigen::VectorXd& z, const std::vector<Index>& crossed, double first) {
  known_ = false;
  z_before_ = z;
  signs_.resize(variations_.size());
  rates_.resize(variations_.size());
  Index from = 0;  // guards come in the order of the variations: mechanics, first order, FilippovSystems
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    const Index to = from + guards_[i]();
    std::vector<Index> own;
    for (const Index g : crossed)
      if (g >= from && g < to) own.push_back(g - from);
    if (units_[i] != nullptr) {
      signs_[i] = units_[i]->mode().signs;
      change_.resize(z.size());
      units_[i]->rates(t, z, change_);
      rates_[i] = change_.segment(units_[i]->z(), units_[i]->fields().n());
    }
    variations_[i].before(t, z, own, first);
    from = to;
  }
  known_ = true;
}

void EventSensitivities::lose() {
  known_ = false;
  for (Variation& variation : variations_) variation.lose();
}

void EventSensitivities::after(double t, const Eigen::VectorXd& z) {
  if (!std::exchange(known_, false)) return lose();
  try {
    carry_over(t, z);
  } catch (...) {
    lose();
    throw;
  }
}

void EventSensitivities::carry_over(double t, const Eigen::VectorXd& z) {
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    if (i == 0 && has_mechanics_) {
      after_mechanics(t, z, variations_[i]);
      continue;
    }
    if (units_[i] != nullptr) {
      after_filippov(t, z, i);
    } else {
      variations_[i].after(t, z, 0);
    }
  }
}

void EventSensitivities::after_filippov(double t, const Eigen::VectorXd& z, std::size_t variation) {
  FilippovUnit& unit = *units_[variation];
  const std::vector<signed char>&signs = unit.mode().signs, &before = signs_[variation];
  Index met = 0;  // surfaces that x was not on
  for (std::size_t j = 0; j < signs.size() && j < before.size(); ++j)
    if (before[j] != 0 && before[j] != signs[j]) ++met;
  Variation::DirectionMap map;
  if (met > 1) {
    const Index n = unit.fields().n();
    change_.resize(z.size());
    unit.rates(t, z, change_);
    map = MeetingMap(unit.fields(), t, z_before_.segment(unit.z(), n), {before, rates_[variation]},
                     {signs, change_.segment(unit.z(), n)});
  }
  variations_[variation].after(t, z, met, std::move(map));
}

void EventSensitivities::after_mechanics(double t, const Eigen::VectorXd& z, Variation& variation) {
  const MechanicalImpacts& impacts = mechanics_->impacts();
  impact_.find(t, z, [&](Index row) { return impacts.percussion(t, row); });
  if (impact_.empty()) return variation.after(t, z, 0);
  impact_.linearise(t, z_before_);
  const auto jump = [this](double when, const Eigen::VectorXd& at_z, Eigen::VectorXd& value) {
    impact_(when, at_z, value);
  };
  std::vector<Variation::Crossing> crossings = impact_.crossings(mechanics_->mode().states());
  std::vector<Variation::Jump> singly;
  for (std::size_t k = 0; k < crossings.size() && impact_.apart(mechanics_->mode().states()); ++k) {
    singly.emplace_back([this, k](double when, const Eigen::VectorXd& at_z, Eigen::VectorXd& value) {
      impact_.alone(static_cast<Index>(k), when, at_z, value);
    });
  }
  variation.after(t, z, jump, std::move(crossings), singly);
  impact_.linearise(t, z_before_);
  const Index n = variation.size() / 2;
  Eigen::VectorXd both = Eigen::VectorXd::Zero(2 * n);
  for (std::size_t k = 0; k < mechanics_->model().contacts().size(); ++k) {
    impact_.by_restitution(k, change_);
    both.tail(n) = change_;
    variation.add(static_cast<Index>(k), both);
  }
}

EventSensitivities::Place EventSensitivities::place_of(SystemHandle handle) const {
  const Layout::System& system = layout_->at(handle);
  std::vector<Index> wanted;
  for (Index k = 0; k < system.nq; ++k) wanted.push_back(system.q + k);
  for (Index k = 0; k < system.n; ++k) wanted.push_back(layout_->num_positions + system.z + k);
  Place place;
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    const std::vector<Index>& entries = variations_[i].entries();
    if (std::find(entries.begin(), entries.end(), wanted.front()) == entries.end()) continue;
    place.variation = i;
    for (const Index entry : wanted)
      place.entries.push_back(std::distance(entries.begin(), std::find(entries.begin(), entries.end(), entry)));
  }
  return place;
}

Sensitivity EventSensitivities::of(SystemHandle system, SystemHandle by) const {
  const Place rows = place_of(system), columns = place_of(by);
  const Variation& variation = variations_[rows.variation];
  Sensitivity result;
  result.grazed = variation.grazed();
  result.coincided = variation.coincided();
  result.transition.setZero(std::ssize(rows.entries), std::ssize(columns.entries));
  if (rows.variation != columns.variation) return result;
  for (Index i = 0; i < result.transition.rows(); ++i)
    for (Index k = 0; k < result.transition.cols(); ++k)
      result.transition(i, k) = variation.X()(rows.entries[at(i)], columns.entries[at(k)]);
  return result;
}

Eigen::VectorXd EventSensitivities::along(SystemHandle system, ConstVectorRef direction) const {
  const Place place = place_of(system);
  check::size("EventDriven::directional_sensitivity: direction", direction.size(), std::ssize(place.entries),
              "the system's (q; v) or x");
  check::finite("EventDriven::directional_sensitivity: direction", direction);
  const Variation& variation = variations_[place.variation];
  Eigen::VectorXd all = Eigen::VectorXd::Zero(variation.size()), own(direction.size());
  for (Index k = 0; k < own.size(); ++k) all[place.entries[at(k)]] = direction[k];
  all = variation.along(all);
  for (Index k = 0; k < own.size(); ++k) own[k] = all[place.entries[at(k)]];
  return own;
}

Eigen::VectorXd EventSensitivities::by_restitution(SystemHandle system, InteractionHandle contact) const {
  const Index interaction = layout_->index(contact);
  const Place rows = place_of(system);
  const Variation& variation = variations_[rows.variation];
  Eigen::VectorXd result = Eigen::VectorXd::Zero(std::ssize(rows.entries));
  bool found = false;
  for (std::size_t k = 0; k < mechanics_->model().contacts().size(); ++k) {
    const Contact& one = mechanics_->model().contact(k);
    if (one.interaction != interaction || one.kind != Contact::Kind::Unilateral) continue;
    found = true;
    if (rows.variation != 0 || !has_mechanics_) continue;
    for (Index i = 0; i < result.size(); ++i)
      result[i] += variation.X()(rows.entries[at(i)], variation.size() + static_cast<Index>(k));
  }
  if (!found) {
    throw InvalidArgument("EventDriven::restitution_sensitivity: contact", layout_->interactions[at(interaction)].name,
                          "an interaction under NewtonImpactLaw");
  }
  return result;
}

}  // namespace nonsmooth::events
