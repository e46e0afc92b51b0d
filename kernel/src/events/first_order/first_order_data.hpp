// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nonsmooth/kernel/model.hpp>
#include <nonsmooth/kernel/one_step_ns_problem.hpp>

#include "dynamics/first_order/descriptor_form.hpp"
#include "model/equations/first_order.hpp"
#include "model/linked_systems.hpp"
#include "model/prepared_law.hpp"

/// The first-order subsystem of a model as stacked dense arrays.
namespace nonsmooth::events {

/// One row of the stacked problem: -y^ in N_[lower, upper](lambda^).
struct FirstOrderRow {
  double lower = 0.0, upper = 0.0;
  Index interaction = 0;  ///< in FirstOrderData::interactions; -1: a constraint of a descriptor system
  Index local = 0;        ///< row of the interaction; auxiliary rows of its law follow those of its relation
  std::string system{};   ///< whose constraint it is

  [[nodiscard]] bool is_fixed() const noexcept { return lower == upper; }
};

/// All first-order systems and rows,
///
///     xdot = g(t, x) + P(t) lambda^,     y^ = C(t) x + D(t) lambda^ + e(t),     -y^ in N_K(lambda^),
///
/// g = M^-1 f, P = M^-1 B, lambda^ = (lambda; zeta) interaction by interaction with the laws' own unknowns zeta behind,
/// K a product of intervals: D holds the relation's D and the law's coupling, e the relation's e and the law's offset.
/// n states, m rows. Values are those of the last evaluate().
///
/// Of a system whose mass is singular x is x_d (see DescriptorForm), M^-1 is W, C is C X and so on; its x_c are further
/// entries of lambda^ behind all others, in K without bounds, with the rows -R (A x_d + f) as their y^: the signs with
/// which a passive circuit is monotone. complete() gives the user's x.
class FirstOrderData {
 public:
  /// The model has to outlive it and stay as it is.
  /// @throws InvalidArgument naming the system or interaction and the reason, for what event-driven simulation does not
  /// know: sweeping processes, sampled feedback, FirstOrderRelation, ShockleyLaw, users' laws, sets other than
  /// intervals; a singular mass of a nonlinear system, with A(t), or with a pencil that is singular or of index 3 and
  /// more.
  explicit FirstOrderData(const NonSmoothDynamicalSystem& model);

  struct Interaction {
    std::string name;
    InteractionHandle handle;
    Index row = 0, rows = 0, extended = 0;  ///< extended: with auxiliary rows
    Index state_row = 0;                    ///< in State::outputs
    std::vector<LinkedSystem> systems;      ///< z: of x
    FirstOrderRelationEvaluator relation;   ///< linear
    Eigen::MatrixXd C{}, B{}, D{};          ///< of it, on its stacked states
  };

  Index n = 0, m = 0;
  std::vector<FirstOrderRow> rows;
  std::vector<Interaction> interactions;
  bool matrices_vary = false;     ///< some C, D or B is a function of time
  bool offsets_vary = false;      ///< some e is
  bool drift_linear = true;       ///< g = G x + beta(t) with constant G
  bool drive_varies = false;      ///< some b of a linear system is a function of time
  double smallest_feature = 0.0;  ///< of the relations, the least that is given [s]
  Eigen::MatrixXd G;              ///< n x n where drift_linear

  Eigen::MatrixXd C, D, P;   ///< m x n, m x m, n x m
  Eigen::MatrixXd coupling;  ///< what the laws add to D, m x m
  Eigen::VectorXd offset;    ///< what they add to e, m
  Eigen::VectorXd e;         ///< m

  struct Matrices {
    Eigen::MatrixXd C, D, P;
    Index stamp = 0;  ///< a number of their own, from 1 on
  };
  /// True where C, D, P have these bits.
  [[nodiscard]] bool is(const Matrices& values) const { return C == values.C && D == values.D && P == values.P; }
  /// Values that evaluate() compares with from now on.
  void remember(const Matrices& values) {
    remembered_ = values;
    as_remembered_ = true;
  }
  /// The stamp of those values where the present ones are the same, else 0.
  [[nodiscard]] Index present_stamp() const noexcept { return as_remembered_ ? remembered_.stamp : 0; }

  /// C, D, P, e at t; nothing is done where they are those of t already.
  void evaluate(double t);
  void evaluate_offsets(double t, Eigen::VectorXd& value);
  /// (e(t); b(t)), m + n entries, zero where they are no functions.
  void functions_of_time(double t, Eigen::VectorXd& value) const;
  /// g(t, x); values that are not finite pass.
  void drift(double t, const Eigen::VectorXd& x, Eigen::VectorXd& g);
  /// g(t, 0) = M^-1 b(t) where drift_linear.
  void drive(double t, Eigen::VectorXd& beta);

  /// y = C x + D lambda + e of the relations' rows, auxiliary ones zero; as of the last evaluate().
  void relation_outputs(const Eigen::VectorXd& x, const Eigen::VectorXd& lambda, Eigen::VectorXd& y) const;

  void gather(const Eigen::VectorXd& z, Eigen::VectorXd& x) const;  ///< own entries of z = (q; unknowns)
  /// The first of the own entries of z where they lie together there in the order of x; -1: they do not.
  [[nodiscard]] Index first_in_z() const noexcept { return first_in_z_; }
  /// The own entries of z: in z itself where they lie together, else gathered into x.
  [[nodiscard]] const double* packed(const Eigen::VectorXd& z, Eigen::VectorXd& x) const {
    if (first_in_z_ >= 0) return z.data() + first_in_z_;
    gather(z, x);
    return x.data();
  }
  /// True where no function of time is among the data and g is linear: rates are affine maps of x in each mode.
  [[nodiscard]] bool is_autonomous() const noexcept {
    return drift_linear && !drive_varies && !offsets_vary && !matrices_vary;
  }
  void scatter(const Eigen::VectorXd& x, Eigen::VectorXd& z) const;
  /// "row 0 of diode on capacitor and coil".
  [[nodiscard]] std::string place_of(Index row) const;
  [[nodiscard]] std::string all_names() const;  ///< of the interactions
  /// Where each row comes from: a block for each, as K has an interval for each.
  void list_origins(OneStepNSProblem& problem) const;
  /// Which entry of the states x, of their rates g without multipliers or of the relations' matrices is not finite.
  [[nodiscard]] std::string not_finite(const Eigen::VectorXd& x, const Eigen::VectorXd& g) const;

  /// True where some system's x is not x_d.
  [[nodiscard]] bool has_descriptors() const noexcept { return has_descriptors_; }
  /// x := x_d of it, what is consistent with any multipliers.
  void project(Eigen::VectorXd& x);
  /// The user's x of descriptor systems into their entries of State::unknowns. C, D, P, e have to be those of t.
  void complete(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& lambda, Eigen::VectorXd& unknowns);

 private:
  struct System {
    Index place = 0, x = 0, z = 0, n = 0;  ///< place: in the layout
    std::string name;
    FirstOrderSystemEvaluator description;
    Eigen::MatrixXd inverse_mass{};  ///< empty: the identity; W of a descriptor system
    std::optional<DescriptorForm> form{};
    Index first_row = 0;  ///< of its constraints
    Eigen::MatrixXd A{};  ///< of a linear system: constant, or scratch of a function; empty: zero
    Eigen::VectorXd x_scratch, f;

    /// value := M^-1 of `of`.
    template <class Of, class Value>
    void divide_by_mass(const Of& of, Value&& value) const {
      if (inverse_mass.size() > 0) {
        value.noalias() = inverse_mass * of;
      } else {
        value = of;
      }
    }
  };
  void add_systems(const NonSmoothDynamicalSystem& model);
  static void add_mass(System& system);
  void add_constraints();
  void reduce_matrices();
  void add_rows(const PreparedLaw& law, Index index);
  void evaluate_matrices(double t, Interaction& interaction, bool first);

  std::shared_ptr<const Layout> layout_;
  std::vector<System> systems_;
  Index first_in_z_ = -1;
  Eigen::MatrixXd relation_D_, B_;
  bool has_descriptors_ = false;
  Eigen::MatrixXd given_C_, given_D_, C_Z_, reduced_;  // of descriptor systems: before the reduction, and scratch
  Matrices remembered_;
  bool as_remembered_ = false;
  double time_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace nonsmooth::events
