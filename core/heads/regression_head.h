#pragma once

#include "core/base/result.h"
#include "core/heads/head.h"
#include "core/heads/head_options.h"

#include <memory>

namespace cannery::spec {
class Head;
}

namespace cannery::heads {

/// How a regression turns a logit z into its prediction.
enum class InverseLink
{
    Identity,    ///< z; the predictions then have no key `logits`
    Exponential, ///< exp(z)
    Logistic,    ///< 1 / (1 + exp(-z))
};

struct RegressionOptions
{
    HeadOptions common;
    std::int64_t labelDimension = 1;
    losses::LossKind loss = losses::LossKind::SquaredError;
    InverseLink inverseLink = InverseLink::Identity;
};

/// What the regression heads have in common: a value per label dimension.
Result<std::unique_ptr<Head>> makeLinkedRegressionHead(RegressionOptions options);

/// Values by as many logits: squared error without a factor 1/2 (tf.estimator.RegressionHead).
Result<std::unique_ptr<Head>> makeRegressionHead(const spec::Head& message);

} // namespace cannery::heads
