// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/kernel/relations/first_order.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "first_order.hpp"
#include "model/describe.hpp"

namespace nonsmooth {
namespace {

/// y = C x + D lambda + e, r = B lambda.
class LinearFirstOrderRelation final : public FirstOrderInputOutputRelation {
 public:
  explicit LinearFirstOrderRelation(FirstOrderLinearRelation description) : description_(std::move(description)) {
    for (MatrixData* data : {&description_.B, &description_.C, &description_.D}) describe::make_dense(*data);
    const Index m = rows();
    if (description_.D.empty() && m >= 1 && m <= check::most_dense_rows) description_.D = Eigen::MatrixXd::Zero(m, m);
  }

  [[nodiscard]] Index rows() const override {
    return description_.C.function() ? description_.rows : description_.C.rows();
  }
  [[nodiscard]] double smallest_feature() const override { return description_.smallest_feature; }
  void validate(Index n) const override;
  void h(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) const override {
    Eigen::VectorXd e(rows());
    evaluate("e(t)", description_.e, t, e);
    y = value("C(t)", description_.C, t, rows(), x.size()) * x +
        value("D(t)", description_.D, t, rows(), rows()) * lambda + e;
  }
  void g(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) const override {
    r = value("B(t)", description_.B, t, x.size(), rows()) * lambda;
  }
  bool h_dx(double t, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const override {
    evaluate("C(t)", description_.C, t, jacobian);
    return true;
  }
  bool h_dlambda(double t, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const override {
    evaluate("D(t)", description_.D, t, jacobian);
    return true;
  }
  bool g_dx(double, ConstVectorRef, ConstVectorRef, MatrixRef) const override { return true; }
  bool g_dlambda(double t, ConstVectorRef, ConstVectorRef, MatrixRef jacobian) const override {
    evaluate("B(t)", description_.B, t, jacobian);
    return true;
  }
  [[nodiscard]] const FirstOrderLinearRelation* linear() const override { return &description_; }

 private:
  static Eigen::MatrixXd value(const char* which, const MatrixData& data, double t, Index rows, Index cols) {
    Eigen::MatrixXd result(rows, cols);
    evaluate(which, data, t, result);
    return result;
  }

  FirstOrderLinearRelation description_;
};

void LinearFirstOrderRelation::validate(Index n) const {
  const FirstOrderLinearRelation& d = description_;
  if (d.C.function()) {
    check::within("FirstOrderLinearRelation::rows", d.rows, 1, check::most_dense_rows);
  } else {
    describe::check_constant("FirstOrderLinearRelation::C", d.C, -1, n);
    if (d.rows != 0) check::size("FirstOrderLinearRelation::rows", d.rows, rows(), "as C has rows (or 0: not said)");
  }
  // B is n x m, the transpose of C's shape.
  if (!d.B.function()) describe::check_constant("FirstOrderLinearRelation::B", d.B, n, rows());
  if (!d.D.function()) describe::check_constant("FirstOrderLinearRelation::D", d.D, rows(), rows());
  if (const auto* e = d.e.constant()) {
    check::size("FirstOrderLinearRelation::e", e->size(), rows(), "one a row of C");
    check::finite("FirstOrderLinearRelation::e", ConstVectorRef(*e));
  }
  check::range("FirstOrderLinearRelation::smallest_feature", d.smallest_feature, 0.0,
               std::numeric_limits<double>::max());
}

class CallableFirstOrderRelation final : public FirstOrderInputOutputRelation {
 public:
  explicit CallableFirstOrderRelation(FirstOrderRelation description) : description_(std::move(description)) {}

  [[nodiscard]] Index rows() const override { return description_.rows; }
  void validate(Index) const override {
    check::within("FirstOrderRelation::rows", description_.rows, 1, check::most_dense_rows);
    if (!description_.h) throw InvalidArgument("FirstOrderRelation::h", "no function", "the output h(t, x, lambda)");
    if (!description_.g) throw InvalidArgument("FirstOrderRelation::g", "no function", "the input g(t, x, lambda)");
  }
  void h(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef y) const override {
    description_.h(t, x, lambda, y);
  }
  void g(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) const override {
    description_.g(t, x, lambda, r);
  }
  bool h_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override {
    return gives(description_.h_dx, t, x, lambda, jacobian);
  }
  bool h_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override {
    return gives(description_.h_dlambda, t, x, lambda, jacobian);
  }
  bool g_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override {
    return gives(description_.g_dx, t, x, lambda, jacobian);
  }
  bool g_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const override {
    return gives(description_.g_dlambda, t, x, lambda, jacobian);
  }

 private:
  static bool gives(const FirstOrderRelation::Jacobian& given, double t, ConstVectorRef x, ConstVectorRef lambda,
                    MatrixRef jacobian) {
    if (given) given(t, x, lambda, jacobian);
    return given != nullptr;
  }

  FirstOrderRelation description_;
};

}  // namespace

std::shared_ptr<const FirstOrderInputOutputRelation> make_relation(FirstOrderLinearRelation relation) {
  return std::make_shared<const LinearFirstOrderRelation>(std::move(relation));
}
std::shared_ptr<const FirstOrderInputOutputRelation> make_relation(FirstOrderRelation relation) {
  return std::make_shared<const CallableFirstOrderRelation>(std::move(relation));
}

}  // namespace nonsmooth
