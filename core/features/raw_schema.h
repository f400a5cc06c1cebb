// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::spec {
class Column;
class Data;
class Experiment;
class Feature;
} // namespace cannery::spec

namespace cannery::features {

/// What an experiment says about a raw feature, without reading the data.
struct RawFeature
{
    std::string name;
    DType dtype = DType::Invalid; ///< Invalid: the experiment leaves it to inference
    bool sparse = false;          ///< cells split at a separator
    Shape shape{1};               ///< of a row, dense features
    /// The value of an empty cell, one text per element, as the table would store it; empty:
    /// missing.
    std::vector<std::optional<std::string>> defaults;
    /// Texts besides "" that mean a missing cell; for a plain column.
    std::vector<std::string> missingTokens;

    /// The value of an empty cell of a one-element feature.
    std::optional<std::string> onlyDefault() const
    {
        return defaults.size() == 1 ? defaults.front() : std::nullopt;
    }
};

/// The raw features of an experiment: those defined in `data`, and columns of the table under their
/// own names. `dtypes` supplies types that the experiment leaves unset. Valid while both exist.
class RawSchema
{
public:
    RawSchema(const spec::Experiment& experiment, const std::map<std::string, DType>& dtypes);

    RawFeature feature(const std::string& name) const;

private:
    void describe(const spec::Feature& feature, RawFeature& result) const;
    /// A feature that is a column of the table, perhaps under another name.
    void describeColumn(const std::string& name, RawFeature& result) const;
    /// Null if the experiment says nothing about it.
    const spec::Column* column(std::string_view name) const;

    const spec::Data& m_data;
    const std::map<std::string, DType>& m_dtypes;
    std::unordered_map<std::string_view, const spec::Feature*> m_features;
    std::unordered_map<std::string_view, const spec::Column*> m_columns;
    std::vector<std::string> m_missingTokens; ///< of the whole table
};

} // namespace cannery::features
