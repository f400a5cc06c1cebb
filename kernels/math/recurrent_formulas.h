// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/elementary.h"

/// One unit of one row in one step of Keras 2.15's recurrent cells, with their default activations,
/// and the gradient of that. Each formula is a template: float in the fast kernels, double in the
/// reference.
namespace cannery::kernels {

/// The slopes of the logistic function and of tanh, from their values.
template <typename T>
CANNERY_HOST_DEVICE T logisticSlope(T value)
{
    return value * (T(1) - value);
}

template <typename T>
CANNERY_HOST_DEVICE T tangentSlope(T value)
{
    return T(1) - value * value;
}

/// Hochreiter and Schmidhuber 1997 with the forget gate of Gers et al. 2000, as keras.layers.LSTM:
///   c' = f c + i g,  h' = o tanh c'
template <typename T>
struct LstmUnit
{
    T input; ///< sums before the activation; after activate(), gates
    T forget;
    T candidate;
    T output;

    CANNERY_HOST_DEVICE void activate()
    {
        input = logistic(input);
        forget = logistic(forget);
        candidate = hyperbolicTangent(candidate);
        output = logistic(output);
    }
    CANNERY_HOST_DEVICE T state(T previous) const { return forget * previous + input * candidate; }
    CANNERY_HOST_DEVICE T value(T state) const { return output * hyperbolicTangent(state); }

    /// Of activated gates: from the gradients of value and state to those of the sums; `stateGrad`
    /// becomes that of the previous state.
    CANNERY_HOST_DEVICE LstmUnit gradient(T previousState, T state, T valueGrad, T& stateGrad) const
    {
        const T squashed = hyperbolicTangent(state);
        const T whole = stateGrad + valueGrad * output * tangentSlope(squashed);
        stateGrad = whole * forget;
        return {.input = whole * candidate * logisticSlope(input),
                .forget = whole * previousState * logisticSlope(forget),
                .candidate = whole * input * tangentSlope(candidate),
                .output = valueGrad * squashed * logisticSlope(output)};
    }
};

/// Cho et al. 2014 in the variant that resets after the product (reset_after), as keras.layers.GRU:
///   h' = z h + (1 - z) tanh(a + r b)  with  a of the input, b of h
template <typename T>
struct GruUnit
{
    T update; ///< sums before the activation; after activate(), gates
    T reset;
    T candidate; ///< before activate(), of the input alone

    CANNERY_HOST_DEVICE void activate(T recurrentUpdate, T recurrentReset, T recurrentCandidate)
    {
        update = logistic(update + recurrentUpdate);
        reset = logistic(reset + recurrentReset);
        candidate = hyperbolicTangent(candidate + reset * recurrentCandidate);
    }
    CANNERY_HOST_DEVICE T value(T previous) const
    {
        return update * previous + (T(1) - update) * candidate;
    }

    /// Of activated gates: the gradients of the sums of the input; those of the recurrent sums are
    /// the same, but the candidate's times `reset`.
    CANNERY_HOST_DEVICE GruUnit gradient(T previous, T recurrentCandidate, T valueGrad) const
    {
        const T inner = valueGrad * (T(1) - update) * tangentSlope(candidate);
        return {.update = valueGrad * (previous - candidate) * logisticSlope(update),
                .reset = inner * recurrentCandidate * logisticSlope(reset),
                .candidate = inner};
    }
};

} // namespace cannery::kernels
