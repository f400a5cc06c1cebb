// SPDX-License-Identifier: GPL-3.0-only
#include "tests/architecture/engine_sources.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/document/experiment_document.h"
#include "ui/document/problem_catalog.h"
#include "ui/document/problem_cures.h"
#include "ui/models/tables/table_trouble.h"
#include "ui/pages/data/table_change.h"
#include "ui/pages/train/end_note.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <memory>

using namespace cannery::ui;
using cannery::tests::kPatience;
using cannery::tests::SourceText;

namespace {

/// Rooms whose errors a newcomer meets: each of them is looked at by itself.
const QStringList kOneByOne{"spec",   "data",       "csv",           "features", "head",
                            "layers", "estimators", "train",         "gpu",      "plan",
                            "npz",    "tfrecord",   "sqlite_source", "image",    "image_folder"};

/// All errors of the engine and of the window's own rooms, with their sentences.
QMap<QString, QString> knownErrors()
{
    static const QRegularExpression kDefinition(
        R"re((?:ErrorKind\s+k\w+|\.unknownAction|\.usage)\s*=?\s*\{\s*((?:"(?:[^"\\]|\\.)*"\s*)+),)re"
        R"re(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\})re");
    static const QRegularExpression kMadeHere(
        R"re(\bid = QStringLiteral\("((?:data|document)\.\w+)"\))re");
    static const QRegularExpression kBetweenLiterals(R"re("\s*")re");
    QMap<QString, QString> errors;
    const auto literal = [](QString text) {
        return text.remove(kBetweenLiterals).trimmed().remove(u'"');
    };
    for (const SourceText& source :
         cannery::tests::engineSources() +
             cannery::tests::sourcesBelow({"ui/document", "ui/services"})) {
        auto kinds = kDefinition.globalMatch(source.text);
        while (kinds.hasNext()) {
            const QRegularExpressionMatch kind = kinds.next();
            errors.insert(literal(kind.captured(1)), literal(kind.captured(2)));
        }
        auto made = kMadeHere.globalMatch(source.text);
        while (made.hasNext()) {
            errors.insert(made.next().captured(1), QString());
        }
    }
    return errors;
}

/// The parts of an experiment; each row of aCureCures replaces some of them.
struct Parts
{
    QByteArray data = "train { csv { files: \"a.csv\" } } label { column: \"y\" }";
    QByteArray columns = "";
    QByteArray estimator = "linear_classifier { feature_columns: [\"age\"] }";
    QByteArray rest = "train_spec { max_steps: 10 }";

    QByteArray text() const
    {
        return "data { " + data +
               " }\n"
               "feature_column { name: \"age\" numeric_column { key: \"age\" } }\n"
               "feature_column { name: \"sex\" categorical_column_with_vocabulary_list {\n"
               "  key: \"sex\" vocabulary_list: [\"m\", \"f\"] } }\n" +
               columns + "\nestimator { " + estimator + " }\n" + rest + "\n";
    }
};

} // namespace

/// Every error that the window can show has a way out of it, or a reason why there is none.
class TstProblemCatalog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void everyErrorHasAnEntry();
    void everyEntryIsOfAnError();
    void whatHasNoButtonHasAReason();
    void everyEditIsTried();
    void aCureCures_data();
    void aCureCures();
    void anEditFollowsWhatTheEngineFound_data();
    void anEditFollowsWhatTheEngineFound();
    void pagesShowWhatIsTheirs();
    void runsSayWhatHelpsFirst();
    void noSentenceNamesAFieldThatHasAButton();

private:
    using AddRow = std::function<void(const char* id, const Parts& parts)>;

    static void addModelRows(const AddRow& row);
    std::unique_ptr<ExperimentDocument> open(const QByteArray& text) const;
    static const ProblemRow* find(const ExperimentDocument& document, const QString& id);

    std::unique_ptr<QTemporaryDir> m_folder;
};

std::unique_ptr<ExperimentDocument> TstProblemCatalog::open(const QByteArray& text) const
{
    QFile file(m_folder->filePath("a.cannery"));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
        return nullptr;
    }
    file.close();
    auto document = std::make_unique<ExperimentDocument>();
    document->open(file.fileName());
    return QTest::qWaitFor([&] { return !document->isLoading(); }, int(kPatience))
               ? std::move(document)
               : nullptr;
}

const ProblemRow* TstProblemCatalog::find(const ExperimentDocument& document, const QString& id)
{
    const auto found =
        std::find_if(document.problems().all().begin(), document.problems().all().end(),
                     [&](const ProblemRow& problem) { return problem.id == id; });
    return found == document.problems().all().end() ? nullptr : &*found;
}

void TstProblemCatalog::everyErrorHasAnEntry()
{
    const QMap<QString, QString> errors = knownErrors();
    QVERIFY(errors.size() > 900);
    QStringList missing;
    for (auto error = errors.cbegin(); error != errors.cend(); ++error) {
        if (problemEntry(error.key()) == nullptr) {
            missing << error.key();
        }
    }
    QCOMPARE(missing, QStringList());
}

void TstProblemCatalog::everyEntryIsOfAnError()
{
    const QStringList errors = knownErrors().keys();
    QStringList stale;
    for (const QString& id : problemIds()) {
        const QString room = id.section(u'.', 0, 0);
        if (!id.endsWith(".*")) {
            if (!errors.contains(id)) {
                stale << id;
            }
            continue;
        }
        QVERIFY2(!kOneByOne.contains(room), qPrintable(id));
        if (errors.filter(QRegularExpression('^' + room + "\\.")).isEmpty()) {
            stale << id;
        }
    }
    QCOMPARE(stale, QStringList());
}

void TstProblemCatalog::whatHasNoButtonHasAReason()
{
    for (const QString& id : problemIds()) {
        const ProblemEntry* entry = problemEntry(id);
        const QString reason = entry->reason;
        const bool isEdit = entry->way == ProblemWay::Edit;
        QVERIFY2(isEdit == (entry->act != ProblemAct::None), qPrintable(id));
        QVERIFY2(isEdit || (reason.size() > 20 && reason.endsWith(u'.')), qPrintable(id));
    }
}

/// Each edit of the catalog is made in one of the two tests below.
void TstProblemCatalog::everyEditIsTried()
{
    static const QRegularExpression kRow(R"re(^    row\("([\w.]+)")re",
                                         QRegularExpression::MultilineOption);
    QFile file(QStringLiteral(CANNERY_SOURCE_DIR "/tests/ui/pages/tst_problem_catalog.cpp"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QSet<QString> tried;
    auto row = kRow.globalMatch(QString::fromUtf8(file.readAll()));
    while (row.hasNext()) {
        tried << row.next().captured(1);
    }
    QStringList untried;
    for (const QString& id : problemIds()) {
        if (problemEntry(id)->way == ProblemWay::Edit && !tried.contains(id)) {
            untried << id;
        }
    }
    QCOMPARE(untried, QStringList());
}

void TstProblemCatalog::aCureCures_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* id, const Parts& parts) { QTest::newRow(id) << parts.text(); };
    const QByteArray eval = "train { csv { files: \"a.csv\" } } eval { csv { files: \"b.csv\" } } "
                            "label { column: \"y\" } ";
    row("spec.nothing_to_evaluate", {.rest = "train_spec { max_steps: 10 }\neval_spec { }"});
    row("spec.split_and_eval", {.data = eval + "split { fraction { eval_fraction: 0.2 } }"});
    row("spec.sweep_nothing_to_compare",
        {.rest = "sweep { grid { } parameter { field: \"train_spec.input.batch_size\" choice { "
                 "value: [\"8\", \"16\"] } } }"});
    row("spec.live_evaluation_rows",
        {.rest = "train_spec { max_steps: 10 hook { in_memory_evaluator_hook { } } }"});
    row("spec.early_stopping_rows",
        {.estimator = "boosted_trees_classifier { feature_columns: [\"age\"] histogram { "
                      "early_stopping_evals: 3 } }"});
    row("spec.endless_training", {.rest = "train_spec { }"});
    row("spec.label_unread",
        {.estimator = "kmeans { num_clusters: 2 feature_columns: [\"age\"] }"});
    row("spec.label_as_feature",
        {.data = "train { csv { files: \"a.csv\" } } label { column: \"sex\" }",
         .columns = "feature_column { name: \"sex_indicator\" indicator_column { "
                    "categorical_column: \"sex\" } }"});
    row("spec.key_as_feature", {.data = Parts().data + " key_column: \"sex\""});
    row("spec.dangling_column",
        {.estimator = "linear_classifier { feature_columns: [\"age\", \"gone\"] }"});
    row("spec.column_twice",
        {.estimator = "linear_classifier { feature_columns: [\"age\", \"age\"] }"});
    row("spec.duplicate_vocabulary",
        {.columns = "feature_column { name: \"port\" categorical_column_with_vocabulary_list { "
                    "key: \"port\" vocabulary_list: [\"S\", \"S\", \"C\"] } }"});
    row("spec.duplicate_class",
        {.estimator = "linear_classifier { feature_columns: [\"age\"] n_classes: 3 "
                      "label_vocabulary: [\"a\", \"b\", \"c\", \"a\"] }"});
    row("spec.same_tensorflow_name",
        {.columns = "feature_column { name: \"age_2\" numeric_column { key: \"age\" } }",
         .estimator = "linear_classifier { feature_columns: [\"age\", \"age_2\"] }"});
    addModelRows(row);
}

void TstProblemCatalog::addModelRows(const AddRow& row)
{
    const QByteArray network = "dnn_classifier { hidden_units: [4] feature_columns: ";
    row("spec.device_twice",
        {.rest = "strategy { mirrored { devices: [\"CPU:0\", \"CPU:0\", \"CPU:1\"] } }"});
    row("spec.slice_column_twice", {.data = Parts().data + " eval { csv { files: \"b.csv\" } }",
                                    .rest = "eval_spec { slice { columns: [\"age\", \"age\"] } }"});
    row("spec.monotone_twice",
        {.estimator = "boosted_trees_regressor { feature_columns: [\"age\"] histogram { "
                      "monotone { column: \"age\" } monotone { column: \"age\" } } }"});
    row("spec.monotone_unused",
        {.columns = "feature_column { name: \"fare\" numeric_column { key: \"fare\" } }",
         .estimator = "boosted_trees_regressor { feature_columns: [\"age\"] histogram { "
                      "monotone { column: \"fare\" } } }"});
    row("spec.needs_sequence",
        {.estimator = "rnn_classifier { units: [4] sequence_feature_columns: [\"age\"] }"});
    row("spec.unexpected_sequence",
        {.data = Parts().data + " feature { name: \"steps\" split { column: \"s\" separator: \"|\" "
                                "dtype: float32 } }",
         .columns = "feature_column { name: \"s\" sequence_numeric_column { key: \"steps\" } }",
         .estimator = network + "[\"age\", \"s\"] }"});
    row("spec.trees_column",
        {.columns = "feature_column { name: \"e\" embedding_column { categorical_column: \"sex\" "
                    "dimension: 2 } }",
         .estimator = "boosted_trees_classifier { feature_columns: [\"age\", \"e\"] "
                      "n_batches_per_layer: 1 }"});
    row("spec.trees_column_shape",
        {.columns = "feature_column { name: \"m\" numeric_column { key: \"m\" shape: [2, 2] } }",
         .estimator = "boosted_trees_classifier { feature_columns: [\"age\", \"m\"] "
                      "n_batches_per_layer: 1 }"});
    row("spec.sdca_column",
        {.columns = "feature_column { name: \"e\" embedding_column { categorical_column: \"sex\" "
                    "dimension: 2 } }",
         .estimator = "linear_classifier { feature_columns: [\"age\", \"e\"] optimizer { "
                      "linear_sdca { example_id_column: \"id\" } } }"});
    row("spec.sdca_column_shape",
        {.columns = "feature_column { name: \"m\" numeric_column { key: \"m\" shape: [2, 2] } }",
         .estimator = "linear_classifier { feature_columns: [\"age\", \"m\"] optimizer { "
                      "linear_sdca { example_id_column: \"id\" } } }"});
    row("spec.network_needs_dense", {.estimator = network + "[\"age\", \"sex\"] }"});
    row("spec.no_hidden_units",
        {.estimator = "dnn_linear_combined_classifier { dnn_feature_columns: [\"age\"] }"});
    row("spec.unused_hidden_units",
        {.estimator = "dnn_linear_combined_classifier { linear_feature_columns: [\"age\"] "
                      "dnn_hidden_units: [4] }"});
    row("spec.unused_origin",
        {.data = Parts().data + " feature { name: \"m\" date_part { column: \"d\" part: month "
                                "origin: \"2024-01-01\" } }"});
    row("spec.sequence_mask_unused",
        {.data = Parts().data + " feature { name: \"steps\" split { column: \"s\" separator: \"|\" "
                                "dtype: float32 } }",
         .columns = "feature_column { name: \"s\" sequence_numeric_column { key: \"steps\" } }",
         .estimator = "rnn_classifier { units: [4] sequence_feature_columns: [\"s\"] "
                      "sequence_mask: \"m\" }"});
    row("spec.precision_of_cpu",
        {.rest = "strategy { one_device { device: \"CPU:0\" } precision: mixed_bfloat16 }"});
    row("spec.default_and_oov",
        {.columns = "feature_column { name: \"port\" categorical_column_with_vocabulary_list { "
                    "key: \"port\" vocabulary_list: [\"S\"] default_value: 0 num_oov_buckets: 2 } "
                    "}"});
}

void TstProblemCatalog::aCureCures()
{
    QFETCH(QByteArray, text);
    const QString id = QTest::currentDataTag();
    const auto document = open(text);
    QVERIFY(document);
    QStringList found;
    for (const ProblemRow& problem : document->problems().all()) {
        found << problem.id + " at " + problem.path + ": " + problem.sentence;
    }
    const ProblemRow* problem = find(*document, id);
    QVERIFY2(problem != nullptr, qPrintable(found.join("\n")));
    QVERIFY2(!problem->fix.isEmpty(), qPrintable(problem->path));
    QVERIFY(applyCure(*document, ProblemRow(*problem)));
    QTRY_VERIFY_WITH_TIMEOUT(document->isSettled(), kPatience);
    QVERIFY2(find(*document, id) == nullptr, qPrintable(document->text()));
    // Nothing worse came in its place.
    for (const ProblemRow& left : document->problems().all()) {
        QVERIFY2(!left.id.startsWith("spec.missing_") && left.id != "spec.dangling_column" &&
                     left.id != "spec.value_syntax",
                 qPrintable(left.sentence));
    }
}

/// Errors that only the rows or the table show: what `check`, `preview` or a run reports of them.
void TstProblemCatalog::anEditFollowsWhatTheEngineFound_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QByteArray>("written");
    const auto row = [](const char* id, const char* path, const char* sentence,
                        const QByteArray& written) {
        QTest::newRow(id) << QString(path) << QString(sentence) << written;
    };
    row("data.no_eval", "", "", "eval_fraction: 0.2");
    row("train.no_eval_data", "", "", "eval_fraction: 0.2");
    row("train.no_eval_rows", "", "", "eval_fraction: 0.2");
    row("features.label_missing", "", "", "unlabelled_rows: SKIP");
    row("data.bad_piece", "", "", "bad_rows: SKIP");
    row("data.not_a_time", "", "", "bad_rows: SKIP");
    row("features.label_range", "", "", "bad_rows: SKIP");
    row("features.label_unknown", "", "", "bad_rows: SKIP");
    row("features.missing_number", "", "", "bad_rows: SKIP");
    row("features.token_id", "", "", "bad_rows: SKIP");
    row("image.damaged", "", "", "bad_rows: SKIP");
    row("image.empty", "", "", "bad_rows: SKIP");
    row("image.not_an_image", "", "", "bad_rows: SKIP");
    row("image.other_format", "", "", "bad_rows: SKIP");
    row("image.other_variant", "", "", "bad_rows: SKIP");
    row("image.too_dense", "", "", "bad_rows: SKIP");
    row("image.too_large", "", "", "bad_rows: SKIP");
    row("image.truncated", "", "", "bad_rows: SKIP");
    row("image_folder.unusable_row", "", "", "bad_rows: SKIP");
    row("npz.unusable_row", "", "", "bad_rows: SKIP");
    row("sqlite_source.unusable_row", "", "", "bad_rows: SKIP");
    row("tfrecord.not_an_example", "", "", "bad_rows: SKIP");
    row("tfrecord.unusable_record", "", "", "bad_rows: SKIP");
    row("data.too_many_classes", "", "", "eval_fraction: 0.3 } }");
    row("data.eval_and_split", "", "", "label { column: \"y\" } }");
    row("spec.dangling_feature", "feature_column[age].numeric_column.key",
        "There is no feature or column of the table named 'age'. Did you mean 'Age'?",
        "key: \"Age\"");
    row("spec.dangling_table_column", "data.label.column",
        "The table has no column 'y'. Did you mean 'why'?", "column: \"why\"");
}

void TstProblemCatalog::anEditFollowsWhatTheEngineFound()
{
    QFETCH(QString, path);
    QFETCH(QString, sentence);
    QFETCH(QByteArray, written);
    const QString id = QTest::currentDataTag();
    Parts parts;
    if (id == "data.too_many_classes" || id == "data.eval_and_split") {
        parts.data += " split { fraction { eval_fraction: 0.3 stratify: true } }";
    }
    const auto document = open(parts.text());
    QVERIFY(document);
    const ProblemRow row{.id = id, .path = path, .sentence = sentence};
    QVERIFY(!cureOf(row, *document).title.isEmpty());
    QVERIFY(applyCure(*document, row));
    QTRY_VERIFY_WITH_TIMEOUT(document->isSettled(), kPatience);
    QVERIFY2(document->text().simplified().contains(written), qPrintable(document->text()));
}

void TstProblemCatalog::pagesShowWhatIsTheirs()
{
    const auto document =
        open("data { train { sqlite { file: \"a.db\" } } label { column: \"y\" } }\n");
    QVERIFY(document);
    for (const QString& id : problemIds()) {
        const ProblemWay way = problemEntry(id)->way;
        if (way == ProblemWay::Choice) {
            QVERIFY2(isAboutChosenTable(*document, id), qPrintable(id));
        }
        if (way != ProblemWay::Table) {
            continue;
        }
        TableTrouble trouble = tableTroubleOf(id, "…", {"a.csv", "7", "x", "y"}, "/");
        if (id == "data.file_missing") { // the window's own
            trouble.errorId = id;
        }
        QVERIFY2(trouble.canSkip() || trouble.canChangeEncoding() || trouble.canChangeDelimiter() ||
                     trouble.isMissing(),
                 qPrintable(id));
    }
}

void TstProblemCatalog::runsSayWhatHelpsFirst()
{
    const QMap<QString, QString> errors = knownErrors();
    int runs = 0;
    for (const QString& id : problemIds()) {
        if (problemEntry(id)->way != ProblemWay::Run) {
            continue;
        }
        ++runs;
        RunRow run;
        run.reason = QString(errors.value(id)).replace("{1}", "64").replace("{}", "8");
        run.parameters = {{"estimator.dnn_classifier.optimizer.adagrad.learning_rate", "0.5"}};
        const HealthNote note = endNote(run, RunState::Failed, {});
        QVERIFY2(note.cure != HealthCure::None && note.cure != HealthCure::Resume &&
                     note.cure != HealthCure::Retry,
                 qPrintable(id + ": " + run.reason));
    }
    QVERIFY(runs >= 5);
}

/// What a page says beside its button has no fields of the file in it.
void TstProblemCatalog::noSentenceNamesAFieldThatHasAButton()
{
    static const QRegularExpression kOfTheFile(
        R"re(\b(data|eval_spec|train_spec)\.[a-z]|: SKIP|to SKIP)re");
    const QMap<QString, QString> errors = knownErrors();
    QStringList wrong;
    for (auto error = errors.cbegin(); error != errors.cend(); ++error) {
        const ProblemEntry* entry = problemEntry(error.key());
        if (entry == nullptr || entry->way != ProblemWay::Edit) {
            continue;
        }
        const QString words = pageWords({.id = error.key(), .sentence = error.value()});
        if (words.contains(kOfTheFile)) {
            wrong << error.key() + ": " + words;
        }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join("\n")));
}

CANNERY_TEST(TstProblemCatalog)
#include "tst_problem_catalog.moc"
