// SPDX-License-Identifier: Apache-2.0
#include "storage/io/coding.h"
#include "storage/io/crc32c_short.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery::storage;

class TstCrc32c : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knownChecksums_data();
    void knownChecksums();
    void tablesAgreeWithTheInstruction();
    void lanesAreJoinedRight();
    void continuesWhereItLeftOff();
    void varintsComeBack();
    void refusesVarintsThatAreTooLong();
};

void TstCrc32c::knownChecksums_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<quint32>("crc");
    QTest::addColumn<quint32>("masked");
    QTest::newRow("empty") << QByteArray() << 0x00000000U << 0xa282ead8U;
    QTest::newRow("a") << QByteArray("a") << 0xc1d04330U << 0x28e46e78U;
    QTest::newRow("digits") << QByteArray("123456789") << 0xe3069283U << 0xc78ab0e5U;
    QTest::newRow("zeros") << QByteArray(32, '\0') << 0x8a9136aaU << 0x0fd7fffaU;
    QTest::newRow("ones") << QByteArray(32, '\xff') << 0x62a8ab43U << 0xf909b029U;
}

void TstCrc32c::knownChecksums()
{
    QFETCH(QByteArray, bytes);
    QFETCH(quint32, crc);
    QFETCH(quint32, masked);
    QCOMPARE(crc32c(bytes.toStdString()), crc);
    QCOMPARE(maskCrc(crc), masked);
    QCOMPARE(unmaskCrc(masked), crc);
}

void TstCrc32c::tablesAgreeWithTheInstruction()
{
    std::string text;
    for (int i = 0; i < 1000; ++i) {
        const auto bytes = std::as_bytes(std::span(text));
        QCOMPARE(crc32cPortable(bytes), crc32c(bytes));
        text.push_back(static_cast<char>(i * 37 + i / 7));
    }
}

void TstCrc32c::lanesAreJoinedRight()
{
    std::string text(40000, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) {
        text[i] = static_cast<char>(i * 2654435761U >> 13U);
    }
    const auto all = std::as_bytes(std::span(text));
    // Around one and several rounds of the short and of the long lanes, from unaligned addresses,
    // continuing an earlier checksum.
    for (const std::size_t size :
         {767U, 768U, 769U, 1536U, 2311U, 12287U, 12288U, 12289U, 13063U, 24576U, 39000U}) {
        for (const std::size_t begin : {0U, 1U, 7U}) {
            const auto bytes = all.subspan(begin, size);
            QCOMPARE(crc32c(bytes), crc32cPortable(bytes));
            QCOMPARE(crc32c(bytes, 0x12345678U), crc32cPortable(bytes, 0x12345678U));
        }
    }
    for (std::size_t size = 0; size < 100; ++size) {
        const std::string_view part = std::string_view(text).substr(3, size);
        QCOMPARE(detail::crc32cShort(part), crc32c(part));
    }
}

void TstCrc32c::continuesWhereItLeftOff()
{
    QCOMPARE(crc32c("456789", crc32c("123")), crc32c("123456789"));
}

void TstCrc32c::varintsComeBack()
{
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                      std::uint64_t{300}, ~std::uint64_t{0}}) {
        std::string bytes;
        putVarint(bytes, value);
        std::string_view rest = bytes;
        QCOMPARE(getVarint(rest), std::optional(value));
        QVERIFY(rest.empty());
        rest = std::string_view(bytes).substr(0, bytes.size() - 1);
        QVERIFY(!getVarint(rest));
    }
}

void TstCrc32c::refusesVarintsThatAreTooLong()
{
    std::string_view overflow = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02";
    QVERIFY(!getVarint(overflow));
    std::string_view endless = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
    QVERIFY(!getVarint(endless));
}

CANNERY_TEST(TstCrc32c)
#include "tst_crc32c.moc"
