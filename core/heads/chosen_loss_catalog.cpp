// SPDX-License-Identifier: Apache-2.0
#include "core/heads/chosen_loss_catalog.h"

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
    ChosenLossRow{Loss::kMeanSquaredError, "mean_squared_error", RowLoss::MeanSquaredError},
    ChosenLossRow{Loss::kMeanAbsoluteError, "mean_absolute_error", RowLoss::MeanAbsoluteError},
    ChosenLossRow{Loss::kMeanAbsolutePercentageError, "mean_absolute_percentage_error",
                  RowLoss::MeanAbsolutePercentageError},
    ChosenLossRow{Loss::kMeanSquaredLogarithmicError, "mean_squared_logarithmic_error",
                  RowLoss::MeanSquaredLogarithmicError},
    ChosenLossRow{Loss::kHuber, "huber", RowLoss::Huber},
    ChosenLossRow{Loss::kLogCosh, "log_cosh", RowLoss::LogCosh},
    ChosenLossRow{Loss::kPoisson, "poisson", RowLoss::Poisson},
    ChosenLossRow{Loss::kKlDivergence, "kl_divergence", RowLoss::KlDivergence,
                  Chances::OfAllOutputs},
    ChosenLossRow{Loss::kCosineSimilarity, "cosine_similarity", RowLoss::CosineSimilarity},
    ChosenLossRow{Loss::kHinge, "hinge", RowLoss::Hinge},
    ChosenLossRow{Loss::kSquaredHinge, "squared_hinge", RowLoss::SquaredHinge},
    ChosenLossRow{Loss::kCategoricalHinge, "categorical_hinge", RowLoss::CategoricalHinge},
    ChosenLossRow{Loss::kBinaryCrossentropy, "binary_crossentropy", RowLoss::BinaryCrossentropy,
                  Chances::PerOutput, true},
    ChosenLossRow{Loss::kBinaryFocalCrossentropy, "binary_focal_crossentropy",
                  RowLoss::BinaryFocalCrossentropy, Chances::PerOutput, true},
    ChosenLossRow{Loss::kCategoricalCrossentropy, "categorical_crossentropy",
                  RowLoss::CategoricalCrossentropy, Chances::OfAllOutputs, true},
    ChosenLossRow{Loss::kCategoricalFocalCrossentropy, "categorical_focal_crossentropy",
                  RowLoss::CategoricalFocalCrossentropy, Chances::OfAllOutputs, true},
    ChosenLossRow{Loss::kSparseCategoricalCrossentropy, "sparse_categorical_crossentropy",
                  RowLoss::SparseCategoricalCrossentropy, Chances::OfAllOutputs, true},
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
