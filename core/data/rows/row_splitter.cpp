// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/row_splitter.h"

#include "core/base/check.h"
#include "core/base/fingerprint.h"
#include "core/data/data_errors.h"
#include "core/data/rows/keyed_permutation.h"
#include "core/data/typing/date_reader.h"
#include "storage/tabular/csv/csv_errors.h"

#include <algorithm>
#include <cmath>

namespace cannery::data {

namespace {

constexpr std::size_t kMaxClasses = 100000;
constexpr std::size_t kMaxSentences = 100;

} // namespace

Result<RowSplitter> RowSplitter::create(const spec::Split& split, const std::string& label,
                                        spec::DateNotation::Name notation)
{
    RowSplitter splitter;
    if (split.kind_case() == spec::Split::kByColumn) {
        splitter.m_byColumn = true;
        // A value of the column names the part.
        splitter.m_column = split.by_column().column();
        splitter.m_evalValues.assign(split.by_column().eval_values().begin(),
                                     split.by_column().eval_values().end());
        return splitter;
    }
    if (split.kind_case() == spec::Split::kByTime) {
        splitter.m_column = split.by_time().column();
        splitter.m_notation = notation;
        // The time of the split is always written in ISO 8601.
        splitter.m_evalFrom = parseIsoTime(split.by_time().eval_from());
        if (!splitter.m_evalFrom) {
            return fail(ErrorCode::InvalidArgument, kBadEvalFrom, split.by_time().eval_from());
        }
        return splitter;
    }
    return split.kind_case() == spec::Split::kFold ? create(split.fold(), label)
                                                   : create(split.fraction(), label);
}

Result<RowSplitter> RowSplitter::create(const spec::FractionSplit& split, const std::string& label)
{
    const double fraction = split.eval_fraction();
    // Negated, so that NaN is refused, too.
    if (!(fraction > 0 && fraction < 1)) {
        return fail(ErrorCode::InvalidArgument, kBadFraction, fraction);
    }
    RowSplitter splitter;
    splitter.m_fraction = fraction;
    splitter.m_seed = static_cast<std::uint64_t>(split.seed());
    // Groups are as short as the smaller share allows: each then has one row of it.
    const double groupSize = std::round(1 / std::min(fraction, 1 - fraction));
    splitter.m_groupSize = static_cast<std::uint64_t>(std::clamp(groupSize, 2.0, 1e6));
    // Without stratification all rows are one class.
    splitter.m_column = split.stratify() ? label : std::string();
    return splitter;
}

Result<RowSplitter> RowSplitter::create(const spec::FoldSplit& split, const std::string& label)
{
    // A fold is a number from 0.
    if (split.folds() < 2 || split.fold() < 0 || split.fold() >= split.folds()) {
        return fail(ErrorCode::InvalidArgument, kBadFold, split.fold(), split.folds());
    }
    RowSplitter splitter;
    splitter.m_fold = split.fold();
    splitter.m_seed = static_cast<std::uint64_t>(split.seed());
    splitter.m_groupSize = static_cast<std::uint64_t>(split.folds());
    splitter.m_column = split.stratify() ? label : std::string();
    return splitter;
}

/// `member` counts the rows of one class so far, so that a stratified split has the share in each
/// class. Folds use the same order as fractions: a fold is one place in each group.
bool RowSplitter::isEvalRow(std::uint64_t classKey, std::uint64_t member) const
{
    const std::uint64_t group = member / m_groupSize;
    // Each class has an order of its own in every group.
    const KeyedPermutation order(static_cast<std::int64_t>(m_groupSize),
                                 permutationKey(m_seed ^ mixBits(classKey), group));
    const std::int64_t place = order(static_cast<std::int64_t>(member % m_groupSize));
    if (m_fold) {
        return place == *m_fold;
    }
    // The quota of a group is what it adds to the rounded total, so errors do not add up over
    // groups. 1e-9 makes up for products such as 100 * 0.29, which may be below the integer.
    const auto heldBackBefore = [&](std::uint64_t groups) {
        return std::floor(static_cast<double>(groups * m_groupSize) * m_fraction + 1e-9);
    };
    const double quota = heldBackBefore(group + 1) - heldBackBefore(group);
    return static_cast<double>(place) < quota;
}

Result<bool> RowSplitter::isEval(std::string_view text)
{
    if (m_byColumn) {
        return std::find(m_evalValues.begin(), m_evalValues.end(), text) != m_evalValues.end();
    }
    const std::uint64_t classKey = m_column.empty() ? 0 : fingerprint64(text);
    // A count for each class is kept: a label that is a number would fill the memory.
    std::uint64_t& member = m_seen[classKey];
    if (m_seen.size() > kMaxClasses) {
        return fail(ErrorCode::InvalidArgument, kTooManyClasses, kMaxClasses);
    }
    return isEvalRow(classKey, member++);
}

Result<SplitRows> RowSplitter::split(std::size_t rows, const StringColumn* texts)
{
    SplitRows split;
    if (m_evalFrom) {
        CANNERY_CHECK(texts != nullptr);
        for (std::uint32_t row = 0; row < rows; ++row) {
            // A row without a readable date is in neither part: put into training, it might leak
            // the future.
            const std::optional<DateTime> date = readDate((*texts)[row], m_notation);
            (!date                      ? split.bad
             : date->time < *m_evalFrom ? split.train
                                        : split.eval)
                .push_back(row);
        }
        return split;
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
        CANNERY_TRY_ASSIGN(const bool isHeldBack,
                           isEval(texts != nullptr ? (*texts)[row] : std::string_view()));
        (isHeldBack ? split.eval : split.train).push_back(row);
    }
    return split;
}

PartChunk::PartChunk(DataPart part, std::shared_ptr<storage::TableChunk> chunk)
    : m_part(part), m_chunk(std::move(chunk))
{}

PartChunk::PartChunk(DataPart part, std::shared_ptr<storage::TableChunk> chunk,
                     std::vector<std::uint32_t> rows)
    : m_part(part), m_chunk(std::move(chunk))
{
    // No list stands for all rows, so that take() can move the chunk instead of copying it.
    // The rows of one part are a list of numbers.
    if (rows.size() < m_chunk->rows) {
        m_rows = std::move(rows);
    }
}

storage::TableChunk PartChunk::take() &&
{
    if (m_rows.empty()) {
        return std::move(*m_chunk);
    }
    // Cells are copied once, when they are needed.
    const storage::TableChunk& all = *m_chunk;
    storage::TableChunk some{.rows = m_rows.size(), .firstRow = all.firstRow, .file = all.file};
    for (const storage::TableColumn& column : all.columns) {
        some.columns.push_back(storage::gather(column, m_rows));
    }
    // Lines are there only if they were asked for.
    if (!all.lines.empty()) {
        for (const std::uint32_t row : m_rows) {
            some.lines.push_back(all.lines[row]);
        }
    }
    // Both parts share the chunk. The last of them to be taken frees it.
    m_chunk.reset();
    return some;
}

PartReader::PartReader(std::unique_ptr<ChunkStream> stream, DataPart part)
    : m_stream(std::move(stream)), m_parts{part}
{}

PartReader::PartReader(std::unique_ptr<ChunkStream> stream, RowSplitter splitter,
                       std::vector<DataPart> parts, BadSplitRows badRows)
    : m_stream(std::move(stream)), m_splitter(std::move(splitter)), m_parts(std::move(parts)),
      m_badRows(std::move(badRows))
{}

Result<std::optional<PartChunk>> PartReader::next()
{
    // A chunk may have no row of the wanted parts.
    while (m_ready.empty()) {
        CANNERY_TRY_ASSIGN(std::optional<storage::TableChunk> chunk, m_stream->next());
        if (!chunk) {
            return std::nullopt;
        }
        CANNERY_TRY(split(*std::move(chunk)));
    }
    PartChunk next = std::move(m_ready.front());
    m_ready.pop_front();
    m_rows += next.rows();
    return next;
}

Result<void> PartReader::split(storage::TableChunk&& chunk)
{
    // One chunk may become two parts. They share it, and each gathers its own rows when it is
    // taken.
    auto shared = std::make_shared<storage::TableChunk>(std::move(chunk));
    if (!m_splitter) {
        m_ready.emplace_back(m_parts.front(), std::move(shared));
        return {};
    }
    const StringColumn* texts = nullptr;
    storage::TableColumn marks;
    if (!m_splitter->column().empty()) {
        // The column that splits is requested once more, as texts and last, under a name of its
        // own. Here it goes, so that chunks have the columns that were asked for.
        CANNERY_CHECK(!shared->columns.empty() && shared->columns.back().name == kSplitColumn);
        marks = std::move(shared->columns.back());
        shared->columns.pop_back();
        texts = &marks.strings();
    }
    CANNERY_TRY_ASSIGN(SplitRows rows, m_splitter->split(shared->rows, texts));
    if (!rows.bad.empty()) {
        CANNERY_TRY(noteBad(*shared, *texts, rows.bad));
    }
    add(DataPart::Train, shared, std::move(rows.train));
    add(DataPart::Eval, shared, std::move(rows.eval));
    return {};
}

Result<void> PartReader::noteBad(const storage::TableChunk& chunk, const StringColumn& texts,
                                 const std::vector<std::uint32_t>& rows)
{
    constexpr std::size_t kShown = 80;
    for (const std::uint32_t row : rows) {
        ++m_badRowCount;
        // Beyond the shown sentences rows are only counted. If they are errors, the first one ended
        // it.
        if (m_badSentences.size() == kMaxSentences) {
            continue;
        }
        Error bad = error(ErrorCode::InvalidArgument, kNotATime, m_badRows.files[chunk.file],
                          chunk.lines[row], storage::printable(texts[row].substr(0, kShown)),
                          m_badRows.column, describe(m_splitter->notation()));
        if (!m_badRows.areSkipped) {
            return tl::make_unexpected(std::move(bad));
        }
        m_badSentences.push_back(std::move(bad.sentence));
    }
    return {};
}

void PartReader::add(DataPart part, const std::shared_ptr<storage::TableChunk>& chunk,
                     std::vector<std::uint32_t>&& rows)
{
    const bool isWanted = std::find(m_parts.begin(), m_parts.end(), part) != m_parts.end();
    // Rows of the other part are counted, and not kept.
    m_otherRows += isWanted ? 0 : rows.size();
    if (isWanted && !rows.empty()) {
        m_ready.emplace_back(part, chunk, std::move(rows));
    }
}

ReadReport PartReader::report() const
{
    ReadReport report = m_stream->report();
    if (m_splitter) {
        report.rows = m_rows;
        report.otherRows = m_otherRows;
        report.badRowCount += m_badRowCount;
        // The reader's own bad rows come first; the list has kMaxSentences in all.
        const std::size_t room = kMaxSentences - std::min(kMaxSentences, report.badRows.size());
        report.badRows.insert(report.badRows.end(), m_badSentences.begin(),
                              m_badSentences.begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(room, m_badSentences.size())));
    }
    return report;
}

} // namespace cannery::data
