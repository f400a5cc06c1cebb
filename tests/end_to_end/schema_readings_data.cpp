// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofTables()
{
    const std::string byColumn = "data.split={ by_column { column: \"id\" eval_values: [\"1\"] } }";
    const std::string times = kTable + "[\"times.csv\"]";
    const std::string byTime = "data.split={ by_time { column: \"year\" eval_from: \"2002\" } }";
    const std::string headless = R"(data.train.csv={ files: "headless.csv" header: false
column_names: ["x", "y", "colour", "shade", "id", "label", "class", "tags", "amount", "rate", "words", "words2", "weights", "weights2", "word", "tags2", "tone"] })";
    return {
        {"linear.cannery", {}, kTable + "[\"other.csv\"]"},
        {"linear.cannery",
         {"data.split=", "data.eval={ csv { files: \"numbers.csv\" } }"},
         "data.eval.csv.files=[\"other.csv\"]"},
        {"linear.cannery", {byColumn}, "data.split.by_column.column=class"},
        {"linear.cannery", {byColumn}, "data.split.by_column.eval_values=[\"2\"]"},
        {"linear.cannery", {times, byTime}, "data.split.by_time.column=later"},
        {"linear.cannery", {times, byTime}, "data.split.by_time.eval_from=2003"},
        {"linear.cannery", {}, "data.train.csv.field_delim=;", "data.no_such_column"},
        {"linear.cannery",
         {kTable + "[\"quotes.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.use_quote_delim=false"},
        {"linear.cannery", {headless}, "data.train.csv.header=true"},
        {"linear.cannery",
         {headless},
         R"(data.train.csv.column_names=["y", "x", "colour", "shade", "id", "label", "class", "tags", "amount", "rate", "words", "words2", "weights", "weights2", "word", "tags2", "tone"])"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.train.csv.na_value=[\"?\"]"},
        {"linear.cannery",
         {kTable + "[\"umlauts.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.encoding=latin1"},
        {"linear.cannery",
         {kTable + "[\"commas.csv\"]", kNumberX, "data.train.csv.decimal_mark=comma"},
         "data.train.csv.decimal_mark=point",
         "csv.not_a_number"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.bad_rows=FAIL",
         "csv.not_a_number"},
        {"linear.cannery", {}, "data.key_column=[\"x\"]", "spec.key_as_feature"},
    };
}

std::vector<SchemaReading> ofLabels()
{
    return {
        {"linear_regressor.cannery", {}, "data.label.column=rate"},
        {"linear_regressor.cannery",
         {"data.label={ columns { column: [\"amount\", \"rate\"] } }",
          "estimator.linear_regressor.label_dimension=2"},
         "data.label.columns.column=[\"rate\", \"amount\"]"},
        {"dnn_estimator.cannery", {}, "data.label.split.column=tags2"},
        {"dnn_estimator.cannery", {}, "data.label.split.separator=#", "data.bad_piece"},
        {"dnn_estimator.cannery", {}, "data.label.split.dtype=string", "features.label_type"},
        {"combined_estimator.cannery",
         {},
         "data.label.heads.head[0].name=q",
         "spec.label_unknown_head"},
        {"combined_estimator.cannery", {}, "data.label.heads.head[0].column=label"},
        {"combined_estimator.cannery",
         {"data.label.heads.head[0]={ name: \"r\" columns { column: \"amount\" } }"},
         "data.label.heads.head[0].columns.column=[\"label\"]"},
        {"combined_estimator.cannery",
         {"data.label.heads.head=[{ name: \"m\" split { column: \"tags\" separator: \"|\" dtype: "
          "int64 } }]",
          "estimator.dnn_linear_combined_estimator.head={ multi_head { heads { multi_label_head { "
          "name: \"m\" n_classes: 3 } } } }"},
         "data.label.heads.head[0].split.column=tags2"},
    };
}

std::vector<SchemaReading> ofNamedColumns()
{
    return {
        {"linear.cannery",
         {kTable + "[\"gaps.csv\"]", "feature_column[x].numeric_column.default_value="},
         "data.column[0].default_value=0.9"},
        {"linear.cannery",
         {kTable + "[\"gaps.csv\"]", "feature_column[x].numeric_column.default_value="},
         "data.column[0].name=y",
         "features.missing_number"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.column[0].missing_token=[\"?\"]",
          "data.bad_rows=SKIP"},
         "data.column[0].missing_token=[\"!\"]"},
        {"linear.cannery",
         {"data.column[1]={ name: \"id\" dtype: int64 }"},
         "data.column[1].dtype=string",
         "features.category_type"},
        {"linear_regressor.cannery", {}, "data.feature[0].stack.columns=[\"y\", \"x\"]"},
        {"linear_regressor.cannery", {}, "data.feature[0].stack.shape=[3]", "spec.stack_shape"},
        {"linear_regressor.cannery",
         {"data.column="},
         "data.feature[0].stack.dtype=int64",
         "csv.not_a_number"},
        {"linear_regressor.cannery", {}, "data.feature[0].name=duo", "data.no_such_feature"},
        {"linear.cannery",
         {"estimator.linear_classifier.feature_columns=[t]"},
         "data.feature[words].split.column=tags"},
    };
}

} // namespace

std::vector<SchemaReading> readingsOfData()
{
    return joined({ofTables(), ofLabels(), ofNamedColumns()});
}

} // namespace cannery::tests
