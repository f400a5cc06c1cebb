// SPDX-License-Identifier: Apache-2.0
#include "core/spec/checks/validation_context.h"

namespace cannery::spec {

void ValidationContext::report(const SpecPath& path, Error error, Severity severity)
{
    Problem problem;
    problem.severity = severity;
    problem.fieldPath = path.toString();
    problem.error = std::move(error);
    addProblem(problems, std::move(problem));
}

const FeatureColumn* ValidationContext::column(std::string_view name) const
{
    const FeatureColumn* found = columns.find(name);
    const bool usable = found != nullptr && found->kind_case() != FeatureColumn::KIND_NOT_SET;
    return usable ? found : nullptr;
}

const Feature* ValidationContext::madeFeature(std::string_view name) const
{
    for (const Feature& feature : experiment.data().feature()) {
        if (feature.name() == name) {
            return &feature;
        }
    }
    return nullptr;
}

std::optional<std::vector<std::string>> ValidationContext::features() const
{
    if (!tableColumns) {
        return std::nullopt;
    }
    std::vector<std::string> names = *tableColumns;
    for (const Feature& feature : experiment.data().feature()) {
        names.push_back(feature.name());
    }
    return names;
}

std::int64_t elementCount(const google::protobuf::RepeatedField<std::int64_t>& shape,
                          std::int64_t unset)
{
    std::int64_t count = shape.empty() ? unset : 1;
    for (const std::int64_t dim : shape) {
        // Bounded far below overflow; memory could not hold a shape beyond that.
        const bool fits = dim > 0 && count <= (std::int64_t{1} << 40) / dim;
        count = fits ? count * dim : 0;
    }
    return count;
}

std::vector<std::string> labelColumns(const Data& data)
{
    std::vector<std::string> columns;
    const auto add = [&](const auto& label) {
        if (label.has_column()) {
            columns.push_back(label.column());
        } else if (label.has_split()) {
            columns.push_back(label.split().column());
        }
        columns.insert(columns.end(), label.columns().column().begin(),
                       label.columns().column().end());
    };
    add(data.label());
    for (const HeadLabel& head : data.label().heads().head()) {
        add(head);
    }
    return columns;
}

} // namespace cannery::spec
