// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/descriptor.h>

#include <optional>
#include <span>
#include <string_view>

namespace cannery::spec {

/// An argument of TensorFlow's class that has no field here, because it is Python code, or because
/// it is written elsewhere.
struct TensorFlowOnlyField
{
    std::string_view message;  ///< "RunConfig"; or a family, whose members have it: "Estimator"
    std::string_view name;     ///< "session_config"
    std::string_view sentence; ///< the reason, and what to write instead
};

std::span<const TensorFlowOnlyField> tensorflowOnlyFields();

/// Of TensorFlow's argument of that name; nothing if it has none, or none worth a sentence.
std::optional<std::string_view> tensorflowOnlyField(const google::protobuf::Descriptor& message,
                                                    std::string_view name);

} // namespace cannery::spec
