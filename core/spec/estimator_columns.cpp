// SPDX-License-Identifier: Apache-2.0
#include "core/spec/estimator_columns.h"

#include "core/spec/estimators.pb.h"
#include "core/spec/message_access.h"

namespace cannery::spec {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::vector<PartColumns> partColumnsOf(const Estimator& estimator)
{
    std::vector<PartColumns> lists;
    const Message* member = memberOf(estimator);
    for (int i = 0; member != nullptr && i < member->GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *member->GetDescriptor()->field(i);
        if (field.is_repeated() && infoOf(field).names() == FieldInfo::FEATURE_COLUMN) {
            lists.push_back(
                {field.name(), textsIn(*member, field.name()),
                 infoOf(field).has_wants() && infoOf(field).wants() == ColumnKind::DENSE,
                 infoOf(field).sequences()});
        }
    }
    return lists;
}

EstimatorColumns columnsOf(const Estimator& estimator)
{
    EstimatorColumns columns;
    for (const PartColumns& list : partColumnsOf(estimator)) {
        std::vector<std::string>& part = list.isDense ? columns.dnn : columns.linear;
        part.insert(part.end(), list.handles.begin(), list.handles.end());
    }
    return columns;
}

} // namespace cannery::spec
