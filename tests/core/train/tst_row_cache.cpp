// SPDX-License-Identifier: Apache-2.0
#include "core/features/row_file.h"
#include "core/spec/text/spec_override.h"
#include "core/train/preparation/row_cache.h"
#include "storage/io/files.h"
#include "storage/tf/record_file.h"
#include "tests/core/train/training_fixture.h"
#include "tests/storage/io/faulty_file_system.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::FaultyFileSystem;
using cannery::tests::TrainingFixture;

namespace fs = std::filesystem;

namespace {

constexpr const char* kCache = "rows.cache";
constexpr const char* kNoCache = "";
const QString kModel = "estimator.dnn_linear_combined_classifier.";
const QString kX = "feature_column[x].numeric_column.";
const QString kSplit = "data={ train { csv { files: \"train.csv\" } } split { fraction { "
                       "eval_fraction: 0.3 seed: 2 } } label { column: \"label\" } }";

} // namespace

/// The file of encoded rows: when it is used, that it changes nothing, and what damages it.
class TstRowCache : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void secondRunTakesTheRowsFromTheFile_data();
    void secondRunTakesTheRowsFromTheFile();
    void anotherModelOfTheSameColumnsTakesThem();
    void otherRowsAreReadAnew_data();
    void otherRowsAreReadAnew();
    void vocabularyFileCounts();
    void everyDamageIsNoticed();
    void unequalStepsAreDamage();
    void otherFilesAreNotReplaced();
    void changedMomentAgoIsNotKept();
    void fullDiskKeepsNobodyFromTraining();
    void stopsWhileItIsWritten();

private:
    /// Trains in a folder of its own; what the checkpoint holds.
    std::string trained(const QStringList& changes, const char* cache = kCache);
    TrainRequest request(const QStringList& changes) const;
    bool wasRead() const { return says("come from"); }
    bool wasKept() const { return says("are kept in"); }
    bool says(const char* words) const;
    bool warns(const char* words) const;
    void changeTables(const QByteArray& how) const;
    void write(const std::string& name, const std::string& text) const;
    std::string cachePath() const { return m_fixture->path("rows.cache"); }

    std::unique_ptr<TrainingFixture> m_fixture;
    DataSummary m_summary; ///< of the last training
    int m_runs = 0;
};

namespace {

/// File systems count time in steps.
void settle()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
}

bool hasWords(const std::vector<std::string>& sentences, const char* words)
{
    return std::ranges::any_of(sentences, [&](const std::string& sentence) {
        return sentence.find(words) != std::string::npos;
    });
}

} // namespace

void TstRowCache::init()
{
    m_fixture = std::make_unique<TrainingFixture>();
    m_runs = 0;
    settle();
}

bool TstRowCache::says(const char* words) const
{
    return hasWords(m_summary.notes, words);
}

bool TstRowCache::warns(const char* words) const
{
    return hasWords(m_summary.warnings, words);
}

void TstRowCache::write(const std::string& name, const std::string& text) const
{
    std::ofstream(m_fixture->path(name), std::ios::binary) << text;
}

TrainRequest TstRowCache::request(const QStringList& changes) const
{
    TrainRequest request =
        m_fixture->request("train_spec { max_steps: 6 input { batch_size: 16 } }");
    for (const QString& change : changes) {
        const Result<void> applied = spec::applyOverride(request.experiment, change.toStdString());
        if (!applied) {
            QTest::qFail(applied.error().message().c_str(), __FILE__, __LINE__);
        }
    }
    return request;
}

std::string TstRowCache::trained(const QStringList& changes, const char* cache)
{
    TrainRequest all = request(changes);
    all.experiment.mutable_run_config()->set_cache_file(cache);
    all.modelDir = m_fixture->path("run" + std::to_string(++m_runs));
    const Result<TrainReport> report = trainAndEvaluate(all);
    m_summary = report ? report->data : DataSummary();
    if (!report) {
        QTest::qFail(report.error().message().c_str(), __FILE__, __LINE__);
        return {};
    }
    return TrainingFixture::bytes(all.modelDir + "/model.ckpt-6.data-00000-of-00001") +
           std::to_string(m_summary.trainRows) + "/" + std::to_string(m_summary.evalRows) + "/" +
           std::to_string(m_summary.skippedRows) + m_summary.fingerprint;
}

void TstRowCache::secondRunTakesTheRowsFromTheFile_data()
{
    QTest::addColumn<QStringList>("changes");
    QTest::newRow("two tables") << QStringList();
    QTest::newRow("split") << QStringList{kSplit};
    QTest::newRow("split by class") << QStringList{kSplit, "data.split.fraction.stratify=true"};
    QTest::newRow("no evaluation") << QStringList{"data.eval="};
    QTest::newRow("beyond memory") << QStringList{"run_config.cache_memory_mb=0"};
    QTest::newRow("bad rows") << QStringList{"data.bad_rows=SKIP"};
    QTest::newRow("no statistics") << QStringList{kX + "normalizer="};
    QTest::newRow("weights") << QStringList{kModel + "weight_column.feature=x"};
}

void TstRowCache::secondRunTakesTheRowsFromTheFile()
{
    QFETCH(QStringList, changes);
    if (changes.contains("data.bad_rows=SKIP")) {
        std::ofstream(m_fixture->path("train.csv"), std::ios::app) << "1,2\n0.5,a,1\n";
        settle();
    }
    const std::string without = trained(changes, kNoCache);
    QVERIFY(!wasRead() && !wasKept());
    QCOMPARE(trained(changes), without);
    QVERIFY(wasKept() && !wasRead());
    const std::vector<std::string> warnings = m_summary.warnings;
    QCOMPARE(trained(changes), without);
    QVERIFY(wasRead() && !wasKept());
    QVERIFY(m_summary.warnings == warnings);
    VERIFY_OK(features::verifyRowFile(cachePath()));
}

void TstRowCache::anotherModelOfTheSameColumnsTakesThem()
{
    trained({});
    for (const QString& change :
         {kModel + "dnn_hidden_units=[3]", QString("train_spec.input.shuffle=false"),
          QString("run_config.tf_random_seed=3"),
          QString("feature_column[c_emb].embedding_column.dimension=9"),
          kModel + "dnn_optimizer.adam.learning_rate=0.1"}) {
        const std::string without = trained({change}, kNoCache);
        QCOMPARE(trained({change}), without);
        QVERIFY2(wasRead(), qPrintable(change));
    }
}

void TstRowCache::otherRowsAreReadAnew_data()
{
    QTest::addColumn<QString>("change");
    QTest::newRow("categories") << "feature_column[c].categorical_column_with_vocabulary_list."
                                   "vocabulary_list=[\"d\", \"a\"]";
    QTest::newRow("normalizer") << kX + "normalizer={ min_max {} }";
    QTest::newRow("number of the normalizer") << kX + "normalizer.z_score.mean=3";
    QTest::newRow("label") << "data.column={ name: \"label\" dtype: float32 }";
    QTest::newRow("weights") << kModel + "weight_column.feature=x";
    QTest::newRow("fewer columns") << kModel + "dnn_feature_columns=[\"c_emb\"]";
    QTest::newRow("missing")
        << "data.column={ name: \"x\" missing_token: \"0.0\" default_value: \"5\" }";
    QTest::newRow("split") << kSplit;
    QTest::newRow("evaluation file") << "data.eval.csv.files=more.csv";
    QTest::newRow("no evaluation") << "data.eval=";
    for (const char* what : {"table", "evaluation table", "same size", "copy"}) {
        QTest::newRow(what) << "";
    }
}

void TstRowCache::otherRowsAreReadAnew()
{
    QFETCH(QString, change);
    write("more.csv", "x,c,label\n0.25,b,1\n0.75,d,0\n");
    settle();
    trained({});
    QVERIFY(wasKept());
    changeTables(QTest::currentDataTag());
    settle();
    const QStringList changes = change.isEmpty() ? QStringList() : QStringList{change};
    const std::string without = trained(changes, kNoCache);
    QCOMPARE(trained(changes), without);
    QVERIFY(wasKept() && !wasRead());
    QCOMPARE(trained(changes), without);
    QVERIFY(wasRead());
}

void TstRowCache::changeTables(const QByteArray& how) const
{
    const std::string table = m_fixture->path("train.csv");
    const auto time = fs::last_write_time(table);
    if (how == "table") {
        std::ofstream(table, std::ios::app) << "0.5,a,1\n";
    } else if (how == "evaluation table") {
        std::ofstream(m_fixture->path("eval.csv"), std::ios::app) << "0.5,a,1\n";
    } else if (how == "same size") {
        std::string text = TrainingFixture::bytes(table);
        text.replace(text.find(",a,"), 3, ",b,");
        write("train.csv", text);
        fs::last_write_time(table, time);
    } else if (how == "copy") {
        fs::copy(table, table + "2");
        fs::last_write_time(table + "2", time);
        fs::rename(table + "2", table);
    }
}

void TstRowCache::vocabularyFileCounts()
{
    const QStringList changes{"feature_column[c]={ name: \"c\" "
                              "categorical_column_with_vocabulary_file { key: \"c\" "
                              "vocabulary_file: \"words.txt\" } }"};
    write("words.txt", "a\nb\nd\n");
    settle();
    trained(changes);
    QVERIFY(wasKept());
    trained(changes);
    QVERIFY(wasRead());
    write("words.txt", "d\nb\na\n");
    settle();
    const std::string without = trained(changes, kNoCache);
    QCOMPARE(trained(changes), without);
    QVERIFY(wasKept() && !wasRead());
}

void TstRowCache::everyDamageIsNoticed()
{
    const std::string without = trained({}, kNoCache);
    trained({});
    const std::string sound = TrainingFixture::bytes(cachePath());
    const std::size_t stride = sound.size() / 60 + 1;
    constexpr std::size_t kMagicEnd = 40;
    for (std::size_t place = kMagicEnd; place < sound.size(); place += stride) {
        for (const bool isCut : {false, true}) {
            std::string damaged = isCut ? sound.substr(0, place) : sound;
            if (!isCut) {
                damaged[place] = char(damaged[place] ^ 16);
            }
            write("rows.cache", damaged);
            const Result<void> verified = features::verifyRowFile(cachePath());
            QVERIFY(!verified);
            QCOMPARE(verified.error().id, std::string("features.row_file_damaged"));
            QCOMPARE(trained({}), without);
            QVERIFY(warns("are damaged") && wasKept());
            QVERIFY(TrainingFixture::bytes(cachePath()) == sound);
        }
    }
    trained({});
    QVERIFY(wasRead() && m_summary.warnings.empty());
    write("rows.cache", "");
    QCOMPARE(trained({}), without);
    QVERIFY(wasKept());
}

/// The checksums of such a file are right.
void TstRowCache::unequalStepsAreDamage()
{
    write("steps.csv", "w,n,label\na|b,1|2,0\nb,3,1\n");
    settle();
    const QStringList changes{
        "data={ train { csv { files: \"steps.csv\" } } label { column: \"label\" } "
        "feature { name: \"ws\" split { column: \"w\" } } "
        "feature { name: \"ns\" split { column: \"n\" dtype: float32 } } }",
        "feature_column=[{ name: \"w\" sequence_categorical_column_with_vocabulary_list { "
        "key: \"ws\" vocabulary_list: [\"a\", \"b\"] } }, "
        "{ name: \"n\" sequence_numeric_column { key: \"ns\" } }, "
        "{ name: \"i\" indicator_column { categorical_column: \"w\" } }]",
        "estimator={ rnn_classifier { units: 2 sequence_feature_columns: [\"i\", \"n\"] } }"};
    const std::string without = trained(changes, kNoCache);
    trained(changes);
    const std::string sound = TrainingFixture::bytes(cachePath());
    auto records = storage::RecordReader::open(cachePath(), storage::Compression::None);
    VERIFY_OK(records);
    const std::string header = storage::frameRecord(**records->next());
    features::RowFileBlock block;
    QVERIFY(block.ParseFromString(std::string(**records->next())));
    QCOMPARE(block.sequences(0).ends(0), std::uint32_t{2});
    block.mutable_sequences(0)->set_ends(0, 1);
    write("rows.cache", header + storage::frameRecord(block.SerializeAsString()));
    QCOMPARE(trained(changes), without);
    QVERIFY(warns("are damaged") && wasKept() && !wasRead());
    QVERIFY(TrainingFixture::bytes(cachePath()) == sound);
}

void TstRowCache::otherFilesAreNotReplaced()
{
    const std::string table = TrainingFixture::bytes(m_fixture->path("train.csv"));
    write("short", "x");
    for (const char* name : {"train.csv", "short"}) {
        const Result<TrainReport> report =
            trainAndEvaluate(request({QString("run_config.cache_file=") + name}));
        QVERIFY(!report);
        QCOMPARE(report.error().id, std::string("features.row_file_foreign"));
    }
    QCOMPARE(TrainingFixture::bytes(m_fixture->path("train.csv")), table);
    QCOMPARE(TrainingFixture::bytes(m_fixture->path("short")), std::string("x"));
}

void TstRowCache::changedMomentAgoIsNotKept()
{
    // On a busy machine the moment may pass before the training begins.
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt == 0 || (wasKept() && attempt < kAttempts); ++attempt) {
        fs::remove(cachePath());
        std::ofstream(m_fixture->path("train.csv"), std::ios::app) << "0.5,a,1\n";
        trained({});
    }
    QVERIFY(!wasKept() && warns("changed while it was read, or just before"));
    QVERIFY(!fs::exists(cachePath()));
    settle();
    trained({});
    QVERIFY(wasKept() && m_summary.warnings.empty());
}

void TstRowCache::fullDiskKeepsNobodyFromTraining()
{
    // The folder of the file is a file: nobody, root included, can write there.
    write("taken", "x");
    const std::string without = trained({}, kNoCache);
    QCOMPARE(trained({}, "taken/rows.cache"), without);
    QVERIFY(warns("are not kept in") && !wasKept());
    // A folder that is missing is made.
    QCOMPARE(trained({}, "new/folder/rows.cache"), without);
    QVERIFY(wasKept());
    int refused = 0;
    for (int call = 1; call < 12; ++call) {
        FaultyFileSystem full(call);
        TrainRequest refusing = request({"run_config.cache_file=rows.cache"});
        refusing.modelDir = m_fixture->path("full");
        refusing.system = &full;
        refused += trainAndEvaluate(refusing) ? 0 : 1; // the run's own files have no room either
        QVERIFY(!fs::exists(cachePath()) || features::verifyRowFile(cachePath()));
    }
    QVERIFY(refused > 0);
    for (const auto& entry : fs::directory_iterator(m_fixture->path(""))) {
        QVERIFY2(entry.path().string().find("rows.cache.tmp") == std::string::npos,
                 entry.path().c_str());
    }
}

void TstRowCache::stopsWhileItIsWritten()
{
    const std::atomic<bool> stop = true;
    TrainRequest stopped = request({"run_config.cache_file=rows.cache"});
    stopped.stop = &stop;
    const Result<TrainReport> report = trainAndEvaluate(stopped);
    QVERIFY(!report);
    QVERIFY(!fs::exists(cachePath()));
}

CANNERY_TEST(TstRowCache)
#include "tst_row_cache.moc"
