// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_emitter.h"

#include "core/features/feature_column.h"
#include "core/features/feature_encoder.h"
#include "core/features/feature_graph.h"
#include "core/features/raw_plan.h"
#include "core/features/receiver_emitter.h"
#include "storage/tf/graph_def_builder.h"

namespace cannery::features {

namespace {

std::vector<RawUse> usesOf(const FeatureEncoder& encoder)
{
    std::vector<RawUse> uses;
    for (const auto& column : encoder.columns()) {
        column->addUses(uses);
    }
    return uses;
}

Result<void> emitReceiver(const FeatureEncoder& encoder, const EmitOptions& options,
                          FeatureGraph& features, EmittedFeatures& out)
{
    CANNERY_TRY_ASSIGN(const auto plans,
                       planRawFeatures(encoder.experiment(), usesOf(encoder), options.dtypes));
    if (options.receiver == Receiver::Parsing) {
        return emitParsingReceiver(plans, features, out);
    }
    std::map<std::string, RawFeature> unused;
    for (const std::string& name : options.rawFeatures) {
        if (plans.count(name) == 0) {
            unused.emplace(name, rawFeature(encoder.experiment(), name, options.dtypes));
        }
    }
    return emitRawReceiver(plans, unused, options, features, out);
}

} // namespace

Result<EmittedFeatures> emitFeatures(storage::GraphDefBuilder& graph, const FeatureEncoder& encoder,
                                     const EmitOptions& options)
{
    const auto root = graph.enterExactly("");
    EmittedFeatures result;
    FeatureGraph features(graph);
    CANNERY_TRY(emitReceiver(encoder, options, features, result));
    for (const auto& column : encoder.columns()) {
        CANNERY_TRY_ASSIGN(storage::EmittedValue value, features.column(*column));
        result.slots.push_back(std::move(value));
    }
    return result;
}

} // namespace cannery::features
