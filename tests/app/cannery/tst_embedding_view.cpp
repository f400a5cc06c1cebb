// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/embedding_view.h"
#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_record.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace cannery;
using namespace cannery::app;

namespace {

const std::string kScope = "dnn/input_from_feature_columns/input_layer/";

constexpr const char* kExperiment = R"(
name: "e"
data { train { csv { files: "t.csv" } } label { column: "label" } }
feature_column { name: "word" categorical_column_with_vocabulary_list {
    key: "word" vocabulary_list: ["up", "do\twn"] num_oov_buckets: 1 } }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "ages" bucketized_column { source_column: "age" boundaries: [18, 65.5] } }
feature_column { name: "hashed" categorical_column_with_hash_bucket {
    key: "city" hash_bucket_size: 3 } }
feature_column { name: "number" categorical_column_with_identity { key: "n" num_buckets: 3 } }
feature_column { name: "gone" categorical_column_with_vocabulary_file {
    key: "word" vocabulary_file: "gone.txt" vocabulary_size: 3 } }
feature_column { name: "words" embedding_column { categorical_column: "word" dimension: 2 } }
feature_column { name: "age groups" embedding_column { categorical_column: "ages" dimension: 2 } }
feature_column { name: "shared" shared_embeddings {
    categorical_columns: ["number"] dimension: 2 shared_embedding_collection_name: "my table" } }
feature_column { name: "cities" embedding_column { categorical_column: "hashed" dimension: 2 } }
feature_column { name: "lost" embedding_column { categorical_column: "gone" dimension: 2 } }
estimator { dnn_classifier { hidden_units: [2] feature_columns: ["words"] } }
train_spec { max_steps: 1 }
)";

/// A folder of a run with one checkpoint of these tables, three rows each.
class Run
{
public:
    explicit Run(const std::vector<std::string>& variables,
                 const std::vector<float>& values = {0, 0, 3, 4, -3, -4})
    {
        QFile file(m_folder.filePath("experiment.cannery"));
        if (!file.open(QIODevice::WriteOnly) || file.write(kExperiment) < 0) {
            qFatal("cannot write an experiment");
        }
        file.close();
        storage::RunInfo info;
        info.name = "run-001";
        info.experimentFile = path("e.cannery");
        if (!storage::RunFiles(path("")).writeInfo(info)) {
            qFatal("cannot write the description of a run");
        }
        const auto rows = static_cast<std::int64_t>(values.size() / 2);
        const storage::HostTensor table = storage::HostTensor::of(values, Shape{rows, 2});
        std::vector<storage::NamedTensor> tensors;
        for (const std::string& name : variables) {
            tensors.push_back({name, table});
        }
        if (!storage::writeCheckpoint(prefix(), tensors)) {
            qFatal("cannot write a checkpoint");
        }
    }

    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    std::string prefix() const { return path("model.ckpt-7"); }

private:
    QTemporaryDir m_folder;
};

} // namespace

class TstEmbeddingView : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tablesOfColumnsAndOfTensorFlowsNamesAreListed();
    void rowsAreNamedByWhatTheyStandFor_data();
    void rowsAreNamedByWhatTheyStandFor();
    void aTableIsSeenAlongItsComponents();
    void whatCannotBeNamedSaysWhy();
    void unknownTablesAndStrangeNumbersAreRefused();
    void theProjectorGetsEveryRow();
};

void TstEmbeddingView::tablesOfColumnsAndOfTensorFlowsNamesAreListed()
{
    const Run run({kScope + "word_embedding/embedding_weights",
                   kScope + "word_embedding/embedding_weights/Adagrad", kScope + "my_table",
                   "dnn/hiddenlayer_0/kernel", "other/embedding_weights"});
    const Result<Inspection> found = inspectEmbeddings(run.prefix());
    VERIFY_OK(found);
    const auto tables = nlohmann::ordered_json::parse(found->json)["tables"];
    QCOMPARE(tables.size(), std::size_t(3));
    QCOMPARE(tables[0]["variable"].get<std::string>(), kScope + "my_table");
    QCOMPARE(tables[0]["column"].get<std::string>(), std::string("shared"));
    QCOMPARE(tables[1]["column"].get<std::string>(), std::string("words"));
    QCOMPARE(tables[1]["rows"].get<int>(), 3);
    QCOMPARE(tables[1]["dimension"].get<int>(), 2);
    QCOMPARE(tables[2]["column"].get<std::string>(), std::string());
}

void TstEmbeddingView::rowsAreNamedByWhatTheyStandFor_data()
{
    using Texts = std::vector<std::string>;
    QTest::addColumn<std::string>("variable");
    QTest::addColumn<std::string>("column");
    QTest::addColumn<Texts>("texts");
    QTest::newRow("words") << kScope + "word_embedding/embedding_weights" << std::string("words")
                           << Texts{"up", "do\twn", ""};
    QTest::newRow("ranges") << kScope + "age_bucketized_embedding/embedding_weights"
                            << std::string("age groups")
                            << Texts{"< 18", "18 ≤ … < 65.5", "≥ 65.5"};
    QTest::newRow("numbers") << kScope + "my_table" << std::string("shared")
                             << Texts{"0", "1", "2"};
    QTest::newRow("hashes") << kScope + "city_embedding/embedding_weights" << std::string("cities")
                            << Texts{"", "", ""};
}

void TstEmbeddingView::rowsAreNamedByWhatTheyStandFor()
{
    QFETCH(std::string, variable);
    QFETCH(std::string, column);
    QFETCH(std::vector<std::string>, texts);
    const Run run({variable});
    for (const std::string& name : {variable, column}) {
        const Result<EmbeddingView> view = lookAtEmbedding(run.prefix(), name);
        VERIFY_OK(view);
        QCOMPARE(view->variable, variable);
        QCOMPARE(view->column, column);
        QCOMPARE(view->texts, texts);
        QCOMPARE(view->problem, std::string());
    }
}

void TstEmbeddingView::aTableIsSeenAlongItsComponents()
{
    const Run run({kScope + "word_embedding/embedding_weights"});
    const Result<EmbeddingView> view = lookAtEmbedding(run.prefix(), "words");
    VERIFY_OK(view);
    const auto json = nlohmann::ordered_json::parse(embeddingInspection(*view).json);
    QCOMPARE(json["components"].size(), std::size_t(1));
    // (3, 4) and (-3, -4) are five from the middle: 50 / 3.
    QVERIFY(std::fabs(json["components"][0]["variance"].get<double>() - 50.0 / 3) < 1e-9);
    QCOMPARE(json["components"][0]["share"].get<double>(), 1.0);
    QCOMPARE(json["points"].size(), std::size_t(3));
    QCOMPARE(json["points"][1]["text"].get<std::string>(), std::string("do\twn"));
    QVERIFY(std::fabs(json["points"][1]["at"][0].get<double>() - 5) < 1e-9);
    QVERIFY(std::fabs(json["points"][2]["at"][0].get<double>() + 5) < 1e-9);
    const Run same({kScope + "word_embedding/embedding_weights"}, {1, 2, 1, 2});
    const Result<EmbeddingView> nothing = lookAtEmbedding(same.prefix(), "words");
    VERIFY_OK(nothing);
    QVERIFY(nothing->components.variances.empty());
    QCOMPARE(nlohmann::ordered_json::parse(embeddingInspection(*nothing).json)["points"].size(),
             std::size_t(2));
}

void TstEmbeddingView::whatCannotBeNamedSaysWhy()
{
    const Run run({kScope + "word_embedding/embedding_weights"});
    QVERIFY(QFile::remove(QString::fromStdString(run.path("experiment.cannery"))));
    const Result<EmbeddingView> view =
        lookAtEmbedding(run.prefix(), kScope + "word_embedding/embedding_weights");
    VERIFY_OK(view);
    QCOMPARE(view->texts, std::vector<std::string>(3));
    QVERIFY(view->problem.find("no experiment") != std::string::npos);
    QCOMPARE(view->components.variances.size(), std::size_t(1));
}

void TstEmbeddingView::unknownTablesAndStrangeNumbersAreRefused()
{
    const Run run({kScope + "word_embedding/embedding_weights"});
    const Result<EmbeddingView> unknown = lookAtEmbedding(run.prefix(), "cities");
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().id, std::string("inspect.no_embedding"));
    const Run strange({kScope + "word_embedding/embedding_weights"},
                      {1, std::numeric_limits<float>::quiet_NaN()});
    const Result<EmbeddingView> values = lookAtEmbedding(strange.prefix(), "words");
    QVERIFY(!values);
    QCOMPARE(values.error().id, std::string("inspect.embedding_values"));
    const Result<EmbeddingView> nothing = lookAtEmbedding(run.path("experiment.cannery"), "words");
    QVERIFY(!nothing);
    QCOMPARE(nothing.error().id, std::string("inspect.no_checkpoint"));
}

void TstEmbeddingView::theProjectorGetsEveryRow()
{
    const Run run({kScope + "word_embedding/embedding_weights"});
    const Result<EmbeddingView> view = lookAtEmbedding(run.prefix(), "words");
    VERIFY_OK(view);
    const std::string folder = run.path("projector/words");
    VERIFY_OK(writeProjector(*view, folder));
    QCOMPARE(*storage::readWholeFile(folder + "/tensor.tsv"), std::string("0\t0\n3\t4\n-3\t-4\n"));
    QCOMPARE(*storage::readWholeFile(folder + "/metadata.tsv"), std::string("up\ndo wn\n2\n"));
    QVERIFY(storage::readWholeFile(folder + "/projector_config.pbtxt")
                ->find("metadata_path: \"metadata.tsv\"") != std::string::npos);
    const Result<void> again = writeProjector(*view, folder);
    QVERIFY(!again);
    QCOMPARE(again.error().id, std::string("inspect.projector_is_there"));
}

CANNERY_TEST(TstEmbeddingView)
#include "tst_embedding_view.moc"
