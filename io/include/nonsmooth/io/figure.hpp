// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace nonsmooth {

/// An axis of a picture; bounds that are NaN come from the data. Labels name the unit: "height [m]".
struct Axis {
  std::string label{};
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  bool logarithmic = false;
};

/// Points (x_i, y_i) and how they are joined. NaN breaks a line.
///
/// Colours come from one palette that is told apart with any colour vision, and none serves twice: in a figure each
/// label has one colour in all panels and no other label has it; series without a label take what their panel leaves
/// free. Behind the seventh colour come seven darker ones, dashed; a panel has at most fourteen. A figure with more
/// labels than that begins anew in each panel.
struct Series {
  enum class Style : unsigned char {
    Line,
    Dashed,
    Steps,    ///< horizontal before the point, as multipliers are over a step
    Points,   ///< small, for many
    Markers,  ///< large, for few
    Bodies,   ///< closed outlines, NaN between them, filled lightly
    Guide,    ///< thin, grey and behind all others: a bound, a slope, a closed form; takes no colour of the palette
    Ground    ///< filled from the curve downwards; takes no colour either
  };

  std::vector<double> x{}, y{};
  std::string label{};  ///< in the legend; empty: not there
  Style style = Style::Line;
};

/// Disks to scale, coloured by a value each; the axes get one unit of length.
struct DiskScene {
  std::vector<double> x{}, y{}, radius{};  ///< in the unit of the x axis
  std::vector<double> value{};             ///< one a disk, or none: one colour
  Axis colour{};                           ///< of the values: label with its unit, bounds
};

/// Straight segments from (x_0, y_0) to (x_1, y_1), the wider and darker the larger their value, e.g. the forces
/// between bodies; under the disks, which are outlines then. The axes get one unit of length.
struct SegmentScene {
  std::vector<double> x_0{}, y_0{}, x_1{}, y_1{};
  std::vector<double> value{};  ///< >= 0, one a segment
  double widest = 9.0;          ///< of the largest value [pixels], > 0
  Axis colour{};                ///< of the values: label with its unit
};

/// One pair of axes. The legend stands above them, so that it covers no data; where all panels of a figure would have
/// the same, once above them all.
struct Panel {
  Axis x{}, y{};
  std::vector<Series> series{};
  DiskScene disks{};
  SegmentScene segments{};
  bool same_units = false;  ///< the axes get one unit of length, as those of disks and segments do
};

/// A picture of one or more panels, row by row.
///
///     draw({.title = "Ball", .panels = {{.x = {.label = "time [s]"}, .y = {.label = "height [m]"},
///                                        .series = {{.x = table.column("t"), .y = table.column("q")}}}}}, "ball");
///
/// Text is gnuplot's enhanced text: v_C, 10^{-3}; no other command in it is ever run. Panels of time series, phase
/// portraits, orders of convergence, profiles and spectra are made by `nonsmooth/io/panels.hpp`.
struct Figure {
  std::string title{};
  std::vector<Panel> panels{};
  int width = 900, height = 600;  ///< [pixels]
  int columns = 1;                ///< how many panels a row has
};

/// What became of a picture.
struct Picture {
  enum class Status : unsigned char {
    Drawn,       ///< `svg` and `png` are there
    ScriptOnly,  ///< there is no gnuplot here: `script`, data within, draws both elsewhere
    Failed,      ///< gnuplot ran and did not draw: `script` is what it was given, `detail` what it said
  };
  Status status = Status::Failed;
  std::filesystem::path svg{}, png{};  ///< where both are, or would be
  std::filesystem::path script{};      ///< empty once they are drawn
  std::string detail{};

  explicit operator bool() const noexcept { return status == Status::Drawn; }
  [[nodiscard]] std::string message() const;  ///< one line: what is where
};

/// Draws STEM.svg and STEM.png by the program gnuplot. An ending .svg or .png of `stem` is left off first. Older ones
/// stay until both are drawn. A script that is left is STEM.gnuplot, in the place of one that draw() left earlier;
/// where a file of another kind has that name, it is STEM.nonsmooth.gnuplot.
/// @throws InvalidArgument: no panel, no file name or one of another kind of picture (.pdf), x and y (radius, value) of
/// different lengths, a width or value of segments that is negative or no number, an empty picture, more than fourteen
/// colours in a panel, a size below 100 or above 10,000 pixels, columns below 1, control characters in the path;
/// FileError where nothing can be written.
[[nodiscard]] Picture draw(const Figure& figure, const std::filesystem::path& stem);

/// The gnuplot script, data within, that draw() runs. @throws as draw.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, const std::filesystem::path& stem);

/// `text` as gnuplot's enhanced text shows it letter by letter: names with _ and ^ in them.
[[nodiscard]] std::string plain_text(std::string_view text);

}  // namespace nonsmooth
