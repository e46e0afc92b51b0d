// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include <nonsmooth/kernel/contact_source.hpp>
#include <nonsmooth/kernel/disk_contacts.hpp>
#include <nonsmooth/kernel/drawn_shape.hpp>
#include <nonsmooth/kernel/filtered_contacts.hpp>
#include <nonsmooth/kernel/shape_contacts.hpp>

#include "fingerprint_parts.hpp"

namespace nonsmooth::fingerprint {
namespace {

/// Numbers of shapes, each behind the number of its kind.
class ShapeHash {
 public:
  explicit ShapeHash(const Layout& layout) : layout_(layout) {}

  void add(const DrawnShape& drawn) {
    const bool ground = drawn.body == SystemHandle{};
    hash_.add(ground ? ~std::uint64_t{0} : static_cast<std::uint64_t>(layout_.index(drawn.body)));
    std::visit([this](const auto& shape) { placed(shape); }, drawn.shape);
  }
  [[nodiscard]] std::string text() const { return hash_.text(); }

 private:
  template <class Shape>
  void common(const Shape& shape) {
    hash_.add(static_cast<std::uint64_t>(shape.shape.index()));
    std::visit([this](const auto& own) { this->add_shape(own); }, shape.shape);
    hash_.add(shape.position);
    hash_.add(static_cast<std::uint64_t>(shape.material));
    hash_.add((std::uint64_t{shape.groups} << 32) | shape.mask);
    hash_.add(std::uint64_t{shape.surface_velocity ? 1U : 0U} | std::uint64_t{shape.surface_spin ? 2U : 0U});
  }
  void placed(const ShapeOnBody& shape) {
    common(shape);
    hash_.add(shape.orientation);
    hash_.add(shape.grain);
    const Eigen::Vector3d origin = shape.position;
    if (shape.surface_velocity) hash_.add(Eigen::Vector3d(shape.surface_velocity(origin, 0.0)));
    if (shape.surface_spin) hash_.add(Eigen::Vector3d(shape.surface_spin(origin, 0.0)));
  }
  void placed(const PlanarShapeOnBody& shape) {
    common(shape);
    hash_.add(shape.angle);
    const Eigen::Vector2d origin = shape.position;
    if (shape.surface_velocity) hash_.add(Eigen::Vector2d(shape.surface_velocity(origin, 0.0)));
    if (shape.surface_spin) hash_.add(shape.surface_spin(origin, 0.0));
  }
  void placed(const FloorProfile& floor) {
    hash_.add(static_cast<std::uint64_t>(floor.material));
    hash_.add(floor.highest);
    for (const auto* function : {&floor.height, &floor.slope, &floor.curvature})
      hash_.add(*function ? (*function)(0.0) : 0.0);
    hash_.add(floor.surface_velocity ? floor.surface_velocity(0.0, 0.0) : 0.0);
  }

  void add_shape(const Sphere& own) { hash_.add(own.radius); }
  void add_shape(const HalfSpace& own) { hash_.add(own.normal), hash_.add(own.offset); }
  void add_shape(const Box& own) { hash_.add(own.half_extents); }
  void add_shape(const Capsule& own) { hash_.add(own.radius), hash_.add(own.half_length); }
  void add_shape(const Cylinder& own) { hash_.add(own.radius), hash_.add(own.half_length); }
  void add_shape(const Cone& own) { hash_.add(own.radius), hash_.add(own.height), hash_.add(own.top_radius); }
  void add_shape(const ConvexPolyhedron& own) { points(own.vertices()); }
  void add_shape(const TriangleMesh& own) { surface(own); }
  void add_shape(const HeightField& own) { surface(own); }
  void add_shape(const Disk& own) { hash_.add(own.radius); }
  void add_shape(const ConvexPolygon& own) { points(own.vertices), hash_.add(own.rounding); }
  void add_shape(const PlanarSegment& own) { hash_.add(own.from), hash_.add(own.to), hash_.add(own.rounding); }
  void add_shape(const HalfPlane& own) { hash_.add(own.normal), hash_.add(own.offset); }
  void add_shape(const HeightLine& own) { points(own.points); }

  template <class Points>
  void points(const Points& list) {
    hash_.add(static_cast<std::uint64_t>(list.size()));
    for (const auto& point : list) hash_.add(point);
  }
  template <class Mesh>
  void surface(const Mesh& mesh) {
    points(mesh.vertices());
    for (const auto& triangle : mesh.triangles()) {
      for (const Index corner : triangle) hash_.add(static_cast<std::uint64_t>(corner));
    }
  }

  const Layout& layout_;
  Hash hash_;
};

std::string bodies_text(const ContactSource& source, const Layout& layout) {
  Hash hash;
  for (const SystemHandle body : source.bodies()) hash.add(static_cast<std::uint64_t>(layout.index(body)));
  return std::to_string(source.bodies().size()) + " of hash " + hash.text();
}

std::string laws_text(const ContactSource& source) {
  std::string text;
  for (const Law& law : source.laws())
    text += (text.empty() ? "" : " | ") + law_text(describe::prepare_law(law.pointer(), {}));
  return text;
}

/// Of the law of each pair of materials.
std::string materials_text(const ContactMaterials& pairs) {
  Hash hash;
  const Index n = pairs.num_materials();
  for (Index i = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j) hash.add(static_cast<std::uint64_t>(pairs.law(i, j)));
  }
  return std::to_string(n) + " materials of hash " + hash.text();
}

std::string excluded_text(const std::vector<std::array<Index, 2>>& pairs) {
  Hash hash;
  for (const auto& [first, second] : pairs) {
    hash.add(static_cast<std::uint64_t>(first));
    hash.add(static_cast<std::uint64_t>(second));
  }
  return std::to_string(pairs.size()) + " of hash " + hash.text();
}

/// What says which law a contact has, and which bodies have none, of the sources that are told so in advance.
void add_pairs(const ContactSource& source, Line& line) {
  const ContactSource& own = FilteredContacts::under(source);
  if (const auto* const shapes = dynamic_cast<const ShapeContacts*>(&own)) {
    line.add("pairs", materials_text(shapes->material_pairs()));
    line.add("excluded pairs", excluded_text(shapes->excluded_pairs()));
  } else if (const auto* const disks = dynamic_cast<const DiskContacts*>(&own)) {
    line.add("pairs", materials_text(disks->material_pairs()));
  }
}

std::string found_text(const ContactSource& source, const State& start) {
  const ContactBatches found = contacts_at(start, source);
  Hash hash;
  for (const ContactBatch& batch : found) {
    hash.add(static_cast<std::uint64_t>(batch.rows));
    for (const DetectedContact& contact : batch.contacts) {
      hash.add(contact.feature);
      hash.add(static_cast<std::uint64_t>(contact.law));
      hash.add(contact.gap);
    }
    for (const double entry : batch.H) hash.add(entry);
    for (const double entry : batch.h_t) hash.add(entry);
  }
  return std::to_string(found.num_contacts()) + " contacts of hash " + hash.text();
}

}  // namespace

std::string shapes_text(const ContactSource& source, const Layout& layout) {
  ShapeHash hash(layout);
  const std::vector<DrawnShape> shapes = source.drawn_shapes();
  for (const DrawnShape& shape : shapes) hash.add(shape);
  return std::to_string(shapes.size()) + " of hash " + hash.text();
}

std::string line_of(Index number, const ContactSource& source, const State& start) {
  const Layout& layout = *start.layout();
  Line line("source " + std::to_string(number));
  line.add("class", class_name(typeid(source)))
      .add("bodies", asked([&] { return bodies_text(source, layout); }))
      .add("laws", asked([&] { return laws_text(source); }));
  add_pairs(source, line);
  return line.add("shapes", asked([&] { return shapes_text(source, layout); }))
      .add("found at the initial values", asked([&] { return found_text(source, start); }))
      .add("patch bits", static_cast<Index>(source.patch_bits()))
      .add("of time", source.depends_on_time() ? "yes" : "no")
      .take();
}

}  // namespace nonsmooth::fingerprint
