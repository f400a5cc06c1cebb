// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/column_rules.h"

/// Rules of numeric and bucketized columns (estimator-canon §3.1), rows of columnRules().
namespace cannery::spec {

/// For buckets as well as for a piecewise constant schedule.
inline constexpr ErrorKind kBoundariesOrder{
    "spec.boundaries_order",
    "The boundary {0} is not greater than {1} before it: boundaries must be strictly increasing."};

void checkNormalizer(const ColumnCheck& check, const Normalizer& normalizer, const SpecPath& path);
/// What it would take from the statistics of a raw feature, if the options have them.
void resolveNormalizer(Normalizer& normalizer, const std::string& feature,
                       const ResolveOptions& options);
void checkNumericColumn(const ColumnCheck& check);
/// A shape with one element; the statistics of a normalizer.
void resolveNumericColumn(FeatureColumn& column, const Experiment& experiment,
                          const ResolveOptions& options);

void checkBucketizedColumn(const ColumnCheck& check);
/// n + 1 buckets for each element of the source.
std::optional<std::int64_t> bucketizedIdCount(const ColumnIndex& columns,
                                              const FeatureColumn& column);

} // namespace cannery::spec
