// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "filippov/filippov_unit.hpp"
#include "switched_stepper.hpp"

namespace nonsmooth::finite_elements {

/// The fields of a FilippovSystem, whose callables are guarded by its name.
class FilippovField final : public SwitchedField {
 public:
  FilippovField(std::shared_ptr<const FilippovFields> fields, std::string name);
  [[nodiscard]] Index size() const override { return fields_->n(); }
  [[nodiscard]] Index num_switches() const override { return fields_->num_surfaces(); }
  void switches(double t, const Eigen::VectorXd& x, Eigen::VectorXd& c) override;
  void gradients(double t, const Eigen::VectorXd& x, Eigen::MatrixXd& G) override;
  void switch_rates(double t, const Eigen::VectorXd& x, Eigen::VectorXd& c_t) override;
  void field(double t, const Eigen::VectorXd& x, unsigned pattern, Eigen::VectorXd& f) override;
  void jacobian(double t, const Eigen::VectorXd& x, unsigned pattern, Eigen::MatrixXd& J) override;

 private:
  std::shared_ptr<const FilippovFields> fields_;
  std::string name_;
  Eigen::VectorXd gradient_;
};

/// Which mode goes on from a switch, as event-driven simulation finds it.
class FilippovModes final : public ModeRule {
 public:
  explicit FilippovModes(filippov::FilippovUnit unit, Index z_size);
  /// A step begins: its choices depend on t and x there alone. `goes_on`: unless the mode of the last one is kept.
  void begin(bool goes_on);
  [[nodiscard]] bool choose(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& largest,
                            SwitchedMode& mode) override;
  [[nodiscard]] bool is_only_motion() const override {
    return resolution_ && unit_.mode().rule == filippov::FilippovRule::Unique && unit_.others().empty();
  }
  /// x' is looked at now, in the middle and at the end: fields that are all tangent where x is depend on t alone there.
  [[nodiscard]] bool rests_until(double end, Eigen::VectorXd& x) override;
  [[nodiscard]] bool may_leave() const override { return unit_.may_leave(); }
  [[nodiscard]] double margin_to_leave(double t, const Eigen::VectorXd& x) override {
    return unit_.margin_to_leave(t, x);
  }

  [[nodiscard]] filippov::FilippovUnit& unit() noexcept { return unit_; }
  [[nodiscard]] const instants::Resolution& resolution() const noexcept { return resolution_; }  ///< of the last choice
  /// Of the last step: its switches, and instants from which several motions go on.
  [[nodiscard]] const std::vector<Event>& log() const noexcept { return log_; }
  [[nodiscard]] Index others() const noexcept { return others_; }  ///< motions not taken, at the worst of its instants

 private:
  filippov::FilippovUnit unit_;
  instants::Resolution resolution_;
  std::vector<Event> log_;
  Index others_ = 0;
  double t_ = 0.0;  ///< of the last choice
  Eigen::VectorXd z_, rate_, largest_;
};

/// One FilippovSystem with what steps it.
class FilippovElements {
 public:
  FilippovElements(filippov::FilippovUnit unit, std::string name, Index z_size, const Collocation& collocation,
                   Index elements);
  FilippovElements(const FilippovElements&) = delete;  // the stepper refers to the two beside it
  FilippovElements& operator=(const FilippovElements&) = delete;

  /// As SwitchedStepper's. @throws CallableFailure
  [[nodiscard]] SwitchedOutcome step(double t, const Eigen::VectorXd& x, double h, bool goes_on,
                                     Eigen::MatrixXd* transition);
  [[nodiscard]] const SwitchedStepper& stepper() const noexcept { return stepper_; }
  [[nodiscard]] FilippovModes& modes() noexcept { return modes_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Why step() failed.
  [[nodiscard]] std::string detail(SwitchedOutcome outcome) const;

 private:
  std::string name_;
  FilippovField field_;
  FilippovModes modes_;
  SwitchedStepper stepper_;
};

}  // namespace nonsmooth::finite_elements
