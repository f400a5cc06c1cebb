// SPDX-License-Identifier: Apache-2.0
#include "core/estimators/boosted_trees_lowering.h"

#include "core/estimators/column_lowering.h"
#include "core/heads/head_catalog.h"
#include "core/spec/canned_head.h"
#include "core/spec/column_kinds.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/tree_arguments.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace cannery::estimators {

namespace {

constexpr ErrorKind kColumn{"estimators.trees_column",
                            "Boosted trees cannot read feature column '{}', a {}: give them the "
                            "column that it is made of."};

graph::LearnerInputKind learnerKind(spec::TreeReading reading)
{
    switch (reading) {
    case spec::TreeReading::Numbers:
        return graph::LearnerInputKind::Numbers;
    case spec::TreeReading::Buckets:
        return graph::LearnerInputKind::Buckets;
    case spec::TreeReading::Categories:
        return graph::LearnerInputKind::Categories;
    case spec::TreeReading::Indicator:
        return graph::LearnerInputKind::Indicator;
    }
    return graph::LearnerInputKind::Numbers;
}

class TreeInputs
{
public:
    explicit TreeInputs(const LoweringRequest& request)
        : m_request(request), m_columns(request.experiment)
    {}

    Result<graph::LearnerInput> of(const std::string& handle) const
    {
        const spec::FeatureColumn* column = m_columns.find(handle);
        if (column == nullptr) {
            return fail(ErrorCode::NotFound, spec::kDanglingColumn, handle, "");
        }
        const std::optional<spec::TreeReading> reading = spec::treeReadingOf(*column);
        if (!reading) {
            return fail(ErrorCode::InvalidArgument, kColumn, handle, spec::kindName(*column));
        }
        graph::LearnerInput input{.column = handle, .kind = learnerKind(*reading)};
        CANNERY_TRY_ASSIGN(input.name, spec::tensorflowName(m_columns, handle));
        input.credit = input.name;
        std::string slot = handle;
        if (input.kind == graph::LearnerInputKind::Indicator) {
            // An indicator has no slot of its own: trees read the ids, and importance is credited
            // to the column that it shows.
            slot = spec::sourcesOf(*column).front().name;
            CANNERY_TRY_ASSIGN(input.credit, spec::tensorflowName(m_columns, slot));
        } else if (input.kind == graph::LearnerInputKind::Buckets) {
            const auto& boundaries = column->bucketized_column().boundaries();
            input.boundaries.assign(boundaries.begin(), boundaries.end());
        }
        input.slot = m_request.layout.slotOf(slot);
        if (input.slot < 0) {
            return fail(ErrorCode::InvalidArgument, kColumn, handle, spec::kindName(*column));
        }
        const features::InputSlot& read =
            m_request.layout.slots[static_cast<std::size_t>(input.slot)];
        input.block = read.block;
        input.width = read.width;
        if (input.kind == graph::LearnerInputKind::Buckets) {
            // The slot's width counts the buckets of all dimensions.
            input.dimensions =
                read.width / (static_cast<std::int64_t>(input.boundaries.size()) + 1);
        }
        return input;
    }

private:
    const LoweringRequest& m_request;
    spec::ColumnIndex m_columns;
};

} // namespace

Result<graph::LoweredModel> lowerBoostedTrees(const LoweringRequest& request,
                                              const std::vector<std::string>& columns)
{
    auto description = std::make_shared<graph::LearnerDescription>();
    description->estimator = request.experiment.estimator();
    const TreeInputs inputs(request);
    for (const std::string& column : columns) {
        CANNERY_TRY_ASSIGN(graph::LearnerInput input, inputs.of(column));
        description->inputs.push_back(std::move(input));
    }
    // TensorFlow numbers features in the order of their columns' names.
    std::ranges::sort(description->inputs, {}, &graph::LearnerInput::name);
    graph::LoweredModel model;
    model.head = spec::headOf(request.experiment.estimator());
    // Made once to report what is wrong with it; the learner makes its own.
    CANNERY_TRY(heads::makeHead(model.head));
    model.learner = std::move(description);
    return model;
}

} // namespace cannery::estimators
