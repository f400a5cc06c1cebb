// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/spec/parsed_experiment.h"
#include "core/spec/spec_validator.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QMap>
#include <QSet>
#include <QTest>

using namespace cannery;
using namespace cannery::spec;

namespace {

/// Lines 1 to 5 of most cases, so that what is under test begins in line 6.
const std::string kBase =
    R"(data { train { csv { files: "a.csv" } } label { column: "y" } }
train_spec { max_steps: 5 }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "sex" categorical_column_with_vocabulary_list { key: "sex" vocabulary_list: ["m", "f"] } }
feature_column { name: "job" categorical_column_with_hash_bucket { key: "job" hash_bucket_size: 9 } }
)";

const std::string kLinear = "estimator { linear_classifier { feature_columns: \"age\" } }\n";

/// "6:3 id [path]" for every problem, warnings with a '~'.
std::string summary(const std::vector<Problem>& problems)
{
    std::string text;
    for (const Problem& problem : problems) {
        text += fmt::format("{}{}:{} {} [{}]\n", problem.severity == Severity::Warning ? "~" : "",
                            problem.line, problem.column, problem.error.id, problem.fieldPath);
    }
    return text;
}

/// experiment_errors.txt: what every case is told, whole, below "# " and its name.
const QMap<QString, QStringList>& sentences()
{
    static const QMap<QString, QStringList> kSentences = [] {
        QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/tests/core/spec/experiment_errors.txt"));
        CANNERY_CHECK(file.open(QIODevice::ReadOnly));
        QMap<QString, QStringList> read;
        QString section;
        for (const QString& line :
             QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)) {
            if (line.startsWith("# ")) {
                section = line.mid(2);
                CANNERY_CHECK(!read.contains(section));
                read[section] = {};
            } else {
                read[section] += line;
            }
        }
        return read;
    }();
    return kSentences;
}

/// None for a case that is told nothing.
QStringList sentencesOf(const QString& name)
{
    return sentences().value(name);
}

/// The names of all cases, as they are added.
QSet<QString>& caseNames()
{
    static QSet<QString> names;
    return names;
}

void addCase(const char* name, const std::string& text, const std::string& expected)
{
    caseNames() += name;
    QTest::newRow(name) << QString::fromStdString(text) << QString::fromStdString(expected);
}

/// A feature column in line 6, then a good estimator.
void addColumn(const char* name, const std::string& line, const std::string& expected)
{
    addCase(name, kBase + line + "\n" + kLinear, expected);
}

/// An estimator in line 6.
void addEstimator(const char* name, const std::string& line, const std::string& expected)
{
    addCase(name, kBase + line + "\n", expected);
}

/// Anything from line 7 on.
void addRest(const char* name, const std::string& lines, const std::string& expected)
{
    addCase(name, kBase + kLinear + lines + "\n", expected);
}

} // namespace

class TstExperimentErrors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void acceptsGoodExperiments_data();
    void acceptsGoodExperiments();
    void tellsEveryProblemWholeAndAtItsPlace_data();
    void tellsEveryProblemWholeAndAtItsPlace();
    void checksNamesAgainstKnownColumns();
    void saysTheCure_data();
    void saysTheCure();
    void rendersFileLineAndColumn();

private:
    void addSyntaxCases();
    void addTypeCases();
    void addDataCases();
    void addColumnCases();
    void addEstimatorCases();
    void addHeadCases();
    void addTrainingCases();
};

void TstExperimentErrors::addSyntaxCases()
{
    addRest("text never closed", "name: \"Titanic", "7:7 spec.text_not_closed []\n");
    addRest("bad escape", "name: \"a\\q\"", "7:9 spec.bad_escape []\n");
    addRest("bad number", "run_config { tf_random_seed: 12abc }", "7:30 spec.bad_number []\n");
    addRest("bad character", "name: \"a\" $", "7:11 spec.bad_character []\n");
    addRest("missing value", "name:\nstrategy { }", "7:1 spec.missing_value []\n");
    addRest("missing colon", "name \"a\"", "7:6 spec.missing_colon []\n");
    addRest("missing comma",
            "warm_start { ckpt_to_initialize_from: \"c\" variables { pattern: [\"a\" \"b\"] } }",
            "");
    addColumn("missing comma of numbers",
              "feature_column { name: \"b\" bucketized_column { source_column: \"age\" boundaries: "
              "[1 2] } }",
              "6:84 spec.missing_comma []\n");
    addColumn("trailing comma",
              "feature_column { name: \"b\" bucketized_column { source_column: \"age\" boundaries: "
              "[1, 2,] } }",
              "6:87 spec.empty_element []\n");
    addColumn("list never closed",
              "feature_column { name: \"b\" bucketized_column { source_column: \"age\" boundaries: "
              "[1, 2 } }",
              "6:81 spec.unclosed_list []\n");
    addRest("brace closes nothing", "}\nname: \"a\"", "7:1 spec.unopened_brace []\n");
    addRest("text never closed swallows braces",
            "run_config { threads: 2 }\nwarm_start { ckpt_to_initialize_from: \"c }\nname: \"a\"",
            "8:39 spec.text_not_closed []\n");
    addRest("misplaced field does not warn", "eval_spec { batch_size: 3 }",
            "7:1 spec.nothing_to_evaluate [eval_spec]\n"
            "7:13 spec.unknown_field [eval_spec.batch_size]\n");
    addRest("wrong brace", "strategy < }", "7:12 spec.wrong_brace []\n");
    addCase("brace never closed",
            "data {\n  train { csv { files: \"a.csv\" }\n  label { column: \"y\" }\n}\n"
            "train_spec { max_steps: 5 }\nestimator { baseline_classifier {} }\n",
            "2:9 spec.unclosed_brace []\n");
    addRest("expected a field", "17 name: \"a\"", "7:1 spec.expected_field []\n");
    addRest("problems after problems", "name: \"a\nrun_config { tf_random_seed: x }\nstrateg {}",
            "7:7 spec.text_not_closed []\n8:30 spec.wrong_type [run_config.tf_random_seed]\n"
            "9:1 spec.unknown_field [strateg]\n");
    addRest("columns count characters", "name: \"Zürich\" $", "7:16 spec.bad_character []\n");
}

void TstExperimentErrors::addTypeCases()
{
    addRest("unknown field", "run_config { tf_random_sed: 3 }",
            "7:14 spec.unknown_field [run_config.tf_random_sed]\n");
    addRest("unknown extension", "[a.b.c]: 3", "7:1 spec.unknown_field [[a.b.c]]\n");
    addRest("text for a number", "run_config { tf_random_seed: \"3\" }",
            "7:30 spec.wrong_type [run_config.tf_random_seed]\n");
    addRest("fraction for a whole number", "run_config { tf_random_seed: 3.5 }",
            "7:30 spec.wrong_type [run_config.tf_random_seed]\n");
    addRest("word for a text", "name: titanic", "7:7 spec.wrong_type [name]\n");
    addRest("number for a truth", "train_spec { input { shuffle: 2 } }",
            "7:1 spec.duplicate_field [train_spec]\n"
            "7:31 spec.wrong_type [train_spec.input.shuffle]\n");
    addRest("integer beyond 64 bits", "run_config { tf_random_seed: 9223372036854775808 }",
            "7:30 spec.integer_range [run_config.tf_random_seed]\n");
    addColumn("negative unsigned",
              "feature_column { name: \"x\" crossed_column { key { feature: \"a\" } key { feature: "
              "\"b\" } hash_bucket_size: 5 hash_key: -1 } }",
              "6:117 spec.integer_range [feature_column[x].crossed_column.hash_key]\n");
    addEstimator(
        "unknown enum value",
        "estimator { linear_classifier { feature_columns: \"age\" sparse_combiner: maen } }",
        "6:73 spec.unknown_enum [estimator.linear_classifier.sparse_combiner]\n");
    addRest("given twice", "name: \"a\"\nname: \"b\"", "8:1 spec.duplicate_field [name]\n");
    addCase("message given twice",
            kBase + kLinear + "run_config { tf_random_seed: 1 }\nrun_config { threads: x }\n",
            "8:1 spec.duplicate_field [run_config]\n8:23 spec.wrong_type [run_config.threads]\n");
    addEstimator(
        "two members of one oneof",
        "estimator { baseline_classifier {} linear_classifier { feature_columns: \"age\" } }",
        "6:36 spec.other_member [estimator.linear_classifier]\n");
    addRest("list for a single value", "name: [\"a\"]", "7:7 spec.not_a_list [name]\n");
    addRest("message for a value", "name { }", "7:6 spec.not_a_message [name]\n");
    addRest("value for a message", "strategy: 3", "7:11 spec.needs_message [strategy]\n");
    addEstimator(
        "element of a list",
        "estimator { dnn_classifier { hidden_units: [64, \"x\", 32] feature_columns: \"age\" } }",
        "6:49 spec.wrong_type [estimator.dnn_classifier.hidden_units[1]]\n");
    addColumn(
        "misspelt kind does not cascade",
        "feature_column { name: \"b\" bucketised_column { source_column: \"age\" boundaries: 1 } }",
        "6:28 spec.unknown_field [feature_column[b].bucketised_column]\n");
    addColumn(
        "misspelt required field does not cascade",
        "feature_column { name: \"b\" bucketized_column { source_colum: \"age\" boundaries: 1 } }",
        "6:48 spec.unknown_field [feature_column[b].bucketized_column.source_colum]\n");
}

void TstExperimentErrors::addDataCases()
{
    addCase("nothing at all", "", "1:1 spec.required [data]\n1:1 spec.required [estimator]\n");
    addCase("no rows, no label", "data {}\nestimator { baseline_classifier {} }\n",
            "1:1 spec.required [data.train]\n1:1 spec.required [data.label]\n");
    const std::string rest = "estimator { baseline_classifier {} }\ntrain_spec { max_steps: 1 }\n";
    const auto data = [&](const char* name, const std::string& fields,
                          const std::string& expected) {
        addCase(name, "data { " + fields + " }\n" + rest, expected);
    };
    const std::string train = "train { csv { files: \"a.csv\" } } ";
    const std::string label = "label { column: \"y\" } ";
    data("no files", "train { csv {} } " + label, "1:16 spec.too_few [data.train.csv.files]\n");
    data("empty file name", "train { csv { files: \"\" } } " + label,
         "1:29 spec.empty_text [data.train.csv.files[0]]\n");
    data("source without kind", "train {} " + label, "1:8 spec.member_required [data.train]\n");
    data("split and eval", train + label + "eval { csv { files: \"b\" } } split {}",
         "1:91 spec.split_and_eval [data.split]\n");
    data("share out of range", train + label + "split { fraction { eval_fraction: 1 } }",
         "1:97 spec.out_of_range [data.split.fraction.eval_fraction]\n");
    data("long delimiter", "train { csv { files: \"a\" field_delim: \"::\" } } " + label,
         "1:46 spec.delimiter [data.train.csv.field_delim]\n");
    data("column name twice",
         "train { csv { files: \"a\" column_names: [\"y\", \"b\", \"b\"] } } " + label,
         "1:58 spec.duplicate_column [data.train.csv.column_names[2]]\n");
    data("label not in the column names",
         "train { csv { files: \"a\" column_names: [\"x\", \"z\"] } } label { column: \"y\" }",
         "1:78 spec.dangling_table_column [data.label.column]\n");
    data("made feature twice",
         train + label +
             "feature { name: \"f\" split { column: \"a\" } } feature { name: \"f\" split { "
             "column: \"b\" } }",
         "1:123 spec.duplicate_name [data.feature[1].name]\n");
    data("column twice", train + label + "column { name: \"a\" } column { name: \"a\" }",
         "1:99 spec.duplicate_name [data.column[1].name]\n");
    data("stack of another shape",
         train + label +
             "feature { name: \"f\" stack { columns: [\"a\", \"b\", \"c\"] shape: [2, 2] } }",
         "1:116 spec.stack_shape [data.feature[f].stack.shape]\n");
    data("empty separator",
         train + label + "feature { name: \"f\" split { column: \"a\" separator: \"\" } }",
         "1:114 spec.separator [data.feature[f].split.separator]\n");
    addRest("nothing to evaluate on", "eval_spec {}", "7:1 spec.nothing_to_evaluate [eval_spec]\n");
}

void TstExperimentErrors::addColumnCases()
{
    addColumn("name taken", "feature_column { name: \"sex\" numeric_column { key: \"a\" } }",
              "6:24 spec.duplicate_name [feature_column[3].name]\n");
    addColumn("no name", "feature_column { numeric_column { key: \"a\" } }",
              "6:1 spec.required [feature_column[3].name]\n");
    addColumn("no kind", "feature_column { name: \"x\" }",
              "6:1 spec.member_required [feature_column[x]]\n");
    const auto column = [&](const char* name, const std::string& kind, const std::string& place,
                            const std::string& id, const std::string& path) {
        addColumn(name, "feature_column { name: \"x\" " + kind + " }",
                  "6:" + place + " " + id + " [feature_column[x]." + path + "]\n");
    };
    column("dangling", "indicator_column { categorical_column: \"sexx\" }", "67",
           "spec.dangling_column", "indicator_column.categorical_column");
    column("bucketized category", "bucketized_column { source_column: \"sex\" boundaries: 1 }",
           "63", "spec.source_not_numeric", "bucketized_column.source_column");
    column("boundaries fall", "bucketized_column { source_column: \"age\" boundaries: [1, 3, 3] }",
           "88", "spec.boundaries_order", "bucketized_column.boundaries[2]");
    column("no boundaries", "bucketized_column { source_column: \"age\" }", "28", "spec.too_few",
           "bucketized_column.boundaries");
    column("endless boundary", "bucketized_column { source_column: \"age\" boundaries: inf }", "81",
           "spec.not_finite", "bucketized_column.boundaries[0]");
    column("indicator of numbers", "indicator_column { categorical_column: \"age\" }", "67",
           "spec.not_categorical", "indicator_column.categorical_column");
    column("embedding of numbers", "embedding_column { categorical_column: \"age\" dimension: 2 }",
           "67", "spec.not_categorical", "embedding_column.categorical_column");
    column("embedding without dimension", "embedding_column { categorical_column: \"sex\" }", "28",
           "spec.required", "embedding_column.dimension");
    column("dimension out of range",
           "embedding_column { categorical_column: \"sex\" dimension: 0 }", "84",
           "spec.out_of_range", "embedding_column.dimension");
    column("half a checkpoint",
           "embedding_column { categorical_column: \"sex\" dimension: 2 ckpt_to_load_from: \"c\" }",
           "105", "spec.checkpoint_pair", "embedding_column.ckpt_to_load_from");
    column("crossed numbers",
           "crossed_column { key { feature: \"a\" } key { column: \"age\" } hash_bucket_size: 5 }",
           "80", "spec.cross_dense", "crossed_column.key[1].column");
    column("crossed hash",
           "crossed_column { key { feature: \"a\" } key { column: \"job\" } hash_bucket_size: 5 }",
           "80", "spec.cross_hashed", "crossed_column.key[1].column");
    column("cross of one", "crossed_column { key { feature: \"a\" } hash_bucket_size: 5 }", "45",
           "spec.too_few", "crossed_column.key");
    addColumn("made of itself",
              "feature_column { name: \"x\" crossed_column { key { feature: \"a\" } "
              "key { column: \"x\" } hash_bucket_size: 5 } }",
              "6:1 spec.column_cycle [feature_column[x]]\n");
    column("word twice",
           "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"a\", \"b\", "
           "\"a\"] }",
           "107", "spec.duplicate_vocabulary",
           "categorical_column_with_vocabulary_list.vocabulary_list[2]");
    column("word is no integer",
           "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"1\", \"b\"] "
           "dtype: int64 }",
           "102", "spec.vocabulary_integer",
           "categorical_column_with_vocabulary_list.vocabulary_list[1]");
    column("default beside buckets",
           "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"a\", \"b\"] "
           "default_value: 0 num_oov_buckets: 2 }",
           "122", "spec.default_and_oov", "categorical_column_with_vocabulary_list.default_value");
    column("default beyond the list",
           "categorical_column_with_vocabulary_list { key: \"k\" vocabulary_list: [\"a\", \"b\"] "
           "default_value: 2 }",
           "122", "spec.default_range", "categorical_column_with_vocabulary_list.default_value");
    column("default beside buckets of a file",
           "categorical_column_with_vocabulary_file { key: \"k\" vocabulary_file: \"v\" "
           "default_value: 0 num_oov_buckets: 2 }",
           "115", "spec.default_and_oov", "categorical_column_with_vocabulary_file.default_value");
    column("identity default",
           "categorical_column_with_identity { key: \"k\" num_buckets: 4 default_value: 4 }", "102",
           "spec.default_range", "categorical_column_with_identity.default_value");
    column("categories of fractions",
           "categorical_column_with_hash_bucket { key: \"k\" hash_bucket_size: 4 dtype: float32 }",
           "102", "spec.column_dtype", "categorical_column_with_hash_bucket.dtype");
    column("numbers as texts", "numeric_column { key: \"k\" dtype: string }", "61",
           "spec.column_dtype", "numeric_column.dtype");
    column("weights as texts",
           "weighted_categorical_column { categorical_column: \"sex\" weight_feature_key: \"w\" "
           "dtype: string }",
           "115", "spec.column_dtype", "weighted_categorical_column.dtype");
    column("defaults of another shape",
           "numeric_column { key: \"k\" shape: 3 default_value: [1, 2] }", "63",
           "spec.default_count", "numeric_column.default_value");
    column("fraction as default of integers",
           "numeric_column { key: \"k\" default_value: 1.5 dtype: int64 }", "69",
           "spec.default_fraction", "numeric_column.default_value[0]");
    column("division by zero",
           "numeric_column { key: \"k\" normalizer { subtract_divide { divide: 0 } } }", "93",
           "spec.divide_by_zero", "numeric_column.normalizer.subtract_divide.divide");
    column("min above max",
           "numeric_column { key: \"k\" normalizer { min_max { min: 3 max: 2 } } }", "89",
           "spec.normalizer_range", "numeric_column.normalizer.min_max.max");
    column("stddev of zero", "numeric_column { key: \"k\" normalizer { z_score { stddev: 0 } } }",
           "85", "spec.out_of_range", "numeric_column.normalizer.z_score.stddev");
    column("learning from the label", "numeric_column { key: \"y\" }", "50",
           "spec.label_as_feature", "numeric_column.key");
    column("shared tables of two sizes",
           "shared_embeddings { categorical_columns: [\"sex\", \"job\"] dimension: 2 }", "77",
           "spec.shared_kinds", "shared_embeddings.categorical_columns[1]");
}

void TstExperimentErrors::addEstimatorCases()
{
    addEstimator("no estimator", "", "1:1 spec.required [estimator]\n");
    addEstimator("estimator without kind", "estimator {}",
                 "6:1 spec.member_required [estimator]\n");
    addEstimator("no columns", "estimator { linear_classifier {} }",
                 "6:13 spec.too_few [estimator.linear_classifier.feature_columns]\n");
    addEstimator(
        "category in a DNN",
        "estimator { dnn_classifier { hidden_units: 8 feature_columns: [\"age\", \"sex\"] } }",
        "6:71 spec.needs_dense [estimator.dnn_classifier.feature_columns[1]]\n");
    addEstimator("dangling column",
                 "estimator { linear_classifier { feature_columns: [\"age\", \"sxe\"] } }",
                 "6:58 spec.dangling_column [estimator.linear_classifier.feature_columns[1]]\n");
    addEstimator("feature column twice",
                 "estimator { linear_classifier { feature_columns: [\"age\", \"age\"] } }",
                 "6:58 spec.column_twice [estimator.linear_classifier.feature_columns[1]]\n");
    addCase("ambiguous column",
            kBase + "feature_column { name: \"age\" numeric_column { key: \"a\" } }\n" + kLinear,
            "6:24 spec.duplicate_name [feature_column[3].name]\n"
            "7:50 spec.ambiguous_name [estimator.linear_classifier.feature_columns[0]]\n");
    addCase("one name in TensorFlow",
            kBase + "feature_column { name: \"age2\" numeric_column { key: \"age\" } }\n"
                    "estimator { linear_classifier { feature_columns: [\"age\", \"age2\"] } }\n",
            "7:58 spec.same_tensorflow_name [estimator.linear_classifier.feature_columns[1]]\n");
    addEstimator("no hidden units", "estimator { dnn_classifier { feature_columns: \"age\" } }",
                 "6:13 spec.too_few [estimator.dnn_classifier.hidden_units]\n");
    addEstimator("hidden unit of size 0",
                 "estimator { dnn_classifier { hidden_units: [8, 0] feature_columns: \"age\" } }",
                 "6:48 spec.out_of_range [estimator.dnn_classifier.hidden_units[1]]\n");
    addEstimator(
        "dropout above 1",
        "estimator { dnn_classifier { hidden_units: 8 feature_columns: \"age\" dropout: 1.5 } }",
        "6:78 spec.out_of_range [estimator.dnn_classifier.dropout]\n");
    addEstimator("wide and deep without columns", "estimator { dnn_linear_combined_regressor {} }",
                 "6:13 spec.no_columns [estimator.dnn_linear_combined_regressor]\n");
    addEstimator("deep part without hidden units",
                 "estimator { dnn_linear_combined_regressor { dnn_feature_columns: \"age\" } }",
                 "6:13 spec.no_hidden_units "
                 "[estimator.dnn_linear_combined_regressor.dnn_hidden_units]\n");
    addEstimator("hidden units without deep part",
                 "estimator { dnn_linear_combined_regressor { linear_feature_columns: \"age\" "
                 "dnn_hidden_units: 8 } }",
                 "~6:93 spec.unused_hidden_units "
                 "[estimator.dnn_linear_combined_regressor.dnn_hidden_units]\n");
    addEstimator(
        "vocabulary of another length",
        "estimator { linear_classifier { feature_columns: \"age\" n_classes: 3 label_vocabulary: "
        "[\"a\", \"b\"] } }",
        "6:69 spec.label_vocabulary_size [estimator.linear_classifier.label_vocabulary]\n");
    addEstimator("class twice",
                 "estimator { linear_classifier { feature_columns: \"age\" label_vocabulary: "
                 "[\"a\", \"a\"] } }",
                 "6:80 spec.duplicate_class [estimator.linear_classifier.label_vocabulary[1]]\n");
    addEstimator("one class",
                 "estimator { linear_classifier { feature_columns: \"age\" n_classes: 1 } }",
                 "6:67 spec.out_of_range [estimator.linear_classifier.n_classes]\n");
    addEstimator("weights that are categories",
                 "estimator { linear_classifier { feature_columns: \"age\" weight_column { column: "
                 "\"sex\" } } }",
                 "6:80 spec.weight_not_numeric "
                 "[estimator.linear_classifier.weight_column.column]\n");
    addEstimator("label of one column for two numbers",
                 "estimator { linear_regressor { feature_columns: \"age\" label_dimension: 2 } }",
                 "1:57 spec.label_size [data.label.column]\n");
    addEstimator("two ways of clipping",
                 "estimator { linear_regressor { feature_columns: \"age\" optimizer { clipnorm: 1 "
                 "global_clipnorm: 1 } } }",
                 "6:96 spec.two_clips [estimator.linear_regressor.optimizer.global_clipnorm]\n");
    addEstimator(
        "values of a schedule",
        "estimator { linear_regressor { feature_columns: \"age\" optimizer { "
        "learning_rate_schedule { piecewise_constant { boundaries: [5, 5] values: [1, 2] } } } } }",
        "6:129 spec.boundaries_order [estimator.linear_regressor.optimizer."
        "learning_rate_schedule.piecewise_constant.boundaries[1]]\n"
        "6:132 spec.piecewise_values [estimator.linear_regressor.optimizer."
        "learning_rate_schedule.piecewise_constant.values]\n");
    addEstimator(
        "negative learning rate",
        "estimator { linear_regressor { feature_columns: \"age\" optimizer { sgd { learning_rate: "
        "-1 } } } }",
        "6:88 spec.out_of_range [estimator.linear_regressor.optimizer.sgd.learning_rate]\n");
}

void TstExperimentErrors::addHeadCases()
{
    const auto head = [](const char* name, const std::string& fields, const std::string& expected) {
        addEstimator(name, "estimator { baseline_estimator { head { " + fields + " } } }",
                     expected);
    };
    const std::string path = "estimator.baseline_estimator.head.";
    addEstimator("no head", "estimator { baseline_estimator {} }",
                 "6:13 spec.required [estimator.baseline_estimator.head]\n");
    head("two classes of many", "multi_class_head { n_classes: 2 }",
         "6:71 spec.out_of_range [" + path + "multi_class_head.n_classes]\n");
    head("threshold of 1", "binary_class_head { thresholds: [0.5, 1] }",
         "6:79 spec.out_of_range [" + path + "binary_class_head.thresholds[1]]\n");
    head("unknown class",
         "multi_label_head { n_classes: 2 classes_for_class_based_metrics: [\"1\", \"2\"] }",
         "1:57 spec.label_size [data.label.column]\n6:112 spec.unknown_class [" + path +
             "multi_label_head.classes_for_class_based_metrics[1]]\n");
    head("heads without label", "multi_head { heads { regression_head { name: \"a\" } } }",
         "1:41 spec.label_heads [data.label]\n");
    const auto heads = [](const char* name, const std::string& fields, const std::string& labels,
                          const std::string& expected) {
        addCase(name,
                "data { train { csv { files: \"a\" } } label { heads { " + labels + " } } }\n" +
                    "train_spec { max_steps: 1 }\n" +
                    "estimator { baseline_estimator { head { multi_head { " + fields + " } } } }\n",
                expected);
    };
    const std::string multi = "estimator.baseline_estimator.head.multi_head.";
    const std::string a = "head { name: \"a\" column: \"u\" } ";
    heads("good heads", "heads { regression_head { name: \"a\" } }", a, "");
    heads("head without name", "heads { regression_head { } }", a,
          "1:66 spec.label_nameless_heads [data.label.heads.head[a].name]\n"
          "3:62 spec.head_name [" +
              multi + "heads[0].regression_head]\n");
    heads("head without label of its own",
          "heads { regression_head { name: \"a\" } } heads { regression_head { name: \"b\" } }", a,
          "1:45 spec.head_without_label [data.label.heads]\n");
    heads("label of another head", "heads { regression_head { name: \"b\" } }",
          a + "head { name: \"b\" column: \"v\" }",
          "1:66 spec.label_unknown_head [data.label.heads.head[a].name]\n");
    heads("weights of other heads",
          "heads { regression_head { name: \"a\" } } head_weights: [1, 2]", a,
          "3:94 spec.head_weights [" + multi + "head_weights]\n");
    heads("heads within heads",
          "heads { multi_head { heads { regression_head { name: \"a\" } } } }", a,
          "1:66 spec.label_nameless_heads [data.label.heads.head[a].name]\n"
          "3:54 spec.nested_head [" +
              multi + "heads[0]]\n");
}

void TstExperimentErrors::addTrainingCases()
{
    addRest("two cadences", "run_config { save_checkpoints_steps: 5 save_checkpoints_secs: 5 }",
            "7:63 spec.two_checkpoint_cadences [run_config.save_checkpoints_secs]\n");
    addRest("no steps at all", "eval_spec { steps: -1 }",
            "7:1 spec.nothing_to_evaluate [eval_spec]\n7:20 spec.out_of_range [eval_spec.steps]\n");
    addCase("exporters of one name",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } split {} }\n"
            "train_spec { max_steps: 1 }\nestimator { baseline_classifier {} }\n"
            "eval_spec { exporter { final_exporter { name: \"e\" } } exporter { best_exporter { "
            "name: \"e\" } } }\n",
            "4:88 spec.duplicate_exporter [eval_spec.exporter[1].best_exporter.name]\n");
    addCase("training without end",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } }\n"
            "estimator { baseline_classifier {} }\ntrain_spec {}\n",
            "~3:1 spec.endless_training [train_spec]\n");
    addCase("two cadences of a hook",
            "data { train { csv { files: \"a\" } } label { column: \"y\" } split {} }\n"
            "estimator { baseline_classifier {} }\n"
            "train_spec { hook { stop_if_lower_hook { metric_name: \"loss\" threshold: 1 "
            "run_every_secs: 5 run_every_steps: 5 } } }\n",
            "3:110 spec.two_hook_cadences "
            "[train_spec.hook[0].stop_if_lower_hook.run_every_steps]\n");
    addRest("warm start without checkpoint", "warm_start {}",
            "7:1 spec.required [warm_start.ckpt_to_initialize_from]\n");
}

void TstExperimentErrors::tellsEveryProblemWholeAndAtItsPlace_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    addSyntaxCases();
    addTypeCases();
    addDataCases();
    addColumnCases();
    addEstimatorCases();
    addHeadCases();
    addTrainingCases();
    for (const QString& name : sentences().keys()) {
        QVERIFY2(caseNames().contains(name) && !sentencesOf(name).isEmpty(), qPrintable(name));
    }
}

void TstExperimentErrors::tellsEveryProblemWholeAndAtItsPlace()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const ParsedExperiment checked = checkExperiment(text.toStdString(), {});
    QCOMPARE(QString::fromStdString(summary(checked.problems)), expected);
    QStringList said;
    for (const Problem& problem : checked.problems) {
        said += QString::fromStdString(problem.error.sentence);
    }
    QVERIFY2(said == sentencesOf(QTest::currentDataTag()), qPrintable(said.join('\n')));
}

void TstExperimentErrors::acceptsGoodExperiments_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("linear") << QString::fromStdString(kBase + kLinear);
    QTest::newRow("nested cross") << QString::fromStdString(kBase + R"(
feature_column { name: "b" bucketized_column { source_column: "age" boundaries: [1, 2] } }
feature_column { name: "x" crossed_column { key { column: "b" } key { column: "sex" } hash_bucket_size: 5 } }
feature_column { name: "xx" crossed_column { key { column: "x" } key { feature: "job" } hash_bucket_size: 5 } }
feature_column { name: "w" weighted_categorical_column { categorical_column: "sex" weight_feature_key: "u" } }
feature_column { name: "e" embedding_column { categorical_column: "w" dimension: 2 } }
feature_column { name: "i" indicator_column { categorical_column: "xx" } }
estimator { dnn_classifier { hidden_units: [4] feature_columns: ["b", "e", "i"] } })");
    QTest::newRow("protobuf's own liberties") << QString::fromStdString(
        kBase + "estimator: < linear_classifier { feature_columns: 'a' \"g\" 'e'; n_classes: 0x2, "
                "sparse_combiner: 1 } >\nrun_config { tf_random_seed: -07 "
                "keep_checkpoint_every_n_hours: 1.5e0f } description: 'T\\x41\\101\\u00fc\\n'\n");
}

void TstExperimentErrors::acceptsGoodExperiments()
{
    QFETCH(QString, text);
    const ParsedExperiment checked = checkExperiment(text.toStdString(), {});
    QCOMPARE(QString::fromStdString(summary(checked.problems)), QString());
}

void TstExperimentErrors::checksNamesAgainstKnownColumns()
{
    const std::string text = kBase +
                             "feature_column { name: \"x\" numeric_column { key: \"hour\" } }\n"
                             "estimator { linear_classifier { feature_columns: \"age\" "
                             "weight_column { feature: \"x\" } } }\n";
    const ParsedExperiment checked =
        checkExperiment(text, {.knownColumns = {{"age", "sex", "hours", "y"}}});
    QCOMPARE(QString::fromStdString(summary(checked.problems)),
             QString("5:73 spec.dangling_feature "
                     "[feature_column[job].categorical_column_with_hash_bucket.key]\n"
                     "6:50 spec.dangling_feature [feature_column[x].numeric_column.key]\n"
                     "7:81 spec.dangling_feature "
                     "[estimator.linear_classifier.weight_column.feature]\n"));
    QVERIFY(checked.problems[1].error.sentence.find("Did you mean 'hours'?") != std::string::npos);
    QVERIFY(checked.problems[2].error.sentence.find("write column: \"x\"") != std::string::npos);
}

void TstExperimentErrors::saysTheCure_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("cure");
    QTest::newRow("misspelt") << "run_config { tf_random_sed: 3 }"
                              << "Did you mean 'tf_random_seed'?";
    QTest::newRow("one level too high") << "eval_spec { batch_size: 3 }"
                                        << "write input { batch_size … }";
    QTest::newRow("quotes") << "name: titanic"
                            << "Put it in quotes: \"titanic\".";
    QTest::newRow("enum") << "strategy {} estimator { dnn_classifier { activation_fn: rely } }"
                          << "Did you mean 'relu'?";
    QTest::newRow("wrap")
        << "estimator { dnn_classifier { hidden_units: 8 feature_columns: \"sex\" } }"
        << "wrap it in indicator_column or embedding_column";
}

void TstExperimentErrors::saysTheCure()
{
    QFETCH(QString, line);
    QFETCH(QString, cure);
    const ParsedExperiment checked = checkExperiment(kBase + line.toStdString(), {});
    std::string all;
    for (const Problem& problem : checked.problems) {
        all += problem.error.sentence + '\n';
    }
    QVERIFY2(QString::fromStdString(all).contains(cure), all.c_str());
}

void TstExperimentErrors::rendersFileLineAndColumn()
{
    const ParsedExperiment checked = checkExperiment(kBase + kLinear + "name: 3\n", {});
    QCOMPARE(checked.problems.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(render(checked.problems[0], "titanic.cannery")),
             QString("titanic.cannery:7:7: error: 'name' must be a text, not '3'. Put it in "
                     "quotes: \"3\". [name]"));
    QCOMPARE(QString::fromStdString(render({.error = {.sentence = "No."}}, "")),
             QString("error: No."));
}

CANNERY_TEST(TstExperimentErrors)
#include "tst_experiment_errors.moc"
