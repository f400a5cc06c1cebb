// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/linear_lowering.h"

namespace cannery::estimators {

namespace {

void addSummaries(LoweringContext& context, std::int64_t units)
{
    graph::Summary bias{.tag = "bias",
                        .kind =
                            units > 1 ? graph::SummaryKind::Histogram : graph::SummaryKind::Scalar};
    graph::Summary zeros{.tag = "fraction_of_zero_weights",
                         .kind = graph::SummaryKind::ZeroFraction};
    const auto& variables = context.builder.graph().variables;
    for (std::size_t index = 0; index < variables.size(); ++index) {
        const auto id = static_cast<graph::VariableId>(index);
        if (variables[index].name == "linear/linear_model/bias_weights") {
            bias.variables.push_back(id);
        } else if (variables[index].name.starts_with("linear/")) {
            zeros.variables.push_back(id);
        }
    }
    context.builder.addSummary(std::move(bias));
    context.builder.addSummary(std::move(zeros));
}

} // namespace

Result<graph::ValueId> lowerLinear(LoweringContext& context, const LinearPart& part,
                                   std::int64_t units)
{
    CANNERY_TRY_ASSIGN(
        std::vector<graph::ValueId> inputs,
        lowerColumns(
            context, part.columns,
            {.variables = "linear", .node = "linear/linear_model", .categoriesStay = true}));
    spec::Layer layer;
    layer.mutable_linear_model()->set_units(units);
    layer.mutable_linear_model()->set_sparse_combiner(part.sparseCombiner);
    CANNERY_TRY_ASSIGN(const graph::ValueId logits,
                       context.builder.addNode("linear/linear_model", layer, std::move(inputs),
                                               {.scope = "linear"}));
    addSummaries(context, units);
    return logits;
}

} // namespace cannery::estimators
