// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/recurrent_cell.h"

#include "kernels/math/recurrent_formulas.h"

namespace cannery::kernels::reference {

namespace {

double read(const ConstMatrixView& view, std::int64_t row, std::int64_t col)
{
    return view.at(row)[col];
}

void write(const MatrixView& view, std::int64_t row, std::int64_t col, double value)
{
    view.at(row)[col] = static_cast<float>(value);
}

LstmUnit<double> lstmOf(const RecurrentStep& step, std::int64_t row, std::int64_t unit)
{
    const std::int64_t units = step.gates.cols / 4;
    return {.input = read(step.gates, row, unit),
            .forget = read(step.gates, row, units + unit),
            .candidate = read(step.gates, row, 2 * units + unit),
            .output = read(step.gates, row, 3 * units + unit)};
}

void keep(const RecurrentStep& step, std::int64_t row, std::int64_t unit,
          const LstmUnit<double>& gates)
{
    const std::int64_t units = step.gates.cols / 4;
    write(step.gates, row, unit, gates.input);
    write(step.gates, row, units + unit, gates.forget);
    write(step.gates, row, 2 * units + unit, gates.candidate);
    write(step.gates, row, 3 * units + unit, gates.output);
}

GruUnit<double> gruOf(const RecurrentStep& step, std::int64_t row, std::int64_t unit)
{
    const std::int64_t units = step.gates.cols / 3;
    return {.update = read(step.gates, row, unit),
            .reset = read(step.gates, row, units + unit),
            .candidate = read(step.gates, row, 2 * units + unit)};
}

void keep(const RecurrentStep& step, std::int64_t row, std::int64_t unit,
          const GruUnit<double>& gates)
{
    const std::int64_t units = step.gates.cols / 3;
    write(step.gates, row, unit, gates.update);
    write(step.gates, row, units + unit, gates.reset);
    write(step.gates, row, 2 * units + unit, gates.candidate);
}

void forwardUnit(RecurrentCell cell, const RecurrentStep& step, std::int64_t row, std::int64_t unit)
{
    if (cell == RecurrentCell::Simple) {
        const double value = hyperbolicTangent(read(step.gates, row, unit));
        write(step.gates, row, unit, value);
        write(step.output, row, unit, value);
    } else if (cell == RecurrentCell::Lstm) {
        LstmUnit<double> gates = lstmOf(step, row, unit);
        gates.activate();
        // Kept for the gradient.
        keep(step, row, unit, gates);
        const double state = gates.state(read(step.previousState, row, unit));
        write(step.state, row, unit, state);
        write(step.output, row, unit, gates.value(state));
    } else {
        const std::int64_t units = step.gates.cols / 3;
        GruUnit<double> gates = gruOf(step, row, unit);
        gates.activate(read(step.recurrent, row, unit), read(step.recurrent, row, units + unit),
                       read(step.recurrent, row, 2 * units + unit));
        keep(step, row, unit, gates);
        write(step.output, row, unit, gates.value(read(step.previousOutput, row, unit)));
    }
}

void backwardUnit(RecurrentCell cell, const RecurrentStep& step, const RecurrentGradient& grad,
                  std::int64_t row, std::int64_t unit)
{
    const double outputGrad = read(grad.output, row, unit);
    if (cell == RecurrentCell::Simple) {
        const double value = read(step.gates, row, unit);
        write(step.gates, row, unit, outputGrad * tangentSlope(value));
    } else if (cell == RecurrentCell::Lstm) {
        double stateGrad = read(grad.state, row, unit);
        const LstmUnit<double> sums =
            lstmOf(step, row, unit)
                .gradient(read(step.previousState, row, unit), read(step.state, row, unit),
                          outputGrad, stateGrad);
        write(grad.state, row, unit, stateGrad);
        keep(step, row, unit, sums);
    } else {
        const std::int64_t units = step.gates.cols / 3;
        const GruUnit<double> gates = gruOf(step, row, unit);
        const GruUnit<double> sums =
            gates.gradient(read(step.previousOutput, row, unit),
                           read(step.recurrent, row, 2 * units + unit), outputGrad);
        write(grad.output, row, unit, outputGrad * gates.update);
        keep(step, row, unit, sums);
        write(step.recurrent, row, unit, sums.update);
        write(step.recurrent, row, units + unit, sums.reset);
        write(step.recurrent, row, 2 * units + unit, sums.candidate * gates.reset);
    }
}

void forward(ThreadPool&, RecurrentCell cell, const RecurrentStep& step)
{
    for (std::int64_t row = 0; row < step.output.rows; ++row) {
        for (std::int64_t unit = 0; unit < step.output.cols; ++unit) {
            forwardUnit(cell, step, row, unit);
        }
    }
}

void backward(ThreadPool&, RecurrentCell cell, const RecurrentStep& step,
              const RecurrentGradient& grad)
{
    for (std::int64_t row = 0; row < grad.output.rows; ++row) {
        for (std::int64_t unit = 0; unit < grad.output.cols; ++unit) {
            backwardUnit(cell, step, grad, row, unit);
        }
    }
}

} // namespace

const RecurrentKernels kRecurrent = {forward, backward};

} // namespace cannery::kernels::reference
