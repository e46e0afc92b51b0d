// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include <nonsmooth/numerics/types.hpp>

namespace nonsmooth {

/// F : R^n -> R^m as users give it: values, and where they have one the Jacobian J(x) = F'(x), m x n, sparse or dense.
///
///     NonlinearMap F{.num_unknowns = 2, .num_values = 2,
///                    .value = [](ConstVectorRef x, VectorRef f) { f << x[0] * x[0] - x[1], x[1] - 1.0; }};
///
/// Without a Jacobian, forward differences stand for it, column by column: n more values of F a Jacobian, which has
/// half of the digits. Callables are called by one thread at a time, and the same x must give the same bits. What they
/// throw goes through to the caller of the solver.
struct NonlinearMap {
  Index num_unknowns = 0;  ///< n >= 1
  Index num_values = 0;    ///< m >= 1
  /// Writes F(x), x of n and f of m entries. f comes filled with NaN, so that an entry that is not written is told.
  std::function<void(ConstVectorRef x, VectorRef f)> value{};
  /// Writes J(x), m x n, compressed or not. J comes with the entries of the call before, m x n and empty at the first,
  /// so that a pattern may stay.
  std::function<void(ConstVectorRef x, Eigen::SparseMatrix<double>& J)> jacobian{};
  /// The same, dense; J comes as zeros. At most one of the two may be given.
  std::function<void(ConstVectorRef x, MatrixRef J)> dense_jacobian{};
  /// The size that differences take for an unknown that is smaller, > 0: n entries; empty: 1 each. Units of which
  /// ordinary values are far from 1 need it.
  Eigen::VectorXd sizes{};
  std::string name = "F";                    ///< of the map, for messages
  std::vector<std::string> unknown_names{};  ///< n of them, for messages; empty: numbers
  std::vector<std::string> value_names{};    ///< m of them, for messages; empty: numbers

  [[nodiscard]] bool has_jacobian() const noexcept { return jacobian || dense_jacobian; }
  /// Whether factors of it should be sparse: `jacobian` was given.
  [[nodiscard]] bool is_sparse() const noexcept { return static_cast<bool>(jacobian); }

  /// @throws InvalidArgument: n or m < 1, no `value`, two Jacobians, names or sizes of another number, a size that is
  /// not positive.
  void validate() const;
};

/// A number that is NaN or infinite where a map was asked: what, where and at which point.
///
/// Solvers treat such a point as outside of F's domain: a line search takes a shorter step. At the point that a solve
/// starts from it is an InvalidArgument; where no shorter step helps, and in a Jacobian at an iterate, the solve ends
/// NumericalFailure with this in its result, and its message() tells it.
struct NotFinite {
  Index component = -1;  ///< of F, zero-based
  Index unknown = -1;    ///< the column, where it is an entry of the Jacobian; -1 of a value
  double value = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd x;  ///< the point

  /// E.g. "nan in component 2 (demand) of F at x = (1, 0.5, ...)": at most 8 entries of x, the unknown's among them.
  [[nodiscard]] std::string message(const NonlinearMap& map) const;
};

/// f := F(x). Nothing where all is finite. x and f have n and m entries.
[[nodiscard]] std::optional<NotFinite> evaluate(const NonlinearMap& map, ConstVectorRef x, VectorRef f);

/// J := F'(x), by the callable that was given or by forward differences on f = F(x),
///
///     J_ij = (F_i(x + h_j e_j) - f_i) / h_j,     |h_j| = sqrt(eps) max(|x_j|, sizes_j),
///
/// with the sign that keeps x_j + h_j within [lower_j, upper_j], |h_j| at most what the wider side leaves; where
/// neither sign gives finite values, that is told. Columns of fixed unknowns (lower_j = upper_j) are left 0. Empty
/// bounds: none. The sparse form comes compressed.
/// @throws InvalidArgument where the callable leaves another shape.
[[nodiscard]] std::optional<NotFinite> evaluate_jacobian(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef f,
                                                         ConstVectorRef lower, ConstVectorRef upper,
                                                         Eigen::SparseMatrix<double>& J);
/// The same, dense.
[[nodiscard]] std::optional<NotFinite> evaluate_jacobian(const NonlinearMap& map, ConstVectorRef x, ConstVectorRef f,
                                                         ConstVectorRef lower, ConstVectorRef upper,
                                                         Eigen::MatrixXd& J);

/// How the given Jacobian compares with differences of F at a point: the entry that is worst.
struct JacobianComparison {
  bool agrees = true;           ///< no entry is out of its tolerance
  Index row = -1, column = -1;  ///< the worst entry, by error; -1 where all are exact
  double given = 0.0;           ///< J_ij
  double difference = 0.0;      ///< what differences give for it
  /// How far J_ij is outside of what they allow, over max(|J_ij|, |difference|); 0 where inside.
  double error = 0.0;
  Index wrong_entries = 0;    ///< out of the tolerance
  Index skipped_columns = 0;  ///< in which F is finite on neither side of x_j
  Eigen::VectorXd x;

  /// E.g. "entry (2, 0) of the Jacobian of F is 3, differences give 2 at x = (1, 1)".
  [[nodiscard]] std::string message(const NonlinearMap& map) const;
};

/// Compares F' at x with differences on both sides, of h_j = eps^(1/3) max(|x_j|, sizes_j) and of h_j / 2. An entry is
/// right within the hull of the one-sided differences and of what those of each side tend to, 2 D(h / 2) - D(h) (at a
/// kink of F any element of the generalised derivative is), widened by tolerance times its size, by three times what
/// the mean changes when h is halved, and by the rounding 8 eps |F_i| / h_j. Sides outside of [lower, upper] (empty: no
/// bounds) are not looked at where the other is inside. Cost: 4 n + 1 values. A map without a Jacobian agrees.
/// @throws InvalidArgument as NonlinearMap::validate; x of another size; F(x) or a given entry that is not finite.
[[nodiscard]] JacobianComparison compare_jacobian(const NonlinearMap& map, ConstVectorRef x,
                                                  ConstVectorRef lower = Eigen::VectorXd(),
                                                  ConstVectorRef upper = Eigen::VectorXd(), double tolerance = 1e-6);

}  // namespace nonsmooth
