// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/special_arguments.h"

#include "core/export/program/message_writer.h"
#include "core/spec/head_kinds.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

namespace cannery::exporting {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

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
        // A z-score's mean and deviation have been measured when the experiment was resolved.
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

/// `Column`: one with a list of words.
template <typename Column>
void addWords(const SpecialArguments& to, const Column& column)
{
    // An inferred vocabulary is one of texts until the table says otherwise.
    const bool isText =
        column.dtype() == spec::DataType::string || column.dtype() == spec::DataType::inferred;
    std::vector<std::string> list;
    for (const std::string& word : column.vocabulary_list()) {
        list.push_back(isText ? pythonText(word) : word);
    }
    to.call.add("vocabulary_list", pythonList(list));
}

/// A number names the variables of a single layer otherwise than a list does.
/// `Network`: a recurrent estimator.
template <typename Network>
void addUnits(const SpecialArguments& to, const Network& estimator)
{
    std::vector<std::string> list;
    for (const std::int64_t units : estimator.units()) {
        list.push_back(fmt::format("{}", units));
    }
    const bool isNumber = list.size() == 1 && !estimator.stacked_cells();
    to.call.add("units", isNumber ? list.front() : pythonList(list));
}

/// TensorFlow's wrapper of a head that evaluates every step.
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
    // From the innermost axis outwards.
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
    // A number for a single element, as a person would write it.
    return numbers.size() == 1 || column.shape().empty() ? numbers.front()
                                                         : nestedNumbers(numbers, column.shape());
}

void addNumeric(const SpecialArguments& to, const spec::NumericColumn& column)
{
    if (column.default_value_size() > 0) {
        to.call.add("default_value", defaultText(column));
    }
    addNormalizer(to.call, column.normalizer(), false);
}

void addSteps(const SpecialArguments& to, const spec::SequenceNumericColumn& column)
{
    addNormalizer(to.call, column.normalizer(), true);
}

void addRecurrent(const SpecialArguments& to, const spec::RNNEstimator& estimator)
{
    const std::string head = to.writer.valueText(estimator.head(), to.path + ".head");
    to.call.add("head", estimator.return_sequences() ? sequentialHead(estimator, head) : head);
    addUnits(to, estimator);
}

/// TensorFlow's argument is plural, and a key is a text or a column.
void addKeys(const SpecialArguments& to, const spec::CrossedColumn& cross)
{
    std::vector<std::string> keys;
    for (const spec::InputReference& key : cross.key()) {
        keys.push_back(to.writer.valueText(key, to.path + ".key"));
    }
    to.call.add("keys", pythonList(keys));
}

/// A single number fills any shape, a list of one does not.
void addConstant(const SpecialArguments& to, const spec::ConstantInitializer& constant)
{
    std::vector<std::string> numbers;
    for (const double value : constant.value()) {
        numbers.push_back(pythonNumber(value));
    }
    to.call.add("value", numbers.size() == 1 ? numbers.front() : pythonList(numbers));
}

void refuseTraining(const SpecialArguments& to, const spec::SharedEmbeddings& shared)
{
    if (shared.trainable()) {
        to.refused.add(to.path + ".trainable",
                       "TensorFlow 2.15 never trains shared embeddings; set it to false");
    }
}

/// The number that an initializer fills a variable with.
std::string constantOf(const SpecialArguments& to, const spec::Initializer& initializer)
{
    if (initializer.has_ones()) {
        return "1.0";
    }
    if (initializer.has_constant() && initializer.constant().value_size() == 1) {
        return pythonNumber(initializer.constant().value(0));
    }
    if (!initializer.has_zeros()) {
        to.refused.add(to.path + ".backup_initializer",
                       "TensorFlow accepts a constant only, since the shape is a tensor");
    }
    return "0.0";
}

void addBackup(const SpecialArguments& to, const spec::WarmStartVocabulary& vocabulary)
{
    if (vocabulary.has_backup_initializer()) {
        // TensorFlow hands it a tensor as the shape.
        to.call.add("backup_initializer",
                    fmt::format("lambda shape, dtype=tf.float32, **_: tf.fill(shape, {})",
                                constantOf(to, vocabulary.backup_initializer())));
    }
}

/// The loss is measured before the link: labels are moved back by its inverse.
void addLink(const SpecialArguments& to, const spec::RegressionHead& head)
{
    if (!head.has_inverse_link_fn()) {
        return;
    }
    const std::string scale = pythonNumber(head.inverse_link_fn().scale());
    const std::string offset = pythonNumber(head.inverse_link_fn().offset());
    to.call.add("inverse_link_fn", fmt::format("lambda logits: {} * logits + {}", scale, offset));
    to.call.add("loss_fn",
                fmt::format("lambda labels, logits: tf.square((labels - {}) / {} - logits)", offset,
                            scale));
}

struct SpecialRow
{
    const Descriptor* (*message)();
    void (*add)(const SpecialArguments& to, const Message& message);
};

/// `add` takes the message as its own class.
template <typename Kind, void (*add)(const SpecialArguments&, const Kind&)>
constexpr SpecialRow special()
{
    return {&Kind::descriptor, [](const SpecialArguments& to, const Message& message) {
                add(to, dynamic_cast<const Kind&>(message));
            }};
}

constexpr SpecialRow kRows[] = {
    special<spec::NumericColumn, addNumeric>(),
    special<spec::SequenceNumericColumn, addSteps>(),
    special<spec::VocabularyListColumn, addWords>(),
    special<spec::SequenceVocabularyListColumn, addWords>(),
    special<spec::CrossedColumn, addKeys>(),
    special<spec::SharedEmbeddings, refuseTraining>(),
    special<spec::RNNClassifier, addUnits>(),
    special<spec::RNNEstimator, addRecurrent>(),
    special<spec::RegressionHead, addLink>(),
    special<spec::ConstantInitializer, addConstant>(),
    special<spec::WarmStartVocabulary, addBackup>(),
};

} // namespace

void addSpecialArguments(const SpecialArguments& to, const Message& message)
{
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows), [&](const SpecialRow& each) {
        return each.message() == message.GetDescriptor();
    });
    if (row != std::end(kRows)) {
        row->add(to, message);
    }
}

} // namespace cannery::exporting
