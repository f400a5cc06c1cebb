// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/graphs/graph_def_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::exporting {

/// Maximum number of iterations of all loops in one run, and of bytes that they write.
inline constexpr std::int64_t kMaxIterations = 100'000;
inline constexpr std::size_t kMaxLoopBytes = std::size_t{8} << 30U;

/// A loop of a graph, as tf.while_loop makes it: values enter a frame (Enter), are merged with
/// those of the next iteration (Merge, NextIteration), and go on or leave (Switch, Exit) by a
/// condition (LoopCond).
struct WhileLoop
{
    struct Variable
    {
        std::string initial; ///< name of its Enter
        std::string merge;
        std::string choice; ///< its Switch
        std::string next;   ///< its NextIteration
        std::string exit;   ///< empty if nobody reads its last value
    };
    std::vector<const storage::GraphNode*> enters; ///< of variables and of what never changes
    std::vector<Variable> variables;
    std::string condition; ///< a LoopCond

    /// Tensors that must be there before the loop begins.
    std::vector<std::string> inputs() const;
};

using NodesByName = std::map<std::string, const storage::GraphNode*>;

bool isExit(const storage::GraphNode& node);

/// "node" of "node:1".
std::string nodeOf(std::string_view tensor);

/// The loop that this Exit leaves; "export.graph_loop" if its parts are not there.
Result<WhileLoop> loopOf(const NodesByName& nodes, const storage::GraphNode& exit);

} // namespace cannery::exporting
