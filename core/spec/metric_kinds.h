// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/head_kinds.h"
#include "core/spec/metrics.pb.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// What each kind of metric measures, one row per kind. Apart from the metrics themselves, no other
/// code distinguishes metrics by their kind.
namespace cannery::spec {

struct MetricKind
{
    Metric::KindCase key = Metric::KIND_NOT_SET;
    /// Heads with such labels have what it reads.
    std::span<const LabelKind> fits;
    /// Whether more of it is better, or less; nothing if neither is.
    std::optional<bool> isMoreBetter = std::nullopt;
    /// Its result has a row for each class.
    bool isTable = false;
};

/// The number of classes that a metric with a table can have.
constexpr std::int64_t kMostTableClasses = 500;

std::span<const MetricKind> metricKinds();
/// The row of the kind that is set, or nullptr.
const MetricKind* findMetricKind(const Metric& metric);

/// Its name in evaluations: its own, or that of its kind with "/<head>" as in a multi_head.
std::string metricName(const Metric& metric);
/// Why the metric cannot measure a head with such labels and classes; nothing if it can.
std::optional<Error> metricMisfit(const Metric& metric, LabelKind labels, std::int64_t classes);
/// The head of an experiment that a metric measures: the one of its name in a multi_head, which
/// must be named; otherwise the only one.
Result<Head> measuredHead(const Metric& metric, const Head& head);

} // namespace cannery::spec
