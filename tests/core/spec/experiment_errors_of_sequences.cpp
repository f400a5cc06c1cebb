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
    addReader("prediction for every step",
              "rnn_estimator { units: 2 sequence_feature_columns: \"words\" "
              "head { binary_class_head {} } return_sequences: true }",
              "7:120 spec.return_sequences [estimator.rnn_estimator.return_sequences]\n");
}

} // namespace

void addErrorsOfSequences()
{
    addNumericSequences();
    addCategoricalSequences();
    addReaders();
}

} // namespace cannery::tests
