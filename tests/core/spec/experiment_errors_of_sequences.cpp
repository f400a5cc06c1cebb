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

} // namespace

void addErrorsOfSequences()
{
    addSequence("sequence of a plain column", "sequence_numeric_column { key: \"age\" }", "");
    addSequence("sequence of numbers that are texts", "sequence_numeric_column { key: \"steps\" }",
                "");
    addSequence("fraction as padding of integers",
                "sequence_numeric_column { key: \"forces\" dtype: int64 default_value: 0.5 }", "");
    addSequence("normalizer of a sequence without mean",
                "sequence_numeric_column { key: \"forces\" normalizer { z_score { stddev: 2 } } }",
                "");
    addSequence("normalizer of a sequence without range",
                "sequence_numeric_column { key: \"forces\" normalizer { min_max {} } }", "");
    addSequence("word of a sequence twice",
                "sequence_categorical_column_with_vocabulary_list { key: \"steps\" "
                "vocabulary_list: [\"a\", \"a\"] }",
                "");
    addSequence("default of a sequence beside buckets of a file",
                "sequence_categorical_column_with_vocabulary_file { key: \"steps\" "
                "vocabulary_file: \"v\" default_value: 0 num_oov_buckets: 2 }",
                "");
    addSequence("sequence of one category",
                "sequence_categorical_column_with_hash_bucket { key: \"age\" hash_bucket_size: 4 }",
                "");
    addSequence("default of a sequence of ids",
                "sequence_categorical_column_with_identity { key: \"steps\" num_buckets: 4 "
                "default_value: 4 }",
                "");
    addSequence("crossed sequence",
                "crossed_column { key { feature: \"a\" } key { column: \"word\" } "
                "hash_bucket_size: 5 }",
                "");
    addSequence("weighted sequence",
                "weighted_categorical_column { categorical_column: \"word\" "
                "weight_feature_key: \"w\" }",
                "");
    addReader("sequence in a DNN", "dnn_classifier { hidden_units: 2 feature_columns: \"words\" }",
              "");
    addReader("sequence in a linear model", "linear_classifier { feature_columns: \"word\" }", "");
    addReader("no sequence for the steps",
              "rnn_classifier { units: 2 sequence_feature_columns: \"age\" }", "");
    addReader("ids for the steps", "rnn_classifier { units: 2 sequence_feature_columns: \"word\" }",
              "");
    addReader("sequence as context",
              "rnn_classifier { units: 2 sequence_feature_columns: \"words\" "
              "context_feature_columns: [\"age\", \"words\"] }",
              "");
    addReader("prediction for every step",
              "rnn_estimator { units: 2 sequence_feature_columns: \"words\" "
              "head { binary_class_head {} } return_sequences: true }",
              "");
}

} // namespace cannery::tests
