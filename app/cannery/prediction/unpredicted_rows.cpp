// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/prediction/unpredicted_rows.h"

#include "core/data/rows/row_reason.h"
#include "core/features/raw_rows.h"
#include "core/features/usable_rows.h"

#include <algorithm>
#include <utility>

namespace cannery::app {

namespace {

constexpr ErrorKind kUnreadableRow{"predict.unreadable_row", "{0}"};

std::vector<std::optional<std::string>> keysOf(const data::FeatureBatch& chunk, std::int64_t row,
                                               const std::vector<std::string>& columns)
{
    std::vector<std::optional<std::string>> keys;
    for (const std::string& column : columns) {
        const auto found = std::ranges::find(chunk.features, column, &data::FeatureValues::name);
        const bool isThere = found != chunk.features.end() && !features::isInvalid(*found, row);
        keys.push_back(isThere ? std::optional(features::elementText(*found, row)) : std::nullopt);
    }
    return keys;
}

} // namespace

void UnpredictedRows::take(const data::FeatureStream& stream)
{
    // What has been placed is dropped: of a long file, only open rows are in memory.
    m_refused.erase(m_refused.begin(), m_refused.begin() + static_cast<std::ptrdiff_t>(m_next));
    m_next = 0;
    for (data::RefusedRow& row : stream.refused(m_taken)) {
        m_refused.push_back(
            {{static_cast<std::int32_t>(row.file), static_cast<std::int64_t>(row.line)},
             std::move(row.sentence),
             row.isInTable ? std::optional(row.offset) : std::nullopt});
        ++m_taken;
    }
    // A source that converts its files reports what it could not convert ahead of the rest.
    std::ranges::stable_sort(m_refused, {}, &Refused::place);
}

/// The next one that is not in the chunks; nothing if that is behind `place`.
std::optional<UnpredictedRows::Refused>
UnpredictedRows::nextBefore(const std::optional<Place>& place)
{
    return m_next < m_refused.size() && (!place || m_refused[m_next].place < *place)
               ? std::optional(m_refused[m_next++])
               : std::nullopt;
}

/// The cells that can be read of a row that as a whole cannot.
std::vector<std::optional<std::string>> UnpredictedRows::readableKeys(const Refused& row)
{
    std::vector<std::optional<std::string>> keys(m_keyColumns.size());
    if (!row.offset || keys.empty()) {
        return keys;
    }
    if (!m_reader) {
        Result<std::unique_ptr<data::RowReader>> reader = m_source.rowReader();
        if (!reader) {
            return keys;
        }
        m_reader = *std::move(reader);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = m_reader->cellOfRefused(static_cast<std::size_t>(row.place.file), *row.offset,
                                          m_keyColumns[i]);
    }
    return keys;
}

serving::UnpredictedRow UnpredictedRows::unreadable(std::int64_t before, const Refused& row)
{
    ++m_count;
    return {.before = before,
            .keys = readableKeys(row),
            .reason = m_input.placed(
                error(ErrorCode::InvalidArgument, kUnreadableRow, data::reasonOf(row.sentence)))};
}

/// Removes rows of the chunk, and puts them in their places among those that were separated before.
void UnpredictedRows::remove(data::FeatureBatch& chunk,
                             const std::vector<data::UnusableRow>& unusable,
                             std::vector<serving::UnpredictedRow>& separated)
{
    std::vector<std::int64_t> rows;
    std::vector<serving::UnpredictedRow> all;
    auto before = separated.begin();
    const auto addUpTo = [&](std::int64_t row) {
        for (; before != separated.end() && before->before <= row; ++before) {
            all.push_back(std::move(*before));
            all.back().before -= static_cast<std::int64_t>(rows.size());
        }
    };
    for (const data::UnusableRow& one : unusable) {
        addUpTo(one.row);
        Error reason = one.error;
        reason.sentence = data::reasonOf(reason.sentence);
        all.push_back({.before = one.row - static_cast<std::int64_t>(rows.size()),
                       .keys = keysOf(chunk, one.row, m_keyColumns),
                       .reason = m_input.placed(std::move(reason))});
        rows.push_back(one.row);
    }
    addUpTo(chunk.rowCount);
    m_count += static_cast<std::int64_t>(rows.size());
    data::removeRows(chunk, rows);
    separated = std::move(all);
}

std::vector<serving::UnpredictedRow> UnpredictedRows::separate(data::FeatureBatch& chunk,
                                                               const data::FeatureStream& stream)
{
    take(stream);
    std::vector<serving::UnpredictedRow> separated;
    for (std::int64_t row = 0; row < chunk.rowCount; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const Place place{chunk.fileIndex[at], chunk.line[at]};
        while (const std::optional<Refused> refused = nextBefore(place)) {
            separated.push_back(unreadable(row, *refused));
        }
    }
    remove(chunk, std::exchange(chunk.unusable, {}), separated);
    return separated;
}

Result<bool> UnpredictedRows::sift(data::FeatureBatch& chunk,
                                   std::vector<serving::UnpredictedRow>& separated)
{
    CANNERY_TRY_ASSIGN(
        const std::vector<data::UnusableRow> found,
        features::findUnusable(m_encoder, chunk, features::Labels::None, m_source.files()));
    remove(chunk, found, separated);
    return !found.empty();
}

std::vector<serving::UnpredictedRow> UnpredictedRows::rest(const data::FeatureStream& stream)
{
    take(stream);
    std::vector<serving::UnpredictedRow> separated;
    while (const std::optional<Refused> refused = nextBefore(std::nullopt)) {
        separated.push_back(unreadable(0, *refused));
    }
    return separated;
}

} // namespace cannery::app
