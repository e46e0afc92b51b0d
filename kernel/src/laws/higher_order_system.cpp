// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/higher_order.hpp>
#include <nonsmooth/numerics/analysis/matrix_classes.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/equations/differences.hpp"
#include "model/switched/switching_function.hpp"
#include "nested_cones.hpp"

namespace nonsmooth {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::string part(const char* member) { return std::string("HigherOrderSystem::") + member; }

/// The system in z = (levels, xi), by what its user gave in x.
class NormalForm {
 public:
  explicit NormalForm(HigherOrderSystem system)
      : own_(std::move(system)),
        n_(own_.x0.size()),
        m_(own_.outputs),
        r_(own_.degree),
        levels_(own_.outputs * own_.degree) {}

  [[nodiscard]] Index n() const noexcept { return n_; }
  [[nodiscard]] Index levels() const noexcept { return levels_; }
  [[nodiscard]] Index xi() const noexcept { return n_ - levels_; }
  [[nodiscard]] const HigherOrderSystem& own() const noexcept { return own_; }

  /// (w, w', ..., w^(r-1); ...; xi) of x.
  void coordinates(ConstVectorRef x, VectorRef z) const {
    differences::Scratch scratch(m_ * (r_ + 1));
    auto values = scratch.vector(m_ * (r_ + 1));
    Eigen::Map<Matrix> lie(values.data(), m_, r_ + 1);
    lie.setZero();
    own_.lie(x, lie);
    for (Index i = 0; i < m_; ++i) z.segment(i * r_, r_) = lie.row(i).head(r_).transpose();
    if (xi() == 0) return;
    auto rest = z.tail(xi());
    rest.setZero();
    own_.xi(x, rest);
  }

  /// z' without multipliers.
  void rate(ConstVectorRef z, VectorRef value) const {
    differences::Scratch scratch(n_ + m_ * (r_ + 1));
    auto x = scratch.vector(n_), values = scratch.vector(m_ * (r_ + 1));
    x.setZero();
    own_.inverse(z, x);
    Eigen::Map<Matrix> lie(values.data(), m_, r_ + 1);
    lie.setZero();
    own_.lie(x, lie);
    for (Index i = 0; i < m_; ++i) {
      value.segment(i * r_, r_ - 1) = z.segment(i * r_ + 1, r_ - 1);
      value[i * r_ + r_ - 1] = lie(i, r_);
    }
    if (xi() == 0) return;
    auto rest = value.tail(xi());
    rest.setZero();
    own_.xi_rate(x, rest);
  }

  /// dr/dlambda: 1 below level r, H at x(z) in it.
  void input(ConstVectorRef z, MatrixRef result) const {
    differences::Scratch scratch(n_ + m_ * m_);
    auto x = scratch.vector(n_), values = scratch.vector(m_ * m_);
    x.setZero();
    own_.inverse(z, x);
    Eigen::Map<Matrix> H(values.data(), m_, m_);
    H.setZero();
    own_.H(x, H);
    for (Index i = 0; i < m_; ++i) {
      for (Index level = 0; level + 1 < r_; ++level) result(i * r_ + level, i * r_ + level) = 1.0;
      for (Index j = 0; j < m_; ++j) result(i * r_ + r_ - 1, j * r_ + r_ - 1) = H(i, j);
    }
  }
  void input(ConstVectorRef z, ConstVectorRef lambda, VectorRef value) const {
    differences::Scratch scratch(n_ + m_ * m_);
    auto x = scratch.vector(n_), values = scratch.vector(m_ * m_);
    x.setZero();
    own_.inverse(z, x);
    Eigen::Map<Matrix> H(values.data(), m_, m_);
    H.setZero();
    own_.H(x, H);
    for (Index i = 0; i < m_; ++i) {
      value.segment(i * r_, r_ - 1) = lambda.segment(i * r_, r_ - 1);
      value[i * r_ + r_ - 1] = 0.0;
      for (Index j = 0; j < m_; ++j) value[i * r_ + r_ - 1] += H(i, j) * lambda[j * r_ + r_ - 1];
    }
  }

 private:
  HigherOrderSystem own_;
  Index n_, m_, r_, levels_;
};

/// dz/dx by central differences over sqrt(eps), and of each entry what they may lose: twice how far the differences to
/// both sides are apart, which is truncation and rounding, and the rounding of the values.
struct LieSlopes {
  Matrix values, lost;
};

LieSlopes lie_slopes(const NormalForm& form, const Vector& x) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  const Index n = form.n();
  LieSlopes slopes{.values = Matrix(n, n), .lost = Matrix(n, n)};
  Vector at = x, here(n), ahead(n), behind(n);
  form.coordinates(x, here);
  for (Index k = 0; k < n; ++k) {
    const double step = differences::step_at(x[k]);
    at[k] = x[k] + step;
    form.coordinates(at, ahead);
    at[k] = x[k] - step;
    form.coordinates(at, behind);
    at[k] = x[k];
    slopes.values.col(k) = (ahead - behind) / (2.0 * step);
    slopes.lost.col(k) = (2.0 * (ahead - 2.0 * here + behind).cwiseAbs() +
                          4.0 * kEps * (ahead.cwiseAbs() + here.cwiseAbs() + behind.cwiseAbs())) /
                         step;
  }
  return slopes;
}

/// What the user's functions give at a place; all entries are finite.
struct LieValues {
  Matrix lie, H, G;
  Vector z, f, rest;
};

template <class Value>
void require_finite_part(const char* member, const Value& value) {
  if (!value.allFinite())
    throw InvalidArgument(part(member), "a number that is not finite at x0 or beside it", "finite numbers");
}

LieValues lie_values(const NormalForm& form, const Vector& x) {
  const HigherOrderSystem& own = form.own();
  const Index n = form.n(), m = own.outputs;
  LieValues at{.lie = Matrix::Zero(m, own.degree + 1),
               .H = Matrix::Zero(m, m),
               .G = Matrix::Zero(n, m),
               .z = Vector(n),
               .f = Vector::Zero(n),
               .rest = Vector::Zero(form.xi())};
  switching::ask(part("lie"), [&] { own.lie(x, at.lie); });
  require_finite_part("lie", at.lie);
  switching::ask(part("lie or xi"), [&] { form.coordinates(x, at.z); });
  require_finite_part("xi", at.z);
  Vector back = Vector::Zero(n);
  switching::ask(part("inverse"), [&] { own.inverse(at.z, back); });
  if (!((back - x).lpNorm<Eigen::Infinity>() <= 1e-9 * (1.0 + x.lpNorm<Eigen::Infinity>())))
    throw InvalidArgument(part("inverse"), "x that is off by " + check::text((back - x).lpNorm<Eigen::Infinity>()),
                          "the x whose levels and xi these are");
  switching::ask(part("H"), [&] { own.H(x, at.H); });
  require_finite_part("H", at.H);
  switching::ask(part("f"), [&] { own.f(x, at.f); });
  require_finite_part("f", at.f);
  switching::ask(part("G"), [&] { own.G(x, at.G); });
  require_finite_part("G", at.G);
  if (form.xi() == 0) return at;
  switching::ask(part("xi_rate"), [&] { own.xi_rate(x, at.rest); });
  require_finite_part("xi_rate", at.rest);
  return at;
}

/// What the functions say at x agrees with differences of one another. Of a sum of slopes times f or G, 1e-6 of its
/// terms and what its slopes lose count as zero, in the units of the sum.
void check_at(const NormalForm& form, const Vector& x) {
  const Index m = form.own().outputs, r = form.own().degree, levels = form.levels();
  const LieValues at = lie_values(form, x);
  LieSlopes slopes;
  switching::ask(part("lie or xi"), [&] { slopes = lie_slopes(form, x); });
  require_finite_part("lie or xi: differences", slopes.values);
  const Matrix zero = switching::kDifferenceError * slopes.values.cwiseAbs() + slopes.lost;
  const Vector along = slopes.values * at.f, along_zero = zero * at.f.cwiseAbs();
  const Matrix across = slopes.values * at.G, across_zero = zero * at.G.cwiseAbs();
  const auto compare = [](const std::string& what, double given, double found, double lost) {
    switching::compare_within(what, Vector::Constant(1, given), Vector::Constant(1, found),
                              switching::kWrong * std::max(std::abs(given), std::abs(found)) + lost);
  };
  for (Index i = 0; i < m; ++i) {
    for (Index level = 0; level < r; ++level) {
      const Index row = i * r + level;
      compare(part("lie: ") + "L_f^" + std::to_string(level + 1) + " h_" + std::to_string(i), at.lie(i, level + 1),
              along[row], along_zero[row]);
      const std::string what = level + 1 < r ? part("G: the relative degree is lower, as L_G L_f^") +
                                                   std::to_string(level) + " h_" + std::to_string(i) + " is not zero"
                                             : part("H");
      const double largest = level + 1 < r ? 0.0 : at.H.row(i).lpNorm<Eigen::Infinity>();
      for (Index j = 0; j < m; ++j) {
        const double lost = across_zero(row, j) + switching::kWrong * largest;
        compare(what, level + 1 < r ? 0.0 : at.H(i, j), across(row, j), lost);
      }
    }
  }
  for (Index k = 0; k < form.xi(); ++k) {
    compare(part("xi_rate"), at.rest[k], along[levels + k], along_zero[levels + k]);
    for (Index j = 0; j < m; ++j)
      compare(part("xi: lambda moves it"), 0.0, across(levels + k, j), across_zero(levels + k, j));
  }
}

void check_functions(const NormalForm& form) {
  const HigherOrderSystem& own = form.own();
  for (const auto& [given, member] : {std::pair{static_cast<bool>(own.f), "f"},
                                      {static_cast<bool>(own.G), "G"},
                                      {static_cast<bool>(own.lie), "lie"},
                                      {static_cast<bool>(own.H), "H"},
                                      {static_cast<bool>(own.inverse), "inverse"},
                                      {form.xi() == 0 || own.xi, "xi"},
                                      {form.xi() == 0 || own.xi_rate, "xi_rate"}})
    if (!given) throw InvalidArgument(part(member), "no function", "one");
  const Vector x0 = own.x0.value();
  check_at(form, x0);
  Vector beside = x0;  // where x0 is special, as 0 often is
  for (Index k = 0; k < form.n(); ++k) beside[k] += 1e-2 * std::max(1.0, std::abs(x0[k])) * (k % 2 == 0 ? 1.0 : -0.7);
  check_at(form, beside);
}

}  // namespace

HigherOrderHandles link_higher_order(NonSmoothDynamicalSystem& model, HigherOrderSystem system,
                                     const HigherOrderOptions& options) {
  check::range("HigherOrderOptions::closed", options.closed, 0.0, 1e-3);
  check::at_least(part("degree"), system.degree, 1);
  check::at_least(part("outputs"), system.outputs, 1);
  check::within(part("x0: entries"), system.x0.size(), system.degree * system.outputs, check::most_dense_rows);
  check::finite(part("x0"), ConstVectorRef(system.x0.value()));
  const auto form = std::make_shared<const NormalForm>(std::move(system));
  check_functions(*form);
  const HigherOrderSystem& own = form->own();
  const Index n = form->n(), rows = form->levels();

  auto data = std::make_shared<HigherOrderData>();
  data->options = options;
  data->form.degree = own.degree;
  data->form.outputs = own.outputs;
  data->form.rate = std::numeric_limits<double>::quiet_NaN();
  data->form.H = Matrix::Zero(own.outputs, own.outputs);
  own.H(own.x0.value(), data->form.H);
  const analysis::MatrixClasses classes = analysis::classify(data->form.H);
  if (!classes.positive_definite.holds() && !classes.p.holds())
    throw InvalidArgument(part("H"), "no P-matrix at x0", "a P-matrix (of one output: positive)");
  Vector z0(n);
  form->coordinates(own.x0.value(), z0);

  NonSmoothDynamicalSystem changed = model;
  HigherOrderHandles handles{.form = data->form};
  handles.system = changed.add(FirstOrderSystem{
      .f = [form](double, ConstVectorRef z, VectorRef value) { form->rate(z, value); }, .x0 = z0, .name = own.name});
  const FirstOrderRelation levels{
      .rows = rows,
      .h = [rows](double, ConstVectorRef z, ConstVectorRef, VectorRef y) { y = z.head(rows); },
      .h_dx = [rows](double, ConstVectorRef, ConstVectorRef,
                     MatrixRef jacobian) { jacobian.leftCols(rows).setIdentity(); },
      .h_dlambda = [](double, ConstVectorRef, ConstVectorRef, MatrixRef) {},
      .g = [form](double, ConstVectorRef z, ConstVectorRef lambda, VectorRef value) { form->input(z, lambda, value); },
      .g_dlambda = [form](double, ConstVectorRef z, ConstVectorRef, MatrixRef jacobian) { form->input(z, jacobian); }};
  handles.levels = changed.link(handles.system, levels, std::make_shared<const NestedConesLaw>(data),
                                "levels of " + changed.systems()[handles.system.slot].name);
  model = std::move(changed);
  return handles;
}

}  // namespace nonsmooth
