// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/hyperparameters.h"

#include "core/spec/message_access.h"

#include <fmt/format.h>

#include <algorithm>

namespace cannery::train {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using storage::Hyperparameter;

/// Lists of a long vocabulary are no settings to compare.
constexpr int kLongestList = 32;

/// One value of a field that is no message; element -1: the field itself.
std::variant<bool, double, std::string> valueOf(const Message& message,
                                                const FieldDescriptor& field, int element)
{
    const auto& access = *message.GetReflection();
    const bool one = element < 0;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
        return one ? access.GetBool(message, &field)
                   : access.GetRepeatedBool(message, &field, element);
    case FieldDescriptor::CPPTYPE_ENUM:
        return std::string((one ? access.GetEnum(message, &field)
                                : access.GetRepeatedEnum(message, &field, element))
                               ->name());
    case FieldDescriptor::CPPTYPE_STRING:
        return one ? access.GetString(message, &field)
                   : access.GetRepeatedString(message, &field, element);
    case FieldDescriptor::CPPTYPE_INT64:
        return static_cast<double>(one ? access.GetInt64(message, &field)
                                       : access.GetRepeatedInt64(message, &field, element));
    case FieldDescriptor::CPPTYPE_INT32:
        return static_cast<double>(one ? access.GetInt32(message, &field)
                                       : access.GetRepeatedInt32(message, &field, element));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return one ? access.GetDouble(message, &field)
                   : access.GetRepeatedDouble(message, &field, element);
    default:
        return static_cast<double>(one ? access.GetFloat(message, &field)
                                       : access.GetRepeatedFloat(message, &field, element));
    }
}

std::string textOf(const std::variant<bool, double, std::string>& value)
{
    if (const bool* truth = std::get_if<bool>(&value)) {
        return *truth ? "true" : "false";
    }
    const double* number = std::get_if<double>(&value);
    return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

class Collector
{
public:
    /// The fields of a message, except one, below a name; "" for none.
    void addFields(const Message& message, const std::string& prefix,
                   const FieldDescriptor* except = nullptr)
    {
        std::vector<const FieldDescriptor*> fields;
        message.GetReflection()->ListFields(message, &fields);
        for (const FieldDescriptor* field : fields) {
            const std::string name = prefix.empty() ? field->name() : prefix + "." + field->name();
            if (field == except) {
                continue;
            }
            if (field->is_repeated()) {
                addList(message, *field, name);
            } else if (spec::isMessage(*field)) {
                addMessage(message.GetReflection()->GetMessage(message, field), name);
            } else {
                m_all.push_back({name, valueOf(message, *field, -1)});
            }
        }
    }

    /// A message with kinds is the name of the one that is set, with its fields below.
    void addMessage(const Message& message, const std::string& name)
    {
        const FieldDescriptor* kind = spec::memberField(message);
        if (kind == nullptr || !spec::isMessage(*kind)) {
            return addFields(message, name);
        }
        m_all.push_back({name, kind->name()});
        addFields(*spec::memberOf(message), name);
        addFields(message, name, kind);
    }

    void add(std::string name, std::variant<bool, double, std::string> value)
    {
        m_all.push_back({std::move(name), std::move(value)});
    }

    std::vector<Hyperparameter> sorted()
    {
        std::ranges::sort(m_all, {}, &Hyperparameter::name);
        return std::move(m_all);
    }

private:
    void addList(const Message& message, const FieldDescriptor& field, const std::string& name)
    {
        const int count = message.GetReflection()->FieldSize(message, &field);
        if (spec::isMessage(field) || spec::infoOf(field).has_wants() || count > kLongestList) {
            return;
        }
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += (i == 0 ? "" : ", ") + textOf(valueOf(message, field, i));
        }
        m_all.push_back({name, "[" + text + "]"});
    }

    std::vector<Hyperparameter> m_all;
};

} // namespace

std::vector<Hyperparameter> hyperparametersOf(const spec::Experiment& experiment)
{
    Collector collector;
    if (const FieldDescriptor* kind = spec::memberField(experiment.estimator())) {
        collector.add("estimator", kind->name());
        collector.addFields(*spec::memberOf(experiment.estimator()), "");
    }
    if (const FieldDescriptor* kind = spec::memberField(experiment.strategy())) {
        collector.add("strategy", kind->name());
    }
    spec::TrainSpec training = experiment.train_spec();
    collector.addFields(training.input(), "");
    training.clear_input();
    collector.addFields(training, "");
    if (experiment.run_config().has_tf_random_seed()) {
        collector.add("tf_random_seed",
                      static_cast<double>(experiment.run_config().tf_random_seed()));
    }
    return collector.sorted();
}

} // namespace cannery::train
