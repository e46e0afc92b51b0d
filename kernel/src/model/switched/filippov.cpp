// SPDX-License-Identifier: Apache-2.0
#include "filippov.hpp"

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "model/describe.hpp"
#include "model/equations/differences.hpp"
#include "switching_function.hpp"

namespace nonsmooth {
namespace {

constexpr Index kMostSurfaces = 8;

/// Kept by the thread, so that steps do not allocate.
Eigen::VectorXd& field_scratch(Index n) {
  thread_local Eigen::VectorXd memory;
  if (memory.size() != n) memory.resize(n);
  return memory;
}
Eigen::VectorXd& point_scratch(Index n) {
  thread_local Eigen::VectorXd memory;
  if (memory.size() != n) memory.resize(n);
  return memory;
}
Eigen::MatrixXd& jacobian_scratch(Index n) {
  thread_local Eigen::MatrixXd memory;
  if (memory.rows() != n) memory.resize(n, n);
  return memory;
}

std::string pattern_text(Index pattern, Index surfaces) {
  std::string text = "(";
  for (Index j = 0; j < surfaces; ++j) text += std::string(j > 0 ? ", " : "") + (pattern >> j & 1 ? "+" : "-");
  return text + ")";
}

}  // namespace

FilippovFields::FilippovFields(FilippovSystem system) : system_(std::move(system)), n_(system_.x0.size()) {
  describe::check_initial("FilippovSystem", "x0", system_.x0, n_);
  check::within("FilippovSystem::switches: number", num_surfaces(), 1, kMostSurfaces);
  for (Index j = 0; j < num_surfaces(); ++j) {
    if (!system_.switches[static_cast<std::size_t>(j)].value)
      throw InvalidArgument("FilippovSystem::switches: value of " + surface_name(j), "no function", "c(t, x)");
  }
  check_signs();
  check_start();
}

void FilippovFields::check_signs() {
  for (Index i = 0; i < num_regions(); ++i) {
    const auto& signs = system_.regions[static_cast<std::size_t>(i)].signs;
    const std::string what = "FilippovSystem::regions: signs of " + region_name(i);
    check::size(what.c_str(), static_cast<Index>(signs.size()), num_surfaces(), "one a switching function");
    for (const int sign : signs)
      if (sign < -1 || sign > 1) throw InvalidArgument(what, std::to_string(sign), "-1, 0 or 1");
  }
  region_of_.assign(static_cast<std::size_t>(num_patterns()), -1);
  for (Index pattern = 0; pattern < num_patterns(); ++pattern) {
    Index& owner = region_of_[static_cast<std::size_t>(pattern)];
    for (Index i = 0; i < num_regions(); ++i) {
      const auto& signs = system_.regions[static_cast<std::size_t>(i)].signs;
      bool covers = true;
      for (Index j = 0; j < num_surfaces(); ++j) {
        const int sign = signs[static_cast<std::size_t>(j)];
        covers = covers && (sign == 0 || (sign > 0) == ((pattern >> j & 1) != 0));
      }
      if (!covers) continue;
      if (owner >= 0) {
        throw InvalidArgument(
            "FilippovSystem::regions: fields that do not cover",
            "signs " + pattern_text(pattern, num_surfaces()) + " in " + region_name(owner) + " and " + region_name(i),
            "each pattern of signs in one region");
      }
      owner = i;
    }
    if (owner < 0) {
      throw InvalidArgument("FilippovSystem::regions: fields that do not cover",
                            "signs " + pattern_text(pattern, num_surfaces()) + " in no region",
                            "each pattern of signs in one region (0: either sign), though it may never occur");
    }
  }
}

/// At t = 0 and x0.
void FilippovFields::check_start() const {
  const Eigen::VectorXd x = system_.x0.value();
  Eigen::VectorXd given = Eigen::VectorXd::Zero(n_);
  for (Index j = 0; j < num_surfaces(); ++j) {
    switching::check_at("FilippovSystem::switches: ", " of " + surface_name(j),
                        system_.switches[static_cast<std::size_t>(j)], x);
  }
  for (Index i = 0; i < num_regions(); ++i) {
    const FilippovRegion& region = system_.regions[static_cast<std::size_t>(i)];
    const std::string who = " of " + region_name(i);
    switching::ask("FilippovSystem::regions: f" + who, [&] { field(i, 0.0, x, given); });
    check::finite(("FilippovSystem::regions: f" + who).c_str(), ConstVectorRef(given));
    if (!region.f_dx) continue;
    Eigen::MatrixXd jacobian(n_, n_), by_differences = Eigen::MatrixXd::Zero(n_, n_);
    switching::ask("FilippovSystem::regions: f_dx" + who, [&] {
      field_dx(i, 0.0, x, jacobian);
      nonsmooth::differences::jacobian(x, by_differences,
                                       [&](ConstVectorRef at, VectorRef out) { field(i, 0.0, at, out); });
    });
    switching::compare("FilippovSystem::regions: f_dx" + who, jacobian, by_differences);
  }
}

double FilippovFields::value(Index surface, double t, ConstVectorRef x) const {
  return system_.switches[static_cast<std::size_t>(surface)].value(t, x);
}

void FilippovFields::gradient(Index surface, double t, ConstVectorRef x, VectorRef result) const {
  switching::gradient(system_.switches[static_cast<std::size_t>(surface)], t, x, result);
}

double FilippovFields::rate(Index surface, double t, ConstVectorRef x, double first, double last) const {
  return switching::rate(system_.switches[static_cast<std::size_t>(surface)], t, x, first, last);
}

void FilippovFields::field(Index region, double t, ConstVectorRef x, VectorRef result) const {
  result.setZero();
  const FilippovRegion& own = system_.regions[static_cast<std::size_t>(region)];
  if (own.f) own.f(t, x, result);
}

void FilippovFields::field_dx(Index region, double t, ConstVectorRef x, MatrixRef jacobian) const {
  jacobian.setZero();
  const FilippovRegion& own = system_.regions[static_cast<std::size_t>(region)];
  if (own.f_dx) return own.f_dx(t, x, jacobian);
  if (!own.f) return;
  Eigen::VectorXd& at = point_scratch(n_);
  Eigen::VectorXd& base = field_scratch(n_);
  at = x;
  field(region, t, at, base);
  for (Index k = 0; k < n_; ++k) {
    const double step = differences::step_at(x[k]);
    at[k] = x[k] + step;
    auto column = jacobian.col(k);
    column.setZero();
    own.f(t, at, column);
    column = (column - base) / step;
    at[k] = x[k];
  }
}

std::string FilippovFields::surface_name(Index surface) const {
  const std::string& name = system_.switches[static_cast<std::size_t>(surface)].name;
  return name.empty() ? "surface " + std::to_string(surface) : name;
}

std::string FilippovFields::region_name(Index region) const {
  const std::string& name = system_.regions[static_cast<std::size_t>(region)].name;
  return name.empty() ? "region " + std::to_string(region) : name;
}

// --- The relation of steps -------------------------------------------------------------------------------------------

Index FilippovRelation::rows() const { return fields_->is_hull() ? fields_->num_patterns() : fields_->num_surfaces(); }

void FilippovRelation::validate(Index n) const {
  check::size("FilippovSystem: the states of the linked systems", n, fields_->n(), "the system's own");
}

double FilippovRelation::weight(Index pattern, ConstVectorRef lambda) const {
  if (fields_->is_hull()) return lambda[pattern];
  double product = 1.0;
  for (Index j = 0; j < lambda.size(); ++j) product *= pattern >> j & 1 ? lambda[j] : 1.0 - lambda[j];
  return product;
}

void FilippovRelation::h(double t, ConstVectorRef x, ConstVectorRef, VectorRef y) const {
  for (Index j = 0; j < fields_->num_surfaces(); ++j) {
    const double c = fields_->value(j, t, x);
    if (!fields_->is_hull()) {
      y[j] = -c;
      continue;
    }
    for (Index i = 0; i < y.size(); ++i) y[i] += i >> j & 1 ? -c : c;
  }
}

bool FilippovRelation::h_dx(double t, ConstVectorRef x, ConstVectorRef, MatrixRef jacobian) const {
  Eigen::VectorXd& gradient = field_scratch(fields_->n());
  for (Index j = 0; j < fields_->num_surfaces(); ++j) {
    fields_->gradient(j, t, x, gradient);
    if (!fields_->is_hull()) {
      jacobian.row(j) = -gradient.transpose();
      continue;
    }
    for (Index i = 0; i < jacobian.rows(); ++i) {
      if (i >> j & 1) {
        jacobian.row(i) -= gradient.transpose();
      } else {
        jacobian.row(i) += gradient.transpose();
      }
    }
  }
  return true;
}

void FilippovRelation::g(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef r) const {
  Eigen::VectorXd& field = field_scratch(fields_->n());
  for (Index region = 0; region < fields_->num_regions(); ++region) {
    double sum = 0.0;
    for (Index i = 0; i < fields_->num_patterns(); ++i)
      if (fields_->region_of(i) == region) sum += weight(i, lambda);
    if (sum == 0.0) continue;
    fields_->field(region, t, x, field);
    r += sum * field;
  }
}

bool FilippovRelation::g_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const {
  Eigen::MatrixXd& field_dx = jacobian_scratch(fields_->n());
  for (Index region = 0; region < fields_->num_regions(); ++region) {
    double sum = 0.0;
    for (Index i = 0; i < fields_->num_patterns(); ++i)
      if (fields_->region_of(i) == region) sum += weight(i, lambda);
    if (sum == 0.0) continue;
    fields_->field_dx(region, t, x, field_dx);
    jacobian += sum * field_dx;
  }
  return true;
}

bool FilippovRelation::g_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian) const {
  Eigen::VectorXd& field = field_scratch(fields_->n());
  for (Index region = 0; region < fields_->num_regions(); ++region) {
    fields_->field(region, t, x, field);
    for (Index i = 0; i < fields_->num_patterns(); ++i) {
      if (fields_->region_of(i) != region) continue;
      if (fields_->is_hull()) {
        jacobian.col(i) = field;
        continue;
      }
      for (Index j = 0; j < lambda.size(); ++j) {
        double slope = i >> j & 1 ? 1.0 : -1.0;
        for (Index k = 0; k < lambda.size(); ++k)
          if (k != j) slope *= i >> k & 1 ? lambda[k] : 1.0 - lambda[k];
        jacobian.col(j) += slope * field;
      }
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------

FilippovHandles link_filippov(NonSmoothDynamicalSystem& model, FilippovSystem system) {
  const auto fields = std::make_shared<const FilippovFields>(std::move(system));
  FilippovHandles handles;
  handles.system =
      model.add(std::static_pointer_cast<const DynamicalSystem>(std::make_shared<const FilippovProcess>(fields)));
  const std::string name = "fields of " + model.systems()[handles.system.slot].name;
  const Law law = fields->is_hull() ? Law(SimplexLaw{fields->num_patterns()}) : Law(RelayLaw{0.0, 1.0});
  handles.fields = model.link(handles.system, std::make_shared<const FilippovRelation>(fields), law, name);
  return handles;
}

}  // namespace nonsmooth
