// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_catalog.h"

#include "core/base/catalog.h"
#include "core/layers/activation_layer.h"
#include "core/layers/add_layer.h"
#include "core/layers/additive_attention_layer.h"
#include "core/layers/alpha_dropout_layer.h"
#include "core/layers/attention_layer.h"
#include "core/layers/average_layer.h"
#include "core/layers/average_pooling_1d_layer.h"
#include "core/layers/average_pooling_2d_layer.h"
#include "core/layers/batch_normalization_layer.h"
#include "core/layers/bias_layer.h"
#include "core/layers/bidirectional_layer.h"
#include "core/layers/concatenate_layer.h"
#include "core/layers/conv_1d_layer.h"
#include "core/layers/conv_2d_layer.h"
#include "core/layers/cropping_1d_layer.h"
#include "core/layers/cropping_2d_layer.h"
#include "core/layers/dense_layer.h"
#include "core/layers/depthwise_conv_1d_layer.h"
#include "core/layers/depthwise_conv_2d_layer.h"
#include "core/layers/dot_layer.h"
#include "core/layers/dropout_layer.h"
#include "core/layers/elu_layer.h"
#include "core/layers/embedding_layer.h"
#include "core/layers/flatten_layer.h"
#include "core/layers/gaussian_dropout_layer.h"
#include "core/layers/gaussian_noise_layer.h"
#include "core/layers/global_average_pooling_1d_layer.h"
#include "core/layers/global_average_pooling_2d_layer.h"
#include "core/layers/global_max_pooling_1d_layer.h"
#include "core/layers/global_max_pooling_2d_layer.h"
#include "core/layers/group_normalization_layer.h"
#include "core/layers/input_layer.h"
#include "core/layers/layer_normalization_layer.h"
#include "core/layers/leaky_relu_layer.h"
#include "core/layers/linear_model_layer.h"
#include "core/layers/max_pooling_1d_layer.h"
#include "core/layers/max_pooling_2d_layer.h"
#include "core/layers/maximum_layer.h"
#include "core/layers/minimum_layer.h"
#include "core/layers/multi_head_attention_layer.h"
#include "core/layers/multiply_layer.h"
#include "core/layers/normalization_layer.h"
#include "core/layers/permute_layer.h"
#include "core/layers/prelu_layer.h"
#include "core/layers/recurrent_layer.h"
#include "core/layers/relu_layer.h"
#include "core/layers/repeat_vector_layer.h"
#include "core/layers/rescaling_layer.h"
#include "core/layers/reshape_layer.h"
#include "core/layers/separable_convolution_layer.h"
#include "core/layers/sequence_input_layer.h"
#include "core/layers/softmax_layer.h"
#include "core/layers/spatial_dropout_1d_layer.h"
#include "core/layers/spatial_dropout_2d_layer.h"
#include "core/layers/subtract_layer.h"
#include "core/layers/thresholded_relu_layer.h"
#include "core/layers/transposed_convolution_layer.h"
#include "core/layers/unit_normalization_layer.h"
#include "core/layers/up_sampling_1d_layer.h"
#include "core/layers/up_sampling_2d_layer.h"
#include "core/layers/zero_padding_1d_layer.h"
#include "core/layers/zero_padding_2d_layer.h"

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
    {spec::Layer::kActivation, "activation", makeActivationLayer},
    {spec::Layer::kFlatten, "flatten", makeFlattenLayer},
    {spec::Layer::kReshape, "reshape", makeReshapeLayer},
    {spec::Layer::kConv2D, "conv_2d", makeConv2dLayer},
    {spec::Layer::kDepthwiseConv2D, "depthwise_conv_2d", makeDepthwiseConv2dLayer},
    {spec::Layer::kMaxPooling2D, "max_pooling_2d", makeMaxPooling2dLayer},
    {spec::Layer::kAveragePooling2D, "average_pooling_2d", makeAveragePooling2dLayer},
    {spec::Layer::kGlobalMaxPooling2D, "global_max_pooling_2d", makeGlobalMaxPooling2dLayer},
    {spec::Layer::kGlobalAveragePooling2D, "global_average_pooling_2d",
     makeGlobalAveragePooling2dLayer},
    {spec::Layer::kConcatenate, "concatenate", makeConcatenateLayer},
    {spec::Layer::kMultiply, "multiply", makeMultiplyLayer},
    {spec::Layer::kSubtract, "subtract", makeSubtractLayer},
    {spec::Layer::kAverage, "average", makeAverageLayer},
    {spec::Layer::kMaximum, "maximum", makeMaximumLayer},
    {spec::Layer::kMinimum, "minimum", makeMinimumLayer},
    {spec::Layer::kDot, "dot", makeDotLayer},
    {spec::Layer::kPermute, "permute", makePermuteLayer},
    {spec::Layer::kRepeatVector, "repeat_vector", makeRepeatVectorLayer},
    {spec::Layer::kZeroPadding1D, "zero_padding_1d", makeZeroPadding1dLayer},
    {spec::Layer::kZeroPadding2D, "zero_padding_2d", makeZeroPadding2dLayer},
    {spec::Layer::kCropping1D, "cropping_1d", makeCropping1dLayer},
    {spec::Layer::kCropping2D, "cropping_2d", makeCropping2dLayer},
    {spec::Layer::kUpSampling1D, "up_sampling_1d", makeUpSampling1dLayer},
    {spec::Layer::kUpSampling2D, "up_sampling_2d", makeUpSampling2dLayer},
    {spec::Layer::kConv1D, "conv_1d", makeConv1dLayer},
    {spec::Layer::kDepthwiseConv1D, "depthwise_conv_1d", makeDepthwiseConv1dLayer},
    {spec::Layer::kSeparableConv1D, "separable_conv_1d", makeSeparableConv1dLayer},
    {spec::Layer::kSeparableConv2D, "separable_conv_2d", makeSeparableConv2dLayer},
    {spec::Layer::kConv1DTranspose, "conv_1d_transpose", makeConv1dTransposeLayer},
    {spec::Layer::kConv2DTranspose, "conv_2d_transpose", makeConv2dTransposeLayer},
    {spec::Layer::kMaxPooling1D, "max_pooling_1d", makeMaxPooling1dLayer},
    {spec::Layer::kAveragePooling1D, "average_pooling_1d", makeAveragePooling1dLayer},
    {spec::Layer::kGlobalMaxPooling1D, "global_max_pooling_1d", makeGlobalMaxPooling1dLayer},
    {spec::Layer::kGlobalAveragePooling1D, "global_average_pooling_1d",
     makeGlobalAveragePooling1dLayer},
    {spec::Layer::kLayerNormalization, "layer_normalization", makeLayerNormalizationLayer},
    {spec::Layer::kGroupNormalization, "group_normalization", makeGroupNormalizationLayer},
    {spec::Layer::kUnitNormalization, "unit_normalization", makeUnitNormalizationLayer},
    {spec::Layer::kNormalization, "normalization", makeNormalizationLayer},
    {spec::Layer::kRescaling, "rescaling", makeRescalingLayer},
    {spec::Layer::kRelu, "relu", makeReluLayer},
    {spec::Layer::kLeakyRelu, "leaky_relu", makeLeakyReluLayer},
    {spec::Layer::kPrelu, "prelu", makePreluLayer},
    {spec::Layer::kElu, "elu", makeEluLayer},
    {spec::Layer::kThresholdedRelu, "thresholded_relu", makeThresholdedReluLayer},
    {spec::Layer::kSoftmax, "softmax", makeSoftmaxLayer},
    {spec::Layer::kSpatialDropout1D, "spatial_dropout_1d", makeSpatialDropout1dLayer},
    {spec::Layer::kSpatialDropout2D, "spatial_dropout_2d", makeSpatialDropout2dLayer},
    {spec::Layer::kGaussianNoise, "gaussian_noise", makeGaussianNoiseLayer},
    {spec::Layer::kGaussianDropout, "gaussian_dropout", makeGaussianDropoutLayer},
    {spec::Layer::kAlphaDropout, "alpha_dropout", makeAlphaDropoutLayer},
    {spec::Layer::kBidirectional, "bidirectional", makeBidirectionalLayer},
    {spec::Layer::kAttention, "attention", makeAttentionLayer},
    {spec::Layer::kAdditiveAttention, "additive_attention", makeAdditiveAttentionLayer},
    {spec::Layer::kMultiHeadAttention, "multi_head_attention", makeMultiHeadAttentionLayer},
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
    std::unique_ptr<Layer> layer = row->make(message);
    if (!message.trainable()) {
        layer->freeze();
    }
    return layer;
}

Result<std::unique_ptr<Layer>> makeLayer(const graph::Node& node)
{
    if (node.makeLayer) {
        return node.makeLayer();
    }
    return makeLayer(node.layer);
}

} // namespace cannery::layers
