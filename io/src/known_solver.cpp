// SPDX-License-Identifier: Apache-2.0
#include "known_solver.hpp"

#include <typeinfo>

#include <internal/class_name.hpp>
#include <nonsmooth/numerics/friction.hpp>
#include <nonsmooth/numerics/mixed.hpp>

namespace nonsmooth {
namespace {

template <class... Options>
std::optional<KnownSolver> among(const AnySolver& solver) {
  std::optional<KnownSolver> found;
  const auto look = [&found](const auto* options) {
    if (options) found = KnownSolver{class_name(typeid(*options)), options->tolerance};
  };
  (look(solver.get_if<Options>()), ...);
  return found;
}

}  // namespace

std::optional<KnownSolver> known_solver(const AnySolver& solver) {
  using namespace friction;
  return among<mixed::Automatic, mixed::GaussSeidel, mixed::Admm, mixed::FischerBurmeister, mixed::NaturalNewton,
               mixed::ProximalNewton, friction::Automatic, friction::GaussSeidel, friction::Admm,
               friction::ProximalNewton, BarzilaiBorwein, ConeRelaxation, DirectMcp, Extragradient, Faceted, FixedPoint,
               Frictionless, GaussSeidelNewton, GaussSeidelSchwarz, Haslinger, InteriorPoint, Jacobi, Nesterov,
               Panagiotopoulos, PlanarLcp, SemismoothNewton, Tresca, GlobalAutomatic, GlobalAdmm, GlobalInteriorPoint,
               GlobalProximalNewton>(solver);
}

}  // namespace nonsmooth
