// SPDX-License-Identifier: Apache-2.0
#include "core/spec/sweep.pb.h"
#include "tests/end_to_end/schema_readings_parts.h"

#include <google/protobuf/descriptor.h>

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofEstimators()
{
    std::vector<SchemaReading> all;
    const std::string e = "estimator.";
    const std::string linear = e + "linear_classifier";
    const std::string combined = e + "dnn_linear_combined_";
    addOfRows(all, "linear.cannery", linear);
    addOfRows(all, "linear_regressor.cannery", e + "linear_regressor");
    addOfRows(all, "dnn.cannery", e + "dnn_classifier");
    addOfRows(all, "dnn_regressor.cannery", e + "dnn_regressor");
    addOfRows(all, "combined.cannery", combined + "classifier");
    addOfRows(all, "combined_regressor.cannery", combined + "regressor");
    addOfRows(all, "baseline.cannery", e + "baseline_classifier");
    addOfRows(all, "baseline_regressor.cannery", e + "baseline_regressor");
    all.push_back({"linear.cannery", {}, linear + ".weight_column.column=x"});
    addOfNamedClasses(all, "linear.cannery", linear);
    addOfNamedClasses(all, "combined.cannery", combined + "classifier");
    addOfNamedClasses(all, "baseline.cannery", e + "baseline_classifier");
    all.push_back({"dnn.cannery",
                   {kToneLabel, e + "dnn_classifier.n_classes=3",
                    e + "dnn_classifier.label_vocabulary" + kColours},
                   e + "dnn_classifier.label_vocabulary" + kOtherColours});
    const std::vector<std::vector<std::string>> columnLists{
        {"linear.cannery", linear + ".feature_columns=", "t"},
        {"linear_regressor.cannery", e + "linear_regressor.feature_columns=", "t"},
        {"linear_estimator.cannery", e + "linear_estimator.feature_columns=", "t"},
        {"combined.cannery", combined + "classifier.linear_feature_columns=", "t"},
        {"combined_regressor.cannery", combined + "regressor.linear_feature_columns=", "t"},
        {"combined_estimator.cannery", combined + "estimator.linear_feature_columns=", "t"},
        {"dnn.cannery", e + "dnn_classifier.feature_columns=", "e6"},
        {"dnn_regressor.cannery", e + "dnn_regressor.feature_columns=", "e6"},
        {"dnn_estimator.cannery", e + "dnn_estimator.feature_columns=", "e6"},
        {"combined.cannery", combined + "classifier.dnn_feature_columns=", "e6"},
        {"combined_regressor.cannery", combined + "regressor.dnn_feature_columns=", "e6"},
        {"combined_estimator.cannery", combined + "estimator.dnn_feature_columns=", "e6"}};
    for (const auto& list : columnLists) {
        const std::string& path = list[1];
        all.push_back({list[0], {}, path + "[\"" + list[2] + "\"]"});
        if (list[2] == "t") {
            const std::string at = path.substr(0, path.find("feature_columns"));
            all.push_back({list[0], {path + "[\"t\"]"}, at + "sparse_combiner=mean"});
        }
    }
    for (const char* path : {"linear_regressor", "dnn_regressor", "dnn_linear_combined_regressor",
                             "baseline_regressor"}) {
        const std::string name = path;
        const std::string file =
            name == "dnn_linear_combined_regressor" ? "combined_regressor" : name;
        all.push_back({file + ".cannery", {}, e + name + ".label_dimension=2", "spec.label_size"});
    }
    return all;
}

std::vector<SchemaReading> ofHeads()
{
    std::vector<SchemaReading> all;
    const std::string linear = "estimator.linear_estimator.head";
    const std::string dnn = "estimator.dnn_estimator.head.multi_label_head";
    const std::string baseline = "estimator.baseline_estimator.head.multi_class_head";
    const std::string both = "estimator.dnn_linear_combined_estimator.head.multi_head.heads";
    const std::string logistic = linear + "={ logistic_regression_head {} }";
    addOfRows(all, "linear_estimator.cannery", linear + ".binary_class_head");
    addOfRows(all, "dnn_estimator.cannery", dnn);
    addOfRows(all, "baseline_estimator.cannery", baseline);
    all.push_back(
        {"combined_estimator.cannery", {}, both + "[0].regression_head.weight_column.feature=id"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[1].poisson_regression_head.weight_column.feature=id"});
    addOfNamedClasses(all, "baseline_estimator.cannery", baseline);
    all.push_back({"linear_estimator.cannery",
                   {logistic},
                   linear + ".logistic_regression_head.weight_column.feature=rate"});
    all.push_back({"linear_estimator.cannery",
                   {logistic},
                   linear + ".logistic_regression_head.loss_reduction=SUM"});
    all.push_back(
        {"linear_estimator.cannery", {logistic}, linear + ".logistic_regression_head.name=sure"});
    all.push_back({"linear_estimator.cannery", {}, linear + ".binary_class_head.name=sure"});
    all.push_back({"linear_estimator.cannery",
                   {"data.label.column=word",
                    linear + ".binary_class_head.label_vocabulary=[\"no\", \"yes\"]"},
                   linear + ".binary_class_head.label_vocabulary=[\"yes\", \"no\"]"});
    for (const char* kind : {"regression_head", "poisson_regression_head"}) {
        all.push_back({"linear_estimator.cannery",
                       {kClassLabel, linear + "={ " + kind + " {} }"},
                       linear + "." + kind + ".loss_reduction=SUM"});
    }
    all.push_back({"linear_estimator.cannery",
                   {kClassLabel, linear + "={ poisson_regression_head {} }"},
                   linear + ".poisson_regression_head.compute_full_loss=false"});
    all.push_back({"dnn_estimator.cannery", {}, dnn + ".name=sure"});
    all.push_back({"dnn_estimator.cannery", {}, dnn + ".classes_for_class_based_metrics=[\"1\"]"});
    all.push_back({"dnn_estimator.cannery",
                   {"data.label.split.column=word", "data.label.split.dtype=string",
                    dnn + ".label_vocabulary=[\"no\", \"yes\", \"perhaps\"]"},
                   dnn + ".label_vocabulary=[\"yes\", \"no\", \"perhaps\"]"});
    all.push_back({"baseline_estimator.cannery", {}, baseline + ".name=sure"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[0].regression_head.name=q",
                   "spec.label_unknown_head"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[1].poisson_regression_head.name=q",
                   "spec.label_unknown_head"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[0].regression_head.label_dimension=2",
                   "spec.label_size"});
    all.push_back({"combined_estimator.cannery",
                   {},
                   both + "[1].poisson_regression_head.label_dimension=2",
                   "spec.label_size"});
    return all;
}

std::vector<SchemaReading> ofOptimizers()
{
    const std::string linear = "estimator.linear_classifier.optimizer";
    const std::string adagrad = "estimator.linear_estimator.optimizer";
    const std::string adam = "estimator.dnn_classifier.optimizer";
    const std::string rmsprop = "estimator.dnn_estimator.optimizer";
    std::vector<SchemaReading> all;
    for (const char* kind : {"adadelta", "adamax", "adamw", "proximal_adagrad"}) {
        all.push_back({std::string(kind) + ".cannery",
                       {linear + kConstantRate},
                       linear + "." + kind + ".learning_rate=0.3"});
    }
    all.push_back({"adadelta.cannery", {}, "train_spec.class_weight[0].label=2"});
    all.push_back({"sdca.cannery", {}, linear + ".linear_sdca.example_id_column=colour"});
    for (const char* kind : {"lion", "adafactor"}) {
        all.push_back(
            {std::string(kind) + ".cannery", {}, linear + "." + kind + ".learning_rate=0.3"});
    }
    all.push_back(
        {"lion.cannery", {kLonger, "train_spec.max_steps=30"}, linear + ".lion.beta_1=0"});
    all.push_back({"lion.cannery",
                   {linear + ".weight_decay=0.5"},
                   linear + ".exclude_from_weight_decay=[\"weights\"]"});
    const std::string cycle = adagrad + ".learning_rate_schedule.polynomial_decay.cycle=true";
    const std::vector<SchemaReading> others{
        {"linear_estimator.cannery",
         {adagrad + kConstantRate},
         adagrad + ".adagrad.learning_rate=0.3"},
        {"dnn.cannery", {adam + kConstantRate}, adam + ".adam.learning_rate=0.3"},
        {"dnn_estimator.cannery",
         {rmsprop + kConstantRate},
         rmsprop + ".rmsprop.learning_rate=0.3"},
        {"dnn.cannery", {kLonger, "train_spec.max_steps=30"}, adam + ".adam.amsgrad=true"},
        {"linear_estimator.cannery", {kLonger}, cycle},
        {"dnn_estimator.cannery", {}, "estimator.dnn_estimator.optimizer.clipnorm=0.001"},
        {"linear.cannery", {}, linear + ".clipvalue=0.001"},
        {"linear.cannery", {}, linear + ".global_clipnorm=0.001"},
        {"combined.cannery",
         {},
         "estimator.dnn_linear_combined_classifier.linear_optimizer.ftrl.learning_rate=0.3"},
        {"combined_regressor.cannery",
         {},
         "estimator.dnn_linear_combined_regressor.linear_optimizer.ftrl.learning_rate=0.3"},
        {"combined_estimator.cannery",
         {},
         "estimator.dnn_linear_combined_estimator.linear_optimizer.ftrl.learning_rate=0.3"},
        {"combined_estimator.cannery",
         {},
         "estimator.dnn_linear_combined_estimator.dnn_optimizer.sgd.learning_rate=0.3"},
        {"baseline_regressor.cannery",
         {},
         "estimator.baseline_regressor.optimizer.ftrl.learning_rate=0.7"},
        {"baseline_estimator.cannery",
         {},
         "estimator.baseline_estimator.optimizer.ftrl.learning_rate=0.7"},
    };
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

} // namespace

void addOfRows(std::vector<SchemaReading>& all, const std::string& experiment,
               const std::string& at)
{
    all.push_back({experiment, {}, at + ".weight_column.feature=rate"});
}

void addOfNamedClasses(std::vector<SchemaReading>& all, const std::string& experiment,
                       const std::string& at)
{
    all.push_back({experiment,
                   {kToneLabel, at + ".label_vocabulary" + kColours},
                   at + ".label_vocabulary" + kOtherColours});
}

std::vector<SchemaReading> joined(const std::vector<std::vector<SchemaReading>>& parts)
{
    std::vector<SchemaReading> all;
    for (const std::vector<SchemaReading>& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

const std::vector<SchemaReading>& schemaReadings()
{
    static const std::vector<SchemaReading> s_all = joined(
        {readingsOfData(), readingsOfColumns(), ofEstimators(), readingsOfTrees(),
         readingsOfClusters(), readingsOfNetworks(), readingsOfWindows(), readingsOfAttention(),
         readingsOfLosses(), readingsOfMerging(), readingsOfPictures(), readingsOfSequences(),
         ofHeads(), ofOptimizers(), readingsOfTraining()});
    return s_all;
}

/// A training leaves the sweep to `cannery sweep`, whose tests are in tst_sweep.cpp.
static std::vector<InertField> withSweep(std::vector<InertField> all)
{
    constexpr const char* kReason = "cannery sweep reads it";
    constexpr const char* kChange =
        "sweep={ parameter { field: \"name\" choice { value: \"a\" } } grid {} }";
    std::vector<const google::protobuf::Descriptor*> messages{spec::Sweep::descriptor()};
    all.push_back({"Experiment.sweep", kReason, kChange});
    for (std::size_t i = 0; i < messages.size(); ++i) {
        for (int field = 0; field < messages[i]->field_count(); ++field) {
            const auto& one = *messages[i]->field(field);
            all.push_back({messages[i]->name() + "." + one.name(), kReason, kChange});
            if (one.message_type() != nullptr) {
                messages.push_back(one.message_type());
            }
        }
    }
    return all;
}

const std::vector<InertField>& inertFields()
{
    constexpr const char* kAlone = "without TF_CONFIG this process trains alone";
    constexpr const char* kTimeout =
        "strategy.multi_worker_mirrored.communication_options.timeout_seconds=9";
    constexpr const char* kPacks =
        "strategy.multi_worker_mirrored.communication_options.bytes_per_pack=9";
    static const std::vector<InertField> s_all = withSweep({
        {"Experiment.name", "what people call it", "name=another"},
        {"Experiment.description", "a note", "description=another"},
        {"CommunicationOptions.timeout_seconds", kAlone, kTimeout},
        {"CommunicationOptions.bytes_per_pack", kAlone, kPacks},
        {"Strategy.parameter_server", kAlone, "strategy={ parameter_server {} }"},
        {"ParameterServerStrategy.dense", kAlone, "strategy.parameter_server.dense=sync"},
        {"ParameterServerStrategy.embedding", kAlone, "strategy.parameter_server.embedding=sync"},
        {"ParameterServerStrategy.snapshot_secs", kAlone,
         "strategy.parameter_server.snapshot_secs=9"},
        {"ParameterServerStrategy.variable_partitioner", kAlone,
         "strategy.parameter_server.variable_partitioner={}"},
        {"MinMaxVariablePartitioner.max_partitions", kAlone,
         "strategy.parameter_server.variable_partitioner.max_partitions=9"},
        {"MinMaxVariablePartitioner.min_slice_size", kAlone,
         "strategy.parameter_server.variable_partitioner.min_slice_size=9"},
        {"RunConfig.session_creation_timeout_secs", kAlone,
         "run_config.session_creation_timeout_secs=9"},
        {"AdafactorOptimizer.relative_step", "Keras takes the same minimum in any case",
         "estimator.linear_classifier.optimizer.adafactor.relative_step=false",
         "adafactor.cannery"},
        {"EvalSpec.start_delay_secs", "as in TensorFlow's local training, which its help says",
         "eval_spec.start_delay_secs=9"},
    });
    return s_all;
}

namespace {

/// The table with an empty cell of the column, in its third row.
QByteArray withoutCell(const QByteArray& table, const QByteArray& column)
{
    QByteArrayList lines = table.split('\n');
    QByteArrayList cells = lines[3].split(',');
    cells[lines[0].split(',').indexOf(column)].clear();
    lines[3] = cells.join(',');
    return lines.join('\n');
}

} // namespace

void writeSchemaTables(const ProjectFixture& project)
{
    const QByteArray numbers = project.read("numbers.csv");
    QByteArray headless = numbers;
    project.write("headless.csv", headless.remove(0, headless.indexOf('\n') + 1));
    project.write("other.csv", QByteArray(numbers).replace("\n0.", "\n3."));
    project.write("quotes.csv", QByteArray(numbers).replace("red", "\"red\""));
    project.write("umlauts.csv", QByteArray(numbers).replace("green", "gr\u00fcn"));
    project.write("odd.csv", QByteArray(numbers).replace("\n0.4375", "\n?"));
    project.write("groups.csv", QByteArray(numbers).replace("\n0.4375", "\n4 375"));
    project.write("marks.csv", QByteArray(numbers).replace("\n0.4375", "\n0.4375*"));
    project.write("brackets.csv", QByteArray(numbers).replace("\n0.4375", "\n(0.4375)"));
    project.write("magnitudes.csv", QByteArray(numbers).replace("\n0.4375", "\n0.4375K"));
    project.write("minuses.csv", QByteArray(numbers).replace("\n0.4375", "\n0.4375-"));
    project.write("escapes.csv", QByteArray(numbers).replace("red", "r\\ed"));
    project.write("blanks.csv", QByteArray(numbers).replace("red", " red"));
    project.write("formulas.csv", QByteArray(numbers).replace("red", "=\"red\""));
    project.write("gaps.csv", QByteArray(numbers).replace("\n0.4375", "\n"));
    project.write("unlabelled.csv", withoutCell(numbers, "class"));
    QByteArray semicolons = numbers;
    project.write("commas.csv", semicolons.replace(',', ';').replace('.', ','));
    QByteArray times;
    const QByteArrayList lines = numbers.trimmed().split('\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        times += lines[i] +
                 (i == 0 ? QByteArray(",year,later")
                         : "," + QByteArray::number(2000 + i % 4) + "," +
                               QByteArray::number(2000 + i * 3 % 5)) +
                 "\n";
    }
    project.write("times.csv", times);
    writeOtherSources(project);
    project.write("words2.txt", "green\nblue\n");
    project.write("ids.txt", "0\n1\n");
    project.write("letters2.txt", "b\na\nc\n");
}

} // namespace cannery::tests
