// SPDX-License-Identifier: Apache-2.0
#include "dense_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace nonsmooth::detail {
namespace {

constexpr Index panel_width = 16;
constexpr Index tile_rows = 8;
constexpr Index deepest = 128;  // of one product: a tile's 8 x 128 entries stay in the first cache

#if defined(__GNUC__) && defined(__x86_64__)
#define NONSMOOTH_INLINE __attribute__((always_inline)) inline
#define NONSMOOTH_TARGET(name) __attribute__((target(name)))
#else
#define NONSMOOTH_INLINE inline
#define NONSMOOTH_TARGET(name)
#endif

// g++ unrolls at -O2 only what it is told to, and an array that a loop indexes stays in memory.
#if defined(__GNUC__) && !defined(__clang__)
#define NONSMOOTH_UNROLL _Pragma("GCC unroll 8")
#else
#define NONSMOOTH_UNROLL
#endif

/// W doubles that are added and multiplied one by one.
template <int W>
struct Pack {
  typedef double Type __attribute__((vector_size(W * sizeof(double)), aligned(sizeof(double)), may_alias));
};

template <int W>
NONSMOOTH_INLINE void axpy_body(Index n, double a, const double* x, double* y) {
  using V = typename Pack<W>::Type;
  Index i = 0;
  for (; i + W <= n; i += W) {
    *reinterpret_cast<V*>(y + i) -= a * *reinterpret_cast<const V*>(x + i);
  }
  for (; i < n; ++i) y[i] -= a * x[i];
}

/// C(8 x columns) -= L U: L packed by columns of 8 rows, U column-major.
template <int W, int Columns>
NONSMOOTH_INLINE void tile_body(Index depth, const double* packed, const double* u, Index ldu, double* c, Index ldc) {
  using Memory = typename Pack<W>::Type;
  typedef double V __attribute__((vector_size(W * sizeof(double))));
  constexpr int parts = static_cast<int>(tile_rows) / W;
  V sum[Columns][parts];
  NONSMOOTH_UNROLL
  for (int j = 0; j < Columns; ++j) {
    NONSMOOTH_UNROLL
    for (int p = 0; p < parts; ++p) sum[j][p] = *reinterpret_cast<const Memory*>(c + j * ldc + p * W);
  }
  for (Index k = 0; k < depth; ++k, packed += tile_rows) {
    NONSMOOTH_UNROLL
    for (int j = 0; j < Columns; ++j) {
      const double factor = u[j * ldu + k];
      NONSMOOTH_UNROLL
      for (int p = 0; p < parts; ++p) sum[j][p] -= factor * *reinterpret_cast<const Memory*>(packed + p * W);
    }
  }
  NONSMOOTH_UNROLL
  for (int j = 0; j < Columns; ++j) {
    NONSMOOTH_UNROLL
    for (int p = 0; p < parts; ++p) *reinterpret_cast<Memory*>(c + j * ldc + p * W) = sum[j][p];
  }
}

/// C (m x n) -= L U, L of `depth` columns packed in tiles of 8 rows (the last filled up with zeros).
template <int W>
NONSMOOTH_INLINE void product_body(Index m, Index n, Index depth, const double* packed, const double* u, Index ldu,
                                   double* c, Index ldc) {
  const Index whole = m / tile_rows * tile_rows;
  for (Index j = 0; j < n;) {
    const bool several = n - j >= W;
    for (Index i = 0; i < whole; i += tile_rows) {
      if (several) {
        tile_body<W, W>(depth, packed + i * depth, u + j * ldu, ldu, c + j * ldc + i, ldc);
      } else {
        tile_body<W, 1>(depth, packed + i * depth, u + j * ldu, ldu, c + j * ldc + i, ldc);
      }
    }
    const Index next = j + (several ? W : 1);
    for (Index column = j; column < next && whole < m; ++column) {
      double rest[tile_rows] = {};
      std::copy(c + column * ldc + whole, c + column * ldc + m, rest);
      tile_body<W, 1>(depth, packed + whole * depth, u + column * ldu, ldu, rest, tile_rows);
      std::copy(rest, rest + (m - whole), c + column * ldc + whole);
    }
    j = next;
  }
}

template <int W>
NONSMOOTH_INLINE bool band_body(Index n, Index stride, const int* heights, double* a, const double* smallest) {
  for (Index j = 0; j < n; ++j) {
    double* const x = a + j * stride;
    if (!(x[0] > smallest[j])) return false;
    const Index height = heights[j];
    const double inverse = 1.0 / x[0];
    for (Index k = 1; k <= height; ++k) {
      if (x[k] != 0.0) axpy_body<W>(height - k + 1, x[k] * inverse, x + k, x + k * stride);
    }
    for (Index k = 1; k <= height; ++k) x[k] *= inverse;
  }
  return true;
}

struct Kernels {
  void (*axpy)(Index, double, const double*, double*);
  void (*product)(Index, Index, Index, const double*, const double*, Index, double*, Index);
  bool (*band)(Index, Index, const int*, double*, const double*);
};

void axpy_base(Index n, double a, const double* x, double* y) { axpy_body<2>(n, a, x, y); }
void product_base(Index m, Index n, Index depth, const double* packed, const double* u, Index ldu, double* c,
                  Index ldc) {
  product_body<2>(m, n, depth, packed, u, ldu, c, ldc);
}
bool band_base(Index n, Index stride, const int* heights, double* a, const double* smallest) {
  return band_body<2>(n, stride, heights, a, smallest);
}

#if defined(__GNUC__) && defined(__x86_64__)
NONSMOOTH_TARGET("avx2") void axpy_avx2(Index n, double a, const double* x, double* y) { axpy_body<4>(n, a, x, y); }
NONSMOOTH_TARGET("avx2")
void product_avx2(Index m, Index n, Index depth, const double* packed, const double* u, Index ldu, double* c,
                  Index ldc) {
  product_body<4>(m, n, depth, packed, u, ldu, c, ldc);
}
NONSMOOTH_TARGET("avx2")
bool band_avx2(Index n, Index stride, const int* heights, double* a, const double* smallest) {
  return band_body<4>(n, stride, heights, a, smallest);
}
NONSMOOTH_TARGET("avx512f") void axpy_avx512(Index n, double a, const double* x, double* y) {
  axpy_body<8>(n, a, x, y);
}
NONSMOOTH_TARGET("avx512f")
void product_avx512(Index m, Index n, Index depth, const double* packed, const double* u, Index ldu, double* c,
                    Index ldc) {
  product_body<8>(m, n, depth, packed, u, ldu, c, ldc);
}
NONSMOOTH_TARGET("avx512f")
bool band_avx512(Index n, Index stride, const int* heights, double* a, const double* smallest) {
  return band_body<8>(n, stride, heights, a, smallest);
}
#endif

const Kernels& kernels() {
  static const Kernels chosen = [] {
#if defined(__GNUC__) && defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return Kernels{axpy_avx512, product_avx512, band_avx512};
    if (__builtin_cpu_supports("avx2")) return Kernels{axpy_avx2, product_avx2, band_avx2};
#endif
    return Kernels{axpy_base, product_base, band_base};
  }();
  return chosen;
}

/// A (m x depth) in tiles of 8 rows, by columns.
void pack(Index m, Index depth, const double* a, Index lda, double* packed) {
  for (Index i = 0; i < m; i += tile_rows) {
    const Index height = std::min(tile_rows, m - i);
    for (Index k = 0; k < depth; ++k, packed += tile_rows) {
      const double* const from = a + k * lda + i;
      if (height == tile_rows) {
        for (Index r = 0; r < tile_rows; ++r) packed[r] = from[r];
      } else {
        std::copy(from, from + height, packed);
        std::fill(packed + height, packed + tile_rows, 0.0);
      }
    }
  }
}

/// Recursive on the columns: all but panels of 16 columns is products of matrices.
struct Lu {
  Index n;
  double* a;
  const double* smallest;
  Index* swaps;
  double* packed;
  const Kernels& run;

  double* column(Index j) const noexcept { return a + j * n; }

  bool factorize(Index first, Index end) const {
    if (end - first <= panel_width) return factorize_panel(first, end);
    const Index middle = first + std::max<Index>(1, (end - first) / (2 * panel_width)) * panel_width;
    if (!factorize(first, middle)) return false;
    exchange_rows(first, middle, middle, end);
    solve_unit_lower(first, middle, middle, end);
    product(middle, n, first, middle, middle, end);
    if (!factorize(middle, end)) return false;
    exchange_rows(middle, end, first, middle);
    return true;
  }

  bool factorize_panel(Index first, Index end) const {
    for (Index j = first; j < end; ++j) {
      double* const x = column(j);
      for (Index k = first; k < j; ++k) std::swap(x[k], x[swaps[k]]);
      for (Index k = first; k < j; ++k) {
        if (x[k] != 0.0) run.axpy(n - k - 1, x[k], column(k) + k + 1, x + k + 1);
      }
      Index pivot = j;
      double largest = std::abs(x[j]);
      for (Index i = j + 1; i < n; ++i) {
        const double value = std::abs(x[i]);
        if (value > largest) {
          largest = value;
          pivot = i;
        }
      }
      if (!(largest > smallest[j])) return false;
      swaps[j] = pivot;
      for (Index k = first; k <= j; ++k) std::swap(column(k)[j], column(k)[pivot]);
      const double inverse = 1.0 / x[j];
      for (Index i = j + 1; i < n; ++i) x[i] *= inverse;
    }
    return true;
  }

  void exchange_rows(Index first, Index end, Index first_column, Index end_column) const {
    for (Index j = first_column; j < end_column; ++j) {
      for (Index k = first; k < end; ++k) std::swap(column(j)[k], column(j)[swaps[k]]);
    }
  }

  /// Rows first..end of the columns given: the unit lower triangle of the same rows is divided out.
  void solve_unit_lower(Index first, Index end, Index first_column, Index end_column) const {
    if (end - first > panel_width) {
      const Index middle = first + (end - first) / 2;
      solve_unit_lower(first, middle, first_column, end_column);
      product(middle, end, first, middle, first_column, end_column);
      solve_unit_lower(middle, end, first_column, end_column);
      return;
    }
    for (Index j = first_column; j < end_column; ++j) {
      double* const x = column(j);
      for (Index k = first; k < end; ++k) {
        const double* const factor = column(k);
        for (Index i = k + 1; i < end; ++i) x[i] -= x[k] * factor[i];
      }
    }
  }

  /// A(rows, columns) -= A(rows, inner) A(inner, columns), each a range.
  void product(Index row, Index end_row, Index inner, Index end_inner, Index first_column, Index end_column) const {
    for (; inner < end_inner; inner += deepest) {
      const Index depth = std::min(deepest, end_inner - inner);
      pack(end_row - row, depth, column(inner) + row, n, packed);
      run.product(end_row - row, end_column - first_column, depth, packed, column(first_column) + inner, n,
                  column(first_column) + row, n);
    }
  }
};

/// As Lu, without pivots.
struct Cholesky {
  Index rows;
  double* a;
  double* packed;      // tiles of the columns that are taken off
  double* transposed;  // their rows that multiply them
  const Kernels& run;

  double* column(Index j) const noexcept { return a + j * rows; }

  bool factorize(Index first, Index end) const {
    if (end - first <= panel_width) return factorize_panel(first, end);
    const Index middle = first + std::max<Index>(1, (end - first) / (2 * panel_width)) * panel_width;
    if (!factorize(first, middle)) return false;
    for (Index inner = first; inner < middle; inner += deepest)
      take_off(inner, std::min(deepest, middle - inner), middle, end);
    return factorize(middle, end);
  }

  bool factorize_panel(Index first, Index end) const {
    for (Index j = first; j < end; ++j) {
      double* const x = column(j);
      for (Index k = first; k < j; ++k) run.axpy(rows - j, column(k)[j], column(k) + j, x + j);
      if (!(x[j] > 0.0)) return false;
      const double root = std::sqrt(x[j]), inverse = 1.0 / root;
      x[j] = root;
      for (Index i = j + 1; i < rows; ++i) x[i] *= inverse;
    }
    return true;
  }

  /// The columns first..end -= L L^T of the `depth` columns from `inner` on.
  void take_off(Index inner, Index depth, Index first, Index end) const {
    pack(rows - first, depth, column(inner) + first, rows, packed);
    for (Index j = first; j < end; ++j) {
      for (Index k = 0; k < depth; ++k) transposed[(j - first) * depth + k] = column(inner + k)[j];
    }
    run.product(rows - first, end - first, depth, packed, transposed, depth, column(first) + first, rows);
  }
};

}  // namespace

void subtract_scaled(Index n, double a, const double* x, double* y) { kernels().axpy(n, a, x, y); }

void symmetric_product(Index m, Index n, const double* x, double* h, Index ldh, std::vector<double>& packed) {
  constexpr Index panel_rows = 8 * tile_rows;
  const std::size_t needed = static_cast<std::size_t>(panel_rows * deepest);
  if (packed.size() < needed) packed.resize(needed);
  for (Index j = 0; j < n; ++j) std::fill(h + j * ldh, h + j * ldh + n, 0.0);
  for (Index first = 0; first < n; first += panel_rows) {
    const Index height = std::min(panel_rows, n - first);
    for (Index inner = 0; inner < m; inner += deepest) {
      const Index depth = std::min(deepest, m - inner);
      double* to = packed.data();
      for (Index i = 0; i < height; i += tile_rows) {  // tiles of -X^T, as the product is subtracted
        for (Index k = 0; k < depth; ++k) {
          for (Index r = 0; r < tile_rows; ++r) *to++ = i + r < height ? -x[(first + i + r) * m + inner + k] : 0.0;
        }
      }
      kernels().product(height, first + height, depth, packed.data(), x + inner, m, h + first, ldh);
    }
  }
}

bool cholesky_of_top(Index rows, Index n, double* a, std::vector<double>& packed) {
  const Index depth = std::min(n, deepest), of_tiles = (rows + tile_rows) * depth;
  const std::size_t needed = static_cast<std::size_t>(of_tiles + n * depth);
  if (packed.size() < needed) packed.resize(needed);
  return Cholesky{rows, a, packed.data(), packed.data() + of_tiles, kernels()}.factorize(0, n);
}

bool band_ldlt(Index n, Index stride, const int* heights, double* a, const double* smallest) {
  return kernels().band(n, stride, heights, a, smallest);
}

std::size_t lu_scratch(Index n) { return static_cast<std::size_t>((n + tile_rows) * std::min(n, deepest)); }

bool lu_in_place(Index n, double* a, const double* smallest, Index* swaps, std::vector<double>& packed) {
  const std::size_t needed = lu_scratch(n);
  if (packed.size() < needed) packed.resize(needed);
  return Lu{n, a, smallest, swaps, packed.data(), kernels()}.factorize(0, n);
}

void lu_solve(Index n, const double* a, const Index* swaps, double* b) {
  const Kernels& run = kernels();
  for (Index k = 0; k < n; ++k) std::swap(b[k], b[swaps[k]]);
  for (Index k = 0; k < n; ++k) {
    if (b[k] != 0.0) run.axpy(n - k - 1, b[k], a + k * n + k + 1, b + k + 1);
  }
  for (Index k = n - 1; k >= 0; --k) {
    b[k] /= a[k * n + k];
    if (b[k] != 0.0) run.axpy(k, b[k], a + k * n, b);
  }
}

}  // namespace nonsmooth::detail
