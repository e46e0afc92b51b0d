// SPDX-License-Identifier: Apache-2.0
// Bodies that go through one another within a step.
#include <algorithm>
#include <limits>

#include "way.hpp"

namespace nonsmooth::stages {
namespace {

using Meeting = RunWatch::Passages::Meeting;

constexpr double kStillBetween = 0.9;  ///< of the depth that the way explains: another part of the same surface

/// The bodies of a source on the way of a step.
class SourceWay : public Way {
 public:
  SourceWay(const TakenStep& step, SystemCaches& systems, SourceBodies& bodies, RunWatch::Passages& watch)
      : Way(step, systems, bodies.systems, watch), bodies_(bodies) {}

  [[nodiscard]] BodyView view_at(double s) {
    const State& path = at(s);
    return bodies_.at(path, path.unknowns);
  }

 private:
  SourceBodies& bodies_;
};

/// The rate of a contact's gap.
double gap_rate(const ContactBatch& batch, Index i, const BodyView& bodies) {
  const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
  const auto along = [&bodies](const double* row, Index columns, Index body) {
    const Index first = bodies.v_begin[static_cast<std::size_t>(body)];
    return Eigen::Map<const Eigen::VectorXd>(row, columns).dot(bodies.v.segment(first, columns));
  };
  double rate = along(batch.H_first(i), batch.columns_first, contact.first);
  if (contact.second >= 0) rate += along(batch.H_second(i), batch.columns_second, contact.second);
  if (const double* own = batch.h_t_of(i)) rate += own[0];
  return rate;
}

/// Filled up with zeros in the plane.
Eigen::Vector3d normal_of(const ContactBatch& batch, Index i) {
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  std::copy_n(batch.H_first(i), translations(batch.columns_first), normal.data());
  return normal;
}

/// Pairs of shapes that meet on the way, each at its first touch: apart along a normal, two convex shapes that do not
/// turn stay apart as long as their gap along it lasts. What is left of the way, of which nothing is known.
[[nodiscard]] double find_meetings(const ContactSource& source, double h, int patch_bits, SourceWay& way,
                                   std::vector<Index>& scratch, RunWatch::Passages& watch) {
  const auto met = [&watch](std::uint64_t pair) {
    return std::any_of(watch.meetings.begin(), watch.meetings.end(),
                       [pair](const Meeting& m) { return m.pair == pair; });
  };
  return way.go_along([&](double s) -> std::optional<double> {
    const BodyView bodies = way.view_at(s);
    const double left = (1.0 - s) * h;
    watch.found.clear();
    source.detect(bodies, left, scratch, watch.found);
    double free = way.longest_advance();
    for (const ContactBatch& batch : watch.found) {
      for (Index i = 0; i < batch.size(); ++i) {
        const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
        const std::uint64_t pair = contact.feature >> patch_bits;
        const double rate = gap_rate(batch, i, bodies);
        if (!(rate < 0.0) || met(pair)) continue;
        if (contact.gap > Way::kTouching * contact.terms) {
          free = std::min(free, -contact.gap / (rate * h));
          continue;
        }
        watch.meetings.push_back({pair, contact.first, contact.second, {-rate * left, normal_of(batch, i)}});
      }
    }
    return free;
  });
}

/// At the end of the way they still overlap as they met: the contact pushes them back.
bool holds(const Meeting& meeting, int patch_bits, const ContactBatches& found) {
  for (const ContactBatch& batch : found) {
    for (Index i = 0; i < batch.size(); ++i) {
      const DetectedContact& contact = batch.contacts[static_cast<std::size_t>(i)];
      if (contact.first != meeting.first || contact.second != meeting.second) continue;
      const bool same =
          contact.feature >> patch_bits == meeting.pair || -contact.gap >= kStillBetween * meeting.touch.depth;
      if (same && meeting.touch.is_held_by(contact.gap, normal_of(batch, i))) return true;
    }
  }
  return false;
}

void watch_source(const NonSmoothDynamicalSystem& model, const TakenStep& step, std::size_t number,
                  SystemCaches& systems, ContactSearch& search, RunWatch::Passages& watch, RunRemarks& noticed) {
  const ContactSource& source = *model.sources()[number];
  SourcePlan& plan = search.sources[number];
  SourceWay way(step, systems, plan.bodies, watch);
  const double h = step.discretisation.h, depth = source.passage_depth(way.view_at(1.0), h);
  if (!(depth < std::numeric_limits<double>::infinity())) return;
  watch.meetings.clear();
  const double left = find_meetings(source, h, plan.patch_bits, way, search.scratch, watch);
  if (left > 0.0) tell_unknown_way("contacts of " + plan.bodies.name, step.report.t, left, noticed);
  const auto shallow = [depth](const Meeting& meeting) { return !(meeting.touch.depth > depth); };
  watch.meetings.erase(std::remove_if(watch.meetings.begin(), watch.meetings.end(), shallow), watch.meetings.end());
  if (watch.meetings.empty()) return;
  watch.found.clear();
  source.detect(way.view_at(1.0), 0.0, search.scratch, watch.found);
  const auto name_of = [&](Index body) {
    return body < 0 ? "the ground"
                    : step.discretisation.system(plan.bodies.systems[static_cast<std::size_t>(body)]).name;
  };
  for (const Meeting& meeting : watch.meetings) {
    if (holds(meeting, plan.patch_bits, watch.found)) continue;
    tell_passage(name_of(meeting.first), name_of(meeting.second), step.report.t, meeting.touch.depth, noticed);
  }
}

}  // namespace

void watch_passages(const NonSmoothDynamicalSystem& model, const TakenStep& step, SystemCaches& systems,
                    ContactSearch& search, RunWatch::Passages& watch, RunRemarks& noticed) {
  for (std::size_t s = 0; s < model.sources().size(); ++s)
    look_or_leave([&] { watch_source(model, step, s, systems, search, watch, noticed); });
}

}  // namespace nonsmooth::stages
