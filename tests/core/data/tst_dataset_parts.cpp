// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

using namespace cannery;
using namespace cannery::data;

/// What one pass over both parts of a split table says when something is wrong with one of them.
class TstDatasetParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsWrongWithOnePartLeavesTheOther();
    void aPartWithoutRowsLeavesTheOther();

private:
    std::string write(const QString& name, const std::string& text) const;
    /// "train 3" for so many rows, or a sentence.
    std::vector<std::string> read(const std::string& text) const;

    QTemporaryDir m_folder;
};

std::string TstDatasetParts::write(const QString& name, const std::string& text) const
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("cannot write the test file");
    }
    file.write(text.data(), qint64(text.size()));
    return file.fileName().toStdString();
}

std::vector<std::string> TstDatasetParts::read(const std::string& text) const
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's experiment is wrong");
    }
    const auto dataset = Dataset::open(data, m_folder.path().toStdString(), DataPart::Train);
    const auto stream = dataset ? dataset->readParts({.labels = LabelNeed::None})
                                : tl::make_unexpected(dataset.error());
    if (!stream) {
        return {stream.error().sentence};
    }
    std::vector<std::string> said;
    while (true) {
        const auto made = (*stream)->next();
        if (!made) {
            said.push_back(made.error().sentence);
        }
        if (!made || !*made) {
            return said;
        }
        const std::string part = (*made)->part == DataPart::Train ? "train " : "eval ";
        const Result<FeatureBatch>& batch = (*made)->batch;
        said.push_back(part + (batch ? std::to_string(batch->rowCount) : batch.error().sentence));
    }
}

void TstDatasetParts::whatIsWrongWithOnePartLeavesTheOther()
{
    const std::string file = write("pieces.csv", "part,h\na,1|2\nb,x\na,3\nb,y\n");
    const std::string text = R"(train { csv { files: "pieces.csv" } }
        feature { name: "h" split { column: "h" dtype: int64 } }
        split { by_column { column: "part" eval_values: ")";
    const std::string sentence =
        file + ":3: the piece \"x\" of feature h is not a valid int64. Correct it, read the "
               "pieces as string, or set bad_rows to SKIP.";
    QCOMPARE(read(text + "b\" } }"), (std::vector<std::string>{"train 2", "eval " + sentence}));
    QCOMPARE(read(text + "a\" } }"), (std::vector<std::string>{"train " + sentence, "eval 2"}));
    // A row that is none ends both.
    write("pieces.csv", "part,h\na,1\nb,2\na\nb,3\n");
    const std::vector<std::string> said = read(text + "b\" } }");
    QCOMPARE(said.size(), std::size_t{1});
    QVERIFY2(said.front().starts_with(file + ":4"), said.front().c_str());
}

void TstDatasetParts::aPartWithoutRowsLeavesTheOther()
{
    write("one.csv", "a,b\n1,2\n");
    const std::string text =
        "train { csv { files: 'one.csv' } } split { by_column { column: 'a' eval_values: '";
    const std::string cure = ". Change its fraction, its number of folds, its values for "
                             "evaluation or its time.";
    QCOMPARE(read(text + "7' } }"),
             (std::vector<std::string>{"train 1",
                                       "eval The split leaves no rows for evaluation" + cure}));
    QCOMPARE(
        read(text + "1' } }"),
        (std::vector<std::string>{"eval 1", "train The split leaves no rows for training" + cure}));
}

CANNERY_TEST(TstDatasetParts)
#include "tst_dataset_parts.moc"
