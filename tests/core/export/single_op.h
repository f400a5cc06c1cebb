// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/graph_runner/op_call.h"
#include "tests/support/result_compare.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

/// One operation of the graph runner, without a graph around it.
namespace cannery::tests {

using storage::HostTensor;
using Tensors = std::vector<HostTensor>;
using AttrsByName = std::map<std::string, storage::AttrValue>;

template <typename T>
HostTensor tensorOf(std::initializer_list<T> values, Shape shape)
{
    return HostTensor::of(std::span<const T>(values.begin(), values.size()), std::move(shape));
}
template <typename T>
HostTensor listOf(std::initializer_list<T> values)
{
    return tensorOf<T>(values, Shape{static_cast<std::int64_t>(values.size())});
}

/// One operation after another with the same variables and tables.
class OpSequence
{
public:
    exporting::RunResources resources;

    /// The outputs of an operation with these inputs, or why it refuses them.
    Result<std::vector<exporting::RunValue>> run(const std::string& op,
                                                 const std::vector<exporting::RunValue>& inputs,
                                                 const AttrsByName& attrs = {},
                                                 const std::string& name = "node")
    {
        const storage::GraphNode node{
            .name = name, .op = op, .inputs = {}, .controls = {}, .attrs = attrs};
        exporting::OpCall call{.node = node, .inputs = {}, .resources = resources, .outputs = {}};
        for (const exporting::RunValue& input : inputs) {
            call.inputs.push_back(&input);
        }
        CANNERY_TRY(exporting::findOp(op)(call));
        return std::move(call.outputs);
    }
    /// The same for an operation whose first input is a variable or table of this name.
    Result<Tensors> runOn(const std::string& resource, const std::string& op,
                          const Tensors& inputs = {}, const AttrsByName& attrs = {})
    {
        std::vector<exporting::RunValue> values{{.tensor = {}, .resource = resource}};
        for (const HostTensor& input : inputs) {
            values.push_back({.tensor = input, .resource = {}});
        }
        CANNERY_TRY_ASSIGN(const auto outputs, run(op, values, attrs));
        return tensorsOf(outputs);
    }

    static Tensors tensorsOf(const std::vector<exporting::RunValue>& values)
    {
        Tensors tensors;
        for (const exporting::RunValue& value : values) {
            tensors.push_back(value.tensor);
        }
        return tensors;
    }
};

/// The outputs of an operation with these inputs, or why it refuses them.
inline Result<Tensors> runOp(const std::string& op, const Tensors& inputs,
                             const AttrsByName& attrs = {})
{
    std::vector<exporting::RunValue> values;
    for (const HostTensor& input : inputs) {
        values.push_back({.tensor = input, .resource = {}});
    }
    CANNERY_TRY_ASSIGN(const auto outputs, OpSequence().run(op, values, attrs));
    return OpSequence::tensorsOf(outputs);
}

/// How two tensors differ; empty if they are equal, floats to the last bits of their size.
inline std::string difference(const HostTensor& actual, const HostTensor& expected)
{
    if (actual.dtype != expected.dtype || actual.shape != expected.shape) {
        return fmt::format("{} {} instead of {} {}", name(actual.dtype), actual.shape.toString(),
                           name(expected.dtype), expected.shape.toString());
    }
    if (actual.dtype != DType::Float32) {
        return actual == expected ? "" : "other elements";
    }
    const auto found = actual.values<float>();
    const auto wanted = expected.values<float>();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const bool isSame = std::isnan(wanted[i])
                                ? std::isnan(found[i])
                                : found[i] == wanted[i] ||
                                      std::abs(found[i] - wanted[i]) <= 1e-6F * std::abs(wanted[i]);
        if (!isSame) {
            return fmt::format("{} instead of {} at {}", found[i], wanted[i], i);
        }
    }
    return "";
}

} // namespace cannery::tests

/// Fails unless the operation gave this tensor as its output with this index.
#define VERIFY_GIVES(outcome, index, expected)                                                     \
    do {                                                                                           \
        const auto& givenOutcome = (outcome);                                                      \
        VERIFY_OK(givenOutcome);                                                                   \
        QVERIFY(givenOutcome->size() > (index));                                                   \
        const std::string differs =                                                                \
            cannery::tests::difference((*givenOutcome)[index], (expected));                        \
        QVERIFY2(differs.empty(), differs.c_str());                                                \
    } while (false)
#define VERIFY_REFUSES(outcome) VERIFY_ERROR(outcome, "export.graph_invalid")
