// SPDX-License-Identifier: Apache-2.0
#include "core/spec/head_kinds.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"

#include <algorithm>
#include <array>

namespace cannery::spec {

namespace {

using google::protobuf::Message;

constexpr auto kKinds = std::to_array<HeadKind>({
    {Head::kBinaryClassHead, LabelKind::Probability, HeadLoss::Sigmoid},
    {Head::kMultiClassHead, LabelKind::ClassId, HeadLoss::Softmax},
    {Head::kMultiLabelHead, LabelKind::MultiHot, HeadLoss::Sigmoid},
    {Head::kRegressionHead, LabelKind::Number, HeadLoss::Squares},
    {Head::kPoissonRegressionHead, LabelKind::Number, HeadLoss::Poisson},
    {Head::kLogisticRegressionHead, LabelKind::Probability, HeadLoss::Sigmoid},
    {Head::kLossHead, LabelKind::Number, HeadLoss::Chosen},
    {Head::kLossHead, LabelKind::ClassId, HeadLoss::Chosen},
    {Head::kLossHead, LabelKind::Probability, HeadLoss::Chosen},
});

LabelKind labelsOf(const LossHead& head)
{
    if (!head.has_n_classes()) {
        return LabelKind::Number;
    }
    return hasOneOutput(head) ? LabelKind::Probability : LabelKind::ClassId;
}

std::int64_t numberIn(const Head& head, const char* name, std::int64_t otherwise)
{
    // Found by the field's name: each head has its arguments in a message of its own.
    const Message* member = memberOf(head);
    const auto* field =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName(name);
    return field == nullptr ? otherwise : member->GetReflection()->GetInt64(*member, field);
}

} // namespace

std::span<const HeadKind> headKinds()
{
    return kKinds;
}

const HeadKind* findHeadKind(const Head& head)
{
    if (!head.has_loss_head()) {
        return findRow(kKinds, head.kind_case());
    }
    const auto* row = std::ranges::find_if(kKinds, [&](const HeadKind& kind) {
        return kind.key == Head::kLossHead && kind.labels == labelsOf(head.loss_head());
    });
    return row;
}

bool hasOneOutput(const LossHead& head)
{
    const Loss& loss = head.loss();
    return head.n_classes() == 2 &&
           (loss.has_binary_crossentropy() || loss.has_binary_focal_crossentropy() ||
            loss.has_hinge() || loss.has_squared_hinge());
}

std::string headName(const Head& head)
{
    const Message* member = memberOf(head);
    const auto* name =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("name");
    return name == nullptr ? std::string() : member->GetReflection()->GetString(*member, name);
}

std::int64_t classCount(const Head& head)
{
    return numberIn(head, "n_classes", 2);
}

std::int64_t labelWidth(const Head& head)
{
    const HeadKind* kind = findHeadKind(head);
    if (kind == nullptr) {
        return 0;
    }
    switch (kind->labels) {
    case LabelKind::MultiHot:
        return classCount(head);
    case LabelKind::Number:
        return numberIn(head, "label_dimension", 1);
    default:
        return 1;
    }
}

std::string weightFeatureOf(const Head& head)
{
    const Message* member = memberOf(head);
    const auto* field =
        member == nullptr ? nullptr : member->GetDescriptor()->FindFieldByName("weight_column");
    return field == nullptr ? std::string()
                            : dynamic_cast<const InputReference&>(
                                  member->GetReflection()->GetMessage(*member, field))
                                  .feature();
}

} // namespace cannery::spec
