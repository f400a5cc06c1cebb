// SPDX-License-Identifier: Apache-2.0
#include "core/features/receiver_emitter.h"

#include <cmath>
#include <vector>

namespace cannery::features {

using storage::GraphDefBuilder;
using storage::HostTensor;
using storage::NodeRef;

namespace {

bool isFixedLength(const RawPlan& plan)
{
    // Categories are parsed as sparse, so that a row may have none or several.
    return !plan.feature.sparse && !plan.isSteps &&
           (plan.isNumber || plan.isWeight || plan.width() > 1);
}

/// tf.Example holds texts, int64s and float32s.
DType parsedType(const RawPlan& plan)
{
    if (plan.isCategory) {
        return plan.categoryType;
    }
    if (plan.isSteps) {
        return plan.stepType;
    }
    return plan.isNumber ? plan.numberType : plan.weightType;
}

HostTensor numbersAs(const std::vector<double>& numbers, DType dtype, const Shape& shape)
{
    if (dtype == DType::Int64) {
        std::vector<std::int64_t> integers;
        for (const double number : numbers) {
            // An int64 has no NaN: its least value stands for a missing number.
            integers.push_back(std::isnan(number) ? kNoNumber : static_cast<std::int64_t>(number));
        }
        return HostTensor::of(std::move(integers), shape);
    }
    return HostTensor::of(std::vector<float>(numbers.begin(), numbers.end()), shape);
}

/// What an absent feature means: a value per element, or none (it is required).
HostTensor defaultOf(const RawPlan& plan, DType dtype)
{
    const Shape& shape = plan.feature.shape;
    if (dtype == DType::String) {
        std::vector<std::string> texts;
        for (const auto& text : plan.feature.defaults) {
            // An empty text is what an empty cell of the table is.
            texts.push_back(text.value_or(""));
        }
        return HostTensor::ofStrings(std::move(texts), shape);
    }
    if (plan.isNumber) {
        // A default without elements means "required" to ParseExampleV2.
        return plan.numberDefaults ? numbersAs(*plan.numberDefaults, dtype, shape)
                                   : HostTensor::zeros(dtype, Shape{0});
    }
    const double missing = plan.isCategory ? -1 : 0;
    std::vector<double> numbers(static_cast<std::size_t>(plan.width()), missing);
    for (std::size_t i = 0; i < numbers.size() && i < plan.feature.defaults.size(); ++i) {
        const auto& text = plan.feature.defaults[i];
        numbers[i] = numberFromText(text.value_or("")).value_or(missing);
    }
    return numbersAs(numbers, dtype, shape);
}

struct ParsedKeys
{
    std::vector<std::string> sparse;
    std::vector<DType> sparseTypes;
    std::vector<std::string> dense;
    std::vector<DType> denseTypes;
    std::vector<Shape> denseShapes;
    std::vector<NodeRef> denseDefaults;
};

ParsedKeys keysOf(const std::map<std::string, RawPlan>& plans, GraphDefBuilder& graph)
{
    ParsedKeys keys;
    // The map sorts by key, as TensorFlow sorts the keys of a parsing spec.
    for (const auto& [name, plan] : plans) {
        const DType dtype = parsedType(plan);
        if (isFixedLength(plan)) {
            keys.dense.push_back(name);
            keys.denseTypes.push_back(dtype);
            keys.denseShapes.push_back(plan.feature.shape);
            keys.denseDefaults.push_back(graph.constant("Const", defaultOf(plan, dtype)));
        } else {
            keys.sparse.push_back(name);
            keys.sparseTypes.push_back(dtype);
        }
    }
    return keys;
}

NodeRef emitParser(const NodeRef& serialized, const ParsedKeys& keys, GraphDefBuilder& graph)
{
    const auto scope = graph.enterScope("ParseExampleV2");
    std::vector<NodeRef> inputs{serialized, graph.constant("names", std::vector<std::string>{}),
                                graph.constant("sparse_keys", keys.sparse),
                                graph.constant("dense_keys", keys.dense),
                                graph.constant("ragged_keys", std::vector<std::string>{})};
    inputs.insert(inputs.end(), keys.denseDefaults.begin(), keys.denseDefaults.end());
    return graph.add("ParseExampleV2", "ParseExampleV2", inputs,
                     {{"Tdense", keys.denseTypes},
                      {"num_sparse", static_cast<std::int64_t>(keys.sparse.size())},
                      {"sparse_types", keys.sparseTypes},
                      {"ragged_value_types", std::vector<DType>{}},
                      {"ragged_split_types", std::vector<DType>{}},
                      {"dense_shapes", keys.denseShapes}});
}

} // namespace

Result<void> emitParsingReceiver(const std::map<std::string, RawPlan>& plans,
                                 FeatureGraph& features, EmittedFeatures& out)
{
    GraphDefBuilder& graph = features.graph();
    const NodeRef serialized = graph.placeholder("input_example_tensor", DType::String, Shape{-1});
    out.receiver.push_back({"examples", serialized, DType::String, Shape{-1}});
    out.batchSize = emitBatchSize(graph, out.receiver.front());
    if (plans.empty()) {
        return {};
    }
    const auto scope = graph.enterScope("ParseExample");
    const ParsedKeys keys = keysOf(plans, graph);
    const NodeRef parsed = emitParser(serialized, keys, graph);
    const auto sparseCount = static_cast<int>(keys.sparse.size());
    for (int i = 0; i < sparseCount; ++i) {
        const auto index = static_cast<std::size_t>(i);
        RawTensor raw{plans.at(keys.sparse[index]).feature, keys.sparseTypes[index], {}, {}};
        // Outputs in groups: indices of all sparse keys, then values, then shapes, then dense
        // tensors.
        raw.cells =
            SparseNodes{parsed.at(i), parsed.at(sparseCount + i), parsed.at(2 * sparseCount + i)};
        features.addRaw(std::move(raw));
    }
    for (std::size_t i = 0; i < keys.dense.size(); ++i) {
        const RawPlan& plan = plans.at(keys.dense[i]);
        RawTensor raw{plan.feature, keys.denseTypes[i], {}, {}};
        raw.dense = parsed.at(3 * sparseCount + static_cast<int>(i));
        raw.mayLackNumbers = plan.keepsMissing();
        features.addRaw(std::move(raw));
    }
    return {};
}

} // namespace cannery::features
