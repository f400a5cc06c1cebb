// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofSequenceColumns()
{
    const std::string list = "feature_column[sv].sequence_categorical_column_with_vocabulary_list";
    const std::string file = "feature_column[sf].sequence_categorical_column_with_vocabulary_file";
    const std::string hash = "feature_column[sh].sequence_categorical_column_with_hash_bucket";
    const std::string ids = "feature_column[si].sequence_categorical_column_with_identity";
    const std::string inputs = "estimator.rnn_classifier.sequence_feature_columns=";
    return {
        {"rnn_estimator.cannery",
         {},
         "feature_column[sq].sequence_numeric_column.dtype=int64",
         "spec.sequence_default"},
        {"rnn_estimator.cannery", {}, "feature_column[sq].sequence_numeric_column.key=weights2"},
        {"rnn_words.cannery", {}, list + ".key=words2"},
        {"rnn_words.cannery", {}, list + ".vocabulary_list=[\"b\", \"a\"]"},
        {"rnn_words.cannery",
         {list + "={ key: \"ids\" vocabulary_list: [\"0\", \"1\"] dtype: int64 }",
          inputs + "[\"svi\"]"},
         list + ".dtype=string",
         "features.category_type"},
        {"rnn.cannery", {inputs + "[\"sfi\"]"}, file + ".key=words2"},
        {"rnn.cannery",
         {file + "={ key: \"ids\" vocabulary_file: \"ids.txt\" dtype: int64 }",
          inputs + "[\"sfi\"]"},
         file + ".dtype=string",
         "features.category_type"},
        {"rnn.cannery", {}, file + ".vocabulary_file=letters2.txt"},
        {"rnn.cannery", {}, hash + ".key=words2"},
        {"rnn.cannery",
         {hash + "={ key: \"ids\" hash_bucket_size: 7 dtype: int64 }", inputs + "[\"she\"]"},
         hash + ".dtype=string",
         "features.category_type"},
        {"rnn_ids.cannery", {}, ids + ".key=words", "features.category_type"},
        {"rnn_ids.cannery", {ids + ".num_buckets=2"}, ids + ".default_value=0"},
    };
}

} // namespace

std::vector<SchemaReading> readingsOfSequences()
{
    std::vector<SchemaReading> all = ofSequenceColumns();
    const std::string classifier = "estimator.rnn_classifier";
    const std::string estimator = "estimator.rnn_estimator";
    addOfRows(all, "rnn.cannery", classifier);
    addOfNamedClasses(all, "rnn.cannery", classifier);
    all.insert(
        all.end(),
        {{"rnn.cannery", {}, classifier + ".sequence_feature_columns=[\"sfi\"]"},
         {"rnn.cannery", {}, classifier + ".context_feature_columns=[\"z\"]"},
         {"rnn_estimator.cannery",
          {"feature_column[sq].sequence_numeric_column.shape=[1]"},
          estimator + ".sequence_feature_columns=[\"svi\", \"sq\"]"},
         {"rnn_estimator.cannery", {}, estimator + ".context_feature_columns=[\"z\"]"},
         {"rnn_estimator.cannery", {estimator + ".units=[3]"}, estimator + ".stacked_cells=true"},
         {"rnn.cannery", {}, classifier + ".return_sequences=true", "spec.steps_label"},
         {"rnn_estimator.cannery", {}, estimator + ".return_sequences=true", "spec.steps_label"},
         {"rnn_steps.cannery", {}, classifier + ".return_sequences=false", "spec.label_split"},
         {"rnn_steps.cannery", {kLast}, classifier + ".sequence_mask=mask"},
         {"rnn_steps.cannery", {}, classifier + ".weight_column.feature=weights"},
         {"rnn_step_numbers.cannery", {kLast}, estimator + ".sequence_mask=mask"}});
    return all;
}

} // namespace cannery::tests
