// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/optimizers.pb.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

/// Optimizers and schedules of ours that those of Keras are.
namespace cannery::tests {

/// "log_cosh" for "LogCosh".
std::string snakeCase(const std::string& className);

/// Sets the field of this name. False: the message has none.
bool setArgument(google::protobuf::Message& message, const std::string& name,
                 const nlohmann::json& value);

/// With the arguments of the class `schedule`, or as Keras writes it into a config; nothing if we
/// have none like it.
std::optional<spec::Schedule> scheduleOfKeras(const nlohmann::json& schedule);

/// With the arguments of the class; nothing if we have none like it.
std::optional<spec::Optimizer> optimizerOfKeras(const std::string& className,
                                                const nlohmann::json& arguments,
                                                spec::OptimizerRules::Kind rules);

} // namespace cannery::tests
