// SPDX-License-Identifier: Apache-2.0
// Rules of boosted trees that grow leaf by leaf.

#include "core/spec/checks/validation_context.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/histogram_growth.h"
#include "core/spec/message_access.h"

#include <array>
#include <set>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kLayersOnly{
    "spec.histogram_layers",
    "{0} has no effect with histogram, which grows each tree from the whole table: remove one of "
    "the two."};
constexpr ErrorKind kPostPruning{
    "spec.histogram_pruning",
    "With histogram, a split without gain is never made: set pruning_mode: pre, or leave it out."};
constexpr ErrorKind kMonotoneUnused{"spec.monotone_unused",
                                    "'{0}' is not among the feature_columns of this estimator: add "
                                    "it there, or remove this entry."};
constexpr ErrorKind kMonotoneKind{"spec.monotone_kind",
                                  "'{0}' is a {1}: only a numeric_column can be monotone."};
constexpr ErrorKind kMonotoneTwice{"spec.monotone_twice",
                                   "'{0}' is monotone twice: remove one of the two entries."};

constexpr ErrorKind kNoEvaluations{
    "spec.early_stopping_rows",
    "early_stopping_evals counts evaluations, and there are no rows to evaluate on: set data.split "
    "or data.eval, or leave it out."};

constexpr std::array<const char*, 3> kLayerFields = {"n_batches_per_layer",
                                                     "quantile_sketch_epsilon", "train_in_memory"};

void checkMonotone(ValidationContext& context, const HistogramGrowth& growth,
                   const std::set<std::string>& used, const SpecPath& path)
{
    std::set<std::string> seen;
    for (int i = 0; i < growth.monotone_size(); ++i) {
        const std::string& name = growth.monotone(i).column();
        const SpecPath here = path.child("monotone").element(i).child("column");
        const FeatureColumn* column = context.column(name);
        if (column == nullptr) {
            continue; // dangling: reported with the names
        }
        if (!gives(*column, ColumnKind::NUMBERS)) {
            context.report(
                here, error(ErrorCode::InvalidArgument, kMonotoneKind, name, kindName(*column)));
        } else if (!used.contains(name)) {
            context.report(here, error(ErrorCode::InvalidArgument, kMonotoneUnused, name));
        } else if (!seen.insert(name).second) {
            context.report(here, error(ErrorCode::AlreadyExists, kMonotoneTwice, name));
        }
    }
}

} // namespace

void checkHistogramGrowth(ValidationContext& context)
{
    const Estimator& estimator = context.experiment.estimator();
    const HistogramGrowth* growth = histogramGrowthOf(estimator);
    if (growth == nullptr) {
        return;
    }
    const FieldDescriptor* kind = memberField(estimator);
    const Message& trees = estimator.GetReflection()->GetMessage(estimator, kind);
    const SpecPath path = SpecPath{}.child("estimator").child(kind->name());
    for (const char* name : kLayerFields) {
        const FieldDescriptor* field = trees.GetDescriptor()->FindFieldByName(name);
        // Only if it is set: their defaults are TensorFlow's for growing by layers.
        if (field != nullptr && trees.GetReflection()->HasField(trees, field)) {
            context.report(path.child(name),
                           error(ErrorCode::InvalidArgument, kLayersOnly, std::string(name)));
        }
    }
    // Each estimator of trees has the field.
    const FieldDescriptor* pruning = trees.GetDescriptor()->FindFieldByName("pruning_mode");
    if (trees.GetReflection()->GetEnumValue(trees, pruning) == TreePruning::post) {
        context.report(path.child("pruning_mode"), error(ErrorCode::InvalidArgument, kPostPruning));
    }
    std::set<std::string> used;
    for (const PartColumns& list : partColumnsOf(estimator)) {
        used.insert(list.handles.begin(), list.handles.end());
    }
    checkMonotone(context, *growth, used, path.child("histogram"));
    // Early stopping without evaluations never stops anything.
    if (growth->early_stopping_evals() > 0 && context.experiment.data().has_train() &&
        !hasRowsToEvaluate(context.experiment)) {
        context.report(path.child("histogram").child("early_stopping_evals"),
                       error(ErrorCode::InvalidArgument, kNoEvaluations), Severity::Warning);
    }
}

} // namespace cannery::spec
