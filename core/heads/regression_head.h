// SPDX-License-Identifier: Apache-2.0
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
    Affine,      ///< scale * z + offset; the loss compares z with (label - offset) / scale
    Exponential, ///< exp(z)
    Logistic,    ///< 1 / (1 + exp(-z))
};

struct RegressionOptions
{
    HeadOptions common;
    std::int64_t labelDimension = 1;
    losses::LossKind loss = losses::LossKind::SquaredError;
    InverseLink inverseLink = InverseLink::Identity;
    float scale = 1.0F;  ///< of an affine link
    float offset = 0.0F; ///< of an affine link
};

/// Shared by the regression heads: one value per label dimension.
Result<std::unique_ptr<Head>> makeLinkedRegressionHead(RegressionOptions options);

/// Values from the same number of logits: squared error without the factor 1/2
/// (tf.estimator.RegressionHead). With an affine link it is TensorFlow's RegressionHead with the
/// arguments loss_fn, squares of the scaled difference, and inverse_link_fn; only average_loss
/// differs: ours is in the label's own units, squared.
Result<std::unique_ptr<Head>> makeRegressionHead(const spec::Head& message);

} // namespace cannery::heads
