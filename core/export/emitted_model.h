// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/feature_emitter.h"
#include "core/features/feature_encoder.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/heads/signature.h"
#include "core/layers/graph_emitter.h"
#include "storage/tf/graphs/graph_def_builder.h"
#include "storage/tf/graphs/saved_model.h"
#include "storage/tf/tensor.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cannery::exporting {

inline constexpr std::string_view kGlobalStep = "global_step";

/// What there is to emit.
struct ModelToEmit
{
    const features::FeatureEncoder& encoder;
    const graph::LoweredModel& lowered;
    features::EmitOptions receiver;
    /// Of a learner: its whole state; otherwise unused.
    std::span<const storage::NamedTensor> tensors;
    layers::EmitMode mode = layers::EmitMode::Inference;
};

/// A model from its receiver to its predictions, as nodes of a graph.
struct EmittedModel
{
    features::EmittedFeatures features;
    layers::EmittedLayers layers; ///< of a learner: the logits alone
    std::vector<heads::Signature> signatures;
    std::unique_ptr<heads::Head> head;
};

/// Errors: those of features::emitFeatures() and of heads and layers.
Result<EmittedModel> emitModel(storage::GraphDefBuilder& graph, const ModelToEmit& model);

/// An input of a signature.
storage::TensorInfo infoOf(const features::ReceiverTensor& tensor);
storage::TensorInfo infoOf(const heads::SignatureOutput& output);

} // namespace cannery::exporting
