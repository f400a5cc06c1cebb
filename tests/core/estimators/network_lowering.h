// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator_catalog.h"

#include <string>

/// Networks of one's own in tests: lowered, and refused.
namespace cannery::tests {

/// Layers that give rows of 8 steps of 2 numbers, and images of 4 by 2 pixels with 2 channels, of
/// the 16 numbers of the column.
extern const std::string kSteps;
extern const std::string kImage;

/// This network, with a head of three classes or another one, over a column of 16 numbers and one
/// of two numbers at each step.
Result<graph::LoweredModel>
lowerNetwork(const std::string& layers,
             const std::string& head = "multi_class_head { n_classes: 3 }");

/// Of the node with this name.
const graph::Value& outputOf(const graph::LoweredModel& model, const std::string& name);

/// "dense/kernel [3, 4]" for each variable.
std::vector<std::string> variablesOf(const graph::LoweredModel& model);

/// In a test's data: networks with what is wrong, the error's id, at the layer of this index.
void addColumnsOfBadNetworks();
void badNetwork(const char* name, const std::string& layers, const char* id, int layer);
/// The network of the row is refused so.
void refuseBadNetwork();

} // namespace cannery::tests
