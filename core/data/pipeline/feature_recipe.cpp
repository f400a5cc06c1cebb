// SPDX-License-Identifier: Apache-2.0
#include "core/base/catalog.h"
#include "core/data/data_errors.h"
#include "core/data/pipeline/feature_maker.h"

#include <algorithm>
#include <set>

namespace cannery::data {

namespace {

DType dtypeOf(spec::DataType::Name dtype, DType fallback)
{
    // The enum has the numbers of DType, so that one is cast to the other.
    return dtype == spec::DataType::inferred ? fallback : static_cast<DType>(dtype);
}

Result<const ColumnSchema*> requireColumn(const TableSchema& schema, const std::string& column)
{
    const ColumnSchema* found = schema.find(column);
    if (found == nullptr) {
        return fail(ErrorCode::NotFound, kNoSuchColumn, "The table", column,
                    suggestion(column, schema.names()));
    }
    return found;
}

/// The narrowest dtype that holds both, in make_csv_dataset's order.
DType wider(DType a, DType b)
{
    constexpr DType kOrder[] = {DType::Int32, DType::Int64, DType::Float32, DType::Float64,
                                DType::String};
    const auto rank = [&](DType dtype) { return std::find(kOrder, std::end(kOrder), dtype); };
    // A text can hold everything, so it is the widest.
    return *std::max(rank(a), rank(b));
}

FeatureRecipe splitRecipe(const std::string& name, const spec::SplitCell& split)
{
    return {.name = name,
            .kind = FeatureRecipe::Kind::Split,
            .columns = {split.column()},
            .dtype = dtypeOf(split.dtype(), DType::String),
            // Rows have different numbers of pieces.
            .shape = Shape{-1},
            .separator = split.separator()};
}

Result<FeatureRecipe> stackRecipe(const std::string& name, const spec::StackColumns& stack)
{
    FeatureRecipe recipe{.name = name, .kind = FeatureRecipe::Kind::Stack};
    recipe.columns.assign(stack.columns().begin(), stack.columns().end());
    recipe.dtype = dtypeOf(stack.dtype(), DType::Float32);
    // Without a shape, a vector of the columns.
    recipe.shape =
        stack.shape().empty()
            ? Shape{static_cast<std::int64_t>(recipe.columns.size())}
            : Shape(std::vector<std::int64_t>(stack.shape().begin(), stack.shape().end()));
    const auto count = static_cast<std::int64_t>(recipe.columns.size());
    // A shape must use each column once.
    if (recipe.shape.elementCount() != count) {
        return fail(ErrorCode::InvalidArgument, kStackShape, name, count, recipe.shape.toString(),
                    recipe.shape.elementCount());
    }
    return recipe;
}

Result<FeatureRecipe> datePartRecipe(const spec::Feature& feature, const spec::Data& data)
{
    CANNERY_TRY_ASSIGN(DateRecipe date, dateRecipe(data, feature));
    return FeatureRecipe{.name = feature.name(),
                         .kind = FeatureRecipe::Kind::DatePart,
                         .columns = {feature.date_part().column()},
                         .dtype = date.dtype(),
                         .date = std::move(date)};
}

Result<FeatureRecipe> listRecipe(const std::string& name, const spec::ColumnList& list,
                                 const TableSchema& schema)
{
    FeatureRecipe recipe{.name = name, .kind = FeatureRecipe::Kind::Stack, .dtype = DType::Int32};
    for (const std::string& column : list.column()) {
        CANNERY_TRY_ASSIGN(const ColumnSchema* found, requireColumn(schema, column));
        recipe.columns.push_back(column);
        // A label of several columns is one tensor: all of them get the type that holds each.
        recipe.dtype = wider(recipe.dtype, found->dtype);
    }
    recipe.shape = Shape{static_cast<std::int64_t>(recipe.columns.size())};
    return recipe;
}

Result<FeatureRecipe> columnRecipe(const std::string& name, const std::string& column,
                                   const TableSchema& schema)
{
    CANNERY_TRY_ASSIGN(const ColumnSchema* found, requireColumn(schema, column));
    FeatureRecipe recipe = plainRecipe(*found);
    recipe.name = name;
    return recipe;
}

Result<FeatureRecipe> featureRecipe(const spec::Feature& feature, const spec::Data& data,
                                    const TableSchema& schema)
{
    if (feature.has_stack()) {
        return stackRecipe(feature.name(), feature.stack());
    }
    if (feature.has_date_part()) {
        return datePartRecipe(feature, data);
    }
    // A feature of a column only renames it.
    return feature.has_column() ? columnRecipe(feature.name(), feature.column(), schema)
                                : splitRecipe(feature.name(), feature.split());
}

template <typename LabelMessage>
Result<std::vector<FeatureRecipe>> oneLabel(const std::string& name, const LabelMessage& label,
                                            const TableSchema& schema)
{
    // A template, since a label and a head's label are two messages with the same fields.
    Result<FeatureRecipe> recipe = FeatureRecipe();
    if (label.has_columns()) {
        recipe = listRecipe(name, label.columns(), schema);
    } else if (label.has_split()) {
        recipe = splitRecipe(name, label.split());
        // The column of the pieces must exist; others are looked up by their recipe.
        CANNERY_TRY(requireColumn(schema, label.split().column()));
    } else {
        recipe = columnRecipe(name, label.column(), schema);
    }
    if (!recipe) {
        return tl::make_unexpected(std::move(recipe).error());
    }
    return std::vector<FeatureRecipe>{std::move(*recipe)};
}

template <typename LabelMessage>
void addColumns(const LabelMessage& label, std::vector<std::string>& columns)
{
    if (label.has_columns()) {
        columns.insert(columns.end(), label.columns().column().begin(),
                       label.columns().column().end());
    } else if (label.has_split()) {
        columns.push_back(label.split().column());
    } else if (label.has_column()) {
        columns.push_back(label.column());
    }
}

} // namespace

FeatureRecipe plainRecipe(const ColumnSchema& column)
{
    // A text about the array is for people.
    return column.dense ? FeatureRecipe{.name = column.name,
                                        .columns = {column.name},
                                        .dtype = column.dense->dtype,
                                        .shape = column.dense->shape}
                        : FeatureRecipe{
                              .name = column.name, .columns = {column.name}, .dtype = column.dtype};
}

std::vector<std::string> labelColumns(const spec::Data& data)
{
    std::vector<std::string> columns;
    // Several heads may share a column.
    if (data.label().has_heads()) {
        for (const spec::HeadLabel& head : data.label().heads().head()) {
            addColumns(head, columns);
        }
    } else {
        addColumns(data.label(), columns);
    }
    return columns;
}

Result<std::vector<FeatureRecipe>> featureRecipes(const spec::Data& data, const TableSchema& schema)
{
    std::vector<FeatureRecipe> recipes;
    std::set<std::string> taken;
    for (const spec::Feature& feature : data.feature()) {
        CANNERY_TRY_ASSIGN(FeatureRecipe recipe, featureRecipe(feature, data, schema));
        recipes.push_back(std::move(recipe));
        for (const std::string& column : recipes.back().columns) {
            CANNERY_TRY_ASSIGN(const ColumnSchema* found, requireColumn(schema, column));
            if (found->dense && feature.has_stack()) {
                return fail(ErrorCode::InvalidArgument, kStackedArray, feature.name(), column);
            }
            // A column that a feature is made of is none itself; neither is one that shares its
            // name.
            taken.insert(column);
        }
        taken.insert(feature.name());
    }
    // A label is not a feature, unless a feature names its column.
    for (const std::string& column : labelColumns(data)) {
        taken.insert(column);
    }
    for (const ColumnSchema& column : schema.columns) {
        if (!taken.contains(column.name)) {
            recipes.push_back(plainRecipe(column));
        }
    }
    return recipes;
}

Result<std::vector<FeatureRecipe>> labelRecipes(const spec::Data& data, const TableSchema& schema,
                                                const std::string& firstFile, bool isRequired)
{
    std::vector<FeatureRecipe> recipes;
    const std::vector<std::string> columns = labelColumns(data);
    if (columns.empty() && isRequired) {
        return fail(ErrorCode::InvalidArgument, kLabelUnset);
    }
    for (const std::string& column : columns) {
        // Data to predict has no label, or only some columns of it: without all of them there is
        // none.
        if (schema.find(column) == nullptr) {
            return isRequired ? fail(ErrorCode::NotFound, kNoLabel, firstFile, column,
                                     suggestion(column, schema.names()))
                              : Result<std::vector<FeatureRecipe>>(recipes);
        }
    }
    if (!data.label().has_heads()) {
        // A single label takes its column's name; those of several heads are named by their head.
        return columns.empty() ? recipes : oneLabel(columns.front(), data.label(), schema);
    }
    for (const spec::HeadLabel& head : data.label().heads().head()) {
        CANNERY_TRY_ASSIGN(std::vector<FeatureRecipe> one, oneLabel(head.name(), head, schema));
        recipes.push_back(std::move(one.front()));
    }
    return recipes;
}

} // namespace cannery::data
