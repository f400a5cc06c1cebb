// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/normalizer.h"
#include "storage/tf/graphs/node_ref.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace cannery::storage {
class GraphDefBuilder;
} // namespace cannery::storage

namespace cannery::features {

/// Raw numbers in the order of their normalized values, each with an integer: its place.
///
/// Servers change arithmetic: TensorFlow's graph optimizer multiplies by 1 / b instead of dividing
/// by b, its logarithm has other last bits, and its threads take numbers below 1e-38 for 0. So a
/// normalized number may end on the other side of a boundary than in training. The place of the raw
/// number is made of its bits alone, which nothing changes, and is compared with the place of the
/// first raw number that reaches the boundary here.
class RawOrder
{
public:
    /// The place of no number.
    static constexpr std::int32_t kNowhere = std::numeric_limits<std::int32_t>::max();

    explicit RawOrder(const Normalizer& normalizer);

    /// The first place whose normalized number is at least, or above, this one; kNowhere if there
    /// is none.
    std::int32_t firstAtLeast(float normalized) const;
    std::int32_t firstAbove(float normalized) const;
    /// The raw number there.
    float numberAt(std::int32_t place) const;
    /// Whether servers compare raw numbers themselves with the number at this place as exactly as
    /// their places: neither is normalized to nothing, and this one is not taken for 0.
    bool comparesAsNumber(std::int32_t place) const;

    /// Larger raw numbers have smaller normalized ones.
    bool descends() const { return m_descends; }
    /// The order key (see emitPlaces()) of the smallest raw number that has a normalized one.
    std::int32_t firstKey() const { return m_firstKey; }

private:
    template <typename Predicate>
    std::int32_t firstPlace(const Predicate& isThere) const;

    Normalizer m_normalizer;
    bool m_descends = false;
    std::int32_t m_firstKey = 0;
};

/// The places of raw numbers, int32 in the shape of `numbers` ([batch, columns], or any shape for
/// one order): their bits, with those of negative numbers turned round. `missing` for NaN and for
/// what has no normalized number.
storage::NodeRef emitPlaces(storage::GraphDefBuilder& graph, const storage::NodeRef& numbers,
                            std::span<const RawOrder> orders, std::int32_t missing);

/// The raw numbers of a feature at which a model's answer may change.
struct RawEdges
{
    std::string feature;
    std::int64_t element = -1;        ///< of a row's elements; all if -1
    std::vector<std::int32_t> places; ///< each the first behind a boundary, or kNowhere
    RawOrder order;
};

} // namespace cannery::features
