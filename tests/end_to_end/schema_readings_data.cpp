// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/database.h"
#include "tests/end_to_end/schema_readings_parts.h"

#include <QDir>
#include <QFile>

namespace cannery::tests {

namespace {

std::vector<SchemaReading> ofTables()
{
    const std::string byColumn = "data.split={ by_column { column: \"id\" eval_values: [\"1\"] } }";
    const std::string times = kTable + "[\"times.csv\"]";
    const std::string byTime = "data.split={ by_time { column: \"year\" eval_from: \"2002\" } }";
    const std::string fold = "data.split={ fold { folds: 4 fold: 1 } }";
    const std::string headless = R"(data.train.csv={ files: "headless.csv" header: false
column_names: ["x", "y", "colour", "shade", "id", "label", "class", "tags", "amount", "rate", "words", "words2", "weights", "weights2", "word", "tags2", "tone", "row"] })";
    return {
        {"linear.cannery", {}, kTable + "[\"other.csv\"]"},
        {"linear.cannery",
         {"data.split=", "data.eval={ csv { files: \"numbers.csv\" } }"},
         "data.eval.csv.files=[\"other.csv\"]"},
        {"linear.cannery", {byColumn}, "data.split.by_column.column=class"},
        {"linear.cannery", {byColumn}, "data.split.by_column.eval_values=[\"2\"]"},
        {"linear.cannery", {times, byTime}, "data.split.by_time.column=later"},
        {"linear.cannery", {times, byTime}, "data.split.by_time.eval_from=2003"},
        {"linear.cannery", {fold}, "data.split.fold.folds=3"},
        {"linear.cannery", {fold}, "data.split.fold.fold=2"},
        {"linear.cannery", {fold}, "data.split.fold.seed=5"},
        {"linear.cannery", {fold}, "data.split.fold.stratify=true"},
        {"linear.cannery", {}, "data.train.csv.field_delim=;", "data.no_such_column"},
        {"linear.cannery",
         {kTable + "[\"quotes.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.use_quote_delim=false"},
        {"linear.cannery", {headless}, "data.train.csv.header=true"},
        {"linear.cannery", {}, "data.train.csv.skip_rows=1", "data.no_such_column"},
        {"linear.cannery", {}, "data.train.csv.comment=0.8"},
        {"linear.cannery",
         {headless},
         R"(data.train.csv.column_names=["y", "x", "colour", "shade", "id", "label", "class", "tags", "amount", "rate", "words", "words2", "weights", "weights2", "word", "tags2", "tone", "row"])"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.train.csv.na_value=[\"?\"]"},
        {"linear.cannery",
         {kTable + "[\"umlauts.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.encoding=latin1"},
        {"linear.cannery",
         {kTable + "[\"commas.csv\"]", kNumberX, "data.train.csv.decimal_mark=comma"},
         "data.train.csv.decimal_mark=point",
         "data.text_among_numbers"},
        {"linear.cannery",
         {kTable + "[\"odd.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.bad_rows=FAIL",
         "csv.not_a_number"},
        {"linear.cannery",
         {kTable + "[\"unlabelled.csv\"]", "data.unlabelled_rows=SKIP"},
         "data.unlabelled_rows=FAIL",
         "features.label_missing"},
        {"linear.cannery", {}, "data.key_column=[\"x\"]", "spec.key_as_feature"},
    };
}

std::vector<SchemaReading> ofQuotes()
{
    return {
        {"linear.cannery",
         {kTable + "[\"quotes.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.quote_char=\"'\""},
        {"linear.cannery",
         {kTable + "[\"escapes.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.escape_char=\"\\\\\""},
        {"linear.cannery",
         {kTable + "[\"blanks.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.skip_initial_space=true"},
        {"linear.cannery",
         {kTable + "[\"formulas.csv\"]", "estimator.linear_classifier.feature_columns=[h]"},
         "data.train.csv.formula_quotes=false"},
    };
}

/// Read by a baseline, which needs nothing but a label.
std::vector<SchemaReading> ofOtherSources()
{
    const auto given = [](const std::string& source, const std::string& label) {
        return std::vector<std::string>{"feature_column=",
                                        "data={ train { " + source +
                                            " } split { fraction { eval_fraction: 0.25 seed: 3 } "
                                            "} label { column: \"" +
                                            label + "\" } }"};
    };
    const std::string name = "baseline_regressor.cannery";
    const std::string train = "data.train.";
    const auto records = given(R"(tfrecord { files: "numbers.tfrecord" })", "rate");
    const auto spoilt = given(R"(tfrecord { files: "spoilt.tfrecord" corrupt: SKIP })", "rate");
    const auto parted = given(R"(tfrecord { files: "parted" split: "train" })", "rate");
    const auto table = given(R"(sqlite { file: "numbers.db" table: "numbers" })", "amount");
    const auto query =
        given(R"(sqlite { file: "numbers.db" query: "SELECT * FROM numbers" })", "amount");
    const auto arrays = given(R"(npz { files: "stored.npz" })", "i");
    const auto objects = given(R"(json_lines { files: "numbers.jsonl" })", "amount");
    const auto relation = given(R"(arff { files: "numbers.arff" })", "amount");
    const auto pairs = given(R"(libsvm { files: "numbers.svm" features: 3 })", "f3");
    const auto places = given(
        R"(fixed_width { files: "numbers.fwf" column_start: [0, 8] header: true packed: true })",
        "amount");
    return {
        {name, records, train + R"(tfrecord.files=["numbers.tfrecord", "numbers.tfrecord"])"},
        {name, records, train + "tfrecord.schema=texts.pbtxt", "tfrecord.other_type"},
        {name, spoilt, train + "tfrecord.corrupt=FAIL", "tfrecord.damaged"},
        {name, parted, train + "tfrecord.split=test"},
        {name, table, train + "sqlite.file=other.db"},
        {name, table, train + "sqlite.table=half"},
        {name, query, train + "sqlite.query=SELECT 1 - amount AS amount FROM numbers"},
        {name, arrays, train + R"(npz.files=["stored.npz", "deflated.npz"])"},
        {name, objects, train + R"(json_lines.files=["numbers.jsonl", "numbers.jsonl"])"},
        {"linear.cannery",
         {R"(data.train={ json_lines { files: "odd.jsonl" } })", kNumberX, "data.bad_rows=SKIP"},
         train + R"(json_lines.na_value=["?"])"},
        {name, relation, train + R"(arff.files=["numbers.arff", "numbers.arff"])"},
        {name, pairs, train + R"(libsvm.files=["numbers.svm", "numbers.svm"])"},
        {name, pairs, train + "libsvm.features=2", "data.no_label"},
        {name, places, train + R"(fixed_width.files=["numbers.fwf", "numbers.fwf"])"},
        {name, places, train + "fixed_width.column_start=[0, 9]", "data.no_label"},
        {name, places, train + "fixed_width.header=false", "data.no_label"},
        {name, places, train + "fixed_width.packed=false", "csv.bad_record"},
        {"pictures.cannery",
         {},
         train + "image_folder.path=pictures/train",
         "image_folder.no_folder"},
        {"pictures.cannery", {}, train + "image_folder.split=validation"},
        {"pictures.cannery", {}, train + "image_folder.height=6", "spec.feature_shape"},
        {"pictures.cannery", {}, train + "image_folder.width=5", "spec.feature_shape"},
        {"pictures.cannery", {}, train + "image_folder.channels=1", "spec.feature_shape"},
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
         {kNumberX, "data.column[0].number_notation={ decimal_mark: point }"},
         "data.column[0].number_notation.decimal_mark=comma",
         "csv.not_a_number"},
        {"linear.cannery",
         {kTable + "[\"groups.csv\"]", kNumberX,
          "data.column[0].number_notation={ group_mark: \" \" }", "data.bad_rows=SKIP"},
         "data.column[0].number_notation.group_mark=\"'\""},
        {"linear.cannery",
         {kTable + "[\"marks.csv\"]", kNumberX, "data.column[0].number_notation={ affix: \"$\" }",
          "data.bad_rows=SKIP"},
         "data.column[0].number_notation.affix=[\"*\"]"},
        {"linear.cannery",
         {kTable + "[\"brackets.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.column[0].number_notation.brackets_negative=true"},
        {"linear.cannery",
         {kTable + "[\"minuses.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.column[0].number_notation.minus_behind=true"},
        {"linear.cannery",
         {kTable + "[\"magnitudes.csv\"]", kNumberX, "data.bad_rows=SKIP"},
         "data.column[0].number_notation.magnitudes=true"},
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
        {"linear.cannery",
         {"data.feature[6]={ name: \"tone2\" column: \"colour\" }",
          "feature_column[h].categorical_column_with_hash_bucket.key=tone2",
          "estimator.linear_classifier.feature_columns=[h]"},
         "data.feature[tone2].column=shade"},
    };
}

std::vector<SchemaReading> ofDates()
{
    const std::vector<std::string> partOf{
        kTable + "[\"times.csv\"]", "data.column=",
        "data.feature=[{ name: \"part\" date_part { column: \"year\" part: days_since origin: "
        "\"2000\" } }]",
        "feature_column=[{ name: \"p\" numeric_column { key: \"part\" } }]",
        "estimator.linear_classifier.feature_columns=[p]"};
    return {
        {"linear.cannery", partOf, "data.feature[0].date_part.column=later"},
        {"linear.cannery",
         {partOf[0], partOf[1],
          "data.feature=[{ name: \"part\" date_part { column: \"year\" part: weekday } }]",
          partOf[3], partOf[4]},
         "data.feature[0].date_part.part=year"},
        {"linear.cannery", partOf, "data.feature[0].date_part.origin=2001"},
        {"linear.cannery",
         {kTable + "[\"times.csv\"]", "data.column=[{ name: \"year\" date_notation: excel_days }]",
          partOf[2], partOf[3], partOf[4]},
         "data.column[0].date_notation=unix_seconds"},
    };
}

/// The rows of a table without quotes as JSON lines of texts.
QByteArray asObjects(const QByteArray& table)
{
    const QList<QByteArray> lines = table.trimmed().split('\n');
    const QList<QByteArray> names = lines.front().split(',');
    QByteArray objects;
    for (const QByteArray& line : lines.mid(1)) {
        const QList<QByteArray> cells = line.split(',');
        for (qsizetype i = 0; i < names.size(); ++i) {
            objects += (i == 0 ? "{\"" : ", \"") + names[i] + "\": \"" + cells[i] + '"';
        }
        objects += "}\n";
    }
    return objects;
}

} // namespace

void writeOtherSources(const ProjectFixture& project)
{
    if (project.run({"convert", "numbers.csv", "numbers.tfrecord"}).exitCode != 0) {
        qFatal("numbers.csv is not converted");
    }
    const QByteArray numbers = project.read("numbers.tfrecord");
    QDir(project.path(".")).mkpath("parted");
    project.write("parted/numbers-train.tfrecord-00000-of-00001", numbers);
    project.write("parted/numbers-test.tfrecord-00000-of-00001", numbers + numbers);
    project.write("texts.pbtxt", project.read("schema.pbtxt").replace("FLOAT", "BYTES"));
    QByteArray spoilt = numbers;
    constexpr qsizetype kInTheFirstRecord = 40;
    spoilt[kInTheFirstRecord] = static_cast<char>(spoilt[kInTheFirstRecord] ^ 1);
    project.write("spoilt.tfrecord", spoilt);
    for (const char* archive : {"stored.npz", "deflated.npz"}) {
        QFile::copy(QStringLiteral(CANNERY_SOURCE_DIR "/tests/golden/npz/") + archive,
                    project.path(archive));
    }
    project.write("numbers.jsonl", "{\"amount\": 0.25}\n{\"amount\": 0.5}\n{\"amount\": 1}\n"
                                   "{\"amount\": 2}\n{\"amount\": 4}\n");
    project.write("numbers.arff", "@relation numbers\n@attribute amount real\n@data\n"
                                  "0.25\n0.5\n1\n2\n4\n");
    project.write("numbers.fwf",
                  "x       amount\n1       0.5\n2       0.25\n34567891.5\n4       2\n");
    project.write("numbers.svm", "1 3:0.25\n0 3:0.5\n1 3:1\n0 3:2\n1 1:1 3:4\n");
    project.write("odd.jsonl", asObjects(project.read("odd.csv")));
    for (const char* rows : {"(0.25), (0.5), (1), (2), (4)", "(3), (5), (7), (9)"}) {
        const bool isFirst = !project.exists("numbers.db");
        const std::string file = project.path(isFirst ? "numbers.db" : "other.db").toStdString();
        auto database = storage::Database::open(file, storage::DatabaseMode::ReadWriteCreate);
        if (!database ||
            !database->execute(std::string("CREATE TABLE numbers (amount REAL); INSERT "
                                           "INTO numbers VALUES ") +
                               rows +
                               "; CREATE VIEW half AS SELECT amount / 2 AS amount "
                               "FROM numbers")) {
            qFatal("%s is not written", file.c_str());
        }
    }
}

std::vector<SchemaReading> readingsOfData()
{
    return joined(
        {ofTables(), ofQuotes(), ofOtherSources(), ofLabels(), ofNamedColumns(), ofDates()});
}

} // namespace cannery::tests
