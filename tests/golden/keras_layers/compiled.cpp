// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/compiled.h"

#include "core/spec/spec_resolver.h"
#include "tests/golden/keras_layers/network.h"
#include "tests/golden/keras_layers/optimizers.h"

#include <algorithm>
#include <map>

namespace cannery::tests {

namespace {

using CompileJson = nlohmann::json;

constexpr ErrorKind kNoLoss{"golden.no_loss", "There is no loss of ours for {}."};
constexpr ErrorKind kNoOptimizer{"golden.no_optimizer", "There is no optimizer of ours for {}."};

/// {"class": "Huber", "delta": 0.8} of what compile() was given, a word or an object.
CompileJson lossObject(const CompileJson& given)
{
    static const std::map<std::string, std::string> words{
        {"mse", "mean_squared_error"},
        {"mae", "mean_absolute_error"},
        {"mape", "mean_absolute_percentage_error"},
        {"msle", "mean_squared_logarithmic_error"},
        {"kld", "kl_divergence"},
        {"bce", "binary_crossentropy"},
        {"huber_loss", "huber"}};
    if (given.is_string()) {
        const auto found = words.find(given.get<std::string>());
        return {{"kind", found == words.end() ? given.get<std::string>() : found->second}};
    }
    CompileJson loss = given;
    const std::string name = given["class"];
    loss["kind"] = name == "KLDivergence" ? "kl_divergence" : snakeCase(name);
    loss.erase("class");
    return loss;
}

/// With more than its class and whether it reads logits.
bool hasArguments(const CompileJson& loss)
{
    return std::ranges::any_of(loss.items(), [](const auto& entry) {
        return entry.key() != "kind" && entry.key() != "from_logits";
    });
}

/// Of one output.
struct OutputSettings
{
    ModelOutput output;
    CompileJson loss;
    std::int64_t width = 1; ///< of the output
    bool hasSoftmax = false;
    std::string weights; ///< the feature of the rows' weights, or empty
};

Result<void> setLossHead(const OutputSettings& settings, spec::LossHead& head)
{
    const std::string kind = settings.loss["kind"];
    spec::Loss& loss = *head.mutable_loss();
    const auto* field = spec::Loss::descriptor()->FindFieldByName(kind);
    if (field == nullptr) {
        return fail(ErrorCode::Unimplemented, kNoLoss, kind);
    }
    google::protobuf::Message& message = *loss.GetReflection()->MutableMessage(&loss, field);
    for (const auto& [name, value] : settings.loss.items()) {
        if (name != "kind" && name != "name" && name != "reduction" &&
            !setArgument(message, name, value)) {
            return fail(ErrorCode::Unimplemented, kNoLoss, settings.loss.dump());
        }
    }
    if (kind == "sparse_categorical_crossentropy") {
        head.set_n_classes(settings.width);
    } else {
        head.set_label_dimension(settings.width);
    }
    return {};
}

template <typename Head>
void setWeights(const OutputSettings& settings, Head& head)
{
    if (!settings.weights.empty()) {
        head.mutable_weight_column()->set_feature(settings.weights);
    }
}

/// The head of an output, and what it predicts. A head of ours that is the same comes before
/// loss_head: its numbers are those that estimators have.
Result<CompiledOutput> setHead(const OutputSettings& settings, bool isAlone, spec::Head& head)
{
    const std::string kind = settings.loss["kind"];
    const bool isPlain = !hasArguments(settings.loss) && isAlone;
    const bool readsLogits = settings.loss.value("from_logits", false);
    CompiledOutput output{.name = settings.output.name, .prediction = "predictions"};
    if (isPlain && kind == "sparse_categorical_crossentropy" &&
        (settings.hasSoftmax || readsLogits)) {
        head.mutable_multi_class_head()->set_n_classes(settings.width);
        setWeights(settings, *head.mutable_multi_class_head());
        output.prediction = settings.hasSoftmax ? "probabilities" : "logits";
        output.isClass = true;
    } else if (isPlain && kind == "binary_crossentropy" && readsLogits && settings.width == 1) {
        setWeights(settings, *head.mutable_binary_class_head());
        output.prediction = "logits";
        output.isClass = true;
    } else if (isPlain && kind == "mean_squared_error" && settings.width == 1) {
        setWeights(settings, *head.mutable_regression_head());
    } else {
        CANNERY_TRY(setLossHead(settings, *head.mutable_loss_head()));
        setWeights(settings, *head.mutable_loss_head());
        output.isClass = kind == "sparse_categorical_crossentropy";
        if (!isAlone) {
            head.mutable_loss_head()->set_name(settings.output.name);
            output.prediction = settings.output.name + "/predictions";
        }
    }
    return output;
}

const CompileJson* layerNamed(const CompileJson& model, const std::string& name)
{
    for (const CompileJson& layer : model["config"]["layers"]) {
        if (layer["config"]["name"] == name) {
            return &layer;
        }
    }
    return nullptr;
}

/// One object for all outputs, or one for each.
const CompileJson& ofOutput(const CompileJson& given, const std::string& name)
{
    return given.is_object() && given.contains(name) ? given[name] : given;
}

data::FeatureValues valuesOf(const std::string& name, const CompileJson& tensor, bool isClass)
{
    data::FeatureValues values{.name = name, .dtype = DType::Float32};
    auto shape = tensor["shape"].get<std::vector<std::int64_t>>();
    shape.erase(shape.begin());
    values.shape = shape.empty() ? Shape{1} : Shape(shape);
    if (isClass) {
        values.dtype = DType::Int64;
        std::vector<std::int64_t> classes;
        for (const CompileJson& value : tensor["values"]) {
            classes.push_back(static_cast<std::int64_t>(value.get<double>()));
        }
        values.elements = std::move(classes);
    } else {
        values.elements = tensor["values"].get<std::vector<float>>();
    }
    return values;
}

} // namespace

data::FeatureBatch CompiledModel::rows(const nlohmann::json& part) const
{
    data::FeatureBatch batch;
    for (const auto& [name, tensor] : part["x"].items()) {
        batch.features.push_back(valuesOf(name, tensor, false));
        batch.rowCount = tensor["shape"][0];
    }
    // A model of one layer after the other has an input without a name of its own.
    if (batch.features.size() == 1) {
        batch.features.front().name = experiment.estimator().custom_estimator().feature_columns(0);
    }
    if (part.contains("sample_weight")) {
        batch.features.push_back(valuesOf("sample_weight", part["sample_weight"], false));
    }
    for (const CompiledOutput& output : outputs) {
        batch.labels.push_back(
            valuesOf(output.name, ofOutput(part["y"], output.name), output.isClass));
    }
    batch.fileIndex.assign(static_cast<std::size_t>(batch.rowCount), 0);
    for (std::int64_t row = 0; row < batch.rowCount; ++row) {
        batch.line.push_back(row + 1);
    }
    return batch;
}

Result<CompiledModel> compiledModelOf(const nlohmann::json& model, const nlohmann::json& settings,
                                      const nlohmann::json& data)
{
    CompiledModel compiled;
    const std::vector<ModelOutput> outputs = outputsOfKeras(model);
    const bool isAlone = outputs.size() == 1;
    spec::CustomEstimator& estimator =
        *compiled.experiment.mutable_estimator()->mutable_custom_estimator();
    std::vector<std::string> logits;
    for (const ModelOutput& output : outputs) {
        const CompileJson& layer = *layerNamed(model, output.layer);
        OutputSettings own{.output = output,
                           .loss = lossObject(ofOutput(settings["loss"], output.name)),
                           .hasSoftmax =
                               layer["config"].value("activation", CompileJson()) == "softmax"};
        own.width = layer["config"].contains("units")
                        ? layer["config"]["units"].get<int>()
                        : ofOutput(data["train"]["y"], output.name)["shape"].back().get<int>();
        own.weights = data["train"].contains("sample_weight") ? "sample_weight" : "";
        spec::Head& head = isAlone ? *estimator.mutable_head()
                                   : *estimator.mutable_head()->mutable_multi_head()->add_heads();
        CANNERY_TRY_ASSIGN(const CompiledOutput made, setHead(own, isAlone, head));
        if (!isAlone) {
            estimator.mutable_head()->mutable_multi_head()->add_head_weights(
                settings.value("loss_weights", CompileJson::object()).value(output.name, 1.0));
        }
        if (made.prediction == "probabilities") {
            logits.push_back(output.layer);
        }
        compiled.outputs.push_back(made);
    }
    CANNERY_TRY(networkOfKeras(model, logits, compiled.experiment));
    const CompileJson& optimizer = settings["optimizer"];
    const auto own = optimizerOfKeras(optimizer["class"], optimizer, spec::OptimizerRules::keras);
    if (!own) {
        return fail(ErrorCode::Unimplemented, kNoOptimizer, optimizer.dump());
    }
    *estimator.mutable_optimizer() = *own;
    compiled.experiment = spec::resolve(compiled.experiment);
    return compiled;
}

} // namespace cannery::tests
