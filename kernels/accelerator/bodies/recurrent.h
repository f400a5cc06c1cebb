// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"
#include "kernels/math/recurrent_formulas.h"

/// Recurrent cells, for one step of all rows; see RecurrentKernels. A cell computes one unit of one
/// row.
namespace cannery::kernels::bodies {

/// The sum or gate of a unit; `gate` counts as in RecurrentCell.
CANNERY_HOST_DEVICE inline float& gateOf(const MatrixView& gates, Place unit, std::int64_t gate,
                                         std::int64_t units)
{
    return element(gates, {unit.row, gate * units + unit.col});
}

struct SimpleCell
{
    static constexpr bool kHasState = false;
    static constexpr std::int64_t kGates = 1;
    static constexpr bool kSumsApart = false; ///< RecurrentStep::recurrent

    CANNERY_HOST_DEVICE static void forward(const RecurrentStep& step, Place unit)
    {
        float& gate = element(step.gates, unit);
        gate = hyperbolicTangent(gate);
        element(step.output, unit) = gate;
    }
    /// Returns the part of the gradient that is the previous output's.
    CANNERY_HOST_DEVICE static float backward(const RecurrentStep& step, const RecurrentGradient&,
                                              Place unit, float outputGrad)
    {
        float& gate = element(step.gates, unit);
        gate = outputGrad * tangentSlope(gate);
        return 0.0F;
    }
};

struct LstmCell
{
    static constexpr bool kHasState = true;
    static constexpr std::int64_t kGates = 4;
    static constexpr bool kSumsApart = false;

    CANNERY_HOST_DEVICE static LstmUnit<float> gatesOf(const RecurrentStep& step, Place unit)
    {
        const std::int64_t units = step.output.cols;
        return {gateOf(step.gates, unit, 0, units), gateOf(step.gates, unit, 1, units),
                gateOf(step.gates, unit, 2, units), gateOf(step.gates, unit, 3, units)};
    }
    CANNERY_HOST_DEVICE static void keep(const RecurrentStep& step, Place unit,
                                         const LstmUnit<float>& gates)
    {
        const std::int64_t units = step.output.cols;
        gateOf(step.gates, unit, 0, units) = gates.input;
        gateOf(step.gates, unit, 1, units) = gates.forget;
        gateOf(step.gates, unit, 2, units) = gates.candidate;
        gateOf(step.gates, unit, 3, units) = gates.output;
    }
    CANNERY_HOST_DEVICE static void forward(const RecurrentStep& step, Place unit)
    {
        LstmUnit<float> gates = gatesOf(step, unit);
        gates.activate();
        keep(step, unit, gates);
        const float state = gates.state(element(step.previousState, unit));
        element(step.state, unit) = state;
        element(step.output, unit) = gates.value(state);
    }
    CANNERY_HOST_DEVICE static float
    backward(const RecurrentStep& step, const RecurrentGradient& grad, Place unit, float outputGrad)
    {
        const LstmUnit<float> gates = gatesOf(step, unit);
        float& stateGrad = element(grad.state, unit);
        keep(step, unit,
             gates.gradient(element(step.previousState, unit), element(step.state, unit),
                            outputGrad, stateGrad));
        return 0.0F;
    }
};

struct GruCell
{
    static constexpr bool kHasState = false;
    static constexpr std::int64_t kGates = 3;
    static constexpr bool kSumsApart = true;

    CANNERY_HOST_DEVICE static GruUnit<float> unitOf(const MatrixView& gates, Place unit,
                                                     std::int64_t units)
    {
        return {gateOf(gates, unit, 0, units), gateOf(gates, unit, 1, units),
                gateOf(gates, unit, 2, units)};
    }
    CANNERY_HOST_DEVICE static void keep(const MatrixView& gates, Place unit, std::int64_t units,
                                         const GruUnit<float>& values)
    {
        gateOf(gates, unit, 0, units) = values.update;
        gateOf(gates, unit, 1, units) = values.reset;
        gateOf(gates, unit, 2, units) = values.candidate;
    }
    CANNERY_HOST_DEVICE static void forward(const RecurrentStep& step, Place unit)
    {
        const std::int64_t units = step.output.cols;
        GruUnit<float> gates = unitOf(step.gates, unit, units);
        const GruUnit<float> sums = unitOf(step.recurrent, unit, units);
        gates.activate(sums.update, sums.reset, sums.candidate);
        keep(step.gates, unit, units, gates);
        element(step.output, unit) = gates.value(element(step.previousOutput, unit));
    }
    CANNERY_HOST_DEVICE static float backward(const RecurrentStep& step, const RecurrentGradient&,
                                              Place unit, float outputGrad)
    {
        const std::int64_t units = step.output.cols;
        const GruUnit<float> gates = unitOf(step.gates, unit, units);
        GruUnit<float> sums = gates.gradient(element(step.previousOutput, unit),
                                             gateOf(step.recurrent, unit, 2, units), outputGrad);
        keep(step.gates, unit, units, sums);
        sums.candidate *= gates.reset;
        keep(step.recurrent, unit, units, sums);
        return outputGrad * gates.update;
    }
};

/// For each unit of each row.
template <typename Cell>
struct RecurrentForwardBody
{
    RecurrentForward work;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const RecurrentStep& step = work.step;
        const Place unit = placeOf(index, step.output.cols);
        if (work.time < work.steps.lengths[unit.row]) {
            return Cell::forward(step, unit);
        }
        element(step.output, unit) = element(step.previousOutput, unit);
        if constexpr (Cell::kHasState) {
            element(step.state, unit) = element(step.previousState, unit);
        }
    }
};

template <typename Cell>
struct RecurrentBackwardBody
{
    RecurrentBackward work;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const RecurrentStep& step = work.step;
        const std::int64_t units = step.output.cols;
        const Place unit = placeOf(index, units);
        float& outputGrad = element(work.grad.output, unit);
        if (work.time < work.steps.lengths[unit.row]) {
            const float added = work.stepGrad.data == nullptr ? 0.0F : element(work.stepGrad, unit);
            outputGrad = Cell::backward(step, work.grad, unit, outputGrad + added);
            return;
        }
        for (std::int64_t gate = 0; gate < Cell::kGates; ++gate) {
            gateOf(step.gates, unit, gate, units) = 0.0F;
            if constexpr (Cell::kSumsApart) {
                gateOf(step.recurrent, unit, gate, units) = 0.0F;
            }
        }
    }
};

/// function(cell) with the cell's struct.
template <typename Function>
void withCell(RecurrentCell cell, const Function& function)
{
    switch (cell) {
    case RecurrentCell::Simple:
        return function(SimpleCell());
    case RecurrentCell::Lstm:
        return function(LstmCell());
    case RecurrentCell::Gru:
        return function(GruCell());
    }
}

template <typename Launcher>
void run(Launcher& launcher, const RecurrentForward& work)
{
    withCell(work.cell, [&](auto cell) {
        launcher.forEach(work.step.output.rows * work.step.output.cols,
                         RecurrentForwardBody<decltype(cell)>{work});
    });
}

template <typename Launcher>
void run(Launcher& launcher, const RecurrentBackward& work)
{
    withCell(work.cell, [&](auto cell) {
        launcher.forEach(work.step.output.rows * work.step.output.cols,
                         RecurrentBackwardBody<decltype(cell)>{work});
    });
}

} // namespace cannery::kernels::bodies
