// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_training.h"

#include "core/estimators/estimator_catalog.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_encoder.h"
#include "core/plan/inference.h"
#include "core/plan/model.h"
#include "tests/golden/keras_layers/compiled.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

namespace cannery::tests {

namespace fs = std::filesystem;

namespace {

using TrainingJson = nlohmann::json;

TrainingJson readJson(const fs::path& file)
{
    std::ifstream stream(file);
    return TrainingJson::parse(stream);
}

/// As CaseTolerances: the usual ones, or ten times the difference between TensorFlow's own runs.
struct TrainingTolerances
{
    double loss = 1e-5;    ///< relative
    double weights = 1e-6; ///< absolute, besides 1e-4 relative
    double evaluation = 1e-5;
    double predictions = 1e-5;

    explicit TrainingTolerances(const TrainingJson& noise)
    {
        const auto widen = [&](double& tolerance, const char* name) {
            tolerance = std::max(tolerance, 10 * noise.value(name, 0.0));
        };
        widen(loss, "loss_rel");
        widen(weights, "weights_abs");
        widen(evaluation, "eval_abs");
        widen(predictions, "predict_abs");
    }
};

class KerasRun
{
public:
    explicit KerasRun(const fs::path& folder)
        : m_settings(readJson(folder / "case.json")), m_data(readJson(folder / "data.json")),
          m_initial(readJson(folder / "initial.json")), m_final(readJson(folder / "final.json")),
          m_trajectory(readJson(folder / "trajectory.json")),
          m_tolerances(readJson(folder / "noise.json"))
    {}

    Result<void> build(const fs::path& folder, int threads);
    Result<std::vector<std::string>> compare();

private:
    Result<features::EncodedDataset> encoded(const TrainingJson& part) const;
    void nameVariables();
    void setWeights();
    Result<void> train();
    Result<void> evaluate();
    void comparePredictions(const std::vector<heads::Prediction>& predictions);
    void compareState();
    void compareTensor(const std::string& own, const TrainingJson& tensor);
    void expect(const std::string& what, double actual, double expected, double tolerance)
    {
        if (!(std::abs(actual - expected) <= tolerance)) {
            m_differences.push_back(fmt::format("{} is {}, not {}", what, actual, expected));
        }
    }

    TrainingJson m_settings;
    TrainingJson m_data;
    TrainingJson m_initial;
    TrainingJson m_final;
    TrainingJson m_trajectory;
    TrainingTolerances m_tolerances;
    CompiledModel m_compiled;
    std::optional<features::FeatureEncoder> m_encoder;
    std::unique_ptr<plan::Model> m_model;
    std::map<std::string, std::string> m_names; ///< ours, by Keras's
    std::vector<std::string> m_differences;
};

Result<void> KerasRun::build(const fs::path& folder, int threads)
{
    CANNERY_TRY_ASSIGN(m_compiled,
                       compiledModelOf(readJson(folder / "model.json"), m_settings, m_data));
    CANNERY_TRY_ASSIGN(m_encoder, features::FeatureEncoder::create(m_compiled.experiment, folder));
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered,
                       estimators::lower(m_compiled.experiment, m_encoder->layout()));
    CANNERY_TRY_ASSIGN(m_model, plan::Model::create(std::move(lowered), {.threads = threads}));
    return {};
}

Result<features::EncodedDataset> KerasRun::encoded(const TrainingJson& part) const
{
    features::EncodedDataset rows(m_encoder->layout(), {});
    CANNERY_TRY_ASSIGN(const features::EncodedRows all,
                       m_encoder->encode(m_compiled.rows(part), features::Labels::Needed));
    CANNERY_TRY(rows.append(all));
    return rows;
}

std::string layerOf(const std::string& variable)
{
    return variable.substr(0, variable.find('/'));
}

/// Layers have the same names; the weights of one, the same order.
void KerasRun::nameVariables()
{
    std::map<std::string, std::vector<std::string>> own;
    for (const graph::Variable& variable : m_model->graph().variables) {
        own[layerOf(variable.name)].push_back(variable.name);
    }
    std::map<std::string, std::size_t> taken;
    for (const TrainingJson& weight : m_initial["weights"]) {
        const std::string name = weight["name"];
        const std::vector<std::string>& names = own[layerOf(name)];
        const std::size_t place = taken[layerOf(name)]++;
        if (place < names.size()) {
            m_names[name] = names[place];
        } else {
            m_differences.push_back("there is no variable for " + name);
        }
    }
    if (m_names.size() != m_model->graph().variables.size()) {
        m_differences.push_back(fmt::format("there are {} variables, not {}",
                                            m_model->graph().variables.size(), m_names.size()));
    }
}

void KerasRun::setWeights()
{
    std::map<std::string, plan::StateTensor> tensors;
    for (plan::StateTensor& tensor : m_model->state()) {
        tensors.emplace(tensor.name, std::move(tensor));
    }
    for (const TrainingJson& weight : m_initial["weights"]) {
        const auto found = tensors.find(m_names[weight["name"]]);
        const auto values = weight["values"].get<std::vector<float>>();
        const auto bytes = std::as_bytes(std::span(values));
        if (found == tensors.end() || found->second.bytes.size() != bytes.size()) {
            m_differences.push_back("another shape: " + weight["name"].get<std::string>());
        } else {
            std::ranges::copy(bytes, found->second.bytes.begin());
        }
    }
    m_model->startAverages();
}

/// Rows in order; every epoch begins with the first, and ends with a short batch.
Result<void> KerasRun::train()
{
    CANNERY_TRY_ASSIGN(const features::EncodedDataset rows, encoded(m_data["train"]));
    const std::int64_t batchSize = m_settings["batch"];
    features::EncodedRows batch;
    std::int64_t step = 0;
    for (int epoch = 0; epoch < m_settings["epochs"].get<int>(); ++epoch) {
        for (std::int64_t first = 0; first < rows.rowCount(); first += batchSize) {
            CANNERY_TRY(
                rows.gatherRange(first, std::min(batchSize, rows.rowCount() - first), batch));
            const double expected =
                m_trajectory["steps"].at(static_cast<std::size_t>(step))["loss"];
            expect(fmt::format("the loss of step {}", step + 1), m_model->train(batch, step),
                   expected, m_tolerances.loss * std::abs(expected));
            ++step;
        }
    }
    m_model->takeAverages();
    return {};
}

/// Keras weights the losses of batches by their rows.
Result<void> KerasRun::evaluate()
{
    CANNERY_TRY_ASSIGN(const features::EncodedDataset rows, encoded(m_data["eval"]));
    const std::int64_t batchSize = m_settings["batch"];
    features::EncodedRows batch;
    double sum = 0.0;
    for (std::int64_t first = 0; first < rows.rowCount(); first += batchSize) {
        const std::int64_t count = std::min(batchSize, rows.rowCount() - first);
        CANNERY_TRY(rows.gatherRange(first, count, batch));
        const std::unique_ptr<metrics::MetricSet> metrics = m_model->head().createMetrics();
        m_model->inference().evaluate(batch, *metrics);
        const auto results = metrics->results();
        const auto loss = std::ranges::find(results, "loss", &metrics::MetricValue::name);
        sum += loss == results.end() ? std::nan("") : loss->value * static_cast<double>(count);
    }
    const double expected = m_trajectory["evaluate"]["loss"];
    expect("the loss of the evaluation", sum / static_cast<double>(rows.rowCount()), expected,
           m_tolerances.evaluation * (1 + std::abs(expected)));
    std::vector<heads::Prediction> predictions;
    CANNERY_TRY(rows.gatherRange(0, rows.rowCount(), batch));
    m_model->inference().predict(batch, predictions);
    comparePredictions(predictions);
    return {};
}

void KerasRun::comparePredictions(const std::vector<heads::Prediction>& predictions)
{
    for (const CompiledOutput& output : m_compiled.outputs) {
        const auto own = std::ranges::find(predictions, output.prediction, &heads::Prediction::key);
        const TrainingJson& expected = m_trajectory["predict"][output.name]["values"];
        if (own == predictions.end() || own->floats.size() != expected.size()) {
            m_differences.push_back("no prediction of " + output.name);
            continue;
        }
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double value = expected[i];
            expect(fmt::format("{} {}[{}]", output.name, output.prediction, i), own->floats[i],
                   value, m_tolerances.predictions * (1 + std::abs(value)));
        }
    }
}

void KerasRun::compareTensor(const std::string& own, const TrainingJson& tensor)
{
    const std::vector<plan::StateTensor> state = m_model->state();
    const auto found = std::ranges::find(state, own, &plan::StateTensor::name);
    if (found == state.end() || found->byteCount() != tensor["values"].size() * 4) {
        m_differences.push_back(fmt::format("{} is not there, or of another shape", own));
        return;
    }
    std::vector<float> values(tensor["values"].size());
    found->read(0, std::as_writable_bytes(std::span(values)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = tensor["values"][i];
        const double tolerance = 1e-4 * std::abs(expected) + m_tolerances.weights;
        if (!(std::abs(values[i] - expected) <= tolerance)) {
            m_differences.push_back(fmt::format("{}[{}] is {}, not {} (to {})", own, i, values[i],
                                                expected, tolerance));
            return;
        }
    }
}

/// `Adam/m/<variable>` by our name of the variable.
std::string ownSlotName(const std::string& name, const std::map<std::string, std::string>& names)
{
    const std::size_t slot = name.find('/', name.find('/') + 1) + 1;
    const auto found = names.find(name.substr(slot));
    return found == names.end() ? name : name.substr(0, slot) + found->second;
}

void KerasRun::compareState()
{
    for (const TrainingJson& weight : m_final["weights"]) {
        compareTensor(m_names[weight["name"]], weight);
    }
    for (const TrainingJson& tensor : m_final["optimizer"]) {
        // The number of steps is an integer, and the same as that of the losses.
        if (tensor["name"] != "iteration") {
            compareTensor(ownSlotName(tensor["name"], m_names), tensor);
        }
    }
}

Result<std::vector<std::string>> KerasRun::compare()
{
    nameVariables();
    if (m_differences.empty()) {
        setWeights();
    }
    if (m_differences.empty()) {
        CANNERY_TRY(train());
        CANNERY_TRY(evaluate());
        compareState();
    }
    return m_differences;
}

} // namespace

Result<std::vector<std::string>> compareKerasTraining(const fs::path& folder, int threads)
{
    KerasRun run(folder);
    CANNERY_TRY(run.build(folder, threads));
    return run.compare();
}

} // namespace cannery::tests
