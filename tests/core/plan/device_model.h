// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/model.h"
#include "tests/core/plan/toy_model.h"
#include "tests/support/emulated_device/emulated_device.h"

#include <cstddef>
#include <string>
#include <vector>

/// Models that train on an emulated GPU, beside the same ones on the CPU.
namespace cannery::tests {

/// One of the state's tensors, as numbers.
struct NamedFloats
{
    std::string name;
    std::vector<float> values;
};

/// All of the state that is floats, sorted by name.
std::vector<NamedFloats> floatState(plan::Model& model);
void setFloatState(plan::Model& model, const std::vector<NamedFloats>& state);

/// All of the state, as a checkpoint does it.
void copyState(plan::Model& from, plan::Model& to);

/// Where the two differ by more than 1e-5 of the value, or of the tensor's largest one where sums
/// cancel out; empty: nowhere.
std::string stateDifference(plan::Model& one, plan::Model& other);

/// Steps [first, end) on batches of the toy; returns the losses.
std::vector<double> trainSteps(plan::Model& model, int first, int end, std::int64_t rows = 32,
                               std::int64_t labelWidth = 1);

/// How many calls of a kind the device has seen.
std::ptrdiff_t countOf(const EmulatedDevice& device, EmulatedCall::Kind kind);

/// A network that reads numbers alone.
inline constexpr const char* kDense = "dnn_classifier { feature_columns: ['x'] hidden_units: [8] "
                                      "optimizer { adagrad { learning_rate: 0.1 } } }";
/// Text of toyEstimators() by name.
std::string toyEstimator(const std::string& name);
/// Of toyEstimators().
std::vector<std::string> toyNames();
/// A column "name", and a row for each of them.
void addToyRows();
/// A network that also reads tables, one with weights.
std::string tableNetwork(const std::string& optimizer);

} // namespace cannery::tests
