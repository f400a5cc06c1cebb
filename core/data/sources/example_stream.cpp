// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/example_stream.h"

#include "core/base/memory_guard.h"
#include "core/data/data_fingerprint.h"
#include "core/data/sources/refused_rows.h"
#include "storage/tabular/ordered_blocks.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace cannery::data {

namespace {

using storage::RecordBlock;
using storage::RecordDamage;
using storage::TableChunk;

constexpr std::size_t kStreamBlock = std::size_t{1} << 20U;
/// Enough for a preview.
constexpr std::size_t kSmallStreamBlock = std::size_t{64} << 10U;
constexpr std::uint64_t kFewRows = 1000;

/// A parsed block, or why there is none.
struct Parsed
{
    ParsedExamples examples;
    std::optional<Error> error;
    bool isEnd = false;
};

class ExampleStream final : public ChunkStream
{
public:
    // A preview must not wait for a whole block.
    ExampleStream(const RecordFiles& files, ExampleStreamOptions options)
        : m_files(files), m_options(std::move(options)),
          m_blockBytes(m_options.request.maxRows > 0 && m_options.request.maxRows <= kFewRows
                           ? kSmallStreamBlock
                           : kStreamBlock),
          m_refused(m_options.request.maxRefused),
          // A fingerprint needs every byte, so the files are observed while they are read.
          m_reader(files, m_options.request.fingerprint ? &m_fingerprint.emplace() : nullptr),
          m_blocks(steps(), m_options.request.threads, m_files.paths.front())
    {}

    Result<std::optional<TableChunk>> next() override
    {
        return m_guard.run(m_files.paths.front(), [this] { return read(); });
    }

    ReadReport report() const override { return m_refused.report(m_rows); }

    std::vector<RefusedRow> refused(std::size_t from) const override
    {
        return m_refused.from(from);
    }

    std::optional<std::string> fingerprint() const override
    {
        const bool isWhole = m_fingerprint && m_fingerprint->files() == m_files.paths.size();
        // A stream that was stopped has not seen the rest.
        return isWhole ? std::optional(m_fingerprint->text()) : std::nullopt;
    }

private:
    /// A thread's working memory.
    struct Scratch
    {
        Scratch(const std::vector<ExampleColumn>& columns, bool keepOffsets)
            : parser(columns, keepOffsets)
        {}

        RecordBlock block;
        ExampleParser parser;
    };

    storage::OrderedBlocks<Scratch, Parsed>::Steps steps()
    {
        return {
            .makeScratch =
                [this] {
                    return std::make_unique<Scratch>(m_options.columns,
                                                     m_options.request.keepOffsets);
                },
            .read = [this](Scratch& scratch) { return m_reader.next(scratch.block, m_blockBytes); },
            .parse = [this](Scratch& scratch) { return parse(scratch); }};
    }

    Result<std::optional<TableChunk>> read()
    {
        while (!m_ended) {
            Parsed parsed = m_blocks.next();
            if (parsed.error) {
                return tl::make_unexpected(std::move(*parsed.error));
            }
            if (parsed.isEnd) {
                break;
            }
            CANNERY_TRY(note(parsed.examples));
            TableChunk& chunk = parsed.examples.chunk;
            if (chunk.rows > 0) {
                // Numbers count the good rows of all files.
                chunk.firstRow = m_rows;
                m_rows += chunk.rows;
                const std::uint64_t most = m_options.request.maxRows;
                // By whole blocks: a few rows more do no harm.
                m_ended = most > 0 && m_rows >= most;
                return std::optional(std::move(chunk));
            }
        }
        m_ended = true;
        return std::optional<TableChunk>();
    }

    Result<void> note(ParsedExamples& examples)
    {
        if (!examples.damages.empty() && !m_options.skipDamages) {
            return tl::make_unexpected(withSkipHint(std::move(examples.damages.front().error)));
        }
        if (!examples.badRows.empty() && !m_options.skipBadRecords) {
            return tl::make_unexpected(std::move(examples.badRows.front().error));
        }
        std::vector<RecordDamage> all = std::move(examples.damages);
        std::move(examples.badRows.begin(), examples.badRows.end(), std::back_inserter(all));
        // In the order of the file, whatever was wrong with them.
        std::sort(all.begin(), all.end(),
                  [](const RecordDamage& a, const RecordDamage& b) { return a.record < b.record; });
        for (RecordDamage& one : all) {
            m_refused.add(
                {examples.chunk.file, one.record + 1, one.offset, std::move(one.error.sentence)});
        }
        return {};
    }

    Parsed parse(Scratch& scratch) const
    {
        const std::string& path = m_files.paths[scratch.block.file];
        // In a thread of the pool nobody else would catch it.
        Result<ParsedExamples> examples = guardMemory(path, [&]() -> Result<ParsedExamples> {
            return scratch.parser.parse(scratch.block, path);
        });
        if (!examples) {
            return {.error = std::move(examples).error()};
        }
        return {.examples = std::move(*examples)};
    }

    const RecordFiles& m_files;
    ExampleStreamOptions m_options;
    std::size_t m_blockBytes;
    std::optional<DataFingerprint> m_fingerprint;
    ReadGuard m_guard; ///< a block taken from the files is not returned again
    std::uint64_t m_rows = 0;
    RefusedRows m_refused;
    bool m_ended = false;

    RecordFileReader m_reader;
    storage::OrderedBlocks<Scratch, Parsed> m_blocks; ///< uses the members above
};

} // namespace

std::unique_ptr<ChunkStream> streamExamples(const RecordFiles& files, ExampleStreamOptions options)
{
    return std::make_unique<ExampleStream>(files, std::move(options));
}

} // namespace cannery::data
