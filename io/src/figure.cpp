// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/figure.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <system_error>

#include <internal/check.hpp>
#include <nonsmooth/io/csv.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "gnuplot.hpp"
#include "number.hpp"

namespace nonsmooth {
namespace {

// Okabe & Ito: told apart with any colour vision.
constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};

/// A single-quoted gnuplot string: nothing is substituted in it, a quote is doubled, and it stays on its line.
std::string literal(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result + "'";
}

void append_row(std::string& script, std::initializer_list<double> row) {
  for (const double value : row) {
    if (std::isfinite(value)) {
      append_number(script, value, 7);
    } else {
      script += "NaN";
    }
    script += ' ';
  }
  script += '\n';
}

std::string range(const Axis& axis) {
  const auto end = [](double value) { return std::isfinite(value) ? number(value, 10) : std::string("*"); };
  return "[" + end(axis.low) + ":" + end(axis.high) + "]";
}

void check_lengths(const std::string& what, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  throw InvalidArgument(what, std::to_string(found) + " entries", std::to_string(expected) + ", as many as x");
}

void validate(const Figure& figure, const std::filesystem::path& path) {
  if (path.extension() != ".png" && path.extension() != ".svg") {
    throw InvalidArgument("draw: path", "'" + path.string() + "'", "a file name that ends in .png or .svg");
  }
  const std::string name = path.string();
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    throw InvalidArgument("draw: path", "a control character", "a file name without any");
  }
  check::range("Figure::width", figure.width, 100.0, 10000.0);
  check::range("Figure::height", figure.height, 100.0, 10000.0);
  if (figure.panels.empty()) throw InvalidArgument("Figure::panels", "none", "at least one");
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const std::string where = "Figure::panels[" + std::to_string(p) + "]";
    bool drawn = !panel.disks.x.empty() || !panel.segments.x_0.empty();
    for (std::size_t s = 0; s < panel.series.size(); ++s) {
      const Series& series = panel.series[s];
      check_lengths(where + ".series[" + std::to_string(s) + "].y", series.y.size(), series.x.size());
      drawn = drawn || std::any_of(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
    }
    check_lengths(where + ".disks.y", panel.disks.y.size(), panel.disks.x.size());
    check_lengths(where + ".disks.radius", panel.disks.radius.size(), panel.disks.x.size());
    if (!panel.disks.value.empty())
      check_lengths(where + ".disks.value", panel.disks.value.size(), panel.disks.x.size());
    const SegmentScene& segments = panel.segments;
    check_lengths(where + ".segments.y_0", segments.y_0.size(), segments.x_0.size());
    check_lengths(where + ".segments.x_1", segments.x_1.size(), segments.x_0.size());
    check_lengths(where + ".segments.y_1", segments.y_1.size(), segments.x_0.size());
    check_lengths(where + ".segments.value", segments.value.size(), segments.x_0.size());
    check::positive(where + ".segments.widest", segments.widest);
    for (const double value : segments.value) check::range(where + ".segments.value", value, 0.0, 1e300);
    if (!drawn) throw InvalidArgument(where, "nothing to draw", "a series or disks with finite points");
  }
}

std::string look(Series::Style style, std::size_t colour, double lowest) {
  const std::string paint = std::string(" lc rgb '") + colours[colour % colours.size()] + "'";
  switch (style) {
    case Series::Style::Line:
      return "with lines lw 1.6" + paint;
    case Series::Style::Dashed:
      return "with lines dt 2 lw 1.6" + paint;
    case Series::Style::Steps:
      return "with fsteps lw 1.6" + paint;
    case Series::Style::Points:
      return "with points pt 7 ps 0.5" + paint;
    case Series::Style::Ground:
      return "with filledcurves y1=" + number(lowest, 10) + " fc rgb '#b9b2a6' fs solid 1.0 noborder";
  }
  return "with lines" + paint;
}

/// The segments in classes of one width each, the strongest last. Returns the plot commands.
std::vector<std::string> append_segments(std::string& script, const SegmentScene& scene, const std::string& id) {
  constexpr std::size_t classes = 12;
  std::array<std::vector<std::size_t>, classes> members;
  const double largest = *std::max_element(scene.value.begin(), scene.value.end());
  for (std::size_t i = 0; i < scene.value.size(); ++i) {
    const double share = largest > 0.0 ? scene.value[i] / largest : 0.0;
    members[std::min(static_cast<std::size_t>(share * classes), classes - 1)].push_back(i);
  }
  std::vector<std::string> commands;
  for (std::size_t k = 0; k < classes; ++k) {
    if (members[k].empty()) continue;
    const std::string name = "$" + id + "_segments_" + std::to_string(k);
    script += name + " << EOD\n";
    for (const std::size_t i : members[k])
      append_row(script, {scene.x_0[i], scene.y_0[i], scene.x_1[i] - scene.x_0[i], scene.y_1[i] - scene.y_0[i],
                          scene.value[i]});
    script += "EOD\n";
    const double width = scene.widest * (static_cast<double>(k) + 0.5) / classes;
    commands.push_back(name + " using 1:2:3:4:5 with vectors nohead lw " + number(width, 4) + " lc palette notitle");
  }
  return commands;
}

void append_panel(std::string& script, const Panel& panel, const std::string& id) {
  const DiskScene& disks = panel.disks;
  script += "set xlabel " + literal(panel.x.label) + "\nset ylabel " + literal(panel.y.label) + "\n";
  script += panel.x.logarithmic ? "set logscale x\n" : "unset logscale x\n";
  script += panel.y.logarithmic ? "set logscale y\n" : "unset logscale y\n";
  const bool forces = !panel.segments.x_0.empty();
  const Axis& scale = forces ? panel.segments.colour : disks.colour;
  script += disks.x.empty() && !forces ? "set size noratio\n" : "set size ratio -1\n";
  script += "set cblabel " + literal(scale.label) + "\nset cbrange " + range(scale) + "\n";
  if (forces) script += "set palette defined (0 '#f3dfc1', 0.3 '#e8964f', 0.65 '#b3312c', 1 '#3d0a1e')\n";

  std::string commands;
  const auto add = [&commands](const std::string& command) {
    commands += (commands.empty() ? "" : ", \\\n  ") + command;
  };
  double lowest = panel.y.low;
  std::size_t colour = 0;
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    const std::string name = "$" + id + "_" + std::to_string(s);
    script += name + " << EOD\n";
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      // A number that is not finite makes an empty line: it breaks the curve.
      if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) {
        append_row(script, {series.x[i], series.y[i]});
      } else {
        script += '\n';
      }
    }
    script += "EOD\n";
    if (series.style == Series::Style::Ground && !std::isfinite(lowest)) {
      for (const double y : series.y) lowest = std::isfinite(lowest) ? std::fmin(lowest, y) : y;
    }
    const std::string painted = look(series.style, colour, lowest);
    if (series.style != Series::Style::Ground) ++colour;
    add(name + " using 1:2 " + painted + (series.label.empty() ? " notitle" : " title " + literal(series.label)));
  }
  if (forces)
    for (const std::string& command : append_segments(script, panel.segments, id)) add(command);
  if (!disks.x.empty()) {
    const bool coloured = !disks.value.empty();
    script += "$" + id + "_disks << EOD\n";
    for (std::size_t i = 0; i < disks.x.size(); ++i) {
      append_row(script, {disks.x[i], disks.y[i], disks.radius[i], coloured ? disks.value[i] : 0.0});
    }
    script += "EOD\n";
    add("$" + id +
        (coloured ? "_disks using 1:2:3:4 with circles fs solid 1.0 border lc rgb '#404040' lc palette notitle"
         : forces ? "_disks using 1:2:3 with circles fs empty border lc rgb '#9aa5b1' notitle"
                  : "_disks using 1:2:3 with circles fs solid 0.5 border lc rgb '#0072B2' notitle"));
  }
  script += "plot " + range(panel.x) + " " + range(panel.y) + " " + commands + "\n";
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::filesystem::path& path) {
  validate(figure, path);
  const std::string size = std::to_string(figure.width) + "," + std::to_string(figure.height);
  std::string script = "set encoding utf8\n";
  script += path.extension() == ".png" ? "set terminal pngcairo size " + size + " font 'sans,11' background '#ffffff'\n"
                                       : "set terminal svg size " + size + " font 'sans,14' background '#ffffff'\n";
  script += "set output " + literal(path.string()) + "\n";
  script +=
      "set grid lc rgb '#d0d0d0' lw 1 dt 1\nset border lc rgb '#404040'\nset key top right\nset tics nomirror\n"
      "set palette defined (0 '#2c3e8f', 0.35 '#2a9d8f', 0.7 '#f4c430', 1 '#d1342f')\n";
  const std::size_t count = figure.panels.size();
  if (count > 1) {
    script += "set lmargin 10\nset rmargin 3\nset multiplot layout " + std::to_string(count) + ",1";
    script += figure.title.empty() ? "\n" : " title " + literal(figure.title) + " font 'sans,13'\n";
  } else if (!figure.title.empty()) {
    script += "set title " + literal(figure.title) + " font 'sans,13'\n";
  }
  for (std::size_t p = 0; p < count; ++p) append_panel(script, figure.panels[p], "panel" + std::to_string(p));
  if (count > 1) script += "unset multiplot\n";
  script += "set output\n";  // closes the file
  return script;
}

Picture draw(const Figure& figure, const std::filesystem::path& path) {
  const std::string script = gnuplot_script(figure, std::filesystem::absolute(path));
  std::filesystem::path file = path;
  file += ".gnuplot";
  {
    std::ofstream stream(file, std::ios::binary);
    stream << script;
    stream.close();
    if (!stream) throw FileError(file.string() + ": cannot be written");
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);  // an old picture is no answer
  GnuplotRun run = run_gnuplot(file);
  Picture picture{.path = file, .detail = std::move(run.output)};
  if (!run.found) {
    picture.status = Picture::Status::ScriptOnly;
  } else if (run.success && std::filesystem::exists(path)) {
    picture.status = Picture::Status::Drawn;
    picture.path = path;
    std::filesystem::remove(file, ignored);
  }
  return picture;
}

std::string Picture::message() const {
  switch (status) {
    case Status::Drawn:
      return path.string();
    case Status::ScriptOnly:
      return path.string() + " (a script: no gnuplot was found; 'gnuplot FILE' draws it)";
    case Status::Failed:
      break;
  }
  return path.string() + " (gnuplot did not draw it: " + detail + ")";
}

}  // namespace nonsmooth
