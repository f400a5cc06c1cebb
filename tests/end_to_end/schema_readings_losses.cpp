// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

#include <fmt/format.h>

namespace cannery::tests {

/// loss_head and its losses, and which layers give outputs.
std::vector<SchemaReading> readingsOfLosses()
{
    const char* const experiment = "losses.cannery";
    const std::string heads = "estimator.custom_estimator.head.multi_head.heads";
    const auto head = [&](int index) { return fmt::format("{}[{}].loss_head", heads, index); };
    // Each kind of loss in the place of another one.
    const std::string number = head(0) + ".loss";
    const std::string scores = head(11) + ".loss";
    const std::string score = head(9) + ".loss";
    std::vector<SchemaReading> all{
        {experiment, {}, "estimator.custom_estimator.graph.outputs[0]=chance"},
        {experiment, {}, head(0) + ".name=other", "spec.label_unknown_head"},
        {experiment, {}, head(0) + ".label_dimension=2", "spec.label_size"},
        {experiment, {}, head(11) + ".n_classes=4", "estimators.logits_width"},
        {experiment, {}, head(0) + ".weight_column.feature=rate"},
        {experiment, {}, head(0) + ".loss_reduction=SUM", "spec.head_reduction"},
        {experiment,
         {},
         head(11) + ".label_vocabulary=[\"a\", \"b\"]",
         "spec.label_vocabulary_size"},
    };
    for (const char* kind : {"mean_absolute_error", "mean_absolute_percentage_error",
                             "mean_squared_logarithmic_error", "huber", "log_cosh"}) {
        all.push_back({experiment, {}, fmt::format("{}.{}={{}}", number, kind)});
    }
    // Of predictions that are chances: others may be below 0, which has no logarithm.
    all.push_back(
        {experiment, {head(6) + ".loss={ mean_squared_error {} }"}, head(6) + ".loss.poisson={}"});
    for (const char* kind : {"mean_squared_error", "kl_divergence", "cosine_similarity", "hinge",
                             "squared_hinge", "categorical_crossentropy",
                             "categorical_focal_crossentropy", "sparse_categorical_crossentropy"}) {
        all.push_back({experiment, {}, fmt::format("{}.{}={{}}", scores, kind)});
    }
    for (const char* kind : {"binary_crossentropy", "binary_focal_crossentropy"}) {
        all.push_back({experiment, {}, fmt::format("{}.{}={{}}", score, kind)});
    }
    all.push_back({experiment, {}, fmt::format("{}.categorical_hinge={{}}", head(8) + ".loss")});
    // On layers without an activation, where it matters whether outputs are logits.
    for (const char* loss : {"binary_crossentropy", "binary_focal_crossentropy"}) {
        all.push_back({experiment,
                       {fmt::format("{}.{}={{}}", score, loss)},
                       fmt::format("{}.{}.from_logits=true", score, loss)});
    }
    for (const char* loss : {"categorical_crossentropy", "categorical_focal_crossentropy",
                             "sparse_categorical_crossentropy"}) {
        all.push_back({experiment,
                       {fmt::format("{}.{}={{}}", scores, loss)},
                       fmt::format("{}.{}.from_logits=true", scores, loss)});
    }
    return all;
}

} // namespace cannery::tests
