// SPDX-License-Identifier: Apache-2.0
#include "core/features/raw_schema.h"

#include "core/data/sources/data_source_catalog.h"
#include "core/data/sources/image_folder_source.h"
#include "core/data/typing/date_columns.h"
#include "core/spec/experiment.pb.h"

namespace cannery::features {

namespace {

/// `column` may be null.
std::optional<std::string> defaultOf(const spec::Column* column)
{
    return column != nullptr && column->has_default_value() ? std::optional(column->default_value())
                                                            : std::nullopt;
}

/// The pieces of a cell, without empty ones.
std::vector<std::optional<std::string>> cut(const std::string& cell, const std::string& separator)
{
    std::vector<std::optional<std::string>> pieces;
    std::size_t begin = 0;
    while (begin <= cell.size()) {
        const std::size_t end = separator.empty() ? std::string::npos : cell.find(separator, begin);
        const std::string piece = cell.substr(begin, end - begin);
        if (!piece.empty()) {
            pieces.emplace_back(piece);
        }
        if (end == std::string::npos) {
            break;
        }
        begin = end + separator.size();
    }
    return pieces;
}

} // namespace

RawSchema::RawSchema(const spec::Experiment& experiment, const std::map<std::string, DType>& dtypes)
    : m_data(experiment.data()), m_dtypes(dtypes),
      m_missingTokens(data::missingTokens(experiment.data().train()))
{
    for (const spec::Feature& feature : experiment.data().feature()) {
        m_features.emplace(feature.name(), &feature);
    }
    for (const spec::Column& column : experiment.data().column()) {
        m_columns.emplace(column.name(), &column);
    }
}

const spec::Column* RawSchema::column(std::string_view name) const
{
    const auto found = m_columns.find(name);
    return found == m_columns.end() ? nullptr : found->second;
}

void RawSchema::describe(const spec::Feature& feature, RawFeature& result) const
{
    if (feature.has_column()) {
        describeColumn(feature.column(), result);
        return;
    }
    if (feature.has_split()) {
        result.sparse = true;
        result.dtype = static_cast<DType>(feature.split().dtype());
        // A default of a cell is cut like the cell itself.
        result.defaults = cut(defaultOf(column(feature.split().column())).value_or(""),
                              feature.split().separator());
        return;
    }
    if (feature.has_date_part()) {
        // The default of the column is a date; the feature's is its part.
        const data::DateRecipe recipe =
            data::dateRecipe(m_data, feature).value_or(data::DateRecipe());
        const auto text = defaultOf(column(feature.date_part().column()));
        result.dtype = recipe.dtype();
        result.defaults = {text ? recipe.readText(*text) : std::nullopt};
        return;
    }
    const spec::StackColumns& stack = feature.stack();
    result.dtype = static_cast<DType>(stack.dtype());
    result.shape =
        stack.shape_size() > 0
            ? Shape(std::vector<std::int64_t>(stack.shape().begin(), stack.shape().end()))
            : Shape{stack.columns_size()};
    for (const std::string& name : stack.columns()) {
        result.defaults.push_back(defaultOf(column(name)));
    }
}

void RawSchema::describeColumn(const std::string& name, RawFeature& result) const
{
    if (const auto cells = data::pictureCells(m_data.train(), name)) {
        // A picture is never missing.
        result.dtype = cells->dtype;
        result.shape = cells->shape;
        return;
    }
    result.missingTokens = m_missingTokens;
    const spec::Column* own = column(name);
    if (own != nullptr) {
        result.dtype = static_cast<DType>(own->dtype());
        result.missingTokens.insert(result.missingTokens.end(), own->missing_token().begin(),
                                    own->missing_token().end());
    }
    // The run has frozen the type where the experiment leaves it to inference.
    if (const auto known = m_dtypes.find(result.name);
        result.dtype == DType::Invalid && known != m_dtypes.end()) {
        result.dtype = known->second;
    }
    result.defaults = {defaultOf(own)};
}

RawFeature RawSchema::feature(const std::string& name) const
{
    RawFeature result;
    result.name = name;
    if (const auto defined = m_features.find(name); defined != m_features.end()) {
        describe(*defined->second, result);
        return result;
    }
    describeColumn(name, result);
    return result;
}

} // namespace cannery::features
