// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include <internal/check.hpp>
#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "extents.hpp"
#include "legend.hpp"
#include "looks.hpp"
#include "number.hpp"
#include "script.hpp"

namespace nonsmooth {
namespace {

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

void validate(const Panel& panel, const std::string& where) {
  bool drawn = !panel.disks.x.empty() || !panel.segments.x_0.empty();
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    check_lengths(where + ".series[" + std::to_string(s) + "].y", series.y.size(), series.x.size());
    drawn = drawn || std::any_of(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
  }
  check_lengths(where + ".disks.y", panel.disks.y.size(), panel.disks.x.size());
  check_lengths(where + ".disks.radius", panel.disks.radius.size(), panel.disks.x.size());
  if (!panel.disks.value.empty()) check_lengths(where + ".disks.value", panel.disks.value.size(), panel.disks.x.size());
  const SegmentScene& segments = panel.segments;
  check_lengths(where + ".segments.y_0", segments.y_0.size(), segments.x_0.size());
  check_lengths(where + ".segments.x_1", segments.x_1.size(), segments.x_0.size());
  check_lengths(where + ".segments.y_1", segments.y_1.size(), segments.x_0.size());
  check_lengths(where + ".segments.value", segments.value.size(), segments.x_0.size());
  check::positive(where + ".segments.widest", segments.widest);
  for (const double value : segments.value) check::range(where + ".segments.value", value, 0.0, 1e300);
  if (!drawn) throw InvalidArgument(where, "nothing to draw", "a series or disks with finite points");
}

void validate(const Figure& figure, const std::filesystem::path& stem) {
  const std::string name = stem.string();
  if (!stem.has_filename()) throw InvalidArgument("draw: stem", "'" + name + "'", "a file name");
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    throw InvalidArgument("draw: stem", "a control character", "a file name without any");
  }
  for (const char* other : {".pdf", ".eps", ".ps", ".jpg", ".jpeg", ".gif"}) {
    if (stem.extension() == other)
      throw InvalidArgument("draw: stem", "'" + name + "'", "SVG and PNG: no other ending");
  }
  check::range("Figure::width", figure.width, 100.0, 10000.0);
  check::range("Figure::height", figure.height, 100.0, 10000.0);
  check::at_least("Figure::columns", figure.columns, 1);
  if (figure.panels.empty()) throw InvalidArgument("Figure::panels", "none", "at least one");
  for (std::size_t p = 0; p < figure.panels.size(); ++p)
    validate(figure.panels[p], "Figure::panels[" + std::to_string(p) + "]");
}

/// The data blocks of a panel, and its plot command: what lies in front comes later.
struct Layers {
  std::string& script;
  std::string commands{};

  void block(const std::string& name) { script += name + " << EOD\n"; }
  void end() { script += "EOD\n"; }
  void add(const std::string& command) { commands += (commands.empty() ? "" : ", \\\n  ") + command; }
};

/// The segments in classes of one width each, the strongest last.
void add_segments(Layers& layers, const SegmentScene& scene, const std::string& id) {
  constexpr std::size_t classes = 12;
  std::array<std::vector<std::size_t>, classes> members;
  const double largest = *std::max_element(scene.value.begin(), scene.value.end());
  for (std::size_t i = 0; i < scene.value.size(); ++i) {
    const double share = largest > 0.0 ? scene.value[i] / largest : 0.0;
    members[std::min(static_cast<std::size_t>(share * classes), classes - 1)].push_back(i);
  }
  for (std::size_t k = 0; k < classes; ++k) {
    if (members[k].empty()) continue;
    const std::string name = "$" + id + "_segments_" + std::to_string(k);
    layers.block(name);
    for (const std::size_t i : members[k])
      append_row(layers.script, {scene.x_0[i], scene.y_0[i], scene.x_1[i] - scene.x_0[i], scene.y_1[i] - scene.y_0[i],
                                 scene.value[i]});
    layers.end();
    const double width = scene.widest * (static_cast<double>(k) + 0.5) / classes;
    layers.add(name + " using 1:2:3:4:5 with vectors nohead lw " + number(width, 4) + " lc palette notitle");
  }
}

void add_disks(Layers& layers, const DiskScene& disks, const std::string& id, bool outlines) {
  const bool coloured = !disks.value.empty();
  const std::string name = "$" + id + "_disks";
  layers.block(name);
  for (std::size_t i = 0; i < disks.x.size(); ++i)
    append_row(layers.script, {disks.x[i], disks.y[i], disks.radius[i], coloured ? disks.value[i] : 0.0});
  layers.end();
  layers.add(name + (coloured ? " using 1:2:3:4 with circles fs solid 1.0 border lc rgb '#404040' lc palette notitle"
                     : outlines
                         ? " using 1:2:3 with circles fs empty border lc rgb '#9aa5b1' notitle"
                         : " using 1:2:3 with circles fc rgb '#a6cbe3' fs solid 1.0 border lc rgb '#004b75' notitle"));
}

double lowest_of(const Panel& panel, const Series& ground) {
  double lowest = panel.y.low;
  if (std::isfinite(lowest)) return lowest;
  for (const double y : ground.y) lowest = std::isfinite(lowest) ? std::fmin(lowest, y) : y;
  return lowest;
}

/// Guides lie behind the data and stand behind them in the legend. `names`: they stand in a legend of the panel's own.
void add_series(Layers& layers, const Panel& panel, const std::vector<std::size_t>& colours, const std::string& id,
                bool names) {
  std::string front, guide_names;
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    const std::string name = "$" + id + "_" + std::to_string(s);
    layers.block(name);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      // A number that is not finite makes an empty line: it breaks the curve.
      if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) {
        append_row(layers.script, {series.x[i], series.y[i]});
      } else {
        layers.script += '\n';
      }
    }
    layers.end();
    const std::string painted =
        look(series.style, colours[s], series.style == Series::Style::Ground ? lowest_of(panel, series) : 0.0);
    const bool named = names && !series.label.empty();
    const std::string title = named ? " title " + literal(series.label) : " notitle";
    if (series.style == Series::Style::Guide) {
      layers.add(name + " using 1:2 " + painted + " notitle");
      if (named) guide_names += ", \\\n  NaN " + painted + title;
    } else {
      front += ", \\\n  " + name + " using 1:2 " + painted + title;
    }
  }
  front += guide_names;
  if (!front.empty())
    layers.commands += layers.commands.empty() ? front.substr(front.find_first_not_of(", \\\n")) : front;
}

/// How large a panel is drawn: [pixels] of its cell, less what labels, legend and numbers take.
struct Cell {
  double width = 0.0, height = 0.0;
};

std::string tics(const char* axis, double step) {
  return std::string("set ") + axis + "tics " + (step > 0.0 ? number(step, 10) : std::string("autofreq")) + "\n";
}

/// Numbers stand some 28 pixels apart upwards, 90 to the right, and are ten at most, so that they are read.
void append_tics(std::string& text, const Panel& panel, const Extents& extents, const Cell& cell, bool to_scale) {
  double height = cell.height;
  if (to_scale) {
    const double scale = cell.width / (extents.x.high - extents.x.low);
    if (std::isfinite(scale)) height = std::min(height, scale * (extents.y.high - extents.y.low));
  }
  const double across = std::clamp(cell.width / 90.0, 2.0, 10.0), up = std::clamp(height / 28.0, 2.0, 10.0);
  text += tics("x", panel.x.logarithmic ? 0.0 : tic_step(extents.x, across));
  text += tics("y", panel.y.logarithmic ? 0.0 : tic_step(extents.y, up));
  text += tics("cb", tic_step(extents.colour, up));
}

void append_axis(std::string& script, const Axis& axis, const Extent& extent, const std::string& name) {
  script += "set " + name + "label " + literal(axis.label) + "\n";
  script += (axis.logarithmic ? "set logscale " : "unset logscale ") + name + "\n";
  // Beside a logarithmic axis powers of ten, where numbers would be long.
  const bool powers = axis.logarithmic && !(extent.low >= 9e-4 && extent.high <= 1.1e4);
  script += "set format " + name + (powers ? " '10^{%T}'\n" : " '%g'\n");
}

constexpr const char* kKey = "horizontal Left reverse samplen 2.4 spacing 1.15 width 1\n";

/// Data blocks go to `script`; returned is what draws the panel.
std::string panel_commands(std::string& script, const Panel& panel, const std::vector<std::size_t>& colours,
                           const std::string& id, const Cell& cell, bool has_legend) {
  const DiskScene& disks = panel.disks;
  const Extents extents = extents_of(panel);
  const bool forces = !panel.segments.x_0.empty(), scale = forces || !disks.value.empty();
  const Axis& colour = forces ? panel.segments.colour : disks.colour;
  std::string text;
  append_axis(text, panel.x, extents.x, "x");
  append_axis(text, panel.y, extents.y, "y");
  const bool to_scale = !disks.x.empty() || forces || panel.same_units;
  text += to_scale ? "set size ratio -1\n" : "set size noratio\n";
  append_tics(text, panel, extents, cell, to_scale);
  text += "set cblabel " + literal(colour.label) + "\nset cbrange " + range(colour) + "\n";
  // Both grow darker or lighter along the scale, whatever the colour vision; the second is viridis.
  text += forces ? "set palette defined (0 '#f3dfc1', 0.3 '#e8964f', 0.65 '#b3312c', 1 '#3d0a1e')\n"
                 : "set palette defined (0 '#440154', 0.143 '#46327e', 0.286 '#365c8d', 0.429 '#277f8e', "
                   "0.571 '#1fa187', 0.714 '#4ac16d', 0.857 '#a0da39', 1 '#fde725')\n";
  text += scale ? "unset rmargin\n" : "set rmargin 3\n";
  const bool legend = has_legend && !legend_of(panel, colours).empty();
  text += legend ? std::string("set key tmargin left ") + kKey : std::string("unset key\n");
  Layers layers{script};
  add_series(layers, panel, colours, id, has_legend);
  if (forces) add_segments(layers, panel.segments, id);
  if (!disks.x.empty()) add_disks(layers, disks, id, forces);
  // Whole disks are shown: gnuplot would look at their centres alone.
  const auto shown = [&](const Axis& axis, const Extent& extent) {
    return range(disks.x.empty() ? axis : Axis{.low = extent.low, .high = extent.high});
  };
  return text + "plot " + shown(panel.x, extents.x) + " " + shown(panel.y, extents.y) + " " + layers.commands + "\n";
}

/// What all panels have.
constexpr const char* kFrame =
    "set grid lt 1 lc rgb '#e2e2e2' lw 0.7\nset border 3 lc rgb '#404040' lw 1\n"
    "set tics nomirror out scale 0.6 textcolor rgb '#303030'\nset lmargin 10\n";

/// Where the panels of a figure lie, row by row, below its title and a legend of them all.
class Places {
 public:
  Places(const Figure& figure, const std::vector<LegendEntry>& legend)
      : columns_(std::min(figure.columns, static_cast<int>(figure.panels.size()))),
        rows_((static_cast<int>(figure.panels.size()) + columns_ - 1) / columns_),
        width_(figure.width),
        height_(figure.height),
        shared_(!legend.empty()) {
    if (!shared_) return;
    title_ = figure.title.empty() ? 4.0 : 34.0;
    legend_ = 22.0 * legend_rows(legend, figure.width - static_cast<int>(kLeft + kRight));
  }

  [[nodiscard]] Cell cell() const {
    return {static_cast<double>(width_) / columns_ - 100.0,
            (height_ - title_ - legend_) / rows_ - (shared_ ? 60.0 : 80.0)};
  }
  /// gnuplot's own layout, where each panel has its legend.
  [[nodiscard]] std::string layout() const {
    return shared_ ? "" : " layout " + std::to_string(rows_) + "," + std::to_string(columns_);
  }
  [[nodiscard]] std::string of_panel(std::size_t number) const {
    if (!shared_) return "";
    const int row = static_cast<int>(number) / columns_, column = static_cast<int>(number) % columns_;
    const double high = (1.0 - (title_ + legend_) / height_) / rows_;
    return place(static_cast<double>(column) / columns_, high * (rows_ - 1 - row), 1.0 / columns_, high);
  }
  [[nodiscard]] std::string of_legend() const {
    return place(kLeft / width_, 1.0 - (title_ + legend_) / height_, 1.0 - (kLeft + kRight) / width_,
                 legend_ / height_);
  }

 private:
  static std::string place(double x, double y, double width, double height) {
    return "set origin " + number(x, 6) + "," + number(y, 6) + "\nset size " + number(width, 6) + "," +
           number(height, 6) + "\n";
  }

  static constexpr double kLeft = 80.0, kRight = 20.0;  // what stands beside axes [pixels]

  int columns_, rows_;
  double width_, height_;
  bool shared_;
  double title_ = 0.0, legend_ = 0.0;  // [pixels] upwards
};

/// Draws a legend in a place of its own, by a plot of nothing, and puts back what panels have.
std::string legend_commands(const std::vector<LegendEntry>& legend, const Places& places) {
  std::string text =
      places.of_legend() +
      // Tics without lengths and numbers: once unset, they would come back on all four sides.
      "set size noratio\nunset logscale\nunset border\nset tics scale 0\nset format ''\nunset grid\nunset xlabel\n"
      "unset ylabel\nset lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\nset key inside center center " +
      std::string(kKey) + "plot [0:1][0:1] ";
  for (std::size_t i = 0; i < legend.size(); ++i)
    text += (i > 0 ? ", \\\n  " : "") + std::string("NaN ") + legend[i].look + " title " + literal(legend[i].label);
  return text + "\nunset tmargin\nunset bmargin\n" + kFrame;
}

}  // namespace

PicturePaths picture_paths(const std::filesystem::path& stem) {
  std::filesystem::path base = stem;
  if (base.extension() == ".png" || base.extension() == ".svg") base.replace_extension();
  const auto with = [&base](const char* extension) {
    std::filesystem::path path = base;
    return path += extension;
  };
  return {with(".svg"), with(".png"), with(".gnuplot")};
}

std::string gnuplot_script(const Figure& figure, const std::filesystem::path& stem) {
  validate(figure, stem);
  const PicturePaths paths = picture_paths(stem);
  const std::vector<std::vector<std::size_t>> colours = assign_colours(figure);
  const std::vector<LegendEntry> shared = shared_legend(figure, colours);
  const Places places(figure, shared);
  std::string script = std::string("set encoding utf8\n") + kFrame, panels;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    panels += places.of_panel(p);
    panels += panel_commands(script, figure.panels[p], colours[p], "panel" + std::to_string(p), places.cell(),
                             shared.empty());
  }
  if (!shared.empty()) panels += legend_commands(shared, places);
  const auto append = [&](const std::string& terminal, const std::filesystem::path& path, const std::string& font) {
    script += "set terminal " + terminal + " enhanced size " + std::to_string(figure.width) + "," +
              std::to_string(figure.height) + " background '#ffffff'\nset output " + literal(path.string()) +
              "\nset multiplot" + places.layout();
    if (!figure.title.empty()) script += " title " + literal(figure.title) + " font '," + font + "' offset 0,0.35";
    script += "\n" + panels + "unset multiplot\nset output\n";  // the last closes the file
  };
  // Letters of 14 pixels, titles of 17, in both; so are dashes and markers of one size.
  append("svg font 'sans-serif,14'", paths.svg, "17");
  append("pngcairo font 'sans,10.5' dashlength 2 pointscale 1.3", paths.png, "12.5");
  return script;
}

std::string plain_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("_^{}@&~\\").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

}  // namespace nonsmooth
