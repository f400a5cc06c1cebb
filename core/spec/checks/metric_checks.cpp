// SPDX-License-Identifier: Apache-2.0
// Rules of the metrics and slices of an eval_spec.

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/metric_direction.h"
#include "core/spec/metric_kinds.h"

#include <set>

namespace cannery::spec {

namespace {

constexpr ErrorKind kReservedName{
    "spec.metric_name_reserved",
    "A metric cannot be called '{}': every evaluation has a number of that name. Rename it."};
constexpr ErrorKind kDuplicateMetric{"spec.duplicate_metric",
                                     "Two metrics are called '{}': give one of them another name."};
constexpr ErrorKind kNothingToMeasure{
    "spec.metric_without_label",
    "The estimator learns without a label, so there is nothing to measure: remove the metric."};
constexpr ErrorKind kDirection{
    "spec.metric_direction",
    "Of '{0}', {1} is better: leave higher_is_better out, or the worst is taken for the best."};
constexpr ErrorKind kSameColumnTwice{"spec.slice_column_twice",
                                     "The slice names the column '{}' twice: remove one."};

void checkMetric(ValidationContext& context, const Metric& metric, const SpecPath& path)
{
    const Estimator& estimator = context.experiment.estimator();
    const Head head = headOf(estimator);
    if (!readsLabels(estimator)) {
        context.report(path, error(ErrorCode::InvalidArgument, kNothingToMeasure));
        return;
    }
    if (head.kind_case() == Head::KIND_NOT_SET) {
        return;
    }
    Result<Head> measured = measuredHead(metric, head);
    if (!measured) {
        context.report(metric.has_head() ? path.child("head") : path, std::move(measured).error());
        return;
    }
    const HeadKind* kind = findHeadKind(*measured);
    if (std::optional<Error> misfit =
            kind == nullptr ? std::nullopt
                            : metricMisfit(metric, kind->labels, classCount(*measured))) {
        context.report(path, *std::move(misfit));
    }
}

void checkMetrics(ValidationContext& context)
{
    const EvalSpec& spec = context.experiment.eval_spec();
    std::set<std::string> names;
    for (int i = 0; i < spec.metric_size(); ++i) {
        const Metric& metric = spec.metric(i);
        // Reported by its oneof.
        if (metric.kind_case() == Metric::KIND_NOT_SET) {
            continue;
        }
        const SpecPath path = SpecPath{}.child("eval_spec").child("metric").element(i);
        // The place where the name can be changed: a metric without one is called by its kind.
        const SpecPath namePath = metric.has_name() ? path.child("name") : path;
        const std::string name = metricName(metric);
        // As in TensorFlow, where both raise a ValueError.
        if (name == "loss" || name == "global_step") {
            context.report(namePath, error(ErrorCode::InvalidArgument, kReservedName, name));
        } else if (!names.insert(name).second) {
            context.report(namePath, error(ErrorCode::AlreadyExists, kDuplicateMetric, name));
        }
        checkMetric(context, metric, path);
    }
}

void checkSlices(ValidationContext& context)
{
    const EvalSpec& spec = context.experiment.eval_spec();
    for (int i = 0; i < spec.slice_size(); ++i) {
        std::set<std::string> columns;
        for (int c = 0; c < spec.slice(i).columns_size(); ++c) {
            const std::string& column = spec.slice(i).columns(c);
            if (!columns.insert(column).second) {
                context.report(SpecPath{}
                                   .child("eval_spec")
                                   .child("slice")
                                   .element(i)
                                   .child("columns")
                                   .element(c),
                               error(ErrorCode::AlreadyExists, kSameColumnTwice, column));
            }
        }
    }
}

/// An exporter may take any direction, as TensorFlow's compare_fn may.
void checkSweepDirection(ValidationContext& context)
{
    const Sweep& sweep = context.experiment.sweep();
    // Only where the metric is known to be better in one direction.
    const std::optional<bool> isMore = isMoreBetter(context.experiment, sweep.metric());
    if (sweep.has_higher_is_better() && isMore && *isMore != sweep.higher_is_better()) {
        context.report(SpecPath{}.child("sweep").child("higher_is_better"),
                       error(ErrorCode::InvalidArgument, kDirection, sweep.metric(),
                             *isMore ? "more" : "less"));
    }
}

} // namespace

void checkEvaluation(ValidationContext& context)
{
    checkMetrics(context);
    checkSweepDirection(context);
    checkSlices(context);
}

} // namespace cannery::spec
