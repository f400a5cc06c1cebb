// SPDX-License-Identifier: Apache-2.0
// Rules of boosted trees (estimator-canon §5): what TensorFlow refuses, and what they cannot read.

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"
#include "core/spec/tree_arguments.h"

namespace cannery::spec {

namespace {

constexpr ErrorKind kPruningNeedsComplexity{
    "spec.pruning_needs_complexity",
    "pruning_mode removes splits that gain less than tree_complexity, which is 0: set it above 0, "
    "or pruning_mode: none."};
constexpr ErrorKind kComplexityNeedsPruning{
    "spec.complexity_needs_pruning",
    "tree_complexity has no effect without pruning: set pruning_mode to pre or post, or leave it "
    "out."};
constexpr ErrorKind kOneOutput{
    "spec.trees_one_output",
    "{0} needs a model of one number per row, and this one has {1}: leave it out."};
constexpr ErrorKind kInMemory{
    "spec.trees_in_memory",
    "With train_in_memory every batch is the whole table, so a layer is grown from one: leave "
    "n_batches_per_layer at 1."};
constexpr ErrorKind kTreeColumn{
    "spec.trees_column",
    "Trees cannot split '{0}' (kind: {1}): name the column that it is made of, or wrap that in an "
    "indicator_column."};
constexpr ErrorKind kTreeShape{
    "spec.trees_column_shape",
    "'{0}' has rows of {1} dimensions, and trees read numbers or lists of numbers: give it a shape "
    "of one dimension."};

/// Logits per row; 0 if the head does not determine them.
std::int64_t outputsOf(const Estimator& estimator)
{
    const Head head = headOf(estimator);
    const HeadKind* kind = findHeadKind(head);
    if (kind == nullptr) {
        // A multi_head has more than one logit in any case.
        return head.has_multi_head() ? 2 : 0;
    }
    return kind->labels == LabelKind::ClassId ? classCount(head) : labelWidth(head);
}

class TreeChecker
{
public:
    TreeChecker(ValidationContext& context, SpecPath path)
        : m_context(context), m_path(std::move(path))
    {}

    void arguments(const TreeArguments& given)
    {
        const bool prunes = given.pruning != TreePruning::none;
        // Pruning compares a gain, less the complexity, with 0: without one, every split stays.
        if (prunes && given.complexity == 0) {
            report("pruning_mode", error(ErrorCode::InvalidArgument, kPruningNeedsComplexity));
        } else if (!prunes && given.complexity > 0) {
            report("tree_complexity", error(ErrorCode::InvalidArgument, kComplexityNeedsPruning));
        }
        const std::int64_t outputs = outputsOf(m_context.experiment.estimator());
        if (given.centerBias && outputs > 1) {
            report("center_bias",
                   error(ErrorCode::InvalidArgument, kOneOutput, "center_bias", outputs));
        }
        if (given.l1 > 0 && outputs > 1) {
            report("l1_regularization",
                   error(ErrorCode::InvalidArgument, kOneOutput, "l1_regularization", outputs));
        }
        if (given.inMemory && given.batchesPerLayer > 1) {
            report("n_batches_per_layer", error(ErrorCode::InvalidArgument, kInMemory));
        }
    }

    void columns(const PartColumns& list)
    {
        for (std::size_t i = 0; i < list.handles.size(); ++i) {
            column(list.handles[i], m_path.child(list.field).element(static_cast<int>(i)));
        }
    }

private:
    void report(const char* field, Error error)
    {
        m_context.report(m_path.child(field), std::move(error));
    }

    void column(const std::string& name, const SpecPath& path)
    {
        const FeatureColumn* column = m_context.column(name);
        if (column == nullptr) {
            return; // reported with the names
        }
        if (!treeReadingOf(*column)) {
            m_context.report(
                path, error(ErrorCode::InvalidArgument, kTreeColumn, name, kindName(*column)));
        } else if (column->numeric_column().shape_size() > 1) {
            m_context.report(path, error(ErrorCode::InvalidArgument, kTreeShape, name,
                                         column->numeric_column().shape_size()));
        }
    }

    ValidationContext& m_context;
    SpecPath m_path;
};

} // namespace

void checkTrees(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const std::optional<TreeArguments> given = treeArgumentsOf(estimator);
    if (!given) {
        return;
    }
    TreeChecker checker(context,
                        SpecPath{}.child("estimator").child(memberField(estimator)->name()));
    checker.arguments(*given);
    for (const PartColumns& list : partColumnsOf(estimator)) {
        checker.columns(list);
    }
}

} // namespace cannery::spec
