// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <internal/check.hpp>

#include "contact/broad_phase.hpp"
#include "contact/pushes.hpp"
#include "shape_list.hpp"

namespace nonsmooth {

/// One call of detect() of a source of shapes, in space (InSpace) or in the plane (InPlane): where shapes are, which
/// may meet, and the contacts where meet() says that they do. `memory` holds the turns of bodies, then a record of each
/// bounded shape, then pushes, then what the broad phase and meet() need.
///
/// meet() gets the search with two parts: first(), second(), where they are, how near is near, and add().
template <class Space>
class ShapeSearch {
 public:
  using Part = ShapePart<Space>;
  using Vector = typename Part::Vector;
  using Turn = typename Part::Turn;
  static constexpr Index kDimension = Space::dimension, kTurn = kDimension * kDimension;
  static constexpr int kMeetingBits = ShapeContacts::meeting_bits;

  ShapeSearch(const ShapeContacts& source, const ShapeList<Space>& shapes, const BodyView& view, double horizon,
              std::vector<Index>& memory, ContactBatches& found)
      : source_(source),
        shapes_(shapes),
        view_(view),
        horizon_(horizon),
        memory_(memory),
        found_(found),
        pushes_(memory, record_of(shapes.bounded), num_bodies()) {}

  /// Finds all contacts. @throws InvalidArgument: coordinates of other bodies, or that are none.
  void run() {
    const Index count = num_bodies();
    check::size(Space::name_of_q, view_.q.size(), Space::positions * count, Space::words_of_q);
    check::size(Space::name_of_v, view_.v.size(), Space::velocities * count,
                "velocity and angular velocity of each body");
    if (shapes_.moving == 0) return;
    place_all();
    auto [next, end] = find_pairs();
    for (Index p = 0; p < shapes_.moving; ++p) {
      for (; next < end && broad_phase::first_of_pair(memory_[static_cast<std::size_t>(next)]) == p; ++next)
        touch(p, broad_phase::second_of_pair(memory_[static_cast<std::size_t>(next)]));
      if (view_.sleep(part(p).body, -1)) continue;
      for (Index ground = shapes_.bounded; ground < shapes_.count(); ++ground) {
        if (source_.may_touch(part(p), part(ground))) touch(p, ground);
      }
    }
  }

  // What meet() is told of the two parts.
  [[nodiscard]] const Part& first() const { return *first_; }
  [[nodiscard]] const Part& second() const { return *second_; }
  /// Where the first is, and how its body moves: velocities as in v.
  [[nodiscard]] const Vector& centre() const { return centre_; }
  [[nodiscard]] const Vector& lever() const { return lever_; }  ///< of the centre from the body's
  [[nodiscard]] const Turn& turn() const { return turn_; }      ///< from the shape to space
  [[nodiscard]] const Turn& body_turn() const { return body_turn_; }
  [[nodiscard]] auto velocity() const { return velocity_of(first_->body); }
  [[nodiscard]] double horizon() const { return horizon_; }
  /// From its centre to that of the second; zero where this is not bounded.
  [[nodiscard]] const Vector& between() const { return between_; }
  [[nodiscard]] Turn turn_of_second() const { return turn_from(record_of(second_number_) + record::turn); }
  /// How near to each other they have to be to meet.
  [[nodiscard]] double reach() const { return reach_; }
  /// Of whom meet() asks: what it writes to, `first_is_placed` false where the first one is another one.
  typename Space::Workspace work{};
  [[nodiscard]] std::vector<Index>& memory() { return memory_; }

  /// Adds a contact of the two parts, at points about the centre of the first. `number`: on which of the numbers of the
  /// second.
  template <class Point>
  void add(const Point& point, Index number = 0) {
    if (!writing_) begin_contacts();
    const Part &one = first(), &other = second();
    contact_.feature = ShapeContacts::feature_of(one.number, other.number + number, point.feature);
    contact_.gap = point.gap;
    contact_.terms = one.farthest + other.farthest + terms(one.body, point.normal);
    if (other.body >= 0) contact_.terms += terms(other.body, point.normal);
    const auto frame = Space::frame_of(point.normal, grain_);
    double* const H = batch_->append(contact_);
    const Vector own_lever = lever_ + point.on_first;
    Space::write_rows(frame, batch_->rows, own_lever, body_turn_, 1.0, H);
    if (one.skin.moves()) move_surface(one, own_lever, body_turn_, 1.0, frame);
    if (other.body >= 0) {
      const Vector lever = other_lever_ + (point.on_second - between_);
      Space::write_rows(frame, batch_->rows, lever, other_turn_, -1.0, H + Space::velocities * batch_->rows);
      if (other.skin.moves()) move_surface(other, lever, other_turn_, -1.0, frame);
    } else if (other.skin.moves()) {
      move_surface(other, centre_ + point.on_second, Turn::Identity(), -1.0, frame);
    }
  }

 private:
  /// What is kept of a bounded shape: its ball as broad_phase::KeptBalls has it, the turn from shape to space, the
  /// centre from that of the body, how far its points go as the body turns and rounding or residuals lift them, the
  /// radius of the ball without pushes.
  struct record {
    static constexpr Index centre = 0, swept = kDimension, turn = swept + 1, lever = turn + kTurn,
                           turning = lever + kDimension, unpushed = turning + 1, size = unpushed + 1;
  };

  [[nodiscard]] Index num_bodies() const { return static_cast<Index>(source_.bodies().size()); }
  [[nodiscard]] const Part& part(Index p) const { return shapes_.part(p); }
  [[nodiscard]] Index record_of(Index p) const { return kTurn * num_bodies() + record::size * p; }
  [[nodiscard]] double number_at(Index i) const { return broad_phase::number_at(memory_, i); }
  void keep(Index i, double value) { broad_phase::keep_number(memory_, i, value); }
  [[nodiscard]] Vector vector_from(Index begin) const {
    Vector vector;
    for (Index k = 0; k < kDimension; ++k) vector[k] = number_at(begin + k);
    return vector;
  }
  [[nodiscard]] Turn turn_from(Index begin) const {
    Turn turn;
    for (Index k = 0; k < kTurn; ++k) turn(k % kDimension, k / kDimension) = number_at(begin + k);
    return turn;
  }
  template <class Value>
  void keep_all(Index begin, const Value& value) {
    for (Index k = 0; k < value.size(); ++k) keep(begin + k, value(k % value.rows(), k / value.rows()));
  }
  [[nodiscard]] auto velocity_of(Index body) const {
    return view_.v.template segment<Space::velocities>(Space::velocities * body);
  }
  [[nodiscard]] auto position_of(Index body) const {
    return view_.q.template segment<Space::dimension>(Space::positions * body);
  }
  [[nodiscard]] Turn turn_of_body(Index body) const { return turn_from(kTurn * body); }
  [[nodiscard]] Vector centre_of(Index p) const { return vector_from(record_of(p) + record::centre); }
  [[nodiscard]] double turning(Index p) const {
    return p < shapes_.bounded ? number_at(record_of(p) + record::turning) : 0.0;
  }

  [[nodiscard]] bool pushing() const { return view_.push > 0.0 && horizon_ > 0.0; }
  /// Each body's largest speed of a point of its parts.
  void start_pushes() {
    for (Index b = 0; b < num_bodies(); ++b) pushes_.start(b, 0.0);
    if (!pushing()) return;
    for (Index p = 0; p < shapes_.moving; ++p) {
      const auto v = velocity_of(part(p).body);
      const double speed = Space::speed(v) + Space::spin(v) * part(p).farthest;
      if (speed > pushes_.of(part(p).body)) pushes_.start(part(p).body, speed);
    }
    pushes_.widen_little(horizon_ * view_.push,
                         [this](Index body) { return shapes_.least_sizes[static_cast<std::size_t>(body)]; });
  }
  /// Turns of bodies, and where shapes are.
  void place_all() {
    start_pushes();
    for (Index b = 0; b < num_bodies(); ++b)
      keep_all(kTurn * b, Space::turn_of_body(view_.q.data() + Space::positions * b, b));
    for (Index p = 0; p < shapes_.bounded; ++p) {
      const Part& own = part(p);
      const Index begin = record_of(p);
      Vector centre = own.position, lever = own.position;
      double swept = 0.0, turning = 0.0;
      Turn turn = own.turn;
      if (own.body >= 0) {
        const Turn of_body = turn_of_body(own.body);
        const auto v = velocity_of(own.body);
        const double speed = Space::speed(v), spin = Space::spin(v);
        lever = of_body * own.position;
        centre = position_of(own.body) + lever;
        turn = of_body * own.turn;
        // The rest keeps those that rounding lifts, and bonds whose gaps residuals open, within sight.
        const double rest = 1e-7 * own.farthest + 1e-14 * position_of(own.body).cwiseAbs().maxCoeff();
        turning = horizon_ * spin * own.farthest + rest;
        swept = horizon_ * (speed + spin * own.position.norm()) + rest;
      }
      keep_all(begin + record::centre, centre);
      keep_all(begin + record::turn, turn);
      keep_all(begin + record::lever, lever);
      keep(begin + record::turning, turning);
      keep(begin + record::unpushed, own.size + swept);
    }
    widen();
  }
  /// Balls by what their bodies may be pushed.
  void widen() {
    for (Index p = 0; p < shapes_.bounded; ++p) {
      keep(record_of(p) + record::swept,
           number_at(record_of(p) + record::unpushed) + horizon_ * view_.push * pushes_.widest(part(p).body));
    }
  }
  /// How fast two parts come nearer to each other by the velocities of their bodies' centres, at most.
  [[nodiscard]] double approach(const Part& one, const Part& other) const {
    Vector v = velocity_of(one.body).template head<Space::dimension>();
    if (other.body >= 0) v -= velocity_of(other.body).template head<Space::dimension>();
    return v.norm();
  }
  /// Of two parts: no less than their gap over the horizon less the speed of their approach.
  [[nodiscard]] Pushes::Meeting meeting(Index p, Index o) const {
    const Part &one = part(p), &other = part(o);
    const double gap = std::max((centre_of(p) - centre_of(o)).norm() - one.size - other.size, 0.0);  // or more
    return {one.body, other.body, (gap - turning(p) - turning(o)) / horizon_ - approach(one, other)};
  }
  [[nodiscard]] broad_phase::Pairs find_pairs() {
    const broad_phase::KeptBalls<Space::dimension> balls{
        .memory = memory_, .begin = record_of(0), .stride = record::size};
    const auto find = [&] {
      return broad_phase::touching_pairs<Space::dimension>(
          shapes_.bounded, balls, pushes_.end(), memory_, [&](Index i, Index j) {
            return i < shapes_.moving && !view_.sleep(part(i).body, part(j).body) &&
                   source_.may_touch(part(i), part(j));
          });
    };
    if (!pushing()) return find();
    return pushes_.find_pairs(
        find, [this] { widen(); }, [this](Index p, Index o) { return meeting(p, o); });
  }

  void begin_first(Index p) {
    first_number_ = p;
    first_ = &part(p);
    centre_ = centre_of(p);
    lever_ = vector_from(record_of(p) + record::lever);
    turn_ = turn_from(record_of(p) + record::turn);
    body_turn_ = turn_of_body(first_->body);
    work.first_is_placed = false;
  }
  void touch(Index p, Index o) {
    if (first_number_ != p) begin_first(p);
    second_number_ = o;
    second_ = &part(o);
    between_.setZero();
    if (o < shapes_.bounded) between_ = centre_of(o) - centre_;
    const double push = std::max(pushes_.of(first_->body), pushes_.of(second_->body));
    reach_ = horizon_ * (approach(*first_, *second_) + view_.push * push) + turning(p) + turning(o);
    writing_ = false;
    std::visit(
        [this](const auto& one, const auto& other) {
          if constexpr (!std::decay_t<decltype(one)>::ground_alone) meet(one, other, *this);
        },
        first_->geometry, second_->geometry);
  }

  /// What contacts of the two parts have in common.
  void begin_contacts() {
    const Part &one = first(), &other = second();
    writing_ = true;
    contact_.first = one.body;
    contact_.second = other.body;
    contact_.law = source_.pairs_.law(one.material, other.material);
    batch_ = &found_.of(source_.law_rows(contact_.law), Space::velocities, other.body >= 0 ? Space::velocities : 0);
    other_turn_.setIdentity();
    if (other.body >= 0) {
      other_turn_ = turn_of_body(other.body);
      other_lever_ = vector_from(record_of(second_number_) + record::lever);
    }
    grain_ = Space::grain_of(one.skin, body_turn_, other.skin, other_turn_);
  }
  /// Absolute terms of a gap that a body's position takes part in.
  [[nodiscard]] double terms(Index body, const Vector& normal) const {
    return normal.cwiseAbs().dot(position_of(body).cwiseAbs());
  }
  /// What a conveyor adds to h_t of the last contact of the batch: at a lever from the body's centre that `turn` brings
  /// from its axes to those of space, or at a point of the ground.
  template <class Frame>
  void move_surface(const Part& conveyor, const Vector& lever, const Turn& turn, double sign,
                    const Frame& frame) const {
    const auto rows = static_cast<std::size_t>(batch_->rows);
    batch_->h_t.resize(rows * batch_->contacts.size());
    const Vector place = turn.transpose() * lever;
    Space::add_surface_motion(conveyor.skin, place, view_.t, turn, sign, frame, std::span(batch_->h_t).last(rows));
  }

  const ShapeContacts& source_;
  const ShapeList<Space>& shapes_;
  const BodyView& view_;
  double horizon_;
  std::vector<Index>& memory_;
  ContactBatches& found_;
  Pushes pushes_;

  Index first_number_ = -1, second_number_ = -1;
  const Part *first_ = nullptr, *second_ = nullptr;
  Vector centre_, lever_, between_;
  Turn turn_, body_turn_;
  double reach_ = 0.0;

  bool writing_ = false;  ///< contacts of the two parts
  DetectedContact contact_{};
  ContactBatch* batch_ = nullptr;
  Turn other_turn_;
  Vector other_lever_;
  typename Space::Grain grain_{};
};

}  // namespace nonsmooth
