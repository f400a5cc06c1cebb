// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_catalog.h"

#include "core/base/catalog.h"
#include "core/layers/add_layer.h"
#include "core/layers/batch_normalization_layer.h"
#include "core/layers/bias_layer.h"
#include "core/layers/dense_layer.h"
#include "core/layers/dropout_layer.h"
#include "core/layers/embedding_layer.h"
#include "core/layers/input_layer.h"
#include "core/layers/linear_model_layer.h"
#include "core/layers/recurrent_layer.h"
#include "core/layers/sequence_input_layer.h"

#include <array>

namespace cannery::layers {

namespace {

constexpr ErrorKind kEmptyLayer{"layers.empty", "A layer is empty; name its kind."};

constexpr auto kCatalog = std::to_array<LayerRow>({
    {spec::Layer::kInputLayer, "input_layer", makeInputLayer},
    {spec::Layer::kEmbedding, "embedding", makeEmbeddingLayer},
    {spec::Layer::kLinearModel, "linear_model", makeLinearModelLayer},
    {spec::Layer::kDense, "dense", makeDenseLayer},
    {spec::Layer::kDropout, "dropout", makeDropoutLayer},
    {spec::Layer::kBatchNormalization, "batch_normalization", makeBatchNormalizationLayer},
    {spec::Layer::kAdd, "add", makeAddLayer},
    {spec::Layer::kBias, "bias", makeBiasLayer},
    {spec::Layer::kSequenceInput, "sequence_input", makeSequenceInputLayer},
    {spec::Layer::kSimpleRnn, "simple_rnn", makeSimpleRnnLayer},
    {spec::Layer::kLstm, "lstm", makeLstmLayer},
    {spec::Layer::kGru, "gru", makeGruLayer},
});

} // namespace

std::span<const LayerRow> layerCatalog()
{
    return kCatalog;
}

Result<std::unique_ptr<Layer>> makeLayer(const spec::Layer& message)
{
    const LayerRow* row = findRow(kCatalog, message.kind_case());
    if (row == nullptr) {
        return fail(ErrorCode::InvalidArgument, kEmptyLayer);
    }
    return row->make(message);
}

Result<std::unique_ptr<Layer>> makeLayer(const graph::Node& node)
{
    if (node.makeLayer) {
        return node.makeLayer();
    }
    return makeLayer(node.layer);
}

} // namespace cannery::layers
