#include "storage/tabular/number_parser.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

using namespace cannery::storage;

class TstNumberParser : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithStrtofOnEveryLength();
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

void TstNumberParser::roundsMiddlesStraightToFloat()
{
    // Just above the middle of two floats: a double in between would round to the even one below.
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
    for (const char* text : {"", " ", ".", "-", "+", "+-1", "1.2.3", "1,5", "0x10", "1_000", "1 2",
                             "abc", "1e", "nan(1)", "--1", "1-", "/", ":", "1/2"}) {
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
