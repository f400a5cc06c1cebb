// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/feature_maker.h"

#include "core/base/check.h"
#include "core/data/data_errors.h"
#include "core/data/typing/schema_index.h"
#include "storage/tabular/csv/csv_errors.h"
#include "storage/tabular/number_parser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cannery::data {

using storage::NumberStatus;
using storage::TableChunk;
using storage::TableColumn;

namespace {

bool fitsInteger(DType dtype, std::int64_t value)
{
    // Integers are read as 64 bits, so 32 are checked.
    return dtype == DType::Int64 || (value >= std::numeric_limits<std::int32_t>::min() &&
                                     value <= std::numeric_limits<std::int32_t>::max());
}

bool readNumber(std::string_view padded, DType, float& value)
{
    // NaN and infinity are numbers here: columns decide what they do with them.
    return storage::parseFloat(padded, value) != NumberStatus::NotANumber;
}

bool readNumber(std::string_view padded, DType, double& value)
{
    return storage::parseDouble(padded, value) != NumberStatus::NotANumber;
}

bool readNumber(std::string_view padded, DType dtype, std::int64_t& value)
{
    return storage::parseInteger(padded, value) == NumberStatus::Ok && fitsInteger(dtype, value);
}

/// A default value in the column's dtype; an integer may be written with a decimal point.
template <typename T>
bool readDefault(const std::string& text, DType dtype, T& value)
{
    const storage::PaddedText padded(text);
    if (readNumber(padded.view(), dtype, value)) {
        return true;
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
        double number = 0;
        // 9e15 is below 2^53, up to which every integer is a double of its own.
        const bool isWhole = readNumber(padded.view(), dtype, number) && std::abs(number) < 9e15 &&
                             number == std::floor(number);
        value = isWhole ? static_cast<std::int64_t>(number) : 0;
        return isWhole && fitsInteger(dtype, value);
    }
    return false;
}

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

/// Splits cells at a separator and appends the non-empty pieces.
class PieceReader
{
public:
    PieceReader(const FeatureRecipe& recipe, FeatureElements& elements,
                const storage::NumberNotation& notation)
        : m_recipe(recipe), m_elements(elements), m_notation(notation)
    {}

    void cut(std::string_view cell)
    {
        const std::string& separator = m_recipe.separator;
        while (!cell.empty()) {
            // An empty separator cuts nothing: the cell is one piece.
            const std::size_t end =
                separator.empty() ? std::string_view::npos : cell.find(separator);
            // Separators side by side have no piece between them.
            if (end != 0) {
                read(cell.substr(0, end));
            }
            cell.remove_prefix(end == std::string_view::npos ? cell.size()
                                                             : end + separator.size());
        }
    }

    std::int64_t count() const { return m_count; }
    /// The first piece that should be a number but is not, or empty; asked for once.
    std::string takeBadPiece() { return std::exchange(m_badPiece, {}); }

private:
    void read(std::string_view piece)
    {
        ++m_count;
        std::visit(
            [&](auto& list) {
                typename ElementOf<std::decay_t<decltype(list)>>::Type value{};
                if constexpr (std::is_same_v<decltype(value), std::string>) {
                    append(list, piece);
                } else {
                    if (!readPiece(piece, value) && m_badPiece.empty()) {
                        // The first of a cell is enough for its error.
                        m_badPiece = piece;
                    }
                    // Also for a piece that is not a number, so that the offsets agree; the row is
                    // unusable anyway.
                    append(list, value);
                }
            },
            m_elements);
    }

    template <typename T>
    bool readPiece(std::string_view piece, T& value)
    {
        // A list has no place for a missing number.
        const auto number = m_notation.rewritten(piece);
        return number && !storage::spellsNan(piece) && readNumber(*number, m_recipe.dtype, value);
    }

    const FeatureRecipe& m_recipe;
    FeatureElements& m_elements;
    storage::NotationReader m_notation;
    std::int64_t m_count = 0;
    std::string m_badPiece;
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

Result<std::vector<FeatureMaker::Value>> FeatureMaker::defaultOf(const ColumnSchema& column,
                                                                 DType dtype)
{
    const std::string& text = *column.defaultValue;
    std::vector<Value> found;
    if (dtype == DType::String) {
        found.emplace_back(text);
        return found;
    }
    // An empty default means none for numbers. For texts it is the empty text.
    if (text.empty()) {
        return found;
    }
    const FeatureElements elements = emptyElements(dtype);
    const bool isRead = std::visit(
        [&](const auto& list) {
            typename ElementOf<std::decay_t<decltype(list)>>::Type value{};
            if constexpr (std::is_same_v<decltype(value), std::string>) {
                return false;
            } else {
                const bool ok = readDefault(text, dtype, value);
                found.emplace_back(value);
                return ok;
            }
        },
        elements);
    if (!isRead) {
        return fail(ErrorCode::InvalidArgument, kBadDefault, text, column.name, name(dtype));
    }
    return found;
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
            CANNERY_TRY_ASSIGN(ingredient.defaultValue, defaultOf(*found, dtype));
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
    PieceReader reader(plan.recipe, values.elements, ingredient.notation);
    for (std::size_t row = 0; row < chunk.rows; ++row) {
        // A default is cut into pieces as well.
        const bool isFilled = !column.isValid(row) && !ingredient.defaultValue.empty();
        reader.cut(isFilled ? std::get<std::string>(ingredient.defaultValue.front())
                            : column.strings()[row]);
        values.rowOffsets.push_back(reader.count());
        // Asked for after every row, so that a bad piece is reported with its own row.
        const std::string badPiece = reader.takeBadPiece();
        if (badPiece.empty()) {
            continue;
        }
        Error bad = error(ErrorCode::InvalidArgument, kBadPiece, m_files[chunk.file],
                          chunk.lines.empty() ? 0 : chunk.lines[row], badPiece, plan.recipe.name,
                          name(plan.recipe.dtype));
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
