// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/parameters/model_layout.h"
#include "core/plan/parameter_exchange.h"

#include "core/parameters/parameters.pb.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace cannery::parameters {

/// What a task asks one server for before a step, and where the values go.
struct PullMessage
{
    wire::Pull message;
    std::vector<std::int32_t> rows;            ///< the payload
    std::vector<std::span<std::byte>> targets; ///< of the reply's

    void make(const ModelLayout& layout, int server,
              std::span<const plan::ExchangedVariable> variables);
};

/// What a task sends one server after a step. Its payload refers to the gradients.
struct PushMessage
{
    wire::Push message; ///< its segments
    std::vector<std::span<const std::byte>> payload;

    void make(const ModelLayout& layout, int server,
              std::span<const plan::ExchangedVariable> variables);

private:
    struct Rows
    {
        std::vector<std::int32_t> numbers;
        std::vector<float> values;
    };
    void addDense(int id, const Part& part, std::int64_t first, std::span<const float> values);
    void addSparse(int id, const Part& part, const layers::GradientSegment& segment, bool isWhole);
    std::deque<Rows> m_rows; ///< those of a part
};

} // namespace cannery::parameters
