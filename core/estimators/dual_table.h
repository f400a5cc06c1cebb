// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/fingerprint128.h"
#include "core/plan/state_tensor.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::estimators {

/// What SDCA knows of an example, as TensorFlow's SdcaOptimizer has it in `example_state_data`.
struct ExampleState
{
    float dual = 0.0F;
    float primalLoss = 0.0F; ///< times its weight, as of its last visit
    float dualLoss = 0.0F;   ///< likewise
    float weight = 0.0F;
};

/// The states of examples by their ids, laid out in a checkpoint as TensorFlow's
/// MutableDenseHashTable lays itself out (`-keys` [buckets, 2] int64, `-values` [buckets, 4]), so
/// that either continues with the other's: open addressing over a power of two of buckets, growing
/// quadratic probes, at most 80 % full. TensorFlow begins with 131,072 buckets, which would add 4
/// MB to every checkpoint of a small table; this one begins with few.
class DualTable
{
public:
    DualTable() { allocate(kFewestBuckets); }

    std::int64_t size() const { return m_size; }
    /// Room for so many more examples, after which add() moves nothing.
    void reserve(std::int64_t more);
    /// The state of an example, all 0 at first. Valid until reserve().
    ExampleState& add(Fingerprint128 id);
    /// One per bucket; all 0 without an example.
    std::span<const ExampleState> states() const { return m_states; }

    /// Its two tensors. Their restore() refuses what is not such a table:
    /// "estimators.sdca_restore".
    void addState(const std::string& name, std::vector<plan::StateTensor>& state);

private:
    using Key = std::array<std::int64_t, 2>;
    static constexpr std::int64_t kFewestBuckets = 1024;

    void allocate(std::int64_t buckets);
    void grow(std::int64_t buckets);
    /// The bucket of a key, or the one that it would go to.
    std::size_t bucketOf(const Key& key) const;
    Result<void> restoreKeys(const std::string& name, const Shape& shape,
                             std::span<const std::byte> content);
    Result<void> restoreStates(const std::string& name, const Shape& shape,
                               std::span<const std::byte> content);

    std::vector<Key> m_keys;
    std::vector<ExampleState> m_states;
    std::int64_t m_size = 0;
};

} // namespace cannery::estimators
