// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cannery::spec {

class Estimator;

/// One of the lists of feature columns among an estimator's arguments.
struct PartColumns
{
    std::string field;                ///< "dnn_feature_columns"
    std::vector<std::string> handles; ///< as written
    bool isDense = false;             ///< read as concatenated numbers; otherwise unchanged
    bool isSequence = false;          ///< read step by step
};

/// In the order of the schema.
std::vector<PartColumns> partColumnsOf(const Estimator& estimator);

/// Handles of the feature columns of an estimator's parts, as written.
struct EstimatorColumns
{
    std::vector<std::string> linear; ///< read unchanged
    std::vector<std::string> dnn;    ///< read as concatenated numbers

    bool operator==(const EstimatorColumns&) const = default;
};

EstimatorColumns columnsOf(const Estimator& estimator);

} // namespace cannery::spec
