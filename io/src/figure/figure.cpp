// SPDX-License-Identifier: Apache-2.0
#include <nonsmooth/io/figure.hpp>

#include <fstream>
#include <ostream>
#include <system_error>

#include <nonsmooth/io/csv.hpp>

#include "../replaced_file.hpp"
#include "gnuplot.hpp"
#include "script.hpp"

namespace nonsmooth {

namespace {

namespace fs = std::filesystem;

void write_script(const std::string& script, const fs::path& path) {
  replace_file(path, [&](std::ostream& stream) { stream << script; });
}

/// The files that gnuplot draws into, gone at the end unless they were renamed.
class Beside {
 public:
  explicit Beside(const PicturePaths& paths) {
    fs::path base = paths.svg;
    base.replace_extension();
    paths_ = picture_paths(base += ".partial");
    remove();  // what an earlier one left is no answer
  }
  ~Beside() { remove(); }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  [[nodiscard]] const PicturePaths& paths() const { return paths_; }

 private:
  void remove() const {
    std::error_code ignored;
    for (const fs::path& path : {paths_.svg, paths_.png, paths_.script}) fs::remove(path, ignored);
  }
  PicturePaths paths_;
};

void give_name(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw FileError(to.string() + ": " + error.message());
}

/// Where a script stays: in the place of one of ours, which begins alike, but of no other.
fs::path place_of_script(const fs::path& path, const std::string& script) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return path;
  const std::string first = script.substr(0, script.find("\nset border"));
  std::string there(first.size(), '\0');
  file.read(there.data(), static_cast<std::streamsize>(there.size()));
  if (file && there == first) return path;
  fs::path other = path;
  return other.replace_extension(".nonsmooth.gnuplot");
}

}  // namespace

Picture draw(const Figure& figure, const fs::path& stem) {
  const std::string script = gnuplot_script(figure, fs::absolute(stem));
  const PicturePaths paths = picture_paths(stem);
  Picture picture{.svg = paths.svg, .png = paths.png};
  {
    const Beside beside(paths);
    const auto& [svg, png, file] = beside.paths();
    write_script(gnuplot_script(figure, fs::absolute(svg)), file);
    GnuplotRun run = run_gnuplot(file);
    picture.detail = std::move(run.output);
    if (!run.found) {
      picture.status = Picture::Status::ScriptOnly;
    } else if (run.success && fs::exists(svg) && fs::exists(png)) {
      give_name(svg, paths.svg);
      give_name(png, paths.png);
      picture.status = Picture::Status::Drawn;
      return picture;
    }
  }
  picture.script = place_of_script(paths.script, script);
  write_script(script, picture.script);
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
