// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer_catalog.h"

#include "core/base/catalog.h"
#include "core/layers/activations/activation_layer.h"
#include "core/layers/activations/elu_layer.h"
#include "core/layers/activations/leaky_relu_layer.h"
#include "core/layers/activations/prelu_layer.h"
#include "core/layers/activations/relu_layer.h"
#include "core/layers/activations/softmax_layer.h"
#include "core/layers/activations/thresholded_relu_layer.h"
#include "core/layers/attention/additive_attention_layer.h"
#include "core/layers/attention/attention_layer.h"
#include "core/layers/attention/multi_head_attention_layer.h"
#include "core/layers/dense/bias_layer.h"
#include "core/layers/dense/dense_layer.h"
#include "core/layers/inputs/embedding_layer.h"
#include "core/layers/inputs/input_layer.h"
#include "core/layers/inputs/linear_model_layer.h"
#include "core/layers/inputs/sequence_input_layer.h"
#include "core/layers/inputs/token_embedding_layer.h"
#include "core/layers/masks/masking_layer.h"
#include "core/layers/merging/add_layer.h"
#include "core/layers/merging/average_layer.h"
#include "core/layers/merging/concatenate_layer.h"
#include "core/layers/merging/dot_layer.h"
#include "core/layers/merging/maximum_layer.h"
#include "core/layers/merging/minimum_layer.h"
#include "core/layers/merging/multiply_layer.h"
#include "core/layers/merging/subtract_layer.h"
#include "core/layers/noise/alpha_dropout_layer.h"
#include "core/layers/noise/dropout_layer.h"
#include "core/layers/noise/gaussian_dropout_layer.h"
#include "core/layers/noise/gaussian_noise_layer.h"
#include "core/layers/noise/spatial_dropout_1d_layer.h"
#include "core/layers/noise/spatial_dropout_2d_layer.h"
#include "core/layers/normalization/batch_normalization_layer.h"
#include "core/layers/normalization/group_normalization_layer.h"
#include "core/layers/normalization/layer_normalization_layer.h"
#include "core/layers/normalization/normalization_layer.h"
#include "core/layers/normalization/rescaling_layer.h"
#include "core/layers/normalization/unit_normalization_layer.h"
#include "core/layers/pictures/center_crop_layer.h"
#include "core/layers/pictures/random_brightness_layer.h"
#include "core/layers/pictures/random_contrast_layer.h"
#include "core/layers/pictures/random_crop_layer.h"
#include "core/layers/pictures/random_flip_layer.h"
#include "core/layers/pictures/random_rotation_layer.h"
#include "core/layers/pictures/random_translation_layer.h"
#include "core/layers/pictures/random_zoom_layer.h"
#include "core/layers/pictures/resizing_layer.h"
#include "core/layers/recurrence/bidirectional_layer.h"
#include "core/layers/recurrence/recurrent_layer.h"
#include "core/layers/shapes/cropping_1d_layer.h"
#include "core/layers/shapes/cropping_2d_layer.h"
#include "core/layers/shapes/flatten_layer.h"
#include "core/layers/shapes/permute_layer.h"
#include "core/layers/shapes/repeat_vector_layer.h"
#include "core/layers/shapes/reshape_layer.h"
#include "core/layers/shapes/up_sampling_1d_layer.h"
#include "core/layers/shapes/up_sampling_2d_layer.h"
#include "core/layers/shapes/zero_padding_1d_layer.h"
#include "core/layers/shapes/zero_padding_2d_layer.h"
#include "core/layers/windows/average_pooling_1d_layer.h"
#include "core/layers/windows/average_pooling_2d_layer.h"
#include "core/layers/windows/conv_1d_layer.h"
#include "core/layers/windows/conv_2d_layer.h"
#include "core/layers/windows/depthwise_conv_1d_layer.h"
#include "core/layers/windows/depthwise_conv_2d_layer.h"
#include "core/layers/windows/global_average_pooling_1d_layer.h"
#include "core/layers/windows/global_average_pooling_2d_layer.h"
#include "core/layers/windows/global_max_pooling_1d_layer.h"
#include "core/layers/windows/global_max_pooling_2d_layer.h"
#include "core/layers/windows/max_pooling_1d_layer.h"
#include "core/layers/windows/max_pooling_2d_layer.h"
#include "core/layers/windows/separable_convolution_layer.h"
#include "core/layers/windows/transposed_convolution_layer.h"

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
    {spec::Layer::kTokenEmbedding, "token_embedding", makeTokenEmbeddingLayer},
    {spec::Layer::kMasking, "masking", makeMaskingLayer},
    {spec::Layer::kResizing, "resizing", makeResizingLayer},
    {spec::Layer::kCenterCrop, "center_crop", makeCenterCropLayer},
    {spec::Layer::kRandomCrop, "random_crop", makeRandomCropLayer},
    {spec::Layer::kRandomFlip, "random_flip", makeRandomFlipLayer},
    {spec::Layer::kRandomRotation, "random_rotation", makeRandomRotationLayer},
    {spec::Layer::kRandomZoom, "random_zoom", makeRandomZoomLayer},
    {spec::Layer::kRandomTranslation, "random_translation", makeRandomTranslationLayer},
    {spec::Layer::kRandomContrast, "random_contrast", makeRandomContrastLayer},
    {spec::Layer::kRandomBrightness, "random_brightness", makeRandomBrightnessLayer},
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
