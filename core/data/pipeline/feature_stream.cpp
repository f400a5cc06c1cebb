// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/feature_stream.h"

#include "core/base/memory_guard.h"

#include <set>
#include <string_view>
#include <vector>

namespace cannery::data {

namespace {

constexpr std::string_view kGuardedRows = "the rows of the table";

/// Makes the features of as many chunks at a time as there are threads.
class MakingStream final : public PartStream
{
public:
    MakingStream(PartReader rows, FeatureStreamOptions options)
        : m_reader(std::move(rows)), m_options(std::move(options))
    {}

    Result<std::optional<PartBatch>> next() override
    {
        return m_guard.run(kGuardedRows, [this] { return nextBatch(); });
    }

    ReadReport report() const override { return m_reader.report(); }
    std::vector<RefusedRow> refused(std::size_t from) const { return m_reader.refused(from); }

private:
    Result<std::optional<PartBatch>> nextBatch()
    {
        if (m_next == m_made.size() && !m_isOver) {
            makeSome();
        }
        if (m_next < m_made.size()) {
            return std::optional<PartBatch>(std::move(m_made[m_next++]));
        }
        if (m_failure) {
            return tl::make_unexpected(*m_failure);
        }
        return std::nullopt;
    }

    /// The end, or an error, is reported after everything before it has been handed out.
    void makeSome()
    {
        // One chunk for each thread, so that all have work.
        const std::size_t threads =
            m_options.threads.areSeveral() ? static_cast<std::size_t>(m_options.threads.count) : 1;
        const std::size_t most = threads * m_reader.parts().size(); // that chunks are cut into
        std::vector<PartChunk> taken;
        bool isAtEnd = false;
        while (taken.size() < most && !m_isOver) {
            // Reading is one after the other, and making is at once.
            Result<std::optional<PartChunk>> chunk = m_reader.next();
            m_isOver = !chunk || !*chunk;
            if (!chunk) {
                m_failure = std::move(chunk).error();
            } else if (!*chunk) {
                isAtEnd = true;
                // Only a complete pass has seen every byte of the files.
                m_options.ended(m_reader.fingerprint());
            } else {
                m_rows += (*chunk)->rows();
                m_partsWithRows.insert((*chunk)->part());
                taken.push_back(**std::move(chunk));
                // By whole chunks: a few rows more cost nothing.
                m_isOver = m_options.maxRows > 0 && m_rows >= m_options.maxRows;
            }
        }
        // What was taken before an error or the end is made in any case.
        make(std::move(taken));
        if (isAtEnd) {
            addEmptyParts();
        }
    }

    void make(std::vector<PartChunk> taken)
    {
        m_next = 0;
        m_made.clear();
        m_made.resize(taken.size());
        m_options.threads.runAll(static_cast<std::int64_t>(taken.size()), [&](std::int64_t index) {
            const auto i = static_cast<std::size_t>(index);
            m_made[i].part = taken[i].part();
            // Memory can run out in a thread, where nobody would catch it.
            m_made[i].batch = guardMemory(
                kGuardedRows, [&] { return m_options.maker.make(std::move(taken[i]).take()); });
        });
    }

    void addEmptyParts()
    {
        for (const DataPart part : m_reader.parts()) {
            // Reported for each part: the other one may be fine.
            if (!m_partsWithRows.contains(part)) {
                PartBatch& made = m_made.emplace_back();
                made.part = part;
                made.batch = tl::make_unexpected(m_options.emptyError(part));
            }
        }
    }

    PartReader m_reader;
    FeatureStreamOptions m_options;
    std::vector<PartBatch> m_made;
    std::size_t m_next = 0; ///< next one to hand out
    std::uint64_t m_rows = 0;
    std::set<DataPart> m_partsWithRows;
    std::optional<Error> m_failure; ///< of reading, after what was made
    bool m_isOver = false;          ///< reading has ended
    ReadGuard m_guard;              ///< a chunk taken once is not returned again
};

/// The batches of the only part.
class OnePartStream final : public FeatureStream
{
public:
    OnePartStream(PartReader rows, FeatureStreamOptions options)
        : m_stream(std::move(rows), std::move(options))
    {}

    Result<std::optional<FeatureBatch>> next() override
    {
        return m_guard.run(kGuardedRows, [this]() -> Result<std::optional<FeatureBatch>> {
            CANNERY_TRY_ASSIGN(std::optional<PartBatch> made, m_stream.next());
            if (!made) {
                return std::nullopt;
            }
            CANNERY_TRY_ASSIGN(FeatureBatch batch, std::move(made->batch));
            return batch;
        });
    }

    ReadReport report() const override { return m_stream.report(); }
    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        return m_stream.refused(from);
    }

private:
    MakingStream m_stream;
    ReadGuard m_guard; ///< nothing follows rows that could not be made
};

} // namespace

std::unique_ptr<FeatureStream> makeFeatures(PartReader rows, FeatureStreamOptions options)
{
    return std::make_unique<OnePartStream>(std::move(rows), std::move(options));
}

std::unique_ptr<PartStream> makeFeaturesOfParts(PartReader rows, FeatureStreamOptions options)
{
    return std::make_unique<MakingStream>(std::move(rows), std::move(options));
}

} // namespace cannery::data
