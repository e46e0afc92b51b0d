// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <nonsmooth/numerics/error.hpp>

#include "fclib.hpp"
#include "hdf5_file.hpp"
#include "hdf5_objects.hpp"
#include "old_hdf5.hpp"
#include "stored_matrix.hpp"

namespace nonsmooth::problem_files {
namespace {

using Triplets = std::vector<Triplet>;

Index one_integer(const DataSets& sets, const std::string& path, Index low, Index high) {
  const std::vector<std::int64_t> value = sets.integers(path);
  if (value.size() != 1) sets.fail(path, std::to_string(value.size()) + " entries", "1");
  if (value[0] < low || value[0] > high) {
    sets.fail(path, std::to_string(value[0]), std::to_string(low) + " to " + std::to_string(high));
  }
  return value[0];
}

void require_finite(const DataSets& sets, const std::string& path, const std::vector<double>& value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!std::isfinite(value[i])) sets.fail(path, "no finite number at entry " + std::to_string(i), "finite numbers");
  }
}

Eigen::VectorXd finite_vector(const DataSets& sets, const std::string& path, Index size = -1) {
  const std::vector<double> value = sets.reals(path);
  const auto found = static_cast<Index>(value.size());
  if (size >= 0 && found != size) sets.fail(path, std::to_string(found) + " entries", std::to_string(size));
  require_finite(sets, path, value);
  return Eigen::Map<const Eigen::VectorXd>(value.data(), found);
}

/// A matrix as FCLIB stores it: nz >= 0 triplets, -1 by columns, -2 by rows.
struct FclibMatrix {
  Index rows = 0, columns = 0, nz = 0;
  std::vector<std::int64_t> p, i;
  std::vector<double> x;

  [[nodiscard]] bool has_triplets() const noexcept { return nz >= 0; }
  /// True if the numbers of triplets fit the shape with p: columns (CSparse), or with p: rows (FCLIB's own comment).
  [[nodiscard]] bool fits(bool p_is_column) const {
    const auto below = [](const std::vector<std::int64_t>& list, Index size) {
      return std::all_of(list.begin(), list.end(), [=](std::int64_t k) { return k < size; });
    };
    return below(p, p_is_column ? columns : rows) && below(i, p_is_column ? rows : columns);
  }
  /// Columns without any entry.
  [[nodiscard]] Index num_empty_columns(bool p_is_column) const {
    std::vector<bool> seen(static_cast<std::size_t>(columns), false);
    for (const std::int64_t k : p_is_column ? p : i) seen[static_cast<std::size_t>(k)] = true;
    return std::count(seen.begin(), seen.end(), false);
  }
};

FclibMatrix read_fclib_matrix(const DataSets& sets, const std::string& path, Index rows, Index columns) {
  FclibMatrix matrix;
  matrix.rows = one_integer(sets, path + "/m", rows, rows);
  matrix.columns = one_integer(sets, path + "/n", columns, columns);
  const Index nzmax = one_integer(sets, path + "/nzmax", 0, largest_size);
  matrix.nz = one_integer(sets, path + "/nz", -2, nzmax);
  matrix.p = sets.integers(path + "/p");
  matrix.i = sets.integers(path + "/i");
  matrix.x = sets.reals(path + "/x");
  const auto resize = [&](auto& list, const char* name, Index size) {  // what is beyond has no sense
    if (static_cast<Index>(list.size()) < size) {
      sets.fail(path + name, std::to_string(list.size()) + " entries", std::to_string(size));
    }
    list.resize(static_cast<std::size_t>(size));
  };
  Index count = matrix.nz;
  if (!matrix.has_triplets()) {
    const Index lines = matrix.nz == -1 ? columns : rows, inner = matrix.nz == -1 ? rows : columns;
    resize(matrix.p, "/p", lines + 1);
    if (matrix.p.front() != 0 || !std::is_sorted(matrix.p.begin(), matrix.p.end()) || matrix.p.back() > nzmax) {
      sets.fail(path + "/p", "pointers that fall, or do not go from 0 to nzmax", "rising ones");
    }
    count = matrix.p.back();
    resize(matrix.i, "/i", count);
    for (const std::int64_t k : matrix.i) {
      if (k < 0 || k >= inner) sets.fail(path + "/i", std::to_string(k), "0 to " + std::to_string(inner - 1));
    }
  } else {
    resize(matrix.p, "/p", count);
    resize(matrix.i, "/i", count);
    for (const auto* list : {&matrix.p, &matrix.i}) {
      if (std::any_of(list->begin(), list->end(), [](std::int64_t k) { return k < 0; })) {
        sets.fail(path, "a number below 0 in p or i", "rows and columns");
      }
    }
    if (!matrix.fits(true) && !matrix.fits(false)) {
      sets.fail(path, "numbers in p and i beyond " + std::to_string(rows) + " x " + std::to_string(columns),
                "columns and rows, or rows and columns");
    }
  }
  resize(matrix.x, "/x", count);
  require_finite(sets, path + "/x", matrix.x);
  return matrix;
}

/// Entries with `row` and `column` added to their place, and the transposed ones where asked for.
void append_entries(const FclibMatrix& matrix, bool p_is_column, Index row, Index column, bool transposed,
                    Triplets& triplets) {
  const auto add = [&](std::int64_t i, std::int64_t j, double value) {
    if (transposed) std::swap(i, j);
    triplets.emplace_back(static_cast<SparseIndex>(row + i), static_cast<SparseIndex>(column + j), value);
  };
  if (matrix.has_triplets()) {
    for (std::size_t k = 0; k < matrix.p.size(); ++k) {
      const double value = matrix.x[k];
      p_is_column ? add(matrix.i[k], matrix.p[k], value) : add(matrix.p[k], matrix.i[k], value);
    }
    return;
  }
  for (std::size_t line = 0; line + 1 < matrix.p.size(); ++line) {
    const auto here = static_cast<std::int64_t>(line);
    for (auto k = matrix.p[line]; k < matrix.p[line + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const std::int64_t other = matrix.i[entry];
      matrix.nz == -1 ? add(other, here, matrix.x[entry]) : add(here, other, matrix.x[entry]);
    }
  }
}

/// One rule for all the matrices of a file: p is the column, as CSparse and Siconos have it, unless the shape of one
/// excludes that, or H, in which every column belongs to a contact, then had empty columns and otherwise had fewer.
bool p_is_column(const DataSets& sets, const std::vector<const FclibMatrix*>& matrices, const FclibMatrix* H) {
  std::array<bool, 2> fits = {true, true};
  for (const FclibMatrix* matrix : matrices) {
    if (!matrix->has_triplets()) continue;
    fits[0] = fits[0] && matrix->fits(false);
    fits[1] = fits[1] && matrix->fits(true);
  }
  if (!fits[0] && !fits[1]) sets.fail("/", "triplets in two conventions", "one for all matrices");
  if (!fits[0] || !fits[1]) return fits[1];
  return H == nullptr || !H->has_triplets() || H->num_empty_columns(true) <= H->num_empty_columns(false);
}

/// Blocks of contacts, then of one free row each.
struct Contacts {
  std::vector<BlockSet> sets;
  std::vector<Index> sizes;
};

Contacts read_fclib_contacts(const DataSets& sets, const std::string& root, Index rows, bool rolling) {
  const Index dimension = one_integer(sets, root + "/spacedim", 2, 5);
  if (dimension == 4 || (dimension == 2 && rolling) || (dimension == 5 && !rolling)) {
    sets.fail(root + "/spacedim", std::to_string(dimension), rolling ? "3 or 5" : "2 or 3");
  }
  if (rows % dimension != 0) {
    sets.fail(root + "/vectors", std::to_string(rows) + " rows", "a multiple of " + std::to_string(dimension));
  }
  const Index num_contacts = rows / dimension;
  const Eigen::VectorXd mu = finite_vector(sets, root + "/vectors/mu", num_contacts);
  Eigen::VectorXd mu_r;
  if (rolling) mu_r = finite_vector(sets, root + "/vectors/mu_r", num_contacts);
  const SetKind kind = rolling ? SetKind::Rolling : dimension == 2 ? SetKind::Coulomb2D : SetKind::Coulomb3D;
  Contacts contacts;
  for (Index i = 0; i < num_contacts; ++i) {
    contacts.sets.push_back({.kind = kind, .mu = mu[i], .rolling = rolling ? mu_r[i] : 0.0});
  }
  contacts.sizes.assign(contacts.sets.size(), dimension);
  return contacts;
}

void add_free_rows(Contacts& contacts, Index count) {
  contacts.sets.insert(contacts.sets.end(), static_cast<std::size_t>(count), BlockSet{.kind = SetKind::Free});
  contacts.sizes.insert(contacts.sizes.end(), static_cast<std::size_t>(count), 1);
}

Eigen::VectorXd joined(const Eigen::VectorXd& head, const Eigen::VectorXd& tail) {
  Eigen::VectorXd value(head.size() + tail.size());
  value << head, tail;
  return value;
}

/// What the vectors of a solution are sized by.
struct Sizes {
  Index v = 0, u = 0, l = 0;
};

mixed::Problem read_local(const DataSets& sets, Sizes& sizes) {
  const std::string root = "/fclib_local";
  const Eigen::VectorXd q = finite_vector(sets, root + "/vectors/q");
  const bool bilateral = sets.exists(root + "/V");
  if (bilateral != sets.exists(root + "/R")) sets.fail(root, "one of V and R", "both, or none");
  const Eigen::VectorXd s = bilateral ? finite_vector(sets, root + "/vectors/s") : Eigen::VectorXd();
  const Index m = q.size(), p = s.size();
  sizes = {.v = 0, .u = m, .l = p};
  const FclibMatrix W = read_fclib_matrix(sets, root + "/W", m, m);
  std::vector<const FclibMatrix*> all = {&W};
  FclibMatrix V, R;
  if (bilateral) {
    V = read_fclib_matrix(sets, root + "/V", m, p);
    R = read_fclib_matrix(sets, root + "/R", p, p);
    all.insert(all.end(), {&V, &R});
  }
  const bool by_column = p_is_column(sets, all, nullptr);
  Triplets triplets;
  append_entries(W, by_column, 0, 0, false, triplets);
  append_entries(V, by_column, 0, m, false, triplets);
  append_entries(V, by_column, m, 0, true, triplets);
  append_entries(R, by_column, m, m, false, triplets);
  StoredMatrix stored;
  stored.storage = StoredMatrix::Storage::Sparse;
  stored.rows = stored.columns = m + p;
  stored.sparse.resize(m + p, m + p);
  stored.sparse.setFromTriplets(triplets.begin(), triplets.end());
  Contacts contacts = read_fclib_contacts(sets, root, m, false);
  add_free_rows(contacts, p);
  mixed::Problem problem{.W = stored.to_blocks(contacts.sizes), .q = joined(q, s), .K = {}};
  for (std::size_t i = 0; i < contacts.sets.size(); ++i) problem.K.push_back(contacts.sets[i], contacts.sizes[i]);
  return problem;
}

friction::GlobalProblem read_fclib_global(const DataSets& sets, bool rolling, Sizes& sizes) {
  const std::string root = rolling ? "/fclib_global_rolling" : "/fclib_global";
  friction::GlobalProblem problem;
  problem.f = finite_vector(sets, root + "/vectors/f");
  const Eigen::VectorXd w = finite_vector(sets, root + "/vectors/w");
  const bool bilateral = sets.exists(root + "/G");
  const Eigen::VectorXd b = bilateral ? finite_vector(sets, root + "/vectors/b") : Eigen::VectorXd();
  const Index n = problem.f.size(), m = w.size(), p = b.size();
  sizes = {.v = n, .u = m, .l = p};
  problem.w = joined(w, b);
  const FclibMatrix M = read_fclib_matrix(sets, root + "/M", n, n), H = read_fclib_matrix(sets, root + "/H", n, m);
  std::vector<const FclibMatrix*> all = {&M, &H};
  FclibMatrix G;
  if (bilateral) {
    G = read_fclib_matrix(sets, root + "/G", n, p);
    all.push_back(&G);
  }
  const bool by_column = p_is_column(sets, all, &H);
  Triplets triplets;
  append_entries(M, by_column, 0, 0, false, triplets);
  problem.A.resize(n, n);
  problem.A.setFromTriplets(triplets.begin(), triplets.end());
  triplets.clear();
  append_entries(H, by_column, 0, 0, true, triplets);
  append_entries(G, by_column, m, 0, true, triplets);
  problem.H.resize(m + p, n);
  problem.H.setFromTriplets(triplets.begin(), triplets.end());
  Contacts contacts = read_fclib_contacts(sets, root, m, rolling);
  add_free_rows(contacts, p);
  for (std::size_t i = 0; i < contacts.sets.size(); ++i) problem.K.push_back(contacts.sets[i], contacts.sizes[i]);
  return problem;
}

/// Nothing where a vector was never written: FCLIB makes the set even where its caller has no such vector.
std::optional<FclibSolution> read_solution(const DataSets& sets, const std::string& path, const Sizes& sizes) {
  bool complete = true;
  const auto vector = [&](const char* name, Index size) {
    if (size == 0) return Eigen::VectorXd();
    if (!sets.exists(path + name)) sets.fail(path + name, "nothing", std::to_string(size) + " entries");
    complete = complete && sets.is_written(path + name);
    return complete ? finite_vector(sets, path + name, size) : Eigen::VectorXd::Zero(size).eval();
  };
  FclibSolution solution;
  solution.v = vector("/v", sizes.v);
  const Eigen::VectorXd l = vector("/l", sizes.l);
  solution.r = joined(vector("/r", sizes.u), l);
  solution.u = joined(vector("/u", sizes.u), Eigen::VectorXd::Zero(sizes.l));
  if (!complete) return std::nullopt;
  return solution;
}

FclibInfo read_info(const DataSets& sets, const std::string& path) {
  FclibInfo info;
  if (!sets.exists(path)) return info;
  const auto text = [&](const char* name) { return sets.exists(path + name) ? sets.text(path + name) : std::string(); };
  info.title = text("/title");
  info.description = text("/description");
  info.math_info = text("/math_info");
  info.degrees_of_freedom = std::max<Index>(sets.attribute(path, "numberOfDegreeOfFreedom").value_or(0), 0);
  return info;
}

/// HDF5 of 1.8 or later, through its library.
class NewHdf5 : public DataSets {
 public:
  NewHdf5(hid_t file, std::string name, std::uint64_t size, const PeekBytes& peek)
      : DataSets(name), objects_(file, std::move(name), size, peek) {}

  [[nodiscard]] bool exists(const std::string& path) const override {
    for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
      if (!objects_.exists(path.substr(0, end))) return false;
    }
    return objects_.exists(path);
  }
  [[nodiscard]] bool is_written(const std::string& path) const override {
    require(path);
    return objects_.is_written(path);
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& path) const override {
    require(path);
    const std::vector<Index> value =
        objects_.integers(path, 0, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max());
    return {value.begin(), value.end()};
  }
  [[nodiscard]] std::vector<double> reals(const std::string& path) const override {
    require(path);
    return objects_.numbers(path);
  }
  [[nodiscard]] std::string text(const std::string& path) const override {
    require(path);
    return objects_.text_set(path);
  }
  [[nodiscard]] std::optional<std::int64_t> attribute(const std::string& path, std::string_view key) const override {
    return objects_.integer(path, std::string(key).c_str());
  }

 private:
  void require(const std::string& path) const {
    if (!exists(path)) fail(path, "nothing", "a data set");
  }

  Hdf5Objects objects_;
};

const std::array<std::string, 3> roots = {"/fclib_local", "/fclib_global", "/fclib_global_rolling"};

}  // namespace

bool has_fclib(const Hdf5Objects& objects) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return objects.exists(root); });
}

ProblemFile read_new_fclib(hid_t file, const std::string& name, std::uint64_t size, const PeekBytes& peek) {
  return problem_of(read_fclib_sets(NewHdf5(file, name, size, peek), FclibParts::ProblemAlone));
}

FclibFile read_fclib_sets(const DataSets& sets, FclibParts parts) {
  const auto is_there = [&](const std::string& root) { return sets.exists(root); };
  const auto root = std::find_if(roots.begin(), roots.end(), is_there);
  if (root == roots.end()) {
    sets.fail("/", "an HDF5 file of another kind",
              "fclib_local, fclib_global or fclib_global_rolling, or the format " + std::string(hdf5_format) +
                  " of HDF5 1.8 or later (h5py: libver='latest')");
  }
  if (std::count_if(roots.begin(), roots.end(), is_there) > 1) sets.fail("/", "several problems", "one");
  FclibFile file;
  Sizes sizes;
  try {
    if (root == roots.begin()) {
      file.problem = read_local(sets, sizes);
    } else {
      file.problem = read_fclib_global(sets, *root == roots[2], sizes);
    }
    std::visit([](const auto& problem) { problem.validate(); }, file.problem);
  } catch (const InvalidArgument& error) {
    throw FormatError(sets.name() + ": " + error.what());
  }
  file.info = read_info(sets, *root + "/info");
  if (parts == FclibParts::ProblemAlone) return file;
  if (sets.exists("/solution")) file.solution = read_solution(sets, "/solution", sizes);
  if (!sets.exists("/guesses")) return file;
  const Index num_guesses = one_integer(sets, "/guesses/number_of_guesses", 0, most_guesses);
  for (Index k = 1; k <= num_guesses; ++k) {
    if (auto guess = read_solution(sets, "/guesses/" + std::to_string(k), sizes)) {
      file.guesses.push_back(*std::move(guess));
    }
  }
  return file;
}

FclibFile read_fclib_image(std::string_view bytes, std::string_view name, FclibParts parts) {
  if (is_old_hdf5(bytes)) return read_fclib_sets(OldHdf5(bytes, std::string(name)), parts);
  FclibFile file;
  with_hdf5_image(bytes, std::string(name), [&](hid_t id, const PeekBytes& peek) {
    file = read_fclib_sets(NewHdf5(id, std::string(name), bytes.size(), peek), parts);
  });
  return file;
}

ProblemFile problem_of(FclibFile file) {
  std::string title = file.info.title;
  for (char& c : title) {
    if ((static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n') || c == '\x7f') c = ' ';
  }
  title.resize(std::min(title.size(), longest_title));
  return {.problem = std::move(file.problem), .format = FileFormat::Fclib, .title = std::move(title)};
}

}  // namespace nonsmooth::problem_files
