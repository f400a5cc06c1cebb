// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/features/encoded_dataset.h"
#include "core/features/encoded_row_block.h"
#include "core/features/encoding_signature.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <array>

using namespace cannery;
using namespace cannery::features;

/// Labels and weights of steps, for estimators with return_sequences.
class TstStepLabels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyStepHasALabelAndAWeight();
    void aStepMayHaveSeveralNumbers();
    void classesOfStepsAreNumbered();
    void rowsWithoutStepsAreLabelled();
    void badLabelsAreRefused_data();
    void badLabelsAreRefused();
    void otherNumbersOfWeightsAreRefused();
    void weightsOfStepsAreNoFeatureColumn();
    void datasetsGatherThem();
    void survivesTheRowFile();
    void everyStepIsAnotherEncoding();
};

namespace {

using Floats = std::vector<float>;
using Offsets = std::vector<std::int64_t>;

Result<FeatureEncoder> encoderOf(const std::string& head, bool isEveryStep = true)
{
    spec::Experiment experiment;
    const std::string text =
        "feature_column { name: 'force' sequence_numeric_column { key: 'force' } }"
        "feature_column { name: 'w' numeric_column { key: 'w' } }"
        "estimator { rnn_estimator { units: 2 sequence_feature_columns: 'force' head { " +
        head + " } return_sequences: " + (isEveryStep ? "true" : "false") + " } }";
    const bool isRead = google::protobuf::TextFormat::ParseFromString(text, &experiment);
    CANNERY_CHECK(isRead);
    return FeatureEncoder::create(experiment, ".");
}

data::FeatureValues list(const std::string& name, data::FeatureElements elements, DType dtype,
                         Offsets offsets)
{
    data::FeatureValues values;
    values.name = name;
    values.dtype = dtype;
    values.sparse = true;
    values.shape = Shape{-1};
    values.rowOffsets = std::move(offsets);
    values.elements = std::move(elements);
    return values;
}

/// Rows of 2, 0 and 1 steps with these labels.
data::FeatureBatch rowsWith(data::FeatureValues labels)
{
    data::FeatureBatch batch;
    batch.rowCount = 3;
    batch.features = {list("force", Floats{5, 6, 7}, DType::Float32, {0, 2, 2, 3}),
                      list("weight", Floats{1, 2, 0.5F}, DType::Float32, {0, 2, 2, 3})};
    batch.labels = {std::move(labels)};
    for (std::int64_t row = 0; row < 3; ++row) {
        batch.fileIndex.push_back(0);
        batch.line.push_back(row + 2);
    }
    return batch;
}

data::FeatureValues ids(std::vector<std::int64_t> values, Offsets offsets = {0, 2, 2, 3})
{
    return list("y", std::move(values), DType::Int64, std::move(offsets));
}

Result<EncodedRows> encoded(const std::string& head, const data::FeatureBatch& batch)
{
    CANNERY_TRY_ASSIGN(const FeatureEncoder encoder, encoderOf(head));
    return encoder.encode(batch, Labels::Needed, std::array{std::string("train.csv")});
}

const std::string kWeighted = "binary_class_head { weight_column { feature: 'weight' } }";

} // namespace

void TstStepLabels::everyStepHasALabelAndAWeight()
{
    const auto rows = encoded(kWeighted, rowsWith(ids({1, 0, 1})));
    VERIFY_OK(rows);
    QCOMPARE(rows->labelOffsets, (Offsets{0, 2, 2, 3}));
    QCOMPARE(rows->labels, (Floats{1, 0, 1}));
    QCOMPARE(rows->weights, (Floats{1, 2, 0.5F}));
}

void TstStepLabels::aStepMayHaveSeveralNumbers()
{
    const auto rows =
        encoded("regression_head { label_dimension: 2 }",
                rowsWith(list("y", Floats{1, 2, 3, 4, 5, 6}, DType::Float32, {0, 4, 4, 6})));
    VERIFY_OK(rows);
    QCOMPARE(rows->labelOffsets, (Offsets{0, 2, 2, 3}));
    QCOMPARE(rows->labels, (Floats{1, 2, 3, 4, 5, 6}));
    const auto classes = encoded("multi_label_head { n_classes: 2 }",
                                 rowsWith(ids({0, 1, 1, 1, 0, 0}, {0, 4, 4, 6})));
    VERIFY_OK(classes);
    QCOMPARE(classes->labels, (Floats{0, 1, 1, 1, 0, 0}));
}

void TstStepLabels::classesOfStepsAreNumbered()
{
    StringColumn words;
    for (const char* word : {"b", "c", "a"}) {
        words.push_back(word);
    }
    const auto rows = encoded("multi_class_head { n_classes: 3 label_vocabulary: ['a', 'b', 'c'] }",
                              rowsWith(list("y", std::move(words), DType::String, {0, 2, 2, 3})));
    VERIFY_OK(rows);
    QCOMPARE(rows->labels, (Floats{1, 2, 0}));
}

void TstStepLabels::rowsWithoutStepsAreLabelled()
{
    data::FeatureBatch batch = rowsWith(ids({}, {0, 0, 0, 0}));
    for (data::FeatureValues& feature : batch.features) {
        feature.elements = Floats();
        feature.rowOffsets = {0, 0, 0, 0};
    }
    const auto encoder = encoderOf(kWeighted);
    VERIFY_OK(encoder);
    const auto empty = encoder->encode(batch, Labels::Needed);
    const auto others = encoder->encode(rowsWith(ids({1, 0, 1})), Labels::Needed);
    VERIFY_OK(empty);
    VERIFY_OK(others);
    QVERIFY(empty->isLabelled());
    EncodedDataset dataset(encoder->layout(), {});
    VERIFY_OK(dataset.append(*empty));
    VERIFY_OK(dataset.append(*others));
    EncodedRows rows;
    VERIFY_OK(dataset.gatherRange(2, 2, rows));
    QCOMPARE(rows.labelOffsets, (Offsets{0, 0, 2}));
    QCOMPARE(rows.labels, (Floats{1, 0}));
    QCOMPARE(rows.weights, (Floats{1, 2}));
}

void TstStepLabels::badLabelsAreRefused_data()
{
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("head");
    QTest::addColumn<std::vector<std::int64_t>>("labels");
    QTest::addColumn<std::vector<std::int64_t>>("offsets");
    const std::vector<std::int64_t> three{1, 0, 1};
    QTest::newRow("too few") << "features.label_steps"
                             << "binary_class_head {}" << three << Offsets{0, 1, 2, 3};
    QTest::newRow("too few of several")
        << "features.label_steps"
        << "multi_label_head { n_classes: 2 }" << three << Offsets{0, 2, 2, 3};
    QTest::newRow("no class") << "features.label_range"
                              << "multi_class_head { n_classes: 3 }"
                              << std::vector<std::int64_t>{1, 3, 0} << Offsets{0, 2, 2, 3};
    QTest::newRow("names of several classes")
        << "features.label_step_classes"
        << "multi_label_head { n_classes: 2 label_vocabulary: ['a', 'b'] }" << three
        << Offsets{0, 2, 2, 3};
    QTest::newRow("no list") << "features.label_no_list"
                             << "binary_class_head {}" << three << Offsets{};
}

void TstStepLabels::badLabelsAreRefused()
{
    QFETCH(QString, id);
    QFETCH(QString, head);
    QFETCH(std::vector<std::int64_t>, labels);
    QFETCH(std::vector<std::int64_t>, offsets);
    data::FeatureValues values = ids(labels, offsets);
    if (offsets.empty()) {
        values.sparse = false;
        values.shape = Shape{1};
    }
    const auto rows = encoded(head.toStdString(), rowsWith(std::move(values)));
    VERIFY_ERROR(rows, id);
    if (id == "features.label_steps" && head.startsWith("binary")) {
        QCOMPARE(rows.error().sentence,
                 std::string("train.csv:2: the label has 1 values, but the sequence 'force' has 2 "
                             "steps, which need 2. Correct the row: with return_sequences the "
                             "label has one value for each step."));
    }
}

void TstStepLabels::otherNumbersOfWeightsAreRefused()
{
    data::FeatureBatch batch = rowsWith(ids({1, 0, 1}));
    batch.features[1].rowOffsets = {0, 1, 2, 3};
    const auto rows = encoded(kWeighted, batch);
    VERIFY_ERROR(rows, "features.weight_steps");
    QCOMPARE(rows.error().sentence,
             std::string("train.csv:2: 'weight' has 1 weights, but the sequence 'force' has 2 "
                         "steps. Correct the row: with return_sequences there is one weight for "
                         "each step."));
}

void TstStepLabels::weightsOfStepsAreNoFeatureColumn()
{
    VERIFY_ERROR(encoderOf("binary_class_head { weight_column { column: 'w' } }"),
                 "features.step_weight_column");
}

void TstStepLabels::datasetsGatherThem()
{
    const auto encoder = encoderOf(kWeighted);
    VERIFY_OK(encoder);
    const auto rows = encoder->encode(rowsWith(ids({1, 0, 1})), Labels::Needed);
    VERIFY_OK(rows);
    EncodedDataset dataset(encoder->layout(), {});
    VERIFY_OK(dataset.append(*rows));
    EncodedRows out;
    VERIFY_OK(dataset.gather(std::array<std::int64_t, 4>{2, 0, 1, 0}, out));
    QCOMPARE(out.labelOffsets, (Offsets{0, 1, 3, 3, 5}));
    QCOMPARE(out.labelOffsets, out.sequences[0].rowOffsets);
    QCOMPARE(out.labels, (Floats{1, 1, 0, 1, 0}));
    QCOMPARE(out.weights, (Floats{0.5F, 1, 2, 1, 2}));
    VERIFY_OK(dataset.gather(std::array<std::int64_t, 1>{1}, out));
    QCOMPARE(out.labelOffsets, (Offsets{0, 0}));
    QVERIFY(out.labels.empty() && out.weights.empty());
}

void TstStepLabels::survivesTheRowFile()
{
    const auto encoder = encoderOf(kWeighted);
    VERIFY_OK(encoder);
    const auto rows = encoder->encode(rowsWith(ids({1, 0, 1})), Labels::Needed);
    VERIFY_OK(rows);
    EncodedRows again;
    QVERIFY(fromBlock(toBlock(*rows), encoder->layout(), {}, again));
    QCOMPARE(again.labelOffsets, rows->labelOffsets);
    QCOMPARE(again.labels, rows->labels);
    QCOMPARE(again.weights, rows->weights);
    RowFileBlock lacking = toBlock(*rows);
    lacking.mutable_labels()->RemoveLast();
    QVERIFY(!fromBlock(lacking, encoder->layout(), {}, again));
}

void TstStepLabels::everyStepIsAnotherEncoding()
{
    const auto every = encoderOf("binary_class_head {}");
    const auto last = encoderOf("binary_class_head {}", false);
    VERIFY_OK(every);
    VERIFY_OK(last);
    QVERIFY(encodingSignature(*every) != encodingSignature(*last));
}

CANNERY_TEST(TstStepLabels)
#include "tst_step_labels.moc"
