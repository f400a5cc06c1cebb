// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/row_blocks.h"
#include "kernels/ops/recurrent_cell.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

/// One row of a matrix with gates side by side.
struct GateRow
{
    float* first = nullptr;
    std::int64_t units = 0;

    float* operator[](std::int64_t gate) const { return first + gate * units; }
};

GateRow gateRow(const MatrixView& gates, std::int64_t row, std::int64_t units)
{
    return {gates.at(row), units};
}

/// The functions of `count` gates from `gate` on; their sums are kept for the slopes. A function at
/// a time, as a choice for each number would keep the loop from using vectors.
void activateGates(Activation activation, const GateRow& gates, const GateRow& kept,
                   std::int64_t gate, std::int64_t count)
{
    float* values = gates[gate];
    float* sums = kept[gate];
    const std::int64_t size = count * gates.units;
    std::copy(values, values + size, sums);
    withFormula(activation, [&](auto formula) {
        for (std::int64_t i = 0; i < size; ++i) {
            values[i] = formula.value(sums[i]);
        }
    });
}

/// The kept sums become the slopes.
void takeSlopes(Activation activation, const GateRow& gates, const GateRow& kept, std::int64_t gate,
                std::int64_t count)
{
    const float* values = gates[gate];
    float* sums = kept[gate];
    const std::int64_t size = count * gates.units;
    withFormula(activation, [&](auto formula) {
        for (std::int64_t i = 0; i < size; ++i) {
            sums[i] = formula.slope(decltype(formula)::kNeedsInput ? sums[i] : values[i]);
        }
    });
}

void simpleForward(const RecurrentRule& rule, const RecurrentStep& step, std::int64_t row)
{
    const std::int64_t units = step.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    activateGates(rule.activation, gates, gateRow(step.kept, row, units), 0, 1);
    std::copy(gates[0], gates[0] + units, step.output.at(row));
}

void simpleBackward(const RecurrentRule& rule, const RecurrentStep& step,
                    const RecurrentGradient& grad, std::int64_t row)
{
    const std::int64_t units = grad.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    const GateRow slopes = gateRow(step.kept, row, units);
    takeSlopes(rule.activation, gates, slopes, 0, 1);
    const float* outputGrad = grad.output.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        gates[0][unit] = outputGrad[unit] * slopes[0][unit];
    }
}

void lstmForward(const RecurrentRule& rule, const RecurrentStep& step, std::int64_t row)
{
    const std::int64_t units = step.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    const GateRow kept = gateRow(step.kept, row, units);
    // Input and forget gate, candidate, output gate.
    activateGates(rule.recurrentActivation, gates, kept, 0, 2);
    activateGates(rule.activation, gates, kept, 2, 1);
    activateGates(rule.recurrentActivation, gates, kept, 3, 1);
    const float* previous = step.previousState.at(row);
    float* state = step.state.at(row);
    float* output = step.output.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        state[unit] = gates[1][unit] * previous[unit] + gates[0][unit] * gates[2][unit];
    }
    withFormula(rule.activation, [&](auto formula) {
        for (std::int64_t unit = 0; unit < units; ++unit) {
            output[unit] = gates[3][unit] * formula.value(state[unit]);
        }
    });
}

void lstmBackward(const RecurrentRule& rule, const RecurrentStep& step,
                  const RecurrentGradient& grad, std::int64_t row)
{
    const std::int64_t units = grad.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    const GateRow slopes = gateRow(step.kept, row, units);
    takeSlopes(rule.recurrentActivation, gates, slopes, 0, 2);
    takeSlopes(rule.activation, gates, slopes, 2, 1);
    takeSlopes(rule.recurrentActivation, gates, slopes, 3, 1);
    const float* previous = step.previousState.at(row);
    const float* state = step.state.at(row);
    const float* outputGrad = grad.output.at(row);
    float* stateGrad = grad.state.at(row);
    withFormula(rule.activation, [&](auto formula) {
        for (std::int64_t unit = 0; unit < units; ++unit) {
            const float squashed = formula.value(state[unit]);
            const float slope =
                formula.slope(decltype(formula)::kNeedsInput ? state[unit] : squashed);
            const float whole = stateGrad[unit] + outputGrad[unit] * gates[3][unit] * slope;
            stateGrad[unit] = whole * gates[1][unit];
            const float input = gates[0][unit];
            gates[0][unit] = whole * gates[2][unit] * slopes[0][unit];
            gates[1][unit] = whole * previous[unit] * slopes[1][unit];
            gates[2][unit] = whole * input * slopes[2][unit];
            gates[3][unit] = outputGrad[unit] * squashed * slopes[3][unit];
        }
    });
}

void gruReset(const RecurrentRule& rule, const RecurrentStep& step, std::int64_t row)
{
    const std::int64_t units = step.reset.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    activateGates(rule.recurrentActivation, gates, gateRow(step.kept, row, units), 0, 2);
    const float* previous = step.previousOutput.at(row);
    float* reset = step.reset.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        reset[unit] = gates[1][unit] * previous[unit];
    }
}

void gruForward(const RecurrentRule& rule, const RecurrentStep& step, std::int64_t row)
{
    const std::int64_t units = step.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    const GateRow kept = gateRow(step.kept, row, units);
    if (rule.resetAfter) {
        const float* recurrent = step.recurrent.at(row);
        for (std::int64_t unit = 0; unit < 2 * units; ++unit) {
            gates.first[unit] += recurrent[unit];
        }
        activateGates(rule.recurrentActivation, gates, kept, 0, 2);
        for (std::int64_t unit = 0; unit < units; ++unit) {
            gates[2][unit] += gates[1][unit] * recurrent[2 * units + unit];
        }
    }
    activateGates(rule.activation, gates, kept, 2, 1);
    const float* previous = step.previousOutput.at(row);
    float* output = step.output.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        const float update = gates[0][unit];
        output[unit] = update * previous[unit] + (1.0F - update) * gates[2][unit];
    }
}

void gruBackward(const RecurrentRule& rule, const RecurrentStep& step,
                 const RecurrentGradient& grad, std::int64_t row)
{
    const std::int64_t units = grad.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    const GateRow slopes = gateRow(step.kept, row, units);
    takeSlopes(rule.recurrentActivation, gates, slopes, 0, 2);
    takeSlopes(rule.activation, gates, slopes, 2, 1);
    const float* previous = step.previousOutput.at(row);
    float* outputGrad = grad.output.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        const float update = gates[0][unit];
        const float candidate = gates[2][unit];
        gates[2][unit] = outputGrad[unit] * (1.0F - update) * slopes[2][unit];
        gates[0][unit] = outputGrad[unit] * (previous[unit] - candidate) * slopes[0][unit];
        outputGrad[unit] *= update;
    }
    // Of a reset before the product, the rest waits for the product's gradient.
    if (!rule.resetAfter) {
        return;
    }
    float* recurrent = step.recurrent.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        const float reset = gates[1][unit];
        gates[1][unit] = gates[2][unit] * recurrent[2 * units + unit] * slopes[1][unit];
        recurrent[2 * units + unit] = gates[2][unit] * reset;
    }
    std::copy(gates[0], gates[2], recurrent);
}

void gruResetBackward(const RecurrentStep& step, const RecurrentGradient& grad, std::int64_t row)
{
    const std::int64_t units = grad.output.cols;
    const GateRow gates = gateRow(step.gates, row, units);
    const GateRow slopes = gateRow(step.kept, row, units);
    const float* resetGrad = grad.reset.at(row);
    const float* previous = step.previousOutput.at(row);
    float* outputGrad = grad.output.at(row);
    for (std::int64_t unit = 0; unit < units; ++unit) {
        outputGrad[unit] += resetGrad[unit] * gates[1][unit];
        gates[1][unit] = resetGrad[unit] * previous[unit] * slopes[1][unit];
    }
}

/// Calls function(row) for all rows of a step.
template <typename Function>
void forEachRowOf(ThreadPool& pool, const MatrixView& gates, Function&& function)
{
    forEachRowBlock(pool, gates.rows, gates.cols, [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            function(row);
        }
    });
}

void forward(ThreadPool& pool, const RecurrentRule& rule, const RecurrentStep& step)
{
    switch (rule.cell) {
    case RecurrentCell::Simple:
        return forEachRowOf(pool, step.gates, [&](auto row) { simpleForward(rule, step, row); });
    case RecurrentCell::Lstm:
        return forEachRowOf(pool, step.gates, [&](auto row) { lstmForward(rule, step, row); });
    case RecurrentCell::Gru:
        return forEachRowOf(pool, step.gates, [&](auto row) { gruForward(rule, step, row); });
    }
}

void backward(ThreadPool& pool, const RecurrentRule& rule, const RecurrentStep& step,
              const RecurrentGradient& grad)
{
    switch (rule.cell) {
    case RecurrentCell::Simple:
        return forEachRowOf(pool, step.gates,
                            [&](auto row) { simpleBackward(rule, step, grad, row); });
    case RecurrentCell::Lstm:
        return forEachRowOf(pool, step.gates,
                            [&](auto row) { lstmBackward(rule, step, grad, row); });
    case RecurrentCell::Gru:
        return forEachRowOf(pool, step.gates,
                            [&](auto row) { gruBackward(rule, step, grad, row); });
    }
}

void reset(ThreadPool& pool, const RecurrentRule& rule, const RecurrentStep& step)
{
    forEachRowOf(pool, step.gates, [&](auto row) { gruReset(rule, step, row); });
}

void resetBackward(ThreadPool& pool, const RecurrentRule&, const RecurrentStep& step,
                   const RecurrentGradient& grad)
{
    forEachRowOf(pool, step.gates, [&](auto row) { gruResetBackward(step, grad, row); });
}

} // namespace

const RecurrentKernels kAnyRecurrent = {forward, backward, reset, resetBackward};

} // namespace cannery::kernels::cpu
