// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/linear_start.h"

#include "core/base/check.h"
#include "core/plan/inference.h"
#include "core/spec/head_kinds.h"
#include "core/spec/layers.pb.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace cannery::train {
namespace {

constexpr std::string_view kLinearNode = "linear/linear_model";
constexpr std::int64_t kMostRows = 100'000;
constexpr std::int64_t kRowsAtOnce = 4096;

/// One column of the linear part.
struct Column
{
    bool isDense = false;
    std::size_t block = 0;
    std::int64_t first = 0; ///< index of its first weight
    std::int64_t width = 0;
    bool combines = false; ///< uses the model's combiner: ids that are not an indicator's
};

const graph::Node* linearNode(const graph::LayerGraph& graph)
{
    const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        return node.name == kLinearNode && node.layer.has_linear_model();
    });
    return found == graph.nodes.end() ? nullptr : &*found;
}

/// Nothing if a column of the part is itself trained.
std::optional<std::vector<Column>> columnsOf(const graph::LayerGraph& graph,
                                             const graph::Node& node)
{
    std::vector<Column> columns;
    std::int64_t first = 0;
    for (const graph::ValueId id : node.inputs) {
        // The part's inputs must be inputs of the model: a value of another layer changes while
        // training.
        const auto input = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                        [&](const auto& each) { return each.value == id; });
        if (input == graph.inputs.end()) {
            return std::nullopt;
        }
        const graph::Value& value = graph.value(id);
        columns.push_back({.isDense = value.kind == graph::ValueKind::Dense,
                           .block = static_cast<std::size_t>(input->block),
                           .first = first,
                           .width = value.width,
                           .combines = value.kind == graph::ValueKind::Ids});
        first += value.width;
    }
    return columns;
}

/// The loss by which a head trains a linear model; nothing if it has no closed form here.
bool readHead(const spec::Head& head, LinearProblem& problem)
{
    const spec::HeadKind* kind = spec::findHeadKind(head);
    if (kind == nullptr || kind->loss == spec::HeadLoss::Poisson ||
        kind->loss == spec::HeadLoss::Chosen) {
        return false;
    }
    problem.loss = kind->loss == spec::HeadLoss::Squares   ? LinearLoss::Squares
                   : kind->loss == spec::HeadLoss::Sigmoid ? LinearLoss::Logistic
                                                           : LinearLoss::Softmax;
    problem.units =
        kind->labels == spec::LabelKind::ClassId ? spec::classCount(head) : spec::labelWidth(head);
    return true;
}

void addEntry(LinearRows& rows, std::int64_t column, float value)
{
    // Zeros are left out: rows are sparse, and a value that is not finite would spoil the solution.
    if (value != 0.0F && std::isfinite(value)) {
        rows.columns.push_back(static_cast<std::int32_t>(column));
        rows.values.push_back(value);
    }
}

/// What the combiner does with the weights of a row's ids.
float combinerFactor(spec::Combiner::Kind combiner, std::span<const float> weights)
{
    double sum = 0;
    for (const float weight : weights) {
        sum += combiner == spec::Combiner::sqrtn ? weight * weight : weight;
    }
    // Weights that sum up to 0 are not divided by.
    if (combiner == spec::Combiner::sum || sum == 0) {
        return 1.0F;
    }
    return static_cast<float>(1.0 / (combiner == spec::Combiner::sqrtn ? std::sqrt(sum) : sum));
}

void addIds(LinearRows& rows, const features::IdBlock& block, const Column& column,
            std::int64_t row, spec::Combiner::Kind combiner)
{
    const auto begin = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(block.rowOffsets[static_cast<std::size_t>(row) + 1]);
    std::vector<float> weights;
    std::vector<std::int32_t> ids;
    for (std::size_t i = begin; i < end; ++i) {
        // Unknown words have no weight of their own.
        if (block.ids[i] >= 0) {
            ids.push_back(block.ids[i]);
            weights.push_back(block.weights.empty() ? 1.0F : block.weights[i]);
        }
    }
    // Indicators count their ids instead of combining them.
    const float factor = column.combines ? combinerFactor(combiner, weights) : 1.0F;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        addEntry(rows, column.first + ids[i], factor * weights[i]);
    }
}

void addRow(LinearRows& out, const features::EncodedRows& rows, std::int64_t row,
            const std::vector<Column>& columns, spec::Combiner::Kind combiner)
{
    for (const Column& column : columns) {
        if (!column.isDense) {
            addIds(out, rows.ids[column.block], column, row, combiner);
            continue;
        }
        const features::DenseBlock& block = rows.dense[column.block];
        for (std::int64_t i = 0; i < column.width; ++i) {
            addEntry(out, column.first + i,
                     block.values[static_cast<std::size_t>(row * block.width + i)]);
        }
    }
    // The end of this row is the beginning of the next.
    out.rowBegins.push_back(static_cast<std::int64_t>(out.columns.size()));
}

/// All rows, or evenly spaced ones.
std::vector<std::int64_t> chosenRows(std::int64_t count)
{
    const std::int64_t chosen = std::min(count, kMostRows);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(chosen));
    for (std::int64_t i = 0; i < chosen; ++i) {
        // Evenly spaced: a table may be sorted by its label.
        rows[static_cast<std::size_t>(i)] = i * count / chosen;
    }
    return rows;
}

template <typename Use>
Result<void> forEachBatch(const features::EncodedDataset& rows,
                          std::span<const std::int64_t> chosen, Use use)
{
    features::EncodedRows batch;
    for (std::size_t begin = 0; begin < chosen.size(); begin += kRowsAtOnce) {
        const std::size_t count = std::min<std::size_t>(kRowsAtOnce, chosen.size() - begin);
        CANNERY_TRY(rows.gather(chosen.subspan(begin, count), batch));
        use(batch);
    }
    return {};
}

} // namespace

Result<std::optional<LinearPartProblem>> linearPartOf(const graph::LoweredModel& lowered,
                                                      const features::EncodedDataset& rows,
                                                      std::span<const std::int64_t> chosen,
                                                      std::span<const plan::ClassWeight> classes)
{
    LinearPartProblem part;
    // Models without a linear part, and heads without a solver, start as usual.
    const graph::Node* node = linearNode(lowered.graph);
    if (node == nullptr || !readHead(lowered.head, part.problem)) {
        return std::nullopt;
    }
    const std::optional<std::vector<Column>> columns = columnsOf(lowered.graph, *node);
    if (!columns) {
        return std::nullopt;
    }
    for (const graph::VariableId id : node->variables) {
        part.weights.push_back(lowered.graph.variable(id).name);
    }
    // The bias is the last variable of the layer.
    part.bias = part.weights.back();
    part.weights.pop_back();
    for (const Column& column : *columns) {
        part.widths.push_back(column.width);
    }
    LinearProblem& problem = part.problem;
    problem.rows.columnCount = columns->back().first + columns->back().width;
    // The link maps logits to predictions, so labels are mapped back.
    // For other heads it is the identity.
    const spec::AffineLink& link = lowered.head.regression_head().inverse_link_fn();
    CANNERY_TRY(forEachBatch(rows, chosen, [&](const features::EncodedRows& batch) {
        for (std::int64_t row = 0; row < batch.rowCount; ++row) {
            addRow(problem.rows, batch, row, *columns,
                   node->layer.linear_model().sparse_combiner());
        }
        for (const float label : batch.labels) {
            problem.targets.push_back(static_cast<float>((label - link.offset()) / link.scale()));
        }
        const std::vector<float>* weights = &batch.weights;
        std::vector<float> weighed;
        // Weights of classes count as in training.
        if (!classes.empty()) {
            plan::weighByClass(batch, classes, weighed);
            weights = &weighed;
        }
        problem.rowWeights.insert(problem.rowWeights.end(), weights->begin(), weights->end());
    }));
    return part;
}

Result<std::vector<float>> logitsOf(plan::Model& model, const features::EncodedDataset& rows,
                                    std::span<const std::int64_t> chosen)
{
    std::vector<float> all;
    CANNERY_TRY(forEachBatch(rows, chosen, [&](const features::EncodedRows& batch) {
        // As in evaluation: dropout would add noise to the offsets.
        model.inference().forward(batch, layers::Mode::Evaluate);
        const kernels::ConstMatrixView logits = model.inference().logits();
        for (std::int64_t row = 0; row < batch.rowCount; ++row) {
            const auto values = logits.row(row);
            all.insert(all.end(), values.begin(), values.end());
        }
    }));
    return all;
}

void putLinearWeights(const LinearPartProblem& part, const LinearWeights& weights,
                      plan::Model& model)
{
    const std::vector<plan::StateTensor> state = model.state();
    std::size_t next = 0;
    const auto put = [&](const std::string& name) {
        const auto found = std::find_if(state.begin(), state.end(),
                                        [&](const auto& tensor) { return tensor.name == name; });
        if (found == state.end()) {
            // The averages of a variable, for instance, are missing in some models.
            return;
        }
        const Result<void> written = found->write([&](std::span<std::byte> bytes) {
            for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
                const auto value = static_cast<float>(weights[next++]);
                std::memcpy(bytes.data() + at, &value, sizeof(float));
            }
            return Result<void>();
        });
        CANNERY_CHECK(written.has_value());
    };
    for (const std::string& name : part.weights) {
        put(name);
    }
    put(part.bias);
}

Result<std::string> startLinearPart(const graph::LoweredModel& lowered,
                                    const features::EncodedDataset& rows, const LinearStart& start,
                                    plan::Model& model)
{
    const std::vector<std::int64_t> chosen = chosenRows(rows.rowCount());
    CANNERY_TRY_ASSIGN(std::optional<LinearPartProblem> part,
                       linearPartOf(lowered, rows, chosen, start.classWeights));
    if (!part) {
        return std::string("The model has no linear part with a closed form: it starts at zero.");
    }
    // What the rest of the model already predicts is not part of the solution.
    CANNERY_TRY_ASSIGN(part->problem.offsets, logitsOf(model, rows, chosen));
    std::vector<std::int64_t> all(static_cast<std::size_t>(part->problem.rows.rowCount()));
    std::iota(all.begin(), all.end(), 0);
    putLinearWeights(*part, solveLinear(part->problem, all, start.l2), model);
    return fmt::format("The linear part starts at its solution on {} rows (L2 {}).", all.size(),
                       start.l2);
}

} // namespace cannery::train
