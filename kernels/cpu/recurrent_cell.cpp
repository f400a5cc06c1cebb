// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/recurrent_cell.h"

#include "kernels/device/row_blocks.h"
#include "kernels/math/recurrent_formulas.h"

namespace cannery::kernels::cpu {

namespace {

/// function(unit) for all units of a row, vectorized: gates do not overlap, but their pointers are
/// too many to compare.
template <typename Function>
void forEachUnit(std::int64_t units, Function&& function)
{
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (std::int64_t unit = 0; unit < units; ++unit) {
        function(unit);
    }
}

void simpleForward(const RecurrentStep& step, std::int64_t row)
{
    float* gate = step.gates.at(row);
    float* output = step.output.at(row);
    forEachUnit(step.output.cols, [&](std::int64_t unit) {
        gate[unit] = hyperbolicTangent(gate[unit]);
        output[unit] = gate[unit];
    });
}

void simpleBackward(const RecurrentStep& step, const RecurrentGradient& grad, std::int64_t row)
{
    float* gate = step.gates.at(row);
    const float* outputGrad = grad.output.at(row);
    forEachUnit(grad.output.cols, [&](std::int64_t unit) {
        gate[unit] = outputGrad[unit] * tangentSlope(gate[unit]);
    });
}

void lstmForward(const RecurrentStep& step, std::int64_t row)
{
    const std::int64_t units = step.output.cols;
    float* input = step.gates.at(row);
    float* forget = input + units;
    float* candidate = forget + units;
    float* outputGate = candidate + units;
    const float* previous = step.previousState.at(row);
    float* state = step.state.at(row);
    float* output = step.output.at(row);
    forEachUnit(units, [&](std::int64_t unit) {
        LstmUnit<float> gates{input[unit], forget[unit], candidate[unit], outputGate[unit]};
        gates.activate();
        input[unit] = gates.input;
        forget[unit] = gates.forget;
        candidate[unit] = gates.candidate;
        outputGate[unit] = gates.output;
        const float next = gates.state(previous[unit]);
        state[unit] = next;
        output[unit] = gates.value(next);
    });
}

void lstmBackward(const RecurrentStep& step, const RecurrentGradient& grad, std::int64_t row)
{
    const std::int64_t units = grad.output.cols;
    float* input = step.gates.at(row);
    float* forget = input + units;
    float* candidate = forget + units;
    float* outputGate = candidate + units;
    const float* previous = step.previousState.at(row);
    const float* state = step.state.at(row);
    const float* outputGrad = grad.output.at(row);
    float* stateGrad = grad.state.at(row);
    forEachUnit(units, [&](std::int64_t unit) {
        const LstmUnit<float> gates{input[unit], forget[unit], candidate[unit], outputGate[unit]};
        float carried = stateGrad[unit];
        const LstmUnit<float> sums =
            gates.gradient(previous[unit], state[unit], outputGrad[unit], carried);
        stateGrad[unit] = carried;
        input[unit] = sums.input;
        forget[unit] = sums.forget;
        candidate[unit] = sums.candidate;
        outputGate[unit] = sums.output;
    });
}

void gruForward(const RecurrentStep& step, std::int64_t row)
{
    const std::int64_t units = step.output.cols;
    float* update = step.gates.at(row);
    float* reset = update + units;
    float* candidate = reset + units;
    const float* recurrent = step.recurrent.at(row);
    const float* previous = step.previousOutput.at(row);
    float* output = step.output.at(row);
    forEachUnit(units, [&](std::int64_t unit) {
        GruUnit<float> gates{update[unit], reset[unit], candidate[unit]};
        gates.activate(recurrent[unit], recurrent[units + unit], recurrent[2 * units + unit]);
        update[unit] = gates.update;
        reset[unit] = gates.reset;
        candidate[unit] = gates.candidate;
        output[unit] = gates.value(previous[unit]);
    });
}

void gruBackward(const RecurrentStep& step, const RecurrentGradient& grad, std::int64_t row)
{
    const std::int64_t units = grad.output.cols;
    float* update = step.gates.at(row);
    float* reset = update + units;
    float* candidate = reset + units;
    float* recurrent = step.recurrent.at(row);
    const float* previous = step.previousOutput.at(row);
    float* outputGrad = grad.output.at(row);
    forEachUnit(units, [&](std::int64_t unit) {
        const GruUnit<float> gates{update[unit], reset[unit], candidate[unit]};
        const GruUnit<float> sums =
            gates.gradient(previous[unit], recurrent[2 * units + unit], outputGrad[unit]);
        outputGrad[unit] *= gates.update;
        update[unit] = sums.update;
        reset[unit] = sums.reset;
        candidate[unit] = sums.candidate;
        recurrent[unit] = sums.update;
        recurrent[units + unit] = sums.reset;
        recurrent[2 * units + unit] = sums.candidate * gates.reset;
    });
}

/// Calls function(row) for all rows of a step.
template <typename Function>
void forEachRow(ThreadPool& pool, const MatrixView& gates, Function&& function)
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
        return forEachRow(pool, step.gates, [&](auto row) { simpleForward(step, row); });
    case RecurrentCell::Lstm:
        return forEachRow(pool, step.gates, [&](auto row) { lstmForward(step, row); });
    case RecurrentCell::Gru:
        return forEachRow(pool, step.gates, [&](auto row) { gruForward(step, row); });
    }
}

void backward(ThreadPool& pool, const RecurrentRule& rule, const RecurrentStep& step,
              const RecurrentGradient& grad)
{
    switch (rule.cell) {
    case RecurrentCell::Simple:
        return forEachRow(pool, step.gates, [&](auto row) { simpleBackward(step, grad, row); });
    case RecurrentCell::Lstm:
        return forEachRow(pool, step.gates, [&](auto row) { lstmBackward(step, grad, row); });
    case RecurrentCell::Gru:
        return forEachRow(pool, step.gates, [&](auto row) { gruBackward(step, grad, row); });
    }
}

} // namespace

const RecurrentKernels kRecurrent = {forward, backward};

} // namespace cannery::kernels::cpu
