// SPDX-License-Identifier: Apache-2.0
#include "core/serving/row_cells.h"

#include "core/base/catalog.h"
#include "core/base/utf8.h"
#include "core/features/feature_column.h"
#include "core/features/raw_plan.h"
#include "storage/tabular/csv/csv_scanner.h"
#include "storage/tabular/number_parser.h"
#include "storage/tabular/table_chunk.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <variant>

namespace cannery::serving {

namespace {

constexpr ErrorKind kNoFeature{"predict.no_feature", "The model reads no feature '{}'.{}"};
constexpr ErrorKind kCell{"predict.cell", "'{}' is not a value of feature '{}': it takes {}."};
constexpr ErrorKind kCellCount{"predict.cell_count", "Feature '{}' takes {}, but {} given."};

/// Bytes of a cell that a message shows.
constexpr std::size_t kShownBytes = 80;

/// Beyond this a double no longer distinguishes neighbouring integers.
constexpr double kMostExactInteger = 9007199254740992.0;

bool isWhole(double number)
{
    return number == std::floor(number) && std::fabs(number) <= kMostExactInteger;
}

bool fitsType(double number, DType dtype)
{
    // Other types take every number.
    if (!isInteger(dtype)) {
        return true;
    }
    // 2^63 itself does not fit, and every double below it does.
    return number == std::floor(number) && std::fabs(number) < 0x1p63 &&
           (dtype == DType::Int64 || (number >= std::numeric_limits<std::int32_t>::min() &&
                                      number <= std::numeric_limits<std::int32_t>::max()));
}

bool readNumber(std::string_view padded, float& number)
{
    return storage::parseFloat(padded, number) != storage::NumberStatus::NotANumber;
}
bool readNumber(std::string_view padded, double& number)
{
    return storage::parseDouble(padded, number) != storage::NumberStatus::NotANumber;
}
bool readNumber(std::string_view padded, std::int64_t& number)
{
    return storage::parseInteger(padded, number) == storage::NumberStatus::Ok;
}

void clearElements(data::FeatureElements& elements)
{
    std::visit([](auto& list) { list.clear(); }, elements);
}

void append(data::FeatureElements& elements, double number)
{
    std::visit(
        [number](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (!std::is_same_v<List, StringColumn>) {
                list.push_back(static_cast<typename List::value_type>(number));
            }
        },
        elements);
}

void append(data::FeatureElements& elements, std::string_view text)
{
    std::get<StringColumn>(elements).push_back(text);
}

/// A text as an element, parsed as a table is; nothing if it is not of that type. `padded` is
/// working memory.
bool appendText(std::string_view text, std::string& padded, data::FeatureValues& values)
{
    if (values.dtype == DType::String) {
        append(values.elements, text);
        return true;
    }
    // Parsers read some bytes beyond the text.
    padded.assign(storage::kTextPadding, ' ');
    padded.append(text).append(storage::kTextPadding, ' ');
    text = std::string_view(padded).substr(storage::kTextPadding, text.size());
    return std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            if constexpr (std::is_same_v<List, StringColumn>) {
                return false;
            } else {
                typename List::value_type number{};
                const bool isRead = readNumber(text, number) &&
                                    (values.dtype == DType::Int64 ||
                                     fitsType(static_cast<double>(number), values.dtype));
                if (isRead) {
                    list.push_back(number);
                }
                return isRead;
            }
        },
        values.elements);
}

/// The value of the feature in a row of a table whose cells are all empty.
data::FeatureValues missingValues(const features::RawPlan& plan, std::string& padded)
{
    data::FeatureValues values;
    values.name = plan.feature.name;
    values.dtype = plan.rawType();
    values.elements = storage::emptyValues(values.dtype);
    values.sparse = plan.feature.sparse;
    if (values.sparse) {
        for (const auto& piece : plan.feature.defaults) {
            appendText(piece.value_or(""), padded, values);
        }
        // The list's own number of defaults.
        const std::size_t count =
            std::visit([](const auto& list) { return list.size(); }, values.elements);
        values.rowOffsets = {0, static_cast<std::int64_t>(count)};
        return values;
    }
    values.shape = plan.feature.shape;
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.width()); ++i) {
        const std::optional<std::string> text =
            i < plan.feature.defaults.size() ? plan.feature.defaults[i] : std::nullopt;
        // An empty default is a text, but no number.
        const bool isThere = text && (!text->empty() || values.dtype == DType::String) &&
                             appendText(*text, padded, values);
        if (!isThere) {
            values.dtype == DType::String ? append(values.elements, std::string_view())
                                          : append(values.elements, 0.0);
        }
        values.valid.push_back(isThere ? 1 : 0);
    }
    return values;
}

/// Appends one element of a row.
void appendElement(const data::FeatureValues& row, std::size_t at, data::FeatureValues& values)
{
    std::visit(
        [&](auto& all) { all.push_back(std::get<std::decay_t<decltype(all)>>(row.elements)[at]); },
        values.elements);
}

/// Appends the only row of `row`.
void appendRow(const data::FeatureValues& row, data::FeatureValues& rows)
{
    std::visit(
        [&](auto& all) {
            const auto& own = std::get<std::decay_t<decltype(all)>>(row.elements);
            for (std::size_t i = 0; i < own.size(); ++i) {
                all.push_back(own[i]);
            }
        },
        rows.elements);
    rows.valid.insert(rows.valid.end(), row.valid.begin(), row.valid.end());
    if (rows.sparse) {
        rows.rowOffsets.push_back(rows.rowOffsets.back() + row.rowOffsets[1]);
    }
}

std::string takenBy(const data::FeatureValues& values)
{
    const std::string each(name(values.dtype));
    if (values.sparse) {
        return "any number of values of type " + each;
    }
    const std::int64_t count = values.shape.elementCount();
    return count == 1 ? "one value of type " + each
                      : std::to_string(count) + " values of type " + each;
}

} // namespace

Result<RowCells> RowCells::create(const features::FeatureEncoder& encoder)
{
    RowCells cells(encoder);
    std::vector<features::RawUse> uses;
    for (const auto& column : encoder.columns()) {
        column->addUses(uses);
    }
    CANNERY_TRY_ASSIGN(const auto plans, features::planRawFeatures(encoder.experiment(), uses, {}));
    cells.m_row.rowCount = 1;
    for (const std::string& key : encoder.inputKeys()) {
        const features::RawPlan& plan = plans.at(key);
        cells.m_cells.push_back({.missing = missingValues(plan, cells.m_padded),
                                 .missingTokens = plan.feature.missingTokens,
                                 .notation = storage::NotationReader(plan.feature.notation)});
        cells.m_row.features.push_back(cells.m_cells.back().missing);
    }
    return cells;
}

/// Marks what was just put into the feature as present.
void RowCells::accept(FeatureSlot slot, std::size_t count)
{
    data::FeatureValues& feature = values(slot);
    if (feature.sparse) {
        feature.rowOffsets[1] = static_cast<std::int64_t>(count);
    } else {
        std::fill(feature.valid.begin(), feature.valid.end(), std::uint8_t{1});
    }
}

tl::unexpected<Error> RowCells::refuse(FeatureSlot slot, std::string_view given)
{
    // The cell is missing from now on, and not half set.
    clear(slot);
    std::string shown = toUtf8(given.substr(0, kShownBytes));
    shown += given.size() > kShownBytes ? "…" : "";
    return fail(ErrorCode::InvalidArgument, kCell, shown, values(slot).name, takenBy(values(slot)));
}

tl::unexpected<Error> RowCells::refuseCount(FeatureSlot slot, std::size_t given)
{
    clear(slot);
    return fail(ErrorCode::InvalidArgument, kCellCount, values(slot).name, takenBy(values(slot)),
                given == 1 ? "one is" : std::to_string(given) + " are");
}

Result<FeatureSlot> RowCells::feature(std::string_view name) const
{
    const auto found = std::find(features().begin(), features().end(), name);
    if (found == features().end()) {
        return fail(ErrorCode::NotFound, kNoFeature, name, suggestion(name, features()));
    }
    return FeatureSlot{static_cast<std::size_t>(found - features().begin())};
}

Result<void> RowCells::setNumber(FeatureSlot slot, double number)
{
    return setNumbers(slot, {&number, 1});
}

Result<void> RowCells::setInteger(FeatureSlot slot, std::int64_t number)
{
    // Larger ones go as digits, since a double would round them.
    if (std::fabs(static_cast<double>(number)) < kMostExactInteger) {
        return setNumber(slot, static_cast<double>(number));
    }
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    const std::string_view text(digits.data(), end);
    return setTexts(slot, {&text, 1});
}

Result<void> RowCells::setText(FeatureSlot slot, std::string_view text)
{
    Cell& cell = m_cells[slot.index];
    const bool isNumber = values(slot).dtype != DType::String;
    // Blanks around a number do not count.
    text = isNumber ? storage::trimmed(text) : text;
    const std::vector<std::string>& tokens = cell.missingTokens;
    if (text.empty() || std::find(tokens.begin(), tokens.end(), text) != tokens.end() ||
        (isNumber && storage::spellsNan(text))) {
        clear(slot);
        return {};
    }
    // A program may also write it plainly.
    const auto number = isNumber ? cell.notation.rewritten(text) : std::nullopt;
    if (number && setTexts(slot, {&*number, 1})) {
        return {};
    }
    return setTexts(slot, {&text, 1});
}

Result<void> RowCells::setNumbers(FeatureSlot slot, std::span<const double> numbers)
{
    data::FeatureValues& feature = values(slot);
    const auto count = static_cast<std::int64_t>(numbers.size());
    // A list may have any number of values.
    if (!feature.sparse && count != feature.shape.elementCount()) {
        return refuseCount(slot, numbers.size());
    }
    clearElements(feature.elements);
    const auto isMissing = [&](std::size_t i) { return std::isnan(numbers[i]) && !feature.sparse; };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double number = numbers[i];
        // NaN in a list of fixed length means that the cell is missing there.
        if (isMissing(i)) {
            appendElement(m_cells[slot.index].missing, i, feature);
        } else if (feature.dtype == DType::String) {
            // A number for a text becomes its digits, so it must be whole.
            if (!isWhole(number)) {
                return refuse(slot, fmt::format("{}", number));
            }
            std::array<char, 24> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                           static_cast<std::int64_t>(number))
                                 .ptr;
            append(feature.elements, std::string_view(digits.data(), end));
        } else if (fitsType(number, feature.dtype)) {
            append(feature.elements, number);
        } else {
            return refuse(slot, fmt::format("{}", number));
        }
    }
    // It marks all elements as present; those that are missing are marked after it.
    accept(slot, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (isMissing(i)) {
            feature.valid[i] = m_cells[slot.index].missing.valid[i];
        }
    }
    return {};
}

Result<void> RowCells::setTexts(FeatureSlot slot, std::span<const std::string_view> texts)
{
    data::FeatureValues& feature = values(slot);
    const auto count = static_cast<std::int64_t>(texts.size());
    if (!feature.sparse && count != feature.shape.elementCount()) {
        return refuseCount(slot, texts.size());
    }
    clearElements(feature.elements);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].empty() && !feature.sparse) {
            // An empty text stands for the default.
            appendElement(m_cells[slot.index].missing, i, feature);
        } else if (!appendText(texts[i], m_padded, feature)) {
            return refuse(slot, texts[i]);
        }
    }
    accept(slot, texts.size());
    for (std::size_t i = 0; i < texts.size() && !feature.sparse; ++i) {
        feature.valid[i] = texts[i].empty() ? m_cells[slot.index].missing.valid[i] : 1;
    }
    return {};
}

void RowCells::clear(FeatureSlot slot)
{
    // Assigned part by part to keep the memory.
    const data::FeatureValues& missing = m_cells[slot.index].missing;
    data::FeatureValues& feature = values(slot);
    feature.elements = missing.elements;
    feature.valid = missing.valid;
    feature.rowOffsets = missing.rowOffsets;
}

void RowCells::clearAll()
{
    for (std::size_t index = 0; index < m_cells.size(); ++index) {
        clear({index});
    }
}

void RowCells::appendTo(data::FeatureBatch& rows) const
{
    // Copied once for names, types and shapes; the rows are appended below.
    if (rows.features.empty()) {
        rows.features = m_row.features;
        removeAll(rows);
    }
    ++rows.rowCount;
    for (std::size_t index = 0; index < m_row.features.size(); ++index) {
        appendRow(m_row.features[index], rows.features[index]);
    }
}

void RowCells::removeAll(data::FeatureBatch& rows)
{
    rows.rowCount = 0;
    rows.fileIndex.clear();
    rows.line.clear();
    for (data::FeatureValues& feature : rows.features) {
        clearElements(feature.elements);
        feature.valid.clear();
        feature.rowOffsets.resize(feature.sparse ? 1 : 0);
    }
}

} // namespace cannery::serving
