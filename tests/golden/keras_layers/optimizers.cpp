// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/optimizers.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <set>

namespace cannery::tests {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using OptimizerJson = nlohmann::json;

/// "ExponentialDecay" is our exponential_decay.
std::string scheduleField(const std::string& className)
{
    return className == "PiecewiseConstantDecay" ? "piecewise_constant" : snakeCase(className);
}

Message* member(Message& message, const std::string& name)
{
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
    return field == nullptr || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE
               ? nullptr
               : message.GetReflection()->MutableMessage(&message, field);
}

/// Of every optimizer of Keras; those of AdamW too, whose weight_decay we have twice.
const std::set<std::string>& commonArguments()
{
    static const std::set<std::string> names{"clipnorm",       "clipvalue",
                                             "decay",          "ema_momentum",
                                             "weight_decay",   "ema_overwrite_frequency",
                                             "global_clipnorm"};
    return names;
}

/// The averages of Keras's defaults; without use_ema its numbers mean nothing.
void setAverages(const std::string& className, const OptimizerJson& arguments,
                 spec::Optimizer& optimizer)
{
    if (!arguments.value("use_ema", false)) {
        optimizer.clear_ema_momentum();
        optimizer.clear_ema_overwrite_frequency();
        return;
    }
    if (!optimizer.has_ema_momentum()) {
        optimizer.set_ema_momentum(0.99);
    }
    if (className == "RMSprop" && !arguments.contains("ema_overwrite_frequency")) {
        optimizer.set_ema_overwrite_frequency(100);
    }
}

} // namespace

std::string snakeCase(const std::string& className)
{
    std::string field;
    for (const char letter : className) {
        if (std::isupper(static_cast<unsigned char>(letter)) != 0 && !field.empty()) {
            field += '_';
        }
        field += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return field;
}

bool setArgument(Message& message, const std::string& name, const OptimizerJson& value)
{
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
    if (field == nullptr) {
        return false;
    }
    const google::protobuf::Reflection& access = *message.GetReflection();
    if (field->is_repeated()) {
        for (const OptimizerJson& number : value) {
            if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
                access.AddInt64(&message, field, number.get<std::int64_t>());
            } else {
                access.AddDouble(&message, field, number.get<double>());
            }
        }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
        access.SetBool(&message, field, value.get<bool>());
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
        access.SetInt64(&message, field, value.get<std::int64_t>());
    } else {
        access.SetDouble(&message, field, value.get<double>());
    }
    return true;
}

std::optional<spec::Schedule> scheduleOfKeras(const nlohmann::json& schedule)
{
    const bool isConfig = schedule.contains("class_name");
    const OptimizerJson& arguments = isConfig ? schedule["config"] : schedule;
    spec::Schedule message;
    Message* kind =
        member(message, scheduleField(isConfig ? schedule["class_name"] : schedule.at("schedule")));
    if (kind == nullptr) {
        return std::nullopt;
    }
    const bool warmsUp = !arguments.value("warmup_target", OptimizerJson()).is_null();
    for (const auto& [name, value] : arguments.items()) {
        if (name == "schedule" || name == "name" || name == "config" || name == "rates" ||
            name == "warmup_target" || name == "warmup_steps" || value.is_null()) {
            continue;
        }
        if (!setArgument(*kind, name == "initial_learning_rate" ? "learning_rate" : name, value)) {
            return std::nullopt;
        }
    }
    if (warmsUp) {
        message.set_warmup_steps(arguments["warmup_steps"]);
        message.set_warmup_start(arguments["initial_learning_rate"]);
        setArgument(*kind, "learning_rate", arguments["warmup_target"]);
    }
    return message;
}

std::optional<spec::Optimizer> optimizerOfKeras(const std::string& className,
                                                const nlohmann::json& arguments,
                                                spec::OptimizerRules::Kind rules)
{
    std::string field = className;
    for (char& letter : field) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    spec::Optimizer optimizer;
    Message* kind = member(optimizer, field);
    if (kind == nullptr) {
        return std::nullopt;
    }
    if (rules != spec::OptimizerRules::estimator) {
        optimizer.set_rules(rules);
    }
    for (const auto& [name, value] : arguments.items()) {
        if (name == "class" || name == "name" || name == "use_ema" || name == "jit_compile" ||
            name == "is_legacy_optimizer" || value.is_null()) {
            continue;
        }
        if (name == "learning_rate" && value.is_object()) {
            std::optional<spec::Schedule> schedule = scheduleOfKeras(value);
            if (!schedule) {
                return std::nullopt;
            }
            *optimizer.mutable_learning_rate_schedule() = *std::move(schedule);
        } else if (!setArgument(commonArguments().contains(name) ? optimizer : *kind, name,
                                value)) {
            return std::nullopt;
        }
    }
    setAverages(className, arguments, optimizer);
    return optimizer;
}

} // namespace cannery::tests
