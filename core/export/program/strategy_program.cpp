// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/strategy_program.h"

#include "core/spec/message_access.h"
#include "core/spec/strategy_devices.h"

#include <fmt/core.h>

namespace cannery::exporting {

using Kind = spec::TrainingPlace::Kind;

std::string strategyProgram(const spec::Strategy& strategy, const std::string& path,
                            MessageWriter& writer, RefusedFields& refused)
{
    if (strategy.has_virtual_shards()) {
        refused.add(path + ".virtual_shards", "it is Cannery's own");
    }
    if (strategy.batch_norm_scope() == spec::BatchNormScope::global) {
        refused.add(path + ".batch_norm_scope", "TensorFlow normalizes over each replica's batch");
    }
    if (strategy.kind_case() == spec::Strategy::KIND_NOT_SET || strategy.has_one_device()) {
        const spec::TrainingPlace place = spec::trainingPlaceOf(strategy);
        return place.kind == Kind::Gpu
                   ? fmt::format("tf.distribute.OneDeviceStrategy('/gpu:{}')", place.gpus.front())
                   : "None"; // TensorFlow, too, takes what there is
    }
    const google::protobuf::Message& member = *spec::memberOf(strategy);
    return writer.text(member, fmt::format("{}.{}", path, spec::memberField(strategy)->name()));
}

std::string precisionProgram(const spec::Strategy& strategy, RefusedFields& refused)
{
    if (strategy.precision() == spec::NumberFormat::mixed_bfloat16) {
        refused.add("strategy.precision", "tf.estimator has no mixed precision");
    }
    if (spec::trainingPlaceOf(strategy).kind == Kind::Cpu) {
        return "";
    }
    return fmt::format("    tf.config.experimental.enable_tensor_float_32_execution({})\n",
                       strategy.precision() == spec::NumberFormat::tensor_float_32 ? "True"
                                                                                   : "False");
}

} // namespace cannery::exporting
