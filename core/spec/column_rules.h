// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/column_kinds.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/validation_context.h"

#include <optional>
#include <span>

namespace cannery::spec {

/// A feature column that is checked.
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

/// What a kind of feature column asks for beyond what the schema's options can say; most kinds ask
/// for nothing.
struct ColumnRules
{
    FeatureColumn::KindCase key = FeatureColumn::KIND_NOT_SET;
    /// Reports what is wrong.
    void (*check)(const ColumnCheck&) = nullptr;
    /// Fills in what TensorFlow would. @param experiment the column's, not resolved.
    void (*resolve)(FeatureColumn& column, const Experiment& experiment,
                    const ResolveOptions& options) = nullptr;
    /// Where the number of ids is not the sum of the fields with counts_ids.
    std::optional<std::int64_t> (*idCount)(const ColumnIndex&, const FeatureColumn&) = nullptr;
};

std::span<const ColumnRules> columnRules();
/// Those of the kind that is set, or nullptr.
const ColumnRules* findColumnRules(const FeatureColumn& column);

} // namespace cannery::spec
