// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/model_assembly.h"

namespace cannery::estimators {

/// What both recurrent estimators have.
struct RnnPart
{
    std::vector<std::string> sequenceColumns; ///< handles
    std::vector<std::string> contextColumns;
    std::vector<std::int64_t> units;
    spec::RecurrentCell::Type cell = spec::RecurrentCell::simple_rnn;
    bool stackedCells = false; ///< names of a list of units, even for one layer
    spec::Optimizer optimizer;
    bool predictsEveryStep = false;
    std::string sequenceMask; ///< the key of the mask in such predictions
};

/// tf.estimator's RNNModel: sequence features, context at every step, recurrent layers, logits of
/// the output after the last step or after each. Variables `rnn_model/<cell>/<cell>_cell/…` of one
/// layer, `rnn_model/rnn/<cell>_cell/…` of one stacked layer,
/// `rnn_model/rnn/stacked_rnn_cells/<cell>_cell_<i>/…` of several, `rnn_model/logits/…`,
/// `sequence_features/<c>/embedding_weights` and `dense_features/<c>/embedding_weights`; a summary
/// of the numbers of steps. Errors: also "estimators.no_units".
Result<graph::LoweredModel> assembleRnn(const LoweringRequest& request, const RnnPart& part);

template <typename Message>
RnnPart rnnPartOf(const Message& message)
{
    return {.sequenceColumns = {message.sequence_feature_columns().begin(),
                                message.sequence_feature_columns().end()},
            .contextColumns = {message.context_feature_columns().begin(),
                               message.context_feature_columns().end()},
            .units = {message.units().begin(), message.units().end()},
            .cell = message.cell_type(),
            .stackedCells = message.stacked_cells(),
            .optimizer = message.optimizer(),
            .predictsEveryStep = message.return_sequences(),
            .sequenceMask = message.sequence_mask()};
}

} // namespace cannery::estimators
