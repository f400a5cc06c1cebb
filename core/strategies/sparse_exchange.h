// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/plan/network.h"

#include <cstddef>
#include <span>
#include <vector>

namespace cannery::strategies {

/// The sparse gradients of a step on their way between processes: each process sends all of its
/// rows to all others, which add them up as the tree of plan::Sharding does. (All-gather of slices,
/// as TensorFlow does; its bytes grow with the number of processes and rows, not with the table.)
class SparseExchange
{
public:
    /// For each part: number of rows, rows, values; in the byte order of the machine.
    std::span<const std::byte> pack(std::span<const plan::SparsePart> parts);
    /// Replaces the parts by the sums over all processes. `packed`: of each process, by rank.
    /// Errors: "strategies.sparse_bytes" if they do not fit the parts.
    Result<void> sum(const std::vector<std::vector<std::byte>>& packed,
                     std::span<const plan::SparsePart> parts);

private:
    Result<void> unpack(std::span<const std::byte> bytes, std::span<const plan::SparsePart> parts,
                        std::vector<kernels::SparseGradient>& gradients) const;
    void add(std::size_t first, std::size_t count, std::span<const plan::SparsePart> parts);

    std::vector<std::byte> m_packed;
    std::vector<std::vector<kernels::SparseGradient>> m_gathered; ///< by rank, then by part
    kernels::SparseScratch m_scratch;
    kernels::SparseGradient m_spare;
};

} // namespace cannery::strategies
