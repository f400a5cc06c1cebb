// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/export/graph_runner/op_call.h"

#include <cstdint>
#include <string_view>

namespace cannery::exporting {

/// Moves numbers up or down by a small part of their size, at random. A run whose arithmetic is
/// disturbed shows how much of an answer is rounding: terms that cancel leave what was done to
/// each of them.
class Disturbance
{
public:
    Disturbance(float amount, std::uint64_t seed) : m_amount(amount), m_state(seed) {}

    /// A copy of a tensor of float32, each number times 1 + amount or 1 - amount.
    RunValue of(const RunValue& value);

private:
    float m_amount;
    std::uint64_t m_state;
};

/// Whether an operation rounds the numbers that it gives.
bool rounds(std::string_view op);
/// Whether it decides by numbers what is true, which bucket or which whole number. Of undisturbed
/// numbers: a disturbed one may lie on the other side of a boundary.
bool decides(std::string_view op);

} // namespace cannery::exporting
