// SPDX-License-Identifier: Apache-2.0
#include "tests/core/plan/toy_model.h"

#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "kernels/device/random.h"
#include "tests/core/plan/toy_networks.h"

#include <google/protobuf/text_format.h>

#include <array>
#include <numeric>

namespace cannery::tests {

namespace {

constexpr const char* kColumns = R"(
feature_column { name: "x" numeric_column { key: "x" shape: 3 } }
feature_column { name: "one" categorical_column_with_identity { key: "one" num_buckets: 40 } }
feature_column { name: "many" categorical_column_with_identity { key: "many" num_buckets: 9 } }
feature_column { name: "plain" categorical_column_with_identity { key: "h" num_buckets: 9 } }
feature_column { name: "heavy" weighted_categorical_column {
    categorical_column: "plain" weight_feature_key: "w" } }
feature_column { name: "one_table" embedding_column {
    categorical_column: "one" dimension: 3 combiner: sum } }
feature_column { name: "many_table" embedding_column {
    categorical_column: "many" dimension: 3 combiner: mean max_norm: 0.5 } }
feature_column { name: "heavy_table" embedding_column {
    categorical_column: "heavy" dimension: 3 combiner: sqrtn } }
feature_column { name: "one_hot" indicator_column { categorical_column: "one" } }
feature_column { name: "heavy_hot" indicator_column { categorical_column: "heavy" } }
feature_column { name: "both" shared_embeddings {
    categorical_columns: ["many", "heavy"] dimension: 3 } }
feature_column { name: "path" sequence_numeric_column { key: "path" shape: 2 } }
feature_column { name: "word" sequence_categorical_column_with_identity {
    key: "word" num_buckets: 320 } }
feature_column { name: "word_table" embedding_column {
    categorical_column: "word" dimension: 3 max_norm: 0.8 } }
feature_column { name: "word_hot" indicator_column { categorical_column: "word" } }
)";

constexpr std::array<ToyEstimator, 11> kCanned = {{
    {"linear_sum", "linear_classifier { feature_columns: ['x', 'one', 'many', 'heavy', "
                   "'one_hot'] optimizer { ftrl { learning_rate: 0.1 } } }"},
    {"linear_mean",
     "linear_regressor { feature_columns: ['x', 'many', 'heavy', 'one_table'] "
     "sparse_combiner: mean optimizer { sgd { learning_rate: 0.1 momentum: 0.9 } } }"},
    {"linear_sqrtn", "linear_classifier { n_classes: 2 feature_columns: ['many', 'heavy'] "
                     "sparse_combiner: sqrtn optimizer { rmsprop { learning_rate: 0.01 } } }"},
    {"dnn_tanh", "dnn_classifier { feature_columns: ['x', 'one_hot', 'heavy_hot', 'many_table', "
                 "'heavy_table'] hidden_units: [8, 6] activation_fn: tanh optimizer { adagrad { "
                 "learning_rate: 0.1 } } }"},
    {"dnn_gelu_dropout", "dnn_regressor { feature_columns: ['x', 'one_table', 'one_hot'] "
                         "hidden_units: [8, 6] activation_fn: gelu dropout: 0.4 optimizer { adam { "
                         "learning_rate: 0.01 } } }"},
    {"dnn_batch_norm", "dnn_classifier { feature_columns: ['many_table', 'x', 'heavy_hot'] "
                       "hidden_units: [8, 6] activation_fn: sigmoid batch_norm: true optimizer { "
                       "sgd { learning_rate: 0.1 } clipnorm: 0.5 } }"},
    {"combined",
     "dnn_linear_combined_classifier { linear_feature_columns: ['one', 'many', 'x'] "
     "linear_optimizer { ftrl { learning_rate: 0.1 l2_shrinkage_regularization_strength: "
     "0.1 } } dnn_feature_columns: ['both', 'x', 'one_hot'] dnn_hidden_units: [8, 4] "
     "dnn_activation_fn: softplus dnn_optimizer { adagrad { learning_rate: 0.1 } "
     "global_clipnorm: 0.3 } }"},
    {"baseline", "baseline_regressor { optimizer { ftrl { learning_rate: 0.3 } } }"},
    {"rnn_stacked", "rnn_classifier { sequence_feature_columns: ['path', 'word_hot'] "
                    "context_feature_columns: ['x', 'one_table'] units: [5, 4] optimizer { adagrad "
                    "{ learning_rate: 0.1 } clipnorm: 5 } }"},
    {"rnn_lstm", "rnn_classifier { sequence_feature_columns: ['path', 'word_table'] units: 5 "
                 "cell_type: lstm optimizer { adam { learning_rate: 0.01 } } }"},
    {"rnn_gru", "rnn_estimator { head { regression_head {} } sequence_feature_columns: "
                "['word_table', 'path'] context_feature_columns: ['one_hot', 'x'] units: [4, 5] "
                "cell_type: gru optimizer { sgd { learning_rate: 0.1 momentum: 0.9 } } }"},
}};

features::IdBlock randomIds(kernels::RandomStream& random, std::int64_t rows, std::uint64_t buckets,
                            std::uint64_t mostPerRow, bool weighted)
{
    features::IdBlock block;
    block.rowOffsets.push_back(0);
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::uint64_t count = mostPerRow == 1 ? 1 : random.nextBelow(mostPerRow + 1);
        for (std::uint64_t entry = 0; entry < count; ++entry) {
            const bool missing = mostPerRow > 1 && random.nextBelow(8) == 0;
            block.ids.push_back(missing ? -1
                                        : static_cast<std::int32_t>(random.nextBelow(buckets)));
            if (weighted) {
                block.weights.push_back(random.nextUniform(-0.3F, 2.0F));
            }
        }
        block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
    }
    return block;
}

void addStep(kernels::RandomStream& random, features::SequenceBlock& path, features::IdBlock& word)
{
    const bool missing = random.nextBelow(8) == 0;
    word.ids.push_back(missing ? -1 : static_cast<std::int32_t>(random.nextBelow(320)));
    path.values.push_back(static_cast<float>(random.nextNormal()));
    path.values.push_back(static_cast<float>(random.nextNormal()));
}

/// Labels of 0 or 1 for all steps, and weights if wanted.
void labelSteps(features::EncodedRows& batch, std::int64_t labelWidth, bool areWeighted)
{
    batch.labelOffsets = batch.sequences[0].rowOffsets;
    batch.labels.clear();
    for (std::int64_t step = 0; step < batch.labelOffsets.back(); ++step) {
        for (std::int64_t i = 0; i < labelWidth; ++i) {
            batch.labels.push_back((step * 7 + i) % 3 == 0 ? 1.0F : 0.0F);
        }
        if (areWeighted) {
            batch.weights.push_back(0.5F + static_cast<float>(step % 4));
        }
    }
}

/// 0 to 5 steps per row, in `block` an id for each, in one of eight none.
features::SequenceBlock randomPath(kernels::RandomStream& random, std::int64_t rows,
                                   features::IdBlock& block)
{
    features::SequenceBlock path{.width = 2, .rowOffsets = {0}};
    block.rowOffsets = {0};
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::uint64_t step = random.nextBelow(6); step > 0; --step) {
            addStep(random, path, block);
        }
        block.rowOffsets.push_back(static_cast<std::int64_t>(block.ids.size()));
    }
    path.rowOffsets = block.rowOffsets;
    return path;
}

} // namespace

features::InputLayout toyLayout()
{
    const auto ids = [](const char* column, const char* name, std::int64_t width, bool weighted,
                        std::int32_t block) {
        return features::InputSlot{features::SlotKind::Ids, column, name, width, weighted, block};
    };
    features::InputLayout layout;
    layout.slots = {ids("heavy", "h_weighted_by_w", 9, true, 0),
                    ids("many", "many", 9, false, 1),
                    ids("one", "one", 40, false, 2),
                    {features::SlotKind::Dense, "x", "x", 3, false, 0},
                    {features::SlotKind::Sequence, "path", "path", 2, false, 0},
                    ids("word", "word", 320, false, 3)};
    layout.labelWidth = 1;
    return layout;
}

features::EncodedRows toyRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth)
{
    kernels::RandomStream random(seed);
    features::EncodedRows batch;
    batch.rowCount = rows;
    batch.ids = {randomIds(random, rows, 9, 4, true), randomIds(random, rows, 9, 4, false),
                 randomIds(random, rows, 40, 1, false)};
    features::DenseBlock dense{.width = 3};
    for (std::int64_t element = 0; element < rows * 3; ++element) {
        dense.values.push_back(static_cast<float>(random.nextNormal()));
    }
    batch.dense.push_back(std::move(dense));
    for (std::int64_t element = 0; element < rows * labelWidth; ++element) {
        batch.labels.push_back(static_cast<float>(random.nextBelow(2)));
    }
    batch.sequences = {randomPath(random, rows, batch.ids.emplace_back())};
    return batch;
}

features::EncodedRows stepRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth,
                               bool areWeighted)
{
    features::EncodedRows batch = toyRows(rows, seed);
    labelSteps(batch, labelWidth, areWeighted);
    return batch;
}

features::InputLayout singleIdLayout()
{
    features::InputLayout layout = toyLayout();
    std::erase_if(layout.slots, [](const features::InputSlot& slot) {
        return slot.kind == features::SlotKind::Sequence;
    });
    return layout;
}

features::EncodedRows singleIdRows(std::int64_t rows, std::uint64_t seed, std::int64_t labelWidth)
{
    features::EncodedRows batch = toyRows(rows, seed, labelWidth);
    batch.sequences.clear();
    for (features::IdBlock& block : batch.ids) {
        const auto count = static_cast<std::size_t>(rows);
        block.ids.resize(count);
        block.weights.resize(block.weights.empty() ? 0 : count);
        block.rowOffsets.resize(count + 1);
        std::iota(block.rowOffsets.begin(), block.rowOffsets.end(), std::int64_t{0});
    }
    return batch;
}

void setSteps(features::EncodedRows& batch, const std::vector<std::int64_t>& lengths,
              std::uint64_t seed)
{
    kernels::RandomStream random(seed);
    features::SequenceBlock& path = batch.sequences[0];
    features::IdBlock& word = batch.ids[3];
    path = {.width = 2, .rowOffsets = {0}, .values = {}};
    word = {.rowOffsets = {0}, .ids = {}, .weights = {}};
    for (const std::int64_t length : lengths) {
        for (std::int64_t step = 0; step < length; ++step) {
            addStep(random, path, word);
        }
        path.rowOffsets.push_back(static_cast<std::int64_t>(word.ids.size()));
    }
    word.rowOffsets = path.rowOffsets;
    if (!batch.labelOffsets.empty()) {
        labelSteps(batch, 1, false);
    }
}

Result<graph::LoweredModel> toyLowered(const std::string& estimator)
{
    spec::Experiment experiment;
    const std::string text = std::string(kColumns) + "estimator { " + estimator + " }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    return estimators::lower(experiment, toyLayout());
}

Result<std::unique_ptr<plan::Model>> toyModel(const std::string& estimator,
                                              const plan::ModelOptions& options)
{
    CANNERY_TRY_ASSIGN(graph::LoweredModel lowered, toyLowered(estimator));
    return plan::Model::create(std::move(lowered), options);
}

std::span<float> floatsOf(const plan::StateTensor& tensor)
{
    CANNERY_CHECK(tensor.dtype == DType::Float32);
    return {reinterpret_cast<float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

std::span<float> stateOf(plan::Model& model, const std::string& name)
{
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.name == name) {
            return floatsOf(tensor);
        }
    }
    CANNERY_CHECK(!"the model has this state");
    return {};
}

std::vector<std::byte> allState(plan::Model& model)
{
    std::vector<std::byte> bytes;
    for (const plan::StateTensor& tensor : model.state()) {
        bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
    }
    return bytes;
}

double lossSlope(plan::Model& model, const features::EncodedRows& rows, std::int64_t globalStep,
                 float& weight)
{
    constexpr float kStep = 4e-3F;
    const float kept = weight;
    weight = kept + kStep;
    const double above = model.computeGradients(rows, globalStep);
    weight = kept - kStep;
    const double below = model.computeGradients(rows, globalStep);
    weight = kept;
    return (above - below) / (2.0 * static_cast<double>(kStep));
}

std::span<const ToyEstimator> toyEstimators()
{
    static const std::vector<ToyEstimator> kAll = [] {
        std::vector<ToyEstimator> all(kCanned.begin(), kCanned.end());
        all.insert(all.end(), toyNetworks().begin(), toyNetworks().end());
        return all;
    }();
    return kAll;
}

} // namespace cannery::tests
