// SPDX-License-Identifier: Apache-2.0
#include "core/heads/signature.h"

namespace cannery::heads {

std::string_view methodName(SignatureKind kind)
{
    switch (kind) {
    case SignatureKind::Classification:
        return "tensorflow/serving/classify";
    case SignatureKind::Regression:
        return "tensorflow/serving/regress";
    case SignatureKind::Predict:
        break;
    }
    return "tensorflow/serving/predict";
}

std::string_view inputKey(SignatureKind kind)
{
    return kind == SignatureKind::Predict ? std::string_view() : "inputs";
}

} // namespace cannery::heads
