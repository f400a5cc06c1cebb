// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_catalog.h"

#include "core/base/catalog.h"
#include "core/heads/binary_class_head.h"
#include "core/heads/logistic_regression_head.h"
#include "core/heads/multi_class_head.h"
#include "core/heads/multi_head.h"
#include "core/heads/multi_label_head.h"
#include "core/heads/poisson_regression_head.h"
#include "core/heads/regression_head.h"

#include <array>

namespace cannery::heads {
namespace {

constexpr ErrorKind kNoHead{
    "head.none", "The head is empty. Name one of its kinds, such as regression_head {{}}."};

constexpr std::array kCatalog{
    HeadRow{spec::Head::kBinaryClassHead, "binary_class_head", "BinaryClassHead",
            makeBinaryClassHead},
    HeadRow{spec::Head::kMultiClassHead, "multi_class_head", "MultiClassHead", makeMultiClassHead},
    HeadRow{spec::Head::kMultiLabelHead, "multi_label_head", "MultiLabelHead", makeMultiLabelHead},
    HeadRow{spec::Head::kRegressionHead, "regression_head", "RegressionHead", makeRegressionHead},
    HeadRow{spec::Head::kPoissonRegressionHead, "poisson_regression_head", "PoissonRegressionHead",
            makePoissonRegressionHead},
    HeadRow{spec::Head::kLogisticRegressionHead, "logistic_regression_head",
            "LogisticRegressionHead", makeLogisticRegressionHead},
    HeadRow{spec::Head::kMultiHead, "multi_head", "MultiHead", makeMultiHead},
    HeadRow{spec::Head::kLossHead, "loss_head", "", makeLossHead},
};

} // namespace

std::span<const HeadRow> headCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Head>> makeHead(const spec::Head& message)
{
    const HeadRow* row = findRow(kCatalog, message.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kNoHead);
    }
    return row->make(message);
}

Result<std::unique_ptr<Head>> makeHead(const spec::Head& message,
                                       std::span<const OutputActivation> activations)
{
    if (message.has_multi_head()) {
        return makeMultiHead(message, activations);
    }
    if (message.has_loss_head() && !activations.empty()) {
        return makeLossHead(message, activations.front());
    }
    return makeHead(message);
}

Result<std::unique_ptr<Head>> makeHead(const graph::LoweredModel& model)
{
    if (model.makeHead) {
        return model.makeHead();
    }
    return makeHead(model.head);
}

} // namespace cannery::heads
