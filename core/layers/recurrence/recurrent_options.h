// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/recurrent_cell.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::layers {

/// What keras.layers.SimpleRNN, LSTM and GRU are told, with their defaults.
struct RecurrentOptions
{
    kernels::RecurrentRule rule;
    std::int64_t units = 0;
    bool useBias = true;
    bool unitForgetBias = true; ///< Lstm
    bool returnSequences = false;
    bool goBackwards = false;
    /// Of a direction of a Bidirectional: outputs stand where their inputs do, not in the order in
    /// which they are computed, and are zeros where steps are masked.
    bool isDirection = false;

    bool isGru() const { return rule.cell == kernels::RecurrentCell::Gru; }
    bool isLstm() const { return rule.cell == kernels::RecurrentCell::Lstm; }
    std::int64_t gateWidth() const { return kernels::gateCount(rule.cell) * units; }
    /// Output, and state of an LSTM.
    std::size_t stateCount() const { return isLstm() ? 2 : 1; }
    /// Whether only the last step, all steps and the units may differ from the defaults.
    bool isPlain() const { return rule.isUsual() && useBias && !goBackwards; }
};

RecurrentOptions recurrentOptionsOf(const spec::SimpleRnnLayer& message);
RecurrentOptions recurrentOptionsOf(const spec::LstmLayer& message);
RecurrentOptions recurrentOptionsOf(const spec::GruLayer& message);

/// "simple_rnn", "lstm", "gru".
std::string_view nameOf(kernels::RecurrentCell cell);

/// Steps; a mask or none; `states` vectors of `units` numbers or none. Errors:
/// "layers.input_count", "layers.input_kind", "layers.recurrent_units", "layers.recurrent_rows",
/// "layers.recurrent_width", "layers.recurrent_mask", "layers.masked_sequence",
/// "layers.initial_states", "layers.initial_state".
Result<void> expectRecurrentInputs(std::string_view layer,
                                   std::span<const graph::Value* const> inputs, std::int64_t units,
                                   std::size_t states);
/// Steps of `width` numbers like those of the input, or a vector of them.
graph::Value recurrentOutput(const graph::Value& input, std::int64_t width, bool returnSequences);
/// Kernel, recurrent kernel and bias.
std::vector<LayerVariable> recurrentVariables(const RecurrentOptions& options,
                                              const graph::Value& input);

} // namespace cannery::layers
