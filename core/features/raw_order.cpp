// SPDX-License-Identifier: Apache-2.0
#include "core/features/raw_order.h"

#include "storage/tf/graphs/graph_def_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cannery::features {

namespace {

using storage::GraphDefBuilder;
using storage::NodeRef;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();

/// An integer in the order of the numbers; 0 for both zeros.
std::int32_t keyOf(float number)
{
    const auto bits = std::bit_cast<std::int32_t>(number);
    // Bits of negative floats descend; subtracted from the lowest integer they ascend, and -0
    // becomes 0.
    return bits < 0 ? kLowest - bits : bits;
}

float numberOf(std::int32_t key)
{
    return std::bit_cast<float>(key < 0 ? kLowest - key : key);
}

/// The first of [low, high] for which this is true of it and of all after it; high + 1 for none.
template <typename Predicate>
std::int64_t firstWhere(std::int64_t low, std::int64_t high, const Predicate& predicate)
{
    // Bisection over all floats of a range: at most 32 evaluations of the normalizer.
    ++high;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (predicate(static_cast<std::int32_t>(middle))) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// A number for all columns if they have the same, else one for each.
NodeRef perColumn(GraphDefBuilder& graph, const char* name, const std::vector<std::int32_t>& values)
{
    const bool isSame = std::ranges::all_of(values, [&](auto v) { return v == values.front(); });
    return isSame ? graph.constant(name, values.front()) : graph.constant(name, values);
}

} // namespace

RawOrder::RawOrder(const Normalizer& normalizer)
    : m_normalizer(normalizer), m_descends(normalizer.descends())
{
    // A logarithm has no value at or below 0: places begin at the first number that has one.
    const auto isNumber = [&](std::int32_t key) {
        return !std::isnan(m_normalizer.normalized(numberOf(key)));
    };
    m_firstKey =
        static_cast<std::int32_t>(firstWhere(keyOf(-kInfinity), keyOf(kInfinity), isNumber));
}

template <typename Predicate>
std::int32_t RawOrder::firstPlace(const Predicate& isThere) const
{
    const std::int64_t last = keyOf(kInfinity);
    // A normalizer with a negative divisor reverses the order, so places are counted from the other
    // end.
    const std::int64_t low = m_descends ? -last : m_firstKey;
    const std::int64_t high = m_descends ? -std::int64_t{m_firstKey} : last;
    const std::int64_t found = firstWhere(low, high, [&](std::int32_t place) {
        return isThere(m_normalizer.normalized(numberAt(place)));
    });
    return found > high ? kNowhere : static_cast<std::int32_t>(found);
}

std::int32_t RawOrder::firstAtLeast(float normalized) const
{
    return firstPlace([&](float number) { return number >= normalized; });
}

std::int32_t RawOrder::firstAbove(float normalized) const
{
    return firstPlace([&](float number) { return number > normalized; });
}

float RawOrder::numberAt(std::int32_t place) const
{
    return numberOf(m_descends ? -place : place);
}

bool RawOrder::comparesAsNumber(std::int32_t place) const
{
    // TensorFlow may flush denormals to 0, hence a boundary among them is compared by its bits.
    return place != kNowhere && !m_descends && m_firstKey == keyOf(-kInfinity) &&
           std::fabs(numberAt(place)) >= std::numeric_limits<float>::min();
}

NodeRef emitPlaces(GraphDefBuilder& graph, const NodeRef& numbers, std::span<const RawOrder> orders,
                   std::int32_t missing)
{
    const storage::Attrs integers{{"T", DType::Int32}};
    std::vector<std::int32_t> firstKeys;
    std::vector<std::int32_t> signs;
    for (const RawOrder& order : orders) {
        firstKeys.push_back(order.firstKey());
        signs.push_back(order.descends() ? -1 : 1);
    }
    const NodeRef bits =
        graph.add("Bitcast", "bits", {numbers}, {{"T", DType::Float32}, {"type", DType::Int32}});
    const NodeRef isNegative =
        graph.add("Less", "is_negative", {bits, graph.constant("zero", std::int32_t{0})}, integers);
    const NodeRef turned =
        graph.add("Sub", "turned", {graph.constant("lowest", kLowest), bits}, integers);
    const NodeRef keys = graph.add("SelectV2", "keys", {isNegative, turned, bits}, integers);
    const NodeRef isBelow =
        graph.add("Less", "is_below", {keys, perColumn(graph, "first", firstKeys)}, integers);
    // The bits of NaN lie beyond those of infinity, on either side.
    const NodeRef isBeyond = graph.add("Greater", "is_beyond",
                                       {keys, graph.constant("last", keyOf(kInfinity))}, integers);
    const NodeRef isMissing = graph.add("LogicalOr", "is_missing", {isBelow, isBeyond});
    NodeRef places = keys;
    if (std::ranges::any_of(orders, &RawOrder::descends)) {
        places = graph.add("Mul", "places", {keys, perColumn(graph, "signs", signs)}, integers);
    }
    return graph.add("SelectV2", "known_places",
                     {isMissing, graph.constant("missing", missing), places}, integers);
}

} // namespace cannery::features
