// SPDX-License-Identifier: Apache-2.0
#include "filippov_elements.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <internal/round_off.hpp>

#include "model/guarded.hpp"

namespace nonsmooth::finite_elements {
namespace {

/// A way that is such a part of the largest |x_k| is round-off of fields that balance.
constexpr double kRests = 64.0 * eps;

}  // namespace

FilippovField::FilippovField(std::shared_ptr<const FilippovFields> fields, std::string name)
    : fields_(std::move(fields)), name_(std::move(name)) {}

void FilippovField::switches(double t, const Eigen::VectorXd& x, Eigen::VectorXd& c) {
  c.resize(num_switches());
  guarded(name_, "a switching function", [&] {
    for (Index j = 0; j < c.size(); ++j) c[j] = fields_->value(j, t, x);
  });
  require_finite(name_, "a switching function", c);
}

void FilippovField::gradients(double t, const Eigen::VectorXd& x, Eigen::MatrixXd& G) {
  G.resize(num_switches(), size());
  gradient_.resize(size());
  guarded(name_, "the gradient of a switching function", [&] {
    for (Index j = 0; j < G.rows(); ++j) {
      fields_->gradient(j, t, x, gradient_);
      G.row(j) = gradient_.transpose();
    }
  });
}

void FilippovField::switch_rates(double t, const Eigen::VectorXd& x, Eigen::VectorXd& c_t) {
  constexpr double kAnyTime = std::numeric_limits<double>::infinity();
  c_t.resize(num_switches());
  guarded(name_, "the rate of a switching function", [&] {
    for (Index j = 0; j < c_t.size(); ++j) c_t[j] = fields_->rate(j, t, x, -kAnyTime, kAnyTime);
  });
}

void FilippovField::field(double t, const Eigen::VectorXd& x, unsigned pattern, Eigen::VectorXd& f) {
  f.resize(size());
  guarded(name_, "a field", [&] { fields_->field(fields_->region_of(static_cast<Index>(pattern)), t, x, f); });
  require_finite(name_, "a field", f);
}

void FilippovField::jacobian(double t, const Eigen::VectorXd& x, unsigned pattern, Eigen::MatrixXd& J) {
  J.resize(size(), size());
  guarded(name_, "the Jacobian of a field",
          [&] { fields_->field_dx(fields_->region_of(static_cast<Index>(pattern)), t, x, J); });
  require_finite(name_, "the Jacobian of a field", J);
}

FilippovModes::FilippovModes(filippov::FilippovUnit unit, Index z_size)
    : unit_(std::move(unit)), z_(Eigen::VectorXd::Zero(z_size)) {}

void FilippovModes::begin(bool goes_on) {
  unit_.forget_magnitudes();
  if (!goes_on) unit_.reset();
  log_.clear();
  others_ = 0;
}

bool FilippovModes::choose(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& largest, SwitchedMode& mode) {
  unit_.reach(largest);
  t_ = t;
  largest_ = largest;
  z_.segment(unit_.z(), x.size()) = x;
  resolution_ = unit_.resolve(t, z_, {}, log_);
  others_ = std::max(others_, static_cast<Index>(unit_.others().size()));
  if (!resolution_) return false;
  mode = {};
  const std::vector<signed char>& signs = unit_.mode().signs;
  for (std::size_t j = 0; j < signs.size(); ++j) {
    if (signs[j] > 0) mode.pattern |= 1U << j;
    if (signs[j] == 0) mode.sliding.push_back(static_cast<Index>(j));
  }
  using filippov::FilippovRule;
  const FilippovRule rule = unit_.mode().rule;
  if (rule == FilippovRule::Utkin) mode.alpha = unit_.mode().alpha;
  if (rule == FilippovRule::Unique || rule == FilippovRule::Utkin) return true;
  resolution_ = {instants::Resolution::Outcome::NoMode,
                 "the motion that was chosen is none by a step function of each surface"};
  return false;
}

bool FilippovModes::rests_until(double end, Eigen::VectorXd& x) {
  if (unit_.mode().signs.empty() || !unit_.others().empty()) return false;
  rate_.resize(z_.size());
  std::vector<Event> none;
  for (const double t : {t_, 0.5 * (t_ + end), end}) {
    if (t > t_ && (!unit_.resolve(t, z_, {}, none) || !unit_.others().empty())) return false;
    unit_.rates(t, z_, rate_);
    const auto way = (end - t_) * rate_.segment(unit_.z(), x.size()).array().abs();
    if (!(way <= kRests * largest_.array()).all()) return false;
  }
  if (!none.empty()) return false;
  x = z_.segment(unit_.z(), x.size());
  return true;
}

FilippovElements::FilippovElements(filippov::FilippovUnit unit, std::string name, Index z_size,
                                   const Collocation& collocation, Index elements)
    : name_(std::move(name)),
      field_(unit.shared_fields(), name_),
      modes_(std::move(unit), z_size),
      stepper_(field_, modes_, collocation, elements) {}

SwitchedOutcome FilippovElements::step(double t, const Eigen::VectorXd& x, double h, bool goes_on,
                                       Eigen::MatrixXd* transition) {
  modes_.begin(goes_on);
  return stepper_.step(t, x, h, goes_on, transition);
}

std::string FilippovElements::detail(SwitchedOutcome outcome) const {
  switch (outcome) {
    case SwitchedOutcome::Advanced:
      return {};
    case SwitchedOutcome::NotConverged:
      return name_ + ": Newton's iteration found no element or no switch, in up to " +
             std::to_string(SwitchedStepper::kMostElements) + " elements of what was left of the step";
    case SwitchedOutcome::Undetermined:
      return name_ +
             ": the step functions of the surfaces that x slides along are not determined by it, or not between "
             "0 and 1; EventDriven takes such motions";
    case SwitchedOutcome::Chattering:
      return name_ + ": more than " + std::to_string(SwitchedStepper::kMostSwitches) + " switches in a step";
    case SwitchedOutcome::NoMode:
      break;
  }
  return name_ + ": " + modes_.resolution().detail;
}

}  // namespace nonsmooth::finite_elements
