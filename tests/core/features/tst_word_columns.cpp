// SPDX-License-Identifier: Apache-2.0
// Built for the engine's processor, so that its registers are used where it has them.
#include "core/features/word_columns.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace cannery::features;

class TstWordColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesEveryWord();
};

namespace {

constexpr std::size_t kOffset = 3;
constexpr std::size_t kWords = kOffset + kTile;
/// What no record holds.
constexpr std::uint32_t kUntouched = 0xFFFFFFFFU;

std::vector<std::vector<std::uint32_t>> untouched(std::size_t width, std::size_t rows)
{
    return {width, std::vector<std::uint32_t>(rows + 1, kUntouched)};
}

std::vector<std::uint32_t*> places(std::vector<std::vector<std::uint32_t>>& columns)
{
    std::vector<std::uint32_t*> all;
    for (std::vector<std::uint32_t>& column : columns) {
        all.push_back(column.data());
    }
    return all;
}

} // namespace

void TstWordColumns::takesEveryWord()
{
    for (std::size_t rows = 0; rows < 40; ++rows) {
        std::vector<std::uint32_t> words(rows * kWords);
        std::vector<const std::uint32_t*> records;
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = static_cast<std::uint32_t>(i * 2654435761U % 0xFFFFFFFFU);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            records.push_back(words.data() + i * kWords);
        }
        for (std::size_t width = 1; width <= kTile; ++width) {
            auto expected = untouched(width, rows);
            for (std::size_t c = 0; c < width; ++c) {
                for (std::size_t i = 0; i < rows; ++i) {
                    expected[c][i] = words[i * kWords + kOffset + c];
                }
            }
            auto atOnce = untouched(width, rows);
            takeWords(records, kOffset, places(atOnce));
            QCOMPARE(atOnce, expected);
            auto oneByOne = untouched(width, rows);
            takeWordByWord(records, kOffset, places(oneByOne), 0);
            QCOMPARE(oneByOne, expected);
        }
    }
}

CANNERY_TEST(TstWordColumns)
#include "tst_word_columns.moc"
