// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/dual_table.h"

#include <algorithm>
#include <bit>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kRestore{"estimators.sdca_restore",
                             "The checkpoint's {} has the shape {}, which is not a table of dual "
                             "variables. Use a checkpoint "
                             "of this model, or another model_dir."};

/// Buckets without an example, and those of a removed one, have these keys.
constexpr std::array<std::int64_t, 2> kEmpty{0, 0};
constexpr std::array<std::int64_t, 2> kDeleted{1, 1};
/// Of ten buckets eight are filled.
constexpr std::int64_t kOfBuckets = 10;
constexpr std::int64_t kFilled = 8;

/// TensorFlow's SdcaFprint: never 0 or 1, which stand for no key.
std::array<std::int64_t, 2> keyOf(Fingerprint128 id)
{
    const std::uint64_t low = id.low >= 2 ? id.low : id.low + ~std::uint64_t{1};
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(id.high)};
}

/// TensorFlow's Hash64Combine, from 0, of both halves.
std::uint64_t hashOf(const std::array<std::int64_t, 2>& key)
{
    std::uint64_t hash = 0;
    for (const std::int64_t half : key) {
        hash ^=
            static_cast<std::uint64_t>(half) + 0x9e3779b97f4a7800ULL + (hash << 10U) + (hash >> 4U);
    }
    return hash;
}

} // namespace

void DualTable::allocate(std::int64_t buckets)
{
    m_keys.assign(static_cast<std::size_t>(buckets), kEmpty);
    m_states.assign(static_cast<std::size_t>(buckets), ExampleState{});
    m_size = 0;
}

std::size_t DualTable::bucketOf(const Key& key) const
{
    // As in TensorFlow's MutableDenseHashTable: the first bucket by the hash, then steps of growing
    // length, which reach every bucket of a power of two.
    const std::uint64_t mask = m_keys.size() - 1;
    std::uint64_t bucket = hashOf(key) & mask;
    for (std::uint64_t probes = 1; probes <= mask; ++probes) {
        const Key& found = m_keys[bucket];
        if (found == key || found == kEmpty) {
            break;
        }
        bucket = (bucket + probes) & mask;
    }
    return bucket;
}

void DualTable::grow(std::int64_t buckets)
{
    const std::vector<Key> keys = std::move(m_keys);
    const std::vector<ExampleState> states = std::move(m_states);
    allocate(buckets);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        // Deleted keys are not carried over, so growing also cleans up.
        if (keys[i] != kEmpty && keys[i] != kDeleted) {
            const std::size_t bucket = bucketOf(keys[i]);
            m_keys[bucket] = keys[i];
            m_states[bucket] = states[i];
            ++m_size;
        }
    }
}

void DualTable::reserve(std::int64_t more)
{
    // Reserved before a step, which must not allocate while it visits rows.
    auto buckets = static_cast<std::int64_t>(m_keys.size());
    while ((m_size + more) * kOfBuckets > buckets * kFilled) {
        buckets *= 2;
    }
    if (buckets > static_cast<std::int64_t>(m_keys.size())) {
        grow(buckets);
    }
}

ExampleState& DualTable::add(Fingerprint128 id)
{
    const Key key = keyOf(id);
    const std::size_t bucket = bucketOf(key);
    if (m_keys[bucket] != key) {
        m_keys[bucket] = key;
        m_states[bucket] = {};
        ++m_size;
    }
    return m_states[bucket];
}

Result<void> DualTable::restoreKeys(const std::string& name, const Shape& shape,
                                    std::span<const std::byte> content)
{
    const std::int64_t buckets = shape.rank() == 2 ? shape.dims.front() : 0;
    if (shape != Shape{buckets, 2} || buckets < 4 ||
        !std::has_single_bit(static_cast<std::uint64_t>(buckets))) {
        // What the hash is cut to needs a power of two, and the table at least one free bucket for
        // a search to end.
        return fail(ErrorCode::InvalidArgument, kRestore, name, shape.toString());
    }
    std::vector<Key> keys(static_cast<std::size_t>(buckets));
    std::ranges::copy(content, std::as_writable_bytes(std::span(keys)).begin());
    const auto free = std::ranges::count(keys, kEmpty);
    if (free == 0) {
        return fail(ErrorCode::InvalidArgument, kRestore, name, shape.toString());
    }
    m_keys = std::move(keys);
    m_states.assign(m_keys.size(), ExampleState{});
    // Deleted keys are not examples, but not free either.
    m_size = buckets - free - std::ranges::count(m_keys, kDeleted);
    return {};
}

Result<void> DualTable::restoreStates(const std::string& name, const Shape& shape,
                                      std::span<const std::byte> content)
{
    if (shape != Shape{static_cast<std::int64_t>(m_keys.size()), 4}) {
        return fail(ErrorCode::InvalidArgument, kRestore, name, shape.toString());
    }
    std::ranges::copy(content, std::as_writable_bytes(std::span(m_states)).begin());
    return {};
}

void DualTable::addState(const std::string& name, std::vector<plan::StateTensor>& state)
{
    const auto buckets = static_cast<std::int64_t>(m_keys.size());
    // Restored in this order, which is that of their names.
    state.push_back(
        {.name = name + "-keys",
         .dtype = DType::Int64,
         .shape = Shape{buckets, 2},
         .bytes = std::as_writable_bytes(std::span(m_keys)),
         .optimizerState = true,
         .restore = [this, name](const Shape& shape, std::span<const std::byte> content) {
             return restoreKeys(name + "-keys", shape, content);
         }});
    state.push_back(
        {.name = name + "-values",
         .shape = Shape{buckets, 4},
         .bytes = std::as_writable_bytes(std::span(m_states)),
         .optimizerState = true,
         .restore = [this, name](const Shape& shape, std::span<const std::byte> content) {
             return restoreStates(name + "-values", shape, content);
         }});
}

} // namespace cannery::estimators
