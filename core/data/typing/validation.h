// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/statistics.h"
#include "core/data/typing/schema.h"
#include "storage/tf/metadata_schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// Something about a feature that the schema does not expect.
struct Anomaly
{
    std::string feature;
    std::string_view kind; ///< the name that TensorFlow Data Validation gives it
    std::string sentence;
};

/// What the statistics of a table contradict in a schema: types, presence, domains, ranges,
/// features that only one of them has. Of lists, each value counts. In the schema's order.
/// `environment`: features that it is without may be missing; none may if empty.
std::vector<Anomaly> findAnomalies(const TableSchema& table, const TableStatistics& statistics,
                                   const storage::MetadataSchema& schema,
                                   std::string_view environment = {});

/// The L-infinity distance of two columns of categories: the largest difference of the share of any
/// value. Nothing if one of them has no values, or too many to be counted one by one.
std::optional<double> infinityNorm(const ColumnStatistics& a, const ColumnStatistics& b);

/// The Jensen-Shannon divergence of two columns, with logarithms to base 2 (0: the same, 1: nothing
/// in common): of texts between the shares of their values, of numbers between their histograms
/// with the union of both's edges. Nothing if one of them has no values, no finite ones, or too
/// many texts to be counted one by one.
std::optional<double> jensenShannon(const ColumnStatistics& a, const ColumnStatistics& b);

/// How far a feature of two tables is apart.
struct Distance
{
    std::string feature;
    std::optional<double> infinityNorm; ///< texts and integers
    std::optional<double> jensenShannon;
};

/// Of all columns that both have; `schema` says which of them hold lists, whose values count one by
/// one.
std::vector<Distance> distancesOf(const TableSchema& schema, const TableStatistics& a,
                                  const TableStatistics& b);

/// The distances beyond the thresholds of the schema's skew_comparator and drift_comparator.
std::vector<Anomaly> findSkew(const std::vector<Distance>& distances,
                              const storage::MetadataSchema& schema);

} // namespace cannery::data
