// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/body_contacts.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <Eigen/Geometry>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "body_parts.hpp"
#include "broad_phase.hpp"
#include "contact_rows.hpp"
#include "model/prepared_law.hpp"
#include "narrow_phase/frustum.hpp"
#include "narrow_phase/narrow_phase.hpp"
#include "narrow_phase/surface_contacts.hpp"
#include "pushes.hpp"
#include "thinness.hpp"

namespace nonsmooth {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kUnitState = 1e-3;  ///< how far the norm of a body's orientation may be from 1 in iterates of a step

Vector3d vector_from(const std::vector<Index>& memory, Index begin) {
  return {broad_phase::number_at(memory, begin), broad_phase::number_at(memory, begin + 1),
          broad_phase::number_at(memory, begin + 2)};
}

Matrix3d matrix_from(const std::vector<Index>& memory, Index begin) {
  Matrix3d matrix;
  for (Index k = 0; k < 9; ++k) matrix(k % 3, k / 3) = broad_phase::number_at(memory, begin + k);
  return matrix;
}

template <class Value>
void keep(std::vector<Index>& memory, Index begin, const Value& value) {
  for (Index k = 0; k < value.size(); ++k)
    broad_phase::keep_number(memory, begin + k, value(k % value.rows(), k / value.rows()));
}

/// What is kept of a shape in space, from `begin` on: the centre of its ball, the radius of the ball swept, the turn
/// from shape to space, the centre from that of the body, how far its points go as it turns, the radius without pushes.
namespace record {
constexpr Index centre = 0, swept = 3, turn = 4, lever = 13, turning = 16, unpushed = 17, size = 18;
}  // namespace record

/// What is wrong with a law of so many rows for contacts in space; nullptr: nothing.
const char* refused_in_space(Index rows, bool rolling) {
  if (rows == 1 || (rolling ? rows >= 4 : rows == contact_rows::kSlidingRows)) return nullptr;
  return "one of 1 row (N), of 3 (N, T1, T2), or of 4 to 6 with rolling friction";
}

}  // namespace

BodyContacts::BodyContacts(const std::vector<BodyShapes>& bodies, const std::vector<ShapeOnBody>& ground,
                           const Law& law)
    : BodyContacts(bodies, ground, std::vector<Law>{law}, ContactMaterials{}) {}

BodyContacts::BodyContacts(const std::vector<BodyShapes>& bodies, const std::vector<ShapeOnBody>& ground,
                           std::vector<Law> laws, ContactMaterials pairs)
    : ShapeContacts("BodyContacts", std::move(laws), std::move(pairs), refused_in_space) {
  const auto part_at = [this](const ShapeOnBody& shape, Index body, std::size_t place) {
    const ShapePlace at{body, static_cast<Index>(place)};
    try {
      return part_of(shape, at.body, at.place);
    } catch (const InvalidArgument& refusal) {
      refuse_shape(at, refusal);
    }
  };
  for (const BodyShapes& body : bodies) {
    const auto number = static_cast<Index>(bodies_.size());
    bodies_.push_back(body.body);
    for (std::size_t s = 0; s < body.shapes.size(); ++s) parts_.push_back(part_at(body.shapes[s], number, s));
    for (const ShapeOnBody& shape : body.shapes) drawn_.push_back({body.body, shape});
  }
  moving_ = static_cast<Index>(parts_.size());
  std::vector<Part> planes;
  for (std::size_t s = 0; s < ground.size(); ++s) {
    Part part = part_at(ground[s], -1, s);
    drawn_.push_back({{}, ground[s]});
    const bool bounded = part.hull || part.frustum || (part.surface && !part.surface->bottomless);
    (bounded ? parts_ : planes).push_back(std::move(part));
  }
  bounded_ = static_cast<Index>(parts_.size());
  parts_.insert(parts_.end(), planes.begin(), planes.end());
  std::vector<ShapeOfMaterial> shapes;
  has_conveyors_ = std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.is_conveyor(); });
  for (const Part& part : parts_) shapes.push_back({{part.body, part.place}, part.material, part.groups, part.mask});
  require_laws(shapes);
  for (const Part& part : parts_) {
    numbers_.push_back(static_cast<Index>(places_.size()));
    const std::uint64_t features = part.surface ? narrow_phase::num_features(*part.surface) : 1;
    const std::uint64_t numbers = ((features - 1) >> meeting_bits) + 1;
    places_.insert(places_.end(), numbers, {part.body, part.place});
    materials_.insert(materials_.end(), numbers, part.material);
  }
  check::within("BodyContacts: shapes", static_cast<Index>(places_.size()), 0, most_shapes - 1);
  Thinness thinness;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.hull || part.frustum || part.surface) thinness.add(width_of(part), part.size, part.body >= 0);
  }
  least_depth_ = thinness.least_depth();
  // Many boxes of one size share a hull.
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    const auto& before = parts_[p - 1].hull;
    if (before && parts_[p].hull && before->vertices == parts_[p].hull->vertices) parts_[p].hull = before;
  }
}

BodyContacts& BodyContacts::exclude(SystemHandle first, SystemHandle second) {
  exclude_pair(first, second);
  return *this;
}

BodyContacts& BodyContacts::exclude_ground(SystemHandle body) {
  exclude_from_ground(body);
  return *this;
}

BodyContacts& BodyContacts::exclude_jointed(const NonSmoothDynamicalSystem& model) {
  exclude_joined(model);
  return *this;
}

bool BodyContacts::may_touch(Index first, Index second) const {
  const Part &one = parts_[static_cast<std::size_t>(first)], &other = parts_[static_cast<std::size_t>(second)];
  return one.body != other.body && (one.groups & other.mask) != 0 && (other.groups & one.mask) != 0 &&
         !is_excluded(one.body, other.body);
}

/// What one call of detect() works on: bodies, then shapes in `memory`, then pushes, and the two hulls that it looks
/// at.
struct BodyContacts::Search {
  const BodyContacts& source;
  const BodyView& view;
  double horizon;
  std::vector<Index>& memory;
  ContactBatches& found;
  narrow_phase::PlacedHull first{}, second{};  // about the centre of the first
  narrow_phase::Patch patch{};
  Index placed = -1;
  Pushes pushes{memory, record_of(source.bounded_), static_cast<Index>(source.bodies_.size())};

  [[nodiscard]] Index record_of(Index part) const {
    return 9 * static_cast<Index>(source.bodies_.size()) + record::size * part;
  }
  [[nodiscard]] const Part& part(Index p) const { return source.parts_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] Index number(Index p) const { return source.numbers_[static_cast<std::size_t>(p)]; }

  [[nodiscard]] bool pushing() const { return view.push > 0.0 && horizon > 0.0; }
  /// Each body's largest speed of a point of its parts.
  void start_pushes() {
    for (Index b = 0; b < static_cast<Index>(source.bodies_.size()); ++b) pushes.start(b, 0.0);
    if (!pushing()) return;
    for (Index p = 0; p < source.moving_; ++p) {
      const Part& own = part(p);
      const auto v = view.v.segment<6>(6 * own.body);
      const double speed = v.head<3>().norm() + v.tail<3>().norm() * own.farthest;
      if (speed > pushes.of(own.body)) pushes.start(own.body, speed);
    }
  }
  /// Turns of bodies, and where shapes are.
  void place_all() {
    const auto count = static_cast<Index>(source.bodies_.size());
    start_pushes();
    double radii = 0.0;
    for (Index b = 0; b < count; ++b)
      keep(memory, 9 * b, turn_of(view.q.data() + 7 * b + 3, kUnitState, "BodyContacts::detect: q of body ", b));
    for (Index p = 0; p < source.bounded_; ++p) {
      const Part& own = part(p);
      const Index begin = record_of(p);
      Vector3d centre = own.position, lever = own.position;
      double swept = 0.0, turning = 0.0;
      Matrix3d turn = own.turn;
      if (own.body >= 0) {
        const Matrix3d of_body = matrix_from(memory, 9 * own.body);
        const Vector3d position = view.q.segment<3>(7 * own.body), v = view.v.segment<3>(6 * own.body);
        const double spin = view.v.segment<3>(6 * own.body + 3).norm();
        lever = of_body * own.position;
        centre = position + lever;
        turn = of_body * own.turn;
        // The rest keeps those that rounding lifts within sight.
        const double rest = 1e-8 * own.farthest + 1e-14 * position.cwiseAbs().maxCoeff();
        turning = horizon * spin * own.farthest + rest;
        swept = horizon * (v.norm() + spin * own.position.norm()) + rest;
      }
      keep(memory, begin + record::centre, centre);
      broad_phase::keep_number(memory, begin + record::unpushed, own.size + swept);
      if (p < source.moving_) radii += own.size;
      keep(memory, begin + record::turn, turn);
      keep(memory, begin + record::lever, lever);
      broad_phase::keep_number(memory, begin + record::turning, turning);
    }
    pushes.widen_alike(horizon * view.push, radii / static_cast<double>(source.moving_));
    widen();
  }
  /// Balls by what their bodies may be pushed.
  void widen() {
    for (Index p = 0; p < source.bounded_; ++p) {
      const double unpushed = broad_phase::number_at(memory, record_of(p) + record::unpushed);
      broad_phase::keep_number(memory, record_of(p) + record::swept,
                               unpushed + horizon * view.push * pushes.widest(part(p).body));
    }
  }

  [[nodiscard]] Vector3d centre(Index p) const { return vector_from(memory, record_of(p) + record::centre); }
  [[nodiscard]] Vector3d velocity(Index p) const {
    return part(p).body < 0 ? Vector3d::Zero() : Vector3d(view.v.segment<3>(6 * part(p).body));
  }
  /// How far points of a part go as its body turns, and what rounding may lift.
  [[nodiscard]] double turning(Index p) const { return broad_phase::number_at(memory, record_of(p) + record::turning); }
  /// Of two parts: no less than their gap over the horizon less the speed of their approach.
  [[nodiscard]] Pushes::Meeting meeting(Index p, Index o) const {
    const double gap = std::max((centre(p) - centre(o)).norm() - part(p).size - part(o).size, 0.0);  // or more
    return {part(p).body, part(o).body, (gap - turning(p) - turning(o)) / horizon - (velocity(p) - velocity(o)).norm()};
  }
  [[nodiscard]] broad_phase::Pairs find_pairs() {
    const broad_phase::KeptBalls<3> balls{.memory = memory, .begin = record_of(0), .stride = record::size};
    const auto find = [&] {
      return broad_phase::touching_pairs<3>(source.bounded_, balls, pushes.end(), memory, [&](Index i, Index j) {
        return i < source.moving_ && !view.sleep(part(i).body, part(j).body) && source.may_touch(i, j);
      });
    };
    if (!pushing()) return find();
    return pushes.find_pairs(
        find, [this] { widen(); }, [this](Index p, Index o) { return meeting(p, o); });
  }
  /// How near to each other parts have to be to meet: o < 0 or without a body: the ground.
  [[nodiscard]] double reach(Index p) const {
    return horizon * (velocity(p).norm() + view.push * pushes.of(part(p).body)) + turning(p);
  }
  [[nodiscard]] double reach(Index p, Index o) const {
    const double push = std::max(pushes.of(part(p).body), pushes.of(part(o).body));
    return horizon * ((velocity(p) - velocity(o)).norm() + view.push * push) + turning(p) + turning(o);
  }
  void place(Index p, const Vector3d& at, narrow_phase::PlacedHull& hull) const {
    hull.place(*part(p).hull, part(p).radius, matrix_from(memory, record_of(p) + record::turn), at);
  }
  void place_first(Index p) {
    if (placed != p) place(p, Vector3d::Zero(), first);
    placed = p;
  }

  void touch(Index p, Index o) {
    if (part(o).surface) return touch_surface(p, o);
    if (part(p).frustum || part(o).frustum) return touch_frustum(p, o);
    place_first(p);
    const Vector3d between = centre(o) - centre(p);
    place(o, between, second);
    find_contacts(first, second, reach(p, o), patch);
    add_contacts(p, o, between, patch.size(), [this](std::size_t i) { return patch.begin()[i]; });
  }
  [[nodiscard]] narrow_phase::PlacedFrustum frustum_at(Index p, const Vector3d& at) const {
    const Matrix3d turn = matrix_from(memory, record_of(p) + record::turn);
    return {part(p).frustum.get(), at, turn.col(2), turn.col(0), turn.col(1)};
  }
  void touch_frustum(Index p, Index o) {
    const Vector3d between = centre(o) - centre(p);
    const bool is_first = part(p).frustum != nullptr;
    if (is_first && part(o).frustum) {
      find_contacts(frustum_at(p, Vector3d::Zero()), frustum_at(o, between), reach(p, o), patch);
    } else if (is_first) {
      place(o, between, second);
      find_contacts(frustum_at(p, Vector3d::Zero()), second, reach(p, o), patch);
    } else {
      place_first(p);
      find_contacts(frustum_at(o, between), first, reach(p, o), patch);
    }
    add_contacts(p, o, between, patch.size(), [&](std::size_t i) {
      narrow_phase::PatchPoint point = patch.begin()[i];
      if (is_first) return point;
      point.normal = -point.normal;
      std::swap(point.on_first, point.on_second);
      return point;
    });
  }
  /// In the axes of the surface.
  void touch_surface(Index p, Index o) {
    const Part& one = part(p);
    const Matrix3d &turn = part(o).turn, back = turn.transpose();
    const Vector3d spin = matrix_from(memory, 9 * one.body) * view.v.segment<3>(6 * one.body + 3);
    const Vector3d lever = vector_from(memory, record_of(p) + record::lever);
    const Matrix3d turn_there = back * matrix_from(memory, record_of(p) + record::turn);
    const Vector3d at = back * (centre(p) - part(o).position);
    const narrow_phase::Motion motion{.velocity = back * (view.v.segment<3>(6 * one.body) + spin.cross(lever)),
                                      .spin = back * spin,
                                      .reach = reach(p),
                                      .horizon = horizon};
    const std::size_t end = memory.size();
    const auto points = [&] {
      if (one.frustum) {
        const narrow_phase::PlacedFrustum frustum{one.frustum.get(), Vector3d::Zero(), turn_there.col(2),
                                                  turn_there.col(0), turn_there.col(1)};
        return narrow_phase::find_contacts(narrow_phase::MovingFrustum{frustum, motion}, *part(o).surface, at, memory,
                                           patch);
      }
      second.place(*one.hull, one.radius, turn_there, Vector3d::Zero());
      return narrow_phase::find_contacts(narrow_phase::MovingHull{second, motion}, *part(o).surface, at, memory);
    }();
    add_contacts(p, o, Vector3d::Zero(), points.size(), [&](std::size_t i) {
      narrow_phase::PatchPoint point = points[i];
      for (Vector3d* const vector : {&point.normal, &point.on_first, &point.on_second}) *vector = turn * *vector;
      return point;
    });
    memory.resize(end);
  }
  void touch_unbounded(Index p, Index o) {
    if (part(o).surface) return touch_surface(p, o);
    touch_plane(p, o);
  }
  void touch_plane(Index p, Index plane) {
    const Vector3d& normal = part(plane).position;
    const Vector3d at = centre(p);
    const double height = normal.dot(at) - part(plane).offset;
    if (height > part(p).size + reach(p)) return;
    if (part(p).frustum) {
      find_contacts(frustum_at(p, Vector3d::Zero()), normal, -height, reach(p), patch);
    } else {
      place_first(p);
      find_contacts(first, normal, -height, reach(p), patch);
    }
    add_contacts(p, plane, Vector3d::Zero(), patch.size(), [this](std::size_t i) { return patch.begin()[i]; });
  }

  template <class PointAt>
  void add_contacts(Index p, Index o, const Vector3d& between, std::size_t count, PointAt point_at) {
    if (count == 0) return;
    const Part &one = part(p), &other = part(o);
    DetectedContact contact;
    contact.first = one.body;
    contact.second = other.body;
    contact.law = source.pairs_.law(one.material, other.material);
    const Index rows = source.law_rows(contact.law);
    ContactBatch& batch = found.of(rows, 6, other.body >= 0 ? 6 : 0);
    const Matrix3d turn = matrix_from(memory, 9 * one.body);
    const Vector3d lever = vector_from(memory, record_of(p) + record::lever);
    Matrix3d other_turn = turn;
    Vector3d other_lever = lever, grain = other.grain;
    if (other.body >= 0) {
      other_turn = matrix_from(memory, 9 * other.body);
      other_lever = vector_from(memory, record_of(o) + record::lever);
      grain = other_turn * grain;
    }
    if (other.grain.isZero(0.0)) grain = turn * one.grain;
    for (std::size_t i = 0; i < count; ++i) {
      const narrow_phase::PatchPoint point = point_at(i);
      contact.feature = feature_of(number(p), number(o), point.feature);
      contact.gap = point.gap;
      const auto terms = [&](Index body) {
        return point.normal.cwiseAbs().dot(view.q.segment<3>(7 * body).cwiseAbs());
      };
      contact.terms = one.farthest + other.farthest + terms(one.body) + (other.body >= 0 ? terms(other.body) : 0.0);
      const Matrix3d frame = contact_rows::frame_of(point.normal, grain);
      double* const H = batch.append(contact);
      contact_rows::write_rows(frame, rows, lever + point.on_first, turn, 1.0, H);
      if (other.body >= 0)
        contact_rows::write_rows(frame, rows, other_lever + (point.on_second - between), other_turn, -1.0,
                                 H + 6 * rows);
      if (one.is_conveyor()) move_surface(one, lever + point.on_first, turn, 1.0, frame, batch);
      if (!other.is_conveyor()) continue;
      if (other.body < 0) {
        move_surface(other, centre(p) + point.on_second, Matrix3d::Identity(), -1.0, frame, batch);
      } else {
        move_surface(other, other_lever + (point.on_second - between), other_turn, -1.0, frame, batch);
      }
    }
  }

  /// What a conveyor adds to h_t of the last contact of a batch: at a lever from the body's centre that `turn` brings
  /// from its axes to those of space, or at a point of the ground.
  void move_surface(const Part& conveyor, const Vector3d& lever, const Matrix3d& turn, double sign,
                    const Matrix3d& frame, ContactBatch& batch) const {
    const auto rows = static_cast<std::size_t>(batch.rows);
    batch.h_t.resize(rows * batch.contacts.size());
    const Vector3d place = turn.transpose() * lever;
    const auto at = [&](const SurfaceField& field) {
      return field ? Vector3d(turn * field(place, view.t)) : Vector3d(Vector3d::Zero());
    };
    contact_rows::add_surface_motion(frame, sign * at(conveyor.surface_velocity), sign * at(conveyor.surface_spin),
                                     std::span(batch.h_t).last(rows));
  }
};

void BodyContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                          ContactBatches& found) const {
  const auto count = static_cast<Index>(bodies_.size());
  check::size("BodyContacts::detect: q", bodies.q.size(), 7 * count, "(x, y, z, w, qx, qy, qz) of each body");
  check::size("BodyContacts::detect: v", bodies.v.size(), 6 * count, "velocity and angular velocity of each body");
  if (moving_ == 0) return;
  Search search{.source = *this, .view = bodies, .horizon = horizon, .memory = scratch, .found = found};
  search.place_all();
  auto [next, end] = search.find_pairs();
  for (Index p = 0; p < moving_; ++p) {
    for (; next < end && broad_phase::first_of_pair(scratch[static_cast<std::size_t>(next)]) == p; ++next)
      search.touch(p, broad_phase::second_of_pair(scratch[static_cast<std::size_t>(next)]));
    if (bodies.sleep(search.part(p).body, -1)) continue;
    for (auto plane = bounded_; plane < static_cast<Index>(parts_.size()); ++plane) {
      if (may_touch(p, plane)) search.touch_unbounded(p, plane);
    }
  }
}

double BodyContacts::passage_depth(const BodyView& bodies, double horizon) const {
  double way = 0.0;
  for (Index p = 0; p < moving_; ++p) {
    const Part& part = parts_[static_cast<std::size_t>(p)];
    const auto v = bodies.v.segment<6>(6 * part.body);
    way = std::max(way, horizon * (v.head<3>().norm() + part.farthest * v.tail<3>().norm()));
  }
  return passage_depth_on(way, least_depth_);
}

}  // namespace nonsmooth
