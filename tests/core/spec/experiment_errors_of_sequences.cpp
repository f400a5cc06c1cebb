// SPDX-License-Identifier: Apache-2.0
#include "tests/core/spec/experiment_error_cases.h"

namespace cannery::tests {

namespace {

/// Lines 1 to 6.
const std::string kSequences =
    R"(data { train { csv { files: "a.csv" } } label { column: "y" }
feature { name: "steps" split { column: "s" } } feature { name: "forces" split { column: "f" dtype: float32 } } }
train_spec { max_steps: 5 }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "word" sequence_categorical_column_with_vocabulary_list { key: "steps" vocabulary_list: ["m", "f"] } }
feature_column { name: "words" indicator_column { categorical_column: "word" } }
)";

/// A feature column in line 7, then a recurrent network that reads it.
void addSequence(const char* name, const std::string& kind, const std::string& expected)
{
    addCase(name,
            kSequences + "feature_column { name: \"x\" " + kind +
                " }\nestimator { rnn_classifier { units: 2 sequence_feature_columns: \"words\" } "
                "}\n",
            expected);
}

/// An estimator in line 7.
void addReader(const char* name, const std::string& estimator, const std::string& expected)
{
    addCase(name, kSequences + "estimator { " + estimator + " }\n", expected);
}

void addNumericSequences()
{
    addSequence("sequence of a plain column", "sequence_numeric_column { key: \"age\" }",
                "7:59 spec.sequence_of_one [feature_column[x].sequence_numeric_column.key]\n");
    addSequence("sequence of numbers that are texts", "sequence_numeric_column { key: \"steps\" }",
                "7:59 spec.sequence_of_texts [feature_column[x].sequence_numeric_column.key]\n");
    addSequence(
        "fraction as padding of integers",
        "sequence_numeric_column { key: \"forces\" dtype: int64 default_value: 0.5 }",
        "7:96 spec.sequence_default [feature_column[x].sequence_numeric_column.default_value]\n");
}

void addCategoricalSequences()
{
    addSequence("word of a sequence twice",
                "sequence_categorical_column_with_vocabulary_list { key: \"steps\" "
                "vocabulary_list: [\"a\", \"a\"] }",
                "7:115 spec.duplicate_vocabulary "
                "[feature_column[x].sequence_categorical_column_with_vocabulary_list.vocabulary_"
                "list[1]]\n");
    addSequence(
        "default of a sequence beside buckets of a file",
        "sequence_categorical_column_with_vocabulary_file { key: \"steps\" "
        "vocabulary_file: \"v\" default_value: 0 num_oov_buckets: 2 }",
        "7:128 spec.default_and_oov "
        "[feature_column[x].sequence_categorical_column_with_vocabulary_file.default_value]\n");
    addSequence("sequence of one category",
                "sequence_categorical_column_with_hash_bucket { key: \"age\" hash_bucket_size: 4 }",
                "7:80 spec.sequence_of_one "
                "[feature_column[x].sequence_categorical_column_with_hash_bucket.key]\n");
    addSequence("default of a sequence of ids",
                "sequence_categorical_column_with_identity { key: \"steps\" num_buckets: 4 "
                "default_value: 4 }",
                "7:115 spec.default_range "
                "[feature_column[x].sequence_categorical_column_with_identity.default_value]\n");
    addSequence("crossed sequence",
                "crossed_column { key { feature: \"a\" } key { column: \"word\" } "
                "hash_bucket_size: 5 }",
                "7:80 spec.cross_sequence [feature_column[x].crossed_column.key[1].column]\n");
    addSequence("weighted sequence",
                "weighted_categorical_column { categorical_column: \"word\" "
                "weight_feature_key: \"w\" }",
                "7:78 spec.sequence_source "
                "[feature_column[x].weighted_categorical_column.categorical_column]\n");
}

void addReaders()
{
    addReader("sequence in a DNN", "dnn_classifier { hidden_units: 2 feature_columns: \"words\" }",
              "7:63 spec.unexpected_sequence [estimator.dnn_classifier.feature_columns[0]]\n");
    addReader("sequence in a linear model", "linear_classifier { feature_columns: \"word\" }",
              "7:50 spec.unexpected_sequence [estimator.linear_classifier.feature_columns[0]]\n");
    addReader("no sequence for the steps",
              "rnn_classifier { units: 2 sequence_feature_columns: \"age\" }",
              "7:65 spec.needs_sequence [estimator.rnn_classifier.sequence_feature_columns[0]]\n");
    addReader(
        "ids for the steps", "rnn_classifier { units: 2 sequence_feature_columns: \"word\" }",
        "7:65 spec.network_needs_dense [estimator.rnn_classifier.sequence_feature_columns[0]]\n");
    addReader(
        "sequence as context",
        "rnn_classifier { units: 2 sequence_feature_columns: \"words\" "
        "context_feature_columns: [\"age\", \"words\"] }",
        "7:106 spec.unexpected_sequence [estimator.rnn_classifier.context_feature_columns[1]]\n");
}

/// What differs from kSequences: the label, more data, and everything from line 7 on, in which '@'
/// stands for the arguments of a network that predicts every step.
struct StepCase
{
    std::string label;
    std::string data;
    std::string rest;
};

const std::string kIds = "split { column: \"y\" dtype: int64 }";

void addStepCase(const char* name, StepCase of, const std::string& expected)
{
    std::string text = kSequences;
    const std::string label = "column: \"y\"";
    text.replace(text.find(label), label.size(), of.label);
    const std::string end = "} }\ntrain_spec";
    text.insert(text.find(end) + 2, of.data);
    const std::size_t place = of.rest.find('@');
    if (place != std::string::npos) {
        of.rest.replace(place, 1,
                        "sequence_feature_columns: \"words\" units: 2 return_sequences: true");
    }
    addCase(name, text + of.rest + "\n", expected);
}

void addLabelsOfSteps()
{
    addStepCase("every step of a multi_head",
                {.label = "heads { head { name: \"a\" column: \"y\" } }",
                 .data = "",
                 .rest = "estimator { rnn_estimator { @ head { multi_head { heads { "
                         "binary_class_head { name: \"a\" } } } } } }"},
                "7:102 spec.steps_of_many_heads [estimator.rnn_estimator.head.multi_head]\n");
    addStepCase(
        "one label for every step",
        {.label = "column: \"y\"", .data = "", .rest = "estimator { rnn_classifier { @ } }"},
        "1:41 spec.steps_label [data.label]\n");
    addStepCase("texts for every step",
                {.label = "split { column: \"y\" }",
                 .data = "",
                 .rest = "estimator { rnn_classifier { @ } }"},
                "1:49 spec.steps_label_texts [data.label.split.dtype]\n");
    addStepCase("texts as numbers of every step",
                {.label = "split { column: \"y\" }",
                 .data = "",
                 .rest = "estimator { rnn_estimator { @ head { regression_head {} } } }"},
                "1:49 spec.steps_label_texts [data.label.split.dtype]\n");
    addStepCase("names of the classes of every step",
                {.label = kIds,
                 .data = "",
                 .rest = "estimator { rnn_estimator { @ head { multi_label_head { n_classes: 2 "
                         "label_vocabulary: [\"a\", \"b\"] } } } }"},
                "7:134 spec.steps_label_vocabulary "
                "[estimator.rnn_estimator.head.multi_label_head.label_vocabulary]\n");
    addStepCase("feature column as weight of every step",
                {.label = kIds,
                 .data = "",
                 .rest = "estimator { rnn_classifier { @ weight_column { column: \"age\" } } }"},
                "7:120 spec.steps_weight [estimator.rnn_classifier.weight_column.column]\n");
    addStepCase("weight of the row for every step",
                {.label = kIds,
                 .data = "",
                 .rest = "estimator { rnn_estimator { @ head { binary_class_head { weight_column { "
                         "feature: \"w\" } } } } }"},
                "7:147 spec.steps_weight "
                "[estimator.rnn_estimator.head.binary_class_head.weight_column.feature]\n");
}

void addRestOfSteps()
{
    addStepCase("stratified by every step",
                {.label = kIds,
                 .data = "split { fraction { stratify: true } } ",
                 .rest = "estimator { rnn_classifier { @ } }"},
                "2:142 spec.steps_stratify [data.split.fraction.stratify]\n");
    addStepCase("folds stratified by every step",
                {.label = kIds,
                 .data = "split { fold { stratify: true } } ",
                 .rest = "estimator { rnn_classifier { @ } }\nsweep { k_fold { stratify: true } }"},
                "2:138 spec.steps_stratify [data.split.fold.stratify]\n"
                "8:28 spec.steps_stratify [sweep.k_fold.stratify]\n");
    addStepCase(
        "every step in several processes",
        {.label = kIds,
         .data = "",
         .rest = "estimator { rnn_classifier { @ } }\nstrategy { multi_worker_mirrored {} }"},
        "8:12 spec.steps_of_processes [strategy.multi_worker_mirrored]\n");
    addStepCase("mask named like a prediction",
                {.label = kIds,
                 .data = "",
                 .rest = "estimator { rnn_classifier { @ sequence_mask: \"logits\" } }"},
                "7:111 spec.sequence_mask [estimator.rnn_classifier.sequence_mask]\n");
    addStepCase("mask named like a feature",
                {.label = kIds,
                 .data = "",
                 .rest = "estimator { rnn_classifier { @ sequence_mask: \"forces\" } }"},
                "7:111 spec.sequence_mask [estimator.rnn_classifier.sequence_mask]\n");
    addStepCase("mask without a name",
                {.label = kIds,
                 .data = "",
                 .rest = "estimator { rnn_classifier { @ sequence_mask: \"\" } }"},
                "7:111 spec.sequence_mask_empty [estimator.rnn_classifier.sequence_mask]\n");
    addStepCase("mask without steps",
                {.label = "column: \"y\"",
                 .data = "",
                 .rest = "estimator { rnn_classifier { sequence_feature_columns: \"words\" units: "
                         "2 sequence_mask: \"m\" } }"},
                "~7:88 spec.sequence_mask_unused [estimator.rnn_classifier.sequence_mask]\n");
}

} // namespace

void addErrorsOfSequences()
{
    addNumericSequences();
    addCategoricalSequences();
    addReaders();
    addLabelsOfSteps();
    addRestOfSteps();
}

} // namespace cannery::tests
