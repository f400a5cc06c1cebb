// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/number_parser.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

using namespace cannery::storage;

class TstNumberParser : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithStrtofOnEveryLength();
    void bitsAreThoseOfStrtof_data();
    void bitsAreThoseOfStrtof();
    void roundsMiddlesStraightToFloat();
    void readsWhatTensorFlowReads_data();
    void readsWhatTensorFlowReads();
    void refusesWhatIsNoNumber();
    void saysWhenANumberIsOutOfRange();
    void readsIntegersToTheirLimits();
};

void TstNumberParser::agreesWithStrtofOnEveryLength()
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 200000; ++round) {
        char text[64];
        const int digits = int(random() % 18);
        const double value = std::ldexp(double(random() >> 11U), int(random() % 60) - 70) *
                             ((random() & 1U) != 0 ? 1 : -1);
        std::snprintf(text, sizeof text, (round % 4) != 0 ? "%.*f" : "%.*e", digits, value);
        const PaddedText padded(text);
        float asFloat = 0;
        double asDouble = 0;
        QVERIFY2(parseFloat(padded.view(), asFloat) == NumberStatus::Ok, text);
        QVERIFY2(parseDouble(padded.view(), asDouble) == NumberStatus::Ok, text);
        QVERIFY2(std::bit_cast<unsigned>(asFloat) ==
                     std::bit_cast<unsigned>(std::strtof(text, nullptr)),
                 text);
        QVERIFY2(asDouble == std::strtod(text, nullptr), text);
    }
}

namespace {

using Random = std::mt19937_64;

/// Any float except NaN and infinity.
float anyFloat(Random& random)
{
    const auto bits = static_cast<std::uint32_t>(random());
    const float value = std::bit_cast<float>(bits);
    return std::isfinite(value) ? value : std::bit_cast<float>(bits & 0xBFFFFFFFU);
}

void shortestFloat(Random& random, char* text, std::size_t room)
{
    std::snprintf(text, room, "%.9g", double(anyFloat(random)));
}

void longExponent(Random& random, char* text, std::size_t room)
{
    const double value = std::ldexp(double(random() >> 11U), int(random() % 200) - 150);
    std::snprintf(text, room, "%.*e", int(random() % 19), (random() & 1U) != 0 ? value : -value);
}

void digitsWithAPoint(Random& random, char* text, std::size_t room)
{
    const int digits = 1 + int(random() % 24);
    const int point = int(random() % 30);
    std::string made(random() % 3 == 0 ? "-" : "");
    for (int i = 0; i < digits; ++i) {
        if (i == point) {
            made.push_back('.');
        }
        made.push_back(random() % 4 == 0 ? '0' : char('0' + random() % 10));
    }
    if (random() % 4 == 0) {
        made.append(random() % 2 == 0 ? "e" : "E").append(random() % 2 == 0 ? "-" : "");
        made.append(std::to_string(random() % 50));
    }
    std::snprintf(text, room, "%s", made.c_str());
}

/// The midpoint of two floats, truncated or extended somewhere after it.
void nearAMiddle(Random& random, char* text, std::size_t room)
{
    const float low =
        std::ldexp(float(1U << 23U | (random() & 0x7FFFFFU)), int(random() % 60) - 50);
    const double middle = (double(low) + double(std::nextafter(low, INFINITY))) / 2;
    std::snprintf(text, room, "%.*g", 8 + int(random() % 24), middle);
}

using MakeText = void (*)(Random&, char*, std::size_t);

} // namespace

void TstNumberParser::bitsAreThoseOfStrtof_data()
{
    QTest::addColumn<int>("maker");
    QTest::newRow("shortest float") << 0;
    QTest::newRow("long with exponent") << 1;
    QTest::newRow("digits with a point") << 2;
    QTest::newRow("near the middle of two floats") << 3;
}

void TstNumberParser::bitsAreThoseOfStrtof()
{
    QFETCH(const int, maker);
    constexpr MakeText kMakers[] = {shortestFloat, longExponent, digitsWithAPoint, nearAMiddle};
    Random random(static_cast<std::uint64_t>(maker));
    char padded[256];
    for (int round = 0; round < 150000; ++round) {
        std::memset(padded, ',', sizeof padded);
        char* text = padded + 64;
        kMakers[maker](random, text, 100);
        const std::size_t length = std::strlen(text);
        float asFloat = 0;
        double asDouble = 0;
        const NumberStatus status = parseFloat({text, length}, asFloat);
        parseDouble({text, length}, asDouble);
        QVERIFY2(status != NumberStatus::NotANumber, text);
        QVERIFY2(std::bit_cast<std::uint32_t>(asFloat) ==
                     std::bit_cast<std::uint32_t>(std::strtof(text, nullptr)),
                 text);
        QVERIFY2(std::bit_cast<std::uint64_t>(asDouble) ==
                     std::bit_cast<std::uint64_t>(std::strtod(text, nullptr)),
                 text);
    }
}

void TstNumberParser::roundsMiddlesStraightToFloat()
{
    // Just above the midpoint of two floats: rounding through double would give the even one below.
    for (const char* text : {"16777217.000001", "16777217", "16777219", "1.00000005960464477",
                             "33554433.000000", "0.100000001490116"}) {
        float value = 0;
        QVERIFY(parseFloat(PaddedText(text).view(), value) == NumberStatus::Ok);
        QCOMPARE(value, std::strtof(text, nullptr));
    }
}

void TstNumberParser::readsWhatTensorFlowReads_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<float>("expected");
    QTest::newRow("plus") << QByteArray("+1.5") << 1.5F;
    QTest::newRow("no integer part") << QByteArray(".5") << 0.5F;
    QTest::newRow("no fraction") << QByteArray("5.") << 5.0F;
    QTest::newRow("exponent") << QByteArray("1e3") << 1000.0F;
    QTest::newRow("spaces") << QByteArray(" 4 ") << 4.0F;
    QTest::newRow("negative zero") << QByteArray("-0") << -0.0F;
    QTest::newRow("infinity") << QByteArray("-Infinity") << -std::numeric_limits<float>::infinity();
    QTest::newRow("inf") << QByteArray("inf") << std::numeric_limits<float>::infinity();
    QTest::newRow("underflow") << QByteArray("1e-400") << 0.0F;
    QTest::newRow("subnormal") << QByteArray("1e-40") << 1e-40F;
}

void TstNumberParser::readsWhatTensorFlowReads()
{
    QFETCH(const QByteArray, text);
    QFETCH(const float, expected);
    float value = 77;
    QVERIFY(parseFloat(PaddedText(text.toStdString()).view(), value) == NumberStatus::Ok);
    QCOMPARE(std::bit_cast<unsigned>(value), std::bit_cast<unsigned>(expected));
    float nan = 0;
    QVERIFY(parseFloat(PaddedText("NaN").view(), nan) == NumberStatus::Ok && std::isnan(nan));
}

void TstNumberParser::refusesWhatIsNoNumber()
{
    for (const char* text : {"",
                             " ",
                             ".",
                             "-",
                             "+",
                             "+-1",
                             "1.2.3",
                             "1,5",
                             "0x10",
                             "1_000",
                             "1 2",
                             "abc",
                             "1e",
                             "nan(1)",
                             "--1",
                             "1-",
                             "/",
                             ":",
                             "1/2",
                             "1e5e5",
                             "1.5.000000000000000000",
                             "12345678901234567x",
                             "1e+-5",
                             "12345678901234567:5",
                             "e5",
                             "-e5",
                             ".e5",
                             "1 e5",
                             "- 4",
                             "\u2212 4",
                             "\u2212-4",
                             "\u2212\u22124"}) {
        float value = 0;
        double wide = 0;
        std::int64_t integer = 0;
        QVERIFY2(parseFloat(PaddedText(text).view(), value) == NumberStatus::NotANumber, text);
        QVERIFY2(parseDouble(PaddedText(text).view(), wide) == NumberStatus::NotANumber, text);
        QVERIFY2(parseInteger(text, integer) == NumberStatus::NotANumber, text);
    }
}

void TstNumberParser::saysWhenANumberIsOutOfRange()
{
    float value = 0;
    double wide = 0;
    QVERIFY(parseFloat(PaddedText("3.5e38").view(), value) == NumberStatus::OutOfRange);
    QVERIFY(std::isinf(value));
    QVERIFY(parseDouble(PaddedText("3.5e38").view(), wide) == NumberStatus::Ok);
    QVERIFY(parseDouble(PaddedText("-1e400").view(), wide) == NumberStatus::OutOfRange);
    QVERIFY(std::isinf(wide) && wide < 0);
}

void TstNumberParser::readsIntegersToTheirLimits()
{
    std::int64_t value = 0;
    QVERIFY(parseInteger("9223372036854775807", value) == NumberStatus::Ok);
    QCOMPARE(value, std::numeric_limits<std::int64_t>::max());
    QVERIFY(parseInteger("-9223372036854775808", value) == NumberStatus::Ok);
    QCOMPARE(value, std::numeric_limits<std::int64_t>::min());
    QVERIFY(parseInteger("9223372036854775808", value) == NumberStatus::OutOfRange);
    QVERIFY(parseInteger("99999999999999999999999999", value) == NumberStatus::OutOfRange);
    QVERIFY(parseInteger(" +007 ", value) == NumberStatus::Ok);
    QCOMPARE(value, std::int64_t(7));
    QVERIFY(parseInteger("1.0", value) == NumberStatus::NotANumber);
}

CANNERY_TEST(TstNumberParser)
#include "tst_number_parser.moc"
