// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/loss_case.h"

#include "core/heads/chosen_loss_catalog.h"
#include "core/losses/row_losses.h"
#include "core/spec/message_access.h"
#include "tests/golden/loss_graph.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

/// Of a scalar or a tensor.
std::vector<double> numbersOf(const Json& tensor)
{
    const auto numberOf = [](const Json& value) {
        if (!value.is_string()) {
            return value.get<double>();
        }
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return value == "NaN"        ? std::numeric_limits<double>::quiet_NaN()
               : value == "Infinity" ? kInfinity
                                     : -kInfinity;
    };
    if (!tensor.is_object()) {
        return {numberOf(tensor)};
    }
    std::vector<double> numbers;
    for (const Json& value : tensor["values"]) {
        numbers.push_back(numberOf(value));
    }
    return numbers;
}

std::vector<std::int64_t> shapeOf(const Json& tensor)
{
    return tensor.is_object() ? tensor["shape"].get<std::vector<std::int64_t>>()
                              : std::vector<std::int64_t>{};
}

/// "MeanSquaredError" as "mean_squared_error".
std::string fieldNameOf(const std::string& className)
{
    std::string name;
    for (std::size_t i = 0; i < className.size(); ++i) {
        const bool isCapital = std::isupper(static_cast<unsigned char>(className[i])) != 0;
        // KLDivergence: a capital behind another one begins a word only before a small letter.
        const bool begins = isCapital && i > 0 &&
                            (std::islower(static_cast<unsigned char>(className[i - 1])) != 0 ||
                             (i + 1 < className.size() &&
                              std::islower(static_cast<unsigned char>(className[i + 1])) != 0));
        name += begins ? "_" : "";
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(className[i])));
    }
    return name;
}

/// The message, its arguments by their names, which are Keras' own.
spec::Loss lossOfKeras(const Json& lossCase)
{
    spec::Loss loss;
    const auto* kind = spec::Loss::descriptor()->FindFieldByName(fieldNameOf(lossCase["class"]));
    google::protobuf::Message& member = *loss.GetReflection()->MutableMessage(&loss, kind);
    for (const auto& [key, value] : lossCase["config"].items()) {
        const auto* field = member.GetDescriptor()->FindFieldByName(key);
        if (field == nullptr || value.is_null()) {
            continue;
        }
        if (value.is_boolean()) {
            member.GetReflection()->SetBool(&member, field, value);
        } else if (value.is_number_integer() &&
                   field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT64) {
            member.GetReflection()->SetInt64(&member, field, value);
        } else {
            member.GetReflection()->SetDouble(&member, field, value);
        }
    }
    return loss;
}

/// The rows of a tensor along an axis: element `col` of row `row`.
struct RowsAlong
{
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::int64_t inner = 1; ///< product of the dimensions behind the axis

    RowsAlong(const std::vector<std::int64_t>& shape, std::int64_t axis)
    {
        const std::size_t at = static_cast<std::size_t>(
            axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis);
        for (std::size_t i = 0; i < shape.size(); ++i) {
            (i == at ? cols : rows) *= shape[i];
            inner *= i > at ? shape[i] : 1;
        }
    }
    std::size_t indexOf(std::int64_t row, std::int64_t col) const
    {
        return static_cast<std::size_t>((row / inner * cols + col) * inner + row % inner);
    }
    std::vector<float> gathered(const std::vector<double>& values) const
    {
        std::vector<float> result;
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t col = 0; col < cols; ++col) {
                result.push_back(static_cast<float>(values[indexOf(row, col)]));
            }
        }
        return result;
    }
    std::vector<float> scattered(const std::vector<float>& values) const
    {
        std::vector<float> result(values.size());
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t col = 0; col < cols; ++col) {
                result[indexOf(row, col)] = values[static_cast<std::size_t>(row * cols + col)];
            }
        }
        return result;
    }
};

/// A case as a batch of rows, made by Keras' rules of shapes: ranks that differ by a last 1 are
/// squeezed, weights are repeated for what lies behind them.
LossGraphInputs batchOf(const Json& lossCase, const RowsAlong& along, bool hasIds)
{
    const std::vector<double> given = numbersOf(lossCase["y_true"]);
    LossGraphInputs batch{.rows = along.rows,
                          .cols = along.cols,
                          .outputs = along.gathered(numbersOf(lossCase["y_pred"])),
                          .labels = hasIds ? std::vector<float>(given.begin(), given.end())
                                           : along.gathered(given),
                          .weights = {}};
    if (lossCase.contains("sample_weight") && !lossCase["sample_weight"].is_null()) {
        const std::vector<double> all = numbersOf(lossCase["sample_weight"]);
        const auto repeats = along.rows / static_cast<std::int64_t>(all.size());
        for (const double weight : all) {
            batch.weights.insert(batch.weights.end(), static_cast<std::size_t>(repeats),
                                 static_cast<float>(weight));
        }
    }
    return batch;
}

void compareNumbers(const std::string& what, std::span<const float> ours, const Json& expected,
                    double tolerance, std::vector<std::string>& sentences)
{
    const std::vector<double> theirs = numbersOf(expected);
    if (ours.size() != theirs.size()) {
        sentences.push_back(
            fmt::format("{}: {} numbers instead of {}", what, ours.size(), theirs.size()));
        return;
    }
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double difference = std::abs(static_cast<double>(ours[i]) - theirs[i]);
        const bool same = difference <= tolerance * (1 + std::abs(theirs[i])) ||
                          static_cast<double>(ours[i]) == theirs[i] ||
                          (std::isnan(ours[i]) && std::isnan(theirs[i]));
        if (!same) {
            sentences.push_back(
                fmt::format("{}[{}] is {} instead of {}", what, i, ours[i], theirs[i]));
        }
    }
}

LossGraphResult runLoss(const kernels::RowLossRule& rule, losses::Reduction reduction,
                        const LossGraphInputs& batch)
{
    const auto view = [&](const std::vector<float>& values) {
        const auto cols = static_cast<std::int64_t>(values.size()) / batch.rows;
        return values.empty() ? kernels::ConstMatrixView()
                              : kernels::matrixView(std::span(values), batch.rows, cols);
    };
    kernels::ThreadPool pool(1);
    losses::RowLosses losses(rule, reduction);
    LossGraphResult result;
    result.gradient.resize(batch.outputs.size());
    result.loss = static_cast<float>(
        losses.run(pool, view(batch.outputs), view(batch.labels), view(batch.weights),
                   kernels::matrixView(std::span(result.gradient), batch.rows, batch.cols)));
    result.losses.assign(losses.losses().flat().begin(), losses.losses().flat().end());
    return result;
}

std::vector<std::int64_t> outputShapeOf(const Json& lossCase)
{
    std::vector<std::int64_t> shape = shapeOf(lossCase["y_pred"]);
    const std::size_t labelRank = shapeOf(lossCase["y_true"]).size();
    const bool hasIds = lossCase["class"] == "SparseCategoricalCrossentropy";
    if (!hasIds && shape.size() == labelRank + 1 && shape.back() == 1) {
        shape.pop_back();
    }
    return shape;
}

} // namespace

std::vector<std::string> compareLossCase(const Json& lossCase)
{
    const Result<kernels::RowLossRule> rule = heads::lossRule(lossOfKeras(lossCase));
    if (!rule) {
        return {rule.error().message()};
    }
    const auto axis = lossCase["config"].value("axis", std::int64_t{-1});
    const RowsAlong along(outputShapeOf(lossCase), axis);
    const LossGraphInputs batch = batchOf(lossCase, along, rule->labelsAreIds);
    const double noise = lossCase["noise"].is_number() ? lossCase["noise"].get<double>() : 0.0;
    const double tolerance = std::max(2e-6, 4 * noise);

    std::vector<std::string> sentences;
    const auto compare = [&](const std::string& side, const LossGraphResult& ours,
                             const char* reduction) {
        compareNumbers(side + reduction, {&ours.loss, 1}, lossCase["loss"][reduction], tolerance,
                       sentences);
        if (reduction == std::string_view("sum")) {
            std::vector<float> each = ours.losses;
            for (std::size_t row = 0; row < batch.weights.size(); ++row) {
                each[row] *= batch.weights[row];
            }
            compareNumbers(side + "none", each, lossCase["loss"]["none"], tolerance, sentences);
        } else {
            compareNumbers(side + "gradient", along.scattered(ours.gradient), lossCase["gradient"],
                           tolerance, sentences);
        }
    };
    for (const auto& [reduction, name] :
         {std::pair(losses::Reduction::SumOverBatchSize, "sum_over_batch_size"),
          {losses::Reduction::Sum, "sum"}}) {
        compare("", runLoss(*rule, reduction, batch), name);
        const Result<LossGraphResult> ofGraph = runLossGraph(*rule, reduction, batch);
        if (!ofGraph) {
            return {ofGraph.error().message()};
        }
        compare("export: ", *ofGraph, name);
    }
    return sentences;
}

} // namespace cannery::tests
