// SPDX-License-Identifier: Apache-2.0
#include "core/spec/metric_kinds.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace cannery::spec {

namespace {

constexpr ErrorKind kMisfit{
    "spec.metric_head",
    "The metric {} does not fit the model's head; it fits {}. Remove it, or choose another one."};
constexpr ErrorKind kTooManyClasses{
    "spec.metric_classes",
    "The metric {} has a row for each class, at most {}, and the head has {} classes: remove it, "
    "or use f1_score or accuracy."};
constexpr ErrorKind kUnnamedHead{
    "spec.metric_unnamed_head",
    "A metric measures one head of a multi_head: set 'head' to one of {}."};
constexpr ErrorKind kNoSuchHead{"spec.metric_no_such_head",
                                "The metric's head '{}' does not exist: the heads are {}."};
constexpr ErrorKind kOnlyHead{
    "spec.metric_only_head",
    "The metric's head is '{}', but the model has no multi_head: leave 'head' out."};

constexpr std::array kNumbers{LabelKind::Number, LabelKind::Probability};
constexpr std::array kAmounts{LabelKind::Number};
constexpr std::array kChoices{LabelKind::Probability, LabelKind::ClassId, LabelKind::MultiHot};
constexpr std::array kExclusiveChoices{LabelKind::Probability, LabelKind::ClassId};
constexpr std::array kYesOrNo{LabelKind::Probability, LabelKind::MultiHot};
constexpr std::array kManyClasses{LabelKind::ClassId};

constexpr std::optional<bool> kMore = true;
constexpr std::optional<bool> kLess = false;

constexpr auto kMetricKinds = std::to_array<MetricKind>({
    {Metric::kMean, kNumbers},
    {Metric::kMeanAbsoluteError, kNumbers, kLess},
    {Metric::kMeanSquaredError, kNumbers, kLess},
    {Metric::kRootMeanSquaredError, kNumbers, kLess},
    {Metric::kMeanAbsolutePercentageError, kAmounts, kLess},
    {Metric::kR2Score, kNumbers, kMore},
    {Metric::kAccuracy, kChoices, kMore},
    {Metric::kPrecision, kChoices, kMore},
    {Metric::kRecall, kChoices, kMore},
    {Metric::kF1Score, kChoices, kMore},
    {Metric::kAuc, kYesOrNo, kMore},
    {Metric::kRecallAtPrecision, kYesOrNo, kMore},
    {Metric::kPrecisionAtRecall, kYesOrNo, kMore},
    {Metric::kTopKCategoricalAccuracy, kManyClasses, kMore},
    {Metric::kLogLoss, kChoices, kLess},
    {Metric::kBrierScore, kChoices, kLess},
    {Metric::kCalibrationError, kChoices, kLess},
    {Metric::kConfusionMatrix, kExclusiveChoices, std::nullopt, true},
    {Metric::kPerClass, kChoices, std::nullopt, true},
});

/// "multi_class_head, regression_head": the kinds of heads that it fits.
std::string headsOf(const MetricKind& kind)
{
    std::string text;
    Head::KindCase last = Head::KIND_NOT_SET;
    for (const HeadKind& head : headKinds()) {
        const bool fits =
            std::find(kind.fits.begin(), kind.fits.end(), head.labels) != kind.fits.end();
        // The rows of one head stand together.
        if (fits && head.key != last) {
            text += (text.empty() ? "" : ", ") +
                    Head::descriptor()->FindFieldByNumber(head.key)->name();
            last = head.key;
        }
    }
    return text;
}

} // namespace

std::span<const MetricKind> metricKinds()
{
    return kMetricKinds;
}

const MetricKind* findMetricKind(const Metric& metric)
{
    return findRow(kMetricKinds, metric.kind_case());
}

std::string metricName(const Metric& metric)
{
    // A metric without a name is called by its kind, and by its head if there are several.
    if (!metric.name().empty() || metric.kind_case() == Metric::KIND_NOT_SET) {
        return metric.name();
    }
    const std::string kind = memberField(metric)->name();
    return metric.head().empty() ? kind : kind + "/" + metric.head();
}

std::optional<Error> metricMisfit(const Metric& metric, LabelKind labels, std::int64_t classes)
{
    const MetricKind* kind = findMetricKind(metric);
    if (kind == nullptr) {
        return std::nullopt;
    }
    const std::string name = memberField(metric)->name();
    if (std::find(kind->fits.begin(), kind->fits.end(), labels) == kind->fits.end()) {
        return error(ErrorCode::InvalidArgument, kMisfit, name, headsOf(*kind));
    }
    if (kind->isTable && classes > kMostTableClasses) {
        return error(ErrorCode::InvalidArgument, kTooManyClasses, name, kMostTableClasses, classes);
    }
    return std::nullopt;
}

Result<Head> measuredHead(const Metric& metric, const Head& head)
{
    if (!head.has_multi_head()) {
        // The only head may be named, if it has a name.
        if (!metric.head().empty() && metric.head() != headName(head)) {
            return fail(ErrorCode::NotFound, kOnlyHead, metric.head());
        }
        return head;
    }
    std::vector<std::string> known;
    for (const Head& one : head.multi_head().heads()) {
        if (!metric.head().empty() && headName(one) == metric.head()) {
            return one;
        }
        known.push_back(headName(one));
    }
    const std::string names = fmt::format("{}", fmt::join(known, ", "));
    // Which heads there are is part of both messages.
    return metric.head().empty() ? fail(ErrorCode::InvalidArgument, kUnnamedHead, names)
                                 : fail(ErrorCode::NotFound, kNoSuchHead, metric.head(), names);
}

} // namespace cannery::spec
