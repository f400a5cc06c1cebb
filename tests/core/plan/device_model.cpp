// SPDX-License-Identifier: Apache-2.0
#include "tests/core/plan/device_model.h"

#include "core/base/check.h"

#include <QTest>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cannery::tests {

namespace {

constexpr float kTolerance = 1e-5F;

} // namespace

std::vector<NamedFloats> floatState(plan::Model& model)
{
    std::vector<NamedFloats> state;
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.dtype == DType::Float32) {
            const std::span<const float> values = floatsOf(tensor);
            state.push_back({tensor.name, {values.begin(), values.end()}});
        }
    }
    return state;
}

void setFloatState(plan::Model& model, const std::vector<NamedFloats>& state)
{
    std::size_t next = 0;
    for (const plan::StateTensor& tensor : model.state()) {
        if (tensor.dtype == DType::Float32) {
            CANNERY_CHECK(tensor.name == state[next].name);
            std::ranges::copy(state[next++].values, floatsOf(tensor).begin());
        }
    }
}

void copyState(plan::Model& from, plan::Model& to)
{
    const auto source = from.state();
    const auto target = to.state();
    for (std::size_t tensor = 0; tensor < source.size(); ++tensor) {
        if (target[tensor].restore) {
            CANNERY_CHECK(
                target[tensor].restore(source[tensor].shape, source[tensor].bytes).has_value());
        } else {
            std::ranges::copy(source[tensor].bytes, target[tensor].bytes.begin());
        }
    }
}

std::string stateDifference(plan::Model& one, plan::Model& other)
{
    const std::vector<NamedFloats> left = floatState(one);
    const std::vector<NamedFloats> right = floatState(other);
    for (std::size_t tensor = 0; tensor < left.size(); ++tensor) {
        float largest = 0;
        for (const float value : left[tensor].values) {
            largest = std::max(largest, std::abs(value));
        }
        for (std::size_t i = 0; i < left[tensor].values.size(); ++i) {
            const float a = left[tensor].values[i];
            const float b = right[tensor].values[i];
            if (!(std::abs(a - b) <= kTolerance * largest)) {
                return fmt::format("{}[{}]: {} and {}", left[tensor].name, i, a, b);
            }
        }
    }
    return {};
}

std::vector<double> trainSteps(plan::Model& model, int first, int end, std::int64_t rows,
                               std::int64_t labelWidth)
{
    std::vector<double> losses;
    for (int step = first; step < end; ++step) {
        losses.push_back(
            model.train(toyRows(rows, static_cast<std::uint64_t>(step), labelWidth), step));
    }
    return losses;
}

std::ptrdiff_t countOf(const EmulatedDevice& device, EmulatedCall::Kind kind)
{
    return std::ranges::count(device.calls(), kind, &EmulatedCall::kind);
}

std::string toyEstimator(const std::string& name)
{
    const auto found = std::ranges::find(toyEstimators(), name, &ToyEstimator::name);
    CANNERY_CHECK(found != toyEstimators().end());
    return found->text;
}

std::vector<std::string> toyNames()
{
    std::vector<std::string> names;
    for (const ToyEstimator& toy : toyEstimators()) {
        if (toy.isPlaced) {
            names.emplace_back(toy.name);
        }
    }
    return names;
}

void addToyRows()
{
    QTest::addColumn<QString>("name");
    for (const std::string& name : toyNames()) {
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
}

std::string tableNetwork(const std::string& optimizer)
{
    return "dnn_classifier { feature_columns: ['x', 'one_table', 'heavy_hot'] hidden_units: [8] "
           "optimizer { " +
           optimizer + " } }";
}

} // namespace cannery::tests
