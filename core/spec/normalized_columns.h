// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {

/// A feature column of any kind that normalizes the numbers of a raw feature: one of its fields is
/// a Normalizer, and is set.
struct NormalizedColumn
{
    std::string name;    ///< of the feature column
    std::string feature; ///< the feature it reads
    Normalizer normalizer;
    std::string path; ///< "feature_column[age].numeric_column.normalizer"
};

/// Nothing if the column has none.
std::optional<NormalizedColumn> normalizedColumn(const FeatureColumn& column);
/// In the order of the experiment.
std::vector<NormalizedColumn> normalizedColumns(const Experiment& experiment);
/// The column's normalizer, for modification, or nullptr.
Normalizer* mutableNormalizer(FeatureColumn& column);

} // namespace cannery::spec
