// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofNumericColumns()
{
    return {
        {"linear.cannery", {}, "feature_column[x].name=xx", "spec.dangling_column"},
        {"dnn_regressor.cannery", {}, "feature_column[z].numeric_column.key=x"},
        {"linear_regressor.cannery", {kLast}, "feature_column[pair].numeric_column.shape=[1, 2]"},
        {"linear.cannery",
         {kTable + "[\"gaps.csv\"]", "data.column="},
         "feature_column[x].numeric_column.default_value=[0.9]"},
        {"linear_regressor.cannery", {kLast}, "feature_column[m].numeric_column.dtype=int64"},
        {"linear.cannery", {}, "feature_column[b].bucketized_column.source_column=z"},
        {"linear.cannery", {}, "data.split.fraction.eval_fraction=0.5"},
        {"linear.cannery", {}, "feature_column[b].bucketized_column.boundaries=[0, 0.5]"},
    };
}

std::vector<SchemaReading> ofCategoricalColumns()
{
    const std::string columns = "estimator.linear_classifier.feature_columns=";
    return {
        {"linear.cannery",
         {columns + "[\"w2\"]"},
         "feature_column[w2].categorical_column_with_vocabulary_list.num_oov_buckets=2"},
        {"linear.cannery",
         {},
         "feature_column[v].categorical_column_with_vocabulary_list.key=shade"},
        {"linear.cannery",
         {},
         "feature_column[v].categorical_column_with_vocabulary_list.vocabulary_list=[\"green\", "
         "\"red\"]"},
        {"linear.cannery",
         {"feature_column[v].categorical_column_with_vocabulary_list={ key: \"label\" "
          "vocabulary_list: [\"0\", \"1\"] dtype: int64 }"},
         "feature_column[v].categorical_column_with_vocabulary_list.dtype=string",
         "features.category_type"},
        {"linear_regressor.cannery",
         {},
         "feature_column[f].categorical_column_with_vocabulary_file.key=shade"},
        {"linear_regressor.cannery",
         {},
         "feature_column[f].categorical_column_with_vocabulary_file.vocabulary_file=words2.txt"},
        {"linear_regressor.cannery",
         {"feature_column[f].categorical_column_with_vocabulary_file={ key: \"id\" "
          "vocabulary_file: \"ids.txt\" dtype: int64 default_value: 0 }"},
         "feature_column[f].categorical_column_with_vocabulary_file.dtype=string",
         "features.category_type"},
        {"combined.cannery", {}, "feature_column[h].categorical_column_with_hash_bucket.key=shade"},
        {"combined.cannery",
         {"feature_column[h].categorical_column_with_hash_bucket={ key: \"id\" hash_bucket_size: 7 "
          "dtype: int64 }"},
         "feature_column[h].categorical_column_with_hash_bucket.dtype=string",
         "features.category_type"},
        {"linear.cannery", {}, "feature_column[i].categorical_column_with_identity.key=label"},
        {"linear.cannery",
         {"feature_column[i].categorical_column_with_identity.num_buckets=2"},
         "feature_column[i].categorical_column_with_identity.default_value=1"},
    };
}

std::vector<SchemaReading> ofDerivedColumns()
{
    const std::string columns = "estimator.linear_classifier.feature_columns=";
    const std::string inputs = "estimator.dnn_classifier.feature_columns=";
    return {
        {"linear.cannery", {}, "feature_column[c].crossed_column.key[0].feature=shade"},
        {"linear.cannery",
         {"feature_column[c].crossed_column.key[1]={ column: \"v\" }"},
         "feature_column[c].crossed_column.key[1].column=i"},
        {"linear.cannery",
         {columns + "[\"u\"]"},
         "feature_column[u].weighted_categorical_column.categorical_column=t2"},
        {"linear.cannery",
         {columns + "[\"u\"]"},
         "feature_column[u].weighted_categorical_column.weight_feature_key=weights2"},
        {"linear.cannery",
         {columns + "[\"u\"]"},
         "feature_column[u].weighted_categorical_column.dtype=int64",
         "features.weight_dtype"},
        {"dnn.cannery",
         {inputs + "[\"n\"]"},
         "feature_column[n].indicator_column.categorical_column=i"},
    };
}

std::vector<SchemaReading> ofEmbeddings()
{
    const std::string inputs = "estimator.dnn_classifier.feature_columns=";
    const std::string table = "feature_column[e0].embedding_column";
    const std::string shared = "feature_column[s].shared_embeddings";
    const std::string weights =
        "dnn/input_from_feature_columns/input_layer/colour_embedding/embedding_weights";
    const std::string unsafe = "feature_column[e6].embedding_column.use_safe_embedding_lookup";
    return {
        {"dnn.cannery", {}, table + ".categorical_column=b"},
        {"dnn.cannery", {table + ".categorical_column=t"}, table + ".combiner=sum"},
        {"dnn.cannery", {table + ".initializer="}, table + ".initializer.zeros={}"},
        {"dnn.cannery", {table + ".initializer="}, table + ".initializer.ones={}"},
        {"dnn.cannery", {table + ".initializer="}, table + ".initializer.glorot_uniform={}"},
        {"dnn.cannery",
         {table + ".ckpt_to_load_from=first_dnn", table + ".tensor_name_in_ckpt=" + weights},
         table + ".ckpt_to_load_from=second_dnn"},
        {"dnn.cannery",
         {table + ".ckpt_to_load_from=first_dnn", table + ".tensor_name_in_ckpt=" + weights},
         table + ".tensor_name_in_ckpt=dnn/hiddenlayer_1/kernel",
         "checkpoint.mismatch"},
        {"dnn.cannery", {inputs + "[\"e6\"]"}, unsafe + "=false"},
        {"dnn_estimator.cannery", {}, shared + ".categorical_columns=[\"g2\", \"w2\"]"},
        {"dnn_estimator.cannery",
         {shared + ".categorical_columns=[\"t\", \"t2\"]"},
         shared + ".combiner=sum"},
        {"dnn_estimator.cannery", {}, shared + ".initializer.zeros={}"},
        {"dnn_estimator.cannery", {}, shared + ".shared_embedding_collection_name=colours"},
        {"dnn_estimator.cannery",
         {shared + ".ckpt_to_load_from=first_shared", shared + ".tensor_name_in_ckpt=colours"},
         shared + ".ckpt_to_load_from=second_shared"},
        {"dnn_estimator.cannery",
         {shared + ".ckpt_to_load_from=first_shared", shared + ".tensor_name_in_ckpt=colours"},
         shared + ".tensor_name_in_ckpt=dnn/hiddenlayer_0/kernel",
         "checkpoint.mismatch"},
        {"dnn_estimator.cannery", {kLast}, shared + ".use_safe_embedding_lookup=false"},
    };
}

} // namespace

std::vector<SchemaReading> readingsOfColumns()
{
    return joined({ofNumericColumns(), ofCategoricalColumns(), ofDerivedColumns(), ofEmbeddings()});
}

} // namespace cannery::tests
