// SPDX-License-Identifier: Apache-2.0
// What batches answer at an instant, by what a MechanicalSystem says of itself.
#include "model/equations/differences.hpp"
#include "model/guarded.hpp"
#include "model/linked_systems.hpp"
#include "system_batch.hpp"

namespace nonsmooth {

void SystemBatch::list_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                const std::vector<Index>& first) {
  instants_.clear();
  for (const Index system : members_) {
    const auto i = static_cast<std::size_t>(system);
    const Layout::System& place = layout.systems[i];
    const auto& record = model.systems()[place.slot];
    instants_.push_back({.kept = record.description,
                         .description = record.mechanical,
                         .name = place.name,
                         .system = system,
                         .q = place.q,
                         .nq = place.nq,
                         .n = place.n,
                         .first = first[i],
                         .plain = record.moves_plainly});
  }
}

void SystemBatch::prepare_instants(const NonSmoothDynamicalSystem& model, const Layout& layout,
                                   const std::vector<Index>& first) {
  list_instants(model, layout, first);
  for (InstantSystem& s : instants_) s.mass = Eigen::MatrixXd::Zero(s.n, s.n);
}

void SystemBatch::evaluate_motion(double t, const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                                  Eigen::VectorXd& F) {
  for (InstantSystem& s : instants_) {
    const auto q = positions.segment(s.q, s.nq);
    auto own = F.segment(s.first, s.n);
    own.setZero();
    s.mass.setZero();
    guarded(s.name, "mass(q)", [&] { s.description->mass(q, s.mass); });
    guarded(s.name, "force(t, q, v)", [&] { s.description->force(t, q, v.segment(s.first, s.n), own); });
  }
}

Index SystemBatch::accelerations(const Eigen::VectorXd& F, Eigen::VectorXd& a) {
  for (InstantSystem& s : instants_) {
    if (s.n == 1) {
      if (s.mass(0, 0) <= 0.0) return s.system;  // rates tell what is not a number
      a[s.first] = F[s.first] / s.mass(0, 0);
      continue;
    }
    s.factor.compute(s.mass);
    if (!s.factor.is_positive_definite()) return s.system;
    auto own = a.segment(s.first, s.n);
    own = F.segment(s.first, s.n);
    s.factor.solve_in_place(own);
  }
  return -1;
}

void SystemBatch::solve_mass(double* x) const {
  for (const InstantSystem& s : instants_) {
    if (s.n == 1) {
      x[s.first] /= s.mass(0, 0);
    } else {
      s.factor.solve_in_place(Eigen::Map<Eigen::VectorXd>(x + s.first, s.n));
    }
  }
}

void SystemBatch::mass_product(ConstVectorRef x, VectorRef product) const {
  for (const InstantSystem& s : instants_)
    product.segment(s.first, s.n).noalias() = s.mass.lazyProduct(x.segment(s.first, s.n));
}

void SystemBatch::masses(MatrixRef M) const {
  for (const InstantSystem& s : instants_) M.block(s.first, s.first, s.n, s.n) = s.mass;
}

void SystemBatch::jacobians(double t, ConstVectorRef positions, ConstVectorRef v, MatrixRef F_q, MatrixRef F_v) const {
  for (const InstantSystem& s : instants_) {
    const auto q = positions.segment(s.q, s.nq), velocity = v.segment(s.first, s.n);
    auto by_q = F_q.block(s.first, s.first, s.n, s.n), by_v = F_v.block(s.first, s.first, s.n, s.n);
    guarded(s.name, "force_dq", [&] { s.description->force_dq(t, q, velocity, by_q); });
    guarded(s.name, "force_dv", [&] { s.description->force_dv(t, q, velocity, by_v); });
  }
}

void SystemBatch::position_rates(const Eigen::VectorXd& positions, const Eigen::VectorXd& v,
                                 Eigen::VectorXd& rates) const {
  for (const InstantSystem& s : instants_) {
    if (s.plain) {
      copy_numbers(v.data() + s.first, s.n, rates.data() + s.q);
      continue;
    }
    auto own = rates.segment(s.q, s.nq);
    guarded(s.name, "position_rates(q, v)",
            [&] { s.description->position_rates(positions.segment(s.q, s.nq), v.segment(s.first, s.n), own); });
  }
}

void SystemBatch::move_positions(const Eigen::VectorXd& w, Eigen::VectorXd& positions) const {
  for (const InstantSystem& s : instants_) {
    auto q = positions.segment(s.q, s.nq);
    if (s.plain) {
      q += w.segment(s.first, s.n);
    } else {
      guarded(s.name, "retract(q, w)", [&] { s.description->retract(q, w.segment(s.first, s.n)); });
    }
  }
}

bool SystemBatch::normalise(Eigen::VectorXd& positions) const {
  bool moved = false;
  for (const InstantSystem& s : instants_) {
    if (s.plain) continue;
    auto q = positions.segment(s.q, s.nq);
    differences::Scratch scratch(s.nq + s.n);
    auto before = scratch.vector(s.nq), rest = scratch.vector(s.n);
    before = q;
    rest.setZero();
    guarded(s.name, "retract(q, w)", [&] { s.description->retract(q, rest); });
    moved = moved || (q.array() != before.array()).any();
  }
  return moved;
}

}  // namespace nonsmooth
