// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/disturbance.h"

#include "core/base/catalog.h"

#include <algorithm>
#include <array>

namespace cannery::exporting {

namespace {

constexpr std::array<std::string_view, 9> kDeciding{
    "Bitcast", "Bucketize", "Cast", "Ceil", "Equal", "Greater", "GreaterEqual", "Less", "NotEqual"};

} // namespace

RunValue Disturbance::of(const RunValue& value)
{
    RunValue result = value;
    for (float& number : result.tensor.values<float>()) {
        // The generator of Numerical Recipes; its highest bits are the random ones.
        m_state = m_state * 6364136223846793005U + 1442695040888963407U;
        number *= (m_state >> 63U) != 0 ? 1 + m_amount : 1 - m_amount;
    }
    return result;
}

bool rounds(std::string_view op)
{
    return !decides(op) &&
           (findRow(mathOps(), op) != nullptr || findRow(reductionOps(), op) != nullptr ||
            findRow(imageOps(), op) != nullptr);
}

bool decides(std::string_view op)
{
    return std::ranges::find(kDeciding, op) != kDeciding.end();
}

} // namespace cannery::exporting
