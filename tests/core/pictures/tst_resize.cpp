// SPDX-License-Identifier: Apache-2.0
#include "core/pictures/fitting.h"
#include "core/pictures/resize.h"
#include "tests/golden/images/golden_arrays.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <map>

using namespace cannery;
using namespace cannery::pictures;
using namespace cannery::tests;

namespace {

ResizeMethod methodOf(const QString& name)
{
    static const std::map<QString, ResizeMethod> kMethods{
        {"bilinear", ResizeMethod::Bilinear}, {"nearest", ResizeMethod::Nearest},
        {"area", ResizeMethod::Area},         {"bicubic", ResizeMethod::Bicubic},
        {"lanczos3", ResizeMethod::Lanczos3}, {"lanczos5", ResizeMethod::Lanczos5},
        {"gaussian", ResizeMethod::Gaussian}, {"mitchellcubic", ResizeMethod::MitchellCubic},
    };
    return kMethods.at(name.isEmpty() ? "bilinear" : name);
}

Picture copyOf(const PictureView<float>& view)
{
    Picture copy{view.height, view.width, view.channels, {}};
    for (std::int64_t y = 0; y < view.height; ++y) {
        copy.values.insert(copy.values.end(), view.row(y),
                           view.row(y) + view.width * view.channels);
    }
    return copy;
}

Picture run(const QString& op, const QJsonValue& arguments, Picture picture)
{
    const PictureView<float> view(picture.values.data(), picture.height, picture.width,
                                  picture.channels);
    const ResizeOptions options{.method = methodOf(arguments["method"].toString()),
                                .antialias = arguments["antialias"].toBool()};
    const QJsonArray size = arguments["size"].toArray();
    if (op == "central_crop") {
        return copyOf(centralCrop(view, arguments["central_fraction"].toDouble()));
    }
    if (op == "per_image_standardization") {
        standardize(picture);
        return picture;
    }
    if (op == "resize_with_pad") {
        return resizeWithPad(view, arguments["target_height"].toInt(),
                             arguments["target_width"].toInt(), options);
    }
    if (op == "layers.Resizing") {
        const int height = arguments["height"].toInt();
        const int width = arguments["width"].toInt();
        return resize(cropToProportions(view, height, width), height, width, options);
    }
    if (op == "smart_resize") {
        return resize(cropToProportions(view, size[0].toInt(), size[1].toInt()), size[0].toInt(),
                      size[1].toInt(), options);
    }
    if (op == "guide_pipeline") {
        for (float& value : picture.values) {
            value = value / 127.5F - 1;
        }
    }
    return resize(view, size[0].toInt(), size[1].toInt(), options);
}

} // namespace

/// Operations of tf.image, against TensorFlow 2.15.1.
class TstResize : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void equalsTensorFlow_data();
    void equalsTensorFlow();
    void narrowValuesGiveTheSame();
};

void TstResize::equalsTensorFlow_data()
{
    QTest::addColumn<QJsonValue>("call");
    for (const QJsonValue& call : goldenList("operations.json", "calls")) {
        const QByteArray arguments =
            QJsonDocument(call["arguments"].toObject()).toJson(QJsonDocument::Compact);
        QTest::addRow("%s of %s %s", qPrintable(call["op"].toString()),
                      qPrintable(call["input"].toString()), arguments.constData())
            << call;
    }
}

void TstResize::equalsTensorFlow()
{
    QFETCH(QJsonValue, call);
    const GoldenArray input = goldenArray("operations.npz", call["input"].toString().toStdString());
    const GoldenArray expected =
        goldenArray("operations.npz", call["result"].toString().toStdString());
    QCOMPARE(input.shape.size(), std::size_t{3});
    const QString op = call["op"].toString();
    const Picture found = run(op, call["arguments"],
                              {input.shape[0], input.shape[1], input.shape[2],
                               std::vector<float>(input.values.begin(), input.values.end())});
    QCOMPARE((std::vector<std::int64_t>{found.height, found.width, found.channels}),
             expected.shape);
    // TensorFlow sums a mean in an order of its own, and has a sine of its own.
    const bool hasNoise = op == "per_image_standardization" ||
                          call["arguments"]["method"].toString().startsWith("lanczos") ||
                          call["arguments"]["method"].toString() == "gaussian";
    double largest = 0;
    for (const double value : expected.values) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
        const double difference = std::abs(double{found.values[i]} - expected.values[i]);
        QVERIFY2(difference <= (hasNoise ? 1e-6 * (1 + largest) : 0),
                 qPrintable(QString("%1: %2, not %3")
                                .arg(i)
                                .arg(found.values[i], 0, 'g', 9)
                                .arg(expected.values[i], 0, 'g', 9)));
    }
}

void TstResize::narrowValuesGiveTheSame()
{
    const GoldenArray input = goldenArray("operations.npz", "a005");
    const std::vector<std::uint8_t> bytes(input.values.begin(), input.values.end());
    const std::vector<std::uint16_t> words(input.values.begin(), input.values.end());
    const std::vector<float> floats(input.values.begin(), input.values.end());
    for (const bool antialias : {false, true}) {
        for (int method = 0; method <= static_cast<int>(ResizeMethod::MitchellCubic); ++method) {
            const ResizeOptions options{static_cast<ResizeMethod>(method), antialias};
            const auto of = [&](const auto& values) {
                return resizeWithPad(PictureView(values.data(), 6, 8, 3), 5, 4, options).values;
            };
            QCOMPARE(of(bytes), of(floats));
            QCOMPARE(of(words), of(floats));
        }
    }
}

CANNERY_TEST(TstResize)
#include "tst_resize.moc"
