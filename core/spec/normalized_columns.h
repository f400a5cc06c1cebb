// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <optional>
#include <string>
#include <vector>

namespace cannery::spec {

/// A feature column that brings the numbers of a raw feature to a common scale, whatever its kind:
/// one of its fields is a Normalizer, which is set.
struct NormalizedColumn
{
    std::string name;    ///< of the feature column
    std::string feature; ///< that it reads
    Normalizer normalizer;
    std::string path; ///< "feature_column[age].numeric_column.normalizer"
};

/// Nothing when the column has none.
std::optional<NormalizedColumn> normalizedColumn(const FeatureColumn& column);
/// In the order of the experiment.
std::vector<NormalizedColumn> normalizedColumns(const Experiment& experiment);
/// The one of the column, to be changed, or nullptr.
Normalizer* mutableNormalizer(FeatureColumn& column);

} // namespace cannery::spec
