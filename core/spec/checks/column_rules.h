// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/validation_context.h"
#include "core/spec/column_kinds.h"
#include "core/spec/spec_resolver.h"

#include <optional>
#include <span>

namespace cannery::spec {

/// A feature column being checked.
struct ColumnCheck
{
    ValidationContext& context;
    const FeatureColumn& column;
    SpecPath path; ///< of the member: `feature_column[0].numeric_column`

    void report(const SpecPath& where, Error error) const
    {
        context.report(where, std::move(error));
    }
};

/// The rules of a kind of feature column that the schema's options cannot express; most kinds have
/// none.
struct ColumnRules
{
    FeatureColumn::KindCase key = FeatureColumn::KIND_NOT_SET;
    /// Reports problems.
    void (*check)(const ColumnCheck&) = nullptr;
    /// Fills in TensorFlow's defaults. @param experiment the column's, not resolved.
    void (*resolve)(FeatureColumn& column, const Experiment& experiment,
                    const ResolveOptions& options) = nullptr;
    /// If the number of ids is not the sum of the fields with counts_ids.
    std::optional<std::int64_t> (*idCount)(const ColumnIndex&, const FeatureColumn&) = nullptr;
};

std::span<const ColumnRules> columnRules();
/// Rules of the kind that is set, or nullptr.
const ColumnRules* findColumnRules(const FeatureColumn& column);

} // namespace cannery::spec
