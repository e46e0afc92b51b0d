// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

class NonSmoothDynamicalSystem;
class State;

/// Energies of all mechanical systems of a model [J].
struct Energies {
  double kinetic = 0.0;    ///< v^T M(q) v / 2
  double potential = 0.0;  ///< q^T K q / 2 - f q for constant f, V(q); NaN where a system's is not known
};

/// Energies of states of one model, with memory that it keeps: a call allocates nothing after the first one of a
/// revision. What is the same of all steps (a Ledger gives works too, step by step).
class EnergyMeter {
 public:
  EnergyMeter();
  ~EnergyMeter();
  EnergyMeter(EnergyMeter&&) noexcept;
  EnergyMeter& operator=(EnergyMeter&&) noexcept;

  /// @throws InvalidArgument where the state belongs to another revision of the model; what a user's mass or potential
  /// throws.
  Energies of(const NonSmoothDynamicalSystem& model, const State& state);

  /// Makes ready for the present revision of a model. True where its systems are linear ones with diagonal matrices and
  /// constant forces alone: then of_arrays() asks nobody, and may be called while another thread steps the model.
  bool prepare(const NonSmoothDynamicalSystem& model);
  /// The same bits as of(), from State::positions and State::unknowns of the revision that prepare() said true of.
  /// @throws InvalidArgument where it did not, or sizes differ.
  [[nodiscard]] Energies of_arrays(const ConstVectorRef& positions, const ConstVectorRef& unknowns) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace nonsmooth
