#include "storage/io/coding.h"
#include "storage/io/crc32c.h"
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
