// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "storage/tf/graphs/node_ref.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::heads {

enum class SignatureKind
{
    Classification,
    Regression,
    Predict,
};

struct SignatureOutput
{
    std::string key; ///< "classes", "scores", "outputs", or a prediction's key
    storage::NodeRef tensor;
    DType dtype = DType::Float32;
    Shape shape;             ///< -1 if it is that of the batch
    bool isConstant = false; ///< the same in every row
};

/// What a head contributes to a SavedModel under one signature name.
struct Signature
{
    std::string name; ///< "serving_default", "predict", "<head>/regression"
    SignatureKind kind = SignatureKind::Predict;
    std::vector<SignatureOutput> outputs; ///< sorted by key
};

/// "tensorflow/serving/classify", ".../regress", ".../predict".
std::string_view methodName(SignatureKind kind);

/// The key of the single string input (serialized tf.Example) of a classification or regression;
/// empty for predict, whose inputs have the receiver's keys. TensorFlow omits classifications and
/// regressions if the receiver is anything but one string tensor.
std::string_view inputKey(SignatureKind kind);

} // namespace cannery::heads
