// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <vector>

#include <boost/pending/disjoint_sets.hpp>

#include "at.hpp"

namespace nonsmooth {

/// Sets of the numbers 0 ... n - 1, joined pair by pair: the islands of a graph. Sets come in the order of their lowest
/// members, members in ascending order: what was joined decides, the order of joining does not. Keeps its memory.
class DisjointSets {
 public:
  explicit DisjointSets(Index size = 0) { reset(size); }

  /// Each number is a set of its own.
  void reset(Index size) {
    parent_.resize(at(size));
    std::iota(parent_.begin(), parent_.end(), Index{0});
    rank_.assign(at(size), 0);
  }

  void join(Index a, Index b) {
    if (a == b) return;
    const Index first = find(a), second = find(b);
    if (first != second) sets().link(first, second);
  }
  [[nodiscard]] bool together(Index a, Index b) { return find(a) == find(b); }

  /// Set s has the members members[begin[s]] ... members[begin[s + 1] - 1].
  void list(std::vector<Index>& begin, std::vector<Index>& members) {
    const auto size = static_cast<Index>(parent_.size());
    number_.assign(at(size), -1);
    begin.reserve(at(size) + 1);
    begin.assign(1, 0);
    for (Index i = 0; i < size; ++i) {
      Index& number = number_[at(find(i))];
      if (number < 0) {
        number = static_cast<Index>(begin.size()) - 1;
        begin.push_back(0);
      }
      ++begin[at(number) + 1];
      number_[at(i)] = number;
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    members.resize(at(size));
    for (Index i = size; i-- > 0;) members[at(--begin[at(number_[at(i)]) + 1])] = i;
    begin.erase(begin.begin());  // what was a set's end is its beginning now
    begin.push_back(size);
  }

  [[nodiscard]] std::vector<std::vector<Index>> lists() {
    std::vector<Index> begin, members;
    list(begin, members);
    std::vector<std::vector<Index>> lists;
    for (std::size_t s = 0; s + 1 < begin.size(); ++s)
      lists.emplace_back(members.begin() + begin[s], members.begin() + begin[s + 1]);
    return lists;
  }

  /// The number of i's set, as list() or lists() left it.
  [[nodiscard]] Index number(Index i) const { return number_[at(i)]; }

 private:
  [[nodiscard]] boost::disjoint_sets<unsigned char*, Index*, boost::find_with_path_halving> sets() {
    return {rank_.data(), parent_.data()};
  }
  [[nodiscard]] Index find(Index i) { return sets().find_set(i); }

  std::vector<Index> parent_, number_;
  std::vector<unsigned char> rank_;
};

}  // namespace nonsmooth
