// SPDX-License-Identifier: Apache-2.0
#include "core/features/usable_rows.h"

#include "core/spec/data.pb.h"

#include <algorithm>
#include <utility>

namespace cannery::features {

namespace {

/// Finds the rows that cannot be encoded by halving: rows that can be encoded together are all
/// usable.
class Sieve
{
public:
    Sieve(const FeatureEncoder& encoder, const data::FeatureBatch& batch, Labels labels,
          std::span<const std::string> files)
        : m_encoder(encoder), m_batch(batch), m_labels(labels), m_files(files)
    {}

    Result<std::vector<data::UnusableRow>> run()
    {
        // What is wrong with the batch as a whole, as a missing feature, fails without any row.
        CANNERY_TRY(encode({0, 0}));
        if (m_batch.rowCount > 0) {
            sift({0, m_batch.rowCount});
        }
        return std::move(m_found);
    }

private:
    Result<void> encode(RowSpan rows)
    {
        return m_encoder.encode(m_batch, rows, m_labels, m_files, m_encoded);
    }

    void sift(RowSpan rows)
    {
        Result<void> done = encode(rows);
        if (done) {
            return;
        }
        if (rows.count == 1) {
            m_found.push_back({rows.first, std::move(done).error()});
            return;
        }
        // Bad rows are few, so halving costs about log2(rows) encodings for each.
        const std::int64_t half = rows.count / 2;
        sift({rows.first, half});
        sift({rows.first + half, rows.count - half});
    }

    const FeatureEncoder& m_encoder;
    const data::FeatureBatch& m_batch;
    Labels m_labels;
    std::span<const std::string> m_files;
    EncodedRows m_encoded;
    std::vector<data::UnusableRow> m_found;
};

std::vector<std::int64_t> rowsOf(const std::vector<data::UnusableRow>& unusable)
{
    std::vector<std::int64_t> rows;
    for (const data::UnusableRow& one : unusable) {
        rows.push_back(one.row);
    }
    return rows;
}

/// Removes rows of which some were removed before.
class Removal
{
public:
    explicit Removal(std::int64_t rows) : m_numbers(static_cast<std::size_t>(rows))
    {
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            m_numbers[i] = static_cast<std::int64_t>(i);
        }
    }

    /// Rows as they are numbered now, ascending.
    void remove(data::FeatureBatch& batch, const std::vector<std::int64_t>& rows)
    {
        data::removeRows(batch, rows);
        auto removed = rows.begin();
        std::size_t kept = 0;
        for (std::size_t row = 0; row < m_numbers.size(); ++row) {
            // Walks along both ascending lists.
            const bool isRemoved =
                removed != rows.end() && *removed == static_cast<std::int64_t>(row);
            removed += isRemoved ? 1 : 0;
            m_numbers[kept] = m_numbers[row];
            kept += isRemoved ? 0 : 1;
        }
        m_numbers.resize(kept);
    }

    /// The number that a row had at first.
    std::int64_t numberOf(std::int64_t row) const
    {
        return m_numbers[static_cast<std::size_t>(row)];
    }

private:
    std::vector<std::int64_t> m_numbers;
};

} // namespace

RowPolicy RowPolicy::of(const spec::Data& data)
{
    const bool skipsBad = data.bad_rows() == spec::BadRows::SKIP;
    return {.skipsBad = skipsBad,
            .skipsUnlabelled = skipsBad || data.unlabelled_rows() == spec::BadRows::SKIP};
}

Result<std::vector<data::UnusableRow>> findUnusable(const FeatureEncoder& encoder,
                                                    const data::FeatureBatch& batch, Labels labels,
                                                    std::span<const std::string> files)
{
    return Sieve(encoder, batch, labels, files).run();
}

Result<LeftOutRows> encodeUsable(const FeatureEncoder& encoder, const RowPolicy& policy,
                                 data::FeatureBatch& batch, Labels labels,
                                 std::span<const std::string> files, EncodedRows& out)
{
    LeftOutRows left;
    Removal removal(policy.skipsAny() ? batch.rowCount : 0);
    // In this order: rows that reading has found first, then those without a label, since an error
    // of the label would hide others.
    if (!batch.unusable.empty()) {
        left.bad = std::move(batch.unusable);
        removal.remove(batch, rowsOf(left.bad));
    }
    if (policy.skipsUnlabelled && labels != Labels::None) {
        const std::vector<std::int64_t> rows = encoder.unlabelledRows(batch);
        for (const std::int64_t row : rows) {
            left.unlabelled.push_back(removal.numberOf(row));
        }
        removal.remove(batch, rows);
    }
    Result<void> done = encoder.encode(batch, labels, files, out);
    if (done || !policy.skipsBad) {
        return done ? Result<LeftOutRows>(std::move(left))
                    : tl::make_unexpected(std::move(done).error());
    }
    CANNERY_TRY_ASSIGN(const std::vector<data::UnusableRow> found,
                       findUnusable(encoder, batch, labels, files));
    for (const data::UnusableRow& one : found) {
        left.bad.push_back({removal.numberOf(one.row), one.error});
    }
    std::ranges::sort(left.bad, {}, &data::UnusableRow::row);
    // Encoded again without them: one pass more than needed only if a row was bad.
    removal.remove(batch, rowsOf(found));
    CANNERY_TRY(encoder.encode(batch, labels, files, out));
    return left;
}

} // namespace cannery::features
