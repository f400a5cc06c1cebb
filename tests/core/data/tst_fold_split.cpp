// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/spec/data.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>
#include <set>

using namespace cannery;
using namespace cannery::data;

namespace {

using Integers = std::vector<std::int64_t>;

Integers integersOf(const FeatureValues& feature)
{
    return std::get<std::vector<std::int64_t>>(feature.elements);
}

std::vector<std::string> textsOf(const FeatureValues& feature)
{
    const auto& column = std::get<StringColumn>(feature.elements);
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < column.size(); ++row) {
        texts.emplace_back(column[row]);
    }
    return texts;
}

} // namespace

class TstFoldSplit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyRowIsHeldBackByOneOfTheFolds_data();
    void everyRowIsHeldBackByOneOfTheFolds();
    void refusesAFoldThatDoesNotExist();

private:
    void write(const QString& name, const std::string& text) const;
    Result<FeatureBatch> read(const std::string& text, DataPart part,
                              LabelNeed labels = LabelNeed::Required) const;

    QTemporaryDir m_folder;
};

void TstFoldSplit::write(const QString& name, const std::string& text) const
{
    QFile file(m_folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.data(), qint64(text.size()));
}

Result<FeatureBatch> TstFoldSplit::read(const std::string& text, DataPart part,
                                        LabelNeed labels) const
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's experiment is wrong");
    }
    CANNERY_TRY_ASSIGN(const Dataset dataset,
                       Dataset::open(data, m_folder.path().toStdString(), part));
    CANNERY_TRY_ASSIGN(const std::unique_ptr<FeatureStream> stream,
                       dataset.read({.labels = labels}));
    CANNERY_TRY_ASSIGN(std::optional<FeatureBatch> batch, stream->next());
    return std::move(*batch);
}

void TstFoldSplit::everyRowIsHeldBackByOneOfTheFolds_data()
{
    QTest::addColumn<int>("folds");
    QTest::addColumn<bool>("stratify");
    for (const int folds : {2, 3, 5, 7, 40}) {
        QTest::addRow("%d", folds) << folds << false;
        QTest::addRow("%d stratified", folds) << folds << true;
    }
}

void TstFoldSplit::everyRowIsHeldBackByOneOfTheFolds()
{
    QFETCH(int, folds);
    QFETCH(bool, stratify);
    std::string text = "n,y\n";
    for (int i = 0; i < 203; ++i) {
        text += std::to_string(i) + (i % 10 == 0 ? ",rare\n" : i % 2 == 0 ? ",a\n" : ",b\n");
    }
    write("folds.csv", text);
    const auto rowsOf = [&](int fold, int seed, DataPart part) {
        const auto rows =
            read("train { csv { files: 'folds.csv' } } label { column: 'y' } split { "
                 "fold { folds: " +
                     std::to_string(folds) + " fold: " + std::to_string(fold) +
                     " seed: " + std::to_string(seed) + (stratify ? " stratify: true } }" : " } }"),
                 part);
        return rows ? std::pair(integersOf(rows->features[0]), textsOf(rows->labels[0]))
                    : std::pair<Integers, std::vector<std::string>>();
    };
    std::multiset<std::int64_t> heldBack;
    std::map<std::string, std::set<std::ptrdiff_t>> sizes; // by class, or of all rows
    for (int fold = 0; fold < folds; ++fold) {
        const auto [rows, labels] = rowsOf(fold, 3, DataPart::Eval);
        const auto [others, otherLabels] = rowsOf(fold, 3, DataPart::Train);
        std::set<std::int64_t> all(rows.begin(), rows.end());
        all.insert(others.begin(), others.end());
        QCOMPARE(all.size(), std::size_t{203});
        QCOMPARE(rows.size() + others.size(), std::size_t{203});
        heldBack.insert(rows.begin(), rows.end());
        for (const char* name : {"rare", "a", "b"}) {
            sizes[stratify ? name : "all"].insert(
                stratify ? std::count(labels.begin(), labels.end(), name) : std::ssize(labels));
        }
    }
    QCOMPARE(heldBack.size(), std::size_t{203});
    QCOMPARE(std::set<std::int64_t>(heldBack.begin(), heldBack.end()).size(), std::size_t{203});
    for (const auto& [name, counts] : sizes) {
        QVERIFY2(*counts.rbegin() - *counts.begin() <= 1, name.c_str());
    }
    QCOMPARE(rowsOf(1, 3, DataPart::Eval), rowsOf(1, 3, DataPart::Eval));
    QVERIFY(rowsOf(1, 4, DataPart::Eval) != rowsOf(1, 3, DataPart::Eval));
}

void TstFoldSplit::refusesAFoldThatDoesNotExist()
{
    write("few.csv", "n\n1\n2\n");
    for (const char* fold : {"folds: 1", "folds: 3 fold: 3", "fold: -1"}) {
        VERIFY_ERROR(
            read("train { csv { files: 'few.csv' } } split { fold { " + std::string(fold) + " } }",
                 DataPart::Train, LabelNeed::None),
            "data.bad_fold");
    }
}

CANNERY_TEST(TstFoldSplit)
#include "tst_fold_split.moc"
