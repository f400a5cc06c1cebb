// SPDX-License-Identifier: Apache-2.0
#include "core/features/column_builder.h"

#include "core/base/catalog.h"
#include "core/features/feature_column_catalog.h"
#include "core/spec/column_kinds.h"
#include "core/spec/experiment_file.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/text/spec_path.h"

#include <limits>

namespace cannery::features {

namespace {

constexpr ErrorKind kUnknownColumn{"features.unknown_column", "There is no feature column '{}'.{}"};
constexpr ErrorKind kNoSlot{
    "features.no_slot",
    "Feature column '{}' ({}) has no values of its own here; name the column it wraps."};
constexpr ErrorKind kEmptyColumn{"features.empty_column",
                                 "Feature column '{}' is empty: choose its kind."};
constexpr ErrorKind kNotCategorical{
    "features.not_categorical",
    "Feature column '{}' needs a categorical column, but '{}' is {}. Bucketize numbers first."};
constexpr ErrorKind kTooManyBuckets{"features.too_many_buckets",
                                    "Feature column '{}' has {} buckets; at most {} are possible."};

constexpr std::int64_t kMaximumBuckets = std::numeric_limits<std::int32_t>::max();

std::string knownColumns(const spec::Experiment& experiment, const std::string& handle)
{
    std::vector<std::string> names;
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        names.push_back(column.name());
    }
    return suggestion(handle, names);
}

} // namespace

Result<ColumnPointer> ColumnBuilder::column(const std::string& handle)
{
    // A column that several others wrap is made once.
    if (const auto found = m_columns.find(handle); found != m_columns.end()) {
        return found->second;
    }
    const spec::FeatureColumn* spec = m_specs.find(handle);
    if (spec == nullptr) {
        return fail(ErrorCode::NotFound, kUnknownColumn, handle,
                    knownColumns(experiment(), handle));
    }
    // Also finds columns that depend on themselves, before anything here recurses.
    CANNERY_TRY(spec::tensorflowName(m_specs, handle));
    const FeatureColumnRow* row = findFeatureColumnRow(spec->kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kEmptyColumn, handle);
    }
    if (row->create == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoSlot, handle, row->name);
    }
    CANNERY_TRY_ASSIGN(ColumnPointer column, row->create(*spec, *this));
    m_columns.emplace(handle, column);
    return column;
}

Result<std::vector<ColumnPointer>> ColumnBuilder::slotsOf(const std::string& handle)
{
    const spec::FeatureColumn* spec = m_specs.find(handle);
    const FeatureColumnRow* row =
        spec == nullptr ? nullptr : findFeatureColumnRow(spec->kind_case());
    std::vector<ColumnPointer> slots;
    if (row == nullptr || row->lookup == nullptr) {
        CANNERY_TRY_ASSIGN(ColumnPointer own, column(handle));
        slots.push_back(std::move(own));
        return slots;
    }
    for (const spec::ColumnSource& wrapped : spec::sourcesOf(*spec)) {
        CANNERY_TRY_ASSIGN(ColumnPointer slot, categorical(wrapped.name, handle));
        slots.push_back(std::move(slot));
    }
    return slots;
}

Result<ColumnPointer> ColumnBuilder::categorical(const std::string& handle, const std::string& user)
{
    CANNERY_TRY_ASSIGN(ColumnPointer result, column(handle));
    if (result->info().kind != SlotKind::Ids) {
        return fail(ErrorCode::InvalidArgument, kNotCategorical, user, handle, "numeric");
    }
    return result;
}

std::filesystem::path ColumnBuilder::path(std::string_view written) const
{
    return spec::resolvePath(m_folder, written);
}

Result<ColumnInfo> ColumnBuilder::info(const std::string& handle, SlotKind kind,
                                       std::int64_t width) const
{
    // Ids are int32 in encoded rows.
    if (width > kMaximumBuckets) {
        spec::SpecPath path = spec::SpecPath{}.child("feature_column");
        path.steps.back().name = handle;
        return tl::make_unexpected(
            error(ErrorCode::InvalidArgument, kTooManyBuckets, handle, width, kMaximumBuckets)
                .at(path.toString()));
    }
    CANNERY_TRY_ASSIGN(std::string tensorflowName, spec::tensorflowName(m_specs, handle));
    return ColumnInfo{handle, std::move(tensorflowName), kind, width, false};
}

} // namespace cannery::features
