// SPDX-License-Identifier: Apache-2.0
#include "core/data/rows/duplicate_rows.h"
#include "tests/support/test_main.h"

#include <QtTest>

using namespace cannery;
using namespace cannery::data;

namespace {

const std::vector<std::size_t> kBoth{0, 1};

/// Rows of a number and a text; an empty text is a missing cell.
storage::TableChunk rowsOf(const std::vector<std::pair<std::int64_t, std::string>>& rows)
{
    storage::TableColumn numbers{.name = "number", .dtype = DType::Int64};
    storage::TableColumn texts{.name = "text", .dtype = DType::String};
    std::vector<std::int64_t> values;
    StringColumn words;
    for (const auto& [number, text] : rows) {
        values.push_back(number);
        words.push_back(text);
    }
    numbers.values = values;
    texts.values = words;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].second.empty()) {
            texts.markMissing(row, rows.size());
        }
    }
    return {.columns = {numbers, texts}, .rows = rows.size()};
}

storage::TableChunk numbered(std::int64_t begin, std::int64_t end)
{
    std::vector<std::pair<std::int64_t, std::string>> rows;
    for (std::int64_t i = begin; i < end; ++i) {
        rows.emplace_back(i, "same");
    }
    return rowsOf(rows);
}

} // namespace

class TstDuplicateRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsEvaluationRowsThatAreTrainingRows();
    void comparesOnlyTheGivenColumns();
    void aMissingCellIsNotTheEmptyText();
    void manyRowsAreJudgedByASample();
    void theOrderOfRowsDoesNotMatter();
};

void TstDuplicateRows::countsEvaluationRowsThatAreTrainingRows()
{
    DuplicateRows duplicates;
    duplicates.add(DataPart::Eval, rowsOf({{1, "a"}, {1, "a"}, {2, "a"}, {3, "c"}}), kBoth);
    duplicates.add(DataPart::Train, rowsOf({{1, "a"}, {2, "b"}, {3, "c"}, {3, "c"}}), kBoth);
    const DuplicateRows::Found found = duplicates.found();
    QCOMPARE(found.rows, std::uint64_t(8));
    QCOMPARE(found.different, std::uint64_t(4));
    QCOMPARE(found.evalRows, std::uint64_t(4));
    QCOMPARE(found.duplicates, std::uint64_t(3));
    QCOMPARE(found.oneOf, std::uint64_t(1));
}

void TstDuplicateRows::comparesOnlyTheGivenColumns()
{
    DuplicateRows duplicates;
    const std::vector<std::size_t> text{1};
    duplicates.add(DataPart::Train, rowsOf({{1, "a"}}), text);
    duplicates.add(DataPart::Eval, rowsOf({{2, "a"}, {1, "b"}}), text);
    QCOMPARE(duplicates.found().duplicates, std::uint64_t(1));
}

void TstDuplicateRows::aMissingCellIsNotTheEmptyText()
{
    storage::TableChunk present = rowsOf({{1, ""}});
    present.columns[1].validity.clear();
    DuplicateRows duplicates;
    duplicates.add(DataPart::Train, present, kBoth);
    duplicates.add(DataPart::Eval, rowsOf({{1, ""}}), kBoth);
    QCOMPARE(duplicates.found().duplicates, std::uint64_t(0));
    duplicates.add(DataPart::Eval, present, kBoth);
    QCOMPARE(duplicates.found().duplicates, std::uint64_t(1));
}

/// Half of the evaluation rows are training rows; the sample has all copies of its rows.
void TstDuplicateRows::manyRowsAreJudgedByASample()
{
    DuplicateRows duplicates(1000);
    duplicates.add(DataPart::Train, numbered(0, 20'000), kBoth);
    duplicates.add(DataPart::Eval, numbered(15'000, 25'000), kBoth);
    const DuplicateRows::Found found = duplicates.found();
    QCOMPARE(found.oneOf, std::uint64_t(32));
    QVERIFY(found.different <= 1000);
    const double share =
        static_cast<double>(found.duplicates) / static_cast<double>(found.evalRows);
    QVERIFY2(share > 0.4 && share < 0.6, qPrintable(QString::number(share)));
}

void TstDuplicateRows::theOrderOfRowsDoesNotMatter()
{
    DuplicateRows once(64);
    once.add(DataPart::Train, numbered(0, 3000), kBoth);
    once.add(DataPart::Eval, numbered(1000, 4000), kBoth);
    DuplicateRows piecewise(64);
    for (std::int64_t begin = 3900; begin >= 0; begin -= 100) {
        if (begin >= 1000) {
            piecewise.add(DataPart::Eval, numbered(begin, begin + 100), kBoth);
        }
        if (begin < 3000) {
            piecewise.add(DataPart::Train, numbered(begin, begin + 100), kBoth);
        }
    }
    QVERIFY(once.found() == piecewise.found());
}

CANNERY_TEST(TstDuplicateRows)
#include "tst_duplicate_rows.moc"
