// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/layering_table.h"

namespace cannery::tests {

namespace {

const std::vector<std::string> kFamilies{
    "core/base",  "core/spec",    "core/graph",      "core/layers",    "core/losses",
    "core/heads", "core/metrics", "core/optimizers", "core/schedules", "kernels"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

const std::vector<std::string> kUpper =
    kFamilies + std::vector<std::string>{"core/data",       "core/features",   "storage",
                                         "core/plan",       "core/estimators", "core/export",
                                         "core/strategies", "core/train",      "core/trees"};

const std::vector<LayeringRow> kLayers{
    {"core/base", {}},
    {"kernels", {"core/base"}},
    {"storage", {"core/base"}},
    {"core/spec", {"core/base"}},
    {"core/data", {"core/base", "core/spec", "storage"}},
    {"core/features", {"core/base", "core/spec", "storage", "core/data"}},
    {"core/graph", {"core/base", "core/spec"}},
    {"core/losses", kFamilies},
    {"core/metrics", kFamilies},
    {"core/optimizers", kFamilies + std::vector<std::string>{"storage/tf"}},
    {"core/schedules", kFamilies + std::vector<std::string>{"storage/tf"}},
    {"core/layers", kFamilies + std::vector<std::string>{"storage/tf"}},
    {"core/trees", kFamilies},
    {"core/heads", kFamilies + std::vector<std::string>{"storage/tf"}},
    {"core/plan", kUpper},
    {"core/estimators", kUpper},
    {"core/export", kUpper},
    {"core/parameters",
     {"core/base", "core/spec", "core/graph", "core/optimizers", "core/plan", "kernels",
      "core/cluster", "core/coordinator", "core/control", "storage/io"}},
    {"core/train", kUpper + std::vector<std::string>{"core/parameters"}},
    {"core/cluster", {"core/base"}},
    {"core/collectives", {"core/base"}},
    {"core/strategies",
     {"core/base", "core/spec", "core/plan", "kernels", "core/cluster", "core/collectives",
      "core/coordinator"}},
    {"core/sweep", {"core/base", "core/spec", "kernels"}},
    {"core/control", {"core/base", "core/spec", "storage/io"}},
    {"core/coordinator", {"core/base", "core/cluster", "core/collectives", "core/control"}},
    {"ui/models", {"core/base", "storage/runs", "storage/tf"}},
    {"ui/document", {"core/base", "core/spec", "storage/io", "ui/models"}},
    {"ui/services",
     {"core/base", "core/control", "storage/runs", "storage/tf", "storage/io", "ui/models",
      "ui/document"}},
    {"ui/actions", {"core/base", "ui/models", "ui/services"}},
    {"ui/widgets", {"core/base", "ui/models"}},
    {"ui/charts", {"core/base", "ui/models", "ui/widgets"}},
    {"ui/editors", {"core/base", "ui/models", "ui/document", "ui/widgets", "ui/charts"}},
    {"ui/pages",
     {"core/base", "ui/models", "ui/document", "ui/services", "ui/actions", "ui/widgets",
      "ui/charts", "ui/editors"}},
    {"ui/frame",
     {"core/base", "ui/models", "ui/document", "ui/services", "ui/actions", "ui/widgets",
      "ui/charts", "ui/editors", "ui/pages"}},
    {"app/cannery", {"app/version.h", "core", "kernels", "storage"}},
    {"app/predict_library", {"core/base", "core/data", "core/heads", "core/train"}},
    {"app/workbench",
     {"app/version.h", "core/base", "core/spec", "core/control", "storage/runs", "ui"}},
};

} // namespace

const std::vector<LayeringRow>& layeringTable()
{
    return kLayers;
}

} // namespace cannery::tests
