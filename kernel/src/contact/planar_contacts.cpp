// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/kernel/planar_contacts.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <internal/check.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "broad_phase.hpp"
#include "planar/planar_parts.hpp"
#include "planar/planar_rows.hpp"
#include "pushes.hpp"
#include "thinness.hpp"

namespace nonsmooth {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

/// What is kept of a shape in the plane, from `begin` on: the centre of its disk and the radius of the disk swept, as
/// broad_phase::KeptBalls has them, the turn of the body (cosine, sine), the centre from that of the body, how far its
/// fastest point may move and still be looked at, and the radius, both but for pushes.
namespace planar_record {
constexpr Index centre = 0, turn = 3, lever = 5, reach = 7, unpushed = 8, size = 9;
}  // namespace planar_record

}  // namespace

PlanarContacts::PlanarContacts(const std::vector<PlanarBodyShapes>& bodies,
                               const std::vector<PlanarShapeOnBody>& ground, const Law& law)
    : PlanarContacts(bodies, ground, std::vector<Law>{law}, ContactMaterials{}) {}

PlanarContacts::PlanarContacts(const std::vector<PlanarBodyShapes>& bodies,
                               const std::vector<PlanarShapeOnBody>& ground, std::vector<Law> laws,
                               ContactMaterials pairs)
    : ShapeContacts("PlanarContacts", std::move(laws), std::move(pairs), planar::refused_law) {
  const auto part_at = [this](const PlanarShapeOnBody& shape, Index body, std::size_t place) {
    const ShapePlace at{body, static_cast<Index>(place)};
    try {
      return Shapes::part_of(shape, at.body, at.place);
    } catch (const InvalidArgument& refusal) {
      refuse_shape(at, refusal);
    }
  };
  Shapes shapes;
  for (const PlanarBodyShapes& body : bodies) {
    const auto number = static_cast<Index>(bodies_.size());
    bodies_.push_back(body.body);
    for (std::size_t s = 0; s < body.shapes.size(); ++s) shapes.parts.push_back(part_at(body.shapes[s], number, s));
    for (const PlanarShapeOnBody& shape : body.shapes) drawn_.push_back({body.body, shape});
  }
  shapes.moving = static_cast<Index>(shapes.parts.size());
  std::vector<Shapes::Part> unbounded;
  for (std::size_t s = 0; s < ground.size(); ++s) {
    auto part = part_at(ground[s], -1, s);
    drawn_.push_back({{}, ground[s]});
    (part.is_bounded() ? shapes.parts : unbounded).push_back(std::move(part));
  }
  shapes.bounded = static_cast<Index>(shapes.parts.size());
  for (auto& part : unbounded) shapes.parts.push_back(std::move(part));
  has_conveyors_ = std::any_of(shapes.parts.begin(), shapes.parts.end(),
                               [](const Shapes::Part& part) { return part.is_conveyor(); });
  std::vector<ShapeOfMaterial> kinds;
  for (const Shapes::Part& part : shapes.parts)
    kinds.push_back({{part.body, part.place}, part.material, part.groups, part.mask});
  require_laws(kinds);
  for (Shapes::Part& part : shapes.parts) {
    part.number = static_cast<Index>(places_.size());
    const auto numbers = static_cast<std::size_t>(part.line ? part.line->num_pieces() : 1);
    places_.insert(places_.end(), numbers, {part.body, part.place});
    materials_.insert(materials_.end(), numbers, part.material);
  }
  check::within("PlanarContacts: shapes and pieces of height lines", static_cast<Index>(places_.size()), 0,
                most_shapes - 1);
  Thinness thinness;
  for (const Shapes::Part& part : shapes.parts) {
    if (part.is_bounded()) thinness.add(part.width(), part.polygon.size + part.radius, part.body >= 0);
  }
  shapes.least_depth = thinness.least_depth();
  shapes_ = std::make_shared<const Shapes>(std::move(shapes));
}

PlanarContacts& PlanarContacts::exclude(SystemHandle first, SystemHandle second) {
  exclude_pair(first, second);
  return *this;
}

PlanarContacts& PlanarContacts::exclude_ground(SystemHandle body) {
  exclude_from_ground(body);
  return *this;
}

PlanarContacts& PlanarContacts::exclude_jointed(const NonSmoothDynamicalSystem& model) {
  exclude_joined(model);
  return *this;
}

/// What one call of detect() works on: a record a shape in `memory`, then pushes, and the two polygons that it looks
/// at.
struct PlanarContacts::Search {
  using Part = Shapes::Part;

  const PlanarContacts& source;
  const BodyView& view;
  double horizon;
  std::vector<Index>& memory;
  ContactBatches& found;
  std::array<ContactBatch*, 4> with_body{}, with_ground{};  // by rows
  planar::PlacedPolygon first{}, second{};                  // about the centre of the first
  planar::Patch patch{};
  Index placed = -1;
  Pushes pushes{memory, planar_record::size* source.shapes_->bounded, static_cast<Index>(source.bodies_.size())};

  [[nodiscard]] const Shapes& shapes() const { return *source.shapes_; }
  [[nodiscard]] const Part& part(Index p) const { return shapes().parts[static_cast<std::size_t>(p)]; }
  [[nodiscard]] double number(Index p, Index k) const {
    return broad_phase::number_at(memory, planar_record::size * p + k);
  }
  [[nodiscard]] Vector2d vector(Index p, Index k) const { return {number(p, k), number(p, k + 1)}; }

  [[nodiscard]] bool may_touch(Index p, Index o) const { return Shapes::may_touch(source, part(p), part(o)); }

  [[nodiscard]] bool pushing() const { return view.push > 0.0 && horizon > 0.0; }
  /// Each body's largest speed of a point of its parts.
  void start_pushes() {
    for (Index b = 0; b < static_cast<Index>(source.bodies_.size()); ++b) pushes.start(b, 0.0);
    if (!pushing()) return;
    for (Index p = 0; p < shapes().moving; ++p) {
      const Part& own = part(p);
      const auto v = view.v.segment<3>(3 * own.body);
      const double speed = v.head<2>().norm() + std::abs(v[2]) * own.farthest;
      if (speed > pushes.of(own.body)) pushes.start(own.body, speed);
    }
  }
  void place_all() {
    start_pushes();
    double radii = 0.0;
    for (Index p = 0; p < shapes().bounded; ++p) {
      const Part& own = part(p);
      if (p < shapes().moving) radii += own.polygon.size + own.radius;
      Vector2d centre = own.polygon.middle, lever = centre;
      double cosine = 1.0, sine = 0.0, swept = 0.0, own_reach = 0.0;
      if (own.body >= 0) {
        const auto q = view.q.segment<3>(3 * own.body), v = view.v.segment<3>(3 * own.body);
        cosine = std::cos(q[2]);
        sine = std::sin(q[2]);
        lever = Matrix2d{{cosine, -sine}, {sine, cosine}} * own.polygon.middle;
        centre = q.head<2>() + lever;
        const double speed = v.head<2>().norm(), spin = std::abs(v[2]);
        // The rest keeps those that rounding lifts within sight.
        const double rest = 1e-8 * own.farthest + 1e-14 * q.head<2>().cwiseAbs().maxCoeff();
        own_reach = horizon * (speed + spin * own.farthest) + rest;
        swept = horizon * (speed + spin * own.polygon.middle.norm()) + rest;
      }
      const std::array<double, planar_record::size> record{
          centre.x(), centre.y(), 0.0,
          cosine,     sine,       lever.x(),
          lever.y(),  own_reach,  own.polygon.size + own.radius + swept};
      for (std::size_t k = 0; k < record.size(); ++k)
        broad_phase::keep_number(memory, planar_record::size * p + static_cast<Index>(k), record[k]);
    }
    pushes.widen_alike(horizon * view.push, radii / static_cast<double>(shapes().moving));
    widen();
  }
  /// Disks by what their bodies may be pushed.
  void widen() {
    for (Index p = 0; p < shapes().bounded; ++p)
      broad_phase::keep_number(memory, planar_record::size * p + planar_record::centre + 2,
                               number(p, planar_record::unpushed) + pushed(pushes.widest(part(p).body)));
  }
  [[nodiscard]] double pushed(double push) const { return horizon * view.push * push; }
  /// Of two parts: no less than their gap over the horizon less the speed of their approach.
  [[nodiscard]] Pushes::Meeting meeting(Index p, Index o) const {
    const auto size = [this](Index i) { return part(i).polygon.size + part(i).radius; };
    const double between = (vector(p, planar_record::centre) - vector(o, planar_record::centre)).norm();
    const double gap = std::max(between - size(p) - size(o), 0.0);  // or more
    return {part(p).body, part(o).body,
            (gap - number(p, planar_record::reach) - number(o, planar_record::reach)) / horizon};
  }
  [[nodiscard]] broad_phase::Pairs find_pairs() {
    const broad_phase::KeptBalls<2> disks{.memory = memory, .stride = planar_record::size};
    const auto find = [&] {
      return broad_phase::touching_pairs<2>(shapes().bounded, disks, pushes.end(), memory, [this](Index i, Index j) {
        return i < shapes().moving && !view.sleep(part(i).body, part(j).body) && may_touch(i, j);
      });
    };
    if (!pushing()) return find();
    return pushes.find_pairs(
        find, [this] { widen(); }, [this](Index p, Index o) { return meeting(p, o); });
  }
  /// How near to each other parts have to be to meet, or one and the ground.
  [[nodiscard]] double reach(Index p) const {
    return number(p, planar_record::reach) + pushed(pushes.of(part(p).body));
  }
  [[nodiscard]] double reach(Index p, Index o) const {
    return number(p, planar_record::reach) + number(o, planar_record::reach) +
           pushed(std::max(pushes.of(part(p).body), pushes.of(part(o).body)));
  }

  [[nodiscard]] Matrix2d turn_of(Index p) const {
    const double c = number(p, planar_record::turn), s = number(p, planar_record::turn + 1);
    return Matrix2d{{c, -s}, {s, c}};
  }
  void place(Index p, const Vector2d& at, planar::PlacedPolygon& polygon) const {
    polygon.place(part(p).polygon, part(p).radius, turn_of(p), at);
  }
  void place_first(Index p) {
    if (placed != p) place(p, Vector2d::Zero(), first);
    placed = p;
  }

  void touch(Index p, Index o) {
    place_first(p);
    const Vector2d between = vector(o, planar_record::centre) - vector(p, planar_record::centre);
    place(o, between, second);
    planar::find_contacts(first, second, reach(p, o), patch);
    for (const planar::PatchPoint& point : patch) add(p, o, part(o).number, point, between);
  }

  void touch_ground(Index p, Index o) {
    const Part& ground = part(o);
    const Vector2d at = vector(p, planar_record::centre);
    const double reach = this->reach(p);
    if (ground.line) {
      place_first(p);
      const auto v = view.v.segment<3>(3 * part(p).body);
      const planar::PlanarMotion motion{v.head<2>(), v[2], vector(p, planar_record::lever), horizon};
      ground.line->find_contacts(first, at, motion, reach, [&](Index piece, const planar::PatchPoint& point) {
        add(p, o, ground.number + piece, point, Vector2d::Zero());
      });
      return;
    }
    const Vector2d& normal = *ground.plane;
    const double height = normal.dot(at) - ground.offset;
    if (height > part(p).polygon.size + part(p).radius + reach) return;
    place_first(p);
    for (Index v = 0; v < first.num_vertices; ++v) {
      const Vector2d& vertex = first.vertex(v);
      const double above = height + normal.dot(vertex), gap = above - first.radius;
      if (gap > reach) continue;
      add(p, o, ground.number,
          {normal, vertex - first.radius * normal, vertex - above * normal, gap, planar::vertex_of_first(v)},
          Vector2d::Zero());
    }
  }

  /// Points about the centre of the first shape; `between`: the centre of the second.
  void add(Index p, Index o, Index number_of_other, const planar::PatchPoint& point, const Vector2d& between) {
    const Part &one = part(p), &other = part(o);
    DetectedContact contact;
    contact.feature = feature_of(one.number, number_of_other, point.meeting);
    contact.first = one.body;
    contact.second = other.body;
    contact.gap = point.gap;
    contact.law = source.pairs_.law(one.material, other.material);
    contact.terms = one.farthest + other.farthest;
    const auto terms = [&](Index body) { return point.normal.cwiseAbs().dot(view.q.segment<2>(3 * body).cwiseAbs()); };
    contact.terms += terms(one.body) + (other.body >= 0 ? terms(other.body) : 0.0);
    ContactBatch& batch = batch_of(source.law_rows(contact.law), other.body >= 0);
    double* const H = batch.append(contact);
    const Index entries = 3 * batch.rows;
    const auto write = [&](const Vector2d& lever, double sign, double* row) {
      const auto rows = planar::rows_of(point.normal.x(), point.normal.y(), lever.x(), lever.y(), sign);
      std::copy_n(rows.begin(), entries, row);
    };
    const Vector2d lever = vector(p, planar_record::lever) + point.on_first;
    write(lever, 1.0, H);
    if (one.is_conveyor()) move_surface(one, lever, turn_of(p), 1.0, point.normal, batch);
    if (other.body < 0) {
      if (other.is_conveyor())
        move_surface(other, vector(p, planar_record::centre) + point.on_second, Matrix2d::Identity(), -1.0,
                     point.normal, batch);
      return;
    }
    const Vector2d other_lever = vector(o, planar_record::lever) + (point.on_second - between);
    write(other_lever, -1.0, H + entries);
    if (other.is_conveyor()) move_surface(other, other_lever, turn_of(o), -1.0, point.normal, batch);
  }

  ContactBatch& batch_of(Index rows, bool between_bodies) {
    ContactBatch*& batch = (between_bodies ? with_body : with_ground)[static_cast<std::size_t>(rows)];
    if (!batch) batch = &found.of(rows, 3, between_bodies ? 3 : 0);
    return *batch;
  }

  /// What a conveyor adds to h_t of the last contact of a batch: at a lever from the body's centre that `turn` brings
  /// from its axes to those of space, or at a point of the ground.
  void move_surface(const Part& conveyor, const Vector2d& lever, const Matrix2d& turn, double sign,
                    const Vector2d& normal, ContactBatch& batch) const {
    const auto rows = static_cast<std::size_t>(batch.rows);
    batch.h_t.resize(rows * batch.contacts.size());
    const std::span<double> h_t = std::span(batch.h_t).last(rows);
    const Vector2d tangent(normal.y(), -normal.x()), at = turn.transpose() * lever;
    if (rows > 1 && conveyor.surface_velocity)
      h_t[1] += sign * tangent.dot(turn * conveyor.surface_velocity(at, view.t));
    if (rows > 2 && conveyor.surface_spin) h_t[2] += sign * conveyor.surface_spin(at, view.t);
  }
};

void PlanarContacts::detect(const BodyView& bodies, double horizon, std::vector<Index>& scratch,
                            ContactBatches& found) const {
  const auto count = static_cast<Index>(bodies_.size());
  check::size("PlanarContacts::detect: q", bodies.q.size(), 3 * count, "(x, y, angle) of each body");
  check::size("PlanarContacts::detect: v", bodies.v.size(), 3 * count, "velocity and angular velocity of each body");
  const Index moving = shapes_->moving;
  if (moving == 0) return;
  Search search{.source = *this, .view = bodies, .horizon = horizon, .memory = scratch, .found = found};
  search.place_all();
  auto [next, end] = search.find_pairs();
  for (Index p = 0; p < moving; ++p) {
    for (; next < end && broad_phase::first_of_pair(scratch[static_cast<std::size_t>(next)]) == p; ++next)
      search.touch(p, broad_phase::second_of_pair(scratch[static_cast<std::size_t>(next)]));
    if (bodies.sleep(search.part(p).body, -1)) continue;
    for (auto ground = shapes_->bounded; ground < static_cast<Index>(shapes_->parts.size()); ++ground) {
      if (search.may_touch(p, ground)) search.touch_ground(p, ground);
    }
  }
}

double PlanarContacts::passage_depth(const BodyView& bodies, double horizon) const {
  double way = 0.0;
  for (Index p = 0; p < shapes_->moving; ++p) {
    const Shapes::Part& part = shapes_->parts[static_cast<std::size_t>(p)];
    const auto v = bodies.v.segment<3>(3 * part.body);
    way = std::max(way, horizon * (v.head<2>().norm() + part.farthest * std::abs(v[2])));
  }
  return passage_depth_on(way, shapes_->least_depth);
}

}  // namespace nonsmooth
