// SPDX-License-Identifier: Apache-2.0
#include "core/features/raw_schema.h"

#include "core/data/data_source_catalog.h"
#include "core/spec/experiment.pb.h"

namespace cannery::features {

namespace {

const spec::Column* findColumn(const spec::Data& data, const std::string& name)
{
    for (const spec::Column& column : data.column()) {
        if (column.name() == name) {
            return &column;
        }
    }
    return nullptr;
}

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

void describe(const spec::Data& data, const spec::Feature& feature, RawFeature& result)
{
    if (feature.has_split()) {
        result.sparse = true;
        result.dtype = static_cast<DType>(feature.split().dtype());
        result.defaults = cut(defaultOf(findColumn(data, feature.split().column())).value_or(""),
                              feature.split().separator());
        return;
    }
    const spec::StackColumns& stack = feature.stack();
    result.dtype = static_cast<DType>(stack.dtype());
    result.shape =
        stack.shape_size() > 0
            ? Shape(std::vector<std::int64_t>(stack.shape().begin(), stack.shape().end()))
            : Shape{stack.columns_size()};
    for (const std::string& column : stack.columns()) {
        result.defaults.push_back(defaultOf(findColumn(data, column)));
    }
}

} // namespace

RawFeature rawFeature(const spec::Experiment& experiment, const std::string& name,
                      const std::map<std::string, DType>& dtypes)
{
    const spec::Data& data = experiment.data();
    RawFeature result;
    result.name = name;
    for (const spec::Feature& feature : data.feature()) {
        if (feature.name() == name) {
            describe(data, feature, result);
            return result;
        }
    }
    result.missingTokens = data::missingTokens(data.train());
    const spec::Column* column = findColumn(data, name);
    if (column != nullptr) {
        result.dtype = static_cast<DType>(column->dtype());
        result.missingTokens.insert(result.missingTokens.end(), column->missing_token().begin(),
                                    column->missing_token().end());
    }
    if (const auto known = dtypes.find(name);
        result.dtype == DType::Invalid && known != dtypes.end()) {
        result.dtype = known->second;
    }
    result.defaults = {defaultOf(column)};
    return result;
}

} // namespace cannery::features
