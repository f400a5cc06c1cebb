// SPDX-License-Identifier: Apache-2.0
// Built for the engine's processor, so that the groups of bytes in its registers and those in plain
// words are both here.
#include "storage/tabular/byte_masks.h"
#include "storage/tabular/csv/csv_dialect.h"
#include "storage/tabular/long_decimal.h"
#include "storage/tabular/plain_decimal.h"
#include "storage/tabular/record_cutter.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace cannery::storage;
using detail::Digits;
using detail::WordDigits;

class TstByteGroups : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void masksHaveABitForEachEqualByte();
    void noticesNulAndBytesThatAreNotAscii();
    void findsBytesBeforeANumbersEnd();
    void joinsTheLastDigits();
    void squeezesThePointOut();
    void readsTheSameNumbers();
    void cutsTheSameRecords();
};

namespace {

using Random = std::mt19937_64;

/// Bytes around those that carries between the bytes of a word would confuse.
std::string trickyBytes(Random& random, std::size_t count)
{
    constexpr std::array<unsigned char, 12> kBytes = {0x00, 0x01, 0x7F, 0x80, 0x81, 0xFF,
                                                      0x2B, 0x2C, 0x2D, 0x0A, 0x0D, 0x22};
    std::string text(count, ' ');
    for (char& byte : text) {
        byte = static_cast<char>(kBytes[random() % kBytes.size()]);
    }
    return text;
}

template <typename Bytes>
std::uint64_t maskOf(const std::string& text, char wanted)
{
    return Bytes::at(text.data()).equal(Bytes::pattern(wanted));
}

template <typename Bytes>
std::array<bool, 3> seenIn(const std::string& first, const std::string& second)
{
    typename Bytes::Seen seen;
    seen.note(Bytes::at(first.data()));
    seen.note(Bytes::at(second.data()));
    return {seen.nul(), seen.highByte(), Bytes::at(second.data()).isAscii()};
}

bool isHigh(char byte)
{
    return static_cast<unsigned char>(byte) >= 0x80U;
}

std::string textOf(Random& random, std::string_view alphabet, std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text.push_back(alphabet[random() % alphabet.size()]);
    }
    return text;
}

/// Nothing if one of the characters is not a digit.
std::optional<std::uint64_t> numberOf(std::string_view digits)
{
    std::uint64_t number = 0;
    for (const char digit : digits) {
        if (digit < '0' || digit > '9') {
            return std::nullopt;
        }
        number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return number;
}

template <typename Bytes>
std::optional<std::uint64_t> joined(Bytes bytes, std::size_t count)
{
    std::uint64_t number = 0;
    return bytes.join(count, number) ? std::optional(number) : std::nullopt;
}

/// The bits of what each reader makes of the text; nothing where it refuses.
template <typename Bytes>
std::array<std::optional<std::uint64_t>, 5> readings(std::string_view text)
{
    std::array<std::optional<std::uint64_t>, 5> found;
    double wide = 0;
    float narrow = 0;
    std::int64_t whole = 0;
    if (parsePlain<Bytes>(text, wide)) {
        found[0] = std::bit_cast<std::uint64_t>(wide);
    }
    if (parseLong<Bytes>(text, wide)) {
        found[1] = std::bit_cast<std::uint64_t>(wide);
    }
    if (parsePlain<Bytes>(text, narrow)) {
        found[2] = std::bit_cast<std::uint32_t>(narrow);
    }
    if (parseLong<Bytes>(text, narrow)) {
        found[3] = std::bit_cast<std::uint32_t>(narrow);
    }
    if (parsePlain<Bytes>(text, whole)) {
        found[4] = static_cast<std::uint64_t>(whole);
    }
    return found;
}

/// Everything that a cutter reports, as numbers.
struct Report
{
    bool isDone() const { return false; }
    void run(std::size_t at, std::uint64_t ends, std::size_t begin) { add({1, at, ends, begin}); }
    void cell(std::size_t begin, std::uint32_t length) { add({2, begin, length}); }
    void record(std::size_t begin, std::size_t end, std::size_t next)
    {
        add({3, begin, end, next});
    }
    void fault(RowFault kind, std::size_t offset) { add({4, std::uint64_t(kind), offset}); }
    void unclosed(std::size_t begin, std::size_t quote) { add({5, begin, quote}); }
    void add(std::initializer_list<std::uint64_t> more) { all.insert(all.end(), more); }

    std::vector<std::uint64_t> all;
};

template <typename Bytes>
std::vector<std::uint64_t> cutBy(std::string_view text, const CsvDialect& dialect)
{
    Report report;
    RecordCutter<Report, Bytes> cutter(text, dialect, report);
    cutter.run();
    report.add({cutter.maker().sawNul(), cutter.maker().sawHighByte(), cutter.inQuotes()});
    return report.all;
}

} // namespace

void TstByteGroups::masksHaveABitForEachEqualByte()
{
    Random random(3);
    for (int round = 0; round < 2000; ++round) {
        const std::string text = trickyBytes(random, 64);
        for (int byte = 0; byte < 256; ++byte) {
            const char wanted = static_cast<char>(byte);
            std::uint64_t expected = 0;
            for (std::size_t i = 0; i < text.size(); ++i) {
                expected |= std::uint64_t(text[i] == wanted) << i;
            }
            QCOMPARE(maskOf<WordBytes>(text, wanted), expected);
            QCOMPARE(maskOf<TextBytes>(text, wanted), expected);
        }
    }
}

void TstByteGroups::noticesNulAndBytesThatAreNotAscii()
{
    const std::string plain(64, 'x');
    QCOMPARE(seenIn<WordBytes>(plain, plain), (std::array{false, false, true}));
    QCOMPARE(seenIn<TextBytes>(plain, plain), (std::array{false, false, true}));
    for (std::size_t place = 0; place < plain.size(); ++place) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string odd = plain;
            odd[place] = static_cast<char>(byte);
            const bool high = isHigh(odd[place]);
            QCOMPARE(seenIn<WordBytes>(plain, odd), (std::array{byte == 0, high, !high}));
            QCOMPARE(seenIn<TextBytes>(plain, odd), (std::array{byte == 0, high, !high}));
            QCOMPARE(seenIn<WordBytes>(odd, plain), (std::array{byte == 0, high, true}));
            QCOMPARE(seenIn<TextBytes>(odd, plain), (std::array{byte == 0, high, true}));
        }
    }
}

void TstByteGroups::findsBytesBeforeANumbersEnd()
{
    Random random(5);
    for (int round = 0; round < 20000; ++round) {
        const std::string text = textOf(random, "eE.5\xC5\x65\x45\x85", 32);
        const char* end = text.data() + text.size();
        std::uint32_t points = 0;
        std::uint32_t letters = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            points |= std::uint32_t(text[i] == '.') << i;
            letters |= std::uint32_t(text[i] == 'e' || text[i] == 'E') << i;
        }
        QCOMPARE(WordDigits::equalBefore(end, '.'), points);
        QCOMPARE(Digits::equalBefore(end, '.'), points);
        QCOMPARE(WordDigits::before(end).equal('.'), points >> 16U);
        QCOMPARE(Digits::before(end).equal('.'), points >> 16U);
        QCOMPARE(WordDigits::before(end).equalLetter('e'), letters >> 16U);
        QCOMPARE(Digits::before(end).equalLetter('e'), letters >> 16U);
    }
}

void TstByteGroups::joinsTheLastDigits()
{
    Random random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text = textOf(random, "0123456789", 16);
        if (round % 2 == 0) {
            text[random() % text.size()] = static_cast<char>(random());
        }
        const char* end = text.data() + text.size();
        for (std::size_t count = 0; count <= text.size(); ++count) {
            const auto expected = numberOf(std::string_view(text).substr(text.size() - count));
            QCOMPARE(joined(WordDigits::before(end), count), expected);
            QCOMPARE(joined(Digits::before(end), count), expected);
        }
    }
}

void TstByteGroups::squeezesThePointOut()
{
    Random random(11);
    for (int round = 0; round < 2000; ++round) {
        const std::string text = textOf(random, "0123456789", 16);
        const char* end = text.data() + text.size();
        for (unsigned point = 0; point <= 16; ++point) {
            std::string squeezed = text;
            squeezed.erase(std::min<std::size_t>(point, 15), point < 16 ? 1 : 0);
            const auto expected = numberOf(squeezed);
            const std::size_t count = squeezed.size();
            QCOMPARE(joined(WordDigits::before(end).squeezed(point), count), expected);
            QCOMPARE(joined(Digits::before(end).squeezed(point), count), expected);
        }
    }
}

void TstByteGroups::readsTheSameNumbers()
{
    Random random(13);
    int numbers = 0;
    for (int round = 0; round < 400000; ++round) {
        const std::string_view alphabet = round % 4 == 0   ? "0123456789.-+eE/: "
                                          : round % 4 == 1 ? "0123456789."
                                                           : "0123456789";
        std::string text = (round % 3 == 0 ? "-" : "") + textOf(random, alphabet, random() % 20);
        if (round % 5 == 0) {
            text += "e-" + std::to_string(random() % 40);
        }
        const std::string padded = std::string(64, ',') + text + std::string(64, ',');
        const std::string_view cell = std::string_view(padded).substr(64, text.size());
        const auto found = readings<WordDigits>(cell);
        QVERIFY2(found == readings<Digits>(cell), text.c_str());
        numbers += found[2] || found[3] ? 1 : 0;
    }
    QVERIFY(numbers > 100000);
}

void TstByteGroups::cutsTheSameRecords()
{
    Random random(17);
    for (int round = 0; round < 20000; ++round) {
        const std::string_view alphabet =
            round % 2 == 0 ? "ab\"\",,\n\r" : "abcdefghijklmnopqrst,,;\n\xE4\"";
        const std::string text = textOf(random, alphabet, random() % 400);
        const std::string padded = text + std::string(64, '"');
        const std::string_view cut = std::string_view(padded).substr(0, text.size());
        CsvDialect dialect;
        dialect.delimiter = round % 3 == 0 ? ';' : ',';
        dialect.quote = round % 5 == 0 ? '\0' : '"';
        QCOMPARE(cutBy<WordBytes>(cut, dialect), cutBy<TextBytes>(cut, dialect));
    }
}

CANNERY_TEST(TstByteGroups)
#include "tst_byte_groups.moc"
