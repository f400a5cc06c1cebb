// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/date_columns.h"

#include "core/data/data_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cannery::data {

namespace {

spec::Column& entryOf(spec::Data& data, const std::string& column)
{
    for (spec::Column& known : *data.mutable_column()) {
        if (known.name() == column) {
            return known;
        }
    }
    spec::Column& added = *data.add_column();
    added.set_name(column);
    return added;
}

} // namespace

std::vector<std::string> dateColumns(const spec::Data& data)
{
    std::vector<std::string> names;
    const auto add = [&](const std::string& column) {
        if (std::find(names.begin(), names.end(), column) == names.end()) {
            names.push_back(column);
        }
    };
    // The split reads a date even if no feature does.
    if (data.split().has_by_time()) {
        add(data.split().by_time().column());
    }
    for (const spec::Feature& feature : data.feature()) {
        if (feature.has_date_part()) {
            add(feature.date_part().column());
        }
    }
    return names;
}

std::optional<spec::DateNotation::Name> statedDateNotation(const spec::Data& data,
                                                           const std::string& column)
{
    for (const spec::Column& known : data.column()) {
        // An entry for the column may say nothing about dates.
        if (known.name() == column && known.has_date_notation()) {
            return known.date_notation();
        }
    }
    return std::nullopt;
}

spec::DateNotation::Name dateNotationOf(const spec::Data& data, const std::string& column)
{
    // Without a word about it, dates are in ISO 8601.
    return statedDateNotation(data, column).value_or(spec::DateNotation::iso);
}

bool lacksDateNotations(const spec::Data& data)
{
    const std::vector<std::string> columns = dateColumns(data);
    return std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
        return !statedDateNotation(data, column);
    });
}

Result<DateEvidence> dateEvidenceOf(const DataSource& source, const std::string& column,
                                    bool mayEndEarly)
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<ChunkStream> stream,
                       source.read({.columns = {{.column = column, .dtype = DType::String}}}));
    DateEvidence evidence;
    // Dates that can be read in one way only make the rest unnecessary.
    while (!(mayEndEarly && evidence.isPlain())) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        const storage::TableColumn& cells = chunk->columns.front();
        const StringColumn& texts = cells.strings();
        for (std::size_t row = 0; row < chunk->rows; ++row) {
            // Empty cells say nothing about the notation.
            if (cells.isValid(row) && !texts[row].empty()) {
                evidence.observe(texts[row]);
            }
        }
    }
    return evidence;
}

Result<spec::Data> withDateNotations(const spec::Data& data, const DataSource& training)
{
    spec::Data stated = data;
    for (const std::string& column : dateColumns(data)) {
        // A column that the table lacks is reported elsewhere.
        if (statedDateNotation(data, column) || training.schema().find(column) == nullptr) {
            continue;
        }
        CANNERY_TRY_ASSIGN(const DateEvidence evidence, dateEvidenceOf(training, column, true));
        CANNERY_TRY_ASSIGN(const spec::DateNotation::Name notation, evidence.notation(column));
        entryOf(stated, column).set_date_notation(notation);
    }
    return stated;
}

spec::Data withDateNotationsOf(const spec::Data& data, const spec::Data& known)
{
    spec::Data stated = data;
    for (const std::string& column : dateColumns(data)) {
        const std::optional<spec::DateNotation::Name> notation = statedDateNotation(known, column);
        // What is stated already is not replaced.
        if (notation && !statedDateNotation(data, column)) {
            entryOf(stated, column).set_date_notation(*notation);
        }
    }
    return stated;
}

DType DateRecipe::dtype() const
{
    return part == spec::DatePart::days_since ? DType::Float32 : DType::Int64;
}

std::optional<double> DateRecipe::read(std::string_view text) const
{
    const std::optional<DateTime> date = readDate(text, notation);
    return date ? std::optional(datePart(*date, part, origin)) : std::nullopt;
}

std::optional<std::string> DateRecipe::readText(std::string_view text) const
{
    const std::optional<double> number = read(text);
    if (!number) {
        return std::nullopt;
    }
    return isInteger(dtype()) ? fmt::format("{}", static_cast<std::int64_t>(*number))
                              : fmt::format("{}", static_cast<float>(*number));
}

Result<DateRecipe> dateRecipe(const spec::Data& data, const spec::Feature& feature)
{
    const spec::DatePart& date = feature.date_part();
    DateRecipe recipe{.part = date.part(), .notation = dateNotationOf(data, date.column())};
    if (!date.origin().empty()) {
        const std::optional<IsoTime> origin = parseIsoTime(date.origin());
        if (!origin) {
            return fail(ErrorCode::InvalidArgument, kBadOrigin, feature.name(), date.origin());
        }
        recipe.origin = *origin;
    }
    return recipe;
}

} // namespace cannery::data
