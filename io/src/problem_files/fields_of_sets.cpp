// SPDX-License-Identifier: Apache-2.0
#include "fields_of_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {
namespace {

struct Parameter {
  const char* name;
  double BlockSet::*entry;
};
constexpr std::array<Parameter, 5> first_parameters = {{{"/mu", &BlockSet::mu},
                                                        {"/lift", &BlockSet::lift},
                                                        {"/radius", &BlockSet::radius},
                                                        {"/lower", &BlockSet::lower},
                                                        {"/upper", &BlockSet::upper}}};
/// Those that came with version 2; a list that is not there has the default of BlockSet.
constexpr std::array<Parameter, 5> later_parameters = {{{"/mu_2", &BlockSet::mu_2},
                                                        {"/rolling", &BlockSet::rolling},
                                                        {"/spinning", &BlockSet::spinning},
                                                        {"/cohesion", &BlockSet::cohesion},
                                                        {"/unit", &BlockSet::unit}}};

/// True if a block has another value than that of a plain BlockSet.
bool differs(const ProductSet& K, const Parameter& parameter) {
  const double plain = BlockSet{}.*parameter.entry;
  for (Index i = 0; i < K.num_blocks(); ++i) {
    if (std::bit_cast<std::uint64_t>(K[i].*parameter.entry) != std::bit_cast<std::uint64_t>(plain)) return true;
  }
  return false;
}

double only_entry(const FieldSource& source, const std::string& name) {
  const Eigen::VectorXd value = source.vector(name);
  source.require_size(name, value.size(), 1);
  return value[0];
}

std::string part_name(std::size_t i) { return "K/" + std::to_string(i); }

struct WritePart {
  FieldSink& sink;
  const std::string& name;

  void operator()(const vi::Box& box) const {
    sink.vector(name + "/lower", box.lower);
    sink.vector(name + "/upper", box.upper);
  }
  void operator()(const vi::Ball& ball) const {
    sink.vector(name + "/center", ball.center);
    sink.vector(name + "/radius", Eigen::VectorXd::Constant(1, ball.radius));
  }
  void operator()(const vi::HalfSpace& half_space) const {
    sink.vector(name + "/a", half_space.a);
    sink.vector(name + "/b", Eigen::VectorXd::Constant(1, half_space.b));
  }
  void operator()(const vi::Polyhedron& polyhedron) const {
    if (polyhedron.A.size() > 0) {
      sink.matrix(name + "/A", polyhedron.A);
      sink.vector(name + "/b", polyhedron.b);
    }
    if (polyhedron.C.size() > 0) {
      sink.matrix(name + "/C", polyhedron.C);
      sink.vector(name + "/d", polyhedron.d);
    }
  }
  void operator()(const ProductSet& blocks) const { write_sets(sink, name + "/blocks", blocks); }
};

AffineVi::Part read_part(const FieldSource& source, const std::string& name) {
  const std::string kind = source.set(name);
  if (kind == "box") return vi::Box{source.bounds(name + "/lower"), source.bounds(name + "/upper")};
  if (kind == "ball") {
    return vi::Ball{.center = source.vector(name + "/center"), .radius = only_entry(source, name + "/radius")};
  }
  if (kind == "half-space") return vi::HalfSpace{source.vector(name + "/a"), only_entry(source, name + "/b")};
  if (kind == "blocks") return read_sets(source, name + "/blocks");
  if (kind != "polyhedron") {
    source.fail(name, "an unknown set", "box, ball, half-space, polyhedron or blocks");
  }
  vi::Polyhedron polyhedron;
  if (source.has(name + "/A")) {
    polyhedron.A = source.dense(name + "/A");
    polyhedron.b = source.vector(name + "/b");
  }
  if (source.has(name + "/C")) {
    polyhedron.C = source.dense(name + "/C");
    polyhedron.d = source.vector(name + "/d");
  }
  return polyhedron;
}

}  // namespace

void write_sets(FieldSink& sink, const std::string& group, const ProductSet& K) {
  const Index size = K.num_blocks();
  std::vector<std::string_view> kinds;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < size; ++i) {
    kinds.push_back(set_kind_names[static_cast<std::size_t>(K[i].kind)]);
    offsets.push_back(K.offset(i + 1));
  }
  const auto parameter = [&](const Parameter& one) {
    Eigen::VectorXd value(size);
    for (Index i = 0; i < size; ++i) value[i] = K[i].*one.entry;
    sink.vector(group + one.name, value);
  };
  sink.group(group);
  sink.words(group + "/kind", kinds);
  sink.integers(group + "/offsets", offsets);
  for (const Parameter& one : first_parameters) parameter(one);
  for (const Parameter& one : later_parameters) {
    if (differs(K, one)) parameter(one);
  }
}

ProductSet read_sets(const FieldSource& source, const std::string& group) {
  source.require_group(group);
  const std::vector<std::string> kinds = source.words(group + "/kind");
  const auto size = static_cast<Index>(kinds.size());
  const std::string offsets_name = group + "/offsets";
  const std::vector<Index> offsets = source.integers(offsets_name, 0, largest_size);
  source.require_size(offsets_name, static_cast<Index>(offsets.size()), size + 1);
  if (offsets.front() != 0) source.fail(offsets_name, std::to_string(offsets.front()) + " at entry 0", "0");
  std::vector<BlockSet> sets(kinds.size());
  const auto parameter = [&](const Parameter& one) {
    const Eigen::VectorXd value = source.bounds(group + one.name);
    source.require_size(group + one.name, value.size(), size);
    for (std::size_t k = 0; k < sets.size(); ++k) sets[k].*one.entry = value[static_cast<Index>(k)];
  };
  for (const Parameter& one : first_parameters) parameter(one);
  for (const Parameter& one : later_parameters) {
    if (source.has(group + one.name)) parameter(one);
  }
  ProductSet K;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const auto kind = std::find(set_kind_names.begin(), set_kind_names.end(), kinds[k]);
    if (kind == set_kind_names.end()) {
      source.fail(group + "/kind", "an unknown kind at entry " + std::to_string(k), "a set");
    }
    if (offsets[k + 1] <= offsets[k]) {
      source.fail(offsets_name, std::to_string(offsets[k + 1]) + " at entry " + std::to_string(k + 1),
                  "more than " + std::to_string(offsets[k]));
    }
    sets[k].kind = static_cast<SetKind>(kind - set_kind_names.begin());
    K.push_back(sets[k], offsets[k + 1] - offsets[k]);
  }
  return K;
}

bool has_later_parameters(const ProductSet& K) {
  return std::any_of(later_parameters.begin(), later_parameters.end(),
                     [&](const Parameter& parameter) { return differs(K, parameter); });
}

void write_parts(FieldSink& sink, const std::vector<AffineVi::Part>& parts) {
  sink.group("K");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = part_name(i);
    sink.set(name, name_of(parts[i]));
    std::visit(WritePart{sink, name}, parts[i]);
  }
}

std::vector<AffineVi::Part> read_parts(const FieldSource& source) {
  source.require_group("K");
  std::vector<AffineVi::Part> parts;
  for (std::string name = part_name(0); source.has(name); name = part_name(parts.size())) {
    parts.push_back(read_part(source, name));
  }
  return parts;
}

void write_slopes(FieldSink& sink, const std::vector<AffineQuasiVi::Slopes>& slopes) {
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (slopes[i].B.size() > 0) sink.matrix(part_name(i) + "/B", slopes[i].B);
    if (slopes[i].D.size() > 0) sink.matrix(part_name(i) + "/D", slopes[i].D);
  }
}

std::vector<AffineQuasiVi::Slopes> read_slopes(const FieldSource& source, const std::vector<AffineVi::Part>& parts) {
  std::vector<AffineQuasiVi::Slopes> slopes(parts.size());
  bool moves = false;
  const auto take = [&](const std::string& name, Eigen::MatrixXd& matrix) {
    if (!source.has(name)) return;
    matrix = source.dense(name);
    if (matrix.size() == 0) source.fail(name, "no entries", "a row of slopes for each side");
    moves = true;
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!std::holds_alternative<vi::Polyhedron>(parts[i])) continue;
    take(part_name(i) + "/B", slopes[i].B);
    take(part_name(i) + "/D", slopes[i].D);
  }
  if (!moves) slopes.clear();
  return slopes;
}

}  // namespace nonsmooth::problem_files
