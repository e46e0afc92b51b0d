// SPDX-License-Identifier: Apache-2.0
#include "active_modes.hpp"

#include <algorithm>
#include <cmath>

#include "rolling_cone.hpp"
#include "tangential_length.hpp"

namespace nonsmooth::friction::internal {
namespace {

/// S is inverted where its condition is below this; else the interface's columns stay as they are.
constexpr double largest_condition = 1e5;

/// Turning of a slip direction whose gain is below this share of a sticking one's does not move the reaction.
constexpr double smallest_turn = 1e-10;

}  // namespace

void ActiveModes::prepare(const mixed::Problem& problem, const GrowingVector& rho) {
  problem_ = &problem;
  rho_ = &rho;
  root_ = rho.cwiseSqrt();
  interfaces_.prepare(problem, root_);
  const ProductSet& K = problem.K;
  const auto blocks = static_cast<std::size_t>(K.num_blocks());
  Index places = 0;
  column_begin_.clear();
  column_begin_.reserve(blocks);
  for (Index b = 0; b < K.num_blocks(); ++b) {
    column_begin_.push_back(places);
    places += K.size(b) * K.size(b);
  }
  E_.resize(static_cast<std::size_t>(places));
  F_.resize(static_cast<std::size_t>(places));
  inverse_gain_.resize(static_cast<std::size_t>(K.num_rows()));
  whole_.assign(blocks, false);
  first_.assign(blocks + 1, 0);
  modes_.assign(blocks, Mode::Open);
  z_.resize(K.num_rows());
  if (!interfaces_.useful()) return;
  const auto groups = static_cast<std::size_t>(interfaces_.num_groups());
  interface_first_.assign(groups + 1, 0);
  if (left_.size() < groups) {
    left_.resize(groups);
    right_.resize(groups);
    corner_.resize(groups);
  }
  inverted_.assign(groups, false);
  Index projected = 0;
  projected_begin_.clear();
  for (Index g = 0; g < interfaces_.num_groups(); ++g)
    for (Index m = interfaces_.begin(g); m < interfaces_.begin(g + 1); ++m) {
      projected_begin_.push_back(projected);
      projected += interfaces_.size(g) * K.size(interfaces_.member(m));
    }
  projected_E_.resize(static_cast<std::size_t>(projected));
  projected_F_.resize(static_cast<std::size_t>(projected));
  carried_.resize(interfaces_.W().rows());
  felt_.resize(interfaces_.W().rows());
  unknown_.resize(K.num_rows());
}

void ActiveModes::predict(ConstVectorRef center, ConstVectorRef u, double alpha, VectorRef P) const {
  const ProductSet& K = problem_->K;
  const double inverse = 1.0 / alpha;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    const BlockSet& set = K[b];
    double* p = P.data() + o;
    for (Index i = 0; i < n; ++i) p[i] = center[o + i] - (*rho_)[o + i] * inverse * u[o + i];
    if (set.kind == SetKind::Free) continue;
    if (set.kind == SetKind::Orthant) {
      for (Index i = 0; i < n; ++i) p[i] = std::max(0.0, p[i]);
      continue;
    }
    if (!(p[0] > 0.0)) {
      std::fill(p, p + n, 0.0);
      continue;
    }
    for (const detail::RollingGroup& group : detail::rolling_groups(set, n)) {
      double* g = p + group.first;
      const double radius = group.bound * p[0], length = tangential_length(g, group.size);
      if (!(length > radius)) continue;
      const double factor = radius / length;
      for (Index i = 0; i < group.size; ++i) g[i] *= factor;
    }
  }
}

void ActiveModes::add_column(Index block, const double* e, const double* f, double inverse_gain) {
  const auto b = static_cast<std::size_t>(block);
  const Index n = problem_->K.size(block), o = problem_->K.offset(block), column = first_[b + 1] - first_[b];
  double* E = E_.data() + column_begin_[b] + column * n;
  double* F = F_.data() + column_begin_[b] + column * n;
  for (Index i = 0; i < n; ++i) {
    E[i] = e[i] * root_[o + i];
    F[i] = f[i] * root_[o + i];
  }
  inverse_gain_[static_cast<std::size_t>(first_[b + 1])] = inverse_gain;
  ++first_[b + 1];
}

void ActiveModes::add_unit(Index block, Index row, double alpha) {
  double unit[6] = {};
  const auto b = static_cast<std::size_t>(block);
  const Index n = problem_->K.size(block);
  if (n <= 6) {
    unit[row] = 1.0;
    return add_column(block, unit, unit, alpha);
  }
  const Index column = first_[b + 1] - first_[b];
  for (double* target : {E_.data() + column_begin_[b] + column * n, F_.data() + column_begin_[b] + column * n}) {
    std::fill(target, target + n, 0.0);
    target[row] = root_[problem_->K.offset(block) + row];
  }
  inverse_gain_[static_cast<std::size_t>(first_[b + 1])] = alpha;
  ++first_[b + 1];
}

void ActiveModes::linearize(Index block, const double* p, const InverseGain& gain) {
  const auto b = static_cast<std::size_t>(block);
  const BlockSet& set = problem_->K[block];
  const Index n = problem_->K.size(block);
  first_[b + 1] = first_[b];
  whole_[b] = false;
  modes_[b] = Mode::Open;
  if (set.kind == SetKind::Free || set.kind == SetKind::Orthant) {
    for (Index i = 0; i < n; ++i)
      if (set.kind == SetKind::Free || p[i] > 0.0) add_unit(block, i, gain.unit);
    whole_[b] = first_[b + 1] - first_[b] == n;
    if (first_[b + 1] > first_[b]) modes_[b] = Mode::Stick;
    return;
  }
  if (!(p[0] > 0.0)) return;
  // The normal reaction carries the reactions of the groups that slip: one column of E for all of them.
  const detail::RollingGroups groups = detail::rolling_groups(set, n);
  double carried[6] = {1.0}, normal[6] = {1.0};
  bool slips[3] = {};
  double length[3];
  modes_[b] = Mode::Stick;
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    const double* g = p + group.first;
    length[k] = tangential_length(g, group.size);
    slips[k] = length[k] > group.bound * p[0];
    if (!slips[k]) continue;
    modes_[b] = Mode::Slip;
    for (Index i = 0; i < group.size; ++i) carried[group.first + i] = group.bound * (g[i] / length[k]);
  }
  add_column(block, carried, normal, gain.unit);
  for (int k = 0; k < groups.count; ++k) {
    const detail::RollingGroup& group = groups.groups[k];
    const double* g = p + group.first;
    if (!slips[k]) {
      for (Index i = 0; i < group.size; ++i) add_unit(block, group.first + i, gain.unit);
    } else if (group.size == 2 && group.bound * p[0] > smallest_turn * length[k]) {
      double turn[6] = {};
      turn[group.first] = -g[1] / length[k];
      turn[group.first + 1] = g[0] / length[k];
      add_column(block, turn, turn, gain.turn * (length[k] / (group.bound * p[0])) + gain.turn_constant);
    }
  }
  whole_[b] = modes_[b] == Mode::Stick;
}

/// The block F^T W_k E of block row b, with G^-1 on the diagonal.
void ActiveModes::fill(Index b, Index k, const BlockLu::Target& target) const {
  const BlockSparseMatrix& W = problem_->W;
  const Index column = W.column(k), n = W.size(b), m = W.size(column);
  const auto row_block = static_cast<std::size_t>(b), column_block = static_cast<std::size_t>(column);
  const Index rows = first_[row_block + 1] - first_[row_block];
  const Index columns = first_[column_block + 1] - first_[column_block];
  const double* w = W.values(k);
  const double* F = F_.data() + column_begin_[row_block];
  const double* E = E_.data() + column_begin_[column_block];
  const double* left = root_.data() + W.offset(b);
  const double* right = root_.data() + W.offset(column);
  const bool whole = whole_[row_block] && whole_[column_block];
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) {
      double sum = column == b && i == j ? inverse_gain_[static_cast<std::size_t>(first_[row_block] + i)] : 0.0;
      if (whole) {
        sum += left[i] * w[j * n + i] * right[j];
      } else {
        for (Index c = 0; c < m; ++c) {
          double inner = 0.0;
          for (Index l = 0; l < n; ++l) inner += F[i * n + l] * w[c * n + l];
          sum += inner * E[j * m + c];
        }
      }
      target.values[i * target.row_stride + j * target.column_stride] = sum;
    }
}

/// inverse := S^-1. False where S is singular or badly conditioned.
bool ActiveModes::invert_well(GrowingMatrix<>& inverse) {
  if (!S_.allFinite() || !inverse_.factorize(S_)) return false;
  inverse.resize(S_.rows(), S_.rows());
  inverse.setIdentity();
  inverse_.solve_in_place(inverse);
  return S_.cwiseAbs().maxCoeff() * inverse.cwiseAbs().maxCoeff() < largest_condition;
}

/// Z, U and the corner S^-1 or G^-1 of every interface, and the factors of corner + Z^T Ŵ U.
bool ActiveModes::factorize_interfaces() {
  const ProductSet& K = problem_->K;
  for (Index g = 0; g < interfaces_.num_groups(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Index d = interfaces_.size(g);
    Index active = 0;
    for (Index m = interfaces_.begin(g); m < interfaces_.begin(g + 1); ++m) {
      const Index block = interfaces_.member(m), n = K.size(block), o = K.offset(block);
      const double* V = interfaces_.basis(m);
      const double* E = E_.data() + column_begin_[static_cast<std::size_t>(block)];
      const double* F = F_.data() + column_begin_[static_cast<std::size_t>(block)];
      double* a = projected_E_.data() + projected_begin_[static_cast<std::size_t>(m)];
      double* f = projected_F_.data() + projected_begin_[static_cast<std::size_t>(m)];
      for (Index c = first_column(block); c < first_column(block + 1); ++c, E += n, F += n, a += d, f += d, ++active)
        for (Index i = 0; i < d; ++i) {
          double sum_E = 0.0, sum_F = 0.0;
          for (Index l = 0; l < n; ++l) {
            sum_E += V[i * n + l] * (E[l] / root_[o + l]);
            sum_F += V[i * n + l] * (F[l] / root_[o + l]);
          }
          a[i] = sum_E;
          f[i] = sum_F;
        }
    }
    GrowingMatrix<>&Z = left_[at], &U = right_[at], &corner = corner_[at];
    bool inverted = false;
    const auto columns = [&](auto visit) {  // visit(index among the active, V^T E, V^T F, G^-1)
      Index index = 0;
      for (Index m = interfaces_.begin(g); m < interfaces_.begin(g + 1); ++m) {
        const Index block = interfaces_.member(m);
        const double* a = projected_E_.data() + projected_begin_[static_cast<std::size_t>(m)];
        const double* f = projected_F_.data() + projected_begin_[static_cast<std::size_t>(m)];
        for (Index c = first_column(block); c < first_column(block + 1); ++c, a += d, f += d)
          visit(index++, a, f, inverse_gain_[static_cast<std::size_t>(c)]);
      }
    };
    if (active > d) {
      S_.resize(d, d);
      S_.setZero();
      columns([&](Index, const double* a, const double* f, double inverse_gain) {
        for (Index j = 0; j < d; ++j)
          for (Index i = 0; i < d; ++i) S_(i, j) += a[i] * (f[j] / inverse_gain);
      });
      inverted = invert_well(corner);
      if (inverted) {
        Z.resize(d, d);
        Z.setIdentity();
        U = Z;
      }
    }
    if (!inverted) {
      Z.resize(d, active);
      U.resize(d, active);
      corner.resize(active, active);
      corner.setZero();
      columns([&](Index index, const double* a, const double* f, double inverse_gain) {
        for (Index i = 0; i < d; ++i) {
          U(i, index) = a[i];
          Z(i, index) = f[i];
        }
        corner(index, index) = inverse_gain;
      });
    }
    inverted_[at] = inverted;
    interface_first_[at + 1] = interface_first_[at] + corner.rows();
  }
  return lu_.factorize(interfaces_.W(), interface_first_, [&](Index g, Index k, const BlockLu::Target& target) {
    const Index h = interfaces_.W().column(k);
    const auto row = static_cast<std::size_t>(g), column = static_cast<std::size_t>(h);
    Eigen::Map<Eigen::MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> block(
        target.values, left_[row].cols(), right_[column].cols(),
        Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(target.column_stride, target.row_stride));
    const auto W = interfaces_.W().block(g, k);
    product_.resize(W.rows(), right_[column].cols());
    product_.noalias() = W * right_[column];
    block.noalias() = left_[row].transpose() * product_;
    if (g == h) block += corner_[row];
  });
}

bool ActiveModes::factorize(ConstVectorRef center, ConstVectorRef u, double alpha) {
  newton_ = false;
  return factorize_at(center, u, 1.0 / alpha, {.unit = alpha, .turn = alpha, .turn_constant = 0.0});
}

bool ActiveModes::factorize_newton(ConstVectorRef r, ConstVectorRef u, double shift) {
  newton_ = true;
  return factorize_at(r, u, 1.0, {.unit = shift, .turn = 1.0, .turn_constant = shift - 1.0});
}

bool ActiveModes::factorize_at(ConstVectorRef center, ConstVectorRef u, double step, const InverseGain& gain) {
  const ProductSet& K = problem_->K;
  for (Index b = 0; b < K.num_blocks(); ++b) {
    const Index o = K.offset(b), n = K.size(b);
    z_.segment(o, n) = center.segment(o, n) - step * rho_->segment(o, n).cwiseProduct(u.segment(o, n));
    linearize(b, z_.data() + o, gain);
  }
  if (interfaces_.useful()) return factorize_interfaces();
  return lu_.factorize(problem_->W, first_,
                       [this](Index b, Index k, const BlockLu::Target& target) { fill(b, k, target); });
}

/// F^T W b, or F^T (W b - b / rho) for Newton's method, of one column.
double ActiveModes::right_side(Index block, Index column, ConstVectorRef b, ConstVectorRef Wb) const {
  const auto at = static_cast<std::size_t>(block);
  const Index o = problem_->K.offset(block), n = problem_->K.size(block);
  const double* F = F_.data() + column_begin_[at] + (column - first_[at]) * n;
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += F[i] * (newton_ ? Wb[o + i] - b[o + i] / (*rho_)[o + i] : Wb[o + i]);
  return sum;
}

void ActiveModes::solve(ConstVectorRef b, ConstVectorRef Wb, VectorRef x) {
  const ProductSet& K = problem_->K;
  x = b;
  if (num_active() == 0) return;
  for (Index block = 0; block < K.num_blocks(); ++block)
    for (Index c = first_column(block); c < first_column(block + 1); ++c) z_[c] = right_side(block, c, b, Wb);
  if (interfaces_.useful())
    solve_interfaces();
  else
    lu_.solve_in_place(z_.data());
  for (Index block = 0; block < K.num_blocks(); ++block) {
    const Index o = K.offset(block), n = K.size(block);
    const double* E = E_.data() + column_begin_[static_cast<std::size_t>(block)];
    for (Index c = first_column(block); c < first_column(block + 1); ++c, E += n)
      for (Index i = 0; i < n; ++i) x[o + i] -= E[i] * z_[c];
  }
}

/// z_ := z from its right side, by the unknowns of each interface: y, or z itself where S was not inverted.
void ActiveModes::solve_interfaces() {
  const auto columns = [&](Index g, auto visit) {  // visit(column, V^T E, V^T F)
    const Index d = interfaces_.size(g);
    for (Index m = interfaces_.begin(g); m < interfaces_.begin(g + 1); ++m) {
      const Index block = interfaces_.member(m);
      const double* a = projected_E_.data() + projected_begin_[static_cast<std::size_t>(m)];
      const double* f = projected_F_.data() + projected_begin_[static_cast<std::size_t>(m)];
      for (Index c = first_column(block); c < first_column(block + 1); ++c, a += d, f += d) visit(c, a, f);
    }
  };
  for (Index g = 0; g < interfaces_.num_groups(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Index d = interfaces_.size(g);
    auto mine = unknown_.segment(interface_first_[at], corner_[at].rows());
    if (!inverted_[at]) {
      Index index = 0;
      columns(g, [&](Index c, const double*, const double*) { mine[index++] = z_[c]; });
      continue;
    }
    auto sum = felt_.segment(interfaces_.W().offset(g), d);
    sum.setZero();
    columns(g, [&](Index c, const double* a, const double*) {
      const double share = z_[c] / inverse_gain_[static_cast<std::size_t>(c)];
      for (Index i = 0; i < d; ++i) sum[i] += a[i] * share;
    });
    mine.noalias() = corner_[at] * sum;
  }
  lu_.solve_in_place(unknown_.data());
  for (Index g = 0; g < interfaces_.num_groups(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    carried_.segment(interfaces_.W().offset(g), interfaces_.size(g)).noalias() =
        right_[at] * unknown_.segment(interface_first_[at], corner_[at].rows());
  }
  felt_.setZero();
  interfaces_.W().multiply_add(carried_, felt_, felt_);
  for (Index g = 0; g < interfaces_.num_groups(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Index d = interfaces_.size(g), row = interfaces_.W().offset(g);
    Index index = interface_first_[at];
    columns(g, [&](Index c, const double*, const double* f) {
      if (!inverted_[at]) {
        z_[c] = unknown_[index++];
        return;
      }
      double w = 0.0;
      for (Index i = 0; i < d; ++i) w += f[i] * felt_[row + i];
      z_[c] = (z_[c] - w) / inverse_gain_[static_cast<std::size_t>(c)];
    });
  }
}

}  // namespace nonsmooth::friction::internal
