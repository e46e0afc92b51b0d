// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <nonsmooth/io/figure.hpp>

namespace nonsmooth {

/// Okabe and Ito's colours without yellow, which white paper swallows; then darker ones of the same hues, which are
/// dashed as well.
inline constexpr std::array palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#303030",
                                    "#004B75", "#8F3F00", "#00664A", "#8A4670", "#946600", "#2F7FB0", "#757575"};
inline constexpr std::size_t num_plain_colours = 7;

/// Which colour of the palette each series of each panel has; those that take none have palette.size(). A label has one
/// colour in all panels. No other label has it where the labels are no more than colours; else labels of several panels
/// choose first, and what two labels have that no panel shows both of may be one colour.
/// @throws InvalidArgument: a panel with more series than the palette has colours; a label for which its panels leave
/// none.
[[nodiscard]] std::vector<std::vector<std::size_t>> assign_colours(const Figure& figure);

/// How gnuplot draws a series of this style in this colour: "with lines ..."; ground is filled down to `lowest`.
[[nodiscard]] std::string look(Series::Style style, std::size_t colour, double lowest);

}  // namespace nonsmooth
