// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/figure.hpp>

#include <fstream>
#include <system_error>

#include <nonsmooth/io/csv.hpp>

#include "gnuplot.hpp"
#include "script.hpp"

namespace nonsmooth {

Picture draw(const Figure& figure, const std::filesystem::path& stem) {
  const std::string script = gnuplot_script(figure, std::filesystem::absolute(stem));
  auto [svg, png, file] = picture_paths(stem);
  {
    std::ofstream stream(file, std::ios::binary);
    stream << script;
    stream.close();
    if (!stream) throw FileError(file.string() + ": cannot be written");
  }
  std::error_code ignored;
  for (const auto& path : {svg, png}) std::filesystem::remove(path, ignored);  // an old picture is no answer
  GnuplotRun run = run_gnuplot(file);
  Picture picture{.svg = svg, .png = png, .script = file, .detail = std::move(run.output)};
  if (!run.found) {
    picture.status = Picture::Status::ScriptOnly;
  } else if (run.success && std::filesystem::exists(svg) && std::filesystem::exists(png)) {
    picture.status = Picture::Status::Drawn;
    picture.script.clear();
    std::filesystem::remove(file, ignored);
  }
  return picture;
}

std::string Picture::message() const {
  switch (status) {
    case Status::Drawn:
      return svg.string() + ", " + png.string();
    case Status::ScriptOnly:
      return script.string() + " (a script: no gnuplot was found; 'gnuplot FILE' draws it)";
    case Status::Failed:
      break;
  }
  return script.string() + " (gnuplot did not draw it: " + detail + ")";
}

}  // namespace nonsmooth
