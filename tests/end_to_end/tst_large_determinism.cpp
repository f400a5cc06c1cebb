// SPDX-License-Identifier: Apache-2.0
#include "core/spec/text/parsed_experiment.h"
#include "core/train/train_and_evaluate.h"
#include "kernels/device/block_count.h"
#include "storage/io/files.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <map>

using namespace cannery;

namespace {

constexpr int kRowCount = 24'000;

/// Everything that could be summed in another order: wide layers, moments over a batch, dropout,
/// tables, many ids per row, crosses, statistics of many chunks, rows that do not fit into memory.
constexpr const char* kLargeExperiment = R"(data {
  train { csv { files: "table.csv" } }
  label { column: "label" }
  feature { name: "tags" split { column: "tags" separator: "|" } }
}
feature_column { name: "x" numeric_column { key: "x" normalizer { z_score {} } } }
feature_column { name: "y" numeric_column { key: "y" normalizer { z_score {} } } }
feature_column { name: "x_ranges" bucketized_column { source_column: "x" boundaries: [-1, 0, 1] } }
feature_column { name: "tags" categorical_column_with_hash_bucket { key: "tags" hash_bucket_size: 500 } }
feature_column { name: "tags_vector" embedding_column { categorical_column: "tags" dimension: 16 } }
feature_column { name: "shop" categorical_column_with_hash_bucket { key: "shop" hash_bucket_size: 3000 } }
feature_column { name: "shop_vector" embedding_column { categorical_column: "shop" dimension: 24 combiner: sqrtn } }
feature_column { name: "shop_x_range" crossed_column { key { feature: "shop" } key { column: "x_ranges" } hash_bucket_size: 5000 } }
feature_column { name: "range_indicator" indicator_column { categorical_column: "x_ranges" } }
estimator {
  dnn_linear_combined_classifier {
    linear_feature_columns: ["shop_x_range", "tags", "y"]
    dnn_feature_columns: ["x", "y", "tags_vector", "shop_vector", "range_indicator"]
    dnn_hidden_units: [512, 512]
    dnn_dropout: 0.2
    dnn_optimizer { adam { learning_rate: 0.001 } }
    batch_norm: true
  }
}
train_spec { max_steps: 12 input { batch_size: 1024 shuffle: true } }
run_config {
  tf_random_seed: 5 save_checkpoints_steps: 4 keep_checkpoint_max: 0 save_summary_steps: 4
  cache_memory_mb: 1
}
)";

void writeRows(const std::string& path)
{
    std::ofstream file(path);
    file << "x,y,shop,tags,label\n";
    for (int row = 0; row < kRowCount; ++row) {
        const int mixed = static_cast<int>((static_cast<long long>(row) * 7919 + 13) % 10007);
        file << (mixed - 5000) / 1700.0 << ',' << row * 31 % 977 / 3.0 << ",s" << mixed % 2500;
        file << ",t" << mixed % 401;
        for (int tag = 0; tag < row % 4; ++tag) {
            file << "|t" << (mixed + 37 * tag) % 450;
        }
        file << ',' << (mixed % 97 + row % 5 > 50 ? 1 : 0) << '\n';
    }
}

/// Every byte of every checkpoint, by the file's name.
std::map<QString, QByteArray> checkpoints(const std::string& folder)
{
    std::map<QString, QByteArray> files;
    const QDir dir(QString::fromStdString(folder));
    for (const QString& name : dir.entryList({"model.ckpt-*.index", "model.ckpt-*.data-*"})) {
        QFile file(dir.filePath(name));
        if (file.open(QIODevice::ReadOnly)) {
            files[name] = file.readAll();
        }
    }
    return files;
}

QStringList namesOf(const std::map<QString, QByteArray>& files)
{
    QStringList names;
    for (const auto& [name, bytes] : files) {
        names << name;
    }
    return names;
}

} // namespace

/// The same bytes of every checkpoint for any number of threads and after a resume, for a run that
/// is large enough for its blocks to be distributed over the threads.
class TstLargeDeterminism : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void rowsDoNotFitIntoMemory();
    void rowsInMemoryGiveTheSameBytes();
    void threadsGiveTheSameBytes_data();
    void threadsGiveTheSameBytes();
    void aResumedRunGivesTheSameBytes();

private:
    train::TrainRequest request(const std::string& folder, int threads) const;
    std::string path(const std::string& name) const
    {
        return m_folder.filePath(QString::fromStdString(name)).toStdString();
    }

    QTemporaryDir m_folder;
    std::map<QString, QByteArray> m_expected;
};

train::TrainRequest TstLargeDeterminism::request(const std::string& folder, int threads) const
{
    train::TrainRequest request;
    request.experiment = spec::parseExperiment(kLargeExperiment).experiment;
    request.experimentFile = path("large.cannery");
    request.modelDir = path(folder);
    request.threads = threads;
    return request;
}

void TstLargeDeterminism::initTestCase()
{
    writeRows(path("table.csv"));
    const kernels::BlockCount blocks;
    VERIFY_OK(train::trainAndEvaluate(request("one", 1)));
    // With one thread, only the caller works.
    QCOMPARE(blocks.byWorker().size(), std::size_t{1});
    QVERIFY(blocks.byWorker()[0] > 1000);
    m_expected = checkpoints(path("one"));
    QCOMPARE(namesOf(m_expected).filter(".index"),
             (QStringList{"model.ckpt-0.index", "model.ckpt-12.index", "model.ckpt-4.index",
                          "model.ckpt-8.index"}));
}

/// Trains without a place for rows that do not fit into memory.
Result<train::TrainReport> trainWithoutSpilling(const train::TrainRequest& request)
{
    const QByteArray before = qgetenv("TMPDIR");
    qputenv("TMPDIR", "/nonexistent");
    auto trained = train::trainAndEvaluate(request);
    before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
    return trained;
}

/// Without a folder for them, training fails: so they do go to disk.
void TstLargeDeterminism::rowsDoNotFitIntoMemory()
{
    const auto trained = trainWithoutSpilling(request("nowhere", 1));
    QVERIFY(!trained);
    QVERIFY2(trained.error().message().find("/nonexistent") != std::string::npos,
             trained.error().message().c_str());
}

/// Rows are the same whether read back from disk or not.
void TstLargeDeterminism::rowsInMemoryGiveTheSameBytes()
{
    train::TrainRequest inMemory = request("memory", 2);
    inMemory.experiment.mutable_run_config()->clear_cache_memory_mb();
    VERIFY_OK(trainWithoutSpilling(inMemory));
    const auto written = checkpoints(path("memory"));
    QCOMPARE(namesOf(written), namesOf(m_expected));
    for (const auto& [name, bytes] : m_expected) {
        QVERIFY2(written.at(name) == bytes, qPrintable(name));
    }
}

void TstLargeDeterminism::threadsGiveTheSameBytes_data()
{
    QTest::addColumn<int>("threads");
    QTest::newRow("two") << 2;
    QTest::newRow("three") << 3;
    QTest::newRow("seven") << 7;
}

void TstLargeDeterminism::threadsGiveTheSameBytes()
{
    QFETCH(int, threads);
    const std::string folder = "threads" + std::to_string(threads);
    const kernels::BlockCount blocks;
    VERIFY_OK(train::trainAndEvaluate(request(folder, threads)));
    const std::vector<std::uint64_t> byWorker = blocks.byWorker();
    QVERIFY2(byWorker.size() >= 2, "no other thread than the caller ran a block");
    QVERIFY(byWorker.size() <= static_cast<std::size_t>(threads));
    const auto written = checkpoints(path(folder));
    QCOMPARE(namesOf(written), namesOf(m_expected));
    for (const auto& [name, bytes] : m_expected) {
        QVERIFY2(written.at(name) == bytes, qPrintable(name));
    }
}

void TstLargeDeterminism::aResumedRunGivesTheSameBytes()
{
    train::TrainRequest half = request("parts", 3);
    half.experiment.mutable_train_spec()->set_max_steps(6);
    VERIFY_OK(train::trainAndEvaluate(half));
    VERIFY_OK(train::trainAndEvaluate(request("parts", 2)));
    const auto written = checkpoints(path("parts"));
    int compared = 0;
    for (const auto& [name, bytes] : m_expected) {
        if (written.contains(name)) {
            QVERIFY2(written.at(name) == bytes, qPrintable(name));
            ++compared;
        }
    }
    // Steps 0, 4 and 12 in two files each; 8 too, unless the resumed run counts from step 6.
    QVERIFY(compared >= 6);
}

CANNERY_TEST(TstLargeDeterminism)
#include "tst_large_determinism.moc"
