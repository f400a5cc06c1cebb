// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/layer_graph.h"
#include "core/plan/gradients.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::plan {

/// A variable whose values are kept elsewhere, in one step of a model that has a copy.
struct ExchangedVariable
{
    graph::VariableId id = -1;
    kernels::MatrixView values;           ///< the copy
    VariableGradient* gradient = nullptr; ///< clipped; null if it is not trained
    std::vector<float> change;            ///< what the step adds to it if it is not trained
    bool readsRows = false;               ///< the step reads only:
    std::vector<std::int32_t> rows;       ///< each of them once
};

/// Keeps the variables of a model: their values are fetched before a step, and its gradients are
/// sent to where an optimizer applies them. One thread.
class ParameterExchange
{
public:
    virtual ~ParameterExchange() = default;

    /// Brings the values that the step reads into the copies. False: the training has ended, or was
    /// told to.
    virtual Result<bool> pull(std::span<const ExchangedVariable> variables) = 0;
    /// Sends gradients and changes, and returns when they are applied. False: they were not, for
    /// the same reasons.
    virtual Result<bool> push(std::span<const ExchangedVariable> variables) = 0;
};

} // namespace cannery::plan
