// SPDX-License-Identifier: Apache-2.0
#include "core/spec/histogram_growth.h"

#include "core/spec/estimator_columns.h"
#include "core/spec/message_access.h"

#include <algorithm>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;

/// Null if the estimator has no trees.
const FieldDescriptor* growthField(const Estimator& estimator)
{
    const FieldDescriptor* const kind = memberField(estimator);
    // The three estimators of boosted trees have the field; its type makes sure that it is this
    // one.
    const FieldDescriptor* const growth =
        kind == nullptr ? nullptr : kind->message_type()->FindFieldByName("histogram");
    const bool isGrowth =
        growth != nullptr && growth->message_type() == HistogramGrowth::descriptor();
    return isGrowth ? growth : nullptr;
}

} // namespace

bool growsTrees(const Estimator& estimator)
{
    return growthField(estimator) != nullptr;
}

const HistogramGrowth* histogramGrowthOf(const Estimator& estimator)
{
    const FieldDescriptor* const growth = growthField(estimator);
    if (growth == nullptr) {
        return nullptr;
    }
    const google::protobuf::Message& member = *memberOf(estimator);
    return member.GetReflection()->HasField(member, growth)
               ? &dynamic_cast<const HistogramGrowth&>(
                     member.GetReflection()->GetMessage(member, growth))
               : nullptr;
}

bool keepsMissingNumbers(const Experiment& experiment, const std::string& column)
{
    if (histogramGrowthOf(experiment.estimator()) == nullptr) {
        return false;
    }
    const std::vector<PartColumns> lists = partColumnsOf(experiment.estimator());
    const bool isRead = std::ranges::any_of(lists, [&](const PartColumns& list) {
        return std::ranges::find(list.handles, column) != list.handles.end();
    });
    // A bucketized column counts a missing number to its first bucket, so the number must not stay
    // NaN for it.
    return isRead && std::ranges::none_of(experiment.feature_column(), [&](const auto& other) {
               return other.bucketized_column().source_column() == column;
           });
}

} // namespace cannery::spec
