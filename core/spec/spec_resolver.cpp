// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_resolver.h"

#include "core/base/check.h"
#include "core/spec/checks/column_rules.h"
#include "core/spec/message_access.h"
#include "core/spec/metric_direction.h"
#include "core/spec/tensorflow_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// TensorFlow's default: ten minutes.
constexpr std::int64_t kSaveCheckpointsSecs = 600;

/// Fields of which the first one overrides the others.
struct Superseding
{
    std::string_view field;
    std::vector<std::string_view> others;
};

const std::array<Superseding, 2>& supersedingFields()
{
    static const std::array<Superseding, 2> fields = {{
        {"run_every_steps", {"run_every_secs"}},
        // Trees that grow leaf by leaf are as deep as they grow, and see the whole table.
        {"histogram",
         {"max_depth", "n_batches_per_layer", "quantile_sketch_epsilon", "train_in_memory"}},
    }};
    return fields;
}

/// A field that another one overrides, so its default must not be filled in.
bool isSuperseded(const Message& message, const FieldDescriptor& field)
{
    return std::ranges::any_of(supersedingFields(), [&](const Superseding& row) {
        const FieldDescriptor* first =
            message.GetDescriptor()->FindFieldByName(std::string(row.field));
        const bool overrides = std::ranges::find(row.others, field.name()) != row.others.end();
        return overrides && first != nullptr && message.GetReflection()->HasField(message, first);
    });
}

void setDefault(Message& message, const FieldDescriptor& field)
{
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
        return reflection.SetInt64(&message, &field, field.default_value_int64());
    case FieldDescriptor::CPPTYPE_UINT64:
        return reflection.SetUInt64(&message, &field, field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection.SetDouble(&message, &field, field.default_value_double());
    case FieldDescriptor::CPPTYPE_BOOL:
        return reflection.SetBool(&message, &field, field.default_value_bool());
    case FieldDescriptor::CPPTYPE_ENUM:
        return reflection.SetEnum(&message, &field, field.default_value_enum());
    case FieldDescriptor::CPPTYPE_STRING:
        return reflection.SetString(&message, &field, field.default_value_string());
    default:
        return;
    }
}

/// Fills in every scalar that has a default, here and below.
void writeDefaults(Message& message, bool scheduled = false)
{
    const auto& descriptor = *message.GetDescriptor();
    const Reflection& reflection = *message.GetReflection();
    // A schedule takes the place of the learning rate, so the optimizer's default is not written.
    const bool hasSchedule = descriptor.full_name() == Optimizer::descriptor()->full_name() &&
                             dynamic_cast<Optimizer&>(message).has_learning_rate_schedule();
    for (int i = 0; i < descriptor.field_count(); ++i) {
        const FieldDescriptor& field = *descriptor.field(i);
        if (isMessage(field)) {
            const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 0;
            for (int element = 0; element < count; ++element) {
                writeDefaults(*reflection.MutableRepeatedMessage(&message, &field, element));
            }
            if (!field.is_repeated() && reflection.HasField(message, &field)) {
                // A member of the oneof: the optimizer itself.
                writeDefaults(*reflection.MutableMessage(&message, &field),
                              hasSchedule && field.containing_oneof() != nullptr);
            }
            continue;
        }
        // A choice of a oneof is not made by filling in one of its scalars.
        const bool wanted = field.has_default_value() && !field.is_repeated() &&
                            field.containing_oneof() == nullptr &&
                            !reflection.HasField(message, &field);
        if (wanted && !isSuperseded(message, field) &&
            !(scheduled && field.name() == "learning_rate")) {
            setDefault(message, field);
        }
    }
}

/// How many columns TensorFlow makes from a list: shared embeddings are several.
std::size_t columnCount(const Experiment& experiment, const std::vector<std::string>& handles)
{
    const ColumnIndex index = experiment;
    std::size_t count = 0;
    for (const std::string& handle : handles) {
        const auto names = tensorflowNames(index, handle);
        // A column with an error counts as one; the error is reported elsewhere.
        count += names ? names->size() : 1;
    }
    return count;
}

/// The member that the schema names, with its learning rate unless there is a schedule, and its
/// clipping unless there is another.
void setDefaultOptimizer(Optimizer& optimizer, const DefaultOptimizer& wanted, std::size_t columns)
{
    const FieldDescriptor* kind = Optimizer::descriptor()->FindFieldByName(wanted.kind());
    CANNERY_CHECK(kind != nullptr && "the default optimizer is one of the schema");
    Message& member = *optimizer.GetReflection()->MutableMessage(&optimizer, kind);
    if (wanted.has_learning_rate() && !optimizer.has_learning_rate_schedule()) {
        // TensorFlow's rule for the linear part: min(0.005, 1 / sqrt(number of columns)).
        const double rate =
            wanted.by_number_of_columns()
                ? std::min(wanted.learning_rate(), 1.0 / std::sqrt(static_cast<double>(columns)))
                : wanted.learning_rate();
        const FieldDescriptor* field = kind->message_type()->FindFieldByName("learning_rate");
        member.GetReflection()->SetDouble(&member, field, rate);
    }
    const bool isClipped =
        optimizer.has_clipnorm() || optimizer.has_clipvalue() || optimizer.has_global_clipnorm();
    if (wanted.has_clipnorm() && !isClipped) {
        optimizer.set_clipnorm(wanted.clipnorm());
    }
}

/// The optimizer of a part, if the estimator has the part.
void resolveOptimizer(const Experiment& experiment, Message& estimator,
                      const FieldDescriptor& field)
{
    const DefaultOptimizer& wanted = field.options().GetExtension(default_optimizer);
    const std::vector<std::string> handles = textsIn(estimator, wanted.columns());
    // A part without columns has no optimizer to fill in.
    if (wanted.has_columns() && handles.empty()) {
        return;
    }
    auto& optimizer =
        dynamic_cast<Optimizer&>(*estimator.GetReflection()->MutableMessage(&estimator, &field));
    if (optimizer.kind_case() == Optimizer::KIND_NOT_SET) {
        setDefaultOptimizer(optimizer, wanted, columnCount(experiment, handles));
    }
}

void resolveHead(Head& head)
{
    if (!head.has_multi_head()) {
        return;
    }
    MultiHead& multi = *head.mutable_multi_head();
    // Every head weighs 1 unless it says otherwise.
    while (multi.head_weights_size() < multi.heads_size()) {
        multi.add_head_weights(1);
    }
}

void resolveEstimator(const Experiment& experiment, Estimator& estimator)
{
    const FieldDescriptor* kind = memberField(estimator);
    if (kind == nullptr) {
        return;
    }
    Message& member = *estimator.GetReflection()->MutableMessage(&estimator, kind);
    for (int i = 0; i < member.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *member.GetDescriptor()->field(i);
        if (field.options().HasExtension(default_optimizer)) {
            resolveOptimizer(experiment, member, field);
        } else if (isMessage(field) && field.message_type() == Head::descriptor() &&
                   member.GetReflection()->HasField(member, &field)) {
            resolveHead(
                dynamic_cast<Head&>(*member.GetReflection()->MutableMessage(&member, &field)));
        }
    }
}

void resolveData(Data& data)
{
    if (data.has_split() && data.split().kind_case() == Split::KIND_NOT_SET) {
        data.mutable_split()->mutable_fraction();
    }
    for (Feature& feature : *data.mutable_feature()) {
        if (feature.has_stack() && feature.stack().shape().empty()) {
            feature.mutable_stack()->add_shape(feature.stack().columns_size());
        }
    }
}

void resolveTraining(Experiment& experiment, const ResolveOptions& options)
{
    RunConfig& config = *experiment.mutable_run_config();
    if (!config.has_tf_random_seed() && options.seed) {
        config.set_tf_random_seed(*options.seed);
    }
    if (!config.has_save_checkpoints_steps() && !config.has_save_checkpoints_secs()) {
        config.set_save_checkpoints_secs(kSaveCheckpointsSecs);
    }
    Input& input = *experiment.mutable_train_spec()->mutable_input();
    // The input's seed follows the run's, so that a run is repeatable by one number.
    if (!input.has_shuffle_seed() && config.has_tf_random_seed()) {
        input.set_shuffle_seed(config.tf_random_seed());
    }
    const bool evaluates = experiment.data().has_eval() || experiment.data().has_split();
    if (evaluates || experiment.has_eval_spec()) {
        // An evaluation's rows are taken in their order, as in TensorFlow's input_fn for
        // evaluation.
        Input& rows = *experiment.mutable_eval_spec()->mutable_input();
        if (!rows.has_shuffle()) {
            rows.set_shuffle(false);
        }
        if (!rows.has_shuffle_seed() && rows.shuffle() && config.has_tf_random_seed()) {
            rows.set_shuffle_seed(config.tf_random_seed());
        }
    }
    if (experiment.strategy().kind_case() == Strategy::KIND_NOT_SET) {
        experiment.mutable_strategy()->mutable_one_device();
    }
    if (experiment.has_warm_start() && experiment.warm_start().vars_to_warm_start_case() ==
                                           WarmStart::VARS_TO_WARM_START_NOT_SET) {
        // TensorFlow's default pattern: all trainable variables.
        experiment.mutable_warm_start()->set_pattern(".*");
    }
}

/// As the metric is that they compare by.
/// Written out, so that a later version that rates a metric otherwise does not change a frozen
/// experiment.
void resolveDirections(Experiment& experiment)
{
    for (int i = 0; i < experiment.eval_spec().exporter_size(); ++i) {
        if (experiment.eval_spec().exporter(i).has_best_exporter()) {
            BestExporter& best =
                *experiment.mutable_eval_spec()->mutable_exporter(i)->mutable_best_exporter();
            best.set_higher_is_better(prefersMore(experiment, best));
        }
    }
    if (experiment.has_sweep()) {
        Sweep& sweep = *experiment.mutable_sweep();
        sweep.set_higher_is_better(prefersMore(experiment, sweep));
    }
}

} // namespace

Experiment resolve(const Experiment& experiment, const ResolveOptions& options)
{
    Experiment resolved = experiment;
    if (resolved.has_data()) {
        resolveData(*resolved.mutable_data());
    }
    // Columns first, whose defaults do not depend on others; then the estimator, which counts them;
    // scalars last, since a message that was added above has defaults, too.
    for (FeatureColumn& column : *resolved.mutable_feature_column()) {
        if (const ColumnRules* rules = findColumnRules(column); rules && rules->resolve) {
            rules->resolve(column, experiment, options);
        }
    }
    if (resolved.has_estimator()) {
        resolveEstimator(experiment, *resolved.mutable_estimator());
    }
    resolveTraining(resolved, options);
    resolveDirections(resolved);
    writeDefaults(resolved);
    return resolved;
}

} // namespace cannery::spec
