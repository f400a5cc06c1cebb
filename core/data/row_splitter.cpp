// SPDX-License-Identifier: Apache-2.0
#include "core/data/row_splitter.h"

#include "core/base/check.h"
#include "core/base/fingerprint.h"
#include "core/data/data_errors.h"
#include "core/data/keyed_permutation.h"

#include <algorithm>
#include <cmath>

namespace cannery::data {

namespace {

constexpr std::size_t kMaxClasses = 100000;

class FilteredStream : public ChunkStream
{
public:
    FilteredStream(std::unique_ptr<ChunkStream> stream, RowSplitter splitter, DataPart part)
        : m_stream(std::move(stream)), m_splitter(std::move(splitter)), m_part(part)
    {}

    Result<std::optional<storage::TableChunk>> next() override
    {
        while (true) {
            CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, m_stream->next());
            if (!chunk) {
                return chunk;
            }
            const StringColumn* texts = nullptr;
            storage::TableColumn marks;
            if (!m_splitter.column().empty()) {
                CANNERY_CHECK(!chunk->columns.empty() &&
                              chunk->columns.back().name == kSplitColumn);
                marks = std::move(chunk->columns.back());
                chunk->columns.pop_back();
                texts = &marks.strings();
            }
            CANNERY_TRY_ASSIGN(const std::vector<std::uint32_t> rows,
                               m_splitter.pick(chunk->rows, texts, m_part));
            if (!rows.empty()) {
                keep(*chunk, rows);
                m_rows += chunk->rows;
                return chunk;
            }
        }
    }

    ReadReport report() const override
    {
        ReadReport report = m_stream->report();
        report.rows = m_rows;
        return report;
    }

    std::optional<std::string> fingerprint() const override { return m_stream->fingerprint(); }

private:
    static void keep(storage::TableChunk& chunk, const std::vector<std::uint32_t>& rows)
    {
        if (rows.size() == chunk.rows) {
            return;
        }
        for (storage::TableColumn& column : chunk.columns) {
            column = storage::gather(column, rows);
        }
        if (!chunk.lines.empty()) {
            std::vector<std::uint64_t> lines;
            for (const std::uint32_t row : rows) {
                lines.push_back(chunk.lines[row]);
            }
            chunk.lines = std::move(lines);
        }
        chunk.rows = rows.size();
    }

    std::unique_ptr<ChunkStream> m_stream;
    RowSplitter m_splitter;
    DataPart m_part;
    std::uint64_t m_rows = 0;
};

} // namespace

Result<RowSplitter> RowSplitter::create(const spec::Split& split, const std::string& label)
{
    RowSplitter splitter;
    if (split.kind_case() == spec::Split::kByColumn) {
        splitter.m_byColumn = true;
        splitter.m_column = split.by_column().column();
        splitter.m_evalValues.assign(split.by_column().eval_values().begin(),
                                     split.by_column().eval_values().end());
        return splitter;
    }
    const double fraction = split.fraction().eval_fraction();
    if (!(fraction > 0 && fraction < 1)) {
        return fail(ErrorCode::InvalidArgument, kBadFraction, fraction);
    }
    splitter.m_fraction = fraction;
    splitter.m_seed = static_cast<std::uint64_t>(split.fraction().seed());
    const double groupSize = std::round(1 / std::min(fraction, 1 - fraction));
    splitter.m_groupSize = static_cast<std::uint64_t>(std::clamp(groupSize, 2.0, 1e6));
    splitter.m_column = split.fraction().stratify() ? label : std::string();
    return splitter;
}

bool RowSplitter::isEvalRow(std::uint64_t classKey, std::uint64_t member) const
{
    const std::uint64_t group = member / m_groupSize;
    const auto heldBackBefore = [&](std::uint64_t groups) {
        return std::floor(static_cast<double>(groups * m_groupSize) * m_fraction + 1e-9);
    };
    const double quota = heldBackBefore(group + 1) - heldBackBefore(group);
    const KeyedPermutation order(static_cast<std::int64_t>(m_groupSize),
                                 permutationKey(m_seed ^ mixBits(classKey), group));
    return static_cast<double>(order(static_cast<std::int64_t>(member % m_groupSize))) < quota;
}

Result<bool> RowSplitter::isEval(std::string_view text)
{
    if (m_byColumn) {
        return std::find(m_evalValues.begin(), m_evalValues.end(), text) != m_evalValues.end();
    }
    const std::uint64_t classKey = m_column.empty() ? 0 : fingerprint64(text);
    if (m_seen.size() > kMaxClasses) {
        return fail(ErrorCode::InvalidArgument, kTooManyClasses, kMaxClasses);
    }
    return isEvalRow(classKey, m_seen[classKey]++);
}

Result<std::vector<std::uint32_t>> RowSplitter::pick(std::size_t rows, const StringColumn* texts,
                                                     DataPart part)
{
    std::vector<std::uint32_t> picked;
    for (std::uint32_t row = 0; row < rows; ++row) {
        CANNERY_TRY_ASSIGN(const bool isHeldBack,
                           isEval(texts != nullptr ? (*texts)[row] : std::string_view()));
        if (isHeldBack == (part == DataPart::Eval)) {
            picked.push_back(row);
        }
    }
    return picked;
}

std::unique_ptr<ChunkStream> filterRows(std::unique_ptr<ChunkStream> stream, RowSplitter splitter,
                                        DataPart part)
{
    return std::make_unique<FilteredStream>(std::move(stream), std::move(splitter), part);
}

} // namespace cannery::data
