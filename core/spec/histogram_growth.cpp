// SPDX-License-Identifier: Apache-2.0
#include "core/spec/histogram_growth.h"

#include "core/spec/estimator_columns.h"
#include "core/spec/message_access.h"

#include <algorithm>

namespace cannery::spec {

const HistogramGrowth* histogramGrowthOf(const Estimator& estimator)
{
    const google::protobuf::FieldDescriptor* kind = memberField(estimator);
    if (kind == nullptr) {
        return nullptr;
    }
    const google::protobuf::Message& member =
        estimator.GetReflection()->GetMessage(estimator, kind);
    const auto* growth = member.GetDescriptor()->FindFieldByName("histogram");
    const bool isSet = growth != nullptr &&
                       growth->message_type() == HistogramGrowth::descriptor() &&
                       member.GetReflection()->HasField(member, growth);
    return isSet ? &dynamic_cast<const HistogramGrowth&>(
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
    return isRead && std::ranges::none_of(experiment.feature_column(), [&](const auto& other) {
               return other.bucketized_column().source_column() == column;
           });
}

} // namespace cannery::spec
