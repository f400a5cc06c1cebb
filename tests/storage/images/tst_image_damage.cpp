// SPDX-License-Identifier: Apache-2.0
#include "storage/images/image.h"
#include "tests/golden/images/golden_arrays.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

std::string bytesOf(const std::string& file)
{
    return *readWholeFile(kPictureGoldens + "files/" + file);
}

} // namespace

/// Files that are no pictures, or no longer.
class TstImageDamage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isRefusedWithItsReason_data();
    void isRefusedWithItsReason();
    void refusesWhatTensorFlowRefuses();
    void everyCutIsNoticed_data();
    void everyCutIsNoticed();
    void anyByteMayBeWrong_data();
    void anyByteMayBeWrong();
    void manyScansAreRefused();
    void orientationsOfDamagedDataAreNone();
};

void TstImageDamage::isRefusedWithItsReason_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("id");
    const auto row = [](const char* file, const char* id) { QTest::newRow(file) << file << id; };
    row("empty.jpg", "image.empty");
    row("empty.png", "image.empty");
    row("half.jpg", "image.truncated");
    row("header_only.jpg", "image.truncated");
    row("no_end_marker.jpg", "image.truncated");
    row("two_bytes.jpg", "image.not_an_image");
    row("half.png", "image.truncated");
    row("bad_crc.png", "image.damaged");
    row("no_end_chunk.png", "image.truncated");
    row("text.jpg", "image.not_an_image");
    row("half.bmp", "image.truncated");
    row("webp_header.jpg", "image.other_format");
    row("one_frame.gif", "image.other_format");
    row("huge.png", "image.too_large");
    row("huge.jpg", "image.too_large");
    row("huge.bmp", "image.too_large");
    row("zero_width.jpg", "image.damaged");
    row("zero_width.png", "image.damaged");
    row("negative_width.bmp", "image.damaged");
    row("leading_bytes.jpg", "image.not_an_image");
    row("five_bit.bmp", "image.other_variant");
}

void TstImageDamage::isRefusedWithItsReason()
{
    QFETCH(QString, file);
    QFETCH(QString, id);
    const auto image = readImage(bytesOf(file.toStdString()), "a/picture");
    VERIFY_ERROR(image, id);
    QVERIFY(image.error().sentence.starts_with("a/picture "));
}

void TstImageDamage::refusesWhatTensorFlowRefuses()
{
    int refused = 0;
    for (const QJsonValue& entry : goldenList(kPictureGoldens + "decoded.json", "files")) {
        const QJsonValue asItIs = entry["calls"].toArray().first();
        const std::string file = entry["file"].toString().toStdString();
        if (asItIs["error"].isString()) {
            QVERIFY2(!readImage(bytesOf(file), file), file.c_str());
            ++refused;
        }
    }
    QVERIFY(refused > 15);
}

void TstImageDamage::everyCutIsNoticed_data()
{
    QTest::addColumn<QString>("file");
    for (const char* file : {"baseline_420.jpg", "progressive_420.jpg", "cmyk_adobe.jpg", "rgb.png",
                             "interlaced_rgb.png", "rgb.bmp", "grey.bmp"}) {
        QTest::newRow(file) << file;
    }
}

void TstImageDamage::everyCutIsNoticed()
{
    QFETCH(QString, file);
    const std::string bytes = bytesOf(file.toStdString());
    VERIFY_OK(readImage(bytes, "whole"));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        // Copied to its exact size, so that a sanitizer sees whoever reads behind it.
        const std::string cut(bytes, 0, size);
        const auto image = readImage(cut, "cut");
        QVERIFY2(!image, qPrintable(QString::number(size)));
        QVERIFY(image.error().id.starts_with("image."));
    }
}

void TstImageDamage::anyByteMayBeWrong_data()
{
    everyCutIsNoticed_data();
}

void TstImageDamage::anyByteMayBeWrong()
{
    QFETCH(QString, file);
    const std::string bytes = bytesOf(file.toStdString());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
            std::string other = bytes;
            other[at] = static_cast<char>(static_cast<unsigned char>(other[at]) ^ flip);
            const auto image = readImage(other, "other");
            QVERIFY(image ? image->valueCount() > 0 : image.error().id.starts_with("image."));
        }
    }
}

void TstImageDamage::manyScansAreRefused()
{
    // The last scan of a progressive picture, again and again.
    const std::string bytes = bytesOf("progressive_grey.jpg");
    const std::size_t begin = bytes.rfind("\xff\xda");
    const std::size_t end = bytes.rfind("\xff\xd9");
    QVERIFY(begin < end && end != std::string::npos);
    std::string many = bytes.substr(0, end);
    for (int scan = 0; scan < 2000; ++scan) {
        many += bytes.substr(begin, end - begin);
    }
    const auto image = readImage(many + bytes.substr(end), "many.jpg");
    VERIFY_ERROR(image, "image.damaged");
    QVERIFY(image.error().sentence.find("more than 500 scans") != std::string::npos);
}

void TstImageDamage::orientationsOfDamagedDataAreNone()
{
    const std::string bytes = bytesOf("orientation_6.jpg");
    const std::size_t tag = bytes.find("Exif");
    QVERIFY(tag != std::string::npos);
    QCOMPARE(readImage(bytes, "whole")->orientation, 6);
    for (std::size_t at = tag; at < tag + 32; ++at) {
        std::string other = bytes;
        other[at] = '\xee';
        const auto image = readImage(other, "other");
        VERIFY_OK(image);
        QVERIFY(image->orientation >= 1 && image->orientation <= 8);
    }
}

CANNERY_TEST(TstImageDamage)
#include "tst_image_damage.moc"
