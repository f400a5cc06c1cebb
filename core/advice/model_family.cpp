// SPDX-License-Identifier: Apache-2.0
#include "core/advice/model_family.h"

#include "core/base/catalog.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace cannery::advice {

namespace {

constexpr ErrorKind kUnknownEstimator{"command.usage.unknown_estimator",
                                      "Unknown estimator '{}'.{}"};

struct FamilyRow
{
    std::string_view key;
    ModelFamily family;
};

constexpr FamilyRow kFamilies[] = {
    {"baseline", ModelFamily::Baseline},
    {"linear", ModelFamily::Linear},
    {"dnn", ModelFamily::Deep},
    {"dnn_linear_combined", ModelFamily::Combined},
    {"boosted_trees", ModelFamily::Trees},
    {"kmeans", ModelFamily::Clusters},
};

} // namespace

std::string familyName(ModelFamily family)
{
    const auto* row = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                   [&](const FamilyRow& each) { return each.family == family; });
    return std::string(row->key);
}

std::vector<std::string> estimatorChoices()
{
    std::vector<std::string> names{"auto"};
    for (const FamilyRow& row : kFamilies) {
        const std::string name(row.key);
        names.push_back(name);
        // Clusters are neither a classifier nor a regressor.
        if (!needsNoLabel(name)) {
            names.insert(names.end(), {name + "_classifier", name + "_regressor"});
        }
    }
    return names;
}

bool needsNoLabel(const std::string& estimator)
{
    return estimator == familyName(ModelFamily::Clusters);
}

Result<EstimatorChoice> chooseEstimator(const std::string& wanted)
{
    if (wanted.empty() || wanted == "auto") {
        return EstimatorChoice{};
    }
    for (const FamilyRow& row : kFamilies) {
        if (wanted == row.key) {
            return EstimatorChoice{.family = row.family};
        }
        if (wanted == std::string(row.key) + "_classifier") {
            return EstimatorChoice{.family = row.family, .classifier = true};
        }
        if (wanted == std::string(row.key) + "_regressor") {
            return EstimatorChoice{.family = row.family, .classifier = false};
        }
    }
    return fail(ErrorCode::InvalidArgument, kUnknownEstimator, wanted,
                suggestion(wanted, estimatorChoices()));
}

} // namespace cannery::advice
