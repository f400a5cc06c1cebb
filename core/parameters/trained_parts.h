// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/optimizers/optimizer.h"
#include "core/parameters/stored_part.h"

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cannery::parameters {

inline constexpr ErrorKind kBadSetup{
    "parameters.setup",
    "The chief's description of the model makes no sense to this parameter server: {}. Use the "
    "same version of the program for all tasks."};

/// A push with the bytes of its gradients, which payloadSize() and hasItsRows() have accepted.
struct Contribution
{
    wire::Push push;
    std::vector<std::byte> payload;
};

/// The parts of a parameter store with the optimizers that train them. One call at a time.
class TrainedParts
{
public:
    explicit TrainedParts(int threads) : m_pool(threads) {}
    /// Once; the message comes from another process, or from a file: nothing in it is used
    /// unchecked. Errors: of makeOptimizer(), "parameters.setup".
    Result<void> layOut(const wire::Setup& setup);

    /// The memory of all parts in order, each followed by its slots: what a Setup's payload fills.
    std::vector<std::span<float>> contents();
    std::span<const float> values(int part) const { return m_parts.at(index(part)).values(); }
    bool hasPart(int part) const { return m_partOf.contains(part); }
    std::int64_t cols(int part) const { return m_parts.at(index(part)).cols(); }
    bool isSync(int part) const { return m_parts.at(index(part)).isSync(); }

    /// For files: how much takeChanges() would append.
    std::uint64_t changedBytes() const;
    /// Appends all rows that have changed since the last takeChanges() or clearMarks().
    void takeChanges(wire::Changes& changes, std::vector<std::byte>& payload);
    void clearMarks();
    /// Rows of other parts like these, from the front of the payload. False: they are not of such.
    bool putChanges(const wire::Changes& changes, std::span<const std::byte>& payload);

    /// The bytes that a push's payload must have; nothing if the push makes no sense.
    std::optional<std::size_t> payloadSize(const wire::Push& push) const;
    /// Whether all rows of a payload of this size exist.
    bool hasItsRows(const wire::Push& push, std::span<const std::byte> payload) const;

    std::span<const std::unique_ptr<optimizers::Optimizer>> optimizers() const
    {
        return m_optimizers;
    }
    /// Sets the counters of an optimizer. False: it has another number of them.
    bool setScalars(std::size_t optimizer, const wire::Optimizer& message);
    /// Trains the parts that wait for nobody.
    void apply(const Contribution& contribution);
    /// Trains every sync part with the mean of their gradients, by the tree that replicas add up
    /// with. All push the same ones.
    void applyMean(std::span<const Contribution* const> contributions);

private:
    /// A gradient on its way into a part.
    struct Gradient
    {
        std::int64_t first = 0; ///< element of the part
        std::int64_t count = 0;
        std::span<const float> dense;
        kernels::SparseGradient sparse;
        std::vector<float> sum; ///< memory of `dense`, if it is one
        bool isSparse = false;
    };

    std::size_t index(int part) const { return m_partOf.at(part); }
    std::vector<Gradient> gradientsOf(const Contribution& contribution, bool sync,
                                      std::vector<std::size_t>& parts) const;
    std::vector<Gradient> sum(std::span<const Contribution* const> contributions,
                              std::vector<std::size_t>& parts);
    void apply(std::size_t part, const Gradient& gradient);
    void train(StoredPart& part, const Gradient& gradient);

    kernels::ThreadPool m_pool;
    kernels::SparseScratch m_scratch;
    std::vector<StoredPart> m_parts;
    std::map<int, std::size_t> m_partOf; ///< by id
    std::vector<int> m_ids;              ///< of the parts
    std::vector<std::unique_ptr<optimizers::Optimizer>> m_optimizers;
};

} // namespace cannery::parameters
