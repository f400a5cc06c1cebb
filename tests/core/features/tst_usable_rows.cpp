// SPDX-License-Identifier: Apache-2.0
#include "core/features/usable_rows.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/text/parsed_experiment.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::features;

namespace {

constexpr const char* kExperiment = R"(
data { label { column: "y" } %s }
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "w" categorical_column_with_vocabulary_list {
    key: "w" vocabulary_list: ["a", "b"] } }
feature_column { name: "e" embedding_column {
    categorical_column: "w" dimension: 2 use_safe_embedding_lookup: false } }
estimator { dnn_classifier { feature_columns: ["x", "e"] hidden_units: 2 n_classes: 3 } }
)";

FeatureEncoder encoderOf(const std::string& policy)
{
    std::string text = kExperiment;
    text.replace(text.find("%s"), 2, policy);
    return *FeatureEncoder::create(spec::parseExperiment(text).experiment, {});
}

StringColumn textsOf(const std::vector<std::string>& words)
{
    StringColumn column;
    for (const std::string& word : words) {
        column.push_back(word);
    }
    return column;
}

/// Rows x, w, y. A missing number is NaN here.
data::FeatureBatch batchOf(const std::vector<float>& x, const std::vector<std::string>& w,
                           const std::vector<std::int64_t>& y,
                           const std::vector<std::uint8_t>& labelled)
{
    data::FeatureBatch batch;
    batch.rowCount = static_cast<std::int64_t>(x.size());
    std::vector<std::uint8_t> there;
    for (const float value : x) {
        there.push_back(std::isnan(value) ? 0 : 1);
    }
    batch.features.push_back({.name = "x", .dtype = DType::Float32, .elements = x, .valid = there});
    batch.features.push_back({.name = "w", .dtype = DType::String, .elements = textsOf(w)});
    batch.labels.push_back({.name = "y", .dtype = DType::Int64, .elements = y, .valid = labelled});
    for (std::size_t i = 0; i < x.size(); ++i) {
        batch.fileIndex.push_back(0);
        batch.line.push_back(static_cast<std::int64_t>(i) + 2);
    }
    return batch;
}

data::FeatureBatch oddRows()
{
    return batchOf({1, NAN, 3, 4, 5, 6}, {"a", "b", "c", "a", "b", "a"}, {0, 1, 2, 7, -1, 0},
                   {1, 1, 1, 1, 1, 0});
}

std::vector<std::int64_t> rowsOf(const std::vector<data::UnusableRow>& rows)
{
    std::vector<std::int64_t> numbers;
    for (const data::UnusableRow& row : rows) {
        numbers.push_back(row.row);
    }
    return numbers;
}

} // namespace

class TstUsableRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyReasonIsFound();
    void skipLeavesOutWhatCannotBeUsed();
    void unlabelledRowsAloneMayBeLeftOut();
    void withoutAPolicyTheFirstRowIsAnError();
    void whatDependsOnNoRowIsAnErrorAtOnce();
    void aRowKeepsItsNumberWhenOthersWereRemovedBefore();
};

void TstUsableRows::everyReasonIsFound()
{
    const std::vector<std::string> files{"t.csv"};
    const auto found = findUnusable(encoderOf(""), oddRows(), Labels::Needed, files);
    VERIFY_OK(found);
    QCOMPARE(rowsOf(*found), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    const std::vector<std::string> ids{"features.missing_number", "features.no_valid_id",
                                       "features.label_range", "features.label_range",
                                       "features.label_missing"};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        QCOMPARE((*found)[i].error.id, ids[i]);
        QVERIFY((*found)[i].error.sentence.starts_with("t.csv:" + std::to_string(i + 3) + ":"));
    }
    QCOMPARE(findUnusable(encoderOf(""), oddRows(), Labels::None, files)->size(), std::size_t{2});
}

void TstUsableRows::skipLeavesOutWhatCannotBeUsed()
{
    const FeatureEncoder encoder = encoderOf("bad_rows: SKIP");
    data::FeatureBatch batch = oddRows();
    EncodedRows rows;
    const auto left = encodeUsable(encoder, RowPolicy::of(encoder.experiment().data()), batch,
                                   Labels::Needed, {}, rows);
    VERIFY_OK(left);
    QCOMPARE(rowsOf(left->bad), (std::vector<std::int64_t>{1, 2, 3, 4}));
    QCOMPARE(left->unlabelled, std::vector<std::int64_t>{5});
    QCOMPARE(rows.rowCount, std::int64_t{1});
    QCOMPARE(batch.rowCount, std::int64_t{1});
    QCOMPARE(batch.line, std::vector<std::int64_t>{2});
    QCOMPARE(rows.dense[0].values, std::vector<float>{1});
}

void TstUsableRows::unlabelledRowsAloneMayBeLeftOut()
{
    const FeatureEncoder encoder = encoderOf("unlabelled_rows: SKIP");
    const RowPolicy policy = RowPolicy::of(encoder.experiment().data());
    EncodedRows rows;
    data::FeatureBatch odd = oddRows();
    VERIFY_ERROR(encodeUsable(encoder, policy, odd, Labels::Needed, {}, rows),
                 "features.no_valid_id");
    data::FeatureBatch batch = batchOf({1, 2, 3}, {"a", "b", "a"}, {0, 0, 2}, {1, 0, 1});
    const auto left = encodeUsable(encoder, policy, batch, Labels::Needed, {}, rows);
    VERIFY_OK(left);
    QVERIFY(left->bad.empty());
    QCOMPARE(left->unlabelled, std::vector<std::int64_t>{1});
    QCOMPARE(rows.labels, (std::vector<float>{0, 2}));
}

void TstUsableRows::withoutAPolicyTheFirstRowIsAnError()
{
    data::FeatureBatch batch = oddRows();
    EncodedRows rows;
    VERIFY_ERROR(encodeUsable(encoderOf(""), {}, batch, Labels::Needed, {}, rows),
                 "features.no_valid_id");
    QCOMPARE(batch.rowCount, std::int64_t{6});
}

void TstUsableRows::whatDependsOnNoRowIsAnErrorAtOnce()
{
    data::FeatureBatch batch = oddRows();
    batch.features.erase(batch.features.begin());
    VERIFY_ERROR(findUnusable(encoderOf(""), batch, Labels::Needed, {}),
                 "features.missing_feature");
}

void TstUsableRows::aRowKeepsItsNumberWhenOthersWereRemovedBefore()
{
    const FeatureEncoder encoder = encoderOf("bad_rows: SKIP");
    data::FeatureBatch batch = oddRows();
    batch.unusable.push_back({0, error(ErrorCode::InvalidArgument, ErrorKind{"x.y", "t.csv:2"})});
    EncodedRows rows;
    const auto left = encodeUsable(encoder, {.skipsBad = true, .skipsUnlabelled = true}, batch,
                                   Labels::Needed, {}, rows);
    VERIFY_OK(left);
    QCOMPARE(rowsOf(left->bad), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    QCOMPARE(left->unlabelled, std::vector<std::int64_t>{5});
    QCOMPARE(rows.rowCount, std::int64_t{0});
}

CANNERY_TEST(TstUsableRows)
#include "tst_usable_rows.moc"
