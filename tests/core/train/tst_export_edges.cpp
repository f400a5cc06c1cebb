// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/verified_export.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

constexpr const char* kShortTraining = " train_spec { max_steps: 20 input { batch_size: 16 } }";

/// Moves the centres of clusters in the variables of an export.
void moveCentres(const std::string& folder, float by)
{
    const std::string prefix = folder + "/variables/variables";
    const auto reader = storage::CheckpointReader::open(prefix);
    std::vector<storage::HostTensor> tensors;
    std::vector<std::string> names;
    for (const storage::CheckpointEntry& entry : reader->entries()) {
        names.push_back(entry.name);
        tensors.push_back(*reader->read(entry.name));
        if (tensors.back().dtype == DType::Float32) {
            for (float& value : tensors.back().values<float>()) {
                value += by;
            }
        }
    }
    std::vector<storage::NamedTensor> views;
    for (std::size_t i = 0; i < names.size(); ++i) {
        views.push_back({names[i], tensors[i]});
    }
    (void)storage::writeCheckpoint(prefix, views);
}

} // namespace

/// Exports where the last bit of a number decides, or is all that there is.
class TstExportEdges : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersNextToBoundariesAreCompared_data();
    void numbersNextToBoundariesAreCompared();
    void aModelWithoutBoundariesHasNone();
    void termsThatCancelMayRoundOtherwise();
};

void TstExportEdges::numbersNextToBoundariesAreCompared_data()
{
    QTest::addColumn<QString>("more");
    const QString bucket =
        R"(feature_column { name: "n" numeric_column { key: "x" %1 } }
           feature_column { name: "b" bucketized_column { source_column: "n" boundaries: [-1, 0, 0.07, 0.5, 3] } }
           feature_column { name: "cross" crossed_column { key { column: "b" } key { feature: "c" }
             hash_bucket_size: 50 } }
           estimator { linear_classifier { feature_columns: "%2" } })";
    QTest::newRow("buckets") << bucket.arg("", "b");
    QTest::newRow("normalized buckets")
        << bucket.arg("normalizer { subtract_divide { subtract: 3.3 divide: 7 } }", "b");
    QTest::newRow("descending buckets")
        << bucket.arg("normalizer { subtract_divide { subtract: 3.3 divide: -7 } }", "b");
    QTest::newRow("buckets of logarithms") << bucket.arg("normalizer { log { divide: 0.7 } }", "b");
    QTest::newRow("a cross") << bucket.arg("normalizer { z_score {} }", "cross");
    QTest::newRow("trees of layers")
        << R"(estimator { boosted_trees_classifier { feature_columns: ["x"] n_trees: 3 } })";
    QTest::newRow("trees of histograms")
        << R"(estimator { boosted_trees_classifier { feature_columns: ["x"] n_trees: 3 histogram {} } })";
}

void TstExportEdges::numbersNextToBoundariesAreCompared()
{
    QFETCH(QString, more);
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(more.toStdString() + kShortTraining));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    for (const auto receiver : {spec::Receiver::parsing, spec::Receiver::raw}) {
        const auto made = exportVerified(model, {.exportBase = fixture.path("served"),
                                                 .checkpoint = model.checkpoint,
                                                 .receiver = receiver});
        VERIFY_OK(made);
        QCOMPARE(made->verification.rows, std::int64_t{20});
        QVERIFY(made->edges.rows >= 2);
        QCOMPARE(made->edges.equal, made->edges.rows);
    }
}

void TstExportEdges::aModelWithoutBoundariesHasNone()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(kShortTraining));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    const auto made = exportVerified(
        model, {.exportBase = fixture.path("served"), .checkpoint = model.checkpoint});
    VERIFY_OK(made);
    QCOMPARE(made->edges.rows, std::int64_t{0});
}

/// The squared distance of 30,001 from 30,002 is the sum of terms of 9e8, in float32.
void TstExportEdges::termsThatCancelMayRoundOtherwise()
{
    TrainingFixture fixture;
    VERIFY_OK(fixture.train(std::string(
        R"(feature_column { name: "far" numeric_column { key: "x"
             normalizer { subtract_divide { subtract: -30000 } } } }
           estimator { kmeans { feature_columns: ["far"] num_clusters: 3 } }
           train_spec { max_steps: 20 input { batch_size: 16 } })")));
    OpenedModel model = *openModel({.modelDir = fixture.modelDir()});
    const auto made = exportVerified(
        model, {.exportBase = fixture.path("served"), .checkpoint = model.checkpoint});
    VERIFY_OK(made);
    QCOMPARE(made->verification.equal, std::int64_t{20});
    const auto moved =
        exportVerified(model, {.exportBase = fixture.path("moved"), .checkpoint = model.checkpoint},
                       {.written = [](const std::string& folder) { moveCentres(folder, 500); }});
    VERIFY_ERROR(moved, "export.disagrees");
}

CANNERY_TEST(TstExportEdges)
#include "tst_export_edges.moc"
