// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/sparse_exchange.h"

#include <algorithm>
#include <cstring>

namespace cannery::strategies {

namespace {

constexpr ErrorKind kBytes{
    "strategies.sparse_bytes",
    "Another worker sent gradients that do not fit this model; run the same version of Cannery "
    "with the same experiment everywhere."};

template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values)
{
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

/// All numbers on the way have four bytes, so that each stands where its type may.
template <typename T>
std::span<const T> take(std::span<const std::byte>& bytes, std::int64_t count)
{
    static_assert(sizeof(T) == 4);
    const std::span<const T> values(reinterpret_cast<const T*>(bytes.data()),
                                    static_cast<std::size_t>(count));
    bytes = bytes.subspan(values.size_bytes());
    return values;
}

template <typename Bytes>
std::vector<std::span<Bytes>> spansOf(std::vector<std::vector<std::byte>>& buffers)
{
    return {buffers.begin(), buffers.end()};
}

} // namespace

RowTransport transportOf(std::int64_t rows, std::int64_t cols, std::int64_t tableRows,
                         std::int64_t ranks)
{
    // By the formulas of the header, times ranks / (ranks - 1), with the most different rows there
    // may be: what is really saved is known only after rows were exchanged.
    const std::int64_t saved = rows - rows / ranks - std::min(tableRows, rows);
    const auto bytes = saved * cols * static_cast<std::int64_t>(sizeof(float));
    return bytes >= kWorthwhileBytes ? RowTransport::Shared : RowTransport::Gathered;
}

Result<void> SparseExchange::sum(collectives::Communicator& group, Parts parts)
{
    m_ranks = static_cast<std::size_t>(group.size());
    m_own = static_cast<std::size_t>(group.rank());
    m_tables.resize(parts.size());
    for (std::vector<Bytes>* buffers : {&m_rows, &m_sent, &m_received, &m_sums}) {
        buffers->resize(m_ranks);
    }
    CANNERY_TRY(exchangeCounts(group, parts));
    CANNERY_TRY(exchangeRows(group, parts));
    CANNERY_TRY(unite(parts));
    if (m_shares) {
        CANNERY_TRY(exchangeShares(group, parts));
    }
    addUp(parts);
    return m_shares ? exchangeSums(group, parts) : Result<void>();
}

std::int64_t SparseExchange::rowCount(std::size_t rank, std::size_t part) const
{
    return m_counts[rank * m_tables.size() + part];
}

/// Every rank then has the lengths of all further messages, and decides alike.
Result<void> SparseExchange::exchangeCounts(collectives::Communicator& group, Parts parts)
{
    m_counts.resize(m_ranks * parts.size());
    std::vector<std::span<std::byte>> spans;
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        spans.push_back(
            std::as_writable_bytes(std::span(m_counts).subspan(rank * parts.size(), parts.size())));
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        m_counts[m_own * parts.size() + part] = parts[part].gradient->rowCount();
    }
    CANNERY_TRY(group.allGatherV(spans));
    m_shares = false;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        std::int64_t all = 0;
        for (std::size_t rank = 0; rank < m_ranks; ++rank) {
            const std::int64_t count = rowCount(rank, part);
            if (count < 0 || count > parts[part].tableRows) {
                return fail(ErrorCode::DataLoss, kBytes);
            }
            all += count;
        }
        m_tables[part].transport =
            transportOf(all, parts[part].gradient->cols, parts[part].tableRows,
                        static_cast<std::int64_t>(m_ranks));
        m_shares = m_shares || m_tables[part].transport == RowTransport::Shared;
    }
    return {};
}

/// Row numbers of all tables go to all ranks in one message, with the values of those that are
/// gathered.
Result<void> SparseExchange::exchangeRows(collectives::Communicator& group, Parts parts)
{
    const auto valuesToo = [&](std::size_t part) {
        return m_tables[part].transport == RowTransport::Gathered;
    };
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        std::int64_t numbers = 0;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            numbers +=
                rowCount(rank, part) * (1 + (valuesToo(part) ? parts[part].gradient->cols : 0));
        }
        m_rows[rank].resize(static_cast<std::size_t>(numbers) * sizeof(float));
    }
    Bytes& own = m_rows[m_own];
    own.clear();
    for (const plan::SparsePart& part : parts) {
        append(own, std::span<const std::int32_t>(part.gradient->rows));
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        if (valuesToo(part)) {
            append(own, std::span<const float>(parts[part].gradient->values));
        }
    }
    return group.allGatherV(spansOf<std::byte>(m_rows));
}

Result<void> SparseExchange::unite(Parts parts)
{
    std::vector<std::span<const std::byte>> rest = spansOf<const std::byte>(m_rows);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        m_rowsByRank.clear();
        for (std::size_t rank = 0; rank < m_ranks; ++rank) {
            m_rowsByRank.push_back(take<std::int32_t>(rest[rank], rowCount(rank, part)));
            for (const std::int32_t row : m_rowsByRank.back()) {
                if (row < 0 || row >= parts[part].tableRows) {
                    return fail(ErrorCode::DataLoss, kBytes);
                }
            }
        }
        m_tables[part].rows.unite(m_rowsByRank, parts[part].tableRows);
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        Table& table = m_tables[part];
        table.values.assign(m_ranks, nullptr);
        for (std::size_t rank = 0; rank < m_ranks && table.transport == RowTransport::Gathered;
             ++rank) {
            const std::int64_t count = rowCount(rank, part) * parts[part].gradient->cols;
            table.values[rank] = take<float>(rest[rank], count).data();
        }
    }
    return {};
}

/// The values of each rank's share, to that rank.
Result<void> SparseExchange::exchangeShares(collectives::Communicator& group, Parts parts)
{
    for (std::size_t peer = 0; peer < m_ranks; ++peer) {
        m_sent[peer].clear();
        std::size_t received = 0;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            const Table& table = m_tables[part];
            if (table.transport != RowTransport::Shared) {
                continue;
            }
            const auto cols = static_cast<std::size_t>(parts[part].gradient->cols);
            const RowUnion::Range theirs = table.rows.share(peer, m_ranks);
            const RowUnion::Range own = table.rows.share(m_own, m_ranks);
            const std::span<const float> values = parts[part].gradient->values;
            const std::span<const std::uint32_t> numbers = table.rows.numbers(m_own);
            for (std::size_t entry = 0; entry < numbers.size(); ++entry) {
                if (theirs.holds(numbers[entry])) {
                    append(m_sent[peer], values.subspan(entry * cols, cols));
                }
            }
            received += cols * static_cast<std::size_t>(std::ranges::count_if(
                                   table.rows.numbers(peer),
                                   [&](std::uint32_t number) { return own.holds(number); }));
        }
        m_received[peer].resize(received * sizeof(float));
    }
    CANNERY_TRY(group.allToAllV(spansOf<const std::byte>(m_sent), spansOf<std::byte>(m_received)));
    // What stays here does not go through the network.
    m_received[m_own] = m_sent[m_own];
    std::vector<std::span<const std::byte>> rest = spansOf<const std::byte>(m_received);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        Table& table = m_tables[part];
        const RowUnion::Range own = table.rows.share(m_own, m_ranks);
        for (std::size_t rank = 0; rank < m_ranks && table.transport == RowTransport::Shared;
             ++rank) {
            const auto rows = std::ranges::count_if(
                table.rows.numbers(rank), [&](std::uint32_t number) { return own.holds(number); });
            table.values[rank] = take<float>(rest[rank], rows * parts[part].gradient->cols).data();
        }
    }
    return {};
}

/// Gathered tables entirely; of shared ones this rank's rows, at their places in the whole.
void SparseExchange::addUp(Parts parts)
{
    for (std::size_t part = 0; part < parts.size(); ++part) {
        Table& table = m_tables[part];
        kernels::SparseGradient& gradient = *parts[part].gradient;
        const auto cols = static_cast<std::size_t>(gradient.cols);
        const RowUnion::Range range = table.transport == RowTransport::Shared
                                          ? table.rows.share(m_own, m_ranks)
                                          : table.rows.all();
        gradient.rows.assign(table.rows.rows().begin(), table.rows.rows().end());
        gradient.values.resize(gradient.rows.size() * cols);
        table.rows.sum(range, table.values, gradient.cols,
                       std::span(gradient.values).subspan(range.first * cols, range.count * cols));
    }
}

Result<void> SparseExchange::exchangeSums(collectives::Communicator& group, Parts parts)
{
    const auto forEachShare = [&](std::size_t rank, const auto& function) {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            if (m_tables[part].transport == RowTransport::Shared) {
                const auto cols = static_cast<std::size_t>(parts[part].gradient->cols);
                const RowUnion::Range share = m_tables[part].rows.share(rank, m_ranks);
                function(std::span(parts[part].gradient->values)
                             .subspan(share.first * cols, share.count * cols));
            }
        }
    };
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        std::size_t bytes = 0;
        forEachShare(rank, [&](std::span<float> values) { bytes += values.size_bytes(); });
        m_sums[rank].resize(bytes);
    }
    m_sums[m_own].clear();
    forEachShare(m_own, [&](std::span<const float> values) { append(m_sums[m_own], values); });
    CANNERY_TRY(group.allGatherV(spansOf<std::byte>(m_sums)));
    for (std::size_t rank = 0; rank < m_ranks; ++rank) {
        const std::byte* next = m_sums[rank].data();
        forEachShare(rank, [&](std::span<float> values) {
            if (!values.empty()) {
                std::memcpy(values.data(), next, values.size_bytes());
                next += values.size_bytes();
            }
        });
    }
    return {};
}

} // namespace cannery::strategies
