// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"

#include <string>
#include <string_view>
#include <vector>

namespace cannery::storage {

/// The objects of an object-based checkpoint (tf.train.Checkpoint, Keras): a graph whose edges are
/// named after Python attributes. Node 0 is the root.
struct ObjectGraph
{
    struct Child
    {
        std::string name;
        int node = 0;
    };
    /// A value of an object; a variable has one, called VARIABLE_VALUE.
    struct Attribute
    {
        std::string name;
        std::string fullName;      ///< the variable's name in a graph; may be empty
        std::string checkpointKey; ///< argument of CheckpointReader::read()
    };
    struct Slot
    {
        std::string name;
        int original = 0; ///< node of the variable
        int slot = 0;     ///< node of the slot variable
    };
    struct Node
    {
        std::vector<Child> children;
        std::vector<Attribute> attributes;
        std::vector<Slot> slots; ///< of an optimizer
    };
    std::vector<Node> nodes;
};

/// A variable of an object-based checkpoint.
struct ObjectVariable
{
    std::string path; ///< from the root: "model/layer_with_weights-0/kernel"; escaped as in keys
    std::string fullName;
    std::string checkpointKey;
};

/// Key of the tensor that holds the object graph.
inline constexpr std::string_view kObjectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

bool isObjectBased(const CheckpointReader& reader);

/// Reads and checks the object graph: every node number exists, every key is in the checkpoint.
Result<ObjectGraph> readObjectGraph(const CheckpointReader& reader);

/// Every variable with its first path found breadth-first from the root, in that order; optimizer
/// slots at the end, with "<variable>/.OPTIMIZER_SLOT/<optimizer>/<slot>" as path.
std::vector<ObjectVariable> objectVariables(const ObjectGraph& graph);

/// The node at a path of attribute names ("model/layer-0", not escaped in "names"), or -1.
int findObject(const ObjectGraph& graph, const std::vector<std::string>& names);

} // namespace cannery::storage
