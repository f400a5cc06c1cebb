// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/case_comparison.h"

#include "core/plan/learners/learner.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "tests/golden/tree_comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace cannery::tests {

namespace {

constexpr std::size_t kMostSentences = 5;

using Sentences = std::vector<std::string>;

void add(Sentences& sentences, std::string sentence)
{
    if (sentences.size() < kMostSentences) {
        sentences.push_back(std::move(sentence));
    }
}

double numberOf(const nlohmann::json& value)
{
    if (value.is_string()) {
        const std::string text = value.get<std::string>();
        return text == "NaN"        ? std::numeric_limits<double>::quiet_NaN()
               : text == "Infinity" ? std::numeric_limits<double>::infinity()
                                    : -std::numeric_limits<double>::infinity();
    }
    return value.get<double>();
}

/// Equal within `tolerance`; NaN equals NaN and nothing else.
bool isNear(double actual, double expected, double tolerance)
{
    if (std::isnan(expected) || std::isinf(expected)) {
        return std::isnan(expected) ? std::isnan(actual) : actual == expected;
    }
    return std::abs(actual - expected) <= tolerance;
}

/// The hidden layer's bias that batch normalisation cancels: that of "…/hiddenlayer_0/bias" itself,
/// or the one tracked by "…/hiddenlayer_0/batchnorm_0/moving_mean". Empty for others.
std::string biasBehind(const std::string& name)
{
    const std::size_t end = name.find('/', std::string("dnn/").size());
    if (!name.starts_with("dnn/hiddenlayer_") || end == std::string::npos) {
        return {};
    }
    const bool isConcerned = name.substr(end) == "/bias" || name.ends_with("/moving_mean");
    return isConcerned ? name.substr(0, end) + "/bias" : std::string();
}

/// Which elements are noise in TensorFlow itself (shared/golden/README.md): those of a hidden bias
/// whose slot `v` of Adam stays below 1e-15, and the moving mean that follows them. None otherwise.
std::vector<bool> noisyElements(const CaseTolerances& tolerances, const std::string& name,
                                const storage::CheckpointReader& reader)
{
    constexpr float kOnlyRounding = 1e-15F;
    const std::string bias = tolerances.batchNorm ? biasBehind(name) : std::string();
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        if (bias.empty() || !entry.name.ends_with("/" + bias + "/v")) {
            continue;
        }
        std::vector<bool> noisy;
        const auto slot = reader.read(entry.name);
        for (const float squares : slot->values<float>()) {
            noisy.push_back(squares < kOnlyRounding);
        }
        return noisy;
    }
    return {};
}

double toleranceOf(const CaseTolerances& tolerances, const plan::StateTensor& tensor,
                   double expected)
{
    const double absolute =
        tensor.optimizerState ? tolerances.slotsAbsolute : tolerances.weightsAbsolute;
    return absolute + tolerances.weightsRelative * std::abs(expected);
}

void compareFloats(Sentences& sentences, const CaseTolerances& tolerances,
                   const plan::StateTensor& tensor, const storage::HostTensor& expected,
                   const std::vector<bool>& noisy)
{
    const std::span<const float> values = expected.values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        float actual = 0;
        std::memcpy(&actual, tensor.bytes.data() + i * sizeof(float), sizeof(float));
        const auto wanted = static_cast<double>(values[i]);
        const double tolerance = i < noisy.size() && noisy[i]
                                     ? tolerances.noiseAbsolute
                                     : toleranceOf(tolerances, tensor, wanted);
        if (!isNear(static_cast<double>(actual), wanted, tolerance)) {
            add(sentences, fmt::format("{}[{}] is {:.9g}, TensorFlow's {:.9g}", tensor.name, i,
                                       actual, values[i]));
            return;
        }
    }
}

void compareNames(Sentences& sentences, const std::vector<plan::StateTensor>& state,
                  const storage::CheckpointReader& reader)
{
    std::set<std::string> ours{"global_step"};
    for (const plan::StateTensor& tensor : state) {
        if (!tensor.isOptional || !tensor.bytes.empty()) {
            ours.insert(tensor.name);
        }
    }
    for (const storage::CheckpointEntry& entry : reader.entries()) {
        // The slots of replicas but the first, which have the same values.
        const bool isCopy = entry.name.find("/replica_") != std::string::npos;
        if (ours.erase(entry.name) == 0 && !isCopy) {
            add(sentences, fmt::format("{} is missing in our checkpoint", entry.name));
        }
    }
    for (const std::string& name : ours) {
        add(sentences, fmt::format("{} is not in TensorFlow's checkpoint", name));
    }
}

/// Elements of nested arrays, outermost first.
void flatten(const nlohmann::json& value, std::vector<nlohmann::json>& out)
{
    if (!value.is_array()) {
        out.push_back(value);
        return;
    }
    for (const nlohmann::json& item : value) {
        flatten(item, out);
    }
}

void comparePrediction(Sentences& sentences, double tolerance, const heads::Prediction& prediction,
                       const std::vector<nlohmann::json>& expected)
{
    const std::size_t count =
        prediction.floats.size() + prediction.strings.size() + prediction.integers.size();
    if (count != expected.size()) {
        add(sentences, fmt::format("prediction {} has {} values, TensorFlow's {}", prediction.key,
                                   count, expected.size()));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        bool same = false;
        std::string actual;
        if (prediction.dtype == DType::Float32 && i < prediction.floats.size()) {
            const double wanted = numberOf(expected[i]);
            const auto value = static_cast<double>(prediction.floats[i]);
            same = isNear(value, wanted, tolerance * (1 + std::abs(wanted)));
            actual = fmt::format("{:.9g}", value);
        } else if (prediction.dtype == DType::String && i < prediction.strings.size()) {
            actual = prediction.strings[i];
            same = actual == expected[i].get<std::string>();
        } else if (i < prediction.integers.size()) {
            actual = std::to_string(prediction.integers[i]);
            same = prediction.integers[i] == expected[i].get<std::int64_t>();
        }
        if (!same) {
            add(sentences, fmt::format("prediction {}[{}] is {}, TensorFlow's {}", prediction.key,
                                       i, actual, expected[i].dump()));
            return;
        }
    }
}

/// Against the variables that a case has as numbers, in place of a checkpoint.
Sentences compareVariables(const GoldenCase& golden, const std::vector<plan::StateTensor>& state)
{
    Sentences sentences;
    const CaseTolerances tolerances = golden.tolerances();
    const nlohmann::json expected = golden.read("variables.json");
    for (const auto& [name, value] : expected.items()) {
        const auto tensor = std::ranges::find(state, name, &plan::StateTensor::name);
        std::vector<nlohmann::json> numbers;
        flatten(value, numbers);
        if (name == "global_step") {
            continue;
        }
        if (tensor == state.end() || tensor->bytes.size() != numbers.size() * sizeof(float)) {
            add(sentences, fmt::format("{} is missing or of another size", name));
            continue;
        }
        std::vector<float> values;
        for (const nlohmann::json& number : numbers) {
            values.push_back(number.get<float>());
        }
        compareFloats(sentences, tolerances, *tensor,
                      storage::HostTensor::of<float>(values, tensor->shape), {});
    }
    return sentences;
}

} // namespace

Sentences compareLosses(const GoldenCase& golden, const CaseRun& run)
{
    constexpr std::size_t kEarlySteps = 20;
    Sentences sentences;
    const CaseTolerances tolerances = golden.tolerances();
    const nlohmann::json trajectory = golden.read("trajectory.json");
    const nlohmann::json& losses = trajectory.at("loss");
    if (losses.size() != run.losses.size()) {
        add(sentences, fmt::format("{} steps, not {}", run.losses.size(), losses.size()));
        return sentences;
    }
    const auto compared = static_cast<std::size_t>(
        golden.deterministicSteps().value_or(static_cast<std::int64_t>(losses.size())));
    for (std::size_t i = 0; i < compared; ++i) {
        const double expected = numberOf(losses[i]);
        const double relative =
            i < kEarlySteps ? tolerances.lossRelative : tolerances.lateLossRelative;
        const bool isOnTheWay = tolerances.onlyOptimum && i > 0 && i < compared / 2;
        if (!isOnTheWay && !isNear(run.losses[i], expected, relative * std::abs(expected))) {
            add(sentences, fmt::format("the loss of step {} is {:.9g}, TensorFlow's {:.9g}", i + 1,
                                       run.losses[i], expected));
        }
    }
    return sentences;
}

Sentences compareState(const GoldenCase& golden, CaseRun& run)
{
    Sentences sentences;
    if (!golden.hasCheckpoints()) {
        return compareVariables(golden, run.model->state());
    }
    const Result<storage::CheckpointReader> reader =
        storage::CheckpointReader::open(golden.finalPrefix());
    if (!reader) {
        return {reader.error().message()};
    }
    const CaseTolerances tolerances = golden.tolerances();
    const std::vector<plan::StateTensor> state = run.model->state();
    compareNames(sentences, state, *reader);
    for (const plan::StateTensor& tensor : state) {
        const Result<storage::HostTensor> expected = reader->read(tensor.name);
        if (!expected) {
            continue; // named above
        }
        if (expected->dtype != tensor.dtype || expected->shape != tensor.shape) {
            add(sentences, fmt::format("{} is {} {}, TensorFlow's {} {}", tensor.name,
                                       name(tensor.dtype), tensor.shape.toString(),
                                       name(expected->dtype), expected->shape.toString()));
        } else if (tensor.dtype == DType::String) {
            // The small cases are about ties.
            const Ties ties = golden.name.starts_with("bt_") ? Ties::Same : Ties::LeftOut;
            for (std::string& sentence :
                 compareTrees(tensor.bytes, expected->strings.front(), ties)) {
                add(sentences, std::move(sentence));
            }
        } else if (tensor.dtype != DType::Float32) {
            if (!std::equal(tensor.bytes.begin(), tensor.bytes.end(), expected->bytes.begin())) {
                add(sentences, fmt::format("{} differs", tensor.name));
            }
        } else {
            compareFloats(sentences, tolerances, tensor, *expected,
                          noisyElements(tolerances, tensor.name, *reader));
        }
    }
    return sentences;
}

Sentences compareWarmStart(const GoldenCase& golden, const CaseRun& run)
{
    Sentences sentences;
    if (run.warmStarted.empty()) {
        return sentences;
    }
    const auto reader = storage::CheckpointReader::open(golden.initialPrefix());
    if (!reader) {
        return {reader.error().message()};
    }
    for (const auto& [name, bytes] : run.warmStarted) {
        const auto expected = reader->read(name);
        if (!expected) {
            add(sentences, expected.error().message());
        } else if (!std::equal(bytes.begin(), bytes.end(), expected->bytes.begin(),
                               expected->bytes.end())) {
            add(sentences, fmt::format("warm started, {} is not as TensorFlow's", name));
        }
    }
    return sentences;
}

Sentences compareImportances(const GoldenCase& golden, CaseRun& run)
{
    if (run.model->learner() == nullptr) {
        return {};
    }
    return compareImportances(run.model->learner()->importances(),
                              golden.read("ensemble.json").at("feature_importances"));
}

Sentences compareEvaluation(const GoldenCase& golden, const CaseRun& run)
{
    Sentences sentences;
    const double tolerance = golden.tolerances().evaluation;
    const nlohmann::json expected = golden.read("eval.json");
    std::set<std::string> ours;
    for (const auto& [key, value] : run.evaluation) {
        ours.insert(key);
    }
    for (const auto& [key, value] : expected.items()) {
        if (key == "global_step") {
            continue;
        }
        if (ours.erase(key) == 0) {
            add(sentences, fmt::format("the metric {} is missing", key));
            continue;
        }
        const double wanted = numberOf(value);
        const double actual = run.evaluation.at(key);
        if (!isNear(actual, wanted, tolerance * (1 + std::abs(wanted)))) {
            add(sentences, fmt::format("{} is {:.9g}, TensorFlow's {:.9g}", key, actual, wanted));
        }
    }
    for (const std::string& key : ours) {
        add(sentences, fmt::format("TensorFlow has no metric {}", key));
    }
    return sentences;
}

Sentences comparePredictions(const GoldenCase& golden, const CaseRun& run)
{
    Sentences sentences;
    const double tolerance = golden.tolerances().predictions;
    const nlohmann::json expected = golden.read("predict.json");
    if (expected.size() != run.predictions.size()) {
        add(sentences,
            fmt::format("{} prediction keys, not {}", run.predictions.size(), expected.size()));
    }
    for (const heads::Prediction& prediction : run.predictions) {
        if (!expected.contains(prediction.key)) {
            add(sentences, fmt::format("TensorFlow predicts no {}", prediction.key));
            continue;
        }
        std::vector<nlohmann::json> values;
        flatten(expected.at(prediction.key), values);
        comparePrediction(sentences, tolerance, prediction, values);
    }
    return sentences;
}

} // namespace cannery::tests
