// SPDX-License-Identifier: Apache-2.0
#include "core/data/feature_stream.h"

#include "core/base/memory_guard.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cannery::data {

namespace {

constexpr std::string_view kGuardedRows = "the rows of the table";

/// Makes the features of as many chunks at a time as there are threads.
class MakingStream final : public FeatureStream
{
public:
    MakingStream(std::unique_ptr<ChunkStream> chunks, FeatureStreamOptions options)
        : m_chunks(std::move(chunks)), m_options(std::move(options))
    {}

    Result<std::optional<FeatureBatch>> next() override
    {
        return m_guard.run(kGuardedRows, [this] { return nextBatch(); });
    }

    ReadReport report() const override { return m_chunks->report(); }

private:
    struct Made
    {
        FeatureBatch batch;
        Result<void> done;
    };

    Result<std::optional<FeatureBatch>> nextBatch()
    {
        if (m_next == m_made.size() && !m_isOver) {
            makeSome();
        }
        if (m_next < m_made.size()) {
            Made& made = m_made[m_next++];
            CANNERY_TRY(std::move(made.done));
            return std::optional<FeatureBatch>(std::move(made.batch));
        }
        return m_rows > 0 ? Result<std::optional<FeatureBatch>>(std::nullopt)
                          : tl::make_unexpected(m_options.emptyError);
    }

    /// The end, or an error, is reported after everything before it has been handed out.
    void makeSome()
    {
        const std::size_t most =
            m_options.threads.areSeveral() ? static_cast<std::size_t>(m_options.threads.count) : 1;
        std::vector<storage::TableChunk> taken;
        std::optional<Error> failure;
        while (taken.size() < most && !m_isOver) {
            Result<std::optional<storage::TableChunk>> chunk = m_chunks->next();
            m_isOver = !chunk || !*chunk;
            if (!chunk) {
                failure = std::move(chunk).error();
            } else if (!*chunk) {
                m_options.ended(m_chunks->fingerprint());
            } else {
                m_rows += (*chunk)->rows;
                taken.push_back(**std::move(chunk));
                m_isOver = m_options.maxRows > 0 && m_rows >= m_options.maxRows;
            }
        }
        m_next = 0;
        m_made.clear();
        m_made.resize(taken.size());
        m_options.threads.runAll(static_cast<std::int64_t>(taken.size()), [&](std::int64_t index) {
            const auto i = static_cast<std::size_t>(index);
            m_made[i].done = guardMemory(kGuardedRows, [&]() -> Result<void> {
                CANNERY_TRY_ASSIGN(m_made[i].batch, m_options.maker.make(std::move(taken[i])));
                return {};
            });
        });
        if (failure) {
            m_made.push_back({.done = tl::make_unexpected(*std::move(failure))});
        }
    }

    std::unique_ptr<ChunkStream> m_chunks;
    FeatureStreamOptions m_options;
    std::vector<Made> m_made;
    std::size_t m_next = 0; ///< next one to hand out
    std::uint64_t m_rows = 0;
    bool m_isOver = false; ///< reading has ended
    ReadGuard m_guard;     ///< a chunk taken once is not returned again
};

} // namespace

std::unique_ptr<FeatureStream> makeFeatures(std::unique_ptr<ChunkStream> chunks,
                                            FeatureStreamOptions options)
{
    return std::make_unique<MakingStream>(std::move(chunks), std::move(options));
}

} // namespace cannery::data
