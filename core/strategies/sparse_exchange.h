// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/collectives/communicator.h"
#include "core/plan/network_gradients.h"
#include "core/strategies/row_union.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cannery::strategies {

/// Sharing the sums of rows takes two messages more than gathering, about as long as these bytes.
inline constexpr std::int64_t kWorthwhileBytes = 64 * 1024;

/// How the rows of one table's gradients travel. Both ways give the same rows and bits.
enum class RowTransport
{
    Gathered, ///< each rank sends all its rows to all others, as TensorFlow does
    Shared,   ///< each rank adds up its share of the rows, and sends the sums to all others
};

/// With k rows of d values in each of P ranks and a table of V rows, a rank receives (P - 1) k
/// rows if they are gathered, and (P - 1) (k + U) / P if they are shared, where U is the number of
/// different ones, at most V: less when many of the rows are the same ones. A dense sum of the
/// table would be 2 (P - 1) V / P rows, never less. `rows`: of all ranks together.
RowTransport transportOf(std::int64_t rows, std::int64_t cols, std::int64_t tableRows,
                         std::int64_t ranks);

/// Adds up the sparse gradients of a step over all ranks, as the tree of plan::Sharding does. Keeps
/// its memory from step to step.
class SparseExchange
{
public:
    /// Replaces the parts by their sums. Errors: those of the communicator;
    /// "strategies.sparse_bytes" if what the others sent does not fit the parts.
    Result<void> sum(collectives::Communicator& group, std::span<const plan::SparsePart> parts);

private:
    using Bytes = std::vector<std::byte>;
    struct Table
    {
        RowTransport transport = RowTransport::Gathered;
        RowUnion rows;
        std::vector<const float*> values; ///< by rank, of the rows that this rank adds up
    };
    using Parts = std::span<const plan::SparsePart>;

    Result<void> exchangeCounts(collectives::Communicator& group, Parts parts);
    Result<void> exchangeRows(collectives::Communicator& group, Parts parts);
    Result<void> unite(Parts parts);
    Result<void> exchangeShares(collectives::Communicator& group, Parts parts);
    void addUp(Parts parts);
    Result<void> exchangeSums(collectives::Communicator& group, Parts parts);
    std::int64_t rowCount(std::size_t rank, std::size_t part) const;

    std::size_t m_ranks = 0;
    std::size_t m_own = 0;              ///< rank
    bool m_shares = false;              ///< any table is shared
    std::vector<std::int64_t> m_counts; ///< of rows, by rank and part
    std::vector<Table> m_tables;        ///< by part
    // By rank:
    std::vector<Bytes> m_rows; ///< of all tables, then the values of gathered ones
    std::vector<Bytes> m_sent; ///< values of shared tables that another rank adds up
    std::vector<Bytes> m_received;
    std::vector<Bytes> m_sums; ///< of shared tables
    std::vector<std::span<const std::int32_t>> m_rowsByRank;
};

} // namespace cannery::strategies
