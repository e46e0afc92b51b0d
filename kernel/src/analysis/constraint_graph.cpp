// SPDX-License-Identifier: Apache-2.0
#include "constraint_graph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/property_map/property_map.hpp>

#include <internal/at.hpp>
#include <internal/disjoint_sets.hpp>

namespace nonsmooth::analysis::detail {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_index_t, std::size_t>>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

/// Vertices are the ground, the systems, the ties, in this order. `measuring`: ties that have an edge to the ground
/// besides those of one system.
Graph graph_of(const std::vector<std::vector<Index>>& systems, const std::vector<Index>& prescribed,
               const std::vector<Index>& measuring, Index num_systems) {
  Graph graph(1 + at(num_systems) + systems.size());
  std::size_t edges = 0;
  for (std::size_t tie = 0; tie < systems.size(); ++tie) {
    const Vertex own = 1 + at(num_systems) + tie;
    if (systems[tie].size() == 1) boost::add_edge(own, Vertex{0}, edges++, graph);
    for (const Index system : systems[tie]) boost::add_edge(own, 1 + at(system), edges++, graph);
  }
  for (const Index tie : measuring) {
    if (systems[at(tie)].size() > 1) boost::add_edge(1 + at(num_systems) + at(tie), Vertex{0}, edges++, graph);
  }
  for (const Index system : prescribed) boost::add_edge(1 + at(system), Vertex{0}, edges++, graph);
  return graph;
}

/// From a vertex up to the root, both among them.
std::vector<Vertex> way_up(Vertex from, const std::vector<Vertex>& parent) {
  std::vector<Vertex> way{from};
  while (parent[way.back()] != way.back()) way.push_back(parent[way.back()]);
  return way;
}

}  // namespace

ConstraintGraph::ConstraintGraph(std::vector<std::vector<Index>> systems, std::vector<Index> prescribed,
                                 std::vector<Index> measuring)
    : systems_(std::move(systems)), prescribed_(std::move(prescribed)), measuring_(std::move(measuring)) {
  for (const std::vector<Index>& of_tie : systems_)
    for (const Index system : of_tie) num_systems_ = std::max(num_systems_, system + 1);
  std::sort(prescribed_.begin(), prescribed_.end());
  prescribed_.erase(std::unique(prescribed_.begin(), prescribed_.end()), prescribed_.end());
  prescribed_.erase(std::lower_bound(prescribed_.begin(), prescribed_.end(), num_systems_), prescribed_.end());
}

std::vector<std::vector<Index>> ConstraintGraph::parts() const {
  const Graph graph = graph_of(systems_, prescribed_, measuring_, num_systems_);
  std::vector<std::size_t> component(boost::num_edges(graph), 0);
  const auto index = boost::get(boost::edge_index, graph);
  const std::size_t count =
      boost::biconnected_components(graph, boost::make_iterator_property_map(component.begin(), index));
  std::vector<Index> edges(count, 0);
  for (const std::size_t own : component) ++edges[own];
  // Sets of ties behind sets of components of more than one edge, which are loops.
  const auto ties = static_cast<Index>(systems_.size());
  DisjointSets sets(ties + static_cast<Index>(count));
  std::vector<char> on_loop(systems_.size(), 0);
  for (auto [edge, end] = boost::edges(graph); edge != end; ++edge) {
    const std::size_t own = component[index[*edge]];
    const Vertex last = std::max(boost::source(*edge, graph), boost::target(*edge, graph));
    if (edges[own] < 2 || last <= at(num_systems_)) continue;
    const std::size_t tie = last - 1 - at(num_systems_);
    on_loop[tie] = 1;
    sets.join(static_cast<Index>(tie), ties + static_cast<Index>(own));
  }
  std::vector<std::vector<Index>> parts;
  for (const std::vector<Index>& members : sets.lists()) {
    std::vector<Index> part;
    std::copy_if(members.begin(), members.end(), std::back_inserter(part),
                 [&](Index i) { return i < ties && on_loop[at(i)] != 0; });
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<ConstraintGraph::Loop> ConstraintGraph::loops() const {
  const Graph graph = graph_of(systems_, prescribed_, {}, num_systems_);
  const std::size_t count = boost::num_vertices(graph);
  std::vector<Vertex> parent(count);
  for (Vertex v = 0; v < count; ++v) parent[v] = v;
  std::vector<boost::default_color_type> color(count, boost::white_color);
  const auto visitor = boost::make_bfs_visitor(boost::record_predecessors(parent.data(), boost::on_tree_edge()));
  for (Vertex root = 0; root < count; ++root) {
    if (color[root] != boost::white_color) continue;
    boost::breadth_first_visit(graph, root, boost::visitor(visitor).color_map(color.data()));
  }
  std::vector<Loop> loops;
  for (auto [edge, end] = boost::edges(graph); edge != end; ++edge) {
    const Vertex one = boost::source(*edge, graph), other = boost::target(*edge, graph);
    if (parent[one] == other || parent[other] == one) continue;
    std::vector<Vertex> up = way_up(one, parent), down = way_up(other, parent);
    Vertex meeting = up.back();
    while (!up.empty() && !down.empty() && up.back() == down.back()) {
      meeting = up.back();
      up.pop_back();
      down.pop_back();
    }
    up.push_back(meeting);
    up.insert(up.end(), down.rbegin(), down.rend());
    // A tie first; between two of them a system, the ground, or both.
    const auto is_tie = [this](Vertex v) { return v > at(num_systems_); };
    std::rotate(up.begin(), std::find_if(up.begin(), up.end(), is_tie), up.end());
    Loop loop;
    for (std::size_t k = 0; k < up.size(); ++k) {
      if (is_tie(up[k])) {
        loop.ties.push_back(static_cast<Index>(up[k]) - 1 - num_systems_);
      } else if (is_tie(up[k - 1])) {
        loop.systems.push_back(static_cast<Index>(up[k]) - 1);
      } else {
        loop.systems.back() = kGround;
      }
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace nonsmooth::analysis::detail
