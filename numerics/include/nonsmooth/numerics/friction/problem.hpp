// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nonsmooth/numerics/mixed/problem.hpp>

/// Frictional contact: the algorithms that know Coulomb's law.
///
/// Reduced form: find r, u with  u = W r + q  and, at each contact,  K* ∋ û = u + mu |u_T| e_N ⟂ r ∈ K. It is the mixed
/// problem with blocks of these sets: Coulomb2D, Coulomb3D (isotropic or elliptic), Rolling, all with or without
/// cohesion, Orthant (no friction) and Free (bilateral). W may be singular and unsymmetric.
namespace nonsmooth::friction {

using Problem = mixed::Problem;
using mixed::friction_figures;
using mixed::FrictionFigures;

/// True if every block is of a set that this family solves (see above).
[[nodiscard]] bool supports(const ProductSet& K) noexcept;

/// What an automatic solve decided, in order: one entry for each tier that ran, and for each reason for which it ended
/// where it ran on several islands (contacts that W does not couple to the others).
struct Decision {
  std::string_view
      tier;              ///< the algorithm, as in the registry; or "presolve", "planar modes", "proof of infeasibility"
  Index iterations = 0;  ///< it took, the most of its islands; of a presolve: how many it found
  double residual = 0.0;    ///< the best one after it, in the measure of the solve; the worst of its islands
  std::string_view reason;  ///< why it ended, static text
  Index islands = 1;        ///< where it ended for this reason
};

/// Where reactions are not unique: r + x is a solution's reaction for small x in a space of this dimension.
struct Hyperstaticity {
  Index nullspace_dimension = 0;   ///< of W restricted to the contacts that stick or slide
  Eigen::VectorXd minimum_norm_r;  ///< the solution of smallest |r|_2 with the modes found
  bool estimated = false;  ///< some island was too large for a dense factorization (see friction::hyperstaticity)
};

/// Which residual a solve stops on.
enum class Measure : unsigned char {
  Certificate,  ///< Certificate::residual: a velocity, whatever the units
  NaturalMap,   ///< FrictionFigures::natural_map: rho = 1, divided by |q|_2, as the field's benchmarks report it
};

/// What a solve found.
struct Result : mixed::Result {
  mixed::FrictionFigures figures;                ///< what the field reports beside the certificate
  std::vector<Decision> decisions;               ///< of an automatic solve
  std::optional<Hyperstaticity> hyperstaticity;  ///< of a solved one, where asked for and not too large for it
};

}  // namespace nonsmooth::friction
