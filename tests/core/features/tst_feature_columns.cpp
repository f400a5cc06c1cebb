// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery;
using namespace cannery::features;

/// Invalid feature columns.
class TstFeatureColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void refuses_data();
    void refuses();

private:
    QTemporaryDir m_folder;
};

void TstFeatureColumns::initTestCase()
{
    const std::pair<const char*, const char*> files[]{
        {"ok.txt", "a\nb\n"},    {"gap.txt", "a\n\nb\n"}, {"end.txt", "a\nb\n\n"},
        {"twice.txt", "a\na\n"}, {"text.txt", "1\nx\n"},  {"empty.txt", ""},
        {"late.txt", "a\n\na\n"}};
    for (const auto& [name, text] : files) {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
}

void TstFeatureColumns::refuses_data()
{
    QTest::addColumn<QString>("column");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* title, const QString& column, const char* error) {
        QTest::newRow(title) << column << QString(error);
    };
    const QString list = "categorical_column_with_vocabulary_list { key: 'k' %1 }";
    const QString file = "categorical_column_with_vocabulary_file { key: 'k' vocabulary_file: %1 }";
    const QString identity = "categorical_column_with_identity { key: 'k' num_buckets: 4 %1 }";
    const QString numeric = "numeric_column { key: 'k' %1 }";
    const QString buckets = "bucketized_column { source_column: %1 boundaries: [%2] }";
    const QString cross = "crossed_column { key { feature: 'k' } key { column: %1 } "
                          "hash_bucket_size: 9 }";
    row("a word twice", list.arg("vocabulary_list: ['a', 'a']"), "features.vocabulary_repeated");
    row("no words", list.arg(""), "features.vocabulary_empty");
    row("a word for an integer", list.arg("vocabulary_list: ['1', 'x'] dtype: int64"),
        "features.vocabulary_number");
    row("default beside buckets",
        list.arg("vocabulary_list: 'a' default_value: 0 num_oov_buckets: 2"),
        "features.vocabulary_two_defaults");
    row("default beyond the words", list.arg("vocabulary_list: 'a' default_value: 1"),
        "features.vocabulary_default");
    row("a good list", list.arg("vocabulary_list: ['1', '2'] dtype: int64"), "");
    row("no file", file.arg("'none.txt'"), "features.vocabulary_unreadable");
    row("a gap", file.arg("'gap.txt'"), "features.vocabulary_file");
    row("a gap at the end", file.arg("'end.txt'"), "features.vocabulary_file");
    row("a line twice", file.arg("'twice.txt'"), "features.vocabulary_file");
    row("a line that is no integer", file.arg("'text.txt' dtype: int64"),
        "features.vocabulary_file");
    row("an empty file", file.arg("'empty.txt'"), "features.vocabulary_file_empty");
    row("too few lines", file.arg("'ok.txt' vocabulary_size: 3"), "features.vocabulary_file_size");
    row("only the first lines count", file.arg("'late.txt' vocabulary_size: 1"), "");
    row("a good file", file.arg("'ok.txt'"), "");
    row("default outside the buckets", identity.arg("default_value: 4"),
        "features.identity_default");
    row("default inside the buckets", identity.arg("default_value: 3"), "");
    row("defaults for other elements", numeric.arg("shape: 3 default_value: [1, 2]"),
        "features.number_defaults");
    row("a fraction for an integer", numeric.arg("dtype: int32 default_value: 1.5"),
        "features.number_default_type");
    row("statistics nobody took", numeric.arg("normalizer { z_score {} }"),
        "features.no_statistics");
    row("no spread", numeric.arg("normalizer { min_max { min: 2 max: 2 } }"),
        "features.divide_by_zero");
    row("boundaries that fall", buckets.arg("'number'", "1, 1"), "features.bucketized_boundaries");
    row("buckets of an image", buckets.arg("'image'", "1"), "features.bucketized_source");
    row("buckets of words", buckets.arg("'words'", "1"), "features.bucketized_source");
    row("a cross of hashes", cross.arg("'hashed'"), "features.cross_input");
    row("a cross of numbers", cross.arg("'number'"), "features.cross_input");
    row("a cross of weights", cross.arg("'weighted'"), "features.cross_input");
    row("a cross of words", cross.arg("'words'"), "");
    row("an indicator of numbers", "indicator_column { categorical_column: 'number' }",
        "features.not_categorical");
    row("more buckets than ids",
        "categorical_column_with_hash_bucket { key: 'k' hash_bucket_size: 3000000000 }",
        "features.too_many_buckets");
}

void TstFeatureColumns::refuses()
{
    QFETCH(QString, column);
    QFETCH(QString, error);
    const std::string text = R"(
        feature_column { name: "number" numeric_column { key: "n" } }
        feature_column { name: "image" numeric_column { key: "n" shape: [2, 2] } }
        feature_column { name: "words" categorical_column_with_vocabulary_list {
            key: "w" vocabulary_list: "a" } }
        feature_column { name: "weighted" weighted_categorical_column {
            categorical_column: "words" weight_feature_key: "n" } }
        feature_column { name: "hashed" categorical_column_with_hash_bucket {
            key: "w" hash_bucket_size: 5 } }
        estimator { linear_regressor { feature_columns: "tested" } }
        feature_column { name: "tested" )" +
                             column.toStdString() + " }";
    spec::Experiment experiment;
    QVERIFY(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    const auto encoder = FeatureEncoder::create(experiment, m_folder.path().toStdString());
    if (error.isEmpty()) {
        VERIFY_OK(encoder);
    } else {
        VERIFY_ERROR(encoder, error);
    }
}

CANNERY_TEST(TstFeatureColumns)
#include "tst_feature_columns.moc"
