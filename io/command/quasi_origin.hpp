// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <nonsmooth/io/affine_quasi_vi.hpp>

namespace nonsmooth::command {

/// Where K(0) has no point, from which algorithms begin and measure: the p nearest to 0 that lies in its own K(p), as
/// far as polyhedra say so; nothing where K(0) has a point, no p is found, or
/// there are more than 1000 rows.
[[nodiscard]] std::optional<Eigen::VectorXd> point_for_origin(const AffineQuasiVi& problem);

/// The same problem in x - p.
[[nodiscard]] AffineQuasiVi seen_from(const AffineQuasiVi& problem, const Eigen::VectorXd& p);

}  // namespace nonsmooth::command
