// SPDX-License-Identifier: Apache-2.0
#include "core/serving/row_cells.h"

#include "core/base/catalog.h"
#include "core/base/utf8.h"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace cannery::serving {

namespace {

using storage::CellRead;

constexpr ErrorKind kNoFeature{"predict.no_feature", "The model reads no feature '{}'.{}"};
constexpr ErrorKind kCell{"predict.cell", "'{}' is not a value of feature '{}': it takes {}."};
constexpr ErrorKind kCellCount{"predict.cell_count", "Feature '{}' takes {}, but {} given."};
constexpr ErrorKind kNotADate{"predict.not_a_date",
                              "'{}' in {} is not a date or time {}: correct it, or leave it out."};

/// Bytes of a cell that a message shows.
constexpr std::size_t kShownBytes = 80;

std::string shown(std::string_view given)
{
    return toUtf8(given.substr(0, kShownBytes)) + (given.size() > kShownBytes ? "…" : "");
}

template <typename Given>
std::string shown(Given number)
{
    return fmt::format("{}", number);
}

void clearElements(data::FeatureElements& elements)
{
    std::visit([](auto& list) { list.clear(); }, elements);
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

/// A text or a number as an element of a feature of numbers.
template <typename Given, typename Value>
CellRead read(storage::CellReader& reader, Given given, Value& value)
{
    if constexpr (std::is_same_v<Given, std::string_view>) {
        return reader.number(given, value);
    } else {
        return reader.numberFrom(given, value);
    }
}

template <typename Given>
bool appendPiece(data::PieceReader& pieces, Given given, data::FeatureElements& elements)
{
    if constexpr (std::is_same_v<Given, std::string_view>) {
        return pieces.append(given, elements);
    } else {
        return pieces.appendNumber(given, elements);
    }
}

} // namespace

Result<RowCells> RowCells::create(const features::FeatureEncoder& encoder)
{
    RowCells cells(encoder);
    CANNERY_TRY_ASSIGN(cells.m_inputs, rowInputs(encoder));
    cells.m_row.rowCount = 1;
    for (std::size_t index = 0; index < cells.m_inputs.size(); ++index) {
        const RowInput& input = cells.m_inputs[index];
        cells.m_row.features.push_back(input.missing);
        for (std::size_t i = 0; i < input.columns.size(); ++i) {
            cells.m_places[input.columns[i]].push_back({.slot = {index}, .element = i});
        }
    }
    return cells;
}

tl::unexpected<Error> RowCells::refuse(FeatureSlot slot, const std::string& given)
{
    // The cell is missing from now on, and not half set.
    clear(slot);
    return fail(ErrorCode::InvalidArgument, kCell, given, values(slot).name, takenBy(values(slot)));
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

std::vector<std::string> RowCells::columns() const
{
    std::vector<std::string> names;
    for (const auto& [name, places] : m_places) {
        names.push_back(name);
    }
    return names;
}

Result<void> RowCells::setCell(std::string_view column, std::string_view text)
{
    const auto read = m_places.find(column);
    if (read == m_places.end()) {
        return {};
    }
    for (const Place& place : read->second) {
        CANNERY_TRY(setCell(place.slot, place.element, text));
    }
    return {};
}

Result<void> RowCells::setCell(FeatureSlot slot, std::size_t place, std::string_view text)
{
    const RowInput& input = m_inputs[slot.index];
    if (input.pieces) {
        return setSplit(slot, text);
    }
    if (input.date) {
        return setDate(slot, text);
    }
    return put(slot, place, text) ? Result<void>() : refuse(slot, shown(text));
}

Result<void> RowCells::setSplit(FeatureSlot slot, std::string_view cell)
{
    RowInput& input = m_inputs[slot.index];
    const CellRead read = input.cell->text(cell);
    if (read.isMissing) {
        clear(slot);
        return {};
    }
    data::FeatureValues& feature = values(slot);
    clearElements(feature.elements);
    feature.rowOffsets[1] = input.pieces->cut(cell, feature.elements);
    const std::string_view bad =
        read.fault == storage::CellFault::None ? input.pieces->badPiece() : cell;
    return bad.empty() ? Result<void>() : refuse(slot, shown(bad));
}

Result<void> RowCells::setDate(FeatureSlot slot, std::string_view cell)
{
    const RowInput& input = m_inputs[slot.index];
    if (input.cell->text(cell).isMissing) {
        clear(slot);
        return {};
    }
    const std::optional<double> part = input.date->read(cell);
    if (!part) {
        clear(slot);
        return fail(ErrorCode::InvalidArgument, kNotADate, shown(cell), input.columns.front(),
                    data::describe(input.date->notation));
    }
    return put(slot, 0, *part) ? Result<void>() : refuse(slot, shown(cell));
}

/// Makes an element of a dense feature; false if it is none.
template <typename Given>
bool RowCells::put(FeatureSlot slot, std::size_t place, Given given)
{
    RowInput& input = m_inputs[slot.index];
    data::FeatureValues& feature = values(slot);
    storage::CellReader& reader = input.elements[place];
    const CellRead done = std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            const List& missing = std::get<List>(input.missing.elements);
            if constexpr (!std::is_same_v<List, StringColumn>) {
                const CellRead found = read(reader, given, list[place]);
                list[place] = found.isMissing ? missing[place] : list[place];
                return found;
            } else if constexpr (std::is_same_v<Given, std::string_view>) {
                const CellRead found = reader.text(given);
                putText(list, place, found.isMissing ? missing[place] : given);
                return found;
            } else {
                const CellRead found = reader.textFrom(given, m_scratch);
                putText(list, place, found.isMissing ? missing[place] : m_scratch);
                return found;
            }
        },
        feature.elements);
    feature.valid[place] = done.isMissing ? input.missing.valid[place] : std::uint8_t{1};
    return done.fault == storage::CellFault::None;
}

void RowCells::putText(StringColumn& texts, std::size_t place, std::string_view text)
{
    if (texts.size() == 1) {
        texts.clear();
        texts.push_back(text);
        return;
    }
    // Texts lie one behind the other, so those around a new one are written again.
    m_texts.clear();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        m_texts.push_back(i == place ? text : texts[i]);
    }
    std::swap(texts, m_texts);
}

template <typename Given>
Result<void> RowCells::setOne(FeatureSlot slot, Given given)
{
    if (m_inputs[slot.index].pieces) {
        return setAll(slot, std::span<const Given>(&given, 1));
    }
    if (m_inputs[slot.index].elements.size() != 1) {
        return refuseCount(slot, 1);
    }
    return put(slot, 0, given) ? Result<void>() : refuse(slot, shown(given));
}

template <typename Given>
Result<void> RowCells::setAll(FeatureSlot slot, std::span<const Given> given)
{
    RowInput& input = m_inputs[slot.index];
    data::FeatureValues& feature = values(slot);
    if (!input.pieces) {
        if (given.size() != input.elements.size()) {
            return refuseCount(slot, given.size());
        }
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (!put(slot, i, given[i])) {
                return refuse(slot, shown(given[i]));
            }
        }
        return {};
    }
    // A list may have any number of values; empty texts are not counted.
    clearElements(feature.elements);
    for (const Given& piece : given) {
        if (!appendPiece(*input.pieces, piece, feature.elements)) {
            return refuse(slot, shown(piece));
        }
    }
    feature.rowOffsets[1] = std::visit(
        [](const auto& list) { return static_cast<std::int64_t>(list.size()); }, feature.elements);
    return {};
}

Result<void> RowCells::setNumber(FeatureSlot slot, double number)
{
    return setOne(slot, number);
}

Result<void> RowCells::setInteger(FeatureSlot slot, std::int64_t number)
{
    return setOne(slot, number);
}

Result<void> RowCells::setText(FeatureSlot slot, std::string_view text)
{
    // A program has the part of a date as a number, as the signature of the model says.
    return m_inputs[slot.index].pieces ? setSplit(slot, text) : setOne(slot, text);
}

Result<void> RowCells::setNumbers(FeatureSlot slot, std::span<const double> numbers)
{
    return setAll(slot, numbers);
}

Result<void> RowCells::setTexts(FeatureSlot slot, std::span<const std::string_view> texts)
{
    return setAll(slot, texts);
}

void RowCells::clear(FeatureSlot slot)
{
    // Assigned part by part to keep the memory.
    const data::FeatureValues& missing = m_inputs[slot.index].missing;
    data::FeatureValues& feature = values(slot);
    feature.elements = missing.elements;
    feature.valid = missing.valid;
    feature.rowOffsets = missing.rowOffsets;
}

void RowCells::clearAll()
{
    for (std::size_t index = 0; index < m_inputs.size(); ++index) {
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
