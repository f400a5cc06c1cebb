// SPDX-License-Identifier: Apache-2.0
// Rules of recurrent networks (estimator-canon §1.3).

#include "core/spec/message_access.h"
#include "core/spec/validation_context.h"

namespace cannery::spec {

namespace {

constexpr ErrorKind kEveryStep{"spec.return_sequences",
                               "A prediction for every step (return_sequences) is not possible "
                               "yet: remove it, and the network "
                               "predicts once for the row, from its last step."};

} // namespace

void checkRecurrentNetwork(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const auto* kind = memberField(estimator);
    const auto* field =
        kind == nullptr ? nullptr : kind->message_type()->FindFieldByName("return_sequences");
    if (field == nullptr) {
        return;
    }
    const auto& member = estimator.GetReflection()->GetMessage(estimator, kind);
    if (member.GetReflection()->GetBool(member, field)) {
        context.report(SpecPath{}.child("estimator").child(kind->name()).child("return_sequences"),
                       error(ErrorCode::Unimplemented, kEveryStep));
    }
}

} // namespace cannery::spec
