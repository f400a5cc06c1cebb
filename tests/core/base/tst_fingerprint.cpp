// SPDX-License-Identifier: Apache-2.0
#include "core/base/fingerprint.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <string>

using namespace cannery;

/// Expected values: compiled google/farmhash and TensorFlow's string_to_hash_bucket_fast.
class TstFingerprint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void hashesText_data();
    void hashesText();
    void hashesEveryLengthClass_data();
    void hashesEveryLengthClass();
    void concatenates();
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
    std::string text;
    for (int i = 0; i < length; ++i) {
        text.push_back(static_cast<char>((131 * i + 17 * length + 7) % 256));
    }
    QCOMPARE(quint64(fingerprint64(text)), expected);
}

void TstFingerprint::concatenates()
{
    QCOMPARE(quint64(fingerprintCat64(0, 0)), quint64(0x5825f5f3bd962979ULL));
    QCOMPARE(quint64(fingerprintCat64(1, 2)), quint64(0xc89a2574412ac8e4ULL));
    QCOMPARE(quint64(fingerprintCat64(2, 1)), quint64(0xe974d3af90f91b83ULL));
    QCOMPARE(quint64(fingerprintCat64(fingerprint64("Hello"), fingerprint64("World"))),
             quint64(16877292868973613377ULL));
}

CANNERY_TEST(TstFingerprint)
#include "tst_fingerprint.moc"
