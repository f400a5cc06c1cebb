// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cannery::spec {

class Experiment;
class FeatureColumn;
struct ColumnSource;

/// The name, and a suggestion.
inline constexpr ErrorKind kDanglingColumn{"spec.dangling_column",
                                           "There is no feature_column named '{0}'.{1}"};

/// The feature columns of an experiment by name. Created on the fly for a single query, kept for
/// many. The experiment must outlive it and stay unchanged. Not for several threads at once, since
/// it remembers the names that have been derived.
class ColumnIndex
{
public:
    ColumnIndex(const Experiment& experiment); // NOLINT: an experiment is its columns

    /// The feature column of that name (the first, if there are two), or nullptr.
    const FeatureColumn* find(std::string_view name) const;
    const Experiment& experiment() const { return *m_experiment; }

private:
    friend Result<std::vector<std::string>> tensorflowNames(const ColumnIndex& columns,
                                                            std::string_view columnName);
    struct Entry
    {
        const FeatureColumn* column = nullptr;
        mutable std::optional<std::vector<std::string>> tensorflowNames; ///< once they were asked
    };

    const Experiment* m_experiment;
    std::unordered_map<std::string_view, Entry> m_columns;
};

/// The name TensorFlow derives for a feature column, by the options of its kind ("age_bucketized",
/// "sex_X_age_bucketized"): determines the order of inputs, and is part of variable names. For
/// shared embeddings: the first of tensorflowNames(). Errors: "spec.dangling_column",
/// "spec.column_cycle".
Result<std::string> tensorflowName(const ColumnIndex& columns, std::string_view columnName);

/// The same for every column that TensorFlow makes of it: one, except for shared embeddings, which
/// are one per categorical column, in the order written.
Result<std::vector<std::string>> tensorflowNames(const ColumnIndex& columns,
                                                 std::string_view columnName);

/// A name as part of a variable's name: as in TensorFlow's feature columns, every character except
/// letters, digits, '_', '.' and '-' becomes '_'.
std::string scopeSafe(std::string_view name);

/// The raw features and columns that a cross consists of, nested crosses flattened, in the order
/// written (the order that hashing uses).
Result<std::vector<ColumnSource>> crossLeaves(const ColumnIndex& columns,
                                              std::string_view columnName);

/// The raw features that a column reads, without repetition, in order of first use.
Result<std::vector<std::string>> rawFeatures(const ColumnIndex& columns,
                                             std::string_view columnName);

} // namespace cannery::spec
