// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::spec {

class Estimator;

/// One of the lists of feature columns among the arguments of an estimator.
struct PartColumns
{
    std::string field;                ///< "dnn_feature_columns"
    std::vector<std::string> handles; ///< as written
    bool isDense = false;             ///< read as numbers side by side; else as they are
};

/// In the order of the schema.
std::vector<PartColumns> partColumnsOf(const Estimator& estimator);

/// Handles of the feature columns of an estimator's parts, as written.
struct EstimatorColumns
{
    std::vector<std::string> linear; ///< read as they are
    std::vector<std::string> dnn;    ///< read as numbers side by side

    bool operator==(const EstimatorColumns&) const = default;
};

EstimatorColumns columnsOf(const Estimator& estimator);

} // namespace cannery::spec
