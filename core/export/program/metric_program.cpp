// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/metric_program.h"

#include "core/export/program/python_text.h"
#include "core/export/program/tensorflow_object.h"
#include "core/spec/canned_head.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"
#include "core/spec/metric_kinds.h"

#include <fmt/core.h>

#include <set>
#include <string_view>

namespace cannery::exporting {
namespace {

using google::protobuf::Message;
using spec::LabelKind;

constexpr const char* kOneHot = "tf.one_hot(tf.cast(labels, tf.int32), {})";

constexpr const char* kNotAddable = "tf.estimator 2.15 has no such metric";

/// F1Score and R2Score of Keras 2.15 return no operation from their update, so that tf.estimator
/// would run none. Keras makes one of the update of a class that is not its own.
constexpr std::string_view kOwnClass = R"(

class {0}(tf.keras.metrics.{0}):
    """As a class of its own, its update is an operation, which tf.estimator runs."""
)";

/// A full name is TensorFlow's own class; a bare one is defined by the program.
bool isOwnClass(std::string_view callable)
{
    return !callable.starts_with("tf.");
}

/// The head's argument of that name.
const Message* messageArgument(const Message& head, const char* name)
{
    const auto* field = head.GetDescriptor()->FindFieldByName(name);
    return field != nullptr && head.GetReflection()->HasField(head, field)
               ? &head.GetReflection()->GetMessage(head, field)
               : nullptr;
}

/// Weights of the rows; a numeric column has no normalizer where it weighs rows.
std::string weightsText(const spec::Experiment& experiment, const Message& head)
{
    const Message* found = messageArgument(head, "weight_column");
    if (found == nullptr) {
        return "None";
    }
    const auto& reference = dynamic_cast<const spec::InputReference&>(*found);
    std::string feature = reference.feature();
    for (const spec::FeatureColumn& column : experiment.feature_column()) {
        const Message* member = spec::memberOf(column);
        if (column.name() == reference.column() && member != nullptr) {
            // A key is what identifies a feature; the column's name is ours.
            const auto* key = member->GetDescriptor()->FindFieldByName("key");
            feature = key == nullptr ? "" : member->GetReflection()->GetString(*member, key);
        }
    }
    return fmt::format("tf.reshape(tf.cast(features[{}], tf.float32), [-1])", pythonText(feature));
}

/// Of the dictionary of predictions; a binary head and one of logistic regression differ.
const char* predictionText(LabelKind labels)
{
    switch (labels) {
    case LabelKind::Number:
        return "predictions['predictions']";
    case LabelKind::Probability:
        return "predictions['logistic' if 'logistic' in predictions else 'predictions']";
    default:
        return "predictions['probabilities']";
    }
}

/// What Keras has of one metric.
struct KerasMetric
{
    std::string call;
    std::string labels = "labels";
};

/// Of class ids: all classes are compared, and the most probable one counts.
KerasMetric ofClassIds(const spec::Metric& metric, std::int64_t classes, KerasMetric keras)
{
    const std::string& kind = spec::memberField(metric)->name();
    const std::string oneHot = fmt::format(kOneHot, classes);
    // Keras measures the sparse metrics on ids; the others need one value per class.
    if (kind == "accuracy") {
        return {"tf.keras.metrics.SparseCategoricalAccuracy()"};
    }
    if (kind == "log_loss") {
        return {"tf.keras.metrics.SparseCategoricalCrossentropy()"};
    }
    if (kind == "precision") {
        return {"tf.keras.metrics.Precision(top_k=1)", oneHot};
    }
    if (kind == "recall") {
        return {"tf.keras.metrics.Recall(top_k=1)", oneHot};
    }
    if (kind == "f1_score") { // of the most probable class, by no threshold
        const std::string& average = spec::Average::Kind_Name(metric.f1_score().average());
        return {fmt::format("F1Score(average={})", pythonText(average)), oneHot};
    }
    return keras;
}

/// What no metric of a program can measure, whichever it is.
void refuseUnmeasured(const spec::Experiment& experiment, const Message& head,
                      RefusedFields& refused)
{
    if (spec::predictsEveryStep(experiment.estimator())) {
        refused.add("eval_spec.metric",
                    "tf.estimator.add_metrics sees the labels of steps before they are flattened");
    }
    if (!spec::textsIn(head, "label_vocabulary").empty()) {
        refused.add("eval_spec.metric", "a program's metrics need labels that are numbers");
    }
}

} // namespace

std::string metricProgram(const spec::Experiment& experiment, const MessageWriter& writer,
                          RefusedFields& refused)
{
    const spec::EvalSpec& evalSpec = experiment.eval_spec();
    const spec::Head head = spec::headOf(experiment.estimator());
    const spec::HeadKind* kind = spec::findHeadKind(head);
    if (evalSpec.metric_size() == 0) {
        return "";
    }
    if (kind == nullptr) {
        refused.add("eval_spec.metric", "a program measures a single head");
        return "";
    }
    const Message& arguments = *spec::memberOf(head);
    refuseUnmeasured(experiment, arguments, refused);
    const bool hasIds = kind->labels == LabelKind::ClassId;
    std::string text = fmt::format(
        R"(

def additional_metrics(labels, predictions, features):
    """Adds to the metrics of the head."""
    labels = tf.reshape(tf.cast(labels, tf.float32), {})
    predictions = {}
    weights = {}
    metrics = {{}}
)",
        hasIds ? "[-1]" : fmt::format("[-1, {}]", spec::labelWidth(head)),
        predictionText(kind->labels), weightsText(experiment, arguments));
    std::set<std::string_view> ownClasses;
    for (int i = 0; i < evalSpec.metric_size(); ++i) {
        const spec::Metric& metric = evalSpec.metric(i);
        const std::string path =
            fmt::format("eval_spec.metric[{}].{}", i, spec::memberField(metric)->name());
        const Message& member = *spec::memberOf(metric);
        const spec::TensorFlowObject* object = tensorflowObject(*member.GetDescriptor());
        if (object == nullptr) {
            refused.add(path, kNotAddable);
            continue;
        }
        KerasMetric keras{writer.text(member, path)};
        if (hasIds) {
            keras = ofClassIds(metric, spec::classCount(head), std::move(keras));
        }
        const std::string name = pythonText(spec::metricName(metric));
        text += fmt::format("    metric = {}\n", indented(keras.call));
        if (isOwnClass(object->callable())) {
            ownClasses.insert(object->callable());
            // Metrics of a class of their own create their variables in build(), which must precede
            // update.
            text += fmt::format("    metric.build({}.shape, predictions.shape)\n", keras.labels);
        }
        // Mean measures predictions alone.
        const bool isMean = spec::memberField(metric)->name() == "mean";
        text += isMean ? "    metric.update_state(predictions, weights)\n"
                       : fmt::format("    metric.update_state({}, predictions, weights)\n",
                                     keras.labels);
        text += fmt::format("    metrics[{}] = metric\n", name);
    }
    std::string classes;
    for (const std::string_view name : ownClasses) {
        classes += fmt::format(kOwnClass, name);
    }
    return classes + text + "    return metrics\n";
}

} // namespace cannery::exporting
