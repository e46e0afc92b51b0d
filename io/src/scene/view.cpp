// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/view.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include <internal/check.hpp>

#include "../json.hpp"
#include "../markup.hpp"
#include "../number.hpp"
#include "../replaced_file.hpp"
#include "../runs/own_file.hpp"
#include "frames.hpp"
#include "page_bodies.hpp"
#include "page_contacts.hpp"
#include "page_data.hpp"
#include "page_parts.hpp"
#include "page_plots.hpp"

namespace nonsmooth {
namespace {

using scene::Motion;
using scene::PageBodies;
using scene::PageBox;
using scene::PageContacts;
using scene::PageData;
using scene::Placement;

const char* kind_on_page(SceneGeometry::Kind kind) {
  switch (kind) {
    case SceneGeometry::Kind::Mark:
      return "mark";
    case SceneGeometry::Kind::Sphere:
      return "sphere";
    case SceneGeometry::Kind::Box:
      return "box";
    case SceneGeometry::Kind::Capsule:
      return "capsule";
    case SceneGeometry::Kind::Cylinder:
      return "cylinder";
    case SceneGeometry::Kind::Cone:
      return "cone";
    case SceneGeometry::Kind::HalfSpace:
      return "halfspace";
    case SceneGeometry::Kind::Mesh:
      return "mesh";
    case SceneGeometry::Kind::Disk:
      return "disk";
    case SceneGeometry::Kind::Polygon:
      return "polygon";
    case SceneGeometry::Kind::Segment:
      return "segment";
    case SceneGeometry::Kind::HalfPlane:
      return "halfplane";
    case SceneGeometry::Kind::HeightLine:
      return "heightline";
  }
  return "mark";
}

template <class Values>
std::string json_array(const Values& values) {
  std::string text;
  for (const auto value : values) {
    if (!text.empty()) text += ",";
    text += json_number(static_cast<double>(value));
  }
  return "[" + text + "]";
}

std::string geometries_as_json(const Scene& scene) {
  std::string all;
  for (const SceneGeometry& geometry : scene.geometries) {
    JsonObject json;
    json.add("kind", kind_on_page(geometry.kind)).add("size", geometry.size);
    json.add_raw("numbers", json_array(geometry.numbers));
    if (!geometry.points.empty()) {
      std::vector<double> points, triangles;
      for (const Eigen::Vector3d& point : geometry.points) points.insert(points.end(), point.begin(), point.end());
      for (const auto& face : geometry.triangles) triangles.insert(triangles.end(), face.begin(), face.end());
      json.add_raw("points", json_array(points)).add_raw("triangles", json_array(triangles));
    }
    if (!all.empty()) all += ", ";
    all += json.text();
  }
  return "[" + all + "]";
}

/// [geometry, body, x, y, z, and the turn (x, y, z, w)] each; of one that is not there at all frames, from which frame
/// on it is, and from which not any more. `parts`: of the frames.
std::string shapes_as_json(const PageBodies& bodies, const std::vector<Index>& parts) {
  std::string all;
  for (std::size_t s = 0; s < bodies.scene.shapes.size(); ++s) {
    const SceneShape& shape = bodies.scene.shapes[s];
    const auto from = std::lower_bound(parts.begin(), parts.end(), bodies.spans[s].first) - parts.begin();
    const auto to = std::upper_bound(parts.begin(), parts.end(), bodies.spans[s].last) - parts.begin();
    if (from == to) continue;
    const Eigen::Vector3d& p = shape.position;
    const Eigen::Vector4d& q = shape.orientation;
    std::vector<double> numbers{static_cast<double>(shape.geometry),
                                static_cast<double>(shape.body),
                                p.x(),
                                p.y(),
                                p.z(),
                                q[1],
                                q[2],
                                q[3],
                                q[0]};
    if (from > 0 || to < static_cast<std::ptrdiff_t>(parts.size()))
      numbers.insert(numbers.end(), {static_cast<double>(from), static_cast<double>(to)});
    if (!all.empty()) all += ",";
    all += json_array(numbers);
  }
  return "[" + all + "]";
}

std::vector<Index> parts_of(const RunFile& run, const std::vector<Index>& steps) {
  std::vector<Index> parts;
  for (const Index step : steps) parts.push_back(run.part_of(step));
  return parts;
}

std::string names_as_json(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + json_string(name);
  return "[" + all + "]";
}

/// How fast bodies are on a page [m/s].
struct PageSpeeds {
  double typical = 0.0;  ///< a median of the fastest of each frame, a tenth of what 95 % of them are below at least
  double largest = 0.0;  ///< of all that are finite
};

/// `speeds`: of n bodies, frame by frame.
PageSpeeds add_speeds(const std::vector<float>& speeds, std::vector<double> fastest_of_frames, Index n,
                      PageData& data) {
  PageSpeeds page;
  if (!fastest_of_frames.empty()) {
    std::sort(fastest_of_frames.begin(), fastest_of_frames.end());
    const std::size_t count = fastest_of_frames.size();  // of a run that rests most of the time the median is noise
    page.typical = std::max(fastest_of_frames[count / 2], 0.1 * fastest_of_frames[(95 * count) / 100]);
  }
  for (const float speed : speeds) {
    if (std::isfinite(speed)) page.largest = std::max(page.largest, static_cast<double>(speed));
  }
  std::vector<std::uint8_t> codes;
  codes.reserve(speeds.size());
  for (const float speed : speeds) codes.push_back(scene::speed_code(static_cast<double>(speed), page.largest));
  data.add_frames("speeds", codes, n);
  return page;
}

/// Where bodies are at the frames, and how fast.
PageSpeeds add_motion(const RunFile& run, const PageBodies& bodies, const PageBox& box,
                      const std::vector<Index>& frames, PageData& data) {
  const bool plane = bodies.dimension == 2;
  const std::size_t axes = plane ? 2 : 3, n = bodies.names.size(), turning = bodies.turning.size();
  std::vector<std::uint16_t> places(frames.size() * n * axes, 0),
      turns(frames.size() * turning * (plane ? 1 : 3), 32767);
  std::vector<Index> turn_of(n, -1);
  for (std::size_t t = 0; t < turning; ++t)
    turn_of[static_cast<std::size_t>(bodies.turning[t])] = static_cast<Index>(t);
  std::vector<float> speeds(frames.size() * n, 0.0f);
  std::vector<double> fastest_of_frames;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const auto part = static_cast<std::size_t>(run.part_of(frames[f]));
    const Eigen::VectorXd q = run.positions(frames[f]), v = run.unknowns(frames[f]);
    const std::vector<RunSystem>& systems = run.parts()[part].systems;
    double fastest = 0.0;
    for (std::size_t s = 0; s < systems.size(); ++s) {
      const Index body = bodies.of_system[part][s];
      if (body < 0) continue;
      const Placement place = scene::placement_of(q.data() + systems[s].q, systems[s].nq);
      if (!place.is_somewhere()) continue;  // as if not there
      const std::size_t at = f * n + static_cast<std::size_t>(body);
      for (std::size_t k = 0; k < axes; ++k) places[at * axes + k] = box.place(place.position[k], k);
      const Motion motion = scene::motion_of(v.data() + systems[s].z, systems[s].n, systems[s].nq, place);
      const double speed = motion.velocity.norm();
      speeds[at] = static_cast<float>(speed);
      fastest = std::max(fastest, speed);
      const Index t = turn_of[static_cast<std::size_t>(body)];
      if (t < 0) continue;
      if (plane) {
        const double share = place.angle / (2.0 * std::numbers::pi);
        turns[f * turning + static_cast<std::size_t>(t)] =
            static_cast<std::uint16_t>(std::llround(65536.0 * (share - std::floor(share))) & 0xFFFF);
      } else {
        const double sign = place.turn[0] < 0.0 ? -1.0 : 1.0;
        for (std::size_t k = 0; k < 3; ++k) {
          turns[3 * (f * turning + static_cast<std::size_t>(t)) + k] = static_cast<std::uint16_t>(
              std::lround(32767.0 * (sign * std::clamp(place.turn[k + 1], -1.0, 1.0) + 1.0)));
        }
      }
    }
    if (std::isfinite(fastest)) fastest_of_frames.push_back(fastest);
  }
  data.add_frames("places", places, static_cast<Index>(n * axes));
  data.add_frames("turns", turns, static_cast<Index>(turning * (plane ? 1 : 3)));
  return add_speeds(speeds, std::move(fastest_of_frames), static_cast<Index>(n), data);
}

int digits_for(double span) {
  return span > 0.0 ? std::clamp(3 - static_cast<int>(std::floor(std::log10(span))), 0, 9) : 3;
}

/// What a page is of.
struct PageSource {
  const RunFile& run;
  PageBodies bodies;
  std::vector<double> times;
  std::string title, three;
};

/// What is shown of a run.
struct Thinning {
  Index frames = 0, contacts = 0;  ///< at most, and of each frame
  std::string left_out{};          ///< in words
};

struct PageText {
  std::string text;
  Index frames = 0, most_contacts = 0;  ///< of the page; of a frame, those that are not shown among them
  std::string notes{};                  ///< what else it does not show as it is
};

/// The page's scene as JSON, its arrays in `data`; adds to `page` what it says.
std::string describe_page(const PageSource& source, const std::vector<Index>& frames, const Thinning& thinning,
                          PageData& data, PageText& page) {
  const auto& [run, bodies, times, title, three] = source;
  std::vector<double> shown;  // a float at 10^4 s holds no more than milliseconds
  for (const Index step : frames) shown.push_back(times[static_cast<std::size_t>(step)]);
  data.add("times", shown);
  JsonObject json;
  const auto steps = static_cast<Index>(times.size());
  std::string subtitle = run.about().simulation;
  if (!bodies.names.empty()) subtitle += ", " + std::to_string(bodies.names.size()) + " bodies";
  subtitle += ", " + (frames.size() < times.size() ? std::to_string(frames.size()) + " of " : std::string()) +
              std::to_string(steps) + " steps" + (thinning.left_out.empty() ? "" : "; " + thinning.left_out);
  json.add("title", title).add("dimension", bodies.dimension).add("frames", static_cast<Index>(frames.size()));
  json.add("digits", static_cast<Index>(digits_for(times.back() - times.front())));
  if (bodies.dimension > 0) {
    const PageBox box = scene::box_of(run, bodies, frames);
    const auto axes = static_cast<std::size_t>(bodies.dimension);
    json.add_raw("low", json_array(std::span(box.low).first(axes)));
    json.add_raw("high", json_array(std::span(box.high).first(axes)));
    const PageSpeeds speeds = add_motion(run, bodies, box, frames, data);
    json.add("typical_speed", speeds.typical).add("largest_speed", speeds.largest);
    json.add("speed_decades", scene::speed_decades);
    const PageContacts contacts = scene::add_contacts(run, bodies, box, frames, thinning.contacts, data);
    page.most_contacts = contacts.most_found;
    if (page.most_contacts > thinning.contacts) {
      subtitle += "; of up to " + std::to_string(page.most_contacts) + " contacts the " +
                  std::to_string(thinning.contacts) + " with the largest forces";
    }
    json.add("largest_force", contacts.largest).add("typical_force", contacts.typical);
    if (bodies.turning.size() < bodies.names.size()) subtitle += "; turns of round bodies are not shown";
    json.add_raw("outside", json_array(box.outside));
    page.notes = scene::told_outside(box, bodies, times);
  }
  const scene::PagePlots plots = scene::add_plots(run, frames, bodies.of_system, data);
  page.notes += (page.notes.empty() || plots.left_out.empty() ? "" : "; ") + plots.left_out;
  if (!page.notes.empty()) subtitle += "; " + page.notes;
  json.add("subtitle", subtitle);
  json.add_raw("bodies", names_as_json(bodies.names)).add_raw("turning", json_array(bodies.turning));
  json.add_raw("geometries", geometries_as_json(bodies.scene))
      .add_raw("shapes", shapes_as_json(bodies, parts_of(run, frames)));
  json.add_raw("plots", plots.json);
  json.add_raw("arrays", data.arrays_as_json());
  return json.text();
}

/// '<' in a script's text could end it.
std::string without_tags(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

PageText page_of(const PageSource& source, const Thinning& thinning) {
  const std::vector<Index> frames = scene::frames_of(source.times, thinning.frames);
  PageText page{.text = {}, .frames = static_cast<Index>(frames.size())};
  PageData data;
  const std::string json = describe_page(source, frames, thinning, data, page);
  page.text = scene::page_text({.title = escape_markup(source.title),
                                .scene = without_tags(json),
                                .data = data.deflated(),
                                .three = source.three});
  return page;
}

constexpr double kFilled = 0.96;     // of the size that is allowed, as sizes are foreseen by proportion
constexpr Index kFewContacts = 200;  // a frame, which force chains want at least

/// A page of at most so many bytes: with fewer contacts a frame, as the smallest forces say least, then fewer frames.
PageText fitting_page(const PageSource& source, const ViewOptions& options, Thinning& thinning) {
  const double limit = 1e6 * options.megabytes;
  thinning = {.frames = options.frames, .contacts = options.contacts_a_frame};
  PageText page = page_of(source, thinning);
  const auto size = [&page] { return static_cast<double>(page.text.size()); };
  if (const Index shown = std::min(thinning.contacts, page.most_contacts); size() > limit && shown > kFewContacts) {
    const double all = size();
    page = page_of(source, {.frames = options.frames, .contacts = 0});
    const double share = (kFilled * limit - size()) / (all - size());
    thinning.contacts = std::clamp(static_cast<Index>(share * static_cast<double>(shown)), kFewContacts, shown);
    page = page_of(source, thinning);
  }
  while (size() > limit && page.frames > 2) {
    const auto fewer = static_cast<Index>(kFilled * limit / size() * static_cast<double>(page.frames));
    thinning.frames = std::clamp<Index>(fewer, 2, page.frames - 1);
    thinning.left_out = "more would take over " + number(options.megabytes, 4) + " MB";
    page = page_of(source, thinning);
  }
  return page;
}

void write_page(const std::string& page, const std::filesystem::path& path) {
  replace_file(path, [&](std::ostream& file) { file << page; });
}

}  // namespace

void ViewOptions::validate() const {
  check::at_least("ViewOptions::frames", frames, 2);
  check::positive("ViewOptions::megabytes", megabytes);
  check::at_least("ViewOptions::contacts_a_frame", contacts_a_frame, 0);
}

ViewReport write_view(const RunFile& run, const std::filesystem::path& page, const ViewOptions& options) {
  options.validate();
  refuse_own_file(run, page, "write_view: page");
  const std::vector<double> times = run.times();
  if (times.empty()) throw InvalidArgument("write_view: run", "a run without steps", "one with at least one");
  std::string title = options.title.empty() ? run.about().name : options.title;
  if (title.empty()) title = run.parts().front().path.stem().string();
  const PageSource source{.run = run,
                          .bodies = scene::page_bodies(run),
                          .times = times,
                          .title = std::move(title),
                          .three = scene::read_three(options.three)};
  Thinning thinning;
  const PageText made = fitting_page(source, options, thinning);
  write_page(made.text, page);
  ViewReport view{
      .frames = made.frames, .steps = static_cast<Index>(times.size()), .bytes = made.text.size(), .left_out = {}};
  view.left_out = thinning.left_out;
  if (static_cast<double>(made.text.size()) > 1e6 * options.megabytes)
    view.left_out = "two frames alone take over " + number(options.megabytes, 4) + " MB";
  if (made.most_contacts > thinning.contacts) {
    view.left_out += (view.left_out.empty() ? "of " : "; of ") + std::to_string(made.most_contacts) +
                     " contacts those with the " + std::to_string(thinning.contacts) + " largest forces are shown";
  }
  if (!made.notes.empty()) view.left_out += (view.left_out.empty() ? "" : "; ") + made.notes;
  return view;
}

}  // namespace nonsmooth
