// SPDX-License-Identifier: Apache-2.0
#include "core/base/fingerprint.h"
#include "core/base/fingerprint128.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace cannery;

namespace {

std::string textOf(int length)
{
    std::string text;
    for (int i = 0; i < length; ++i) {
        text.push_back(static_cast<char>((131 * i + 17 * length + 7) % 256));
    }
    return text;
}

} // namespace

/// Expected values: compiled google/farmhash and TensorFlow's string_to_hash_bucket_fast; of 128
/// bits, TensorFlow 2.15.1's SdcaFprint.
class TstFingerprint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hashesText_data();
    void hashesText();
    void hashesEveryLengthClass_data();
    void hashesEveryLengthClass();
    void concatenates();
    void hashesTo128Bits_data();
    void hashesTo128Bits();
};

void TstFingerprint::hashesText_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<quint64>("expected");
    QTest::newRow("empty") << "" << quint64(0x9ae16a3b2f90404fULL);
    QTest::newRow("a") << "a" << quint64(0xb3454265b6df75e3ULL);
    QTest::newRow("Hello") << "Hello" << quint64(0xd5c87c1e326b2087ULL);
    QTest::newRow("-1") << "-1" << quint64(0x65c727c9a1b5784eULL);
    QTest::newRow("tensorflow") << "tensorflow" << quint64(0xe684b93be70bb6e2ULL);
    QTest::newRow("fox") << "The quick brown fox jumps over the lazy dog"
                         << quint64(0xabbe83f33b1b5134ULL);
    QTest::newRow("accent") << "é" << quint64(0x099e89e5ecbb4cc1ULL);
}

void TstFingerprint::hashesText()
{
    QFETCH(QString, text);
    QFETCH(quint64, expected);
    QCOMPARE(quint64(fingerprint64(text.toStdString())), expected);
}

void TstFingerprint::hashesEveryLengthClass_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<quint64>("expected");
    const std::pair<int, quint64> rows[] = {
        {1, 0x988539a01c055d2fULL},   {2, 0xfe7920b7265396faULL},   {3, 0x0242543e46d77e91ULL},
        {4, 0x865e4052c7954882ULL},   {7, 0x6827aa63e0ba6502ULL},   {8, 0x15452c935ce1a1edULL},
        {16, 0x9256d2bba0eda546ULL},  {17, 0x8c0eaa3add1199afULL},  {32, 0x436fed8b70622e76ULL},
        {33, 0xac20373959a00f14ULL},  {64, 0x0e1c4e515852de78ULL},  {65, 0xf7865ceb2cf2d11fULL},
        {128, 0x148b422fcdfa4b4aULL}, {129, 0x7aa1e434964a759fULL}, {200, 0xb0875040be32af2fULL},
    };
    for (const auto& [length, expected] : rows) {
        QTest::addRow("%d", length) << length << expected;
    }
}

void TstFingerprint::hashesEveryLengthClass()
{
    QFETCH(int, length);
    QFETCH(quint64, expected);
    QCOMPARE(quint64(fingerprint64(textOf(length))), expected);
}

void TstFingerprint::concatenates()
{
    QCOMPARE(quint64(fingerprintCat64(0, 0)), quint64(0x5825f5f3bd962979ULL));
    QCOMPARE(quint64(fingerprintCat64(1, 2)), quint64(0xc89a2574412ac8e4ULL));
    QCOMPARE(quint64(fingerprintCat64(2, 1)), quint64(0xe974d3af90f91b83ULL));
    QCOMPARE(quint64(fingerprintCat64(fingerprint64("Hello"), fingerprint64("World"))),
             quint64(16877292868973613377ULL));
}

void TstFingerprint::hashesTo128Bits_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<quint64>("low");
    QTest::addColumn<quint64>("high");
    struct Row
    {
        int length;
        quint64 low;
        quint64 high;
    };
    const Row rows[] = {
        {0, 0x3df09dfc64c09a2bULL, 0x3cb540c392e51e29ULL},
        {1, 0x52060a6ba990057cULL, 0x55df982a95921377ULL},
        {5, 0x8f102a3ba9aeed41ULL, 0x8f3302bdaaa6f6e5ULL},
        {8, 0x77a9e21a4d5ef585ULL, 0x6708d7df5c157012ULL},
        {15, 0x340c37f1a71607b4ULL, 0xb6b0febbf5c46957ULL},
        {16, 0xcf37d7de5549600eULL, 0x9b2cfcb7cfc7750bULL},
        {17, 0x4487bdb5b74528caULL, 0x3c2443c39a01c5b0ULL},
        {33, 0xd739bd61fd3fcdbfULL, 0x5dad7af9d7257741ULL},
        {100, 0x5bdc7d821803602cULL, 0x1fd0905a9036a9cbULL},
        {143, 0x20f20f1a56fcff77ULL, 0x469b00d179f957c6ULL},
        {144, 0xea16d1705b48ba6dULL, 0x2213b7c96682ffeeULL},
        {271, 0x816dd6144516ea5bULL, 0x3b15d5f8e33d53d3ULL},
        {272, 0x701ee60d841c6216ULL, 0x121ff3cb71829483ULL},
        {420, 0x745cbb1feea3ffbcULL, 0x71ab80858eca2422ULL},
    };
    for (const Row& row : rows) {
        QTest::addRow("%d", row.length) << row.length << row.low << row.high;
    }
}

void TstFingerprint::hashesTo128Bits()
{
    QFETCH(int, length);
    QFETCH(quint64, low);
    QFETCH(quint64, high);
    const Fingerprint128 hash = fingerprint128(textOf(length));
    QCOMPARE(quint64(hash.low), low);
    QCOMPARE(quint64(hash.high), high);
}

CANNERY_TEST(TstFingerprint)
#include "tst_fingerprint.moc"
