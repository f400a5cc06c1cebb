// SPDX-License-Identifier: Apache-2.0
#include "core/advice/sentinel_tokens.h"

#include "core/advice/starting_experiment.h"
#include "storage/tabular/number_notation.h"
#include "storage/tabular/number_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cannery::advice {

namespace {

constexpr std::size_t kMostSpellings = 4;

/// The texts of a column of numbers that are this one.
class SpellingCollector
{
public:
    SpellingCollector(ColumnSentinel& sentinel, const storage::NumberNotation& notation)
        : m_sentinel(sentinel), m_reader(notation)
    {}

    void add(std::string_view text)
    {
        std::vector<std::string>& known = m_sentinel.spellings;
        const bool isKnown = std::find(known.begin(), known.end(), text) != known.end();
        // Each spelling is a token of its own.
        if (!isKnown && known.size() < kMostSpellings && isIt(text)) {
            known.emplace_back(text);
        }
    }

private:
    bool isIt(std::string_view text)
    {
        double number = 0;
        const auto rewritten = m_reader.rewritten(text);
        // Numbers of the statistics may be rounded to float32.
        return rewritten && storage::parseDouble(*rewritten, number) == storage::NumberStatus::Ok &&
               std::fabs(number - m_sentinel.sentinel.value) <=
                   1e-6 * std::fabs(m_sentinel.sentinel.value);
    }

    ColumnSentinel& m_sentinel;
    storage::NotationReader m_reader;
};

} // namespace

Result<std::vector<ColumnSentinel>> surveySentinels(const data::DataSource& source,
                                                    const data::TableStatistics& statistics,
                                                    const std::string& label)
{
    std::vector<ColumnSentinel> found;
    data::ChunkRequest request;
    for (const data::ColumnStatistics& column : statistics.columns) {
        const data::ColumnSchema* schema = source.schema().find(column.name);
        const bool isNumber = schema != nullptr && schema->kind == data::ColumnKind::Number;
        // The label's values are classes or targets, and stay.
        if (column.name == label || !isNumber) {
            continue;
        }
        if (std::optional<Sentinel> sentinel = findSentinel(column)) {
            found.push_back({.column = column.name, .sentinel = *std::move(sentinel)});
            request.columns.push_back({.column = column.name, .dtype = DType::String});
        }
    }
    if (found.empty()) {
        return found;
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    std::vector<SpellingCollector> collectors;
    for (ColumnSentinel& sentinel : found) {
        collectors.emplace_back(sentinel, source.schema().find(sentinel.column)->notation);
    }
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            return found;
        }
        for (std::size_t i = 0; i < collectors.size(); ++i) {
            const StringColumn& texts = chunk->columns[i].strings();
            for (std::size_t row = 0; row < chunk->rows; ++row) {
                collectors[i].add(texts[row]);
            }
        }
    }
}

bool addMissingTokens(const std::vector<ColumnSentinel>& sentinels,
                      std::vector<spec::Column>& columns)
{
    bool isAny = false;
    for (const ColumnSentinel& sentinel : sentinels) {
        // An uncertain sentinel becomes a warning, not a missing token.
        if (!sentinel.sentinel.isCertain || sentinel.spellings.empty()) {
            continue;
        }
        isAny = true;
        auto known = std::ranges::find(columns, sentinel.column, &spec::Column::name);
        if (known == columns.end()) {
            known = columns.emplace(columns.end());
            known->set_name(sentinel.column);
        }
        for (const std::string& spelling : sentinel.spellings) {
            known->add_missing_token(spelling);
        }
    }
    return isAny;
}

void noteSentinels(const std::vector<ColumnSentinel>& sentinels, StartingExperiment& result)
{
    for (const auto& [column, sentinel, spellings] : sentinels) {
        if (sentinel.isCertain) {
            result.taken.push_back(
                {column, fmt::format("{} recurs in {} rows, far from all other numbers: read as "
                                     "missing",
                                     sentinel.text, sentinel.count)});
        } else {
            result.warnings.push_back(
                {column,
                 fmt::format("holds {} in {} rows, far from all other numbers: if it stands "
                             "for a missing one, make it a missing_token of the column",
                             sentinel.text, sentinel.count)});
        }
    }
}

void noteUnnamed(const data::TableSchema& schema, StartingExperiment& result)
{
    for (const std::string& warning : schema.warnings) {
        if (warning.find("no name") != std::string::npos) {
            result.notes.insert(result.notes.begin(), warning);
        }
    }
}

} // namespace cannery::advice
