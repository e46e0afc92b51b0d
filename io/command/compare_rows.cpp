// SPDX-License-Identifier: Apache-2.0
#include "compare_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace nonsmooth::command {
namespace {

constexpr double kSameBits = -1.0;

/// One number, or vector, of all rows: how far apart at each step, and how large.
class Quantity {
 public:
  Quantity(std::string name, Index steps)
      : name_(std::move(name)), apart_(static_cast<std::size_t>(steps), kSameBits) {}

  void see(Index step, std::span<const double> a, std::span<const double> b) {
    double of_a = 0.0, of_b = 0.0, between = 0.0;
    bool same = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      same = same && same_number(a[i], b[i]);
      of_a += a[i] * a[i];
      of_b += b[i] * b[i];
      between += (a[i] - b[i]) * (a[i] - b[i]);
    }
    for (const double square : {of_a, of_b}) {
      if (std::isfinite(square)) largest_ = std::max(largest_, std::sqrt(square));
    }
    if (same) return;
    double& apart = apart_[static_cast<std::size_t>(step)];
    apart = std::max(apart, std::isnan(between) ? std::numeric_limits<double>::infinity() : std::sqrt(between));
  }
  void see(Index step, double a, double b) { see(step, std::span(&a, 1), std::span(&b, 1)); }
  void see(Index step, const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    see(step, std::span(a.data(), 3), std::span(b.data(), 3));
  }

  /// Adds what it is apart, with steps counted from `begin`.
  void tell(Index begin, double tolerance, std::vector<Deviation>& all) const {
    Deviation one{.name = name_};
    for (std::size_t k = 0; k < apart_.size(); ++k) {
      if (apart_[k] == kSameBits) continue;
      const double relative = apart_[k] == 0.0 ? 0.0 : apart_[k] / largest_;  // 0: of zeros of two signs
      const Index step = begin + static_cast<Index>(k);
      if (one.at < 0 || relative > one.worst) {
        one.worst = relative;
        one.at = step;
      }
      if (one.first < 0 && (relative > tolerance || tolerance == 0.0)) one.first = step;
    }
    if (one.at >= 0) all.push_back(std::move(one));
  }

 private:
  std::string name_;
  std::vector<double> apart_;  ///< a step
  double largest_ = 0.0;
};

auto identity_of(const ActingContact& contact) {
  return std::tuple(contact.source, contact.feature, contact.first, contact.second, contact.rows);
}

/// In the order of what they are; several of one name, as of an interaction of several contacts, as they come.
std::vector<std::size_t> order_of(const std::vector<ActingContact>& contacts) {
  std::vector<std::size_t> order(contacts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t i, std::size_t j) { return identity_of(contacts[i]) < identity_of(contacts[j]); };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
  return order;
}

void see_unpaired(Unpaired& unpaired, Index step, Index in_first, Index in_second) {
  if (in_first + in_second == 0) return;
  unpaired.only_first += in_first;
  unpaired.only_second += in_second;
  if (unpaired.step < 0) unpaired.step = step;
}

class ContactRows {
 public:
  explicit ContactRows(Index steps)
      : gap_("contacts.gap", steps),
        point_("contacts.point", steps),
        normal_("contacts.normal", steps),
        force_("contacts.force", steps),
        impulse_("contacts.impulse", steps) {}

  /// `step`: of those that are compared; `number`: what it is called.
  void see(Index step, Index number, const std::vector<ActingContact>& a, const std::vector<ActingContact>& b,
           RowComparison& all) {
    const std::vector<std::size_t> of_a = order_of(a), of_b = order_of(b);
    Index in_first = 0, in_second = 0;
    for (std::size_t i = 0, j = 0; i < of_a.size() || j < of_b.size();) {
      if (j == of_b.size() || (i < of_a.size() && identity_of(a[of_a[i]]) < identity_of(b[of_b[j]]))) {
        see_alone(step, a[of_a[i++]]);
        ++in_first;
      } else if (i == of_a.size() || identity_of(b[of_b[j]]) < identity_of(a[of_a[i]])) {
        see_alone(step, b[of_b[j++]]);
        ++in_second;
      } else {
        see_both(step, a[of_a[i++]], b[of_b[j++]]);
        ++all.num_contacts;
      }
    }
    see_unpaired(all.contacts, number, in_first, in_second);
  }
  void tell(Index begin, double tolerance, std::vector<Deviation>& all) const {
    for (const Quantity* quantity : {&gap_, &point_, &normal_, &force_, &impulse_})
      quantity->tell(begin, tolerance, all);
  }

 private:
  void see_both(Index step, const ActingContact& a, const ActingContact& b) {
    gap_.see(step, a.gap, b.gap);
    point_.see(step, a.point, b.point);
    normal_.see(step, a.normal, b.normal);
    force_.see(step, a.force, b.force);
    impulse_.see(step, a.impulse, b.impulse);
  }
  void see_alone(Index step, const ActingContact& contact) {
    force_.see(step, contact.force, Eigen::Vector3d::Zero());
    impulse_.see(step, contact.impulse, Eigen::Vector3d::Zero());
  }

  Quantity gap_, point_, normal_, force_, impulse_;
};

class EventRows {
 public:
  explicit EventRows(Index steps) : t_("events.t", steps), value_("events.value", steps), end_("events.end", steps) {}

  void see(Index step, Index number, const std::vector<RunEvent>& a, const std::vector<RunEvent>& b,
           RowComparison& all) {
    const auto identity_of = [](const RunEvent& event) { return std::tuple(event.kind, event.interaction, event.row); };
    Index paired = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (identity_of(a[i]) != identity_of(b[i])) continue;
      t_.see(step, a[i].t, b[i].t);
      value_.see(step, a[i].value, b[i].value);
      end_.see(step, a[i].end, b[i].end);
      ++paired;
    }
    all.num_events += paired;
    see_unpaired(all.events, number, static_cast<Index>(a.size()) - paired, static_cast<Index>(b.size()) - paired);
  }
  void tell(Index begin, double tolerance, std::vector<Deviation>& all) const {
    for (const Quantity* quantity : {&t_, &value_, &end_}) quantity->tell(begin, tolerance, all);
  }

 private:
  Quantity t_, value_, end_;
};

/// How many rows of a table each step has.
std::vector<double> counts(const RunFile& run, const char* column, Index begin, Index count) {
  return run.has_column(column) ? run.column(column, begin, begin + count)
                                : std::vector<double>(static_cast<std::size_t>(count), 0.0);
}

/// Reads the rows of those steps alone that have some.
template <class Rows, class Read>
void see_all(const RunFile& a, const RunFile& b, const StepPairs& steps, const char* column, const Read& read,
             Rows& rows, RowComparison& all) {
  const std::vector<double> of_a = counts(a, column, steps.first, steps.count),
                            of_b = counts(b, column, steps.second, steps.count);
  for (Index k = 0; k < steps.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (of_a[at] == 0.0 && of_b[at] == 0.0) continue;
    rows.see(k, steps.second + k, read(a, steps.first + k), read(b, steps.second + k), all);
  }
}

void see_solvers(const RunFile& a, const RunFile& b, const StepPairs& steps, RowComparison& all) {
  const std::vector<std::string> first = a.solvers(steps.first, steps.first + steps.count),
                                 second = b.solvers(steps.second, steps.second + steps.count);
  const auto [one, other] = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  if (one == first.end()) return;
  all.solver_step = steps.second + (one - first.begin());
  all.first_solver = *one;
  all.second_solver = *other;
}

}  // namespace

RowComparison compare_rows(const RunFile& a, const RunFile& b, const StepPairs& steps, double tolerance) {
  RowComparison all;
  if (steps.count == 0) return all;
  ContactRows contacts(steps.count);
  see_all(
      a, b, steps, "contacts", [](const RunFile& run, Index step) { return run.contacts(step); }, contacts, all);
  EventRows events(steps.count);
  see_all(
      a, b, steps, "events", [](const RunFile& run, Index step) { return run.events(step); }, events, all);
  contacts.tell(steps.second, tolerance, all.deviations);
  events.tell(steps.second, tolerance, all.deviations);
  see_solvers(a, b, steps, all);
  return all;
}

}  // namespace nonsmooth::command
