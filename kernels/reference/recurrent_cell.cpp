// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/recurrent_cell.h"

namespace cannery::kernels::reference {

namespace {

/// A number of a view, row by row and column by column.
struct Cell
{
    std::int64_t row = 0;
    std::int64_t unit = 0;
    std::int64_t units = 0;

    std::int64_t column(std::int64_t gate) const { return gate * units + unit; }
    double read(const ConstMatrixView& view, std::int64_t gate = 0) const
    {
        return view.at(row)[column(gate)];
    }
    void write(const MatrixView& view, double value, std::int64_t gate = 0) const
    {
        view.at(row)[column(gate)] = static_cast<float>(value);
    }
};

double valueOf(Activation activation, double sum)
{
    return withFormula(activation, [&](auto formula) { return formula.value(sum); });
}

double slopeOf(Activation activation, double sum, double value)
{
    return withFormula(activation, [&](auto formula) {
        return formula.slope(decltype(formula)::kNeedsInput ? sum : value);
    });
}

/// The function of a gate.
Activation functionOf(const RecurrentRule& rule, std::int64_t gate)
{
    const bool isCandidate =
        rule.cell == RecurrentCell::Simple || gate == 2; // of Lstm and Gru alike
    return isCandidate ? rule.activation : rule.recurrentActivation;
}

double activate(const RecurrentRule& rule, const RecurrentStep& step, const Cell& cell,
                std::int64_t gate, double sum)
{
    if (!rule.isUsual()) {
        cell.write(step.kept, sum, gate);
    }
    const double value = valueOf(functionOf(rule, gate), sum);
    // Kept for the gradient.
    cell.write(step.gates, value, gate);
    return value;
}

double slope(const RecurrentRule& rule, const RecurrentStep& step, const Cell& cell,
             std::int64_t gate)
{
    // The functions of usual rules know their slopes from their values.
    const double sum = rule.isUsual() ? 0.0 : cell.read(step.kept, gate);
    return slopeOf(functionOf(rule, gate), sum, cell.read(step.gates, gate));
}

void forwardGru(const RecurrentRule& rule, const RecurrentStep& step, const Cell& cell)
{
    double update = cell.read(step.gates, 0);
    double candidate = cell.read(step.gates, 2);
    if (rule.resetAfter) {
        update = activate(rule, step, cell, 0, update + cell.read(step.recurrent, 0));
        const double reset =
            activate(rule, step, cell, 1, cell.read(step.gates, 1) + cell.read(step.recurrent, 1));
        candidate += reset * cell.read(step.recurrent, 2);
    }
    candidate = activate(rule, step, cell, 2, candidate);
    cell.write(step.output, update * cell.read(step.previousOutput) + (1.0 - update) * candidate);
}

void forwardUnit(const RecurrentRule& rule, const RecurrentStep& step, const Cell& cell)
{
    if (rule.cell == RecurrentCell::Gru) {
        return forwardGru(rule, step, cell);
    }
    if (rule.cell == RecurrentCell::Simple) {
        cell.write(step.output, activate(rule, step, cell, 0, cell.read(step.gates)));
        return;
    }
    double gates[4];
    for (std::int64_t gate = 0; gate < 4; ++gate) {
        gates[gate] = activate(rule, step, cell, gate, cell.read(step.gates, gate));
    }
    const double state = gates[1] * cell.read(step.previousState) + gates[0] * gates[2];
    cell.write(step.state, state);
    cell.write(step.output, gates[3] * valueOf(rule.activation, state));
}

void backwardLstm(const RecurrentRule& rule, const RecurrentStep& step,
                  const RecurrentGradient& grad, const Cell& cell)
{
    const double outputGrad = cell.read(grad.output);
    const double state = cell.read(step.state);
    const double squashed = valueOf(rule.activation, state);
    const double whole = cell.read(grad.state) + outputGrad * cell.read(step.gates, 3) *
                                                     slopeOf(rule.activation, state, squashed);
    cell.write(grad.state, whole * cell.read(step.gates, 1));
    const double sums[4] = {
        whole * cell.read(step.gates, 2) * slope(rule, step, cell, 0),
        whole * cell.read(step.previousState) * slope(rule, step, cell, 1),
        whole * cell.read(step.gates, 0) * slope(rule, step, cell, 2),
        outputGrad * squashed * slope(rule, step, cell, 3),
    };
    for (std::int64_t gate = 0; gate < 4; ++gate) {
        cell.write(step.gates, sums[gate], gate);
    }
}

void backwardGru(const RecurrentRule& rule, const RecurrentStep& step,
                 const RecurrentGradient& grad, const Cell& cell)
{
    const double outputGrad = cell.read(grad.output);
    const double update = cell.read(step.gates, 0);
    const double inner = outputGrad * (1.0 - update) * slope(rule, step, cell, 2);
    const double ofUpdate = outputGrad *
                            (cell.read(step.previousOutput) - cell.read(step.gates, 2)) *
                            slope(rule, step, cell, 0);
    cell.write(grad.output, outputGrad * update);
    cell.write(step.gates, ofUpdate, 0);
    cell.write(step.gates, inner, 2);
    if (rule.resetAfter) {
        const double reset = cell.read(step.gates, 1);
        const double ofReset = inner * cell.read(step.recurrent, 2) * slope(rule, step, cell, 1);
        cell.write(step.gates, ofReset, 1);
        cell.write(step.recurrent, ofUpdate, 0);
        cell.write(step.recurrent, ofReset, 1);
        cell.write(step.recurrent, inner * reset, 2);
    }
}

void backwardUnit(const RecurrentRule& rule, const RecurrentStep& step,
                  const RecurrentGradient& grad, const Cell& cell)
{
    if (rule.cell == RecurrentCell::Lstm) {
        backwardLstm(rule, step, grad, cell);
    } else if (rule.cell == RecurrentCell::Gru) {
        backwardGru(rule, step, grad, cell);
    } else {
        cell.write(step.gates, cell.read(grad.output) * slope(rule, step, cell, 0));
    }
}

template <typename Function>
void forEachCell(const ConstMatrixView& view, Function&& function)
{
    for (std::int64_t row = 0; row < view.rows; ++row) {
        for (std::int64_t unit = 0; unit < view.cols; ++unit) {
            function(Cell{row, unit, view.cols});
        }
    }
}

void forward(ThreadPool&, const RecurrentRule& rule, const RecurrentStep& step)
{
    forEachCell(step.output, [&](const Cell& cell) { forwardUnit(rule, step, cell); });
}

void backward(ThreadPool&, const RecurrentRule& rule, const RecurrentStep& step,
              const RecurrentGradient& grad)
{
    forEachCell(grad.output, [&](const Cell& cell) { backwardUnit(rule, step, grad, cell); });
}

void reset(ThreadPool&, const RecurrentRule& rule, const RecurrentStep& step)
{
    forEachCell(step.reset, [&](const Cell& cell) {
        activate(rule, step, cell, 0, cell.read(step.gates, 0));
        const double gate = activate(rule, step, cell, 1, cell.read(step.gates, 1));
        cell.write(step.reset, gate * cell.read(step.previousOutput));
    });
}

void resetBackward(ThreadPool&, const RecurrentRule& rule, const RecurrentStep& step,
                   const RecurrentGradient& grad)
{
    forEachCell(grad.output, [&](const Cell& cell) {
        const double resetGrad = cell.read(grad.reset);
        const double gate = cell.read(step.gates, 1);
        const double slopeOfGate = slope(rule, step, cell, 1);
        cell.write(grad.output, cell.read(grad.output) + resetGrad * gate);
        cell.write(step.gates, resetGrad * cell.read(step.previousOutput) * slopeOfGate, 1);
    });
}

} // namespace

const RecurrentKernels kRecurrent = {forward, backward, reset, resetBackward};

} // namespace cannery::kernels::reference
