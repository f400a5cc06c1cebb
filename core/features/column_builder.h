// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_column.h"
#include "core/spec/tensorflow_names.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::spec {
class Experiment;
} // namespace cannery::spec

namespace cannery::features {

using ColumnPointer = std::shared_ptr<const FeatureColumn>;

/// Makes the columns of an experiment on demand, each once, after the columns they depend on.
class ColumnBuilder
{
public:
    ColumnBuilder(const spec::Experiment& experiment, std::filesystem::path folder)
        : m_specs(experiment), m_folder(std::move(folder))
    {}

    /// The column of that handle that has its own slot. Errors: those of its factory;
    /// "features.unknown_column"; "features.no_slot" for a wrapper (indicator, embedding).
    Result<ColumnPointer> column(const std::string& handle);
    /// The columns whose slots a model reads for this handle: itself, or the columns it wraps.
    Result<std::vector<ColumnPointer>> slotsOf(const std::string& handle);
    /// The same; an error unless it is a categorical column.
    Result<ColumnPointer> categorical(const std::string& handle, const std::string& user);

    const spec::Experiment& experiment() const { return m_specs.experiment(); }
    const spec::ColumnIndex& specs() const { return m_specs; }
    /// The absolute location of a path in the experiment.
    std::filesystem::path path(std::string_view written) const;
    /// Handle, derived name and width of a column. Error: "features.too_many_buckets" if an id
    /// cannot represent them all.
    Result<ColumnInfo> info(const std::string& handle, SlotKind kind, std::int64_t width) const;

private:
    spec::ColumnIndex m_specs;
    std::filesystem::path m_folder;
    std::unordered_map<std::string, ColumnPointer> m_columns;
};

} // namespace cannery::features
