// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/message_writer.h"

#include "core/export/program/argument_rules.h"
#include "core/export/program/enum_texts.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace cannery::exporting {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool isSet(const Message& message, const FieldDescriptor& field)
{
    return field.is_repeated() ? message.GetReflection()->FieldSize(message, &field) > 0
                               : message.GetReflection()->HasField(message, &field);
}

/// The value that a reader of the program would get by leaving the argument out.
bool isDefault(const Message& message, const FieldDescriptor& field)
{
    if (field.is_repeated() || spec::isMessage(field) || !field.has_default_value()) {
        return false;
    }
    const google::protobuf::Reflection& values = *message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return values.GetInt64(message, &field) == field.default_value_int64();
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return values.GetDouble(message, &field) == field.default_value_double();
    case FieldDescriptor::CPPTYPE_BOOL:
        return values.GetBool(message, &field) == field.default_value_bool();
    case FieldDescriptor::CPPTYPE_STRING:
        return values.GetString(message, &field) == field.default_value_string();
    case FieldDescriptor::CPPTYPE_ENUM:
        return values.GetEnum(message, &field) == field.default_value_enum();
    default:
        return false;
    }
}

bool isZero(const Message& message, const FieldDescriptor& field)
{
    const google::protobuf::Reflection& values = *message.GetReflection();
    return field.cpp_type() == FieldDescriptor::CPPTYPE_INT64
               ? values.GetInt64(message, &field) == 0
               : field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE &&
                     values.GetDouble(message, &field) == 0;
}

/// (x - subtract) / divide with what does nothing left out; `x` is a float32 tensor.
std::string scaledText(std::string x, double subtract, double divide)
{
    if (subtract != 0) {
        x = fmt::format("{} - {}", x, pythonNumber(subtract));
    }
    if (divide == 1) {
        return x;
    }
    return fmt::format("{} / {}", subtract != 0 ? "(" + x + ")" : x, pythonNumber(divide));
}

std::string normalizerText(const spec::Normalizer& normalizer)
{
    const std::string x = "tf.cast(x, tf.float32)";
    std::string body = x;
    switch (normalizer.kind_case()) {
    case spec::Normalizer::kSubtractDivide:
        body = scaledText(x, normalizer.subtract_divide().subtract(),
                          normalizer.subtract_divide().divide());
        break;
    case spec::Normalizer::kZScore:
        body = scaledText(x, normalizer.z_score().mean(), normalizer.z_score().stddev());
        break;
    case spec::Normalizer::kMinMax:
        body = scaledText(x, normalizer.min_max().min(),
                          normalizer.min_max().max() - normalizer.min_max().min());
        break;
    case spec::Normalizer::kLog:
        body = scaledText(
            fmt::format("tf.math.log({} + {})", x, pythonNumber(normalizer.log().offset())),
            normalizer.log().subtract(), normalizer.log().divide());
        break;
    case spec::Normalizer::KIND_NOT_SET:
        break;
    }
    return "lambda x: " + body;
}

/// A sequence's numbers are a SparseTensor, which TensorFlow passes on as it is.
void addNormalizer(PythonCall& call, const spec::Normalizer& normalizer, bool isSequence)
{
    if (normalizer.kind_case() == spec::Normalizer::KIND_NOT_SET) {
        return;
    }
    const std::string text = normalizerText(normalizer);
    call.add("normalizer_fn",
             isSequence ? fmt::format("lambda steps: tf.sparse.map_values({}, steps)", text)
                        : text);
}

/// `Message`: a column with a list of words.
template <typename Message>
void addWords(PythonCall& call, const Message& column)
{
    const bool isText =
        column.dtype() == spec::DataType::string || column.dtype() == spec::DataType::inferred;
    std::vector<std::string> list;
    for (const std::string& word : column.vocabulary_list()) {
        list.push_back(isText ? pythonText(word) : word);
    }
    call.add("vocabulary_list", pythonList(list));
}

/// A number names the variables of a single layer otherwise than a list does. `Message`: a
/// recurrent estimator.
template <typename Message>
void addUnits(PythonCall& call, const Message& estimator)
{
    std::vector<std::string> list;
    for (const std::int64_t units : estimator.units()) {
        list.push_back(fmt::format("{}", units));
    }
    const bool isNumber = list.size() == 1 && !estimator.stacked_cells();
    call.add("units", isNumber ? list.front() : pythonList(list));
}

/// TensorFlow's wrapper of a head that judges every step.
std::string sequentialHead(const spec::RNNEstimator& estimator, const std::string& head)
{
    PythonCall call("SequentialHeadWrapper");
    call.add(head);
    if (estimator.has_sequence_mask()) {
        call.add("sequence_length_mask", pythonText(estimator.sequence_mask()));
    }
    if (const std::string weight = spec::weightFeatureOf(estimator.head()); !weight.empty()) {
        call.add("feature_columns", pythonText(weight));
    }
    return call.text();
}

/// Numbers in row-major order as nested lists.
std::string nestedNumbers(const std::vector<std::string>& numbers,
                          const google::protobuf::RepeatedField<std::int64_t>& shape)
{
    std::vector<std::string> level = numbers;
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
        std::vector<std::string> outer;
        const auto width = static_cast<std::size_t>(shape[axis]);
        for (std::size_t first = 0; first + width <= level.size(); first += width) {
            outer.push_back(
                pythonList({level.begin() + static_cast<std::ptrdiff_t>(first),
                            level.begin() + static_cast<std::ptrdiff_t>(first + width)}));
        }
        level = std::move(outer);
    }
    return level.empty() ? "[]" : level.front();
}

std::string defaultText(const spec::NumericColumn& column)
{
    std::vector<std::string> numbers;
    const bool isWhole =
        column.dtype() == spec::DataType::int32 || column.dtype() == spec::DataType::int64;
    for (const double value : column.default_value()) {
        numbers.push_back(isWhole ? fmt::format("{}", static_cast<std::int64_t>(value))
                                  : pythonNumber(value));
    }
    return numbers.size() == 1 || column.shape().empty() ? numbers.front()
                                                         : nestedNumbers(numbers, column.shape());
}

} // namespace

MessageWriter::MessageWriter(const spec::Experiment& experiment, RefusedFields& refused)
    : m_experiment(experiment), m_refused(refused)
{
    std::set<std::string> taken;
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        const std::string wanted = pythonIdentifier(column.name() + "_column");
        std::string free = wanted;
        for (int number = 2; !taken.insert(free).second; ++number) {
            free = fmt::format("{}_{}", wanted, number);
        }
        m_variables[column.name()] = free;
        const Message* member = spec::memberOf(column);
        const CallableRow* row =
            member == nullptr ? nullptr : callableOf(member->GetDescriptor()->name());
        m_isList[column.name()] = row != nullptr && row->isSeveral;
    }
}

const std::string& MessageWriter::variable(const std::string& column) const
{
    return m_variables.at(column);
}

std::string MessageWriter::fileText(const std::string& path)
{
    return fmt::format("path_of({})", pythonText(path));
}

std::string MessageWriter::columnText(const std::string& column) const
{
    return (m_isList.at(column) ? "*" : "") + variable(column);
}

std::string MessageWriter::text(const Message& message, const std::string& path) const
{
    return call(message, path).text();
}

PythonCall MessageWriter::call(const Message& message, const std::string& path) const
{
    const CallableRow* row = callableOf(message.GetDescriptor()->name());
    if (row == nullptr) {
        m_refused.add(path, "tf.estimator has nothing like it");
    }
    PythonCall made{std::string(row == nullptr ? "None" : row->callable)};
    addFields(made, message, path);
    addSpecial(made, message, path);
    return made;
}

void MessageWriter::addFields(PythonCall& call, const Message& message,
                              const std::string& path) const
{
    const google::protobuf::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
        const FieldDescriptor& field = *type.field(i);
        const FieldRow* rule = ruleOf(fmt::format("{}.{}", type.name(), field.name()));
        const bool isSkipped = rule != nullptr && rule->rule == FieldRule::Skip;
        const bool isAlways = rule != nullptr && rule->rule == FieldRule::Always;
        if (isSkipped || !isSet(message, field) || (isDefault(message, field) && !isAlways)) {
            continue;
        }
        const std::string fieldPath = fmt::format("{}.{}", path, field.name());
        if (rule != nullptr && rule->rule == FieldRule::Refuse) {
            m_refused.add(fieldPath, rule->text);
            continue;
        }
        const bool isNone = spec::infoOf(field).zero_means_none() && isZero(message, field);
        call.add(rule != nullptr && rule->rule == FieldRule::Rename ? rule->text : field.name(),
                 isNone ? "None" : fieldText(message, field, fieldPath));
    }
}

/// Arguments that are not a field with its own name and value.
void MessageWriter::addSpecial(PythonCall& call, const Message& message,
                               const std::string& path) const
{
    if (const auto* numeric = dynamic_cast<const spec::NumericColumn*>(&message)) {
        if (numeric->default_value_size() > 0) {
            call.add("default_value", defaultText(*numeric));
        }
        addNormalizer(call, numeric->normalizer(), false);
    } else if (const auto* steps = dynamic_cast<const spec::SequenceNumericColumn*>(&message)) {
        addNormalizer(call, steps->normalizer(), true);
    } else if (const auto* words = dynamic_cast<const spec::VocabularyListColumn*>(&message)) {
        addWords(call, *words);
    } else if (const auto* each =
                   dynamic_cast<const spec::SequenceVocabularyListColumn*>(&message)) {
        addWords(call, *each);
    } else if (const auto* classifier = dynamic_cast<const spec::RNNClassifier*>(&message)) {
        addUnits(call, *classifier);
    } else if (const auto* recurrent = dynamic_cast<const spec::RNNEstimator*>(&message)) {
        const std::string head = messageText(recurrent->head(), path + ".head");
        call.add("head", recurrent->return_sequences() ? sequentialHead(*recurrent, head) : head);
        addUnits(call, *recurrent);
    } else if (const auto* cross = dynamic_cast<const spec::CrossedColumn*>(&message)) {
        std::vector<std::string> keys;
        for (const spec::InputReference& key : cross->key()) {
            keys.push_back(messageText(key, path + ".key"));
        }
        call.add("keys", pythonList(keys));
    } else if (const auto* constant = dynamic_cast<const spec::ConstantInitializer*>(&message)) {
        std::vector<std::string> numbers;
        for (const double value : constant->value()) {
            numbers.push_back(pythonNumber(value));
        }
        call.add("value", numbers.size() == 1 ? numbers.front() : pythonList(numbers));
    } else if (const auto* shared = dynamic_cast<const spec::SharedEmbeddings*>(&message)) {
        if (shared->trainable()) {
            m_refused.add(path + ".trainable",
                          "TensorFlow 2.15 never trains shared embeddings; set it to false");
        }
    } else if (const auto* vocabulary = dynamic_cast<const spec::WarmStartVocabulary*>(&message)) {
        if (vocabulary->has_backup_initializer()) {
            // TensorFlow hands it a tensor as the shape.
            call.add("backup_initializer",
                     fmt::format("lambda shape, dtype=tf.float32, **_: tf.fill(shape, {})",
                                 constantOf(vocabulary->backup_initializer(), path)));
        }
    } else if (const auto* regression = dynamic_cast<const spec::RegressionHead*>(&message)) {
        if (regression->has_inverse_link_fn()) {
            const std::string scale = pythonNumber(regression->inverse_link_fn().scale());
            const std::string offset = pythonNumber(regression->inverse_link_fn().offset());
            call.add("inverse_link_fn",
                     fmt::format("lambda logits: {} * logits + {}", scale, offset));
            call.add("loss_fn",
                     fmt::format("lambda labels, logits: tf.square((labels - {}) / {} - logits)",
                                 offset, scale));
        }
    }
}

/// The number that an initializer fills a variable with.
std::string MessageWriter::constantOf(const spec::Initializer& initializer,
                                      const std::string& path) const
{
    if (initializer.has_ones()) {
        return "1.0";
    }
    if (initializer.has_constant() && initializer.constant().value_size() == 1) {
        return pythonNumber(initializer.constant().value(0));
    }
    if (!initializer.has_zeros()) {
        m_refused.add(path + ".backup_initializer",
                      "TensorFlow accepts a constant only, since the shape is a tensor");
    }
    return "0.0";
}

std::string MessageWriter::fieldText(const Message& message, const FieldDescriptor& field,
                                     const std::string& path) const
{
    if (!field.is_repeated()) {
        return elementText(message, field, -1, path);
    }
    std::vector<std::string> elements;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
        elements.push_back(elementText(message, field, i, fmt::format("{}[{}]", path, i)));
    }
    return pythonList(elements);
}

std::string MessageWriter::elementText(const Message& message, const FieldDescriptor& field,
                                       int index, const std::string& path) const
{
    const google::protobuf::Reflection& values = *message.GetReflection();
    const bool isElement = index >= 0;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return fmt::format("{}", isElement ? values.GetRepeatedInt64(message, &field, index)
                                           : values.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
        return fmt::format("{}", values.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return pythonNumber(isElement ? values.GetRepeatedDouble(message, &field, index)
                                      : values.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
        return pythonBool(values.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* value = values.GetEnum(message, &field);
        return enumText(value->type()->containing_type()->name(), value->name());
    }
    case FieldDescriptor::CPPTYPE_STRING: {
        const std::string text = isElement ? values.GetRepeatedString(message, &field, index)
                                           : values.GetString(message, &field);
        const spec::FieldInfo& info = spec::infoOf(field);
        if (info.names() == spec::FieldInfo::FEATURE_COLUMN) {
            return columnText(text);
        }
        return info.names() == spec::FieldInfo::FILE ? fileText(text) : pythonText(text);
    }
    default:
        return messageText(isElement ? values.GetRepeatedMessage(message, &field, index)
                                     : values.GetMessage(message, &field),
                           path);
    }
}

std::string MessageWriter::messageText(const Message& message, const std::string& path) const
{
    if (const auto* input = dynamic_cast<const spec::InputReference*>(&message)) {
        return input->has_column() ? columnText(input->column()) : pythonText(input->feature());
    }
    if (const auto* optimizer = dynamic_cast<const spec::Optimizer*>(&message)) {
        return optimizerText(*optimizer, path);
    }
    if (const auto* clusters = dynamic_cast<const spec::InitialClusters*>(&message)) {
        if (!clusters->has_given()) {
            return pythonText(clusters->has_kmeans_plus_plus() ? "kmeans_plus_plus" : "random");
        }
        std::vector<std::string> numbers;
        for (const double value : clusters->given().value()) {
            numbers.push_back(pythonNumber(value));
        }
        return fmt::format("np.array({}, np.float32).reshape({}, -1)", pythonList(numbers),
                           m_experiment.estimator().kmeans().num_clusters());
    }
    if (const Message* member = spec::memberOf(message)) {
        return text(*member, fmt::format("{}.{}", path, spec::memberField(message)->name()));
    }
    return text(message, path);
}

std::string MessageWriter::optimizerText(const spec::Optimizer& optimizer,
                                         const std::string& path) const
{
    const Message* member = spec::memberOf(optimizer);
    if (member == nullptr) {
        m_refused.add(path, "it names no optimizer");
        return "None";
    }
    const std::string memberPath = fmt::format("{}.{}", path, spec::memberField(optimizer)->name());
    if (optimizer.has_moving_average_decay()) {
        m_refused.add(path + ".moving_average_decay", "tf.estimator evaluates the weights only");
    }
    spec::Optimizer scheduled = optimizer;
    if (optimizer.has_learning_rate_schedule()) {
        Message& own =
            *scheduled.GetReflection()->MutableMessage(&scheduled, spec::memberField(scheduled));
        own.GetReflection()->ClearField(&own,
                                        own.GetDescriptor()->FindFieldByName("learning_rate"));
    }
    PythonCall made = call(*spec::memberOf(scheduled), memberPath);
    if (optimizer.has_learning_rate_schedule()) {
        made.add("learning_rate", scheduleText(optimizer.learning_rate_schedule(),
                                               path + ".learning_rate_schedule"));
    }
    if (optimizer.has_clipnorm()) {
        made.add("clipnorm", pythonNumber(optimizer.clipnorm()));
    }
    if (optimizer.has_clipvalue()) {
        made.add("clipvalue", pythonNumber(optimizer.clipvalue()));
    }
    if (optimizer.has_global_clipnorm()) {
        made.add("global_clipnorm", pythonNumber(optimizer.global_clipnorm()));
    }
    if (optimizer.decay() != 0) {
        made.add("decay", pythonNumber(optimizer.decay()));
    }
    const CallableRow* row = callableOf(member->GetDescriptor()->name());
    return row != nullptr && row->isObject ? made.text() : "lambda: " + made.text();
}

std::string MessageWriter::scheduleText(const spec::Schedule& schedule,
                                        const std::string& path) const
{
    if (schedule.warmup_steps() > 0) {
        m_refused.add(path + ".warmup_steps",
                      "TensorFlow's schedules of Estimators do not warm up");
    }
    if (schedule.has_constant()) {
        return pythonNumber(schedule.constant().learning_rate());
    }
    const Message* member = spec::memberOf(schedule);
    if (member == nullptr) {
        return "None";
    }
    PythonCall made =
        call(*member, fmt::format("{}.{}", path, spec::memberField(schedule)->name()));
    made.add(schedule.has_piecewise_constant() ? "x" : "global_step",
             "tf.compat.v1.train.get_global_step()");
    return made.text();
}

} // namespace cannery::exporting
