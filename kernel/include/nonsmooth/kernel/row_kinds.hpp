// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <nonsmooth/kernel/nonsmooth_law.hpp>

namespace nonsmooth {

/// What a row of a mechanical relation measures, to the laws that it may obey.
enum class RowKind : unsigned char {
  Held,        ///< of a joint: y = 0 while it is closed, and neither sign of the multiplier means anything by itself
  Rubbing,     ///< of a joint with friction: the rate of a freedom, behind the rows that are held
  Coordinate,  ///< an angle, a way, a distance
  Rate,        ///< a velocity alone, of no coordinate
  Gap,         ///< of a contact or a stop: y >= 0 while it is open
  Slip,        ///< along the surfaces of a contact, behind its gap
  Roll,        ///< a relative angular velocity about a tangent of a contact
  Spin,        ///< the same about its normal
};

/// A set of kinds.
class RowKinds {
 public:
  constexpr RowKinds(std::initializer_list<RowKind> kinds) {
    for (const RowKind kind : kinds) bits_ |= bit(kind);
  }
  [[nodiscard]] static constexpr RowKinds all_but(RowKind kind) {
    RowKinds kinds{};
    kinds.bits_ = ~bit(kind);
    return kinds;
  }
  [[nodiscard]] constexpr bool contains(RowKind kind) const { return (bits_ & bit(kind)) != 0; }

 private:
  [[nodiscard]] static constexpr unsigned bit(RowKind kind) { return 1U << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

/// A row as its relation says it is.
struct RowMeaning {
  RowKind kind = RowKind::Held;
  std::string law{};  ///< of a Rubbing row: NonSmoothLaw::name() of the law of this joint's friction; empty: any
};

/// A relation that says what its rows are derives from this class too, beside MechanicalRelation; those of joints,
/// their coordinates and stops, and of pairs of shapes do. Of one that does not, as those written by functions, each
/// law takes all rows.
class RelationOfRows {
 public:
  virtual ~RelationOfRows() = default;
  [[nodiscard]] virtual RowMeaning row_meaning(Index row) const = 0;  ///< row < rows()
};

/// A law that says which rows it takes derives from this class too, beside NonSmoothLaw. One that does not takes all.
class LawOfRows {
 public:
  virtual ~LawOfRows() = default;
  /// By row of a block, shape(use).size of them; empty: rows of any kind.
  [[nodiscard]] virtual std::vector<RowKinds> row_kinds(LawUse use) const = 0;
};

}  // namespace nonsmooth
