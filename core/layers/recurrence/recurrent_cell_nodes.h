// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/recurrence/recurrent_options.h"
#include "storage/tf/graphs/float_nodes.h"

#include <functional>
#include <vector>

namespace cannery::layers {

/// What a cell hands on from step to step, each [batch, units].
struct CellState
{
    storage::NodeRef output;
    storage::NodeRef state; ///< of an LSTM
};

/// The nodes of one step of a recurrent cell; see recurrent_formulas.h. Its constants are given, as
/// a loop must let them enter.
class CellNodes
{
public:
    CellNodes(storage::GraphDefBuilder& graph, const RecurrentOptions& options)
        : m_nodes(graph), m_options(options)
    {}

    /// Kernels of the recurrent products: one, or that of each gate of a GRU that resets before
    /// them.
    std::vector<storage::NodeRef> recurrentKernels(const EmitContext& context) const;
    /// The input's products with the kernel and the bias, for rows [n, channels].
    storage::NodeRef project(const EmitContext& context, const storage::NodeRef& rows) const;
    bool hasRecurrentBias() const
    {
        return m_options.isGru() && m_options.rule.resetAfter && m_options.useBias;
    }
    /// [3 units], if there is one.
    storage::NodeRef recurrentBias(const EmitContext& context) const { return bias(context, 1); }

    /// `axis` is 1, an int32; `bias` that of the recurrent products.
    void bind(std::vector<storage::NodeRef> kernels, const storage::NodeRef& bias,
              const storage::NodeRef& axis)
    {
        m_kernels = std::move(kernels);
        m_bias = bias;
        m_axis = axis;
    }
    /// For the body of a loop, where a constant has to enter, too.
    void takeConstantsFrom(std::function<storage::NodeRef(float)> constant)
    {
        m_constant = std::move(constant);
    }
    /// `sums` of the input, [batch, gates].
    CellState next(const storage::NodeRef& sums, const CellState& last) const;

private:
    storage::NodeRef bias(const EmitContext& context, int row) const;
    storage::NodeRef activated(kernels::Activation activation, const storage::NodeRef& sums) const;
    storage::NodeRef ofGate(const storage::NodeRef& sums) const
    {
        return activated(m_options.rule.recurrentActivation, sums);
    }
    storage::NodeRef ofOutput(const storage::NodeRef& sums) const
    {
        return activated(m_options.rule.activation, sums);
    }
    std::vector<storage::NodeRef> gates(const storage::NodeRef& sums) const;
    CellState nextLstm(const storage::NodeRef& sums, const CellState& last) const;
    CellState nextGru(const storage::NodeRef& sums, const CellState& last) const;
    CellState nextEarlyGru(const storage::NodeRef& sums, const CellState& last) const;
    CellState mixed(const storage::NodeRef& update, const storage::NodeRef& candidate,
                    const CellState& last) const;

    storage::FloatNodes m_nodes;
    RecurrentOptions m_options;
    std::vector<storage::NodeRef> m_kernels;
    storage::NodeRef m_bias;
    storage::NodeRef m_axis;
    std::function<storage::NodeRef(float)> m_constant; ///< empty outside of loops
};

/// A recurrent layer over rows of shape [time, channels], step after step: without a loop, so that
/// a training graph can pass gradients.
storage::NodeRef emitUnrolled(const EmitContext& context, const RecurrentOptions& options);

} // namespace cannery::layers
