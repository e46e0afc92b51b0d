// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <nonsmooth/kernel/systems/sparse_first_order.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"
#include "sparse_values.hpp"

namespace nonsmooth {
namespace {

void validate(const SparseFirstOrderSystem& system) {
  const std::string type = "SparseFirstOrderSystem";
  const Index n = system.x0.size();
  describe::check_initial(type, "x0", system.x0, n);
  check_pattern(type, system.pattern, n, "x0");
  describe::check_mass_of_first_order(type + "::mass", system.mass, n);
  static_cast<void>(mass_on_pattern(type + "::mass", system.mass, system.pattern));
  if (system.f_dx && !system.f)
    throw InvalidArgument(type + "::f_dx", "the Jacobian of an f that is missing", "f, or neither");
}

class CallableSparseFirstOrderSystem final : public SparseFirstOrderDynamicalSystem {
 public:
  explicit CallableSparseFirstOrderSystem(SparseFirstOrderSystem description) : description_(std::move(description)) {
    if (description_.f && !description_.f_dx) differences_ = SparseDifferences(description_.pattern);
  }

  [[nodiscard]] std::string name() const override { return description_.name; }
  [[nodiscard]] Eigen::VectorXd initial_state() const override { return description_.x0.value(); }
  [[nodiscard]] const Feedback& feedback() const override { return description_.feedback; }
  [[nodiscard]] const MatrixData& mass() const override { return description_.mass; }
  [[nodiscard]] const SparsePattern& pattern() const override { return description_.pattern; }
  void f(double t, ConstVectorRef x, VectorRef value) const override {
    if (description_.f) description_.f(t, x, value);
  }
  void f_dx_entries(double t, ConstVectorRef x, SparseEntries& J) const override {
    const SparseFirstOrderSystem& d = description_;
    if (d.f_dx) {
      write_entries("f_dx", J.pattern(), J.values(), [&](SparseEntries& own) { d.f_dx(t, x, own); });
    } else if (d.f) {
      differences::Scratch scratch(SparseDifferences::scratch_size(x.size()));
      differences_.add_jacobian(1.0, J.pattern(), x, scratch, J.values(), [&](ConstVectorRef at, VectorRef value) {
        call_part("f(t, x)", [&] { d.f(t, at, value); });
      });
    }
  }

 private:
  SparseFirstOrderSystem description_;
  SparseDifferences differences_;  ///< where the Jacobian is missing
};

}  // namespace

bool SparseFirstOrderDynamicalSystem::f_dx(double t, ConstVectorRef x, MatrixRef jacobian) const {
  write_dense(pattern(), jacobian, [&](SparseEntries& entries) { f_dx_entries(t, x, entries); });
  return true;
}

std::shared_ptr<const FirstOrderDynamicalSystem> make_system(SparseFirstOrderSystem system) {
  validate(system);
  return std::make_shared<const CallableSparseFirstOrderSystem>(std::move(system));
}

}  // namespace nonsmooth
