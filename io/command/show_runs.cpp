// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include <nonsmooth/io/figure.hpp>
#include <nonsmooth/io/run_file.hpp>
#include <nonsmooth/io/run_series.hpp>
#include <nonsmooth/io/view.hpp>
#include <nonsmooth/numerics/error.hpp>

#include "number.hpp"
#include "subcommands.hpp"

namespace nonsmooth::command {
namespace {

/// gnuplot's enhanced text takes _ and ^ for indices.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '_' || c == '^' || c == '{' || c == '}' || c == '@' || c == '&' || c == '~') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

ExitCode plot(const PlotArguments& arguments, const Streams& streams) {
  const RunFile run(arguments.file);
  Panel panel;
  const std::vector<double> x = series_of(run, arguments.x);
  panel.x.label = arguments.x == "t" ? "time [s]" : plain(arguments.x);
  panel.y.logarithmic = arguments.logarithmic;
  if (arguments.names.size() == 1) panel.y.label = plain(arguments.names.front());
  for (const std::string& name : arguments.names) {
    panel.series.push_back({.x = x, .y = series_of(run, name), .label = arguments.names.size() > 1 ? plain(name) : ""});
  }
  const Picture picture = draw({.title = plain(run.about().name), .panels = {std::move(panel)}}, arguments.output);
  if (picture.status == Picture::Status::Drawn) return success;
  streams.say(picture.message());
  return bad_input;
}

ExitCode view(const ViewArguments& arguments, const Streams& streams) {
  const RunFile run(arguments.file);
  const ViewReport page = write_view(run, arguments.output,
                                     {.title = arguments.title,
                                      .frames = arguments.frames,
                                      .megabytes = arguments.megabytes,
                                      .three = arguments.three});
  streams.out << arguments.output << ": " << page.frames << " of " << page.steps << " steps, "
              << number(static_cast<double>(page.bytes) / 1e6, 3) << " MB";
  if (!page.left_out.empty()) streams.out << "; " << page.left_out;
  streams.out << '\n';
  return success;
}

}  // namespace nonsmooth::command
