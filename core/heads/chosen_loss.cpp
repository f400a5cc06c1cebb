// SPDX-License-Identifier: Apache-2.0
#include "core/heads/chosen_loss.h"

#include "core/base/catalog.h"
#include "core/spec/message_access.h"

#include <google/protobuf/message.h>

#include <array>

namespace cannery::heads {

namespace {

using kernels::RowLoss;
using spec::Loss;

constexpr ErrorKind kNoLoss{"head.no_loss",
                            "The loss_head has no loss. Name one, such as loss {{ huber {{}} }}."};

constexpr std::array kLosses{
    ChosenLossRow{Loss::kMeanSquaredError, RowLoss::MeanSquaredError},
    ChosenLossRow{Loss::kMeanAbsoluteError, RowLoss::MeanAbsoluteError},
    ChosenLossRow{Loss::kMeanAbsolutePercentageError, RowLoss::MeanAbsolutePercentageError},
    ChosenLossRow{Loss::kMeanSquaredLogarithmicError, RowLoss::MeanSquaredLogarithmicError},
    ChosenLossRow{Loss::kHuber, RowLoss::Huber},
    ChosenLossRow{Loss::kLogCosh, RowLoss::LogCosh},
    ChosenLossRow{Loss::kPoisson, RowLoss::Poisson},
    ChosenLossRow{Loss::kKlDivergence, RowLoss::KlDivergence, Chances::OfAllOutputs},
    ChosenLossRow{Loss::kCosineSimilarity, RowLoss::CosineSimilarity},
    ChosenLossRow{Loss::kHinge, RowLoss::Hinge},
    ChosenLossRow{Loss::kSquaredHinge, RowLoss::SquaredHinge},
    ChosenLossRow{Loss::kCategoricalHinge, RowLoss::CategoricalHinge},
    ChosenLossRow{Loss::kBinaryCrossentropy, RowLoss::BinaryCrossentropy, Chances::PerOutput, true},
    ChosenLossRow{Loss::kBinaryFocalCrossentropy, RowLoss::BinaryFocalCrossentropy,
                  Chances::PerOutput, true},
    ChosenLossRow{Loss::kCategoricalCrossentropy, RowLoss::CategoricalCrossentropy,
                  Chances::OfAllOutputs, true},
    ChosenLossRow{Loss::kCategoricalFocalCrossentropy, RowLoss::CategoricalFocalCrossentropy,
                  Chances::OfAllOutputs, true},
    ChosenLossRow{Loss::kSparseCategoricalCrossentropy, RowLoss::SparseCategoricalCrossentropy,
                  Chances::OfAllOutputs, true},
};
static_assert(kLosses.size() == kernels::kRowLossCount);

/// The arguments of a loss, found by their names, which all losses share.
class LossArgumentReader
{
public:
    explicit LossArgumentReader(const Loss& message) : m_member(*spec::memberOf(message)) {}

    double number(const char* name, double otherwise) const
    {
        const auto* field = m_member.GetDescriptor()->FindFieldByName(name);
        return field == nullptr ? otherwise : m_member.GetReflection()->GetDouble(m_member, field);
    }
    bool isSet(const char* name) const
    {
        const auto* field = m_member.GetDescriptor()->FindFieldByName(name);
        return field != nullptr && m_member.GetReflection()->GetBool(m_member, field);
    }

private:
    const google::protobuf::Message& m_member;
};

} // namespace

std::span<const ChosenLossRow> chosenLossCatalog()
{
    return kLosses;
}

const ChosenLossRow* findChosenLoss(const Loss& message)
{
    return findRow(kLosses, message.kind_case());
}

Result<kernels::RowLossRule> lossRule(const Loss& message)
{
    const ChosenLossRow* row = findChosenLoss(message);
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoLoss);
    }
    const LossArgumentReader reader(message);
    kernels::RowLossRule rule;
    rule.loss = row->loss;
    rule.constants = {.delta = reader.number("delta", 1.0),
                      .labelSmoothing = reader.number("label_smoothing", 0.0),
                      .gamma = reader.number("gamma", 2.0),
                      .alpha = reader.number("alpha", 0.25),
                      .balancesClasses = reader.isSet("apply_class_balancing")};
    rule.fromLogits = reader.isSet("from_logits");
    rule.labelsAreIds = row->loss == RowLoss::SparseCategoricalCrossentropy;
    if (message.sparse_categorical_crossentropy().has_ignore_class()) {
        rule.ignoredClass = message.sparse_categorical_crossentropy().ignore_class();
    }
    return rule;
}

} // namespace cannery::heads
