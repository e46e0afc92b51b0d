// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>
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
struct Series {
  enum class Style : unsigned char {
    Line,
    Dashed,
    Steps,
    Points,
    Ground
  };  ///< Ground: filled from the curve downwards

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

struct Panel {
  Axis x{}, y{};
  std::vector<Series> series{};
  DiskScene disks{};
  SegmentScene segments{};
};

/// A picture of one or more panels, one below the other.
///
///     draw({.title = "Ball", .panels = {{.x = {.label = "time [s]"}, .y = {.label = "height [m]"},
///                                        .series = {{.x = table.column("t"), .y = table.column("q")}}}}}, "ball.png");
///
/// Text is gnuplot's enhanced text: v_C, 10^{-3}; no other command in it is ever run.
struct Figure {
  std::string title{};
  std::vector<Panel> panels{};
  int width = 900, height = 600;  ///< [pixels]
};

/// What became of a picture.
struct Picture {
  enum class Status : unsigned char {
    Drawn,       ///< `path` is the picture
    ScriptOnly,  ///< there is no gnuplot here: `path` is a gnuplot script, data within, that draws it elsewhere
    Failed,      ///< gnuplot ran and did not draw: `path` is the script, `detail` what gnuplot said
  };
  Status status = Status::Failed;
  std::filesystem::path path{};
  std::string detail{};

  explicit operator bool() const noexcept { return status == Status::Drawn; }
  [[nodiscard]] std::string message() const;  ///< one line: what is where
};

/// Draws by the program gnuplot. The extension decides: .png or .svg.
/// @throws InvalidArgument: another extension, no panel, x and y (radius, value) of different lengths, a width or value
/// of segments that is negative or no number, an empty
/// picture, a size below 100 or above 10,000 pixels, control characters in the path; FileError where nothing can be
/// written.
[[nodiscard]] Picture draw(const Figure& figure, const std::filesystem::path& path);

/// The gnuplot script, data within, that draws() runs. @throws as draw.
[[nodiscard]] std::string gnuplot_script(const Figure& figure, const std::filesystem::path& path);

}  // namespace nonsmooth
