// SPDX-License-Identifier: Apache-2.0
#include "storage/images/image.h"
#include "tests/golden/images/decode_calls.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::storage;
using namespace cannery::tests;

namespace {

void compare(const Image& image, const GoldenArray& golden)
{
    const std::vector<std::int64_t> shape{image.height, image.width, image.channels};
    QVERIFY(!golden.values.empty());
    QCOMPARE(shape, golden.shape);
    QCOMPARE(valuesOf(image), golden.values);
}

} // namespace

/// Pictures as tf.io.decode_image of TensorFlow 2.15.1 decodes them.
class TstImage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesTheBytesOfTensorFlow_data();
    void givesTheBytesOfTensorFlow();
    void addedAlphaIsOpaque();
    void givesPixelsWhereTensorFlowRefuses_data();
    void givesPixelsWhereTensorFlowRefuses();
    void orientationIsApplied_data();
    void orientationIsApplied();
    void paletteOfABmpIsRead();
    void namesOfPicturesAreKnown();
};

void TstImage::givesTheBytesOfTensorFlow_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QJsonArray>("calls");
    for (const QJsonValue& entry : goldenList(kPictureGoldens + "decoded.json", "files")) {
        const QString file = entry["file"].toString();
        QTest::newRow(qPrintable(file)) << file << entry["calls"].toArray();
    }
}

void TstImage::givesTheBytesOfTensorFlow()
{
    QFETCH(QString, file);
    QFETCH(QJsonArray, calls);
    for (const QJsonValue& call : calls) {
        const CallComparison comparison = compareDecoding(kPictureGoldens, file, call.toObject());
        const QByteArray text = QJsonDocument(call.toObject()).toJson(QJsonDocument::Compact);
        QVERIFY2(comparison.difference.isEmpty(),
                 qPrintable(QString(text) + ": " + comparison.difference));
    }
}

void TstImage::addedAlphaIsOpaque()
{
    for (const char* file : {"grey_1.png", "grey_2.png", "grey_4.png", "palette_4.png"}) {
        const auto image = readImageFile(kPictureGoldens + "files/" + file, {.channels = 4});
        const auto plain = readImageFile(kPictureGoldens + "files/" + file, {.channels = 3});
        VERIFY_OK(image);
        VERIFY_OK(plain);
        const std::vector<double> values = valuesOf(*image);
        const std::vector<double> colours = valuesOf(*plain);
        for (std::size_t i = 0; i < values.size(); ++i) {
            QCOMPARE(values[i], i % 4 == 3 ? 255 : colours[i / 4 * 3 + i % 4]);
        }
    }
}

void TstImage::givesPixelsWhereTensorFlowRefuses_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("channels");
    QTest::newRow("a JPEG with alpha") << "baseline_444.jpg" << 4;
    QTest::newRow("a grey JPEG with alpha") << "grey.jpg" << 4;
    QTest::newRow("CMYK as grey") << "cmyk_adobe.jpg" << 1;
    QTest::newRow("a BMP as grey") << "rgb.bmp" << 1;
    QTest::newRow("a BMP with alpha as grey") << "rgba.bmp" << 1;
    QTest::newRow("a grey BMP as grey") << "grey.bmp" << 1;
}

void TstImage::givesPixelsWhereTensorFlowRefuses()
{
    QFETCH(QString, file);
    QFETCH(int, channels);
    const std::string path = kPictureGoldens + "files/" + file.toStdString();
    const auto image = readImageFile(path, {.channels = channels});
    const auto colours = readImageFile(path, {.channels = 3});
    VERIFY_OK(image);
    VERIFY_OK(colours);
    QCOMPARE(image->channels, channels);
    const std::vector<double> values = valuesOf(*image);
    const std::vector<double> rgb = valuesOf(*colours);
    for (std::size_t pixel = 0; pixel < rgb.size() / 3; ++pixel) {
        if (channels == 4) {
            QCOMPARE(values[pixel * 4 + 1], rgb[pixel * 3 + 1]);
            QCOMPARE(values[pixel * 4 + 3], 255.0);
            continue;
        }
        const double exact =
            0.299 * rgb[pixel * 3] + 0.587 * rgb[pixel * 3 + 1] + 0.114 * rgb[pixel * 3 + 2];
        QVERIFY(std::abs(values[pixel] - exact) < 1.01);
    }
}

void TstImage::orientationIsApplied_data()
{
    QTest::addColumn<int>("orientation");
    QTest::addColumn<QString>("upright");
    for (const QJsonValue& entry : goldenList(kPictureGoldens + "decoded.json", "files")) {
        if (entry["upright"].isString()) {
            const int orientation = entry["orientation"].toInt();
            QTest::addRow("%d", orientation) << orientation << entry["upright"].toString();
        }
    }
}

void TstImage::orientationIsApplied()
{
    QFETCH(int, orientation);
    QFETCH(QString, upright);
    const auto image = readImageFile(kPictureGoldens + "files/orientation_" +
                                     std::to_string(orientation) + ".jpg");
    VERIFY_OK(image);
    QCOMPARE(image->orientation, orientation);
    compare(*image, goldenArray(kPictureGoldens + "decoded.npz", upright.toStdString()));
}

void TstImage::paletteOfABmpIsRead()
{
    // 2 × 1 pixels of 8 bits with a palette of two colours, blue and orange.
    std::string bytes("BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x08\0", 30);
    bytes += std::string(16, '\0') + std::string("\x02\0\0\0\0\0\0\0", 8);
    bytes += std::string("\xff\x00\x00\x00\x00\x80\xff\x00", 8) + std::string("\x01\x00\0\0", 4);
    const auto image = readImage(bytes, "two.bmp");
    VERIFY_OK(image);
    QCOMPARE(image->channels, 3);
    QCOMPARE(valuesOf(*image), (std::vector<double>{255, 128, 0, 0, 0, 255}));
}

void TstImage::namesOfPicturesAreKnown()
{
    for (const char* file : {"a.jpg", "b.JPEG", "c.Png", "d.bmp", ".png"}) {
        QVERIFY2(hasImageName(file), file);
    }
    for (const char* file : {"a.gif", "jpg", "a.jpg.txt", "", "a.", "a.jpgx", "Thumbs.db"}) {
        QVERIFY2(!hasImageName(file), file);
    }
}

CANNERY_TEST(TstImage)
#include "tst_image.moc"
