// SPDX-License-Identifier: Apache-2.0
#include "core/spec/example_id.h"

#include "core/spec/estimators.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/optimizers.pb.h"

#include <vector>

namespace cannery::spec {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::optional<ExampleId> exampleIdOf(const Estimator& estimator)
{
    const Message* member = memberOf(estimator);
    if (member == nullptr) {
        return std::nullopt;
    }
    const SpecPath path = SpecPath{}.child("estimator").child(memberField(estimator)->name());
    std::vector<const FieldDescriptor*> fields;
    member->GetReflection()->ListFields(*member, &fields);
    for (const FieldDescriptor* field : fields) {
        if (!isMessage(*field) || field->message_type() != Optimizer::descriptor()) {
            continue;
        }
        const Message& optimizer = member->GetReflection()->GetMessage(*member, field);
        const Message* kind = memberOf(optimizer);
        const FieldDescriptor* id =
            kind == nullptr ? nullptr : kind->GetDescriptor()->FindFieldByName("example_id_column");
        if (id != nullptr) {
            return ExampleId{.optimizer = path.child(field->name()),
                             .kind = memberField(optimizer)->name(),
                             .feature = kind->GetReflection()->GetString(*kind, id)};
        }
    }
    return std::nullopt;
}

} // namespace cannery::spec
