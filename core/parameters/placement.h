// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::parameters {

/// Consecutive elements of a variable, cut along its first dimension, on one parameter server.
struct Part
{
    std::size_t variable = 0;
    std::int64_t first = 0; ///< element
    std::int64_t count = 0;
    std::int64_t cols = 1; ///< elements of a row
    int server = 0;

    bool operator==(const Part&) const = default;
};

/// TensorFlow's min_max_variable_partitioner of float variables.
struct Partitioner
{
    std::int64_t maxPartitions = 1;
    std::int64_t minSliceSize = 262144; ///< bytes
};

/// Cuts every variable and gives each part to the server that has the fewest bytes so far, the
/// first among equals (TensorFlow's GreedyLoadBalancingStrategy by bytes). In the order of the
/// variables and their rows; the same in every process.
std::vector<Part> place(std::span<const Shape> variables, const Partitioner& partitioner,
                        int servers);

} // namespace cannery::parameters
