// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/feature_maker.h"

#include "core/base/check.h"
#include "core/data/data_errors.h"
#include "core/data/pipeline/piece_reader.h"
#include "core/data/typing/schema_index.h"
#include "storage/tabular/csv/csv_errors.h"

#include <algorithm>
#include <utility>

namespace cannery::data {

using storage::TableChunk;
using storage::TableColumn;

namespace {

FeatureElements emptyElements(DType dtype)
{
    return storage::emptyValues(dtype);
}

template <typename T>
void append(std::vector<T>& elements, const T& value)
{
    elements.push_back(value);
}

void append(StringColumn& elements, std::string_view value)
{
    elements.push_back(value);
}

/// The element type of vector<T> or StringColumn, as a default value holds it.
template <typename List>
struct ElementOf
{
    using Type = typename List::value_type;
};
template <>
struct ElementOf<StringColumn>
{
    using Type = std::string;
};

/// Sorts by row; of several problems of a row the first stays.
void keepFirstOfEach(std::vector<UnusableRow>& rows)
{
    // Stable, so that the problem of the first recipe stays.
    std::ranges::stable_sort(rows, {}, &UnusableRow::row);
    const auto isRepeated = [](const auto& one, const auto& next) { return one.row == next.row; };
    rows.erase(std::unique(rows.begin(), rows.end(), isRepeated), rows.end());
}

} // namespace

Result<FeatureMaker> FeatureMaker::create(const std::vector<FeatureRecipe>& features,
                                          const std::vector<FeatureRecipe>& labels,
                                          const TableSchema& schema,
                                          const std::vector<std::string>& files)
{
    FeatureMaker maker;
    maker.m_files = files;
    const SchemaIndex known(schema);
    // By name, as tables have thousands of columns.
    for (const FeatureRecipe& recipe : features) {
        CANNERY_TRY(maker.add(recipe, known, false));
    }
    for (const FeatureRecipe& recipe : labels) {
        CANNERY_TRY(maker.add(recipe, known, true));
    }
    for (Plan& plan : maker.m_plans) {
        // A column that only one feature reads is moved into it instead of copied.
        plan.mayMove = maker.m_uses[plan.ingredients.front().column] == 1;
    }
    return maker;
}

Result<void> FeatureMaker::add(const FeatureRecipe& recipe, const SchemaIndex& known, bool isLabel)
{
    Plan plan{.recipe = recipe, .isLabel = isLabel};
    for (const std::string& column : recipe.columns) {
        const ColumnSchema* found = known.find(column);
        CANNERY_CHECK(found != nullptr);
        // Pieces and dates are read from the text of the cell.
        const bool readsText = recipe.kind == FeatureRecipe::Kind::Split ||
                               recipe.kind == FeatureRecipe::Kind::DatePart;
        const DType dtype = readsText ? DType::String : recipe.dtype;
        Ingredient ingredient{.column = placeOf(column, dtype), .notation = found->notation};
        // Counted, so that one used once need not be copied.
        ++m_uses[ingredient.column];
        if (found->defaultValue) {
            CANNERY_TRY_ASSIGN(ingredient.defaultValue,
                               defaultValueOf(found->name, *found->defaultValue, dtype));
        }
        plan.ingredients.push_back(std::move(ingredient));
    }
    m_plans.push_back(std::move(plan));
    return {};
}

std::size_t FeatureMaker::placeOf(const std::string& column, DType dtype)
{
    // Two features of one column with the same type share it: the table is read once for both.
    const auto [known, isNew] = m_places.try_emplace({column, dtype}, m_columns.size());
    if (isNew) {
        m_columns.push_back({.column = column, .dtype = dtype});
        m_uses.push_back(0);
    }
    return known->second;
}

Result<FeatureBatch> FeatureMaker::make(TableChunk&& chunk) const
{
    FeatureBatch batch;
    batch.rowCount = static_cast<std::int64_t>(chunk.rows);
    // Each row knows its place, for errors and for slices.
    batch.fileIndex.assign(chunk.rows, static_cast<std::int32_t>(chunk.file));
    batch.line.assign(chunk.lines.begin(), chunk.lines.end());
    for (const Plan& plan : m_plans) {
        CANNERY_TRY_ASSIGN(FeatureValues values, makeOne(plan, chunk, batch.unusable));
        values.name = plan.recipe.name;
        values.dtype = plan.recipe.dtype;
        values.shape = plan.recipe.shape;
        (plan.isLabel ? batch.labels : batch.features).push_back(std::move(values));
    }
    // Two features can find the same row unusable.
    keepFirstOfEach(batch.unusable);
    return batch;
}

Result<FeatureValues> FeatureMaker::makeOne(const Plan& plan, TableChunk& chunk,
                                            std::vector<UnusableRow>& unusable) const
{
    switch (plan.recipe.kind) {
    case FeatureRecipe::Kind::Split:
        return makeSplit(plan, chunk, unusable);
    case FeatureRecipe::Kind::Stack:
        return makeStack(plan, chunk);
    case FeatureRecipe::Kind::DatePart:
        return makeDatePart(plan, chunk, unusable);
    case FeatureRecipe::Kind::Plain:
        break;
    }
    return makePlain(plan, chunk);
}

FeatureValues FeatureMaker::makePlain(const Plan& plan, TableChunk& chunk)
{
    const Ingredient& ingredient = plan.ingredients.front();
    // The column is the chunk's own memory.
    TableColumn& column = chunk.columns[ingredient.column];
    // Defaults are filled in value by value, as in a stack of one column.
    if (!column.validity.empty() && !ingredient.defaultValue.empty()) {
        return makeStack(plan, chunk);
    }
    FeatureValues values;
    // Validity is copied: several features may share the column.
    values.valid = column.validity;
    if (plan.mayMove) {
        values.elements = std::move(column.values);
    } else {
        values.elements = column.values;
    }
    return values;
}

/// Row by row, as a feature's elements lie next to each other.
FeatureValues FeatureMaker::makeStack(const Plan& plan, const TableChunk& chunk)
{
    FeatureValues values;
    values.elements = emptyElements(plan.recipe.dtype);
    const std::size_t width = plan.ingredients.size();
    bool isComplete = true;
    std::vector<std::uint8_t> valid(chunk.rows * width, 1);
    std::visit(
        [&](auto& list) {
            using List = std::decay_t<decltype(list)>;
            for (std::size_t row = 0; row < chunk.rows; ++row) {
                for (std::size_t i = 0; i < width; ++i) {
                    const Ingredient& ingredient = plan.ingredients[i];
                    const TableColumn& column = chunk.columns[ingredient.column];
                    const bool isMissing = !column.isValid(row);
                    if (isMissing && !ingredient.defaultValue.empty()) {
                        // The default has the type of the column, as it was read in its type.
                        append(list, std::get<typename ElementOf<List>::Type>(
                                         ingredient.defaultValue.front()));
                        continue;
                    }
                    append(list, std::get<List>(column.values)[row]);
                    valid[row * width + i] = isMissing ? 0 : 1;
                    isComplete = isComplete && !isMissing;
                }
            }
        },
        values.elements);
    // Without a list of what is valid, all of it is.
    if (!isComplete) {
        values.valid = std::move(valid);
    }
    return values;
}

Result<FeatureValues> FeatureMaker::makeSplit(const Plan& plan, const TableChunk& chunk,
                                              std::vector<UnusableRow>& unusable) const
{
    const Ingredient& ingredient = plan.ingredients.front();
    const TableColumn& column = chunk.columns[ingredient.column];
    FeatureValues values;
    values.sparse = true;
    values.elements = emptyElements(plan.recipe.dtype);
    values.rowOffsets.reserve(chunk.rows + 1);
    values.rowOffsets.push_back(0);
    PieceReader reader(plan.recipe.separator, plan.recipe.dtype, ingredient.notation);
    for (std::size_t row = 0; row < chunk.rows; ++row) {
        // A default is cut into pieces as well.
        const bool isFilled = !column.isValid(row) && !ingredient.defaultValue.empty();
        const std::int64_t count =
            reader.cut(isFilled ? std::get<std::string>(ingredient.defaultValue.front())
                                : column.strings()[row],
                       values.elements);
        values.rowOffsets.push_back(values.rowOffsets.back() + count);
        // Asked for after every row, so that a bad piece is reported with its own row.
        const std::string_view badPiece = reader.badPiece();
        if (badPiece.empty()) {
            continue;
        }
        Error bad = error(ErrorCode::InvalidArgument, kBadPiece, m_files[chunk.file],
                          chunk.lines.empty() ? 0 : chunk.lines[row], std::string(badPiece),
                          plan.recipe.name, name(plan.recipe.dtype));
        if (!m_keepsUnusable) {
            return tl::make_unexpected(std::move(bad));
        }
        unusable.push_back({static_cast<std::int64_t>(row), std::move(bad)});
    }
    return values;
}

Result<FeatureValues> FeatureMaker::makeDatePart(const Plan& plan, const TableChunk& chunk,
                                                 std::vector<UnusableRow>& unusable) const
{
    const Ingredient& ingredient = plan.ingredients.front();
    const TableColumn& column = chunk.columns[ingredient.column];
    const DateRecipe& recipe = *plan.recipe.date;
    FeatureValues values;
    values.elements = emptyElements(plan.recipe.dtype);
    std::vector<std::uint8_t> valid(chunk.rows, 1);
    bool isComplete = true;
    for (std::size_t row = 0; row < chunk.rows; ++row) {
        const bool isFilled = !column.isValid(row) && !ingredient.defaultValue.empty();
        const std::string_view text =
            isFilled ? std::string_view(std::get<std::string>(ingredient.defaultValue.front()))
                     : column.strings()[row];
        std::optional<double> part = 0;
        // An empty cell is missing; others must be dates.
        if (!column.isValid(row) && text.empty()) {
            valid[row] = 0;
            isComplete = false;
        } else {
            part = recipe.read(text);
        }
        if (!part) {
            Error bad =
                error(ErrorCode::InvalidArgument, kNotADate, m_files[chunk.file],
                      chunk.lines.empty() ? 0 : chunk.lines[row], storage::printable(text),
                      plan.recipe.columns.front(), plan.recipe.name, describe(recipe.notation));
            if (!m_keepsUnusable) {
                return tl::make_unexpected(std::move(bad));
            }
            unusable.push_back({static_cast<std::int64_t>(row), std::move(bad)});
            // The row keeps its place among the others until it is left out.
            part = 0;
        }
        // Parts such as the day are whole numbers, others are not.
        if (auto* whole = std::get_if<std::vector<std::int64_t>>(&values.elements)) {
            whole->push_back(static_cast<std::int64_t>(*part));
        } else {
            std::get<std::vector<float>>(values.elements).push_back(static_cast<float>(*part));
        }
    }
    if (!isComplete) {
        values.valid = std::move(valid);
    }
    return values;
}

} // namespace cannery::data
